"""The edited target of a session: kept across pages, and in the address."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import streamlit as st

from fairviz.groups import Membership, Missing, Preset, membership, target_shares, with_unlabelled
from fairviz.model import Dataset, FloatArray, Pools, Qrels, Target
from fairviz.pool import pool
from pages._kit.cache import cached

# Targets that the data suggest: equal, collection, pool, useful documents.


NAMES: dict[Preset, str] = {
    "uniform": "Equal",
    "corpus": "Collection",
    "population": "Pool",
    "relevance": "Useful documents",
}
"""What a person calls the presets of :mod:`fairviz.groups`."""

MEANINGS = (
    "**Equal**: every group the same. **Collection**: as in all labelled documents. **Pool**: as "
    "among each query's candidates, averaged. **Useful documents**: in proportion to the mean "
    "usefulness of a group's documents, averaged over queries."
)


class LabelledPools(NamedTuple):
    """One system's candidates with judgements and groups."""

    pools: Pools
    members: Membership


def align(loaded: Dataset, attribute: int, system: int, judgements: int | None, unlabelled: Missing) -> LabelledPools:
    """Candidates of one system for its queries: measures of groups need no judgements.

    Args:
        loaded: The data.
        attribute: Which labels.
        system: Which run; samples follow the runs.
        judgements: Which judgements say what is useful, None for none.
        unlabelled: Whether items without a label are a group.
    """
    ranked = (*loaded.runs, *loaded.samples)[system]
    qrels: Qrels | None = None if judgements is None else loaded.qrels[judgements]
    pools = pool(ranked, qrels, queries="ranked")
    members = membership(pools, loaded.labels[attribute], matching_target(loaded, attribute))
    return LabelledPools(pools, with_unlabelled(members) if unlabelled == "group" else members)


@cached
def labelled_pools(
    loaded: Dataset, attribute: int, system: int, judgements: int | None, unlabelled: Missing
) -> LabelledPools:
    """:func:`align`, remembered: for the system that is looked at."""
    return align(loaded, attribute, system, judgements, unlabelled)


def matching_target(loaded: Dataset, attribute: int) -> Target | None:
    """The loaded target, if it speaks of the groups of this attribute."""
    known = set(loaded.labels[attribute].groups)
    target = loaded.target
    return target if target is not None and known & set(target.groups) else None


@cached
def preset_shares(
    loaded: Dataset, attribute: int, system: int, judgements: int | None, unlabelled: Missing
) -> dict[str, FloatArray]:
    """(G) shares of each preset by name, one distribution for all queries.

    Where a preset differs by query its mean is taken, over the queries that have one. A preset
    that no query has is left out.
    """
    pools, members = labelled_pools(loaded, attribute, system, judgements, unlabelled)
    found: dict[str, FloatArray] = {}
    for preset, name in NAMES.items():
        rows = target_shares(preset, members, pools)
        rows = rows[~np.isnan(rows).any(axis=1)]
        if rows.size:
            found[name] = rows.mean(axis=0)
    return found


def as_shares(target: Target, groups: tuple[str, ...]) -> FloatArray | None:
    """(G) shares of a target over these groups; None where it names none of them."""
    rows = np.atleast_2d(target.shares).mean(axis=0)
    named = dict(zip(target.groups, rows.tolist(), strict=True))
    shares = np.array([named.get(group, 0.0) for group in groups])
    return shares / shares.sum() if shares.sum() > 0 else None


# Shares that always sum to 100: what a move of one does to the others. No Streamlit here.
#
# What is kept is exact, what is shown are whole percents. Keeping the rounded numbers instead would
# make the result depend on the way a slider went.


FLOOR = 1e-9
"""Smallest share kept while others grow, so that a group at 0 can come back."""

RESERVE = 1e-5
"""What the other groups keep together under a share of 100 %: their proportions survive it, since
floors are small beside it."""

NOTHING = 1.5e-5
"""Shares up to this are 0 to everybody but the editor."""

ALIKE = 1e-4
"""Shares closer than this are one target, whatever their last digits."""


def percents(weights: FloatArray) -> list[int]:
    """Shares as whole percents that sum to 100: the largest remainders are rounded up.

    Examples:
        >>> percents(np.array([1 / 3, 1 / 3, 1 / 3]))
        [34, 33, 33]
    """
    exact = 100 * weights
    whole = np.floor(exact).astype(int)
    order = np.argsort(whole - exact, kind="stable")
    whole[order[: 100 - int(whole.sum())]] += 1
    found: list[int] = whole.tolist()
    return found


