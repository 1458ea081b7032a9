"""What stands in ``fairviz/content``: every template is filled, every record is complete and of something there is."""

import re
from collections.abc import Callable
from functools import cache, partial
from inspect import signature
from typing import get_args, get_type_hints

import pytest
from jinja2 import UndefinedError

from fairviz.cli.main import COMMANDS
from fairviz.display.html import Play, Section, html_table, html_text
from fairviz.display.markup import el, rendered, style
from fairviz.display.methods import AgainstTarget, methods_paragraph
from fairviz.display.published import PUBLISHED, read_published
from fairviz.display.table import Table, keyed
from fairviz.io.formats import FORMATS
from fairviz.lessons import PLAN
from fairviz.metrics.catalogue import CATALOGUE, parse_measures
from fairviz.metrics.consumption import OUTPUT_MEASURES
from fairviz.metrics.describe import NEEDS, Better, CutoffRule, Kind, Need
from fairviz.metrics.exposure_measures import EXPOSURE_MEASURES
from fairviz.metrics.group_measures import GROUP_MEASURES, TargetKind, Weighting
from fairviz.metrics.popularity import POPULARITY_MEASURES
from fairviz.reranking.catalogue import DRAWS, ORDERINGS, RERANKERS, find_reranker
from fairviz.reranking.fairness_of_exposure import Constraint
from fairviz.resources import CONTENT, content, dashboard_folder
from fairviz.studies import STUDIES
from fairviz.studies.demographic_qa.brief import answers_brief
from fairviz.studies.groups.measures import ROWS, SECTIONS, filled
from fairviz.studies.policy_lab.brief import cost_scale
from fairviz.studies.policy_lab.budget import Outcome
from pages._learn.class_view import handout_html, key_html, plan_html
from tests.display.test_bundle import packed
from tests.docs.blocks import ROOT
from tests.loaded import example
from tests.studies.demographic_qa.test_across import LARGE, SMALL, gaps
from tests.studies.policy_lab.curves import setting, summary, tried_of
from tests.studies.policy_lab.lists import compared
from tests.studies.policy_lab.test_brief import page as brief

SOURCES = [path.read_text(encoding="utf-8") for top in ("fairviz", "pages") for path in (ROOT / top).rglob("*.py")]


def named(pattern: str) -> set[str]:
    """What the program names in this way."""
    return {name for text in SOURCES for name in re.findall(pattern, text)}


def moving() -> str:
    frames = tuple(Section(str(x), (), (Table(keyed("x"), ((x,),)),)) for x in (1, 2))
    return html_text("t", [Play(name="x", label="How far", stops=("1", "2"), start=0, frames=frames)])


@cache
def bundled() -> dict[str, str]:
    """The files of a bundle of the example."""
    return packed(example())


def _words(*_: object) -> str:
    return "moves; far"


EXAMPLES: dict[str, Callable[[], str]] = {
    "answers_brief.html": lambda: answers_brief(
        example(), gaps({"a": LARGE, "b": SMALL}), {}, retrieval="", provoked=True
    ),
    "brief.html": brief,
    "bundle.txt": lambda: bundled()["README.txt"],
    "methods.txt": lambda: methods_paragraph(
        example(),
        parse_measures(["EED@5, AWRF, nDCG@5"]),
        curves=(5, "graded", 1, "0:8:3"),
        against=AgainstTarget(1, "uniform"),
        depth="lists were cut",
    ),
    "play.html": moving,
    "report.html": lambda: html_text("t", [Section("s")]),
    "reproduce.sh": lambda: bundled()["reproduce.sh"],
    "plan.html": lambda: plan_html(PLAN),
    "question.html": lambda: rendered(
        "question.html", head="h", context="c", question="q", lines=[("w", [("b", "who")])]
    ),
    "variants_question.html": lambda: rendered(
        "variants_question.html",
        **{"name": "q1", "words": "", "gold": "B", "by_rouge": False, "shortened": str, "spoken": str},
        options=[{"letter": "B", "words": "", "score": 1, "about": ["a"], "references": ["neutral"]}],
    ),
    "methods.html": lambda: rendered(
        "methods.html",
        **dict.fromkeys(("title", "subtitle", "today", "note"), "t"),
        outcome=Outcome(summary(31, 0.0), tried_of(setting(9, -0.02), setting(5, -0.5)), budget=0.03),
        scale=cost_scale(0.03, []),
        find_reranker=find_reranker,
        **dict.fromkeys(("reach_words", "strength_words", "change_words", "change_interval", "counted"), _words),
    ),
    "class_link.html": lambda: "".join(
        rendered("class_link.html", words="w", link="l", source="s", unreachable=why) for why in ("", "no")
    ),
    "recommended.html": lambda: rendered(
        "recommended.html",
        recommendations=[{"measures": ["AWRF"], "reason": "r", "source": "s"}],
        named=lambda text: (text, "↓"),
    ),
    "reranked_list.html": lambda: rendered(
        "reranked_list.html", moves=compared("abcd", "cabd", k=2).side("after"), after="m", judged=True, unnamed={}
    ),
    "visits.html": lambda: rendered(
        "visits.html",
        rows=[{"query_id": "q1", "chance": 0.6, "n_lists": n, "change": -0.1, "words": "−0.10"} for n in (1, 2, 3)],
        largest=0.2,
        close=1e-9,
    ),
    "orders.html": lambda: rendered(
        "orders.html",
        rows=[
            {**dict.fromkeys(("name", "about"), "m"), "places": [{"system": "a", "value": 1.0, "joined": True}]}
            | {"told": 1, "pairs": 2, "lacking": ["b"]}
        ],
        tints={"a": "color:red"},
    ),
    "handout.html": lambda: handout_html(PLAN, PLAN.lessons),
    "key.html": lambda: key_html(PLAN),
    "table.html": lambda: html_table(Table(keyed("x"), ((1,),), caption="One")),
}


