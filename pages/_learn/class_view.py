"""A lesson of a class: the bar of them all, a guess, the wall, the exact answer, the link for phones, the prints."""

import socket
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal
from urllib.parse import urlencode, urlsplit

import segno
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from fairviz.display.markup import rendered
from fairviz.display.words import Finding, listing, plural
from fairviz.hosts import LOCAL
from fairviz.lessons import LESSONS, PLAN, WITHOUT_FORMULAS, Plan
from fairviz.lessons.lesson import (
    ENOUGH,
    LETTERS,
    TOP,
    Bars,
    Choice,
    Kind,
    Lesson,
    Number,
    Order,
    PercentRange,
    Setting,
    ends,
    pasted,
    wall,
)
from pages._kit import colours, counts_line, kicker, readouts, rule, section, show_figure, user_text
from pages._kit.downloads import download
from pages._kit.html import Html, PageColumn, bar, el, html_table, join
from pages._kit.session import on_this_machine
from pages._learn.classroom import Classroom, Screen, begin, end, follow_plan, go, keep, say, show_large
from pages._learn.figures import BESIDE, WallSize, bars_figure, dots_figure, ranges_figure

UNREACHABLE = (
    "Phones cannot reach this server: it listens on this machine alone. To open it to the class, end fairviz, start it "
    "with fairviz app --host 0.0.0.0, and begin the class again. To try it out, open the link in a second tab."
)


def link_of(**parameters: str) -> str:
    """What opens this page from another machine: a class's code for phones, with its key for its teacher alone."""
    parts = urlsplit(st.context.url or "http://localhost/learn")
    host = parts.hostname or "localhost"
    if host in LOCAL and not on_this_machine():
        host = address_of_this_machine()
    name = f"[{host}]" if ":" in host else host
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{name}{port}{parts.path}?{urlencode(parameters)}"


def qr_source(link: str) -> str:
    """A link as a picture that phones read: the source of an inline image, dark on light in both themes."""
    return segno.make(link, error="m", micro=False).svg_data_uri(scale=4, border=2, dark="black", light="white")


