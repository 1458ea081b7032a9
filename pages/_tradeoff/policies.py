"""Which policy of which system the Trade-off chart draws: any of any, chosen in one place and kept in the address.

Curves of optimal and oracle policies take time: those that the highlighted system does not need are computed while the
page is looked at, and no move of α computes anything.
"""

import time
from dataclasses import replace
from typing import NamedTuple, TypeAlias

import streamlit as st

from fairviz.display.words import listing
from fairviz.model import Dataset
from fairviz.studies.tradeoff.curves import PolicyName
from fairviz.studies.tradeoff.findings import POLICY_NAMES
from fairviz.studies.tradeoff.progressive import AlphaPolicy, measured_at
from fairviz.studies.tradeoff.view import Line, TradeoffView
from pages._kit.link import name_mark
from pages._tradeoff.results import Settings, growing

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


def has_further(loaded: Dataset, selection: Settings, drawn: Drawn) -> bool:
    """Whether all that is drawn of other systems is there."""
    n = measured_at(loaded.runs).size
    return all(
        growing(loaded, system, selection).n_points(policy, selection.gain) >= n
        for policy, system in further(selection, drawn)
        if policy in ("optimal", "oracle")
    )


def advance_further(loaded: Dataset, selection: Settings, drawn: Drawn, *, seconds: float) -> bool:
    """Compute for a while what is drawn of other systems, one after the other; whether all is there now."""
    end, n = time.monotonic() + seconds, measured_at(loaded.runs).size
    for policy, system in further(selection, drawn):
        if policy in ("optimal", "oracle") and time.monotonic() < end:
            wanted: dict[AlphaPolicy, int] = {"plackett-luce": n, policy: n}
            growing(loaded, system, selection).advance(selection.gain, wanted, seconds=end - time.monotonic())
    return has_further(loaded, selection, drawn)


def drawn_view(loaded: Dataset, selection: Settings, view: TradeoffView, drawn: Drawn) -> TradeoffView:
    """The chart with the policies that were chosen, as far as they are known."""
    systems = dict(drawn)
    own = {policy for policy, names in drawn if selection.system in names}
    lines = [_line(loaded, selection, policy, system) for policy, system in further(selection, drawn)]
    beside = systems.get("plackett-luce", ())
    return replace(
        view,
        lines=[line for line in view.lines if line.system == view.system or line.system in beside],
        optimal=view.optimal if "optimal" in own else None,
        oracle=view.oracle if "oracle" in own else None,
        uniform=view.uniform if "uniform" in own else None,
        deterministic=view.deterministic if "deterministic" in own else None,
        joined=view.joined and "deterministic" in own,
        further=tuple(line for line in lines if line is not None),
    )


def _line(loaded: Dataset, selection: Settings, policy: PolicyName, system: str) -> Line | None:
    curves = growing(loaded, system, selection)
    if policy in ("uniform", "deterministic"):
        return Line.of(curves.point(policy, selection.gain))
    curve = curves.curve(policy, selection.gain)
    return None if curve is None else Line.of(curve).by_x()


def further_words(view: TradeoffView) -> str:
    """Who is drawn thin in a policy's colour; empty where nobody is."""
    parts = [
        f"{POLICY_NAMES[policy]} of {listing([line.system for line in view.further if line.policy == policy])}"
        for policy in POLICIES
        if any(line.policy == policy for line in view.further)
    ]
    return f"Thin, in the colour of their policy: {'; '.join(parts)}." if parts else ""
