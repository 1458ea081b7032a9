"""A class: guess first, answers with the teacher alone, the wall, what is printed."""

import html
import re
import threading
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from fairviz.display.theme import LIGHT
from fairviz.lessons import LESSONS, PLAN, WITHOUT_FORMULAS, Plan
from fairviz.lessons.lesson import Choice, Lesson, Number, Order, PercentRange, pasted, piled, wall
from pages._kit import session
from pages._learn import class_view as links
from pages._learn import classroom
from pages._learn.class_view import handout_html, key_html, plan_html
from pages._learn.classroom import Classroom, class_called, open_class
from pages._learn.figures import bars_figure, dots_figure, ranges_figure
from tests.app.conftest import OpenPage
from tests.app.reading import markup, title, words


@pytest.fixture
def room() -> Iterator[Classroom]:
    """A class that is over after the test."""
    one = open_class()
    yield one
    classroom.end_class(one.code)


def sent(at: AppTest) -> str:
    """Everything that the page sends: words, charts, controls."""
    charts = "".join(chart.proto.spec for chart in at.get("plotly_chart"))
    return words(at) + charts + "".join(str(node.proto) for node in (*at.button, *at.markdown))


def finding(lesson: Lesson) -> str:
    """The answer as a sentence."""
    return lesson.filled(lesson.finding)


def teach(app_test: OpenPage, room: Classroom, **link: str) -> AppTest:
    return app_test("learn", link={"room": room.code, "key": room.key, **link})


# Lessons.


lesson_called, minutes_before = PLAN.lesson_called, PLAN.begins


def test_lessons_that_are_planned_fill_the_minutes_and_without_formulas_the_extra_ones_fit_too() -> None:
    assert sum(lesson.minutes for lesson in PLAN.planned) == PLAN.minutes == 50
    assert sum(lesson.minutes for lesson in WITHOUT_FORMULAS.lessons) <= PLAN.minutes
    assert len(LESSONS) - len(WITHOUT_FORMULAS.lessons) == 4
    assert len({lesson.slug for lesson in LESSONS}) == len(LESSONS)
    assert {*PLAN.short_of_time} <= {lesson.slug for lesson in PLAN.planned}
    assert lesson_called("2") is lesson_called("exposure") is LESSONS[1]
    assert {type(lesson.kind) for lesson in LESSONS} == {Number, PercentRange, Choice, Order}
    for lesson in LESSONS:
        assert lesson.kind.read(lesson.answer) == lesson.answer


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.slug)
def test_the_answer_is_sent_after_guess_and_reveal_only(app_test: OpenPage, lesson: Lesson) -> None:
    guess = {Number: "7", PercentRange: "1-2", Choice: "a", Order: "abcd"}[type(lesson.kind)]
    at = app_test("learn", link={"lesson": lesson.slug, "guess": guess})
    before = sent(at)
    assert finding(lesson) not in before
    assert lesson.filled(lesson.why) not in before
    assert '"exact"' not in before  # the trace of the exact bars
    assert not re.search(r"\\(frac|sum|text|varepsilon)|e\^", before)  # formulas come with the answer
    at.button[_place(at, "Reveal")].click().run()
    assert at.query_params["shown"] in ("1", ["1"])
    after = sent(at)
    assert finding(lesson) in after
    assert lesson.kind.distance(guess, lesson.answer) in after
    assert '"exact"' in after
    assert "Now on your own data" in "".join(link.proto.label for link in at.get("page_link"))


def _place(at: AppTest, label: str) -> int:
    return next(i for i, button in enumerate(at.button) if button.label.startswith(label))


def test_there_is_no_reveal_without_a_guess(app_test: OpenPage) -> None:
    at = app_test("learn", link={"lesson": "exposure", "shown": "1"})
    assert finding(LESSONS[1]) not in words(at)
    assert "Drag to your guess, or type it:" in words(at)
    assert "The answer appears here after you guess." in words(at)
    assert "the higher its score, the likelier a document comes first" in " ".join(words(at).split())
    assert "e^(" not in words(at), "the formula comes with the answer"
    assert at.button[_place(at, "Reveal")].disabled
    at.slider[0].set_value(50).run()  # where it stood: only moving it counts
    at.slider[0].set_value(51).run()
    assert at.query_params["guess"] in ("51", ["51"])
    assert not at.button[_place(at, "Reveal")].disabled
    at.text_input[0].set_value("140").run()
    assert "“140” is no guess: expected a whole number from 0 to 100." in words(at)
    assert at.button[_place(at, "Reveal")].disabled
    at.text_input[0].set_value("85 %").run()
    assert at.slider[0].value == 85
    at.button[_place(at, "Reveal")].click().run()
    assert "You said 85: exactly right." in words(at)
    assert not at.text_input  # locked
    at.button[_place(at, "Next")].click().run()
    assert title(at) == LESSONS[2].title
    assert "guess" not in at.query_params
    at.button[_place(at, "← Back")].click().run()
    assert at.query_params["guess"] in ("85", ["85"])
    assert finding(LESSONS[1]) in words(at)
    at.button[_place(at, "Guess again")].click().run()
    assert finding(LESSONS[1]) not in words(at)


