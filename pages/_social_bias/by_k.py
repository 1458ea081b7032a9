"""How many documents: bias and accuracy of one model by k, in both contexts."""

import streamlit as st

from fairviz.model import Dataset
from fairviz.studies.social_bias.by_k import k_lines, k_title
from fairviz.studies.social_bias.comparison import is_nothing
from fairviz.studies.social_bias.figures_by_k import by_k_alt, by_k_figure, k_bounds
from fairviz.studies.social_bias.labels import MEASURE_LABELS, POOLED, span_words, type_label
from fairviz.studies.social_bias.measures import BiasMeasure
from pages._kit import colours, counts_line, el, section, show_figure
from pages._social_bias.results import Settings, matched_answers, rows_by_k

MEASURES: tuple[BiasMeasure, ...] = ("diffbias_a", "diffbias_d", "acc_a", "acc_d")


@st.fragment
def curves(loaded: Dataset, settings: Settings, measure: BiasMeasure) -> None:
    """Four charts, where answers have at least two numbers of documents."""
    ks = [value for value in matched_answers(loaded).values.get("k", ()) if not is_nothing(value)]
    if len(ks) < 2:
        return
    fixed = tuple(pair for pair in settings.compared.fixed if pair[0] not in ("k", "setting"))
    if settings.column not in ("k", "setting", "model"):
        fixed = (*fixed, (settings.column, settings.value))
    rows = rows_by_k(loaded, fixed, settings.model, settings.ooc)
    top = st.container()
    types = list(dict.fromkeys(row.get("category") for row in rows))
    category = st.selectbox(
        "Bias type",
        types,
        key="k_type",
        bind="query-params",
        width=230,
        format_func=lambda name: type_label(name) if name else POOLED,
    )
    of_type = [row for row in rows if row.get("category") == category]
    with top:
        model = settings.names[settings.model]
        about = "percent. Bands: 95 % bootstrap over templates. Dashed level: without documents."
        section(k_title(k_lines(of_type, measure), measure), f"{model}, {about}")
    for pair in (MEASURES[:2], MEASURES[2:]):
        lines_of = [k_lines(of_type, name) for name in pair]
        bounds = [k_bounds(lines, name) for name, lines in zip(pair, lines_of, strict=True)]
        both = (min(low for low, _ in bounds), max(high for _, high in bounds))
        for name, lines, column in zip(pair, lines_of, st.columns(2, gap="medium"), strict=True):
            with column:
                way = "(↑ more right answers)" if name.startswith("acc") else "(+ = stereotype)"
                st.html(el("h3", f"{MEASURE_LABELS[name]} {way}", cls="fv-part"))
                figure = by_k_figure(lines, name, bounds=both, colours=colours())
                show_figure(figure, f"by-k-{name}", by_k_alt(lines, MEASURE_LABELS[name]))
    sizes = [row.n_items for row in of_type]
    counts_line(f"{span_words(min(sizes), max(sizes))} items in a point")