def address_of_this_machine() -> str:
    """The address that others on the network know this machine by; its own name where it has none.

    A datagram socket is pointed at an address for examples (RFC 5737): that chooses a way out, and sends nothing.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return socket.gethostname()
        return str(probe.getsockname()[0])


LOOK_SECONDS = 2
"""Between two looks at new guesses, until the answer is shown."""
MOST_ORDERS = 5
"""Orders that are shown: the most common ones."""
SHOWN_REFUSED = 3
"""Pasted words that are named where they are no guesses."""


def from_list(screen: Screen) -> tuple[list[str], list[str]]:
    """The guesses of the pasted list, which lives in this session, and what was none."""
    return pasted(screen.lesson.kind, st.session_state.get(f"pasted_{screen.lesson.slug}") or "")


def guesses_of(screen: Screen) -> list[str]:
    """All guesses of the lesson: those of the pasted list, and those that phones sent."""
    of_list, _ = from_list(screen)
    return [*of_list, *(screen.room.guesses_of(screen.lesson.slug) if screen.room else ())]


def show_wall(screen: Screen, size: WallSize = BESIDE) -> None:
    """What the class guessed; nothing outside of a class, until a list is pasted."""
    if screen.room is not None or guesses_of(screen):
        live = screen.room is not None and not screen.shown
        st.fragment(_wall, run_every=LOOK_SECONDS if live else None)(screen, size)


def wall_tools(screen: Screen) -> None:
    """Hide the guesses until all are in; paste a list where nobody has a phone."""
    kind, slug = screen.lesson.kind, screen.lesson.slug
    guesses, refused = from_list(screen)
    with st.container(horizontal=True, vertical_alignment="center"):
        if screen.room is not None or guesses:
            st.toggle("Hide guesses", key=f"hide_{slug}", persist_state="session")
        with st.popover("Paste a list of guesses …", type="tertiary"):
            st.text_area(
                "One guess a line",
                key=f"pasted_{slug}",
                persist_state="session",
                help=f"Each is {kind.expected}. The list stays in this tab.",
            )
    if refused:
        n, first = len(refused), [f"“{word[:20]}”" for word in refused[:SHOWN_REFUSED]]
        counts_line(f"Left out, {plural(n, 'entry', 'entries')}: {listing(first)}. Expected {kind.expected}.")


def _wall(screen: Screen, size: WallSize) -> None:
    """What the class says above its guesses; on a slide in letters that are read from the last row."""
    kind, slug, guesses, room = screen.lesson.kind, screen.lesson.slug, guesses_of(screen), screen.room
    exact = screen.lesson.answer if screen.shown else ""
    above, is_open = wall(kind, guesses, exact), len(guesses) >= ENOUGH
    if room is not None:
        room.stay()
    if is_open and (size is BESIDE or not exact) and st.session_state.get(f"hide_{slug}"):
        above, is_open = Finding(f"{len(guesses)} guesses are in", "Hidden until you show them."), False
    if size is BESIDE:
        kicker(f"The class · {plural(len(guesses), 'guess', 'guesses')} in")
        section(above.title, f"{ENCODINGS[kind.name] if is_open else ''} {above.sentence}".strip())
    else:
        of_phones = f"{len(guesses)} of {plural(len(room.students) if room else 0, 'phone')}"
        st.html(el("div", el("h2", above.title), el("p", above.sentence or of_phones), cls="fv-says"))
    if is_open:
        picture(kind, slug, guesses, screen.guess if size is BESIDE else "", exact, size)


ENCODINGS = {
    "choice": "",
    "order": "",
    "range": "One line per guess, orange: this screen's.",
    "number": "One dot per guess, orange: this screen's. Bar: middle half, tick: median.",
}
"""What the wall draws of each kind of guess."""


def picture(kind: Kind, slug: str, guesses: list[str], own: str, exact: str, size: WallSize = BESIDE) -> None:
    match kind:
        case Choice() | Order():
            _tally(kind, guesses, exact)
        case PercentRange():
            marks = ends(own) if own else None, ends(exact) if exact else None
            figure = ranges_figure([ends(guess) for guess in guesses], *marks, colours=colours(), size=size)
            show_figure(figure, f"wall-{slug}", wall(kind, guesses, exact).title)
        case _:
            numbers = [int(guess) for guess in guesses]
            known_number = int(own) if own else None, int(exact) if exact else None
            figure = dots_figure(numbers, *known_number, colours=colours(), size=size)
            show_figure(figure, f"wall-{slug}", wall(kind, guesses, exact).title)


def _tally(kind: Choice | Order, guesses: list[str], exact: str) -> None:
    """How many said what: every option, or the most common orders."""
    counts = Counter(sorted(guesses))
    choices = list(kind.letters) if isinstance(kind, Choice) else []
    choices = choices or [guess for guess, _ in counts.most_common(MOST_ORDERS)]
    most = max(counts.values())
    rows = [
        [
            f"{f'{guess} ' if isinstance(kind, Choice) else ''}{kind.words(guess)}{' ✓' if guess == exact else ''}",
            str(counts[guess]),
            bar(counts[guess] / most, "plackett-luce" if guess == exact else "mute"),
        ]
        for guess in choices
    ]
    html_table(["Guess", "of the class", PageColumn(wide=True)], rows, caption="What the class said")


def plan_html(plan: Plan) -> str:
    """The minutes of a class, lesson by lesson: no answers."""
    planned = sum(lesson.minutes for lesson in plan.planned)
    first_out = [str(plan.number_of(lesson)) for lesson in plan.planned if lesson.slug in plan.short_of_time]
    left_out = len(LESSONS) - len(plan.lessons)
    return rendered("plan.html", plan=plan, planned=planned, first_out=first_out, left_out=left_out)


def key_html(plan: Plan) -> str:
    """All answers, why, and the guess that most people make first: for teachers."""
    return rendered("key.html", lessons=plan.lessons)


def handout_html(plan: Plan, lessons: Sequence[Lesson], link: str = "") -> str:
    """A sheet per lesson without answers: place for a guess, a drawing, exact values, discussion, the class's result.

    Args:
        plan: Of the class.
        lessons: Which of its lessons.
        link: What phones open to guess; none outside of a class that they can reach.
    """
    sheets = [
        {
            "lesson": lesson,
            "number": plan.number_of(lesson),
            "chapter": next(i for i, own in enumerate(plan.chapters.values(), start=1) if lesson in own),
            "bars": lesson.bars(lesson.start).closed,
        }
        for lesson in lessons
    ]
    qr = qr_source(link) if link else ""
    return rendered("handout.html", sheets=sheets, lessons=len(plan.lessons), letters=LETTERS, link=link, qr=qr)


# Controls that have no value until somebody gives them one: a slider, two ends, one of a few, an order.

_DRAFTS = "guess_drafts"


@dataclass(slots=True)
class _Draft:
    """A guess in the making, and how often each of its two controls was begun anew.

    A control that follows another gets a new key: a browser repeats the old value of the same one.
    """

    guess: str
    dragged: int = 0
    typed: int = 0


def guess_control(kind: Kind, ask: str, *, key: str, start: str) -> str:
    """Ask for a guess; empty until there is a whole one.

    Args:
        kind: How it is guessed.
        ask: The question, which names the control.
        key: Of the question in this session.
        start: What was guessed before, if anything.
    """
    drafts: dict[str, _Draft] = st.session_state.setdefault(_DRAFTS, {})
    draft = drafts.setdefault(key, _Draft(start))
    with st.container(key="guess"):
        match kind:
            case Choice():
                return _choice(kind, ask, key, start)
            case Order():
                return _order(kind, ask, key, start)
            case _:
                return _scale(kind, ask, key, draft)


def forget_guess(key: str) -> None:
    """Begin a question anew."""
    st.session_state.get(_DRAFTS, {}).pop(key, None)
    for name in [name for name in st.session_state if str(name).startswith(f"{key}-")]:
        del st.session_state[name]


def _scale(kind: Kind, ask: str, key: str, draft: _Draft) -> str:
    """A slider, with one end or two, and a box to type the same."""
    two = isinstance(kind, PercentRange)
    unset = (0, TOP) if two else TOP // 2
    value = unset if not draft.guess else ends(draft.guess) if two else int(draft.guess)
    slide, box = f"{key}-slide-{draft.typed}", f"{key}-type-{draft.dragged}"
    if not draft.guess:
        st.html(el("span", "no value yet", cls="fv-unset fv-unseen"))
    st.slider(ask, 0, TOP, value, key=slide, on_change=_dragged, args=(draft, slide, draft.typed))
    left, right = st.columns([3, 2], vertical_alignment="center")
    drag = f"Drag {'both ends ' if two else ''}to your guess, or type it"
    left.html(el("p", f"{'Or type it' if draft.guess else drag}{', such as 20-80' if two else ''}:", cls="fv-counts"))
    right.text_input(
        f"Or type: {ask}",
        draft.guess,
        key=box,
        on_change=_typed,
        args=(kind, draft, box, draft.dragged),
        label_visibility="collapsed",
    )
    typed_text = str(st.session_state.get(box, ""))
    if typed_text and not draft.guess:
        st.html(
            el("p", f"“{typed_text[:20]}” is no guess: expected {kind.expected}.", cls="fv-tone-loss", role="alert")
        )
    return draft.guess


# A browser may send a control's last value again after another control replaced it: such a value is no guess.


def _dragged(draft: _Draft, slide: str, typed: int) -> None:
    if typed != draft.typed:
        return
    value = st.session_state[slide]
    draft.guess = f"{value[0]}-{value[1]}" if isinstance(value, tuple) else str(value)
    draft.dragged += 1


def _typed(kind: Kind, draft: _Draft, box: str, dragged: int) -> None:
    if dragged != draft.dragged:
        return
    guess = kind.read(st.session_state[box])
    draft.guess = guess or ""
    if guess is not None:
        draft.typed += 1


def _choice(kind: Choice, ask: str, key: str, start: str) -> str:
    index = kind.letters.index(start) if start else None
    return st.radio(ask, list(kind.letters), index=index, format_func=_option(kind), key=f"{key}-choice") or ""


def _order(kind: Order, ask: str, key: str, start: str) -> str:
    """Options that are tapped in order; tapping one again takes it back."""
    picked = st.pills(
        ask,
        list(kind.letters),
        selection_mode="multi",
        default=list(start),
        format_func=_option(kind),
        key=f"{key}-order",
    )
    so_far = " < ".join(picked) if picked else "nothing yet"
    st.html(el("p", f"Tap in order, again to take back. Your order: {so_far}", cls="fv-counts", aria_live="polite"))
    return "".join(picked) if len(picked) == len(kind.options) else ""


def _option(kind: Choice | Order) -> Callable[[str], str]:
    """A letter with its option, as controls write it."""
    options = dict(zip(kind.letters, kind.options, strict=True))
    return lambda letter: f"**{letter}**\u2002{options[letter]}"


# The lesson that is open.


def show_class(screen: Screen, top: DeltaGenerator) -> None:
    """The lesson that is open, as a teacher or somebody who learns alone sees it.

    Args:
        screen: Where the class is.
        top: The row above it, for prints and the view.
    """
    keep(screen)
    lesson = screen.lesson
    with top:
        _tools(screen)
    with st.container(key="class"):
        lessons_bar(screen)
        st.html(join(el("h1", lesson.title, cls="fv-title"), el("p", lesson.filled(lesson.text), cls="fv-lead")))
        with st.container(key="revealed" if screen.shown else "asked"):
            if screen.shown:
                st.fragment(_revealed)(screen)
            else:
                _question(screen)
        rule()
        _foot(screen)


def _question(screen: Screen) -> None:
    """The question: a guess, what the class guesses, and outlines of what is known."""
    left, right = st.columns([4, 6], gap="large")
    with left:
        guess = _guess(screen)
        show_wall(screen)
        wall_tools(screen)
    with right:
        kicker("2 · The exact answer comes here")
        chart(screen.lesson, screen.lesson.bars(screen.lesson.start).closed, guess)
        counts_line("The answer appears here after you guess.")


def _revealed(screen: Screen) -> None:
    """The answer, beside what the class guessed and something to change: a move paints these alone."""
    left, right = st.columns([4, 6], gap="large")
    with left:
        show_wall(screen)
        setting = _try(screen)
        wall_tools(screen)
    with right:
        _answer(screen.lesson, setting, screen.guess)


def _tools(screen: Screen) -> None:
    """Prints, formulas once they tell nothing, and the way into the view for a projector or out of it."""
    with st.container(horizontal=True, horizontal_alignment="right", vertical_alignment="center", gap="small"):
        if screen.large:
            st.html(el("p", "Class view: large type, no sidebar", cls="fv-counts"), width="content")
        if screen.shown:
            with st.popover("How to read", icon=":material/help:", type="tertiary"):
                st.markdown(screen.lesson.how)
        prints(screen)
        label = "Leave class view" if screen.large else "Class view"
        icon = ":material/close:" if screen.large else ":material/present_to_all:"
        st.button(label, icon=icon, type="tertiary", on_click=show_large, args=(not screen.large,))


def prints(screen: Screen) -> None:
    paper = st.popover("Plan and handouts", icon=":material/print:", type="tertiary", on_change="rerun", key="prints")
    if not paper.open:
        return
    with paper:
        plan, link = screen.plan, ""
        if screen.room is not None and not on_this_machine():
            link = link_of(room=screen.room.code)
        _formulas(screen)
        download(f"Plan of {plan.minutes} minutes", partial(plan_html, plan), "fairviz-plan.html")
        handout = partial(handout_html, plan, [screen.lesson], link)
        download("Handout of this lesson", handout, f"fairviz-handout-{screen.number}.html", key="handout")
        every = partial(handout_html, plan, plan.lessons, link)
        download(f"Handouts of all {len(plan.lessons)}", every, "fairviz-handouts.html")
        if screen.room is not None:
            download("Key, for teachers", partial(key_html, plan), "fairviz-key.html")
        key = "Only the key holds answers." if screen.room else "No answers: what is for teachers comes with a class."
        counts_line(f"A4, to print from the browser. {key}")


def _formulas(screen: Screen) -> None:
    """The switch of a class without technique."""
    is_without = screen.plan is WITHOUT_FORMULAS
    key = (
        f"{'with' if is_without else 'without'}_formulas"  # the next drawing has another: what is switched is the plan
    )
    left_out = [lesson.name for lesson in LESSONS if lesson not in WITHOUT_FORMULAS.lessons]
    st.toggle(
        "Without formulas",
        is_without,
        key=key,
        on_change=follow_plan,
        args=(screen, PLAN if is_without else WITHOUT_FORMULAS),
        help=f"Leaves out of lessons, plan, handouts and key: {listing(left_out)}",
    )


LEAST_PARTS = 3
"""Of a chapter, that its name has room."""


def lessons_bar(screen: Screen) -> None:
    """The chapters in their parts: where one is, and the way to every lesson."""
    number = 0
    with st.container(key="bar"):
        columns = st.columns([max(len(lessons), LEAST_PARTS) for lessons in screen.plan.chapters.values()])
    chapters = zip(columns, screen.plan.chapters.items(), strict=True)
    for place_of, (column, (chapter, lessons)) in enumerate(chapters, start=1):
        is_open = screen.lesson in lessons
        with column, st.container(key=f"chapter-{place_of}"):
            st.html(el("p", f"{place_of} · {chapter}", cls="fv-chapter fv-here" if is_open else "fv-chapter"))
            with st.container(horizontal=True, key=f"parts-{place_of}"):
                for lesson in lessons:
                    number += 1
                    name = f"{number} {lesson.name}"
                    st.button(name, key=f"go-{lesson.slug}", help=name, on_click=go, args=(lesson.slug,))
            words = plural(len(lessons), "lesson")
            if is_open:
                at = lessons.index(screen.lesson) + 1
                words = f"lesson {at} of {len(lessons)}: {screen.lesson.name.lower()}"
            st.html(el("p", words, cls="fv-lessons fv-here" if is_open else "fv-lessons"))


def _guess(screen: Screen) -> str:
    """The guess of this screen, first of all; there is no Reveal without one."""
    lesson = screen.lesson
    kicker("1 · Guess first")
    guess = guess_control(lesson.kind, lesson.ask, key=f"guess-{lesson.slug}", start=screen.guess)
    if guess != screen.guess:
        say(lesson, guess, shown=False)
    st.button(
        "Reveal",
        type="primary",
        disabled=not guess,
        on_click=say,
        args=(lesson, guess),
        kwargs={"shown": True},
        help=None if guess else "Guess first",
    )
    return guess


def _try(screen: Screen) -> Setting:
    """Why the answer is so, and something to change; returns the setting."""
    kicker("Why")
    user_text(screen.lesson.filled(screen.lesson.why))
    with st.container(key="try"):
        setting = _setting(screen.lesson)
    if screen.room is None and st.button("Guess again", type="tertiary", icon=":material/restart_alt:"):
        forget_guess(f"guess-{screen.lesson.slug}")
        say(screen.lesson, "", shown=False)
        st.rerun()
    return setting


def _setting(lesson: Lesson) -> Setting:
    """What a person changes, and where it stands."""
    match lesson.control:
        case None:
            return lesson.start
        case {"label": label, "key": key, "low": low, "high": high, "step": step, "start": start}:
            how = "%g" if isinstance(step, float) else None
            return st.slider(label, low, high, start, step, format=how, key=key, bind="query-params")
        case control:
            label, key, start = control["label"], control["key"], control["start"]
            names: list[str] = control["settings"]
            chosen = st.segmented_control(label, names, default=start, key=key, required=True, bind="query-params")
            if note := control.get("notes", {}).get(chosen or start):
                user_text(note)
            return chosen or start


def _answer(lesson: Lesson, setting: Setting, guess: str) -> None:
    """The finding with its bars, measures of the setting, the numbers behind, and the same on one's own data."""
    kicker(f"Revealed · guess locked at {lesson.kind.words(guess)}" if guess else "Revealed")
    distance = lesson.kind.distance(guess, lesson.answer) if guess else ""
    section(lesson.filled(lesson.finding), f"{lesson.ask} {distance}".strip())
    bars = lesson.bars(setting)
    chart(lesson, bars, guess if setting == lesson.start else "")
    readouts(lesson.measures(setting))
    own = lesson.own
    st.page_link(
        f"pages/{own['page']}.py",
        label=f"Now on your own data: {own['label']}",
        icon=":material/arrow_forward:",
        query_params=own.get("settings", {}),
    )
    sums = st.expander("The sum, number by number", on_change="rerun", key=f"sums-{lesson.slug}")
    if sums.open:
        with sums:
            rows, caption = lesson.behind(setting)
            first, *others = lesson.sums["columns"]
            columns = [PageColumn(first), *(PageColumn(name, align="right", short=True) for name in others)]
            html_table(columns, rows, caption=caption, show_caption=True, narrow="scroll")