def test_a_control_that_another_replaced_guesses_nothing(app_test: OpenPage) -> None:
    """A browser may send the old slider once more, in its middle, with the next press: what was typed stays."""
    at = app_test("learn", link={"lesson": "exposure"})
    replaced = at.slider[0]._widget_state
    at.text_input[0].set_value("70").run()
    states = at._tree.get_widget_states()
    states.widgets.append(replaced)
    at._run(states)
    assert at.query_params["guess"] in ("70", ["70"])


def test_a_link_with_a_guess_that_is_none_says_so(app_test: OpenPage) -> None:
    at = app_test("learn", link={"lesson": "disparity", "guess": "abca", "shown": "1"})
    assert "guess = abca (shown: none; expected the letters a b c d in your order" in words(at)
    assert finding(LESSONS[2]) not in words(at)


def test_the_class_view_has_no_sidebar_and_is_in_the_address(app_test: OpenPage) -> None:
    at = app_test("learn", link={"lesson": "use", "view": "class"})
    assert "Class view: large type, no sidebar" in words(at)
    assert not at.get("button_group")
    at.button[_place(at, "Leave class view")].click().run()
    assert "view" not in at.query_params
    assert title(at) == lesson_called("use").title  # type: ignore[union-attr]


# A class and its key.


def test_a_key_opens_one_class(room: Classroom) -> None:
    other = open_class()
    assert room.opens(room.key)
    assert not room.opens(other.key)
    assert not room.opens("")
    classroom.end_class(other.code)
    assert class_called(room.code.lower()) is room


