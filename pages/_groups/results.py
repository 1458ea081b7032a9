"""Groups & targets: its controls, and the rows that show each group beside its target."""

import math
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.components.v2 import component
from streamlit.components.v2.get_bidi_component_manager import get_bidi_component_manager
from streamlit.components.v2.manifest_scanner import ComponentConfig, ComponentManifest

from fairviz.display.theme import DARK, LIGHT, group_hues
from fairviz.display.words import number, percent
from fairviz.evaluation.systems import named_rankings, rankings_by_alpha
from fairviz.kernels.grouping import UNLABELLED
from fairviz.model import Dataset
from fairviz.points.shares import GroupExposure, OffTarget
from fairviz.points.targets import moved
from fairviz.stats.tests import MIN_UNITS
from fairviz.studies.groups.analysis import GroupsAnalysis
from fairviz.studies.groups.findings import MANY, reach_sentence, share_words
from fairviz.studies.groups.rows import VISIBLE, TargetRow, TargetRows
from fairviz.studies.groups.settings import GroupsSettings
from pages._kit import counts_line, section
from pages._kit.commands import held_against
from pages._kit.controls import (
    GROUP,
    choose_browsing,
    choose_cutoff,
    choose_judgements,
    choose_place,
    choose_unlabelled,
    standing_cutoff,
    standing_group,
)
from pages._kit.html import el
from pages._kit.target import (
    Editing,
    editing,
    first_attribute,
    preset_pills,
    revision,
    set_weights,
    take,
    target_files,
)

K, DEEPEST = 10, 1000


def choose(loaded: Dataset) -> tuple[Editing, GroupsSettings, bool]:
    """The row of controls; what is chosen stands in them, so that they need no line of labels.

    Returns:
        The target under the hand, the settings of the study, and whether the Policy lab can say what a target costs.
    """
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="groups_controls"):
        names = [ranked.system for ranked in rankings_by_alpha(loaded)]
        system = choose_place("System", names, "system", width=170, inside="")
        attributes = [labels.attribute for labels in loaded.labels]
        first = first_attribute(loaded)
        attribute = choose_place("Groups", attributes, "labels", first=first, width=190, inside="Groups: ")
        browsing = choose_browsing(width=250)
        with st.popover(f"First {standing_cutoff(usual=K, most=DEEPEST)} ranks", width="content"):
            k = choose_cutoff("Ranks that count (k)", usual=K, most=DEEPEST)
        with st.popover("More", width="content"):
            unlabelled = choose_unlabelled()
            judgements = (
                choose_judgements(loaded, (*loaded.runs, *loaded.samples)[system], width=260) if loaded.qrels else None
            )
            standing = partial(
                editing, loaded, attribute=attribute, system=system, judgements=judgements, unlabelled=unlabelled
            )
            if len((edit := standing()).groups) > 1:
                target_files(edit, loaded)
    edit = standing()  # as a file may have set it
    settings = GroupsSettings(
        k=k,
        system=named_rankings(loaded)[system].system,
        group=standing_group(edit.groups),
        browsing=browsing,
        unlabelled=unlabelled,
        judgements=judgements or 0,
        against=held_against(loaded, attribute, edit.target if edit.state.is_set else None),
    )
    return edit, settings, system < len(loaded.runs) and judgements is not None


CARRIED = ("target", "locks", "group", "system", "labels", "judgements", "k", "attention", "unlabelled")
"""What the button takes to the Policy lab, as it stands in the address."""


def unknown_strip(exposure: GroupExposure, title: str, sentence: str) -> None:
    """How much of the attention has a label at all: grey, and hatched for the rest."""
    rest = 0.0 if math.isnan(exposure.unlabelled_share) else exposure.unlabelled_share
    parts = (
        el("span", style=f"flex:{1 - rest:.6f} 0 0;background:var(--fv-axis)"),
        el("span", cls="fv-hatched", style=f"flex:{rest:.6f} 0 0;min-width:3px") if rest else None,
    )
    bar = el("div", *parts, cls="fv-stack", aria_hidden="true", style="height:.7rem;margin:0 0 .45rem;gap:2px")
    words = el("p", el("strong", title, style="color:var(--fv-ink)"), f" {sentence}", cls="fv-sub", style="margin:0")
    st.html(el("div", bar, words))


def rows_section(edit: Editing, beside: GroupsAnalysis) -> None:
    """Title, presets and the rows themselves."""
    rows, off, n_queries = beside.rows, beside.off, beside.fixed.exposure.n_labelled
    many = len(rows.rows) > MANY
    how = f"{'Type a target;' if many else 'Move one target and'} the others make room"
    locked = "; a locked one stays" if len(rows.rows) > 2 else ""
    section(rows.title, f"One row per group, largest first. {how}{locked}. The targets always sum to 100\u202f%.")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="groups_presets"):
        preset_pills(edit)
        _raise_one(edit)
    key = f"{edit.where}-rows"

    def moved_by_hand() -> None:
        group = take(edit.where, st.session_state[key]["target"])
        if group is not None:
            st.session_state[GROUP] = edit.groups[group]

    _target_rows(_payload(edit, rows, off, n_queries), key=key, on_move=moved_by_hand)


