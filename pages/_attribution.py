"""Parts of the page Attribution: controls, panels of systems, the system at full size, one query and its answers."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import polars as pl
import streamlit as st

from fairviz.display.table import Table, declared, keyed
from fairviz.display.words import NO_INTERVAL, capital, considered, interval, listing, number, percent, plural, signed
from fairviz.model import Dataset
from fairviz.points.charts import PanelView
from fairviz.points.outputs import SCALED, Pair, Recorded, cited_by_rank, paired
from fairviz.points.sources import source_attributes
from fairviz.points.view import system_name
from fairviz.stats.tests import verdict
from fairviz.studies.attribution.analysis import (
    ALPHA,
    Results,
    analyse,
    compared_under,
    differences_table,
    panel_view,
    path_curves,
    setting_names,
    sources,
    usual_setting,
)
from fairviz.studies.attribution.charts import (
    attribution_alt,
    attribution_figure,
    cited_by_rank_alt,
    cited_by_rank_figure,
    consumption_panel,
    dot_unit,
    drawn_points,
    n_off_scale,
    sources_picture,
)
from fairviz.studies.attribution.findings import (
    above_title,
    chance_words,
    cites_title,
    plain_measure,
    rank_title,
    share_title,
    sources_counts,
    use_finding,
    use_title,
)
from fairviz.studies.attribution.settings import AttributionSettings
from pages._kit import callout, colours, counts_line, fold, in_rows, section, show_chart, show_figure, user_text
from pages._kit.commands import report, study_files
from pages._kit.controls import (
    QUERY,
    choose,
    choose_name,
    choose_number,
    choose_one,
    choose_query,
    choose_relevance,
    following,
    one_of,
    put_in_address,
)
from pages._kit.html import (
    Cell,
    PageColumn,
    PageRow,
    Span,
    Tone,
    around_zero,
    bar,
    el,
    glyph,
    html_table,
    in_tone,
    muted,
    page_table,
    two_lines,
    with_interval,
)
from pages._kit.link import inspect_link, selected_queries
from pages._kit.panels import TALL, PanelLook, chosen_system, forest, panel_key, row_name, show_panels
from pages._kit.recorded_outputs import pairing_words, problems_of, usual_k, warn_of_other_lists

NO_BREAK = "\N{NO-BREAK SPACE}"
PAIRS: dict[str, Pair] = {"EE-D, EAE-D": "EED-EAED", "EE-D, EAR": "EED-EAR", "EE-R, EAR": "EER-EAR"}


def settings(loaded: Dataset) -> AttributionSettings:
    """Show the controls of what is measured, and return what they say."""
    about = "Only the first k retrieved documents count."
    k = choose_number("Context size k", 1, 100, usual_k(loaded), "items", help=about)
    scale = choose("scale", required=True)
    rel = choose_relevance(loaded)
    estimate = choose("estimate", draw=st.radio, disabled=scale == "share")
    return AttributionSettings(k=k, rel=rel, scale=scale, estimate=estimate)


def system_and_setting(result: Results) -> tuple[Results, str]:
    """The system that is looked at, and which lists its answers were made from: an α, or the deterministic list."""
    own = result.of_system(choose_name("Answers by", result.names, ANSWERS_BY, width=240))
    names = setting_names(own.points)
    labels = {name.removeprefix(ALPHA): name for name in names}
    usual = usual_setting(names).removeprefix(ALPHA)
    about = "Answers were recorded for lists drawn at these α, and for the deterministic list."
    look = {"draw": st.segmented_control, "required": True, "help": about}
    return own, labels[choose_one("α of the lists given", labels, "lists_at", usual=usual, **look)]


def defined_pairs(result: Results) -> list[Pair]:
    """Axes that have a value: without judgements there is no EE-R."""
    judged = result.points["EER"].count() > 0
    return [pair for pair in PAIRS.values() if judged or pair != "EER-EAR"]


def pair_of(result: Results, *, drawn: bool) -> Pair:
    """Which two measures the panels of several systems show; the control is ``drawn`` inside its fold only."""
    names = [name for name, pair in PAIRS.items() if pair in defined_pairs(result)]
    usual = "EE-D, EAR" if result.single_sample else "EE-D, EAE-D"  # of one answer concentration is decided by EAR
    if not drawn:
        return PAIRS[following("axes", usual, one_of(names))]
    return PAIRS[choose_one("Axes", names, "axes", usual=usual, draw=st.segmented_control, required=True)]


PAIR_TITLES: Mapping[str, str] = {
    "EED-EAR": "Does more equal retrieval lower the share used? (EAR, EE-D)",
    "EER-EAR": "Are more relevant lists used more? (EAR, EE-R)",
}


def picture(own: Results) -> None:
    """Given → used: a row of dots for each setting of the system."""
    unit = dot_unit(own.rows)
    alone = "one source" if unit == 1 else f"{unit} sources"
    section(
        share_title(own.rows),
        f"Given → used, for each way of choosing the documents. Filled: used. A dot is {alone} in equal use: answers "
        "that cite one document half of the time and two others a quarter each count as 2.7 sources.",
    )
    st.html(sources_picture(own.rows))


def scatter(own: Results, selection: AttributionSettings, setting: str) -> None:
    """EE-D beside EAE-D across the page: a dot per query, a line through the means of the settings."""
    selection = replace(selection, axes="EED-EAED")
    points = own.with_contexts.points.filter(pl.col("lists") == setting)
    section(
        above_title(points, setting),
        "EAE-D beside EE-D: a dot is a query, a diamond the mean of a setting; above y = x use is more concentrated"
        " than retrieval",
    )
    counts_line(" · ".join([_scatter(own, selection, setting), *counted(own, selection, setting)]))


def _scatter(own: Results, selection: AttributionSettings, setting: str) -> str:
    """Show the points on a pair of axes; returns what is counted of them."""
    panel = consumption_panel(own.with_contexts.points, selection)
    key = f"attribution-{selection.axes.lower()}"
    selected = st.session_state.get(QUERY) or st.query_params.get(QUERY)
    show_chart(
        partial(attribution_figure, panel, selection, setting=setting, selected=selected),
        key,
        attribution_alt(panel, selection, setting=setting),
        on_select=partial(pick, key, setting),
        brush=True,
    )
    counts = plural(drawn_points(panel, setting).height, "query", "queries")
    below = n_off_scale(panel, selection.axes)
    return f"{counts} · {plural(below, 'point')} at 0, on the edge" if below else counts


def scatter_fold(own: Results, selection: AttributionSettings, setting: str) -> None:
    """The two scatterplots with the share of the list that is used."""
    pairs: list[Pair] = [pair for pair in defined_pairs(own.with_contexts) if pair != "EED-EAED"]
    if not own.with_contexts.names:
        return
    about = f"the share of the list that is used beside {listing(['EE-D', 'EE-R'][: len(pairs)])}"
    with fold("Other axes", about, key="other_axes") as is_open:
        if is_open:
            for pair in in_rows(pairs, 2):
                st.html(el("h2", PAIR_TITLES[pair], cls="fv-part"))
                counts_line(_scatter(own, replace(selection, axes=pair), setting))


def counted(results: Results, selection: AttributionSettings, setting: str) -> list[str]:
    """What is in the points, and how it was estimated."""
    points = results.points.filter(pl.col("lists") == setting)
    most, nothing = int(points["n_samples"].to_numpy().max(initial=0)), points.filter(pl.col("EAR") == 0).height
    unbiased = selection.estimate == "unbiased" or (selection.scale == "share" and most > 1)
    candidates = points["run"].null_count() and selection.scale == "minmax"
    parts = [
        f"{plural(most, 'answer')} per query" if most else "",
        f"{plural(nothing, 'point')} where no given document is cited: undefined on share" if nothing else "",
        f"{'unbiased' if unbiased else 'plug-in'} estimate from the same answers on both axes",
        "where no run is loaded, EE-D and EE-R are scaled by the documents of the lists" if candidates else "",
    ]
    return list(filter(None, parts))


CHART, ANSWERS_BY, ONE_QUERY = "attribution-grid", "answers_of", "one_query"


# What is not drawn, and why.


def warnings(result: Results, recorded: Recorded) -> None:
    """Outputs that could not be measured, and those made from other lists than assumed."""
    if problems := problems_of(recorded):
        callout("Some outputs are not measured", " ".join(problems))
    measured = result.points.unique("place", keep="first", maintain_order=True).select("name", "place").rows()
    warn_of_other_lists({name: recorded.matches[at] for name, at in measured})


def only_cited(result: Results) -> None:
    """Why ranks and attention are not drawn for generators whose references hold only what was cited."""
    names = [name for name in result.names if name not in result.with_contexts.names]
    if names and len(names) < len(result.names):  # else the page's title says it
        callout(
            f"Not drawn: the context of {listing(names)} is known from references only",
            "Load the run that these answers were generated from, and choose it above. Their references list little "
            "but what was cited: every rank would seem cited alike, and use as concentrated as retrieval.",
        )


# Systems side by side.


def side_by_side(
    loaded: Dataset, result: Results, selection: AttributionSettings, view: PanelLook, setting: str
) -> None:
    """A small panel per system and the differences from the baseline, on a pair of axes of one's own."""
    names = {system_name(factors, view.by): system_name(factors, result.by) for factors in result.paths}
    panel_selection = replace(
        selection, of_task=view.task or "", lists=setting, axes=pair_of(result, drawn=False), **view.settings
    )
    compared = compared_under(loaded, panel_selection)
    title = plural(len(result.paths), "system") if compared is None else use_finding(compared).title
    with fold("Side by side", title, key="side_by_side") as is_open:
        if not is_open:
            return
        pair_of(result, drawn=True)
        curves = path_curves(loaded, replace(panel_selection, lists="", baseline=()))
        show_panels(
            panel_view(curves, view.layout, panel_selection, compared),
            by=view.by,
            key=CHART,
            title=title,
            words=lambda drawn: _key_words(drawn, setting, compared),
            hint="Press a panel's line to see its answers above.",
            on_select=partial(_open, names),
        )
        differences(compared, panel_selection, view)


