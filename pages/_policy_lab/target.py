"""The target beside what it does: a row per group with today's share, the share after, and a number to type."""

import numpy as np
import streamlit as st

from fairviz.display.templates import style
from fairviz.display.words import percent
from fairviz.grouping import UNLABELLED
from fairviz.model import FloatArray
from fairviz.studies.groups.target_shares import can_move
from fairviz.studies.policy_lab.boxes import share_box
from fairviz.studies.policy_lab.price import mean_target
from fairviz.studies.policy_lab.prices import Prices
from fairviz.studies.policy_lab.results import Results
from pages._kit import Slot, el, section
from pages._kit.controls import GROUP
from pages._kit.table import swatch
from pages._kit.target_editor import Editing, escaped
from pages._kit.target_state import (
    Edited,
    keep_in_link,
    lock_key,
    set_lock,
    set_share,
    share_key,
    show,
)

ROOM = 8
"""Groups up to which all rows are in sight; more scroll."""
HEIGHT = 380
"""Of the rows that scroll, in px."""
LONG = 16
"""Letters of a name from which on a phone its shares stand below it."""


class TargetRows:
    """The rows: controls at once, what the target does as soon as that is known."""

    def __init__(self, edit: Editing, today: FloatArray) -> None:
        """Show the controls.

        Args:
            edit: The target.
            today: (G) shares of today, which order the rows.
        """
        self.groups = edit.groups
        where, state = edit.where, edit.state
        self._due = "target" if state.is_set else "equal share"
        title = "Your target" if state.is_set else "Equal shares, until you set a target"
        section(title, f"Raise one, the others make room. Hollow: today; filled: after; line: {self._due}.")
        order = np.argsort(-np.nan_to_num(today), kind="stable").tolist()
        self._slots: dict[int, Slot] = {}
        with st.container(key="lab_target", height=HEIGHT if len(self.groups) > ROOM else "content", border=False):
            heads = ("group", "today", "after")
            cells = (el("span", head, cls="fv-right" if i else "") for i, head in enumerate(heads))
            two = " fv-two" if len(self.groups) == 2 else ""  # no locks
            st.html(
                style("boxes", "policy_lab") + el("div", *cells, cls=f"fv-shares fv-heads{two}", aria_hidden="true")
            )
            _bring_controls(where, state, len(self.groups))
            for group in order:
                self._slots[group] = _row(where, state, self.groups, group)
        keep_in_link(where, edit.presets)

    def fill(self, results: Results, prices: Prices) -> None:
        """Write what is known by now beside the controls."""
        found = results.outcome
        best = found.best.inside if found.best is not None else None
        today, aims = found.now.shares, mean_target(prices.axes.target)
        after = np.full(today.shape, np.nan) if best is None else best.point.shares
        widest = 1.08 * float(np.nanmax([*today, *after, *aims, 0.05]))
        for group, slot in self._slots.items():
            shares, aim = (float(today[group]), float(after[group])), float(aims[group])
            small = 1 if min(share for share in (*shares, 1.0) if share == share) < 0.02 else 0
            name = "no label" if self.groups[group] == UNLABELLED else self.groups[group]
            slot.html(
                el(
                    "div",
                    el("span", swatch(self.groups, group), el("span", name), cls="fv-keyed"),
                    el("span", percent(shares[0], small), cls="fv-right"),
                    el("span", "–" if best is None else percent(shares[1], small), cls="fv-right fv-after"),
                    el("span", f"{self._due} {percent(aim)}", cls="fv-right fv-printed"),
                    share_box(self.groups, group, today=shares[0], after=shares[1], target=aim, widest=widest),
                    cls="fv-shares fv-long" if len(name) > LONG else "fv-shares",
                )
            )


def _bring_controls(where: str, state: Edited, n_groups: int) -> None:
    """Bring the controls to the shares where they are new on the page: another page's are not ours."""
    page, shown_on = st.session_state.get("page"), f"{where}-page"
    absent = any(share_key(where, group) not in st.session_state for group in range(n_groups))
    if absent or st.session_state.get(shown_on) != page:
        st.session_state[shown_on] = page
        show(where)
        for group in range(n_groups):
            st.session_state[lock_key(where, group)] = group in state.locked


def _moved(where: str, group: int, key: str, name: str) -> None:
    """A share was typed: the others make room, and titles speak of its group from now on."""
    st.session_state[GROUP] = name
    set_share(where, group, key)


def _row(where: str, state: Edited, groups: tuple[str, ...], group: int) -> Slot:
    """The controls of one group; the place beside them for what the target does to it."""
    share, lock, name = share_key(where, group), lock_key(where, group), escaped(groups[group])
    free = can_move(len(groups), state.locked, group)
    with st.container(horizontal=True, vertical_alignment="center", wrap=False):
        slot = Slot(st.container())
        st.number_input(
            f"Target of {name}, % of attention",
            0,
            100,
            step=1,
            key=share,
            width=126,
            on_change=_moved,
            args=(where, group, share, groups[group]),
            disabled=not free,
            label_visibility="collapsed",
        )
        if len(groups) > 2:  # of two, one lock would hold both
            st.checkbox(
                f"Lock {name}",
                key=lock,
                on_change=set_lock,
                args=(where, group, lock),
                disabled=not free and group not in state.locked,
                label_visibility="collapsed",
                width=28,
            )
    return slot