def test_a_class_is_forgotten_with_its_end_and_an_hour_after_its_teacher(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(classroom.time, "monotonic", lambda: now)
    first, second = open_class(), open_class()
    classroom.end_class(first.code)
    assert class_called(first.code) is None
    now += classroom.IDLE_SECONDS - 1
    second.teach("use", shown=False)
    second.stay()
    assert second.lesson == "use"
    now += classroom.IDLE_SECONDS
    assert class_called(second.code) is second
    now += 1
    assert class_called(second.code) is None


def test_forty_phones_at_once_one_guess_each_the_last_counts(room: Classroom) -> None:
    def phone(i: int) -> None:
        for guess in (str(i), str(i + 1)):
            room.send("exposure", f"phone{i}", guess)

    threads = [threading.Thread(target=phone, args=(i,)) for i in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(int, room.guesses_of("exposure"))) == list(range(1, 41))
    room.teach("exposure", shown=True)
    assert "locked" in room.send("exposure", "phone1", "99")
    assert "99" not in room.guesses_of("exposure")


def test_a_student_guesses_and_is_never_sent_an_answer(app_test: OpenPage, room: Classroom) -> None:
    teacher = teach(app_test, room, lesson="exposure", guess="70")
    student = app_test("learn", link={"room": room.code, "lesson": "exposure", "guess": "70", "shown": "1"})
    assert title(student) == LESSONS[1].ask
    assert not [button for button in student.button if button.label in {"Reveal", "Next"}]
    assert student.button[0].disabled
    assert not student.get("plotly_chart")
    student.slider[0].set_value(71).run()
    student.button[0].click().run()
    assert "Sent: 71" in words(student)
    assert room.guesses_of("exposure") == ["71"]
    teacher.run()
    assert "Waiting for guesses" in words(teacher)
    for i, guess in enumerate(("55", "85", "86", "40")):
        room.send("exposure", f"phone{i}", guess)
    teacher.run()
    assert "The class said 71; half said 55 to 85" in words(teacher)
    assert "came within" not in words(teacher)
    teacher.button[_place(teacher, "Reveal")].click().run()
    assert "2 of 5 came within 5." in words(teacher)
    assert not [button for button in teacher.button if button.label == "Guess again"]
    student.run()
    assert "The answer is on the wall. Your guess: 71." in words(student)
    for text in (sent(student), markup(student)):
        assert finding(LESSONS[1]) not in text
        assert room.key not in text
    teacher.button[_place(teacher, "Next")].click().run()
    student.run()
    assert title(student) == LESSONS[2].ask


def test_a_wrong_key_is_a_student_and_an_ended_class_is_over(app_test: OpenPage, room: Classroom) -> None:
    link = {"room": room.code, "key": "another", "lesson": "exposure", "guess": "70", "shown": "1"}
    at = app_test("learn", link=link)
    assert finding(LESSONS[1]) not in sent(at)
    classroom.end_class(room.code)
    at.run()
    assert title(at) == "This class is over"
    at.button[0].click().run()
    assert title(at) in {lesson.title for lesson in LESSONS}


def test_a_class_begins_on_the_page_and_says_when_phones_cannot_come_in(
    app_test: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(links, "on_this_machine", lambda: True)
    at = app_test("learn", link={"lesson": "use"})
    at.button[_place(at, "Start a class")].click().run()
    code = at.query_params["room"][0] if isinstance(at.query_params["room"], list) else at.query_params["room"]
    assert links.UNREACHABLE in words(at)
    assert "<img" not in markup(at)
    monkeypatch.setattr(links, "on_this_machine", lambda: False)
    at.run()
    assert links.UNREACHABLE not in words(at)
    assert re.search(
        rf'<img class="fv-qr" src="data:image/svg\+xml[^>]*alt="QR code of http[^"]*room={code}"', markup(at)
    )
    at.session_state["teachers"] = True
    at.run()
    begun = class_called(code)
    assert begun.key in at.get("code")[0].value
    at.button[_place(at, "End the class")].click().run()
    assert class_called(code) is None
    assert "room" not in at.query_params


def test_the_link_of_a_class_keeps_the_path_of_a_proxy(room: Classroom, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(links.st, "context", SimpleNamespace(url="https://study.example/lab/fairviz/learn?lesson=use"))
    assert links.link_of(room=room.code) == f"https://study.example/lab/fairviz/learn?room={room.code}"


def test_a_pasted_list_is_a_class_too(app_test: OpenPage) -> None:
    at = app_test("learn", link={"lesson": "metrics", "guess": "a", "shown": "1"})
    at.text_area[0].set_value("d d c\nA b x 12").run()
    said = words(at)
    assert "2 of 5 said “AWRF says framed, NDKL says taking turns”" in said
    assert "2 of 5 are right." in said
    assert "Left out, 2 entries: “x” and “12”. Expected one letter from a to d." in said
    assert "taking turns” ✓" in markup(at)
    at.toggle[0].set_value(True).run()
    assert "Hidden until you show them." in words(at)
    assert "2 of 5" not in words(at)


def test_a_wall_looks_for_guesses_until_the_answer_is_shown_and_says_that_its_teacher_is_there(
    app_test: OpenPage, room: Classroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[float | None] = []
    fragment = links.st.fragment

    def heard(draw: Callable[..., None], run_every: float | None = None) -> Callable[..., None]:
        looks.append(run_every)
        return fragment(draw, run_every=run_every)

    monkeypatch.setattr(links.st, "fragment", heard)
    monkeypatch.setattr(Classroom, "teach", lambda *_, **__: None)  # what the whole page says of its teacher
    now = time.monotonic() + 100
    monkeypatch.setattr(classroom.time, "monotonic", lambda: now)
    teach(app_test, room, lesson="attention", guess="70")
    assert room.seen == now
    teach(app_test, room, lesson="attention", guess="70", shown="1")
    assert (looks[0], set(looks[1:])) == (links.LOOK_SECONDS, {None})


# Guesses.


def test_kinds_read_what_people_write() -> None:
    assert [Number().read(text) for text in ("70", " 7 %", "85.0", "101", "-3", "x", "")] == ["70", "7", "85"] + [
        None
    ] * 4
    assert [PercentRange().read(text) for text in ("30-50", "50 – 30", "30 to 50", "30:150", "30")] == ["30-50"] * 3 + [
        None
    ] * 2
    choice, order = Choice(("yes", "no")), Order(("w", "x", "y"))
    assert [choice.read(text) for text in ("a", "B", "c", "ab")] == ["a", "b", None, None]
    assert [order.read(text) for text in ("bca", "B < C < A", "b,c,a", "bc", "bcc", "abcc")] == ["bca"] * 3 + [None] * 3


def test_kinds_tell_a_guess_from_the_answer_at_their_edges() -> None:
    assert [Number().is_close(guess, "85") for guess in ("80", "90", "79", "91")] == [True, True, False, False]
    assert Number().distance("90", "85") == "You said 90: 5 too many."
    said = [PercentRange().distance(guess, "30-50") for guess in ("30-50", "30-45", "20-50", "10-40")]
    assert [text.rpartition(": ")[2] for text in said] == [
        "exactly right.",
        "too narrow.",
        "too wide.",
        "the ends are 20 and 10 off.",
    ]


def test_a_wall_waits_for_five_and_counts_right_ones_only_when_shown() -> None:
    assert wall(Number(), ["1"] * 4, "1").title == "Waiting for guesses"
    assert wall(Number(), ["10", "20", "30", "40", "50"]).sentence == ""
    shown = wall(PercentRange(), ["30-50", "28-53", "0-100", "30-60", "40-40"], "30-50")
    assert shown.title == "The class said 30 to 53; half of the ranges are 20 to 30 wide"
    assert shown.sentence == "2 of 5 came within 5 at both ends."
    assert wall(Order(("w", "x", "y")), ["abc", "abc", "bca", "cab", "abc"], "abc") == (
        "3 of 5 said a < b < c; 3 orders in all",
        "3 of 5 have all in order.",
    )
    tied = wall(Choice(("yes", "no", "both")), ["a", "a", "b", "b", "c"]).title
    assert tied == "No majority: 2 said “yes”, as many “no”"


def test_nothing_of_the_answer_is_drawn_or_told_before_it_is_shown() -> None:
    missing = next(lesson for lesson in LESSONS if lesson.slug == "missing")
    bars = missing.bars(missing.start)
    closed, shown = (bars_figure(one, colours=LIGHT) for one in (bars.closed, bars))
    assert [trace.name for trace in closed.data] == ["outline"]
    assert [trace.name for trace in shown.data] == ["exact", "outline"]
    told = [[note.text for note in figure.layout.annotations] for figure in (closed, shown)]
    assert "outline: labelled" in told[0]
    assert "outline: labelled; line: what is open" in told[1]


def test_figures_of_a_wall_hold_the_guesses_and_the_answer_only_when_shown() -> None:
    closed = dots_figure([10, 11, 12, 80, 90], 50, None, colours=LIGHT)
    names = [trace.name for trace in closed.data]
    assert names == ["middle half", "median", "guesses", "this screen"]
    assert list(closed.data[1].x) == [12, 12]
    assert list(closed.data[2].x) == [10, 11, 12, 80, 90]  # each exactly where it is
    shown = dots_figure([10, 11, 12, 80, 90], None, 85, colours=LIGHT)
    assert list(shown.data[-1].x) == [85, 85]
    x, y, diameter = piled([50] * 30 + [51, 53, 90], 5.0, 20.0)
    assert y.max() + diameter / 2 <= 20 + 1e-6
    apart = np.hypot(x[:, None] - x, y[:, None] - y) + 10 * np.eye(len(x))
    assert apart.min() >= diameter - 1e-6  # no two overlap
    assert y[-1] == diameter / 2  # one alone stands on the ground
    ranges = ranges_figure([(30, 50), (0, 100)], (20, 40), (30, 50), colours=LIGHT)
    assert list(ranges.data[0].x) == [0, 100, None, 30, 50, None]
    assert ranges.layout.annotations[0].text == "<b>exact 30 to 50</b>"


def test_a_pasted_list_of_ranges_and_orders() -> None:
    assert pasted(PercentRange(), "30-50\n20 to 80; 7") == (["30-50", "20-80"], ["7"])
    assert pasted(Order(("w", "x", "y")), "b c a\nabc") == (["bca", "abc"], [])


# On paper.


def pages_of(plan: Plan) -> tuple[str, str, str]:
    """The plan, every handout and the key of a class."""
    return plan_html(plan), handout_html(plan, plan.lessons), key_html(plan)


def test_prints_hold_answers_in_the_key_only() -> None:
    plan, sheets, key = (html.unescape(page) for page in pages_of(PLAN))
    assert "<th>Source" in re.sub(r"<th [^>]*>", "<th>", plan)
    said = re.sub(r"\s+", " ", re.sub(r"<style>.*?</style>|<[^>]+>", " ", sheets, flags=re.DOTALL))
    assert sheets.count("<article>") == len(LESSONS)
    for lesson in LESSONS:
        assert lesson.title in plan
        assert lesson.discuss in said
        for hidden in (finding(lesson), lesson.filled(lesson.why), lesson.first_guess):
            assert hidden not in said
            assert hidden not in plan
        assert lesson.filled(lesson.why) in key
        own = re.sub(r"\s+", " ", " ".join((lesson.filled(lesson.text), lesson.draw, lesson.discuss)))
        if isinstance(lesson.kind, Number) and lesson.slug not in {"optimal", "vote"}:  # 100 and 0: ends of the scale
            assert not re.search(rf"\b{lesson.answer}\b", own), lesson.slug
    assert "minute" in plan.lower()
    assert "47–50" in plan
    assert "QR code" not in sheets
    link = "http://class.example/learn?room=ABCDE"
    assert f"QR code of {link}" in handout_html(PLAN, LESSONS[:1], link)
    for page in (plan, sheets, key):
        assert "<script" not in page
        assert "default-src 'none'" in page


def test_a_class_without_formulas_leaves_them_out_of_bar_prints_and_phones(app_test: OpenPage, room: Classroom) -> None:
    at = teach(app_test, room, lesson="disparity")
    at.session_state["prints"] = True
    at.run()
    next(each for each in at.toggle if each.label == "Without formulas").set_value(True).run()
    assert room.plan is WITHOUT_FORMULAS
    assert title(at) == next(lesson for lesson in LESSONS if lesson.slug == "sure").title, "the next one that is left"
    opened = [button.key.removeprefix("go-") for button in at.button if str(button.key).startswith("go-")]
    assert opened == [lesson.slug for lesson in WITHOUT_FORMULAS.lessons]
    student = app_test("learn", link={"room": room.code})
    assert f"Lesson 3 of {len(LESSONS) - 4} · Your guess" in words(student)
    kept = {lesson.slug for lesson in WITHOUT_FORMULAS.lessons}
    for page in map(html.unescape, pages_of(room.plan)):
        assert {lesson.slug for lesson in LESSONS if lesson.title in page or lesson.ask in page} == kept
    assert "9 lessons in 34 minutes" in plan_html(room.plan)
    assert "16 minutes of 50 remain" in plan_html(room.plan)
    next(each for each in at.toggle if each.label == "Without formulas").set_value(False).run()
    assert room.plan is PLAN


def test_the_key_leaves_the_address_and_a_reload_in_the_same_browser_teaches_on(
    app_test: OpenPage, room: Classroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = finding(LESSONS[1])
    shown = {"room": room.code, "lesson": "exposure", "guess": "70", "shown": "1"}
    monkeypatch.setattr(session, "token", lambda: "the teacher's")
    at = app_test("learn", link={**shown, "key": room.key})
    assert answer in sent(at)
    assert room.key not in str(at.query_params)
    address: dict[str, str | list[str]] = dict(at.query_params)
    assert answer in sent(app_test("learn", link=address))
    assert answer not in sent(app_test("learn", link={**shown})), "a student's link, tried out in the same browser"
    monkeypatch.setattr(session, "token", lambda: "a student's")
    assert answer not in sent(app_test("learn", link=address)), "the address alone opens nothing"


def test_a_slide_reveals_for_the_class_without_a_guess_of_the_teacher(app_test: OpenPage, room: Classroom) -> None:
    at = teach(app_test, room, view="class", lesson="exposure")
    assert "Waiting for guesses" in words(at)
    for n in range(3):
        room.send("exposure", f"phone {n}", str(50 + n))

    def press() -> None:
        next(button for button in at.button if button.label.startswith("Reveal")).click().run()

    press()
    assert "Reveal with 3 guesses?" in [button.label for button in at.button]
    assert not room.shown
    for n in range(3, 7):
        room.send("exposure", f"phone {n}", "85")
    press()
    assert room.shown == {"exposure"}
    # 50, 51, 52, 85 four times: the middle is 85; four of seven came within five of 85
    assert "The class said 85; half said 52 to 85 4 of 7 came within 5." in " ".join(words(at).split())
    assert finding(lesson_called("exposure")) not in sent(teach(app_test, room, view="class", lesson="use"))
    at.session_state["teachers"] = True
    at.run()
    assert room.key not in str(at.query_params)
    assert not [box for box in at.get("code") if room.key in box.value]


BEGINS = minutes_before(LESSONS[1])
ENDS = BEGINS + LESSONS[1].minutes
"""Of lesson 2 in the plan."""
CLOCKS = [(ENDS - 1, "on time"), (ENDS + 7, "7 minutes behind the plan"), (BEGINS - 2, "2 minutes left over")]


@pytest.mark.parametrize(("minute", "words_of_clock"), CLOCKS)
def test_the_clock_says_how_far_the_class_is_off_its_plan(
    app_test: OpenPage, room: Classroom, minute: int, words_of_clock: str
) -> None:
    room.began = time.monotonic() - 60 * minute - 5
    said = words(teach(app_test, room, view="class", lesson="exposure"))
    assert f"{minute}:05" in said
    assert words_of_clock in said