def test_every_template_that_the_program_names_has_an_example() -> None:
    assert named(r"rendered\(\s*\"([^\"]+)\"") == {*EXAMPLES}


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_template_is_filled_and_nothing_of_it_is_left_open(name: str) -> None:
    assert not re.search(r"\{\{ |\{% | %\}|None", EXAMPLES[name]())


def test_a_name_that_nobody_fills_is_an_error() -> None:
    with pytest.raises(UndefinedError, match="title"):
        rendered("report.html")


def test_text_is_escaped_and_markup_is_not() -> None:
    assert '<th scope="row">&lt;b&gt;</th>' in html_table(Table(keyed("x"), (("<b>",),)))
    assert '<main>\n<section id="s1">\n<h2>s</h2>\n<ul><li>&lt;</li></ul></section>' in html_text(
        "t", [Section("s", blocks=(el("ul", el("li", "<")),))]
    )


def test_every_style_sheet_is_used_and_balanced() -> None:
    templates = [path.read_text(encoding="utf-8") for path in (CONTENT / "templates").glob("*.html")]
    calls = named(r"\bstyle\(((?:\"\w+\"(?:, )?)+)")
    used = {*re.findall(r"\w+", " ".join(calls))} | {*re.findall(r'include "(\w+)\.css"', "".join(templates))}
    for name in used:
        sheet = style(name)
        assert sheet.count("{") == sheet.count("}") > 0, name
    assert {"dashboard", "social_bias", "groups", "policy_lab", "boxes", "brief", "report"} <= used


def test_every_how_to_read_is_named_by_its_page_and_every_page_has_what_it_names() -> None:
    texts = {path.stem for path in (CONTENT / "how_to_read").glob("*.md")}
    for name in texts:
        assert f'"{name}"' in (ROOT / "pages" / f"{name}.py").read_text(encoding="utf-8")
    assert named(r"\bheader\([^\n]*how=\"(\w+)\"") | named(r"how_to_read\(\"(\w+)\"\)") <= texts


DECLARED = {"label", "better", "range", "parameters", "cutoff", "needs"}
MEASURE_WORDS = {"title", "formula", "latex", "summary", "citation"}
FAMILIES = {
    "exposure": (EXPOSURE_MEASURES, {"part"}),
    "groups": (GROUP_MEASURES, {"weighting", "target"}),
    "popularity": (POPULARITY_MEASURES, set[str]()),
    "outputs": (OUTPUT_MEASURES, set[str]()),
}


