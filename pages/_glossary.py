"""The glossary: words first, then every measure as the catalogue describes it."""

import streamlit as st

from fairviz.metrics.catalogue import CATALOGUE
from pages._shared import Column, header, html_table, section

WORDS = (
    ("query", "A question put to the system."),
    ("pool", "The candidate items of a query: those that the run returned and those that were "
     "judged."),
    ("gain", "How useful an item is for a query: its grade, 0 if negative or not judged."),
    ("policy", "A way to rank by chance: a distribution over rankings. A fixed list is a policy "
     "that always draws the same one."),
    ("sample", "One ranking drawn from a policy."),
    ("α", "Fairness control of the Plackett–Luce policy: 0 draws by pure chance, a large α "
     "follows the scores."),
    ("attention", "How much a reader looks at a rank. Here all of it on the first k unless chosen "
     "otherwise."),
    ("exposure ε", "The attention that an item gets on average over a policy's rankings."),
    ("target ε*", "Exposure under ideal rankings that have no favourite among equally useful "
     "items."),
    ("attainable", "Scaled per query so that 0 and 1 are the ends that any policy over the pool "
     "can have. A query whose items are all alike has none: undefined, counted, in no mean."),
    ("uniform", "The policy that shows every item of the pool alike."),
    ("deterministic", "The run's own list, always."),
    ("optimal", "The policy with the highest scores shown at a given EE-D."),
    ("oracle", "The same with the judgements instead of scores: no ranker can pass it."),
    ("AUC", "Mean quality over the EE-D range that a curve covers."),
    ("slope", "Quality that a unit of EE-D buys: the least-squares line through the curve."),
    ("equal chance", "The line EAE-D = EAR² · EE-D: every given item is equally likely to be "
     "used."),
    ("interval", "95 % percentile bootstrap over queries, 2 000 resamples, seed 0."),
    ("not distinguishable", "The interval of a difference includes 0, or its test does not reject "
     "after Holm's correction. It does not show that there is no difference."),
)  # fmt: skip


def show() -> None:
    """The words, and the measures with their formulas."""
    header(
        "Learn · Glossary",
        "Words and measures",
        "Measures are written as on the command line; the descriptions are those that tables, "
        "axes and the README use.",
    )
    html_table(["Word", Column(label="Meaning")], [list(pair) for pair in WORDS], caption="Words")
    section("Measures", "In the notation of the papers; arrows say which way is better.")
    arrows = {"lower": "↓ lower is better", "higher": "↑ higher is better"}
    for measure in CATALOGUE.values():
        with st.expander(f"**{measure.label}** · {measure.title}", expanded=True):
            st.markdown(f"$$\n{measure.latex}\n$$")
            st.markdown(measure.summary)
            low, high = measure.range
            typed = f"`{measure.name}@5`" if measure.cutoff != "none" else f"`{measure.name}`"
            st.markdown(
                f"{arrows.get(measure.better, 'best at 0')} · {low:g} to {high:g} · typed {typed} "
                f"· {measure.citation}"
            )
            if measure.parameters:
                names = ", ".join(f"`{p.name}`" for p in measure.parameters)
                st.markdown(f"Parameters: {names}.")
