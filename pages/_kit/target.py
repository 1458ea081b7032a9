"""A target under the hand: shares that always sum to 100, presets, load and save; in the session and in the address."""

import io
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import streamlit as st
from streamlit.components.v2 import component
from streamlit.components.v2.get_bidi_component_manager import get_bidi_component_manager
from streamlit.components.v2.manifest_scanner import ComponentConfig, ComponentManifest

from fairviz.display.theme import DARK, LIGHT, group_hues
from fairviz.display.words import capital, listing, percent, quoted
from fairviz.errors import InputError
from fairviz.evaluation.systems import named_rankings
from fairviz.io.join import join_target
from fairviz.io.json import Json
from fairviz.io.targets import bounds_text, read_target, read_target_or_bounds, write_target
from fairviz.kernels.grouping import UNLABELLED, Missing, Preset, missing_groups
from fairviz.model import Dataset, FloatArray, ShareBounds, Target
from fairviz.model.judgements import WEIGHT_TOLERANCE
from fairviz.points.shares import GroupExposure
from fairviz.points.targets import (
    LabelledSystem,
    as_shares,
    can_move,
    labelled,
    named_bounds,
    read,
    same_shares,
    target_weights,
    written,
)
from fairviz.points.targets import preset_shares as shares_of
from fairviz.studies.groups.findings import MANY
from pages._kit import counts_line, empty_state
from pages._kit.controls import GROUP, choose_place, following, put_in_address, whole_number
from pages._kit.downloads import download, error_box
from pages._kit.link import ignore, name_mark
from pages._kit.session import cached

# Targets that the data suggest: equal, collection, pool, usefulness.


NAMES: dict[Preset, str] = {
    "uniform": "Equal",
    "corpus": "Collection",
    "population": "Candidates",
    "relevance": "By usefulness",
}
"""What a person calls the presets of :mod:`fairviz.kernels.grouping`."""

MEANINGS = (
    "**Equal**: every group the same. **Collection**: as in all that is labelled. **Candidates**: as "
    "among each query's candidates, averaged. **By usefulness**: in proportion to a group's "
    "mean usefulness, averaged over queries."
)


def labelled_pools(
    loaded: Dataset, attribute: int, system: int, judgements: int | None, unlabelled: Missing
) -> LabelledSystem:
    """One system's candidates with judgements and groups, those of the loaded target among them.

    Args:
        loaded: The data.
        attribute: Which labels.
        system: Which run; samples follow the runs.
        judgements: Which judgements say what is useful, None for none.
        unlabelled: Whether items without a label are a group.
    """
    name = named_rankings(loaded)[system].system
    return labelled(loaded, name, attribute, judgements, unlabelled, further_groups(loaded, attribute))


def matching_target(loaded: Dataset, attribute: int) -> Target | None:
    """The loaded target, if it speaks of the groups of this attribute and gives a share to no other."""
    labels, target = loaded.attributes[attribute], loaded.target
    fits = target is not None and set(labels.groups) & set(target.groups) and not missing_groups(labels, target)
    return target if fits else None


def further_groups(loaded: Dataset, attribute: int) -> tuple[str, ...]:
    """Groups that only the loaded target names."""
    target = matching_target(loaded, attribute)
    groups = loaded.attributes[attribute].groups
    return tuple(group for group in (() if target is None else target.groups) if group not in groups)


def groups_of(loaded: Dataset, attribute: int) -> tuple[str, ...]:
    """Groups that shares of attention are for: those of the labels, then those that only the loaded target names."""
    return (*loaded.attributes[attribute].groups, *further_groups(loaded, attribute))


@cached
def labels_fingerprint(loaded: Dataset, attribute: int) -> str:
    """Sha256 of the labels themselves: equal groups of equal documents, whatever else is loaded."""
    labels = loaded.attributes[attribute]
    digest = sha256("\n".join([labels.attribute, *labels.groups, "", *labels.doc_ids]).encode())
    digest.update("\n".join(labels.query_ids or ()).encode())
    for part in (labels.weights.indptr, labels.weights.indices, labels.weights.data):
        digest.update(part.astype(np.float64).tobytes())
    return digest.hexdigest()