def test_every_measure_is_declared_once_with_its_words_and_a_kernel() -> None:
    """What else a record may hold is what its class has: it is built by keywords."""
    sections = content("methods/measures")
    assert {*sections} == {*FAMILIES}
    for family, (measures, more) in FAMILIES.items():
        assert [*sections[family]] == [measure.name for measure in measures]
        for name, record in sections[family].items():
            assert DECLARED | MEASURE_WORDS | more <= {*record}, name
            assert all(value for key, value in record.items() if key not in ("parameters", "soft")), name
    for measure in CATALOGUE.values():
        assert measure.better in get_args(Better), measure.name
        assert measure.cutoff in get_args(CutoffRule), measure.name
        assert {*measure.needs, *measure.also_reads} <= {*get_args(Need)}, measure.name
        for when in measure.needs_when:
            assert when.parameter in {parameter.name for parameter in measure.parameters}
            assert {*when.adds, *when.drops} <= {*get_args(Need)}, measure.name
    assert [*NEEDS] == [*get_args(Need)]
    assert all({*words} == {"name", "missing", "give"} for words in NEEDS.values())
    for measure in GROUP_MEASURES:
        assert measure.of_rankings or measure.of_system, measure.name
        assert measure.weighting in get_args(Weighting), measure.name
        assert measure.target in get_args(TargetKind), measure.name


def test_every_parameter_is_of_a_measure_and_of_a_kind() -> None:
    records = [record for section in content("methods/measures").values() for record in section.values()]
    entries = [entry for record in records for entry in record["parameters"]]
    assert {key for entry in entries for key in ([entry] if isinstance(entry, str) else entry)} == {
        *content("methods/parameters")
    }
    for measure in CATALOGUE.values():
        for parameter in measure.parameters:
            assert parameter.kind in get_args(Kind)
            other, choices = parameter.only_with or ("", ())
            assert not other or {*choices} <= {*next(p for p in measure.parameters if p.name == other).choices}


def test_every_re_ranker_has_its_words_and_no_others() -> None:
    assert {*ORDERINGS} | {*DRAWS} <= {one.name for one in RERANKERS}
    for one in RERANKERS:
        assert all((one.label, one.plain, one.summary, one.citation)), one.name
    for name, order in ORDERINGS.items():
        function = order.keywords["order"] if isinstance(order, partial) else order
        kinds, defaults = get_type_hints(function), signature(function).parameters
        for option in find_reranker(name).options:
            assert {*option.choices} in (set[str](), {*get_args(kinds[option.name])}), option.name
            assert option.default == defaults[option.name].default, option.name
    constraint = next(option for option in find_reranker("fairness-of-exposure").options if option.choices)
    assert {*constraint.choices} == {*get_args(Constraint)}


def test_layouts_of_printed_tables_name_columns_that_the_tables_have() -> None:
    tables = content("published")["tables"]
    assert {(paper, number) for paper, some in tables.items() for number in some} <= {*PUBLISHED}
    for paper, number in PUBLISHED:
        table = read_published(paper, number)
        layout = table.layout
        assert {*layout.down, *layout.across, *layout.values, *layout.among} <= {*table.cells.columns}
        assert layout.rule in ("", *content("published")["bold"])


def test_formats_are_told_by_name_roles_line_and_rules() -> None:
    for one in content("formats"):
        assert {"format", "line", "rules"} <= {*one} <= {"format", "roles", "recognised", "line", "rules", "examples"}
        assert ("roles" in one) != ("recognised" in one)
        assert all(one.values())
        assert all((dashboard_folder() / "data" / "demo" / name).is_file() for name in one.get("examples", ()))
    roles = [role for one in content("formats") for role in one.get("roles", ())]
    assert sorted(roles) == sorted({each.role for each in FORMATS}), "every role of the registry is one row's"


def test_rows_of_group_measures_are_measures_with_a_sentence_for_every_value() -> None:
    for row in ROWS:
        (spec,) = parse_measures([filled(row, k=5, group="women", missing="drop", browsing="dcg")])
        assert spec.name in CATALOGUE or row.label == "nDCG"
        for value in (-0.5, 0.5, 6.0, float("inf"), float("-inf")):
            said = row.says(value, group="women", k=5, n_groups=3)
            assert said.endswith(".")
            assert not re.search(r"[{}]|  ", said)
    assert {row.section for row in ROWS} == {*SECTIONS}


def test_every_text_of_examples_is_of_a_command_which_its_lines_call() -> None:
    texts = {path.stem: path.read_text(encoding="utf-8") for path in (CONTENT / "commands").glob("*.txt")}
    assert {*texts} <= {*COMMANDS}
    assert {*COMMANDS} - {*texts} <= {study.command for study in STUDIES}  # a new study may have none
    assert all(f"  fairviz {name} " in text for name, text in texts.items())