def _open(names: Mapping[str, str]) -> None:
    """Look at the system whose panel was pressed."""
    if (name := chosen_system(CHART)) in names:
        st.session_state[ANSWERS_BY] = names[name]


def _key_words(laid: PanelView, setting: str, compared: pl.DataFrame | None) -> str:
    hue, *parts = panel_key(laid, "this system")
    parts = [f"Means over queries along α. {hue}, 95 % intervals", *parts]
    if any(curves.deterministic is not None for curves in laid.curves):
        parts.append("■ deterministic list")
    if laid.diagonal:
        parts.append("dotted: y = x")
    corner = ""
    if compared is not None:
        corner = f" Corner: {compared['measure'][0]}, {setting}, and difference from the baseline (bold = significant)."
    return f"{'; '.join(parts)}.{corner}"


def differences(compared: pl.DataFrame | None, selection: AttributionSettings, view: PanelLook) -> None:
    """Each system beside the baseline, the largest difference first."""
    base = system_name(view.baseline, view.by)
    if compared is None:
        counts_line(f"{base} has no answers for {selection.lists}: choose another baseline, or another α.")
        return
    table, measure = differences_table([compared], k=selection.k), compared["measure"][0]
    section(
        f"{capital(plain_measure(measure))} of each system minus that of {base}",
        f"{selection.lists}; paired by query; 95 % interval (not corrected); filled: unlikely to be chance "
        f"({considered(compared['p_holm'].count())}). {use_finding(compared).sentence}".strip(),
    )
    forest(
        table,
        key="use_whole",
        name=lambda row: row_name(row, view.by),
        label="Δ",
        falls=selection.axes == "EED-EAED",
        value=measure,
        caption=f"{measure} beside {base}",
    )
    files, stem = ("fairviz-attribution-differences", "These differences"), "consumption-differences"
    study_files(*files, ("attribution", selection), lambda: {stem: table}, csv=stem, latex=[stem])


