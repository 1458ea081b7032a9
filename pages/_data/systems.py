"""What systems are made of, how well each is covered, and what is kept of the study."""

from collections.abc import Callable, Mapping, Sequence
from io import StringIO

import polars as pl
import streamlit as st

from fairviz import __version__
from fairviz.display.words import capital, count, listing, percent, plural
from fairviz.errors import InputError, OutputError
from fairviz.evaluation.coverage import Covered, JudgedRankings, SystemCoverage, coverage_finding
from fairviz.io.names import header_names
from fairviz.io.tables import is_factors, write_factors
from fairviz.model import COLOURS, DASHES, Dataset, Factors, factors_of, with_tasks
from fairviz.reporting.assemble import computed, differences
from fairviz.reporting.study_file import PageSettings, StudyContents
from pages._data import joins
from pages._data.joins import CUTOFF
from pages._kit import callout, counts_line, keeping, opening, section, uploads
from pages._kit.controls import choose_cutoff, standing_unit
from pages._kit.downloads import as_input_error, error_box
from pages._kit.html import Cell, Html, PageColumn, Tone, el, html_table, join, two_lines
from pages._kit.keeping import pinned_figures, pinned_tables, unpin_all
from pages._kit.opening import opened_study, restore_settings
from pages._kit.session import cached, dataset, is_example, set_dataset
from pages._kit.uploads import megabytes


def kept_line() -> None:
    """What outlives this tab, where it is, and how it is deleted."""
    store = keeping.workspace()
    if store is None:
        if opening.named_paths():
            counts_line("Files are read where they are on the disk; nothing is copied.")
        elif uploads.accepted():
            counts_line("Nothing is kept here: files live in this tab until it is closed. Export saves the study.")
        return
    try:
        files, size = store.files(), store.size
    except OutputError as error:
        error_box(as_input_error(error))
        return
    if error := st.session_state.get(keeping.FAILED):
        error_box(InputError(f"not kept: {error.reason}", file=error.file, fix=error.fix))

    def delete() -> None:
        keeping.delete()
        opening.read_kept.clear()  # what the server remembers of it
        unpin_all()
        uploads.forget()
        set_dataset(None)
        restore_settings(PageSettings())

    pins = len(pinned_figures()) + len(pinned_tables())
    kept = [f"{plural(len(files), 'file')} ({megabytes(size)})"] if files else []
    kept += ["your settings"]
    kept += [plural(pins, "pin")] if pins else []
    with st.container(key="kept", horizontal=True, vertical_alignment="center", gap="small"):
        text = f"Kept on this machine until you delete it: {listing(kept)}, in "
        st.html(el("p", text, el("code", str(store.folder)), cls="fv-counts"))
        if files and is_example():
            st.button("Open what is kept", icon=":material/folder_open:", type="tertiary", on_click=opening.open_kept)
        st.button("Delete what is kept", icon=":material/delete:", type="tertiary", on_click=delete)


COMPARED = "study_compared"
NAMED = 8
"""Numbers that are named before they are counted."""


def opened_study_line() -> None:
    """Which study file is opened, who made it, what its author says; and its numbers computed again, when asked."""
    study = opened_study()
    if study is None:
        return
    by = study.made_by.get("fairviz", "an unknown version")
    other = f"; this is {__version__}, and its numbers may differ"
    made = f"saved by fairviz {by}{'' if study.by_this_version else other}"
    line = el("p", el("strong", "Study "), el("strong", study.name), f" · {made}")
    with st.container(key="study", gap="small"):
        st.html(el("div", line, el("p", study.note) if study.note else None, cls="fv-callout fv-calm", role="note"))
        for refused in study.refused:
            counts_line(f"Saved without numbers of {refused}")
        if study.request is not None and study.results:
            _compare(study)


