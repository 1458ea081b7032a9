"""What can be looked up: the measure for a question, the glossary, and the index of each paper.

The glossary has words first, then every measure and re-ranker as the catalogues describe them. The index of a paper
lists its figures, tables and equations, and the page that draws them for you; what cannot be drawn says why. A paper is
a file of ``content/papers``; one layout shows all of them, with the published tables as printed: with their marking,
and with what contradicts itself.
"""

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import streamlit as st

from fairviz.display.markup import rendered, written
from fairviz.display.methods import rerankers_table
from fairviz.display.words import ARROWS, MINUS, capital, listing, plural
from fairviz.metrics.catalogue import CATALOGUE, parse_measure
from fairviz.metrics.consumption import OUTPUT_MEASURES
from fairviz.metrics.describe import Measure
from fairviz.metrics.exposure_measures import EXPOSURE_MEASURES
from fairviz.metrics.group_measures import GROUP_MEASURES
from fairviz.metrics.popularity import POPULARITY_MEASURES
from fairviz.reranking.catalogue import RERANKERS
from fairviz.resources import content
from fairviz.stats.bootstrap import described
from fairviz.stats.tests import MIN_UNITS
from fairviz.studies.groups.measures import QUESTIONS, arrow_of, choose
from pages import TITLES
from pages._kit import counts_line, header, section
from pages._kit.controls import choose_one
from pages._kit.html import Cell, PageColumn, el, html_table, page_table, two_lines
from pages._kit.published import published_tables

# Six questions in plain words, and the measure that answers them.


def show_chooser() -> None:
    """Questions to the left, the answer to the right."""
    top = st.container()
    left, right = st.columns([5, 6], gap="large")
    with left:
        answers = {question["name"]: _answer(question) for question in QUESTIONS}
    choice = choose(answers)
    with top:
        first = choice["recommended"][0]
        header(
            "Learn · Choose a metric",
            f"For this question: {listing([_named(text)[0] for text in first['measures']])}",
            "Which group measure answers which question, after the recommendations of Raj et al.; "
            "what follows from the formulas alone is marked as ours.",
        )
    with right:
        for title, recommendations in (("Use", choice["recommended"]), ("Beside it", choice["also"])):
            if recommendations:
                section(title)
                st.html(rendered("recommended.html", recommendations=recommendations, named=_named))
        if choice["caveats"]:
            section("Keep in mind")
            st.html(el("ul", *(el("li", text) for text in choice["caveats"])))
        chosen = (*choice["recommended"], *choice["also"])
        measures = [measure for recommendation in chosen for measure in recommendation["measures"]]
        st.page_link(
            "pages/export.py",
            label="Compute these on your data",
            icon=":material/calculate:",
            query_params={"measures": measures},
        )
        counts_line("What should be aimed for is the first question, and no measure settles it.")


def _answer(question: Mapping[str, Any]) -> str:
    """The answer that is chosen of one question, by its key."""
    words: dict[str, str] = question["answers"]
    look = {"draw": st.radio, "format_func": words.__getitem__}
    return choose_one(question["text"], list(words), f"choose_{question['name']}", **look)


def _named(text: str) -> tuple[str, str]:
    """The label of a measure, and the arrow of its direction."""
    spec = parse_measure(text)
    measure = CATALOGUE.get(spec.name)
    label = measure.label if measure else spec.name
    return f"{label} by group" if spec.params.get("by") == "group" else label, arrow_of(text)


# The glossary.


@cache
def glossary() -> dict[str, str]:
    """Each word with its meaning, with the numbers that it names."""
    words: dict[str, str] = content("glossary")["words"]
    return {word: written(meaning, bootstrap=described(seed=0), least=MIN_UNITS) for word, meaning in words.items()}


FAMILIES: tuple[tuple[str, str, tuple[Measure, ...]], ...] = (
    ("Measures of expected exposure", "Who is exposed how much, item by item.", EXPOSURE_MEASURES),
    ("Measures of groups", "Attention, prefixes and pairs by group.", GROUP_MEASURES),
    ("Measures of popularity", "Whether the same, popular items are shown again and again.", POPULARITY_MEASURES),
    ("Measures of recorded outputs", "What a generator used.", OUTPUT_MEASURES),
)
"""(title, subtitle, measures)."""