def chart(lesson: Lesson, bars: Bars, guess: str) -> None:
    """The bars, with a guessed number beside the one that is asked for."""
    if guess and bars.marked is not None and isinstance(lesson.kind, Number):
        bars = replace(bars, guess=int(guess))
    show_figure(bars_figure(bars, colours=colours()), f"lesson-{lesson.slug}", bars.alt)


def _foot(screen: Screen) -> None:
    """Back, the class's link, Next."""
    begins = screen.plan.begins(screen.lesson)
    plan = f"plan: minute {begins} to {begins + screen.lesson.minutes}"
    if screen.lesson not in screen.plan.planned:
        plan = f"extra, {plural(screen.lesson.minutes, 'minute')}"
    used = f"{screen.room.minutes} min of {screen.plan.minutes} used; " if screen.room else ""
    with st.container(horizontal=True, vertical_alignment="center", gap="medium", key="foot"):
        turn(screen, -1)
        with st.container(width="stretch"):
            if screen.room is None:
                st.button(
                    "Start a class: phones send guesses", icon=":material/qr_code:", on_click=begin, args=(screen.plan,)
                )
            else:
                _link_of(screen.room, on_the_wall=screen.large)
        st.html(el("p", f"{used}{plan}", cls="fv-counts"), width="content")
        turn(screen, 1, type="primary")