# The system that is selected, and the downloads of the page.


def downloads(loaded: Dataset, selection: AttributionSettings) -> None:
    """The row of buttons; files are written when one is pressed."""
    fed = [f"{pairing.outputs}: {pairing_words(pairing)}" for pairing in dict.fromkeys(paired(loaded))]
    lead = f"{loaded.name}: k = {selection.k}. Retrieved context of {listing(fed)}."
    study_files(
        "fairviz-attribution",
        "Points and means",
        ("attribution", selection),
        lambda: analyse(loaded, selection).tables,
        csv="consumption-points",
        latex=["consumption"],
        html=partial(report, "Attribution", lambda: analyse(loaded, selection).in_report(), lead),
    )


def citing_panels(own: Results, recorded: Recorded, setting: str) -> None:
    """How citations depend on rank, and what citing few explains of using few."""
    points = own.with_contexts.points.filter(pl.col("lists") == setting)
    if points.is_empty():
        return
    matches = recorded.matches[points["place"][0]]
    declines, rows = ({row["lists"]: row for row in each.to_dicts()} for each in (own.declines, own.rows))
    left, right = st.columns([5, 6], gap="large")
    with left:
        section(
            rank_title(declines.get(setting)),
            "Share of answers that cite the document at each retrieval rank; "
            f"{plural(points['EAR'].count(), 'query', 'queries')}, {setting}",
        )
        shares = cited_by_rank(matches, frozenset(points["query_id"]))
        figure = cited_by_rank_figure(shares, colours=colours())
        show_figure(figure, "cited-by-rank", cited_by_rank_alt(own.names[0], shares))
    with right:
        row = rows[setting]
        section(cites_title(own.rows["EAR"], matches.k), chance_words(row, matches.k))
        n_given, used = row["sources_given"], row["sources_used"]
        if n_given is not None and used is not None and not row["single"]:
            most, chance = max(n_given, used), bar(n_given / max(n_given, used), "unknown", hatched=True)
            html_table(
                ["", "sources", ""],
                [
                    ["given", number(n_given, 1), bar(n_given / most, "grade0")],
                    ["if by chance", number(n_given, 1), chance],
                    ["used", in_tone(number(used, 1), "plackett-luce"), bar(used / most, "plackett-luce")],
                ],
                caption=f"Effective number of sources, {setting}",
            )