def show_glossary() -> None:
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
    html_table(["Word", PageColumn("Meaning")], list(glossary().items()), caption="Words")
    for title, subtitle, measures in FAMILIES:
        section(title, f"{subtitle} Arrows say which way is better.")
        if measures is GROUP_MEASURES:
            _design()
        for measure in measures:
            _measure(measure, expanded=measures is not GROUP_MEASURES)
    for family in families:
        section(family["title"], family["subtitle"])
        for measure in family["measures"]:
            about = f"{measure['ends']} · {measure['cited']}"
            _entry(measure["label"], measure["title"], measure["latex"], measure["summary"], about)
    section("Re-rankers", "From a run to another order, or to a policy over several.")
    page_table(
        rerankers_table(),
        {
            "label": PageColumn("Re-ranker", lambda row: two_lines(row.text("label"), row.text("name"))),
            **{key: PageColumn(capital(key)) for key in ("what it does", "options", "needs", "judgements", "citation")},
        },
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
        [PageColumn(name) for name in names],
        rows,
        caption="Design of the group measures (columns of Table 1 of Raj et al.), by default",
        show_caption=True,
        narrow="scroll",
    )


def _entry(label: str, title: str, latex: str, *texts: str, expanded: bool = False) -> None:
    """A measure: its formula, what it rewards, its ends and its source."""
    with st.expander(f"**{label}** · {title}", expanded=expanded):
        for text in (f"$$\n{latex}\n$$", *texts):
            st.markdown(text)


def _measure(measure: Measure, *, expanded: bool) -> None:
    arrow = {"lower": "↓ lower is better", "higher": "↑ higher is better"}.get(
        measure.better, "→ 0 closest to 0 is better"
    )
    low, high = map(_end, measure.range)
    typed = f"`{measure.name}@5`" if measure.cutoff != "none" else f"`{measure.name}`"
    texts = [
        " ".join((measure.summary, *measure.remarks)),
        f"{arrow} · {low} to {high} · typed {typed} · {measure.citation}",
    ]
    if measure.parameters:
        texts.append(f"Parameters: {', '.join(f'`{p.name}`' for p in measure.parameters)}.")
    _entry(measure.label, measure.title, measure.latex, *texts, expanded=expanded)


def _end(value: float) -> str:
    """An end of a range.

    Examples:
        >>> _end(float("-inf")), _end(0.6931471805599453)
        ('−∞', '0.693')
    """
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    return f"{value:.3g}".replace("-", MINUS)


# The papers.


PAPERS = ("towards-fair-rag", "comparing", "fair-metric", "rag-social-biases", "rag-medical-bias")
"""Files of ``content/papers``, in the order of the control."""


def papers() -> dict[str, Mapping[str, Any]]:
    """The papers by slug, as their files describe them.

    A paper has a ``title``, how it is ``cited``, what the text at hand is ``missing``; its slug among the ``published``
    tables, where it has some; readings that were ``settled``; and ``entries`` in its order: ``where`` in the paper,
    ``what`` is there, the ``page`` that draws it and ``how``, or why nothing can.
    """
    return {paper["slug"]: paper for paper in (content(f"papers/{file}") for file in PAPERS)}


def show_papers() -> None:
    """Choose a paper, and see its index as a table."""
    top = st.container()
    catalogue = papers()
    first, *_ = catalogue
    slug = st.segmented_control(
        "Paper",
        list(catalogue),
        default=first,
        key="paper",
        required=True,
        bind="query-params",
        label_visibility="collapsed",
    )
    paper = catalogue[slug or first]
    with top:
        header(
            "Learn · Papers",
            paper["title"],
            f"{paper['cited']} Each figure, table, equation and result, with the page that shows it for what you "
            "loaded.",
        )
    with st.container(horizontal=True, gap="small"):  # links in a table would end the session
        for page in dict.fromkeys(entry.get("page") for entry in paper["entries"]):
            if page and page != "learn":
                st.page_link(f"pages/{page}.py", label=f"Open {TITLES[page]}")
    html_table(
        ["Where", *(PageColumn(name) for name in ("What", "Page", "Look at"))],
        [
            [entry["where"], entry["what"], TITLES.get(entry.get("page"), "none"), entry["how"]]
            for entry in paper["entries"]
        ],
        caption=f"Figures, tables, equations and results of {paper['slug']}",
    )
    n, drawn = len(paper["entries"]), sum("page" in entry for entry in paper["entries"])
    counts_line(f"{plural(n, 'entry', 'entries')} · {drawn} drawn for your data · {n - drawn} not · {paper['missing']}")
    if "published" in paper:
        section("The tables as published", "Numbers as the paper prints them; nothing is repaired.")
        published_tables(paper["published"])
    section("What was settled", "Where the paper, its code or its own lines differ.")
    html_table(
        ["Where", PageColumn("Decision")],
        [[settled["where"], settled["decision"]] for settled in paper["settled"]],
        caption=f"Readings of {paper['slug']} that were settled",
    )
