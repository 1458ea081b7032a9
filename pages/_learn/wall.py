"""The class wall: the spread of guesses, from phones and from a pasted list; the answer only once it is shown."""

from collections import Counter

import streamlit as st

from fairviz.display.words import listing, plural
from fairviz.lessons.guesses import ENOUGH, LETTERS, Choice, Kind, Order, Pasted, Range, ends, pasted, wall
from pages._kit import Bar, Column, colours, counts_line, html_table, kicker, section, show_figure
from pages._learn.figures import dots_figure, ranges_figure
from pages._learn.place import Place

LOOK_SECONDS = 2
"""Between two looks at new guesses, until the answer is shown."""
MOST_ORDERS = 5
"""Orders that are shown: the most common ones."""
SHOWN_REFUSED = 3
"""Pasted words that are named where they are no guesses."""


def show_wall(place: Place) -> None:
    """What the class guessed; nothing outside of a class, until a list is pasted."""
    from_list = _list(place)
    if place.room is not None or from_list.guesses:
        live = place.room is not None and not place.said.shown
        st.fragment(_wall, run_every=LOOK_SECONDS if live else None)(place, from_list.guesses)


def wall_tools(place: Place) -> None:
    """Hide the guesses until all are in; paste a list where nobody has a phone."""
    kind, slug = place.lesson.kind, place.lesson.slug
    from_list = _list(place)
    with st.container(horizontal=True, vertical_alignment="center"):
        if place.room is not None or from_list.guesses:
            st.toggle("Hide guesses", key=f"hide_{slug}", persist_state="session")
        with st.popover("Paste a list of guesses …", type="tertiary"):
            st.text_area(
                "One guess a line",
                key=f"pasted_{slug}",
                persist_state="session",
                help=f"Each is {kind.expected}. The list stays in this tab.",
            )
    if from_list.refused:
        n, first = len(from_list.refused), [f"“{one[:20]}”" for one in from_list.refused[:SHOWN_REFUSED]]
        counts_line(f"Left out, {plural(n, 'entry', 'entries')}: {listing(first)}. Expected {kind.expected}.")


def _list(place: Place) -> Pasted:
    """The guesses of the pasted list, which lives in this session."""
    return pasted(place.lesson.kind, st.session_state.get(f"pasted_{place.lesson.slug}") or "")


def _wall(place: Place, from_list: tuple[str, ...]) -> None:
    kind, slug = place.lesson.kind, place.lesson.slug
    guesses = [*from_list, *(place.room.said(slug) if place.room else ())]
    if place.room is not None:
        place.room.stay()
    exact = place.lesson.answer if place.said.shown else ""
    kicker(f"The class · {plural(len(guesses), 'guess', 'guesses')} in")
    of_class = wall(kind, guesses, exact)
    if len(guesses) < ENOUGH:
        section(of_class.title, of_class.sentence)
    elif st.session_state.get(f"hide_{slug}"):
        section(f"{len(guesses)} guesses are in", "Hidden until you show them.")
    else:
        section(of_class.title, f"{_encoding(kind)} {of_class.sentence}".strip())
        _picture(kind, slug, guesses, place.said.guess, exact)


def _encoding(kind: Kind) -> str:
    match kind:
        case Choice() | Order():
            return ""
        case Range():
            return "One line per guess, orange: this screen's."
        case _:
            return "One dot per guess, orange: this screen's. Bar: middle half, tick: median."


def _picture(kind: Kind, slug: str, guesses: list[str], own: str, exact: str) -> None:
    match kind:
        case Choice() | Order():
            _tally(kind, guesses, exact)
        case Range():
            known = ends(own) if own else None, ends(exact) if exact else None
            figure = ranges_figure([ends(guess) for guess in guesses], *known, colours=colours())
            show_figure(figure, f"wall-{slug}", wall(kind, guesses, exact).title)
        case _:
            numbers = [int(guess) for guess in guesses]
            known_number = int(own) if own else None, int(exact) if exact else None
            figure = dots_figure(numbers, *known_number, colours=colours())
            show_figure(figure, f"wall-{slug}", wall(kind, guesses, exact).title)


def _tally(kind: Choice | Order, guesses: list[str], exact: str) -> None:
    """How many said what: every option, or the most common orders."""
    counts = Counter(sorted(guesses))
    said = list(LETTERS[: len(kind.options)]) if isinstance(kind, Choice) else []
    said = said or [guess for guess, _ in counts.most_common(MOST_ORDERS)]
    most = max(counts.values())
    rows = [
        [
            f"{guess} {kind.words(guess)}{' ✓' if guess == exact else ''}"
            if isinstance(kind, Choice)
            else f"{kind.words(guess)}{' ✓' if guess == exact else ''}",
            str(counts[guess]),
            Bar(length=counts[guess] / most, tone="plackett-luce" if guess == exact else "mute"),
        ]
        for guess in said
    ]
    columns = [Column(label="Guess"), Column(label="of the class", align="right"), Column(label="", wide=True)]
    html_table(columns, rows, caption="What the class said")
