"""Proposals: kept under a name, in the session, the address and the study file; side by side, what all agree on."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from fairviz.display.markup import drawn
from fairviz.display.words import count_word, plural
from fairviz.io.targets import bounds_text
from fairviz.model import Dataset
from fairviz.numerals import part_of
from fairviz.studies.policy_lab.analysis import proposals_under
from fairviz.studies.policy_lab.brief import cost_scale
from fairviz.studies.policy_lab.columns import proposals_table
from fairviz.studies.policy_lab.proposals import (
    MOST,
    Kept,
    Proposal,
    agreed,
    agreed_cells,
    apart_words,
    proposals_finding,
)
from fairviz.studies.policy_lab.settings import PolicyLabSettings
from fairviz.studies.policy_lab.stated import StatedOutcome
from pages._kit import counts_line, rule, section
from pages._kit.controls import following
from pages._kit.html import NO_BREAK, Cell, PageColumn, PageRow, el, join, muted, page_table
from pages._kit.keeping import settings_text
from pages._kit.link import name_mark
from pages._kit.target import Editing, labels_fingerprint, marked_statements, read_statements, state_anew
from pages._policy_lab.statements import marked

PROPOSALS, NAME, NONE = "proposals", "proposal_name", "[]"
LONGEST = 60
"""Characters of a name."""


def _kept(loaded: Dataset, draw: Callable[[], object] | None = None) -> list[Kept]:
    """The proposals that a person, a link or a study file keeps; ``draw`` on the page that changes them."""
    text = following(PROPOSALS, NONE, partial(read_kept, loaded), draw, mark=_marked)
    return [Kept(*row) for row in json.loads(text)]


def _kept_under(loaded: Dataset, settings: PolicyLabSettings) -> Kept:
    """What a proposal without statements would be kept as under these settings."""
    marks = "".join(labels_fingerprint(loaded, at) for at in range(len(loaded.attributes)))
    return Kept("", "", settings.k, settings.quality, name_mark(settings.system), name_mark(marks))


def _comparable(kept: Sequence[Kept], now: Kept) -> tuple[tuple[str, ...], dict[str, str]]:
    """Proposals that can be compared as settings have them; why each of the others cannot, by its name."""
    apart = {each.name: words for each in kept if (words := apart_words(each, now))}
    return tuple(f"{each.name}={each.statements}" for each in kept if each.name not in apart), apart


def in_report(loaded: Dataset, settings: PolicyLabSettings) -> tuple[tuple[str, ...], dict[str, str]]:
    """Kept proposals that a report under these settings holds, and why it leaves out each of the others."""
    return _comparable(_kept(loaded), _kept_under(loaded, settings.on(loaded)))


def read_kept(loaded: Dataset, text: str) -> str | None:
    """Proposals of the session or of an address, with names where the labels are these; None where they are none."""
    try:
        rows = [Kept(*row) for row in json.loads(text)]
    except (TypeError, ValueError):
        return None
    kinds = [type(value) for row in rows for value in row]
    if kinds != [str, str, int, str, str, str] * len(rows) or len(rows) > MOST:
        return None
    if any(not row.name.strip() or "=" in row.name or len(row.name) > LONGEST for row in rows):
        return None
    return _text([row._replace(statements=read_statements(loaded, row.statements) or row.statements) for row in rows])


def _text(proposals: Sequence[Kept]) -> str:
    return json.dumps(proposals, ensure_ascii=False, separators=(",", ":"))


def _marked(text: str) -> str:
    """Proposals as an address carries them: marks instead of names of attributes and groups."""
    rows = [Kept(*row) for row in json.loads(text)]
    stated = (row.statements.startswith("{") for row in rows)
    return _text(
        [
            row._replace(statements=marked_statements(row.statements)) if has_names else row
            for row, has_names in zip(rows, stated, strict=True)
        ]
    )


def _keep(proposals: Sequence[Kept], now: Kept) -> None:
    """Keep what is on screen under the name that was typed; one of that name makes room."""
    typed: str = st.session_state[NAME]
    name = " ".join(typed.replace("=", " ").split())
    if name:
        others = [each for each in proposals if each.name != name]
        st.session_state[PROPOSALS] = _text([*others, now._replace(name=name)][-MOST:])
    st.session_state[NAME] = ""


def _remove(proposals: Sequence[Kept], name: str) -> None:
    st.session_state[PROPOSALS] = _text([each for each in proposals if each.name != name])


def side_by_side(
    loaded: Dataset, edit: Editing, settings: PolicyLabSettings, outcome: StatedOutcome
) -> PolicyLabSettings:
    """Proposals beside each other, and how to keep, show and remove them.

    Returns:
        The settings with the proposals that can be compared with what is on screen.
    """
    bounds = outcome.stated.asked
    statements = "" if bounds is None else bounds_text(bounds)
    now = _kept_under(loaded, settings)._replace(statements=statements)
    kept = _kept(loaded, lambda: st.session_state[PROPOSALS])
    texts, apart = _comparable(kept, now)
    settings = replace(settings, proposals=texts)
    made = proposals_under(loaded, settings)
    if not kept and not statements:
        return settings
    rule()
    with st.container(horizontal=True, vertical_alignment="bottom", key="lab_proposals"):
        head = st.container()
        if statements:
            _keeping(kept, now)
        if kept:
            _changing(edit, kept, comparable=[each for each in kept if each.name not in apart])
    with head:
        if made:
            section(*proposals_finding(made))
        else:
            section("Proposals", "Keep what is on screen under a name, and compare it with others.")
    if kept:
        _table(made, apart, outcome)
    return settings


def _keeping(kept: Sequence[Kept], now: Kept) -> None:
    """Ask for a name."""
    with st.popover("Keep this proposal …", icon=":material/bookmark_add:", width="content"):
        if len(kept) == MOST:
            counts_line(f"{count_word(MOST).capitalize()} proposals are kept: remove one to keep another.")
            return
        st.text_input("Name of the proposal", key=NAME, max_chars=LONGEST)
        st.button("Keep", key="proposal_keep", on_click=_keep, args=(kept, now), type="primary")


def _changing(edit: Editing, kept: Sequence[Kept], *, comparable: Sequence[Kept]) -> None:
    """Put one on screen, remove one, copy the link that has all."""
    with st.popover("Show or remove one", icon=":material/bookmarks:", width="content"):
        names = [each.name for each in kept]
        name = st.selectbox("Proposal", names)
        with st.container(horizontal=True, gap="small"):
            chosen = next((each for each in comparable if each.name == name), None)
            if chosen is not None:
                st.button("Show", key="proposal_show", on_click=state_anew, args=(edit, chosen.statements))
            st.button("Remove", key="proposal_remove", on_click=_remove, args=(kept, name))
    with st.popover(f"Link with {plural(len(kept), 'proposal')}", icon=":material/link:", width="content"):
        st.code(f"{st.context.url}?{settings_text()}", language=None, wrap_lines=True)


def _table(made: Sequence[Proposal], apart: dict[str, str], outcome: StatedOutcome) -> None:
    """A row for each proposal, today's first; what all agree on; those that are not compared."""
    if not made:
        counts_line("; ".join(f"{name}: {words}" for name, words in apart.items()))
        return
    by_name, scale = {each.name: each for each in made}, cost_scale(outcome.budget, [each.cost for each in made])

    def name_cell(row: PageRow) -> Cell:
        proposal = by_name.get(row.text("proposal"))
        if proposal is None:
            return muted(row.text("proposal"))
        shown = proposal.states(outcome.groups)
        stated, name = proposal.statements, el("strong", proposal.name)
        below = f"{row.text('statements')} · {part_of(int(stated['holds'].sum()), str(stated.height), 'holds', 'hold')}"
        on_screen = el("span", " · on screen", cls="fv-on-screen") if shown else None
        return join(name, el("span", below, on_screen, cls="fv-below"))

    def drawn_cell(row: PageRow) -> Cell:
        proposal = by_name.get(row.text("proposal"))
        return "" if proposal is None or proposal.silent else drawn("boxes.html", "cost", proposal.cost, scale)

    def lists_cell(row: PageRow) -> Cell:
        return f"{row.number('n_one_list'):g} of {row.number('n_queries'):g}" if row.text("proposal") in by_name else ""

    table, groups = proposals_table(made), agreed(made)
    shares = [f"{attribute}.{group}" for attribute, group in groups.select("attribute", "group").rows()]
    columns = {
        "proposal": PageColumn("Proposal", cell=name_cell),
        **dict.fromkeys(shares, PageColumn()),
        "change_percent": PageColumn("quality, %"),
        "low": PageColumn(),
        "high": PageColumn(),
        "drawn": PageColumn("95 % interval; dashed: budget", cell=drawn_cell, wide=True),
        "word": PageColumn(cell=lambda row: marked(row.text("word")) if row.text("word") else "", short=True),
        "payers": PageColumn(cell=lambda row: row.text("payers"), short=True),
        "lists": PageColumn("one list for everybody", cell=lists_cell, align="right"),
    }
    below: list[list[Cell]] = []
    if len(made) > 1:
        name = join(el("strong", "What all agree on"), el("span", "at least, at most", cls="fv-below"))
        below.append(
            [name, *(el("strong", text.replace(" ", NO_BREAK)) for text in agreed_cells(groups)), "", "", "", "", ""]
        )
    for name, words in apart.items():
        below.append([join(muted(name), el("span", words, cls="fv-below")), *[""] * (len(shares) + 5)])
    page_table(table, columns, below=below)
