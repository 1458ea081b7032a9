"""A lesson as one HTML file that plays by itself: for any learning platform, a memory stick, a mail.

A student's file asks and takes a guess; it holds no answer, in no form, so that there is nothing to find in its source.
A teacher's file also holds the answer, which shows after a guess, and everything that can be changed then: what is seen
and said at each setting is written beforehand, and a script picks it.
"""

import json
from collections.abc import Iterable
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any

from fairviz.display.html import Play, Section, data_element, html_text
from fairviz.display.markup import Html, el, join
from fairviz.display.table import Table, keyed
from fairviz.display.theme import DARK, LIGHT
from fairviz.lessons.bars import Bars, bars_alt
from fairviz.lessons.guesses import LETTERS, TOP, Choice, Kind, Number, Order, Range
from fairviz.lessons.lesson import Lesson, OneOf, Scale, written
from fairviz.lessons.plan import LESSONS

ASSETS = Path(__file__).parent / "assets"
STEP = 5
"""Between two ends of a guessed range: each pair has its reply in a teacher's file."""
LABELLED = 12
"""Bars up to which each has its number and its name."""


def file_name(lesson: Lesson[Any], *, teacher: bool) -> str:
    """What the file of a lesson is called."""
    return f"fairviz-lesson-{LESSONS.index(lesson) + 1}-{lesson.slug}{'-teacher' if teacher else ''}.html"


def lesson_html(lesson: Lesson[Any], *, teacher: bool) -> str:
    """The file of one lesson.

    Args:
        lesson: Which.
        teacher: Whether it holds the answer.
    """
    question = Section(
        "Guess first",
        blocks=(_guess(lesson, teacher=teacher), bars_html(lesson.picture(lesson.start).before)),
    )
    return html_text(
        lesson.title,
        [question, _answer(lesson) if teacher else _afterwards(lesson)],
        lead=written(lesson.text),
        style=_style(teacher=teacher),
        script=_asset("guess.js"),
    )


def _style(*, teacher: bool) -> str:
    pairs = {
        "strong": (LIGHT.plackett_luce.line, DARK.plackett_luce.line),
        "weak": (LIGHT.grades[0], DARK.grades[0]),
        "faint": (LIGHT.faint, DARK.faint),
    }
    colours = " ".join(f"--{name}: light-dark({light}, {dark});" for name, (light, dark) in pairs.items())
    hidden = "@media screen and (scripting: enabled) { body:not(.revealed) #s2 { display: none; } }" if teacher else ""
    return f":root {{ {colours} }}\n{_asset('lesson.css')}{hidden}"


