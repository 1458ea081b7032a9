"""Level: one row per bias type and model, its answers by kind, Diff-Bias on one scale, the verdict in words."""

from collections.abc import Mapping, Sequence

import streamlit as st

from fairviz.display.words import number, p_value, plural, signed
from fairviz.studies.social_bias.favoured import Sides
from fairviz.studies.social_bias.figures_levels import levels_span
from fairviz.studies.social_bias.findings import groups_finding, right_title
from fairviz.studies.social_bias.group_words import group_words
from fairviz.studies.social_bias.labels import place_words, type_label, value_text
from fairviz.studies.social_bias.levels import by_type, is_tested, n_questions, parts, verdict_words
from fairviz.studies.social_bias.measures import Leaning
from fairviz.studies.social_bias.rows import BiasRow
from pages._kit import Column, Html, el, html_table, section
from pages._kit.controls import choose_name
from pages._social_bias.results import Settings
from pages._social_bias.scale import Scale, on_scale, tick_labels

READABLE = 11.0
"""Percent from which a part of a bar has room for its number."""
PARTS: dict[Leaning, tuple[tuple[str, str], ...]] = {
    "diffbias_a": (("plackett-luce", "against"), ("mute", "unknown (right)"), ("optimal", "towards")),
    "diffbias_d": (
        ("plackett-luce", "wrong, against"),
        ("mute", "unknown"),
        ("mute", "right"),
        ("optimal", "wrong, towards"),
    ),
}
WIDTHS = ("17%", "13%", "19%", "27%", "8%", "7%", "9%")


def level_table(types: Mapping[str, Sequence[BiasRow]], settings: Settings, sides: Mapping[str, Sides]) -> None:
    """The table; on a phone name, dot and value of each row."""
    measure = settings.measure
    scale = Scale(*levels_span([row for own in types.values() for row in own], measure))
    bodies = (el("tbody", *_rows(own, settings, sides, scale)) for own in types.values())
    caption = "Diff-Bias by bias type and model"
    foot = el(
        "tr", el("td", colspan=3, cls="fv-desk"), el("td", tick_labels(scale)), el("td", colspan=3, cls="fv-desk")
    )
    inside = el(
        "table",
        el("caption", caption, cls="fv-unseen"),
        el("colgroup", *(el("col", style=f"width:{width}") for width in WIDTHS)),
        el("thead", _head(measure)),
        *bodies,
        el("tfoot", foot, aria_hidden="true"),
        cls="fv-table fv-levels",
    )
    st.html(el("div", inside, cls="fv-scroll", tabindex=0, role="region", aria_label=caption))


def _head(measure: Leaning) -> Html:
    shares: list[Html | str] = []
    for tone, words in PARTS[measure]:
        shares += [el("span", words, cls=f"fv-tone-{tone}"), " · "]
    ends = el(
        "span",
        el("span", "◂ against", cls="fv-tone-plackett-luce"),
        el("span", "towards the stereotype ▸", cls="fv-tone-optimal"),
        cls="fv-ends",
    )
    heads = ("Bias type", "Model", el("span", *shares[:-1], el("br"), "% of answers"), ends)
    numbers = ("Diff-Bias", "p (Holm)", "In words")
    cells = [el("th", head, scope="col") for head in heads]
    cells += [el("th", head, scope="col", cls="" if head == "In words" else "fv-right") for head in numbers]
    return el("tr", *cells)


def _rows(own: Sequence[BiasRow], settings: Settings, sides: Mapping[str, Sides], scale: Scale) -> list[Html]:
    measure, kind = settings.measure, own[0].get("category")
    n = max(n_questions(row, measure) for row in own)
    templates = plural(max(row.n_templates for row in own), "template")
    about = (el("strong", type_label(kind)), el("span", plural(n, "question")), el("span", templates))
    about += tuple(el("span", words) for words in _favoured(own, measure, sides))
    head = el("th", *about, scope="rowgroup", rowspan=len(own), cls="fv-of-type")
    rows: list[Html] = []
    for place, row in enumerate(own):
        way, tested = row.leans(measure), is_tested(row, measure)
        grey = "" if tested else " fv-few"
        tone = {1: "fv-tone-optimal", -1: "fv-tone-plackett-luce", 0: "fv-tone-ink" if tested else "fv-few"}[way]
        words = verdict_words(row, measure, {})
        value, ends = value_text(row.values[measure], measure, 0), _interval(row, measure)
        cells = (
            el("th", settings.name(row.get("model")), scope="row", cls=f"fv-model{grey}"),
            el("td", _bar(row, measure), cls="fv-desk"),
            el("td", on_scale(scale, row.values[measure], row.intervals[measure], way=way)),
            el("td", el("strong", value, cls=tone) if tested else value, ends, cls=f"fv-right{grey}"),
            el("td", p_value(row.p_holm[measure]) if tested else "not tested", cls="fv-right fv-mute fv-desk"),
            el("td", el("strong", words) if way else words, cls="fv-desk" if way else "fv-mute fv-desk"),
        )
        rows.append(el("tr", *([head] if not place else []), *cells))
    return rows


