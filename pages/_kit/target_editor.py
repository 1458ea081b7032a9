"""The target editor: shares that always sum to 100, presets, load and save.

Shared by *Groups & targets* and *Policy lab*; what is set on one page stands on the other. Call it
inside a fragment, so that a move repaints only what follows it.

Controls that change each other get new keys at every move: a browser repeats old values of the others together with
a fast second key press, and callbacks of old keys are not heard.
"""

import io
import re
from dataclasses import replace

import numpy as np
import streamlit as st

from fairviz.errors import InputError
from fairviz.groups import Missing
from fairviz.io.join import join_target
from fairviz.io.targets import read_target, write_target
from fairviz.model import Dataset, FloatArray, Target
from fairviz.show.words import listing, percent, quoted
from pages._kit import counts_line, download, empty_state, error_box
from pages._kit.html import el
from pages._kit.share_bars import share_bar, swatch
from pages._kit.target_presets import MEANINGS, NAMES, as_shares, labelled_pools, matching_target, preset_shares
from pages._kit.target_shares import can_move, target_weights
from pages._kit.target_state import (
    LOADED,
    Edited,
    begin,
    choices,
    chosen_preset,
    edited,
    keep_in_link,
    lock_key,
    place,
    preset_key,
    set_lock,
    set_locks,
    set_preset,
    set_share,
    set_weights,
    share_key,
    show,
)

MOST_SLIDERS = 6
"""Groups up to which each share has a slider; more get number fields."""


def target_editor(
    loaded: Dataset,
    *,
    attribute: int,
    system: int,
    judgements: int | None = None,
    unlabelled: Missing = "drop",
    now: FloatArray | None = None,
) -> Target:
    """Show the editor and return the target it stands at.

    Args:
        loaded: The data, with labels.
        attribute: Which labels.
        system: Which run the presets look at; samples follow the runs.
        judgements: Which judgements the preset "Useful documents" looks at, None for none.
        unlabelled: Whether documents without a label are a group of their own.
        now: (G) where attention goes today, shown beside the target.

    Returns:
        Shares of the groups of ``labelled_pools(…).members``, in their order.
    """
    groups = labelled_pools(loaded, attribute, system, judgements, unlabelled).members.groups
    presets = preset_shares(loaded, attribute, system, judgements, unlabelled)
    where, state = _state(loaded, attribute, groups, presets)
    _presets(where, state, presets)
    share_bar("Target", groups, target_weights(state.weights))
    if now is not None:
        share_bar("Now", groups, now)
    _shares(where, state, groups, now)
    counts_line("Sum: 100 %, always. Arrow keys move by 1.")
    target = Target(groups=groups, shares=target_weights(state.weights))
    _files(where, groups, loaded, attribute, target)
    keep_in_link(state, presets)
    return target


def standing_target(
    loaded: Dataset,
    *,
    attribute: int,
    system: int,
    judgements: int | None = None,
    unlabelled: Missing = "drop",
) -> Target:
    """The target that :func:`target_editor` stands at, without showing the editor."""
    groups = labelled_pools(loaded, attribute, system, judgements, unlabelled).members.groups
    presets = preset_shares(loaded, attribute, system, judgements, unlabelled)
    _, state = _state(loaded, attribute, groups, presets)
    return Target(groups=groups, shares=target_weights(state.weights))


def one_group(loaded: Dataset, attribute: int, *, unlabelled: bool) -> None:
    """What can be done where a page has one group only: nothing is compared with nothing.

    Args:
        loaded: The data.
        attribute: Which labels.
        unlabelled: Whether some of the ranked documents have no label.
    """
    ways: list[str] = []
    if unlabelled:
        ways.append("make documents without a label a group of their own (“Documents without a label” above)")
    if len(loaded.labels) > 1:
        ways.append('choose other labels ("Groups" above)')
    ways.append(f"load labels of {quoted(loaded.labels[attribute].attribute)} that name a second group")
    empty_state("A target divides attention among groups", f"{listing(ways, 'or')}.".capitalize())


def _state(
    loaded: Dataset, attribute: int, groups: tuple[str, ...], presets: dict[str, FloatArray]
) -> tuple[str, Edited]:
    file = matching_target(loaded, attribute)
    where = place(loaded, loaded.labels[attribute].attribute, len(groups))
    return where, begin(where, presets, None if file is None else as_shares(file, groups))


def _presets(where: str, state: Edited, presets: dict[str, FloatArray]) -> None:
    key = preset_key(where, chosen_preset(state, presets))
    st.pills(
        "Set the target to",
        list(choices(state, presets)),
        key=key,
        on_change=set_preset,
        args=(where, key, presets),
        help=MEANINGS,
    )
    missing = [name for name in NAMES.values() if name not in presets]
    if missing:
        counts_line(f"Not on these data: {', '.join(missing)}.")