def room(weights: FloatArray, locked: Collection[int], moved: int) -> int:
    """Percents that one share may take beside those that are locked."""
    held = sum(percents(weights)[i] for i in locked if i != moved)
    return 100 - held


def can_move(n_groups: int, locked: Collection[int], group: int) -> bool:
    """Whether a share can be moved: it is not locked, and another one can make room."""
    free = [i for i in range(n_groups) if i not in locked]
    return group in free and len(free) > 1


def moved(weights: FloatArray, group: int, percent: int, locked: Collection[int] = ()) -> FloatArray:
    """Shares after one is set: the unlocked others take the rest in proportion.

    Args:
        weights: (K) shares that sum to 1.
        group: The share that is set.
        percent: Its new value, 0 to 100; cut to what the locked ones leave.
        locked: Shares that stay as they are.

    Returns:
        (K) shares that sum to 1. Unchanged where no other share could make room.
    """
    if not can_move(weights.size, locked, group):
        return weights.copy()
    others = [i for i in range(weights.size) if i != group and i not in locked]
    held = sum(float(weights[i]) for i in locked)
    share = max(min(percent / 100, 1 - held), 0.0)
    basis = np.maximum(weights[others], FLOOR)
    found = weights.copy()
    found[group] = share
    found[others] = basis / basis.sum() * max(1 - held - share, RESERVE)
    return found


def fastened(weights: FloatArray, group: int, locked: Collection[int] = ()) -> FloatArray:
    """Shares when one is locked: it becomes exactly what is shown, so that it shows no move.

    Args:
        weights: (K) shares that sum to 1.
        group: The share to lock.
        locked: Those that are locked already.
    """
    return moved(weights, group, percents(weights)[group], [i for i in locked if i != group])


def target_weights(weights: FloatArray) -> FloatArray:
    """The target that the editor's shares stand for: floors are 0 again, the sum is exactly 1."""
    kept = np.where(weights <= NOTHING, 0.0, weights)
    return kept / kept.sum()


def alike(a: FloatArray, b: FloatArray) -> bool:
    """Whether two sets of shares are one target."""
    return a.shape == b.shape and bool((np.abs(a - b) < ALIKE).all())


def written(weights: FloatArray) -> str:
    """Shares for a link: percents with up to three decimals, between underscores.

    Examples:
        >>> written(np.array([0.45, 0.45, 0.1]))
        '45_45_10'
    """
    return "_".join(f"{100 * share:.3f}".rstrip("0").rstrip(".") for share in weights)


def read(text: str, n_groups: int) -> FloatArray | None:
    """Shares from a link; None where it does not speak of as many groups, or of no shares."""
    try:
        shares = np.array([float(part) for part in text.split("_")])
    except ValueError:
        return None
    if shares.size != n_groups or not (shares >= 0).all() or abs(shares.sum() - 100) > 0.1:
        return None
    return shares / shares.sum()


PARAM = "target"

