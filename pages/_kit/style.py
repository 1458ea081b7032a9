"""The style sheet, written from the figures' palettes so that a token has one value everywhere.

``light-dark()`` follows the theme that Streamlit sets on the page, also when it is switched in a
running session, which does not run the script again.
"""

from functools import cache

from fairviz.display.markup import Html
from fairviz.display.templates import style
from fairviz.display.theme import DARK, FONT, HEADING_FONT, LIGHT, Palette


@cache
def style_sheet() -> Html:
    """The ``<style>`` element of the dashboard."""
    dark = _tokens(DARK)
    pairs = "\n".join(f"--fv-{name}: light-dark({light}, {dark[name]});" for name, light in _tokens(LIGHT).items())
    fonts = f"--fv-serif: {HEADING_FONT}; --fv-sans: {FONT};"
    return style("dashboard", rules=f".stApp {{\n{pairs}\n{fonts}\n}}\n{_tones()}\n")


def _tokens(colours: Palette) -> dict[str, str]:
    """Names and colours of one theme."""
    named = {
        "page": colours.page,
        "panel": colours.panel,
        "rule": colours.rule,
        "axis": colours.axis,
        "ink": colours.ink,
        "mute": colours.mute,
        "faint": colours.faint,
        "unknown": colours.unknown,
        "published": colours.published,
    }
    hues = {
        "plackett-luce": colours.plackett_luce,
        "optimal": colours.optimal,
        "oracle": colours.oracle,
        "loss": colours.optimal,
        "gain": colours.oracle,
    }
    for name, hue in hues.items():
        named[f"{name}-fill"], named[f"{name}-text"] = hue.line, hue.text
    for grade, fill in enumerate(colours.grades):
        named[f"grade{grade}-fill"] = fill
    for i, mark in enumerate(colours.groups, start=1):
        named[f"group{i}-fill"] = named[f"group{i}-text"] = mark  # a tone of groups is that of its mark, never of text
    return named


def _tones() -> str:
    """One text class and one fill class per tone."""
    rules = [
        ".fv-tone-ink{color:var(--fv-ink)} .fv-fill-ink{background:var(--fv-ink)}",
        ".fv-tone-mute{color:var(--fv-mute)} .fv-fill-mute{background:var(--fv-faint)}",
        ".fv-fill-unknown{background:var(--fv-unknown)}",
    ]
    for token in _tokens(LIGHT):
        tone, _, kind = token.rpartition("-")
        if kind == "text":
            rules.append(f".fv-tone-{tone}{{color:var(--fv-{token})}}")
        elif kind == "fill":
            rules.append(f".fv-fill-{tone}{{background:var(--fv-{token})}}")
    return "\n".join(rules)