def _compare(study: StudyContents) -> None:
    loaded = dataset()
    st.button(
        "Compute its numbers again",
        key="study_again",
        icon=":material/replay:",
        type="tertiary",
        on_click=lambda: st.session_state.update({COMPARED: loaded.fingerprint}),
    )
    if st.session_state.get(COMPARED) != loaded.fingerprint or study.request is None:
        return
    with st.spinner("Computing …"):
        now, lacking = numbers_of(loaded, study.request)
    for part in lacking:
        counts_line(f"Cannot be computed again: {part}")
    _say(differences(study.results, now), sum(text.count("\n") - 1 for text in study.results.values()))


numbers_of = cached(computed)
"""The numbers of a study file as they are now."""


def _say(cells: pl.DataFrame, n_rows: int) -> None:
    """Which numbers are other than in the file."""
    others = cells.filter(~pl.col("is_rounding"))
    if cells.is_empty():
        counts_line(f"All numbers of the file are the same, to the last digit ({count(n_rows)} rows of tables).")
    elif rounded := cells.height - others.height:
        counts_line(f"{plural(rounded, 'number')} differ in the last digits only.")
    if others.height:
        changes = pl.format("{} → {}", *(pl.col(side).fill_null("absent") for side in ("before", "now")))
        lines = [
            el("li", el("code", table), f" {row}, {column}: {change}")
            for table, row, column, change in others.head(NAMED).select("table", "row", "column", changes).rows()
        ]
        lines += [el("li", f"and {count(others.height - NAMED)} more")] if others.height > NAMED else []
        head = el("p", el("strong", f"{plural(others.height, 'number')} differ from those in the file"))
        st.html(el("div", head, el("ul", *lines), cls="fv-callout", role="alert"))


COLUMNS = ("label", "colour", "dash", "date", "task", "retriever", "generator")
FILE = "systems.tsv"
NO_FACTORS = Factors()


def ask(loaded: Dataset) -> None:
    """A table to fill in, where a person loaded several systems."""
    systems = recorded(loaded)
    if is_example() or len(systems) < 2:
        return
    n_open = sum(factors.task is None or factors.retriever is None for factors in systems.values())
    summary = (
        f"{plural(n_open, 'system')} without task or retriever" if n_open else "task and retriever of all are known"
    )
    details = st.expander(f"What systems are made of: {summary}", on_change="rerun", key="made_of", bind="query-params")
    with details:
        if details.open:
            _table(systems)


def recorded(loaded: Dataset) -> dict[str, Factors]:
    """What is known of each system: from its files where those agree, over that from a table of systems.

    Of several collections each is a task, where nothing else says one.
    """
    systems: dict[str, Factors] = {}
    for system in (*loaded.runs, *loaded.samples, *loaded.outputs):
        factors = factors_of(system)
        before = systems.setdefault(system.system, factors)
        agreed = {name: value for name, value in before.stated.items() if getattr(factors, name) == value}
        systems[system.system] = NO_FACTORS.with_values(agreed)
    table_factors = with_tasks(loaded.systems or {}, loaded.collections)
    return {name: table_factors.get(name, NO_FACTORS).over(factors) for name, factors in systems.items()}


def filled_in(systems: Mapping[str, Factors], cells: Mapping[str, Sequence[str | None]]) -> str:
    """The table of systems as its file.

    Args:
        systems: What is known of each system already; what was not asked for stays.
        cells: Columns of ``COLUMNS``, a cell for each system in the order of ``systems``; an empty one says nothing.
    """
    rows = zip(*(cells[name] for name in COLUMNS), strict=True)
    row_values = [dict(zip(COLUMNS, ((cell or "").strip() or None for cell in row), strict=True)) for row in rows]
    factors = {name: systems[name].with_values(row) for name, row in zip(systems, row_values, strict=True)}
    text = StringIO()
    write_factors(factors, text)
    return text.getvalue()


