"""What a class has on paper: the plan of 50 minutes, a handout per lesson without answers, and the key with them.

Each is one HTML file for A4, black on white, that needs nothing else; the browser prints it.
"""

from collections.abc import Sequence
from typing import Any

from fairviz.lessons.bars import Bars
from fairviz.lessons.guesses import LETTERS, Choice, Kind, Order, Range
from fairviz.lessons.lesson import Lesson, written
from fairviz.lessons.plan import CHAPTERS, CLASS_MINUTES, LESSONS, minutes_before
from fairviz.model import FloatArray
from pages._kit.html import Html, el, join
from pages._learn.links import qr_code

STYLE = """
@page { size: A4; margin: 14mm 16mm; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 178mm; padding: 1rem; background: white; color: black; text-wrap: pretty;
  font: 11pt/1.45 "Source Sans 3", "Source Sans Pro", "Helvetica Neue", Arial, sans-serif; }
h1, .n { font-family: "Source Serif 4", "Source Serif Pro", Georgia, serif; font-weight: 600; }
h1 { font-size: 20pt; line-height: 1.2; margin: 0; text-wrap: balance; }
h2 { font-size: 12.5pt; margin: 5mm 0 1mm; }
.kick { font-size: 8.5pt; font-weight: 600; letter-spacing: .07em; text-transform: uppercase; margin: 0 0 1mm; }
header { display: flex; justify-content: space-between; gap: 8mm; align-items: start; padding-bottom: 3mm;
  border-bottom: 1.5pt solid black; margin-bottom: 4mm; }
header figure { margin: 0; font-size: 7.5pt; text-align: center; width: 30mm; overflow-wrap: anywhere; }
header img { width: 24mm; height: 24mm; display: block; margin: 0 auto; }
article { break-after: page; } article:last-child { break-after: auto; }
section { display: grid; grid-template-columns: 9mm 1fr; margin: 3.2mm 0; break-inside: avoid; }
section p { margin: 0 0 1.5mm; } .n { font-size: 15pt; line-height: 1.1; }
@media print { body { padding: 0; max-width: none; } }
svg { display: block; width: 100%; height: auto; font: 11px "Source Sans 3", Arial, sans-serif; }
table { border-collapse: collapse; width: 100%; font-size: 9.5pt; font-variant-numeric: tabular-nums; }
th, td { border-bottom: .6pt solid black; padding: 1.2mm 1.6mm; text-align: left; vertical-align: top; }
thead th { border-bottom-width: 1.2pt; } tr { break-inside: avoid; }
.grid th + th, .grid td { border-left: .6pt solid black; text-align: center; } .grid td { height: 8mm; }
.line { border-bottom: .4pt solid black; height: 7.5mm; }
.chapter th { font-size: 11pt; padding-top: 2.5mm; border-bottom-width: 1.2pt; }
.boxes { list-style: none; margin: 1mm 0; padding: 0; } .boxes li { margin: 1mm 0; }
.box { display: inline-block; width: 4mm; height: 4mm; border: 1pt solid black; margin-right: 3mm;
  vertical-align: -.6mm; } .wide.box { width: 10mm; height: 7mm; }
footer { display: flex; justify-content: space-between; gap: 6mm; border-top: .6pt solid black; padding-top: 1.5mm;
  margin-top: 5mm; font-size: 8.5pt; }
"""
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"


def plan_html() -> str:
    """The 50 minutes, lesson by lesson: no answers."""
    columns = ("Minute", "Lesson", "Question", "Guess", "Source")
    rows: list[Html] = []
    for chapter in CHAPTERS:
        rows.append(el("tr", el("th", chapter.name, colspan=len(columns), scope="rowgroup"), cls="chapter"))
        rows += [
            _row(
                f"{minutes_before(lesson)}–{minutes_before(lesson) + lesson.minutes}",
                f"{LESSONS.index(lesson) + 1}. {lesson.name}",
                lesson.title,
                _way(lesson.kind),
                lesson.source,
            )
            for lesson in chapter.lessons
        ]
    steps = (
        "Before: start fairviz so that phones reach it (fairviz app --host 0.0.0.0), open Learn, start a class, enter "
        "Class view. Print the handouts.",
        "Each lesson: read the question, let everybody guess (half of the time), look at the spread, reveal, ask why, "
        "move one control, go on.",
        "Short of time: leave out lessons 4, 7 and 10. To go on: the link “Now on your own data” of each lesson.",
    )
    lead = join(*(el("p", step) for step in steps))
    title = f"{len(LESSONS)} lessons in {CLASS_MINUTES} minutes"
    return _page("Plan of a class", el("article", _header("Plan", title), lead, _table(columns, rows)))