@cached
def preset_shares(
    loaded: Dataset, attribute: int, system: int, judgements: int | None, unlabelled: Missing
) -> dict[str, FloatArray]:
    """(G) shares of each preset by name, one distribution for all queries; without those that no query has."""
    of = labelled_pools(loaded, attribute, system, judgements, unlabelled)
    made = {name: shares_of(preset, of.members, of.pools) for preset, name in NAMES.items()}
    return {name: shares for name, shares in made.items() if shares is not None}


def first_attribute(loaded: Dataset) -> int:
    """The labels that the loaded target speaks of, else the first."""
    spoken = (i for i in range(len(loaded.labels)) if matching_target(loaded, i) is not None)
    return next(spoken, 0)


def choose_labels(loaded: Dataset, *, width: int, inside: str | None = None) -> int:
    """Place of the labels that are looked at, of data that have some."""
    names = [labels.attribute for labels in loaded.attributes]
    return choose_place("Groups", names, "labels", first=first_attribute(loaded), width=width, inside=inside)


PARAM, LOCKS = "target", "locks"
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
        is_set: Whether a person, a file or a link set it; else these are equal shares, which nobody asked for.
        revision: Counts what set every share at once: rows that a person moves start anew from it.
    """

    weights: FloatArray
    locked: frozenset[int] = frozenset()
    preset: str = ""
    file: FloatArray | None = None
    is_set: bool = True
    revision: int = 0


def session_key(loaded: Dataset, attribute: int, groups: Sequence[str]) -> str:
    """Where a session keeps the target of these groups of these labels: no other has it, whatever its number."""
    mark = sha256("\n".join([labels_fingerprint(loaded, attribute), *groups]).encode()).hexdigest()[:8]
    return f"edited-{mark}-{len(groups)}"


def _marked(where: str, text: str) -> str:
    """Shares or places of groups for the address, with the groups that they are of."""
    return f"{text}-{where.split('-')[1]}"


def _unmarked(where: str, text: str) -> str | None:
    """What the address says by position of these groups; None where it speaks of others, or does not say of which."""
    positions, _, mark = text.rpartition("-")
    return positions if mark == where.split("-")[1] else None


def edited(where: str) -> Edited:
    """What is kept there; :func:`begin` comes first."""
    state: Edited = st.session_state[where]
    return state


def begin(where: str, presets: Mapping[str, FloatArray], file: FloatArray | None) -> Edited:
    """The kept target; a new one starts from the link, else the loaded file, else equal shares."""
    if where not in st.session_state:
        fallback = next(iter(presets.values()))
        start = Edited(weights=fallback if file is None else file, file=file, is_set=file is not None)
        st.session_state[where] = _from_link(where, start, presets)
    return edited(where)


def preset_key(where: str) -> str:
    """Key of the choice of a preset; a new one after every change that is not its own.

    A browser reports all controls with every move. What it says of one that it does not know yet goes to the old key.
    """
    return f"{where}-preset-{st.session_state.get(f'{where}-presets', 0)}"


def set_weights(where: str, weights: FloatArray, *, preset: str = "") -> None:
    """Set every share; the target is what is stated from now on."""
    st.session_state[STATEMENTS] = TARGET
    before = edited(where)
    st.session_state[where] = Edited(weights=weights, preset=preset, file=before.file, revision=before.revision + 1)


def revision(where: str) -> str:
    """Name of the shares that were set last at once: what rows say they were moved from."""
    return f"{where} {edited(where).revision}"


def take(where: str, sent: Json) -> int | None:
    """What rows that a person moves have made of all shares and locks at once.

    Args:
        where: Of the target.
        sent: ``{"revision", "weights", "locked", "moved"}``.

    Returns:
        The group that was moved; None for what was made of shares that were set anew since, or is no target.
    """
    state = edited(where)
    match sent:
        case {"revision": name, "weights": [*weights], "locked": [*locked], "moved": int(group)}:
            shares, n = np.array(weights, dtype=np.float64), state.weights.size
        case _:
            return None
    locks = {at for at in locked if isinstance(at, int)}
    groups = range(n)
    if (
        name != revision(where)
        or shares.size != n
        or not (shares >= 0).all()
        or abs(shares.sum() - 1) > WEIGHT_TOLERANCE
        or not {group, *locks} <= {*groups}
    ):
        return None
    st.session_state[where] = replace(
        state, weights=shares / shares.sum(), locked=frozenset(locks), preset="", is_set=True
    )
    return group


def slug(name: str) -> str:
    """A preset's name in the address."""
    return name.lower().replace(" ", "-")