def _table(systems: dict[str, Factors]) -> None:
    st.markdown(
        "Every figure and table calls a system by its label, and every figure draws it in its colour and dash. "
        "Trade-off, Compare and Attribution arrange systems by the other columns; nothing is compared across tasks. "
        "Cells can be pasted from a spreadsheet."
    )
    colours = [*COLOURS, *{factors.colour for factors in systems.values() if factors.colour} - {*COLOURS}]
    cells = st.data_editor(
        {"system": list(systems), **{name: [getattr(f, name) or "" for f in systems.values()] for name in COLUMNS}},
        disabled=["system"],
        column_config={
            "colour": st.column_config.SelectboxColumn(
                options=["", *colours],
                help=f"{len(COLOURS)} colours that readers without a kind of cone tell apart, "
                "too. Black is the ink of the page: light in the dark theme. A file may say #RRGGBB.",
            ),
            "dash": st.column_config.SelectboxColumn(options=["", *DASHES]),
        },
        hide_index=True,
        width="stretch",
        key="made_of_cells",
    )
    if st.button("Use these", help=f"They become the file {FILE}, which can be removed like every other."):
        made = filled_in(systems, cells)
        if is_factors(header_names(made.partition("\n")[0])):  # a cell at least is filled in
            uploads.put(FILE, made.encode(), "systems")
        elif FILE in uploads.accepted():
            uploads.remove(FILE)
        st.rerun(scope="app")


MANY = 12
"""Systems from which the table scrolls in its box."""


@st.fragment
def coverage(loaded: Dataset, head: Callable[[Sequence[SystemCoverage]], None]) -> None:
    """The matrix of all systems, its finding as the title, and one system in detail; all of it follows k.

    Args:
        loaded: The data.
        head: Shows the page's own title, which follows k, too.
    """
    top, control = st.columns([4, 1], vertical_alignment="bottom")
    with control:
        k = choose_cutoff("Cutoff k", usual=CUTOFF, help="How many ranks of each list are examined, from the top.")
    rows = joins.systems(loaded, k)
    head(rows)
    attributes = [labels.attribute for labels in loaded.labels]
    finding = coverage_finding(rows, attributes, k=k, unit=standing_unit())
    with top:
        section(finding.title, " ".join(filter(None, [finding.sentence, "Hatched is what is missing."])))
    several = len({row.judged.qrels for row in rows if row.judged is not None}) > 1
    html_table(
        [
            PageColumn(name)
            for name in (
                *("System", "Queries", f"Judged at {k}"),
                *([f"Labelled at {k}: {attribute}" for attribute in attributes] or ["Labels"]),
                "Outputs",
            )
        ],
        [_row(row, len(attributes), several=several) for row in rows],
        caption="Coverage of every system",
        narrow="scroll",
        tall=len(rows) > MANY,
    )
    _detail(rows)


def _row(row: SystemCoverage, n_attributes: int, *, several: bool) -> list[Cell]:
    """What a system is, then what there is of its queries, its first places, their labels, and its outputs."""
    if not row.n_queries:
        return [_system(row), *[_none("no list", "not recorded")] * (2 + max(n_attributes, 1)), _outputs(row)]
    judged, n = row.judged, count(row.n_queries)
    queries, places = _none(n, "no judgements"), _none("none", "no judgements")
    if judged is not None:
        missing, of, by = len(judged.missing), judged.queries, f" · {judged.qrels}" if several else ""
        words = f"{count(of.lacking)} not judged" if of.lacking else "all judged"
        words += f", lacks {plural(missing, 'judged one', 'judged ones')}" if missing else ""
        queries = _cell(n, words, Covered(of.n, of.of + missing))
        has_places, without = judged.places.of > 0, _none("none", "no judged query")
        places = _share(judged.places, f"not judged{by}", f"all judged{by}") if has_places else without
    labels = [_share(part, "unlabelled", "all labelled") for part in row.labelled]
    return [_system(row), queries, places, *(labels or [_none("none", "no labels loaded")]), _outputs(row)]


def _system(row: SystemCoverage) -> Html:
    """Name, what it is (a run, sampled rankings of a policy, or outputs), and the length of its longest list."""
    lists = {
        "run": "run",
        "samples": f"{plural(row.n_lists, 'sampled ranking')}",
        "outputs": f"{plural(row.n_lists, 'list')} of recorded outputs" if row.n_lists else "recorded outputs",
    }
    alpha = "" if row.alpha is None else f"α = {row.alpha:g}"
    deep = f"depth {count(row.depth)}" if row.depth else ""
    below = " · ".join(filter(None, [row.policy, alpha, lists[row.kind], deep]))
    return join(el("strong", row.system), el("span", below, cls="fv-below"))


