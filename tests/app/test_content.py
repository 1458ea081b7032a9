"""What people read outside Python: every record is whole, and what it names is there."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from jinja2 import UndefinedError, meta
from pydantic import TypeAdapter
from yaml import YAMLError

from fairviz import resources
from fairviz.cli.main import COMMANDS
from fairviz.display.markup import NUMBERS, WORDS, environment
from fairviz.lessons import LESSONS, SHOWN, lesson_of
from fairviz.lessons.lesson import Lesson, Setting
from fairviz.metrics.catalogue import CATALOGUE, parse_measure
from fairviz.resources import CONTENT, content
from pages import TITLES
from pages._learn.reference import PAPERS, glossary, papers
from tests.dashboard import ROOT

FILES = [
    path.relative_to(CONTENT).with_suffix("").as_posix()
    for kind in ("papers/*", "lessons/*", "glossary", "chooser")
    for path in sorted(CONTENT.glob(f"{kind}.yaml"))
]


def texts(record: Any) -> Iterator[str]:
    """Every text of a record, however deep."""
    match record:
        case str():
            yield record
        case dict():
            for value in record.values():
                yield from texts(value)
        case list():
            for value in record:
                yield from texts(value)


@pytest.mark.parametrize("file", FILES)
def test_measures_and_commands_that_a_text_names_are_there(file: str) -> None:
    said = "\n".join(texts(content(file)))
    for measure in re.findall(r"\b[A-Z]\w+\([a-z]+=[^()]*\)", said):
        cutoff = "" if CATALOGUE[measure.partition("(")[0]].cutoff == "none" else "@5"
        parse_measure(f"{measure}{cutoff}")
    if file.startswith("papers/"):  # a lesson says what fairviz does
        assert set(re.findall(r"\bfairviz ([a-z]\w+)", said)) <= set(COMMANDS)


def test_every_paper_is_a_file_and_every_value_a_text() -> None:
    assert {f"papers/{name}" for name in PAPERS} == {file for file in FILES if file.startswith("papers/")}
    for file, slug in zip(PAPERS, papers(), strict=True):
        paper = content(f"papers/{file}")
        TypeAdapter(dict[str, str | list[dict[str, str]]]).validate_python(paper)  # 3.4 without quotes: a number
        assert {*paper} | {"published"} == {"slug", "title", "cited", "missing", "entries", "settled", "published"}
        for entry in papers()[slug]["entries"]:
            assert {*entry} | {"page"} == {"where", "what", "how", "page"}, entry
            assert entry.get("page", "data") in TITLES, entry["what"]
            assert "page" in entry or "not" in entry["how"].lower() or "without data" in entry["how"]
        assert all({*one} == {"where", "decision"} for one in paper["settled"])
    assert {path.stem for path in (ROOT / "pages").glob("[!_]*.py")} == {*TITLES}


def test_a_file_that_is_no_yaml_is_told_with_its_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "sure.yaml").write_text("name: How sure\ntext: once: twice\n", encoding="utf-8")
    monkeypatch.setattr(resources, "CONTENT", tmp_path)
    content.cache_clear()
    with pytest.raises(YAMLError, match=r"sure\.yaml\", line 2"):
        content("sure")


def test_the_glossary_is_whole_and_its_numbers_are_filled_in() -> None:
    parts = {"plain", "words", "answers"}
    assert {*content("glossary")} == parts
    assert all({*family} == {"title", "subtitle", "measures"} for family in content("glossary")["answers"])
    TypeAdapter(dict[str, list[str]]).validate_python(content("glossary")["plain"])
    measures = [measure for family in content("glossary")["answers"] for measure in family["measures"]]
    TypeAdapter(list[dict[str, str]]).validate_python(measures)
    assert all({*one} == {"label", "title", "latex", "summary", "ends", "cited"} for one in measures)
    assert "below 10 queries it is shown" in glossary()["interval"]
    assert not [meaning for meaning in glossary().values() if "{" in meaning]


def test_every_value_of_the_chooser_is_a_text() -> None:
    records = dict(content("chooser"))
    TypeAdapter(list[dict[str, str | dict[str, str]]]).validate_python(records.pop("questions"))
    TypeAdapter(dict[str, dict[str, str | list[str]]]).validate_python(records.pop("recommendations"))
    TypeAdapter(dict[str, str]).validate_python(records.pop("caveats"))
    TypeAdapter(list[dict[str, list[str] | dict[str, str] | dict[str, list[str]]]]).validate_python(
        records.pop("rules")
    )
    assert not records


# Lessons.


def numbers_of(text: str) -> set[str]:
    """The names in double braces."""
    return meta.find_undeclared_variables(environment().parse(text)) - {*WORDS, *NUMBERS}


def filled_texts(lesson: Lesson) -> tuple[str, ...]:
    """The texts of a lesson that numbers are put into."""
    of_readouts = (text for one in lesson.readouts for text in (one["value"], one["what"]))
    return lesson.text, lesson.finding, lesson.why, lesson.sums["caption"], *of_readouts


def test_every_lesson_is_a_file_and_has_its_place_in_the_plan() -> None:
    named = {f"lessons/{lesson.slug}" for lesson in LESSONS}
    assert {file for file in FILES if file.startswith("lessons/")} == {*named, "lessons/plan"}
    assert set(SHOWN) == {lesson.slug for lesson in LESSONS}


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.slug)
def test_texts_of_a_lesson_are_texts_and_name_the_numbers_that_there_are(lesson: Lesson) -> None:
    record = content(f"lessons/{lesson.slug}")
    adapter = TypeAdapter(dict[str, str | int | list[str] | dict[str, Any] | list[dict[str, str]]])
    adapter.validate_python(record, strict=True)
    assert [key for key, value in record.items() if isinstance(value, int)] == ["minutes"]
    numbers = lesson.shown(lesson.start).numbers
    assert set().union(*map(numbers_of, filled_texts(lesson))) == set(numbers), "each number has its place in a text"
    fixed = [text for text in texts(record) if text not in filled_texts(lesson)]
    assert not [text for text in fixed if "{{" in text], "no number is put into these"


PARTS: dict[str, tuple[set[str], set[str]]] = {
    "chart": ({"title"}, {"before", "after"}),
    "sums": ({"columns", "caption"}, {"rows"}),
    "own": ({"page", "label"}, {"settings"}),
    "readouts": ({"value", "what"}, {"colour"}),
}
"""What each part of a lesson has, and what it may have."""


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.slug)
def test_parts_of_a_lesson_have_the_keys_that_are_read_and_it_goes_on_at_a_page_that_there_is(lesson: Lesson) -> None:
    assert (ROOT / "pages" / f"{lesson.own['page']}.py").is_file()
    for part, (needed, more) in PARTS.items():
        record: Any = getattr(lesson, part)
        for one in record if isinstance(record, list) else [record]:
            assert needed <= {*one} <= needed | more, part
    scale, choice = {"label", "key", "start", "low", "high", "step"}, {"label", "key", "start", "settings"}
    assert lesson.control is None or {*lesson.control} - {"notes"} in (scale, choice)


def settings_of(control: Mapping[str, Any] | None) -> Sequence[Setting]:
    """Every setting of a lesson's control."""
    match control:
        case None:
            return [None]
        case {"low": low, "high": high, "step": step}:
            return [low + i * step for i in range(round((high - low) / step) + 1)]
        case _:
            return control["settings"]


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.slug)
def test_every_setting_of_a_lesson_is_computed_and_worded(lesson: Lesson) -> None:
    control = lesson.control
    for setting in settings_of(control):
        bars, (rows, caption) = lesson.bars(setting), lesson.behind(setting)
        assert {len(bars.notes), len(bars.strong)} <= {0, len(bars.names)}
        assert {len(row) for row in rows} == {len(lesson.sums["columns"])}
        said = [caption, *(text for value, what, _ in lesson.measures(setting) for text in (value, what))]
        assert not [text for text in said if "{" in text or "nan" in text]
    if control and "settings" in control:
        assert set(control.get("notes", ())) in (set(), set(control["settings"]))
    assert control is None or control["start"] in settings_of(control)


def test_a_mistake_in_a_lesson_is_named() -> None:
    whole = content("lessons/exposure")
    with pytest.raises(TypeError, match="titel"):
        lesson_of("exposure", {**whole, "titel": "x"})
    with pytest.raises(TypeError, match="discuss"):
        lesson_of("exposure", {key: value for key, value in whole.items() if key != "discuss"})
    with pytest.raises(KeyError, match="guessing"):
        lesson_of("exposure", {**whole, "guess": "guessing"})
    wrong = lesson_of("exposure", {**whole, "finding": "{{ number(sen, 0) }} of 100 see A"})
    with pytest.raises(UndefinedError, match="'sen' is undefined"):
        wrong.filled(wrong.finding)