def _from_link(where: str, start: Edited, presets: Mapping[str, FloatArray]) -> Edited:
    """The target that the followed link asks for; heard once, later the session decides."""
    if "target_heard" in st.session_state:
        return start
    st.session_state["target_heard"] = True
    text = st.query_params.get(PARAM, "")
    for name, shares in presets.items():
        if slug(name) == text:
            start = replace(start, weights=shares, preset=name, is_set=True)
            break
    else:
        shares = read(_unmarked(where, text) or "", start.weights.size)
        if shares is not None:
            start = replace(start, weights=shares, is_set=True)
        elif text:
            ignore(PARAM, text, written(start.weights) if start.is_set else "equal shares, since it is of other groups")
    return replace(start, locked=_locks(where, start))


def _locks(where: str, state: Edited) -> frozenset[int]:
    """Locks of the address, as far as another share can still make room."""
    text = _unmarked(where, st.query_params.get(LOCKS, "")) or ""
    locks, number = frozenset[int](), whole_number(1, state.weights.size)
    for part in text.split("_"):
        group = number(part)
        if group is not None and can_move(state.weights.size, locks, group - 1):
            locks |= {group - 1}
    return locks


class Editing(NamedTuple):
    """A target under the hand.

    Attributes:
        where: Where the session keeps it.
        state: As it stands.
        groups: Names, in the order of the shares.
        presets: (G) shares that the data suggest, by name.
        attribute: Which labels.
    """

    where: str
    state: Edited
    groups: tuple[str, ...]
    presets: dict[str, FloatArray]
    attribute: int

    @property
    def target(self) -> Target:
        """The target it stands at."""
        return Target(groups=self.groups, shares=target_weights(self.state.weights))

    @property
    def choices(self) -> dict[str, FloatArray]:
        """All presets by name, a loaded file last."""
        return self.presets | ({} if self.state.file is None else {LOADED: self.state.file})

    @property
    def preset(self) -> str | None:
        """The preset that the shares are; the one chosen last where several are alike, none before one was set."""
        if not self.state.is_set:
            return None
        names = [name for name, shares in self.choices.items() if same_shares(shares, self.state.weights)]
        return self.state.preset if self.state.preset in names else next(iter(names), None)


def editing(
    loaded: Dataset, *, attribute: int, system: int, judgements: int | None = None, unlabelled: Missing = "drop"
) -> Editing:
    """The target of these groups, from the address, the loaded file or equal shares."""
    groups = labelled_pools(loaded, attribute, system, judgements, unlabelled).members.groups
    presets = preset_shares(loaded, attribute, system, judgements, unlabelled)
    file, where = matching_target(loaded, attribute), session_key(loaded, attribute, groups)
    state = begin(where, presets, None if file is None else as_shares(file, groups))
    return Editing(where, state, groups, presets, attribute)


def keep_in_link(edit: Editing) -> None:
    """Put a target that was set into the address: the preset's name, or the shares; locks as places in their order."""
    where, state, name = edit.where, edit.state, edit.preset
    text = slug(name) if name is not None and name != LOADED else _marked(where, written(state.weights))
    locks = "_".join(str(group + 1) for group in sorted(state.locked))
    put_in_address(PARAM, text if state.is_set else "")
    put_in_address(LOCKS, _marked(where, locks) if locks else "")


def one_group(loaded: Dataset, attribute: int, exposure: GroupExposure) -> None:
    """What can be done where a page has one group only: nothing is compared with nothing."""
    ways: list[str] = []
    if exposure.unlabelled_candidates.sum() > 0:
        ways.append("make what has no label a group of its own (“Without a label” under More)")
    if len(loaded.labels) > 1:
        ways.append('choose other labels ("Groups" above)')
    ways.append(f"load labels of {quoted(loaded.attributes[attribute].attribute)} that name a second group")
    empty_state("A target divides attention among groups", f"{capital(listing(ways, 'or'))}.")


def preset_pills(edit: Editing, *, stands: bool = True) -> None:
    """Targets that the data suggest, and the loaded file; the one it ``stands`` at is filled, or none."""
    chosen = edit.preset if stands else None
    key = preset_key(edit.where)
    if key in st.session_state and st.session_state[key] != chosen:
        st.session_state[f"{edit.where}-presets"] = st.session_state.get(f"{edit.where}-presets", 0) + 1
        key = preset_key(edit.where)
    st.session_state[key] = chosen
    st.pills("Set the targets to", list(edit.choices), key=key, on_change=_set_preset, args=(edit, key), help=MEANINGS)
    missing = [name for name in NAMES.values() if name not in edit.presets]
    if missing:
        counts_line(f"Not on these data: {', '.join(missing)}.")