LOADED = "Loaded file"
"""Name of the preset that is a file."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Edited:
    """One target under the editor.

    Attributes:
        weights: (G) unrounded shares.
        locked: Groups whose shares are held.
        preset: The preset that was chosen last, by name.
        file: (G) shares of a loaded file, None without one.
    """

    weights: FloatArray
    locked: frozenset[int] = frozenset()
    preset: str = ""
    file: FloatArray | None = None


def place(loaded: Dataset, attribute: str, n_groups: int) -> str:
    """Where a session keeps the target of these groups."""
    return f"edited-{loaded.fingerprint[:12]}-{attribute}-{n_groups}"


def share_key(where: str, group: int) -> str:
    """Key of the control of one share; a new one after every change that is not its own.

    A browser reports all controls with every move, and after a fast second key press it does not
    know yet what the first one did to the others. What it says of them goes to their old keys.
    """
    return _key(where, f"share-{group}")


def lock_key(where: str, group: int) -> str:
    """Key of the lock of one share."""
    return _key(where, f"lock-{group}")


def preset_key(where: str, shown: str | None) -> str:
    """Key of the pills, which stand at ``shown``."""
    _stand(where, "preset", shown)
    return _key(where, "preset")


def edited(where: str) -> Edited:
    """What is kept there; :func:`begin` comes first."""
    found: Edited = st.session_state[where]
    return found


def begin(where: str, presets: Mapping[str, FloatArray], file: FloatArray | None) -> Edited:
    """The kept target; a new one starts from the link, else the loaded file, else equal shares."""
    if where not in st.session_state:
        fallback = next(iter(presets.values()))
        start = Edited(weights=fallback if file is None else file, file=file)
        st.session_state[where] = _from_link(start, presets)
    return edited(where)


def choices(state: Edited, presets: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
    """All presets by name, a loaded file last."""
    return dict(presets) | ({} if state.file is None else {LOADED: state.file})


def chosen_preset(state: Edited, presets: Mapping[str, FloatArray]) -> str | None:
    """The preset that the shares are; the one chosen last where several are alike."""
    names = [n for n, shares in choices(state, presets).items() if alike(shares, state.weights)]
    return state.preset if state.preset in names else next(iter(names), None)


def set_share(where: str, group: int, key: str) -> None:
    """A share was moved: the others make room. Its own control is left alone."""
    if key != share_key(where, group):
        return  # an old control, said of by a browser that does not know the new one yet
    state = edited(where)
    asked = int(st.session_state[key])
    weights = moved(state.weights, group, asked, state.locked)
    st.session_state[where] = replace(state, weights=weights, preset="")
    # To write back the moved control would lose key presses that are under way.
    show(where, but=group if asked <= room(weights, state.locked, group) else None)


def set_lock(where: str, group: int, key: str) -> None:
    """A lock was switched; a locked share is exactly what is shown."""
    if key != lock_key(where, group):
        return
    state = edited(where)
    if not st.session_state[key]:
        st.session_state[where] = replace(state, locked=state.locked - {group})
    elif can_move(state.weights.size, state.locked, group):
        weights = fastened(state.weights, group, state.locked)
        st.session_state[where] = replace(state, weights=weights, locked=state.locked | {group})
        show(where)


def set_locks(where: str, key: str) -> None:
    """Several locks at once, from one control."""
    state = edited(where)
    held = frozenset[int]()
    for group in st.session_state[key]:
        if can_move(state.weights.size, held, group):
            if group not in state.locked:
                state = replace(state, weights=fastened(state.weights, group, held))
            held |= {group}
    st.session_state[where] = replace(state, locked=held)
    show(where)


def set_preset(where: str, key: str, presets: Mapping[str, FloatArray]) -> None:
    """A preset was chosen; locks are opened, since a preset sets every share."""
    name, state = st.session_state[key], edited(where)
    if name and key == _key(where, "preset"):
        set_weights(where, choices(state, presets)[name], preset=name)


def set_weights(where: str, weights: FloatArray, *, preset: str = "") -> None:
    """Set every share."""
    state = replace(edited(where), weights=weights, locked=frozenset(), preset=preset)
    for group in range(weights.size):
        _stand(where, f"lock-{group}", False)
    st.session_state[where] = state
    show(where)


def show(where: str, *, but: int | None = None) -> None:
    """Bring the controls to the shares, but for the one under a person's hand."""
    for group, percent in enumerate(percents(edited(where).weights)):
        if group != but:
            _stand(where, f"share-{group}", percent)


def _key(where: str, control: str) -> str:
    generation: int = st.session_state.get(f"{where}-{control}-generation", 0)
    return f"{where}-{control}-{generation}"


def _stand(where: str, control: str, value: object) -> None:
    """Bring a control to a value, as a new one if it stands elsewhere."""
    key = _key(where, control)
    if key in st.session_state and st.session_state[key] != value:
        counter = f"{where}-{control}-generation"
        st.session_state[counter] = st.session_state.get(counter, 0) + 1
        key = _key(where, control)
    st.session_state[key] = value


def keep_in_link(state: Edited, presets: Mapping[str, FloatArray]) -> None:
    """Put the target into the address: the preset's name, or the shares."""
    name = chosen_preset(state, presets)
    text = slug(name) if name is not None and name != LOADED else written(state.weights)
    if st.query_params.get(PARAM) != text:
        st.query_params[PARAM] = text


def slug(name: str) -> str:
    """A preset's name in the address."""
    return name.lower().replace(" ", "-")


def _from_link(start: Edited, presets: Mapping[str, FloatArray]) -> Edited:
    """The target that the followed link asks for; heard once, later the session decides."""
    if "target_heard" in st.session_state or PARAM not in st.query_params:
        st.session_state["target_heard"] = True
        return start
    st.session_state["target_heard"] = True
    text = st.query_params[PARAM]
    for name, shares in presets.items():
        if slug(name) == text:
            return replace(start, weights=shares, preset=name)
    shares = read(text, start.weights.size)
    if shares is None:
        said = (PARAM, text, written(start.weights))
        st.session_state.setdefault("ignored", []).append(said)
        return start
    return replace(start, weights=shares)
