"""The one way to markup: every string is text and is escaped; only what ``el`` built is not."""

from html import escape
from typing import TypeAlias


class Html(str):
    """Markup that :func:`el` or a template built, safe to show as it is."""

    __slots__ = ()

    def __html__(self) -> str:
        """Itself: a template puts it in as it is."""
        return self


Child: TypeAlias = "Html | str | None"
VOID = frozenset({"br", "hr", "img", "input", "meta"})
"""Elements without content."""


def el(tag: str, *children: Child, cls: str = "", **attributes: str | int | None) -> Html:
    """One element; text children and attribute values are escaped.

    Underscores in attribute names become hyphens, but for one at the end, which tells a name from a word of Python; an
    attribute that is None is left out.

    Examples:
        >>> el("b", "<img src=x>", cls="run", aria_label='a "run"')
        '<b class="run" aria-label="a &quot;run&quot;">&lt;img src=x&gt;</b>'
    """
    named = {"class": cls or None, **attributes}
    inside = "".join(
        f' {name.removesuffix("_").replace("_", "-")}="{escape(str(value))}"'
        for name, value in named.items()
        if value is not None
    )
    if tag in VOID:
        return Html(f"<{tag}{inside}>")
    return Html(f"<{tag}{inside}>{join(*children)}</{tag}>")


def join(*children: Child) -> Html:
    """Markup of several children, one after the other."""
    parts = (c if isinstance(c, Html) else escape(c, quote=False) for c in children if c)
    return Html("".join(parts))