def summary_section(results: Results, recorded: Recorded) -> None:
    """Every generator under every setting: how much is used, from how many sources."""
    tested, several = results.rows.filter("tested"), len(results.names) > 1
    compared = not tested.is_empty()
    section(
        use_title(results.rows),
        "Effective number of sources, 1 / mean of ‖ε‖² / (Σε)² over queries, given → used"
        + ("; Δ: share of use minus share of retrieval, unbiased, where lists vary" if compared else "")
        + "; 95 % bootstrap intervals"
        + (f"; filled: unlikely to be chance (paired t, {considered(tested['p_holm'].count())})" if compared else ""),
    )
    k = recorded.matches[results.points["place"][0]].k

    def cited(row: PageRow) -> Cell:
        ends = interval(k * row.number("EAR_low"), k * row.number("EAR_high"), 1)
        return two_lines(f"{number(k * row.number('EAR'), 1)} of {k}", ends)

    span = around_zero(end for name in ("share_change_low", "share_change_high") for end in tested[name].drop_nulls())
    changed = {
        "change": PageColumn("Δ share", _change, align="right"),
        "interval": PageColumn("Δ, 95 % interval", partial(_change_glyph, span=span)),
    }
    page_table(
        Table.of(results.rows, declared(results.rows.columns, {}), "Use of the retrieved context"),
        {
            **({"name": PageColumn("System")} if several else {}),
            "lists": PageColumn("Retrieved context"),
            "sources_given": PageColumn("given, sources", lambda row: number(row.number("sources_given"), 1)),
            "sources_used": PageColumn(
                "used, sources", with_interval("sources_used", "sources_used_low", "sources_used_high", 1)
            ),
            **(changed if compared else {}),
            "cited": PageColumn("cited in one answer", cited, align="right"),
            "EAR": PageColumn("EAR ↑"),
            "n_queries": PageColumn("queries", wide=True),
            "n_outputs": PageColumn("answers", wide=True),
        },
        narrow="scroll",
        tall=len(results.rows) > TALL,
    )


def sources_fold(loaded: Dataset, own: Results, selection: AttributionSettings, setting: str) -> None:
    """Whose documents the answers under a setting were given and cite, by a group of documents and a week."""
    attributes = source_attributes(loaded)
    positions = own.points.filter(pl.col("lists") == setting)["place"]
    if not attributes or positions.is_empty():
        return
    with fold("By source and week", "whose documents are given, and whose are cited", key="by_source") as is_open:
        if not is_open:
            return
        rows = sources(loaded, selection).filter(pl.col("place") == positions[0])
        left, right = st.columns(2)
        with left:
            names = [labels.attribute for labels in attributes]
            attribute = choose_name("Documents by", names, "source_attribute", width=240)
        with right:
            week = choose_one("Week", rows["week"].unique(maintain_order=True), "week", width=160)
        shown = rows.filter(pl.col("attribute") == attribute, pl.col("week") == week)
        page_table(
            Table.of(shown, keyed(*shown.columns), f"Documents given and cited, by {attribute}"),
            {
                "group": PageColumn(attribute),
                "given": PageColumn("of documents given", partial(_source_share, part="given"), align="right"),
                "cited": PageColumn("of documents cited", partial(_source_share, part="cited"), align="right"),
            },
            tall=len(shown) > TALL,
        )
        counts_line(sources_counts(shown.row(0, named=True)))