@cache
def _asset(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")


# The guess.


def guesses(kind: Kind) -> Iterable[str]:
    """Every guess that a file takes, as guesses are written."""
    match kind:
        case Number():
            return map(str, range(TOP + 1))
        case Range():
            ends = range(0, TOP + 1, STEP)
            return (f"{low}-{high}" for low in ends for high in ends if low <= high)
        case Choice():
            return LETTERS[: len(kind.options)]
        case Order():
            return map("".join, permutations(LETTERS[: len(kind.items)]))


def _guess(lesson: Lesson[Any], *, teacher: bool) -> Html:
    """The control, what it says of each guess, and for a teacher the button that shows the answer."""
    kind = lesson.kind
    words = {guess: f"Your guess: {kind.words(guess)}." for guess in guesses(kind)}
    replies = {guess: kind.apart(guess, lesson.answer()) for guess in words} if teacher else {}
    button = el("button", "Reveal", type="button", cls="reveal", disabled="") if teacher else None
    data = (data_element(name, _json(held)) for name, held in (("words", words), ("replies", replies)))
    return el(
        "div",
        _control(kind, lesson.ask),
        el("p", cls="said", aria_live="polite"),
        button,
        *data,
        cls="guess",
        data_kind=type(kind).__name__.lower(),
    )


def _control(kind: Kind, ask: str) -> Html:
    match kind:
        case Number():
            box = el("input", type="number", min=0, max=TOP, step=1, inputmode="numeric", id="typed")
            return join(
                el("label", ask, for_="slid"),
                _slider("slid", TOP // 2, 1),
                el("p", el("label", "Or type it: ", for_="typed"), box),
            )
        case Range():
            return el(
                "fieldset",
                el("legend", ask),
                el("label", "Lower end", for_="low"),
                _slider("low", 0, STEP),
                el("label", "Upper end", for_="high"),
                _slider("high", TOP, STEP),
            )
        case Choice():
            options = (
                el("label", el("input", type="radio", name="guess", value=letter), f"{letter}. {words}", cls="option")
                for letter, words in zip(LETTERS, kind.options, strict=False)
            )
            return el("fieldset", el("legend", ask), *options)
        case Order():
            items = (
                el(
                    "button",
                    el("strong", letter),
                    el("span", words),
                    el("span", cls="place"),
                    type="button",
                    value=letter,
                    aria_pressed="false",
                )
                for letter, words in zip(LETTERS, kind.items, strict=False)
            )
            how = el("p", "Tap in order, again to take back.")
            return el("fieldset", el("legend", ask), how, el("div", *items, cls="items"))


def _slider(name: str, value: int, step: int) -> Html:
    return el(
        "input",
        type="range",
        id=name,
        min=0,
        max=TOP,
        step=step,
        value=value,
        cls="unset",
        aria_valuetext="no value yet",
        autocomplete="off",
    )


# The answer.


def _answer(lesson: Lesson[Any]) -> Section | Play:
    """The finding, its bars and numbers, at every setting."""
    control = lesson.control
    if control is None:
        return _frame(lesson, lesson.start)
    names = list(control.settings)
    start = control.start if isinstance(control, OneOf) else f"{control.start:g}"
    return Play(
        name=control.key,
        label=control.label,
        stops=tuple(names),
        start=names.index(start),
        frames=tuple(_frame(lesson, setting, _note(control, name)) for name, setting in control.settings.items()),
    )


def _note(control: Scale | OneOf, name: str) -> str:
    return control.notes.get(name, "") if isinstance(control, OneOf) else ""


def _frame(lesson: Lesson[Any], setting: Any, note: str = "") -> Section:
    readouts, behind = list(lesson.readouts(setting)), lesson.sums(setting)
    numbers = Table(keyed(*(name for _, name, _ in readouts)), (tuple(value for value, _, _ in readouts),))
    sums = Table(keyed(*behind.columns), tuple(map(tuple, behind.rows)), caption=behind.caption)
    ending = (
        el("p", el("strong", "Discuss. "), lesson.discuss),
        el("p", el("strong", "What most people say first. "), lesson.first_guess),
        el("p", f"On your own data: {lesson.own.label}. Source: {lesson.source}.", cls="source"),
    )
    return Section(
        lesson.finding(),
        (written(lesson.why), note),
        (bars_html(lesson.picture(setting)), numbers, sums, join(*ending)),
    )


def _afterwards(lesson: Lesson[Any]) -> Section:
    """What a student's file ends with: no answer."""
    return Section("Then", ("The answer comes from your teacher. Keep your guess.", lesson.discuss))


# Bars, as boxes: their words keep their size on a phone.


def bars_html(bars: Bars) -> Html:
    """The chart of a lesson; a question mark in place of what is not shown yet."""
    every = 1 if len(bars.names) <= LABELLED else STEP
    columns = [_column(bars, i, named=not i % every) for i in range(len(bars.names))]
    caption = "; ".join(filter(None, (f"{bars.title} (0 to {bars.top:g})", bars.outlined, bars.told)))
    unknown = el("div", "?", cls="question") if bars.seen is None else None
    return el(
        "figure",
        el("figcaption", caption),
        unknown,
        el("div", *columns, cls="columns"),
        cls="bars",
        role="img",
        aria_label=bars_alt(bars),
    )


def _column(bars: Bars, i: int, *, named: bool) -> Html:
    def part(value: float) -> str:
        return f"{100 * min(max(value / bars.top, 0.0), 1.0):.2f}%"

    marks: list[Html] = []
    seen = None if bars.seen is None else float(bars.seen[i])
    outline = 0.0 if bars.outline is None else float(bars.outline[i])
    if seen is not None:
        marks.append(el("span", cls="fill strong" if bars.strong[i] else "fill", style=f"height:{part(seen)}"))
    if outline > 0:
        marks.append(el("span", cls="outline", style=f"height:{part(outline)}"))
    if seen is not None:
        low, top = (seen, seen) if bars.band is None else (float(end) for end in bars.band[i])
        if low < top:
            marks.append(el("span", cls="band", style=f"bottom:{part(low)};height:{part(top - low)}"))
        if len(bars.names) <= LABELLED:
            marks.append(el("span", f"{seen:.{bars.decimals}f}", cls="value", style=f"bottom:{part(top)}"))
    if bars.target is not None:
        marks.append(el("span", cls="tick", style=f"bottom:{part(float(bars.target[i]))}"))
    notes = (el("div", line) for line in bars.notes[i].split("<br>") if line)
    words = join(el("strong", bars.names[i]), *notes) if named else None
    return el("div", el("div", *marks, cls="room"), words, cls="column")


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