def _set_preset(edit: Editing, key: str) -> None:
    """A preset was chosen; locks are opened, since a preset sets every share."""
    name = st.session_state[key]
    if name and key == preset_key(edit.where):
        set_weights(edit.where, edit.choices[name], preset=name)


def target_files(edit: Editing, loaded: Dataset) -> None:
    """Save the target as a file, or take one."""
    where, target = edit.where, edit.target

    def content() -> str:  # written when pressed: a file per move would be gone before it is read
        text = io.StringIO()
        write_target(target, text)
        return text.getvalue()

    with st.container(horizontal=True, gap="small"):
        download("Save target", content, "target.json", key=f"{where}-save")
        with st.popover("Load target", icon=":material/upload:", type="tertiary"):
            key = f"{where}-load"
            st.file_uploader(
                'A JSON file: {"group": share, …}, shares sum to 1',
                type=["json", "gz"],
                max_upload_size=1,  # MB: shares of groups are short
                key=key,
                on_change=_take,
                args=(edit, loaded, key),
            )
            trouble = st.session_state.get(f"{where}-trouble")
            if trouble is not None:
                error_box(trouble)


def _take(edit: Editing, loaded: Dataset, key: str) -> None:
    """Set the shares of a file, or keep what is wrong with it."""
    where, groups = edit.where, edit.groups
    st.session_state[f"{where}-trouble"] = None
    file = st.session_state[key]
    if file is None:
        return
    try:
        target = read_target((file.name, file.getvalue())).value
        join_target(loaded.attributes[edit.attribute], target, file=file.name)
        extra = [group for group in target.groups if group not in groups]
        if extra:
            reason = f"nothing is labelled {', '.join(extra)}"
            fix = f"Name only groups of the labels: {', '.join(groups)}."
            raise InputError(reason, file=file.name, fix=fix)
        shares = as_shares(target, groups)
        if shares is not None:
            st.session_state[where] = replace(edit.state, file=shares)
            set_weights(where, shares, preset=LOADED)
    except InputError as error:
        st.session_state[f"{where}-trouble"] = error


# The rows that a person moves.


def group_row(
    group: str, at: int, marks: Mapping[str, float], *, groups: Sequence[str] = (), **words: Any
) -> dict[str, Any]:
    """One group as rows draw it.

    Args:
        group: Its name.
        at: Its place among the groups of its attribute.
        marks: What is drawn by name, such as its ``share`` today and the ``reach`` of re-ranking; NaN: nothing.
        groups: Those among which it has a colour; without any it has none.
        **words: What stands in the row and what is said of it.
    """
    light, dark = (group_hues(groups, colours)[at].line if groups else "" for colours in (LIGHT, DARK))
    has_hue = 0 < len(groups) <= MANY and group != UNLABELLED
    return {
        "group": at,
        "name": group,
        "hue": f"light-dark({light}, {dark})" if has_hue else None,
        "hatched": group == UNLABELLED,
        **{mark: None if math.isnan(value) else value for mark, value in marks.items()},
        **words,
    }


def _show_rows(
    element: str, rows: Sequence[Mapping[str, Any]], ticks: Sequence[float], moved: Callable[[], None], **payload: Any
) -> None:
    """Rows that a person moves; what they make of all of them comes back as ``st.session_state[element]["target"]``."""
    manager = get_bidi_component_manager()
    if manager.get_component_asset_root(NAME) is None:  # each server, and each test of a page, has its own
        declared = ComponentManifest(
            name=PACKAGE, version="", components=[ComponentConfig(name=COMPONENT, asset_dir=FOLDER.name)]
        )
        manager.register_from_manifest(declared, FOLDER.parent)
    scale = {"scale": ticks[-1], "ticks": [(tick, percent(tick)) for tick in ticks], "rows": rows}
    _component()(data=scale | payload, key=element, on_target_change=moved)


