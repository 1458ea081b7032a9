"""What stands in ``fairviz/content``: every template is filled, every record is complete and of something there is."""

import re
from collections.abc import Callable

import pytest
from jinja2 import UndefinedError

from fairviz.cli.main import COMMANDS
from fairviz.display.html import Play, Section, html_table, html_text
from fairviz.display.markup import el, rendered, style
from fairviz.display.methods import AgainstTarget, methods_paragraph
from fairviz.display.published import layout_of
from fairviz.display.table import Table, keyed
from fairviz.io.dataset import read_example
from fairviz.io.formats import FORMATS
from fairviz.io.published import PUBLISHED, read_published
from fairviz.lessons.plan import LESSONS
from fairviz.metrics.catalogue import CATALOGUE
from fairviz.metrics.spec import parse_measures
from fairviz.reranking.catalogue import RERANKERS
from fairviz.resources import CONTENT, content, example_folder
from fairviz.studies import STUDIES
from fairviz.studies.groups.measures import ROWS, SECTIONS, MeasureContext, filled
from pages._learn.class_view import handout_html, key_html, plan_html
from tests.display.test_bundle import packed
from tests.docs.blocks import ROOT
from tests.studies.policy_lab.test_brief import page as brief

SOURCES = [path.read_text(encoding="utf-8") for top in ("fairviz", "pages") for path in (ROOT / top).rglob("*.py")]


def named(pattern: str) -> set[str]:
    """What the program names in this way."""
    return {name for text in SOURCES for name in re.findall(pattern, text)}


def moving() -> str:
    frames = tuple(Section(str(x), (), (Table(keyed("x"), ((x,),)),)) for x in (1, 2))
    return html_text("t", [Play(name="x", label="How far", stops=("1", "2"), start=0, frames=frames)])


EXAMPLES: dict[str, Callable[[], str]] = {
    "brief.html": brief,
    "bundle.txt": lambda: packed(read_example(example_folder()))["README.txt"],
    "methods.txt": lambda: methods_paragraph(
        read_example(example_folder()),
        parse_measures(["EED@5, AWRF, nDCG@5"]),
        curves=(5, "graded", 1, "0:8:3"),
        against=AgainstTarget(1, "uniform"),
        depth="lists were cut",
    ),
    "play.html": moving,
    "report.html": lambda: html_text("t", [Section("s")]),
    "reproduce.sh": lambda: packed(read_example(example_folder()))["reproduce.sh"],
    "plan.html": plan_html,
    "handout.html": lambda: handout_html(LESSONS),
    "key.html": key_html,
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


MEASURE_WORDS = {"title", "formula", "latex", "summary", "citation"}
RERANKER_WORDS = {"plain", "summary", "citation"}


@pytest.mark.parametrize(
    ("file", "names", "needed", "allowed"),
    [
        ("methods/measures", {*CATALOGUE}, MEASURE_WORDS, {"remarks"}),
        ("methods/rerankers", {one.name for one in RERANKERS}, RERANKER_WORDS, {"caution", "strength"}),
    ],
)
def test_every_measure_and_re_ranker_has_its_words_and_no_others(
    file: str, names: set[str], needed: set[str], allowed: set[str]
) -> None:
    records = content(file)
    assert {*records} == names
    for name, words in records.items():
        assert needed <= {*words} <= needed | allowed, name
        assert all(words.values()), name


def test_layouts_of_printed_tables_name_columns_that_the_tables_have() -> None:
    tables = content("published")["tables"]
    assert {(paper, number) for paper, some in tables.items() for number in some} <= {*PUBLISHED}
    for paper, number in PUBLISHED:
        layout = layout_of(paper, number)
        if layout is not None:
            columns = {*read_published(paper, number).columns}
            assert {*layout.down, *layout.across, *layout.values, *layout.among} <= columns
            assert layout.rule in ("", *content("published")["bold"])


def test_formats_are_told_by_name_roles_line_and_rules() -> None:
    for one in content("formats"):
        assert {"format", "line", "rules"} <= {*one} <= {"format", "roles", "recognised", "line", "rules", "examples"}
        assert ("roles" in one) != ("recognised" in one)
        assert all(one.values())
        assert all((example_folder() / name).is_file() for name in one.get("examples", ()))
    roles = [role for one in content("formats") for role in one.get("roles", ())]
    assert sorted(roles) == sorted({each.role for each in FORMATS}), "every role of the registry is one row's"


def test_rows_of_group_measures_are_measures_with_a_sentence_for_every_value() -> None:
    context = MeasureContext(group="women", k=5, n_groups=3)
    for row in ROWS:
        (spec,) = parse_measures([filled(row, k=5, group="women", missing="drop", browsing="dcg")])
        assert spec.name in CATALOGUE or row.label == "nDCG"
        for value in (-0.5, 0.5, 6.0, float("inf"), float("-inf")):
            said = row.says(value, context)
            assert said.endswith(".")
            assert not re.search(r"[{}]|  ", said)
    assert {row.section for row in ROWS} == {*SECTIONS}


def test_every_text_of_examples_is_of_a_command_which_its_lines_call() -> None:
    texts = {path.stem: path.read_text(encoding="utf-8") for path in (CONTENT / "commands").glob("*.txt")}
    of_studies = {study.command for study in STUDIES}
    assert named(r"\bexamples\(\"(\w+)\"\)") | of_studies == {*texts} <= {*COMMANDS}
    assert all(f"  fairviz {name} " in text for name, text in texts.items())