def turn(screen: Screen, by: Literal[-1, 1], **look: Any) -> None:
    """The button to the lesson before or after the open one, where there is one."""
    at = screen.number - 1 + by
    if 0 <= at < len(screen.plan.lessons):
        lesson = screen.plan.lessons[at]
        name = lesson.name.lower()
        label, key = (f"Next: {name} →", "next_lesson") if by > 0 else (f"← Back: {name}", "back")
        st.button(label, key=key, on_click=go, args=(lesson.slug,), **look)


def class_link(room: Classroom, words: Html) -> Html:
    """Where phones guess, as a code beside words; where they cannot come in, how to let them."""
    link, unreachable = link_of(room=room.code), UNREACHABLE if on_this_machine() else ""
    return rendered("class_link.html", words=words, link=link, source=qr_source(link), unreachable=unreachable)


def _link_of(room: Classroom, *, on_the_wall: bool) -> None:
    """Where students guess; the teacher's link, which opens the answers, only on a page that a class does not see."""
    words = join(
        el("strong", f"Guess here · class {room.code}"),
        el("p", link_of(room=room.code), cls="fv-address"),
        el("p", "opens the guess, never the answer", cls="fv-counts"),
    )
    st.html(class_link(room, words))
    label = "The end of the class" if on_the_wall else "Teacher's link, and the end of the class"
    teacher = st.expander(label, on_change="rerun", key="teachers")
    if teacher.open:
        with teacher:
            if not on_the_wall:
                st.code(link_of(room=room.code, key=room.key), language=None, wrap_lines=True)
                counts_line("This page, with answers, for another browser of yours: keep it to yourself.")
            st.button("End the class: forget its guesses", on_click=end, args=(room.code,))