def _favoured(own: Sequence[BiasRow], measure: Leaning, sides: Mapping[str, Sides]) -> list[str]:
    """Whom a significant lean of a bias type favours, once for its rows."""
    said = (verdict_words(row, measure, sides) for row in own if row.leans(measure))
    return list(dict.fromkeys(words for words in said if ": " in words))


def _interval(row: BiasRow, measure: Leaning) -> Html | None:
    """The interval in words: for who does not see the scale, and where a phone has room for it."""
    low, high = row.intervals[measure]
    return None if low != low else el("span", f" {signed(low, 0)} to {signed(high, 0)}", cls="fv-interval")


def _bar(row: BiasRow, measure: Leaning) -> Html:
    own = parts(row, measure)
    drawn = (
        el(
            "span",
            number(part.share, 0) if part.share >= READABLE else None,
            cls=f"fv-part-{part.kind}",
            style=f"flex:{part.share:.3f} 0 0",
        )
        for part in own
        if part.n
    )
    said = ", ".join(f"{part.kind} {number(part.share, 0)} %" for part in own)
    return el("span", *drawn, cls="fv-stacked", role="img", aria_label=said)


# About whom: the questions of one bias type, by the group that their stereotype is about.


def groups_section(rows: Sequence[BiasRow], order: Sequence[str], settings: Settings) -> None:
    """One bias type split by group, the widest first; the others by a control."""
    measure = settings.measure
    shown = [row for row in rows if row.get("model") in settings.models and row.get("category") in settings.types]
    types = by_type(shown, measure)
    split = [kind for kind in order if len({row.get("stereotyped") for row in types.get(kind, ())}) > 1]
    if not split:
        return
    left, right = st.columns([7, 3], vertical_alignment="bottom")
    usual = next((i for i, kind in enumerate(split) if any(is_tested(row, measure) for row in types[kind])), 0)
    kind = split[0]
    if len(split) > 1:
        with right:
            kind = choose_name("Bias type split by group", split, "group", first=usual, width=230, words=type_label)
    own = types[kind]
    finding = groups_finding(own, measure)
    with left:
        section(finding.title, finding.sentence)
    groups = list(dict.fromkeys(row.get("stereotyped") for row in own))
    models = list(dict.fromkeys(row.get("model") for row in own))
    scale = Scale(*levels_span(own, measure))
    by_place = {(row.get("stereotyped"), row.get("model")): row for row in own}
    heads = [Column(label=f"{type_label(kind)} questions whose stereotype is …")]
    heads += [Column(label=settings.name(model)) for model in models]
    cells = [
        [_about(kind, group, own, measure), *(_cell(by_place.get((group, model)), measure, scale) for model in models)]
        for group in groups
    ]
    html_table(heads, cells, caption=f"{type_label(kind)} by stereotyped group", narrow="cards")


def _about(kind: str, group: str, own: Sequence[BiasRow], measure: Leaning) -> Html:
    of_group = [row for row in own if row.get("stereotyped") == group]
    n, templates = (
        max(sizes) for sizes in zip(*((n_questions(r, measure), r.n_templates) for r in of_group), strict=True)
    )
    size = f"{plural(n, 'question')}, {plural(templates, 'template')}"
    return el("span", el("strong", f"about {group_words(kind, group)}"), el("span", size, cls="fv-below"))


def _cell(row: BiasRow | None, measure: Leaning, scale: Scale) -> Html | str:
    if row is None or row.values[measure] != row.values[measure]:
        return ""
    way = row.leans(measure)
    tone = {1: "fv-tone-optimal", -1: "fv-tone-plackett-luce", 0: ""}[way]
    value = value_text(row.values[measure], measure, 0)
    said = el("strong", value, cls=tone) if way else value
    given = el("span", place_words(row.one_place), cls="fv-below") if row.one_place else None
    return el(
        "span",
        el(
            "span",
            on_scale(scale, row.values[measure], row.intervals[measure], way=way),
            style="flex:1 1 auto;min-width:9rem",
        ),
        el("span", said, _interval(row, measure), given, cls="" if is_tested(row, measure) else "fv-few"),
        style="display:flex;gap:.7rem;align-items:center",
    )


# How often answers are right where the context gives the answer.


def right_section(types: Mapping[str, Sequence[BiasRow]], settings: Settings) -> None:
    """% right by bias type and model: who never answers has no lean and no use."""
    rows = [row for own in types.values() for row in own]
    models = list(dict.fromkeys(row.get("model") for row in rows))
    section(right_title(rows, settings.names))
    of = {(row.get("category"), row.get("model")): row.values["acc_d"] for row in rows}
    cells = [
        [type_label(kind), *(value_text(of.get((kind, model), float("nan")), "acc_d", 0) for model in models)]
        for kind in types
    ]
    html_table(
        ["% right", *map(settings.name, models)],
        cells,
        caption="Right answers, percent",
        narrow="scroll",
    )