def target_rows(
    edit: Editing,
    rows: Sequence[Mapping[str, Any]],
    ticks: Sequence[float],
    *,
    key: Sequence[tuple[str, str]],
    last: str,
    foot: tuple[str, str],
) -> None:
    """Groups beside their targets, which a person drags, types, locks; the others make room.

    Of many groups none is dragged.

    Args:
        edit: The target.
        rows: Of :func:`group_row`, in their order: ``share`` today from ``low`` to ``high``, ``reach`` of re-ranking;
            ``today``, ``words`` at the end of the row, ``spoken`` and ``said`` of it; its colour ``tone``: ``over``,
            ``under``, ``even`` or ``silent``.
        ticks: Of the scale of shares, which ends with the last of them.
        key: Marks and their meanings but that of the target, which stands second.
        last: Head of the last column.
        foot: What stands below the drawings, and below the last column.
    """
    drags, element = len(rows) <= MANY, f"{edit.where}-rows"
    due, aim = "equal share", "an equal share, until you set a target"
    if edit.state.is_set:
        due, aim = "target", "your target"
    share, *others = key

    def moved_by_hand() -> None:
        """Titles speak of the group that was moved from now on."""
        group = take(edit.where, st.session_state[element]["target"])
        if group is not None:
            st.session_state[STATEMENTS] = TARGET
            st.session_state[GROUP] = edit.groups[group]

    _show_rows(
        element,
        rows,
        ticks,
        moved_by_hand,
        label=f"Groups: share of attention today, {due}, {last}",
        revision=revision(edit.where),
        weights=edit.state.weights.tolist(),
        locked=sorted(edit.state.locked),
        drags=drags,
        locks=len(rows) > 2,  # of two, one lock would hold both
        key=[share, ("target", f"{aim}: {'drag' if drags else 'type'} it, or arrow keys"), *others],
        last=last,
        foot={"today": percent(1), "plot": foot[0], "gap": foot[1]},
    )


# Statements about shares: exactly, at least, at most, between or free.

STATEMENTS = "statements"
"""Setting of what is stated: JSON of bounds, or one of two words."""
TARGET, FREE = "target", "free"
"""Instead of statements: those of the target under the hand, none."""


def standing_statements(loaded: Dataset) -> str:
    """What is stated, from the address, else the loaded file: JSON of bounds, :data:`TARGET` or :data:`FREE`."""
    own = loaded.attributes[0].attribute if loaded.labels else ""
    usual = TARGET if loaded.bounds is None else bounds_text(named_bounds(loaded.bounds, own))
    read = partial(read_statements, loaded)
    return following(STATEMENTS, usual, read, lambda: st.session_state[STATEMENTS], mark=marked_statements)


def read_statements(loaded: Dataset, text: str) -> str | None:
    """Statements of the session or of an address, as JSON; None where they are none about these labels.

    An address has marks instead of names, as everywhere: ``ATTRIBUTE~GROUP~LEAST~LARGEST`` in percent, an end left out
    where it states nothing, between underscores.
    """
    if text in (TARGET, FREE):
        return text
    pairs = {(labels.attribute, group) for labels in loaded.attributes for group in labels.groups}
    marks = {(name_mark(attribute), name_mark(group)): (attribute, group) for attribute, group in pairs}
    try:
        if text.startswith("{"):
            bounds = read_target_or_bounds((STATEMENTS, text.encode())).value
        else:
            rows = [part.split("~") for part in text.split("_")]
            names = [marks[attribute, group] for attribute, group, _, _ in rows]
            low, high = np.array([(float(row[2] or 0) / 100, float(row[3] or 100) / 100) for row in rows]).T
            attributes, groups = zip(*names, strict=True)
            bounds = ShareBounds(attributes=attributes, groups=groups, low=low, high=high)
    except (InputError, KeyError, ValueError):
        return None
    is_known = isinstance(bounds, ShareBounds) and {*zip(bounds.attributes, bounds.groups, strict=True)} <= pairs
    return bounds_text(bounds) if is_known else None


def marked_statements(text: str) -> str:
    """Statements as an address carries them."""
    if text in (TARGET, FREE):
        return text
    bounds: ShareBounds = read_target_or_bounds((STATEMENTS, text.encode())).value
    ends = [written(side).split("_") for side in (bounds.low, bounds.high)]
    return "_".join(
        "~".join((name_mark(attribute), name_mark(group), "" if low == "0" else low, "" if high == "100" else high))
        for attribute, group, low, high in zip(bounds.attributes, bounds.groups, *ends, strict=True)
    )


