"""Grounds of cells: a colour in proportion to a value, and the ink that is read best on it."""

from fairviz.display.theme import Palette


def cell_fill(tau: float, colours: Palette) -> str:
    """The page at τ = 0, towards teal above and amber below, in proportion.

    Examples:
        >>> from fairviz.display.theme import LIGHT
        >>> cell_fill(1.0, LIGHT) == LIGHT.agree.lower()
        True
    """
    return mixed(colours.page, colours.agree if tau > 0 else colours.oppose, abs(tau))


def mixed(start: str, end: str, share: float) -> str:
    """The colour at a share of the way from one colour to another.

    Examples:
        >>> mixed("#000000", "#ffffff", 0.5)
        '#808080'
    """
    parts = zip(_parts(start), _parts(end), strict=True)
    return "#" + "".join(f"{round(a + share * (b - a)):02x}" for a, b in parts)


def ink_on(fill: str) -> str:
    """Black or white, whichever is read better on a fill: always at least 4.5:1.

    The palette's own ink and page reach only 3.9:1 in the middle of the scale.
    """
    return max(("#000000", "#FFFFFF"), key=lambda text: _contrast(text, fill))


def _parts(colour: str) -> tuple[int, int, int]:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return red, green, blue


def _contrast(a: str, b: str) -> float:
    """Contrast ratio of WCAG 2."""
    light, dark = sorted((_luminance(a), _luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    shares = [part / 255 for part in _parts(colour)]
    linear = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