def _shares(where: str, state: Edited, groups: tuple[str, ...], now: FloatArray | None) -> None:
    """A control for every share, brought to the shares where it is new on the page."""
    page, shown_on = st.session_state.get("page"), f"{where}-page"
    absent = any(share_key(where, group) not in st.session_state for group in range(len(groups)))
    if absent or st.session_state.get(shown_on) != page:  # another page's controls are not ours
        st.session_state[shown_on] = page
        show(where)
        for group in range(len(groups)):
            st.session_state[lock_key(where, group)] = group in state.locked
    if len(groups) > MOST_SLIDERS:
        _fields(where, state, groups, now)
        return
    for group in range(len(groups)):
        share, lock = share_key(where, group), lock_key(where, group)
        today = "" if now is None else f"now {percent(float(now[group]))}"
        free = can_move(len(groups), state.locked, group)
        st.html(
            el(
                "p",
                swatch(groups, group),
                el("span", groups[group], style="overflow-wrap:anywhere;min-width:0"),
                el("span", today, cls="fv-mute", style="white-space:nowrap"),
                style="display:flex;gap:.45rem;align-items:baseline;margin:.2rem 0 -.6rem;font-size:.9rem",
            )
        )
        with st.container(horizontal=True, vertical_alignment="center", gap="medium", wrap=False):
            st.slider(
                f"{escaped(groups[group])}, % of attention",
                0,
                100,
                format="%d %%",
                key=share,
                on_change=set_share,
                args=(where, group, share),
                disabled=not free,
                label_visibility="collapsed",
            )
            if len(groups) > 2:  # of two, one lock would hold both
                st.toggle(
                    "Lock",
                    key=lock,
                    on_change=set_lock,
                    args=(where, group, lock),
                    disabled=not free and group not in state.locked,
                )


def _fields(where: str, state: Edited, groups: tuple[str, ...], now: FloatArray | None) -> None:
    """Many groups: number fields side by side, the largest share of today first, and one control that locks."""
    order = list(range(len(groups)))
    if now is not None and not np.isnan(now).any():
        order.sort(key=lambda group: -float(now[group]))
    counts_line("Percent of attention; behind each name what it gets today, largest first.")
    with st.container(horizontal=True, gap="small"):
        for group in order:
            today = "" if now is None else f" · now {percent(float(now[group]), 1)}"
            st.number_input(
                f"{escaped(groups[group])}{today}",
                0,
                100,
                step=1,
                key=share_key(where, group),
                width=150,
                on_change=set_share,
                args=(where, group, share_key(where, group)),
                disabled=not can_move(len(groups), state.locked, group),
            )
    key = f"{where}-locks"
    st.session_state[key] = sorted(state.locked)
    st.multiselect(
        "Locked shares",
        range(len(groups)),
        key=key,
        on_change=set_locks,
        args=(where, key),
        format_func=lambda group: groups[group],
        placeholder="None is locked",
    )


def _files(where: str, groups: tuple[str, ...], loaded: Dataset, attribute: int, target: Target) -> None:
    """Save the target as a file, or take one."""

    def content() -> str:  # written when pressed: a file per move would be gone before it is read
        text = io.StringIO()
        write_target(target, text)
        return text.getvalue()

    with st.container(horizontal=True, gap="small"):
        download("Save target", content, file_name="target.json", mime="application/json", key=f"{where}-save")
        with st.popover("Load target", icon=":material/upload:", type="tertiary"):
            key = f"{where}-load"
            st.file_uploader(
                'A JSON file: {"group": share, …}, shares sum to 1',
                type=["json", "gz"],
                max_upload_size=1,  # MB: shares of groups are short
                key=key,
                on_change=_take,
                args=(where, groups, loaded, attribute, key),
            )
            trouble = st.session_state.get(f"{where}-trouble")
            if trouble is not None:
                error_box(trouble)


def _take(where: str, groups: tuple[str, ...], loaded: Dataset, attribute: int, key: str) -> None:
    """Set the shares of a file, or keep what is wrong with it."""
    st.session_state[f"{where}-trouble"] = None
    file = st.session_state[key]
    if file is None:
        return
    try:
        target = read_target((file.name, file.getvalue())).value
        join_target(loaded.labels[attribute], target, file=file.name)
        extra = [group for group in target.groups if group not in groups]
        if extra:
            reason = f"no document is labelled {', '.join(extra)}"
            fix = f"Name only groups of the labels: {', '.join(groups)}."
            raise InputError(reason, file=file.name, fix=fix)
        shares = as_shares(target, groups)
        if shares is not None:
            st.session_state[where] = replace(edited(where), file=shares)
            set_weights(where, shares, preset=LOADED)
    except InputError as error:
        st.session_state[f"{where}-trouble"] = error


SIGNS = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>:$~&\"'/@])")


def escaped(name: str) -> str:
    r"""A name as Markdown that shows exactly the name, on one line: Streamlit reads labels as Markdown.

    Examples:
        >>> print(escaped("![x](http://a.b)"))
        \!\[x\]\(http\:\/\/a\.b\)
    """
    return SIGNS.sub(r"\\\1", " ".join(name.split()))