def _source_share(row: PageRow, *, part: str) -> Cell:
    """A share with its interval, both in percent."""
    ends = interval(100 * row.number(f"{part}_low"), 100 * row.number(f"{part}_high"), 0)
    return two_lines(percent(row.number(part), 1), ends)


def _change(row: PageRow) -> Cell:
    """Consumed minus retrieved concentration, where it may be compared."""
    if not row["tested"]:
        return muted("–")
    change = signed(row.number("share_change"))
    return change if row["share_change_low"] is None else in_tone(change, _ink(row) or "mute", bold=bool(_ink(row)))


def _change_glyph(row: PageRow, *, span: Span) -> Cell:
    if not row["tested"]:
        return ""
    value, low, high = (row.number(f"share_change{end}") for end in ("", "_low", "_high"))
    return muted(NO_INTERVAL) if np.isnan(low) else glyph(value, low, high, span=span, tone=_ink(row))


def _ink(row: PageRow) -> Tone:
    """Ink for a change that is significant."""
    direction = verdict(row.number("share_change"), row.number("p_holm"), int(row.number("n_compared")))
    return "ink" if direction in ("higher", "lower") else ""


BRUSH = "attribution_brush"
"""Where a session keeps the queries of the points selected last."""


def pick(chart: str, setting: str) -> None:
    """Take the queries of the points that were selected in a chart; the first is looked at in its fold."""
    queries = selected_queries(chart, setting)
    if queries:
        st.session_state[QUERY] = queries[0]  # the control of the query takes it; of a closed fold, from the address
        put_in_address(QUERY, queries[0])
        st.session_state[BRUSH] = queries
        st.session_state[ONE_QUERY] = True


def query_fold(loaded: Dataset, result: Results, selection: AttributionSettings, setting: str) -> None:
    """What each generator did with one query, and the way to its answers."""
    query, words = st.session_state.get(QUERY) or st.query_params.get(QUERY), loaded.texts or {}
    about = f"{words.get(query) or query}" if query else "what was given and cited"
    with fold("One query", about, key=ONE_QUERY) as is_open:
        query_ids = result.points["query_id"].unique(maintain_order=True).to_list()
        if is_open and query_ids:
            query = choose_query("One query: press a point, or choose", query_ids, words)
            st.html(el("p", f"Selected query {query}", cls="fv-kicker"))
            if query in words:
                user_text(words[query])
            query_table(result, selection, setting, query)
            brushed: tuple[str, ...] = st.session_state.get(BRUSH, ())
            inspect_link(brushed if query in brushed else (query,))  # to all that were selected with it


def query_table(results: Results, selection: AttributionSettings, setting: str, query: str) -> None:
    """What each generator did with one query."""
    under = results.points.filter(pl.col("lists") == setting)
    drawn = under.with_columns(several=pl.col("n_samples").max().over("name") > 1).filter(pl.col("query_id") == query)
    answered = {row["name"]: row for row in drawn.to_dicts()}
    missing = [muted("–")] * 7
    rows = [[name, *(_row(answered[name], selection) if name in answered else missing)] for name in results.names]
    names = ["cited", "EAR ↑", f"{selection.relevance} ↑", "EE-D ↓", "EAE-D ↓", "sources", "above EAR²·x"]
    html_table(
        ["Generator", *names],
        rows,
        caption=f"Query {query}, {setting}; disparities on the scale chosen above",
        narrow="scroll",
    )


def _row(point: dict[str, Any], selection: AttributionSettings) -> list[Cell]:
    k, rate, (retrieval, consumption) = selection.k, point["EAR"], SCALED[selection.scale]
    above = None if rate is None or point["y_chance"] is None else point["EAED"] - point["y_chance"]
    return [
        f"{number(None if rate is None else rate * k, 1 if point['several'] else 0)} of {k}",
        number(rate),
        number(point["EER"]),
        number(point[retrieval]),
        number(point[consumption]),
        f"{_sources(point['x_share'])} → {_sources(point['y_share'])}",
        signed(above),
    ]


def _sources(share: float | None) -> str:
    return number(1 / share, 1) if share and share > 0 else "–"