def see_costs(beside: GroupsAnalysis, *, judged: bool) -> None:
    """The button to the Policy lab, which opens with this target, and what re-ranking can do at all."""
    target = beside.held.target
    said = reach_sentence(beside.fixed.reach, beside.nearest, target.shares, target.groups, noun=("query", "queries"))
    with st.container(horizontal=True, vertical_alignment="center", gap="medium", key="groups_costs"):
        carried = {name: st.query_params[name] for name in CARRIED if name in st.query_params}
        st.page_link(
            "pages/policy_lab.py",
            label="See what this costs →",
            query_params=carried,
            width="content",
            disabled=not judged,
            help=None
            if judged
            else "A price needs ranked lists with scores (a run) and judgements of their queries (qrels).",
        )
        counts_line(f"{said} Policy lab opens with these targets." if judged else said)


def _raise_one(edit: Editing) -> None:
    """Choose a group and a share; the rest stays in proportion."""

    def set_one(group: str, share: int) -> None:
        st.session_state[GROUP] = group
        set_weights(edit.where, moved(edit.state.weights, edit.groups.index(group), share))

    with st.popover("Raise one group …", width="content"):
        names = [group for group in edit.groups if group != UNLABELLED]
        chosen = st.selectbox("Group", names, key=f"{edit.where}-raise-group")
        share = st.number_input("Its share, in percent", 0, 100, 30, key=f"{edit.where}-raise-share")
        st.button("Set this target", on_click=set_one, args=(chosen, int(share)), type="primary")
        counts_line("The other targets keep their proportions; locks are opened.")


def _payload(edit: Editing, rows: TargetRows, off: OffTarget, n_queries: int) -> dict[str, Any]:
    """What the component draws; numbers as words wherever they are read."""
    n, weights = len(rows.rows), edit.state.weights.tolist()
    drags = n <= MANY
    few = n_queries < MIN_UNITS
    interval = "too few queries for an interval" if few else f"95\u202f% interval over {n_queries} queries"
    aim = "your target" if edit.state.is_set else "an equal share, until you set a target"
    key: list[tuple[str, str]] = [
        ("share", f"share today, {interval}"),
        ("target", f"{aim}: {'drag' if drags else 'type'} it, or arrow keys"),
        ("reach", "closest that re-ordering could bring all groups together")
        if drags
        else ("tone", f"over, under, gap not significant (corrected for {n} groups)"),
    ]
    whole = "attention" if UNLABELLED in edit.groups else "labelled attention"
    whose = "target" if edit.state.is_set else "equal shares"
    distance = "" if few or math.isnan(off.off) else f"{number(100 * off.off, 0)} points off {whose} in all"
    return {
        "label": f"Groups: share of attention today, {'target' if edit.state.is_set else 'equal share'}, gap",
        "revision": revision(edit.where),
        "weights": weights,
        "locked": sorted(edit.state.locked),
        "drags": drags,
        "locks": n > 2,  # of two, one lock would hold both
        "scale": rows.scale,
        "ticks": [(tick, percent(tick)) for tick in rows.ticks],
        "key": key,
        "rows": [_row(edit.groups, row, drags=drags) for row in rows.rows],
        "foot": {"today": percent(1), "plot": f"share of {whole}", "gap": distance},
    }


def _row(groups: tuple[str, ...], row: TargetRow, *, drags: bool) -> dict[str, Any]:
    light, dark = (group_hues(groups, colours)[row.group].line for colours in (LIGHT, DARK))
    is_unlabelled = row.name == UNLABELLED
    drawn = drags or abs(row.reached - row.target) >= VISIBLE
    shares = {"share": row.share, "low": row.low, "high": row.high, "reach": row.reached if drawn else math.nan}
    return {
        "group": row.group,
        "name": row.name,
        "hue": None if not drags or is_unlabelled else f"light-dark({light}, {dark})",
        "hatched": is_unlabelled,
        "today": "–" if math.isnan(row.share) else share_words(row.share),
        **{name: None if math.isnan(value) else value for name, value in shares.items()},
        "tone": row.gap,
        "words": row.words,
        "spoken": row.words,
        "said": row.spoken,
    }


# The component is a file of this server, which the content policy allows: a script that is a string would be loaded as
# a blob. Streamlit serves files of components that packages declare; this one is declared here, since the dashboard
# also runs from a checkout.
PACKAGE, COMPONENT = "fairviz", "target_rows"
NAME = f"{PACKAGE}.{COMPONENT}"
_component = cache(partial(component, NAME, js="target_rows.js", css="target_rows.css", isolate_styles=False))
FOLDER = Path(__file__).parents[1] / "_assets" / COMPONENT


def _target_rows(data: Mapping[str, Any], *, key: str, on_move: Callable[[], None]) -> None:
    """Show the rows; shares and locks come back as one state, ``st.session_state[key]["target"]``.

    Args:
        data: What the rows show: see the script.
        key: Key of the element.
        on_move: Called when a person has moved a target or a lock.
    """
    manager = get_bidi_component_manager()
    if manager.get_component_asset_root(NAME) is None:  # each server, and each test of a page, has its own
        declared = ComponentManifest(
            name=PACKAGE, version="", components=[ComponentConfig(name=COMPONENT, asset_dir=FOLDER.name)]
        )
        manager.register_from_manifest(declared, FOLDER.parent)
    _component()(data=dict(data), key=key, on_target_change=on_move)
