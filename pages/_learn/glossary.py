"""The glossary: words first, then every measure and re-ranker as the catalogues describe them."""

import math

import streamlit as st

from fairviz.display.words import ARROWS, MINUS, listing, plural
from fairviz.metrics.catalogue import CATALOGUE, GROUP_MEASURES
from fairviz.metrics.consumption import OUTPUT_MEASURES
from fairviz.metrics.describe import Measure
from fairviz.metrics.exposure_measures import EXPOSURE_MEASURES
from fairviz.rerankers.catalogue import RERANKERS
from fairviz.rerankers.describe import Reranker
from fairviz.stats.bootstrap import described
from fairviz.stats.tests import MIN_UNITS
from pages._kit import Cell, Column, Two, header, html_table, section
from pages._learn.glossary_answers import FAMILIES as OF_ANSWERS
from pages._learn.glossary_answers import WORDS as WORDS_OF_ANSWERS
from pages._learn.glossary_answers import answer_measures

WORDS = (
    ("query", "A question put to the system."),
    ("pool", "The candidate items of a query: those that the run returned and those that were judged."),
    ("gain", "How useful an item is for a query: its grade, 0 if negative or not judged."),
    (
        "policy",
        "A way to rank by chance: a distribution over rankings. A fixed list is a policy "
        "that always draws the same one.",
    ),
    ("sample", "One ranking drawn from a policy."),
    ("α", "Fairness control of the Plackett–Luce policy: 0 is uniform random, a large α follows the scores."),
    ("attention", "How much a reader looks at a rank. Here all of it on the first k unless chosen otherwise."),
    ("exposure ε", "The attention that an item gets on average over a policy's rankings."),
    ("target ε*", "Exposure under ideal rankings that have no favourite among equally useful items."),
    (
        "attainable",
        "Scaled per query so that 0 and 1 are the ends that any policy over the pool "
        "can have. A query whose items all have the same gain has none: undefined, counted, in no mean.",
    ),
    ("uniform", "The policy that ranks at random: every item of the pool has the same exposure."),
    ("deterministic", "The run's own list, always."),
    ("optimal", "The policy with the highest scores shown at a given EE-D."),
    ("oracle", "The same with the judgements instead of scores: no ranker can pass it."),
    (
        "AUC",
        "Mean quality over the EE-D range that all compared curves cover: the area under the points of a curve, "
        "joined by straight lines in order of EE-D, divided by the width of that range. All curves have the same α.",
    ),
    ("slope", "Change of quality per unit of EE-D: the slope of the least-squares line through the curve."),
    ("equal chance", "The line EAE-D = EAR² · EE-D: every given item is equally likely to be used."),
    (
        "group",
        "Items that share a label, such as the region of their source. A label may hold in "
        "part, differ per query, or be missing: what has no label counts for no group, unless it is "
        "made one. It may not apply: such a document takes attention and is in the base of no share.",
    ),
    (
        "target",
        "The share of attention that each group should get; set by hand, read from a "
        "file, or given by the data: equal, collection, candidates, useful documents.",
    ),
    (
        "protected group G⁺",
        "The group that measures of one group compare with all others: the smaller of two, else named.",
    ),
    ("prefix", "The first i items of a list, for every i."),
    ("parity", "Attention in given shares, whatever the usefulness."),
    ("opportunity", "Attention in proportion to usefulness."),
    ("feasible", "No group has fewer items in a prefix than its target share, rounded down."),
    ("over the system", "Exposure is averaged over queries first, then measured: one value, no value per query."),
    ("soft label", "A label that holds in part: weights of an item sum to at most 1."),
    (
        "RJ, NoRJ",
        "A re-ranker that sees the judgements, and one that takes every item as useful "
        "and earlier ones as more useful.",
    ),
    (
        "interval",
        f"{described(seed=0)}. None where all values are equal; below {MIN_UNITS} queries it is shown, but no "
        "verdict is drawn from it.",
    ),
    (
        "no significant difference",
        "The interval of a difference includes 0, or its test does not reject "
        "after Holm's correction. It does not show that there is no difference.",
    ),
)


FAMILIES: tuple[tuple[str, str, tuple[Measure, ...]], ...] = (
    ("Measures of expected exposure", "Who is exposed how much, item by item.", EXPOSURE_MEASURES),
    ("Measures of groups", "Attention, prefixes and pairs by group.", GROUP_MEASURES),
    ("Measures of recorded outputs", "What a generator used.", OUTPUT_MEASURES),
)
"""(title, subtitle, measures)."""


def show() -> None:
    """The words, the measures with their formulas, the re-rankers."""
    of_answers = sum(len(measures) for _, _, measures in OF_ANSWERS)
    header(
        "Learn",
        "Glossary",
        f"{plural(len(CATALOGUE), 'measure')}, {of_answers} entries on answers, {plural(len(RERANKERS), 're-ranker')}. "
        "Measures and re-rankers are written as on the command line; the descriptions are those "
        "that tables, axes and the README use.",
    )
    html_table(
        ["Word", Column(label="Meaning")],
        [list(pair) for pair in (*WORDS, *WORDS_OF_ANSWERS)],
        caption="Words",
    )
    for title, subtitle, measures in FAMILIES:
        section(title, f"{subtitle} Arrows say which way is better.")
        if measures is GROUP_MEASURES:
            _design()
        for measure in measures:
            _measure(measure, expanded=measures is not GROUP_MEASURES)
    answer_measures()
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
    inputs = ["scores"]
    inputs += ["groups"] if reranker.uses_groups else []
    inputs += ["the target"] if reranker.uses_target else []
    inputs += ["one protected group"] if reranker.protects_one else []
    inputs += ["judgements where given"] if reranker.judgements != "unused" else []
    strength = reranker.strength
    range_of = "" if strength is None else (f"{strength.symbol}: {strength.weakest} … {strength.strongest}")
    return [
        Two(top=reranker.label, below=reranker.name),
        Two(top=reranker.summary, below=range_of) if range_of else reranker.summary,
        listing(inputs),
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