def handout_html(lessons: Sequence[Lesson[Any]], link: str = "") -> str:
    """A sheet per lesson without answers: place for a guess, a drawing, exact values, discussion, the class's result.

    Args:
        lessons: Which of them.
        link: What phones open to guess; none outside of a class that they can reach.
    """
    return _page("Handout", *(_handout(lesson, link) for lesson in lessons))


def key_html() -> str:
    """All answers, why, and the guess that most people make first: for teachers."""
    rows = [
        _row(
            f"{number}. {lesson.name}",
            lesson.ask,
            _answer_words(lesson),
            f"{lesson.finding()}. {written(lesson.why)}",
            lesson.first_guess,
        )
        for number, lesson in enumerate(LESSONS, start=1)
    ]
    table = _table(("Lesson", "Question", "Answer", "Why", "First guess, and what to try"), rows)
    note = el(
        "p",
        "Everything is computed from a few documents or questions by the library that measures your data. Numbers are "
        "rounded; a guess is close within 5.",
    )
    return _page("Key", el("article", _header("Key · for teachers", "Twelve answers"), note, table))


def _handout(lesson: Lesson[Any], link: str) -> Html:
    number = LESSONS.index(lesson) + 1
    chapter = next(i for i, one in enumerate(CHAPTERS, start=1) if lesson in one.lessons)
    bars = lesson.picture(lesson.start).before
    code = el("figure", qr_code(link), el("figcaption", link)) if link else None
    kind = lesson.kind
    result = "Median guess ______   middle half ______ to ______   exact ______"
    if isinstance(kind, Choice | Order):
        result = "Most common guess ______   said by ______ of ______   exact ______"
    steps = (
        (el("p", el("strong", "Guess before you calculate. "), lesson.ask), _space(kind)),
        (el("p", el("strong", "Draw. "), lesson.draw), _frame(bars)),
        (el("p", el("strong", "After the reveal, "), "write the exact values in."), _values(bars)),
        (
            el("p", el("strong", "Discuss in pairs. "), lesson.discuss),
            join(*(el("div", cls="line") for _ in range(3))),
        ),
        (el("p", el("strong", "Class result. "), result), Html("")),
    )
    return el(
        "article",
        _header(f"Chapter {chapter} · Lesson {number} · Handout", lesson.title, code),
        el("p", written(lesson.text)),
        *(
            el("section", el("div", str(place), cls="n"), el("div", words, drawn))
            for place, (words, drawn) in enumerate(steps, start=1)
        ),
        _footer(
            f"lesson {number} of {len(LESSONS)} · no answers on this page; the key is in the teacher's link",
            lesson.source,
        ),
    )


def _answer_words(lesson: Lesson[Any]) -> str:
    answer = lesson.answer()
    if isinstance(lesson.kind, Choice):
        return f"{answer}: {lesson.kind.words(answer)}"
    return lesson.kind.words(answer)


def _way(kind: Kind) -> str:
    match kind:
        case Choice():
            return "choose"
        case Order():
            return "put in order"
        case Range():
            return "drag two ends"
        case _:
            return "0 to 100"


def _space(kind: Kind) -> Html:
    """Place for a guess."""
    match kind:
        case Choice(options=options):
            return _boxes(options, "box")
        case Order(items=items):
            places = " < ".join("_____" for _ in items)
            return join(_boxes(items, ""), el("p", f"Your order: {places}"))
        case _:
            return _scale("Mark both ends." if isinstance(kind, Range) else "")


def _boxes(words: Sequence[str], box: str) -> Html:
    mark = el("span", cls=box) if box else None
    return el(
        "ul", *(el("li", mark, el("strong", f"{a}  "), b) for a, b in zip(LETTERS, words, strict=False)), cls="boxes"
    )


