"""The glossary: words first, then every measure and re-ranker as the catalogues describe them."""

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import streamlit as st

from fairviz.display.markup import written
from fairviz.display.words import ARROWS, MINUS, listing, plural
from fairviz.metrics.catalogue import CATALOGUE, GROUP_MEASURES
from fairviz.metrics.consumption import OUTPUT_MEASURES
from fairviz.metrics.describe import Measure
from fairviz.metrics.exposure_measures import EXPOSURE_MEASURES
from fairviz.reranking.catalogue import RERANKERS, Reranker
from fairviz.resources import content
from fairviz.stats.bootstrap import described
from fairviz.stats.tests import MIN_UNITS
from pages._kit import header, section
from pages._kit.html import Cell, Column, Two, html_table


@cache
def glossary() -> dict[str, str]:
    """Each word with its meaning, with the numbers that it names."""
    words: dict[str, str] = content("glossary")["words"]
    return {word: written(meaning, bootstrap=described(seed=0), least=MIN_UNITS) for word, meaning in words.items()}


FAMILIES: tuple[tuple[str, str, tuple[Measure, ...]], ...] = (
    ("Measures of expected exposure", "Who is exposed how much, item by item.", EXPOSURE_MEASURES),
    ("Measures of groups", "Attention, prefixes and pairs by group.", GROUP_MEASURES),
    ("Measures of recorded outputs", "What a generator used.", OUTPUT_MEASURES),
)
"""(title, subtitle, measures)."""


def show() -> None:
    """The words, the measures with their formulas, the re-rankers."""
    families: Sequence[Mapping[str, Any]] = content("glossary")["answers"]
    of_answers = sum(len(family["measures"]) for family in families)
    header(
        "Learn",
        "Glossary",
        f"{plural(len(CATALOGUE), 'measure')}, {of_answers} entries on answers, {plural(len(RERANKERS), 're-ranker')}. "
        "Measures and re-rankers are written as on the command line; the descriptions are those "
        "that tables, axes and the README use.",
    )
    html_table(
        ["Word", Column(label="Meaning")],
        list(glossary().items()),
        caption="Words",
    )
    for title, subtitle, measures in FAMILIES:
        section(title, f"{subtitle} Arrows say which way is better.")
        if measures is GROUP_MEASURES:
            _design()
        for measure in measures:
            _measure(measure, expanded=measures is not GROUP_MEASURES)
    for family in families:
        section(family["title"], family["subtitle"])
        for measure in family["measures"]:
            with st.expander(f"**{measure['label']}** · {measure['title']}"):
                st.markdown(f"$$\n{measure['latex']}\n$$")
                st.markdown(measure["summary"])
                st.markdown(f"{measure['ends']} · {measure['cited']}")
    section("Re-rankers", "From a run to another order, or to a policy over several.")
    html_table(
        [Column(label=name) for name in ("Re-ranker", "What it does", "Looks at", "Source")],
        [_reranker(reranker) for reranker in RERANKERS],
        caption="Re-rankers",
    )


def _design() -> None:
    """The columns of Raj et al.'s Table 1, for every group measure."""
    rows: list[list[Cell]] = [
        [
            measure.label,
            measure.weighting,
            measure.target,
            "one group and the rest" if measure.binomial else "any number",
            "yes" if measure.relevance else "no",
            "yes" if measure.soft else "no",
            f"{_end(measure.range[0])} to {_end(measure.range[1])}",
            ARROWS[measure.better],
        ]
        for measure in GROUP_MEASURES
    ]
    names = ("Measure", "Weighting", "Target", "Groups", "Usefulness", "Soft labels", "Range", "Better")
    html_table(
        [Column(label=name) for name in names],
        rows,
        caption="Design of the group measures (columns of Table 1 of Raj et al.), by default",
        show_caption=True,
        narrow="scroll",
    )


def _measure(measure: Measure, *, expanded: bool) -> None:
    arrows = {"lower": "↓ lower is better", "higher": "↑ higher is better"}
    with st.expander(f"**{measure.label}** · {measure.title}", expanded=expanded):
        st.markdown(f"$$\n{measure.latex}\n$$")
        st.markdown(" ".join((measure.summary, *measure.remarks)))
        low, high = measure.range
        typed = f"`{measure.name}@5`" if measure.cutoff != "none" else f"`{measure.name}`"
        st.markdown(
            f"{arrows.get(measure.better, '→ 0 closest to 0 is better')} · {_end(low)} to "
            f"{_end(high)} · typed {typed} · {measure.citation}"
        )
        if measure.parameters:
            names = ", ".join(f"`{p.name}`" for p in measure.parameters)
            st.markdown(f"Parameters: {names}.")


def _reranker(reranker: Reranker) -> list[Cell]:
    looks_at = {
        "scores": True,
        "groups": reranker.uses_groups,
        "the target": reranker.uses_target,
        "one protected group": reranker.protects_one,
        "judgements where given": reranker.judgements != "unused",
    }
    strength = reranker.strength
    range_of = "" if strength is None else (f"{strength.symbol}: {strength.weakest} … {strength.strongest}")
    return [
        Two(top=reranker.label, below=reranker.name),
        Two(top=reranker.summary, below=range_of) if range_of else reranker.summary,
        listing([name for name, looks in looks_at.items() if looks]),
        reranker.citation,
    ]


def _end(value: float) -> str:
    """An end of a range.

    Examples:
        >>> _end(float("-inf")), _end(0.6931471805599453)
        ('−∞', '0.693')
    """
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    return f"{value:.3g}".replace("-", MINUS)