def _share(part: Covered, lacking: str, whole: str) -> Html:
    """A share of places, down to one decimal where it is nearly none or nearly all."""
    decimals = 1 if 0 < part.share < 0.01 or 0.99 < part.share < 1 else 0
    rest = f"{percent(part.lacking / part.of, decimals)} {lacking}" if part.lacking else whole
    return _cell(percent(part.share, decimals), rest, part)


def _outputs(row: SystemCoverage) -> Html:
    if not row.n_answers:
        return _none("none", "no outputs")
    who = "" if len(row.generators) == 1 else f" of {plural(len(row.generators), 'generator')}"
    some = f"{count(row.answered.n)} of {plural(row.answered.of, 'query', 'queries')}"
    return _cell(count(row.n_answers), f"{some if row.answered.lacking else 'all queries'}{who}", row.answered)


def _none(value: str, words: str) -> Html:
    return _cell(value, words, Covered(0, 1))


def _cell(value: str, words: str, part: Covered) -> Html:
    """A number, its gap in words, and a bar of what is there and, hatched, what is not."""
    lengths = {"fv-fill-plackett-luce": part.n, "fv-hatched": part.lacking}
    parts = (el("span", cls=cls, style=f"flex:{n} 0 0") for cls, n in lengths.items() if n)
    return join(two_lines(value, words), el("span", *parts, cls="fv-stack fv-covered", aria_hidden="true"))


# One system.


def _detail(rows: Sequence[SystemCoverage]) -> None:
    """Queries and ranked documents by grade of one system, chosen where there are several; computed when opened."""
    judged = [row for row in rows if row.judged is not None]
    if not judged:
        return
    fold = st.expander(
        "Queries and grades" if len(judged) == 1 else "Queries and grades of one system",
        expanded=len(judged) == 1,
        on_change="rerun",
        key="join_detail",
    )
    if not fold.open:
        return
    with fold:
        at = 0
        if len(judged) > 1:
            names = [row.system + ("" if row.alpha is None else f" (α = {row.alpha:g})") for row in judged]
            at = st.selectbox("System", range(len(names)), key="join_system", format_func=names.__getitem__, width=260)
        _bars(judged[at].system, judged[at].judged)


def _bars(system: str, judged: JudgedRankings | None) -> None:
    """The queries of the rankings, and the ranked documents of the judged ones, by what is known of them."""
    if judged is None:
        return
    if judged.trouble is not None:
        reason, fix = judged.trouble
        callout(f"{system} and {judged.qrels} do not join: {reason}.", fix)
        return
    grade_0, grade_1, grade_2, grade_3 = judged.grades
    queries: list[tuple[str, int, Tone]] = [
        ("evaluated", judged.evaluated, "plackett-luce"),
        ("all judged documents have one grade", judged.alike, "optimal"),
        ("not judged", judged.unjudged, "grade0"),
    ]
    documents: list[tuple[str, int, Tone]] = [
        ("grade 3 or more", grade_3, "grade3"),
        ("grade 2", grade_2, "grade2"),
        ("grade 1", grade_1, "grade1"),
        ("grade 0 or less", grade_0, "mute"),
        ("not judged", judged.items_unjudged, "grade0"),
    ]
    of = plural(judged.queries.n, "judged query", "judged queries")
    for unit, parts, of_what in (("queries", queries, system), ("ranked documents", documents, f"the {of}")):
        shown = [part for part in parts if part[1] or part[0] == "evaluated"]
        whole = sum(n for _, n, _ in parts) or 1
        joins.parts_table(f"Of {of_what}", unit, shown, whole=whole, caption=f"{capital(unit)} of {of_what}")
    missing = f", undefined: {listing([*judged.missing], most=NAMED)}" if judged.missing else ": none"
    counts_line(
        f"Judged queries missing from the ranking{missing}. Documents without a judgement count as not relevant."
    )