def state_anew(edit: Editing, statements: str) -> None:
    """Set all statements at once: rows that a person moves start anew from them."""
    st.session_state[STATEMENTS] = statements
    state = edited(edit.where)
    st.session_state[edit.where] = replace(state, revision=state.revision + 1)


def statement_rows(
    edit: Editing,
    rows: Sequence[Mapping[str, Any]],
    attributes: Sequence[str],
    ticks: Sequence[float],
    *,
    key: Sequence[tuple[str, str]],
) -> None:
    """Groups of several attributes beside statements about their shares, which a person chooses, drags and types.

    Args:
        edit: The target of the attribute that counts, which exact shares of all its groups are.
        rows: Of :func:`group_row`: its ``attribute``, and whether that is the ``own`` one of the target; ``low``,
            ``high``; ``share`` today and ``reach`` after; ``today``, ``after``, ``mark``, ``next`` in words; all of it,
            ``spoken``.
        attributes: Names of the attributes, in the order of the rows.
        ticks: Of the scale of shares, which ends with the last of them.
        key: Marks and their meanings.
    """
    element = f"{edit.where}-statements"
    own = [at for at, row in enumerate(rows) if row["own"]]
    # Rows of another order, as other ranks may bring it, start anew: what is moved is known by its place.
    order = name_mark("\n".join(f"{row['attribute']}\t{row['name']}" for row in rows))
    name = f"{revision(edit.where)} {order}"

    def stated_by_hand() -> None:
        take_statements(edit, rows, name, st.session_state[element]["target"])

    _show_rows(
        element,
        rows,
        ticks,
        stated_by_hand,
        label="Groups: what you ask for, share of attention today and after",
        revision=name,
        attributes=list(attributes),
        locked=[at for at in own if rows[at]["group"] in edit.state.locked],
        key=list(key),
    )


def take_statements(edit: Editing, rows: Sequence[Mapping[str, Any]], name: str, sent: Json) -> None:
    """What rows that a person moves have made of all statements at once.

    Exact shares of all groups of the attribute that counts, and nothing else, are its target, which other pages have.

    Args:
        edit: The target.
        rows: As they were drawn.
        name: What they were moved from.
        sent: ``{"revision", "low", "high", "locked", "moved"}``; what is no statement, or of others, is passed over.
    """
    match sent:
        case {"revision": revised, "low": [*low], "high": [*high], "locked": [*locked], "moved": int(at)}:
            is_valid = revised == name and len(low) == len(high) == len(rows) > at >= 0
        case _:
            return
    if not is_valid:
        return
    ends = np.array([low, high], dtype=np.float64)
    groups, attributes = (tuple(row[side] for row in rows) for side in ("name", "attribute"))
    try:
        bounds = ShareBounds(attributes=attributes, groups=groups, low=ends[0], high=ends[1])
    except ValueError:
        return
    own = np.array([row["own"] for row in rows])
    is_target = (ends[0] == ends[1])[own].all() and abs(ends[0][own].sum() - 1) <= WEIGHT_TOLERANCE
    if is_target and not ((ends[0] > 0) | (ends[1] < 1))[~own].any():
        places = {row["group"]: i for i, row in enumerate(rows) if row["own"]}
        weights: list[Json] = [float(ends[0][places[group]]) for group in range(len(edit.groups))]
        locks: list[Json] = [rows[i]["group"] for i in locked if i in places.values()]
        sent_on: dict[str, Json] = {"revision": revision(edit.where), "weights": weights, "locked": locks, "moved": 0}
        take(edit.where, sent_on)
        st.session_state[STATEMENTS] = TARGET
    else:
        st.session_state[STATEMENTS] = bounds_text(bounds) or FREE
    if rows[at]["own"]:
        st.session_state[GROUP] = rows[at]["name"]


# The component is a file of this server, which the content policy allows: a script that is a string would be loaded as
# a blob. Streamlit serves files of components that packages declare; this one is declared here, since the dashboard
# also runs from a checkout.
PACKAGE, COMPONENT = "fairviz", "target_rows"
NAME = f"{PACKAGE}.{COMPONENT}"
FOLDER = Path(__file__).parents[1] / "_assets" / COMPONENT
_component = cache(partial(component, NAME, js="target_rows.js", css="target_rows.css", isolate_styles=False))
