"""Shares of groups as HTML: one bar cut into groups, and the swatch that names a colour."""

from collections.abc import Sequence

import streamlit as st

from fairviz.groups import UNLABELLED
from fairviz.model import FloatArray
from fairviz.show.theme import DARK, LIGHT, group_hues
from fairviz.show.words import percent
from pages._kit.html import Html, el, join
from pages._kit.target_shares import percents

WHOLE = 24
"""Characters up to which a name is not broken."""
FITS = 6
"""Percents from which a part of a bar has room for its number."""


def fill(groups: Sequence[str], at: int) -> str:
    """CSS that fills with a group's colour in either theme."""
    light, dark = (group_hues(groups, colours)[at].line for colours in (LIGHT, DARK))
    return f"background:light-dark({light},{dark});color:light-dark({_on(light)},{_on(dark)})"


def swatch(groups: Sequence[str], at: int) -> Html:
    """The little square that stands for a group; hatched for items without a label."""
    if groups[at] == UNLABELLED:
        return el("span", cls="fv-swatch fv-hatched", aria_hidden="true")
    return el("span", cls="fv-swatch", style=fill(groups, at), aria_hidden="true")


def keyed(groups: Sequence[str], at: int, more: str = "") -> Html:
    """Swatch and name of a group for a table; short names stay on one line."""
    name = f"{groups[at]}{more}"
    whole = "white-space:nowrap" if len(name) <= WHOLE else ""
    return el("span", swatch(groups, at), el("span", name), cls="fv-keyed", style=whole)


def share_bar(label: str, groups: Sequence[str], shares: FloatArray) -> None:
    """One bar of shares that sum to 1, numbers inside; undefined shares are said to be so."""
    head = el("p", label, cls="fv-sub", style="margin:0")
    if not shares.size or not shares.sum() > 0:
        st.html(join(head, el("p", "not defined: no attention on labelled documents", cls="fv-counts")))
        return
    whole = percents(shares)
    parts = (_part(groups, i, float(shares[i]), whole[i]) for i in range(len(groups)))
    in_words = ", ".join(f"{g} {percent(float(s))}" for g, s in zip(groups, shares, strict=True))
    bar = el(
        "div", *parts, cls="fv-stack", role="img", aria_label=f"{label}: {in_words}", style="margin:.15rem 0 .2rem"
    )
    st.html(join(head, bar))


def legend(groups: Sequence[str], values: Sequence[str]) -> None:
    """Swatch, name and a value of each group, in one line that breaks."""
    entries = (
        el(
            "li",
            swatch(groups, i),
            el("span", "no label" if name == UNLABELLED else name),
            el("strong", value),
        )
        for i, (name, value) in enumerate(zip(groups, values, strict=True))
    )
    st.html(el("ul", *entries, cls="fv-legend"))


def _part(groups: Sequence[str], at: int, share: float, whole: int) -> Html | None:
    if share <= 0:
        return None
    base = (
        f"flex:{share:.6f} 0 0;display:flex;align-items:center;justify-content:center;"
        "font-size:.82rem;font-weight:600;overflow:hidden"
    )
    inner = str(whole) if whole >= FITS else None
    if groups[at] == UNLABELLED:
        number = (
            el("span", inner, style="background:var(--fv-page);padding:0 .3rem;border-radius:3px") if inner else None
        )
        return el("span", number, cls="fv-hatched", style=base, title=groups[at])
    return el("span", inner, style=f"{base};{fill(groups, at)}", title=groups[at])


def _on(colour: str) -> str:
    """Ink or white, whichever is read better on a fill."""
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return LIGHT.ink if 0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2 > 0.2 else "#FFFFFF"
