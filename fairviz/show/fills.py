"""Kendall's τ between measures: a triangle of cells (Raj et al. 2022, Figure 1)."""

from fairviz.show.theme import Palette


def cell_fill(tau: float, colours: Palette) -> str:
    """The page at τ = 0, towards teal above and amber below, in proportion.

    Examples:
        >>> from fairviz.show.theme import LIGHT
        >>> cell_fill(1.0, LIGHT) == LIGHT.agree.lower()
        True
    """
    end = colours.agree if tau > 0 else colours.oppose
    parts = zip(_parts(colours.page), _parts(end), strict=True)
    mixed = (round(page + abs(tau) * (other - page)) for page, other in parts)
    return "#" + "".join(f"{part:02x}" for part in mixed)


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
