"""Controls that have no value until somebody gives them one: a slider, two ends, one of a few, an order."""

from dataclasses import dataclass

import streamlit as st

from fairviz.lessons.guesses import LETTERS, TOP, Choice, Kind, Order, Range, ends
from pages._kit.html import el

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
    two = isinstance(kind, Range)
    unset = (0, TOP) if two else TOP // 2
    value = unset if not draft.guess else ends(draft.guess) if two else int(draft.guess)
    slide, box = f"{key}-slide-{draft.typed}", f"{key}-type-{draft.dragged}"
    if not draft.guess:
        st.html(el("span", "no value yet", cls="fv-unset fv-unseen"))
    st.slider(ask, 0, TOP, value, key=slide, on_change=_dragged, args=(draft, slide))
    left, right = st.columns([3, 2], vertical_alignment="center")
    drag = f"Drag {'both ends ' if two else ''}to your guess, or type it"
    left.html(el("p", f"{'Or type it' if draft.guess else drag}{', such as 20-80' if two else ''}:", cls="fv-counts"))
    right.text_input(
        f"Or type: {ask}",
        draft.guess,
        key=box,
        on_change=_typed,
        args=(kind, draft, box),
        label_visibility="collapsed",
    )
    given = str(st.session_state.get(box, ""))
    if given and not draft.guess:
        st.html(el("p", f"“{given[:20]}” is no guess: expected {kind.expected}.", cls="fv-tone-loss", role="alert"))
    return draft.guess


def _dragged(draft: _Draft, slide: str) -> None:
    value = st.session_state[slide]
    draft.guess = f"{value[0]}-{value[1]}" if isinstance(value, tuple) else str(value)
    draft.dragged += 1


def _typed(kind: Kind, draft: _Draft, box: str) -> None:
    guess = kind.read(st.session_state[box])
    draft.guess = guess or ""
    if guess is not None:
        draft.typed += 1


def _choice(kind: Choice, ask: str, key: str, start: str) -> str:
    options = LETTERS[: len(kind.options)]
    chosen = st.radio(
        ask,
        list(options),
        index=options.index(start) if start else None,
        format_func=lambda letter: f"**{letter}**\u2002{kind.options[options.index(letter)]}",
        key=f"{key}-choice",
    )
    return chosen or ""


def _order(kind: Order, ask: str, key: str, start: str) -> str:
    """Options that are tapped in order; tapping one again takes it back."""
    options = LETTERS[: len(kind.options)]
    picked = st.pills(
        ask,
        list(options),
        selection_mode="multi",
        default=list(start),
        format_func=lambda letter: f"**{letter}**\u2002{kind.options[options.index(letter)]}",
        key=f"{key}-order",
    )
    so_far = " < ".join(picked) if picked else "nothing yet"
    st.html(el("p", f"Tap in order, again to take back. Your order: {so_far}", cls="fv-counts", aria_live="polite"))
    return "".join(picked) if len(picked) == len(options) else ""
