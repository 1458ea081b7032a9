"""Grids of α as typed: ``0:8:33`` (both ends included) or ``0,1,2.5``."""

import math

from fairviz.errors import UsageError

MAX_POINTS = 10_000
LARGEST_ALPHA = 1000.0
"""2^α is then still a number; every run is deterministic long before."""


def parse_alphas(text: str) -> list[float]:
    """The values of a grid.

    Raises:
        UsageError: Naming what is expected.

    Examples:
        >>> parse_alphas("0:8:5")
        [0.0, 2.0, 4.0, 6.0, 8.0]
        >>> parse_alphas("0, 0.5, 8")
        [0.0, 0.5, 8.0]
    """
    parts = text.split(":")
    if len(parts) == 1:
        return [_alpha(part, text) for part in text.split(",") if part.strip()] or _refuse(text)
    if len(parts) != 3 or not parts[2].strip().isdecimal():
        _refuse(text)
    low, high, n = _alpha(parts[0], text), _alpha(parts[1], text), int(parts[2])
    if not 1 <= n <= MAX_POINTS or (n == 1 and low != high):
        _refuse(text, f"; n is at least 2 and at most {MAX_POINTS:,}")
    steps = max(n - 1, 1)
    return [low + (high - low) * (i / steps) for i in range(n)]


def parse_alpha(text: str) -> float:
    """One value of α.

    Raises:
        UsageError: If it is no number from 0 on.
    """
    return _alpha(text, text)


def _alpha(part: str, text: str) -> float:
    try:
        value = float(part)
    except ValueError:
        return _refuse(text)[0]
    if not (math.isfinite(value) and 0 <= value <= LARGEST_ALPHA):
        _refuse(text, f"; α lies in 0 … {LARGEST_ALPHA:g}")
    return value


def _refuse(text: str, more: str = "") -> list[float]:
    raise UsageError(f"--alpha {text}: expected lo:hi:n or a comma-separated list{more}")