def _scale(words: str) -> Html:
    """A line from 0 to 100 to mark a guess on."""
    left, width = 12, 596
    marks: list[Html] = [_line(left, 18, left + width, 18)]
    for step in range(21):
        x = left + width * step / 20
        tall = 10 if step % 5 == 0 else 6
        marks.append(_line(x, 18 - tall, x, 18 + tall))
        if step % 5 == 0:
            marks.append(_words(x, 44, str(5 * step)))
    drawn = el("svg", *marks, viewBox="0 0 620 50", role="img", aria_label="A scale from 0 to 100")
    return join(el("p", words) if words else None, drawn)


def _frame(bars: Bars) -> Html:
    """Empty columns to shade; what is known before is outlined in full, the rest is dashed."""
    left, width, bottom, height = 40, 580, 170, 150
    n = len(bars.names)
    step = width / n
    marks: list[Html] = [_words(left - 34, 8, bars.title, anchor="start")]
    for part in range(5):
        y = bottom - height * part / 4
        marks.append(_line(left, y, left + width, y, dash="" if part == 0 else "1 3"))
        marks.append(_words(left - 6, y + 4, f"{bars.top * part / 4:g}", anchor="end"))
    known: FloatArray | None = bars.outline
    every = 1 if n <= 12 else 5
    for i, (name, notes) in enumerate(zip(bars.names, bars.notes, strict=True)):
        x, wide = left + step * (i + 0.22), step * 0.56
        full = 0.0 if known is None else float(known[i]) / bars.top * height
        marks.append(_box(x, bottom - height, wide, height, dash="3 3"))
        if full > 0:
            marks.append(_box(x, bottom - full, wide, full))
        if i % every == 0:
            marks.append(_words(x + wide / 2, bottom + 15, name, bold=True))
            for line, note in enumerate(notes.split("<br>")):
                marks.append(_words(x + wide / 2, bottom + 29 + 13 * line, note))
    lines = max(len(notes.split("<br>")) for notes in bars.notes) if any(bars.notes) else 0
    box = f"0 0 620 {bottom + 22 + 13 * lines}"
    return el("svg", *marks, viewBox=box, role="img", aria_label=f"Empty columns: {', '.join(bars.names)}")


def _line(x: float, y: float, to_x: float, to_y: float, *, dash: str = "") -> Html:
    return el(
        "line", x1=f"{x:g}", y1=f"{y:g}", x2=f"{to_x:g}", y2=f"{to_y:g}", stroke="black", stroke_dasharray=dash or None
    )


def _box(x: float, y: float, width: float, height: float, *, dash: str = "") -> Html:
    place = {"x": f"{x:g}", "y": f"{y:g}", "width": f"{width:g}", "height": f"{height:g}"}
    weight = "0.8" if dash else "1.6"
    return el("rect", fill="none", stroke="black", stroke_width=weight, stroke_dasharray=dash or None, **place)


def _words(x: float, y: float, text: str, *, anchor: str = "middle", bold: bool = False) -> Html:
    return el("text", text, x=f"{x:g}", y=f"{y:g}", text_anchor=anchor, font_weight="600" if bold else None)


def _values(bars: Bars) -> Html:
    """A row for one's own numbers and one for the exact ones."""
    names = bars.names if len(bars.names) <= 12 else bars.names[::5]
    head = el("tr", el("th", "", scope="col"), *(el("th", name, scope="col") for name in names))
    rows = (el("tr", el("th", row, scope="row"), *(el("td") for _ in names)) for row in ("my guess", "exact"))
    return el("table", el("thead", head), el("tbody", *rows), cls="grid")


def _row(first: str, *cells: str) -> Html:
    return el("tr", el("th", first, scope="row"), *(el("td", cell) for cell in cells))


def _table(columns: Sequence[str], rows: Sequence[Html]) -> Html:
    head = el("tr", *(el("th", name, scope="col") for name in columns))
    return el("table", el("thead", head), el("tbody", *rows))


def _header(kick: str, title: str, code: Html | None = None) -> Html:
    return el("header", el("div", el("p", kick, cls="kick"), el("h1", title)), code)


def _footer(left: str, right: str) -> Html:
    return el("footer", el("span", f"fairviz · {left}"), el("span", f"after {right}"))


def _page(title: str, *articles: Html) -> str:
    head = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
    )
    named = f"{el('title', f'fairviz: {title}')}\n<style>{STYLE}</style>"
    return f"{head}{named}\n</head>\n<body>\n{join(*articles)}\n</body>\n</html>\n"
