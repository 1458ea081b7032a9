"""Two lists of the same six items side by side, whose neighbours can be swapped."""

from collections.abc import Callable

import streamlit as st

from fairviz.show.words import number, percent
from pages._kit import Bar, Cell, Column, Key, Tone, html_table
from pages._learn.six_items import USEFUL, Measured

MARKS: dict[str, tuple[Tone, str]] = {"A": ("group1", "●"), "B": ("group2", "◆")}
"""Colour and mark of a group, as on every page."""


def two_lists(starts: dict[str, str], show: Callable[[str, str], None]) -> tuple[str, str]:
    """Show both lists, each with its buttons; returns them as they stand.

    Args:
        starts: Key of the session's memory -> the list to begin with, left and right.
        show: Shows one list, told which it is.
    """
    for key, start in starts.items():
        st.session_state.setdefault(key, start)
    for column, (key, title) in zip(
        st.columns(2, gap="large"),
        zip(starts, ("Left list", "Right list"), strict=True),
        strict=True,
    ):
        with column:
            show(title, st.session_state[key])
            _buttons(key, title)
    left, right = (str(st.session_state[key]) for key in starts)
    return left, right


def rank_table(title: str, items: str, found: Measured, *, useful: bool = False, prefixes: bool = False) -> None:
    """One list: rank, item, attention; usefulness, or what each prefix looks like."""
    columns = [Column(label="Rank"), Column(label="Item", short=True)]
    columns += [Column(label="Useful", short=True)] if useful else []
    columns += [Column(label="Attention", align="right"), Column(label="", wide=True)]
    if prefixes:
        columns += [Column(label="A so far", align="right"), Column(label="KL", align="right")]
    rows: list[list[Cell]] = []
    for i, name in enumerate(items.split()):
        tone, mark = MARKS[name[0]]
        attention = float(found.attention[i])
        row: list[Cell] = [str(i + 1), Key(text=name, tone=tone, mark=mark)]
        row += [("useful" if USEFUL[name] else "not useful")] if useful else []
        share = attention / float(found.attention.sum())
        row += [percent(share), Bar(length=attention / float(found.attention[0]), tone=tone)]
        if prefixes:
            row += [percent(float(found.so_far[i])), number(float(found.divergence[i]), 2)]
        rows.append(row)
    html_table(columns, rows, caption=title, show_caption=True, narrow="scroll")


def _buttons(key: str, title: str) -> None:
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.html('<span class="fv-counts">Swap ranks</span>')
        n = len(str(st.session_state[key]).split())
        for rank in range(1, n):
            st.button(
                f"{rank} ⇄ {rank + 1}",
                key=f"{key}-{rank}",
                on_click=_swap,
                args=(key, rank),
                type="tertiary",
                help=f"{title}: swap rank {rank} with rank {rank + 1}",
            )


def _swap(key: str, rank: int) -> None:
    names = str(st.session_state[key]).split()
    names[rank - 1], names[rank] = names[rank], names[rank - 1]
    st.session_state[key] = " ".join(names)
