"""Fairness control as people write it: a value, a list, a grid."""

import math
from collections.abc import Sequence

from fairviz.errors import UsageError
from fairviz.numerals import count

GRID = "0:8:33"
MAX_POINTS = 10_000
LARGEST_ALPHA = 1000.0
"""2^α is then still a number, and the exposure exact."""


def alpha_grid(text: str) -> tuple[float, ...]:
    """The values of a grid.

    Raises:
        UsageError: Naming what is expected.

    Examples:
        >>> alpha_grid("0:8:5")
        (0.0, 2.0, 4.0, 6.0, 8.0)
        >>> alpha_grid("0, 0.5, 8")
        (0.0, 0.5, 8.0)
    """
    parts = text.split(":")
    if len(parts) == 1:
        values = tuple(_alpha(part, text) for part in text.split(",") if part.strip())
        return values or (_refuse(text),)
    if len(parts) != 3 or not parts[2].strip().isdecimal():
        _refuse(text)
    low, high, n = _alpha(parts[0], text), _alpha(parts[1], text), int(parts[2])
    if not 1 <= n <= MAX_POINTS or (n == 1 and low != high):
        _refuse(text, f"; n is at least 2 and at most {count(MAX_POINTS)}")
    steps = max(n - 1, 1)
    return tuple(low + (high - low) * (i / steps) for i in range(n))


def grid_text(alphas: Sequence[float]) -> str:
    """A grid of α as commands take it.

    Examples:
        >>> grid_text([0.0, 4.0, 8.0]), grid_text([0.0, 1.0, 8.0])
        ('0:8:3', '0,1,8')
    """
    low, high, n = alphas[0], alphas[-1], len(alphas)
    even = n > 1 and all(alpha == low + (high - low) * (i / (n - 1)) for i, alpha in enumerate(alphas))
    return f"{low!r}:{high!r}:{n}".replace(".0:", ":") if even else ",".join(f"{alpha:.17g}" for alpha in alphas)


def _alpha(part: str, text: str) -> float:
    try:
        value = float(part)
    except ValueError:
        return _refuse(text)
    if not (math.isfinite(value) and 0 <= value <= LARGEST_ALPHA):
        _refuse(text, f"; α lies in 0 … {LARGEST_ALPHA:g}")
    return value


def _refuse(text: str, more: str = "") -> float:
    raise UsageError(f"--alpha {text}: expected lo:hi:n or a comma-separated list{more}")
