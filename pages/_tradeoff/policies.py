"""Which policy of which system the Trade-off chart draws: any of any, chosen in one place and kept in the address.

No move of α computes anything.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import NamedTuple, TypeAlias

import streamlit as st

from fairviz.display.words import listing
from fairviz.model import Dataset
from fairviz.studies.tradeoff.curves import PolicyName
from fairviz.studies.tradeoff.findings import POLICY_NAMES
from fairviz.studies.tradeoff.view import Line, TradeoffView
from pages._kit.link import name_mark
from pages._tradeoff.results import Settings, curve_of

POLICIES: tuple[PolicyName, ...] = ("plackett-luce", "optimal", "oracle", "uniform", "deterministic")
NOBODY = "none"
"""In the address: a policy of no system."""
Drawn: TypeAlias = tuple[tuple[PolicyName, tuple[str, ...]], ...]
"""Each policy with the systems that it is drawn of."""


class _Choice(NamedTuple):
    """Systems of one policy: what is drawn unless something is chosen, and whose choice it is."""

    policy: PolicyName
    names: tuple[str, ...]
    usual: tuple[str, ...]


def choose_drawn(system: str, others: tuple[str, ...]) -> Drawn:
    """Show the control, and return what it says.

    Args:
        system: The highlighted one; its Plackett–Luce curve is what the page is about, and always drawn.
        others: Those beside it.
    """
    every = (system, *others)
    choices = [_Choice("plackett-luce", others, others)] if others else []
    choices += [_Choice(policy, every, (system,)) for policy in POLICIES[1:]]
    with st.popover("Policies", icon=":material/show_chart:", width="content"):
        return tuple((one.policy, _systems(one, system)) for one in choices)


def _systems(of: _Choice, system: str) -> tuple[str, ...]:
    memory: dict[str, list[str]] = st.session_state.setdefault("tradeoff_drawn", {})
    marks = {name_mark(name): name for name in of.names}
    said = memory.get(of.policy) or st.query_params.get_all(of.policy)
    start = [marks[mark] for mark in said if mark in marks] if said else list(of.usual)
    who = f"{POLICY_NAMES[of.policy]} of"
    label = f"{who} systems beside {system}" if of.policy == "plackett-luce" else who
    shown = st.multiselect(
        label, of.names, default=start, key=f"drawn-{of.policy}-{name_mark(' '.join((system, *of.names)))}"
    )
    picked = tuple(name for name in of.names if name in shown)
    memory[of.policy] = [] if picked == of.usual else [name_mark(name) for name in picked] or [NOBODY]
    if st.query_params.get_all(of.policy) != memory[of.policy]:
        st.query_params[of.policy] = memory[of.policy]
    return picked


def further(selection: Settings, drawn: Drawn) -> tuple[tuple[PolicyName, str], ...]:
    """(policy, system) of everything that is drawn of other systems beside their Plackett–Luce curves."""
    return tuple(
        (policy, system)
        for policy, systems in drawn
        for system in systems
        if policy != "plackett-luce" and system != selection.system
    )


def further_steps(loaded: Dataset, selection: Settings, drawn: Drawn) -> list[tuple[str, Callable[[], object]]]:
    """What is computed for what is drawn of other systems, one after the other; see :func:`results.steps`."""
    return [
        (f"{POLICY_NAMES[policy]} of {system}", partial(curve_of, loaded, system, selection, policy))
        for policy, system in further(selection, drawn)
    ]


def drawn_view(loaded: Dataset, selection: Settings, view: TradeoffView, drawn: Drawn) -> TradeoffView:
    """The chart with the policies that were chosen."""
    systems = dict(drawn)
    own = {policy for policy, names in drawn if selection.system in names}
    beside = systems.get("plackett-luce", ())
    return replace(
        view,
        lines=[line for line in view.lines if line.system == view.system or line.system in beside],
        optimal=view.optimal if "optimal" in own else None,
        oracle=view.oracle if "oracle" in own else None,
        uniform=view.uniform if "uniform" in own else None,
        deterministic=view.deterministic if "deterministic" in own else None,
        joined=view.joined and "deterministic" in own,
        further=tuple(_line(loaded, selection, policy, system) for policy, system in further(selection, drawn)),
    )


def _line(loaded: Dataset, selection: Settings, policy: PolicyName, system: str) -> Line:
    line = Line.of(curve_of(loaded, system, selection, policy))
    return line if policy in ("uniform", "deterministic") else line.by_x()


def further_words(view: TradeoffView) -> str:
    """Who is drawn thin in a policy's colour; empty where nobody is."""
    parts = [
        f"{POLICY_NAMES[policy]} of {listing([line.system for line in view.further if line.policy == policy])}"
        for policy in POLICIES
        if any(line.policy == policy for line in view.further)
    ]
    return f"Thin, in the colour of their policy: {'; '.join(parts)}." if parts else ""
