"""Limits that a team keeps: a TOML file whose ``limits`` are statements such as ``nDCG@10 >= 0.4``."""

import re
import tomllib
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple, cast

from fairviz.errors import UsageError
from fairviz.io.notes import NoteBook, Parsed, shown
from fairviz.io.source import Source, reader
from fairviz.io.text import read_toml, whole_text
from fairviz.numerals import plural

FIX = 'Write limits = ["nDCG@10 >= 0.4", "share.region.Africa >= 0.15"].'
FORM = "expected QUANTITY >= NUMBER or <=, such as nDCG@10 >= 0.4, share.region.Africa >= 15% or AP >= baseline - 0.02"

OF_BIAS = ("acc_a", "acc_d", "diffbias_a", "diffbias_d", "s_amb", "s_dis")
"""Columns of ``fairviz bias`` that have an interval; they are in percent."""
PARTS = ("share", "given", "cited", "dp")
"""Quantities that are parts of 1."""

_STATEMENT = re.compile(
    r"(?:(?P<system>\S(?:.*?\S)?):\s+)?(?P<quantity>\S(?:.*?\S)?)\s*(?P<sign>>=|<=|≥|≤)\s*"
    r"(?P<baseline>baseline)?\s*(?P<number>[-+−]?\s*[0-9.]+(?:e[-+]?[0-9]+)?\s*(?P<percent>%)?)?",
    re.IGNORECASE,
)


class Limit(NamedTuple):
    """A statement about a measured value.

    Attributes:
        text: As it was written.
        system: Whom it is about; empty: everybody.
        quantity: What is measured: a measure such as ``nDCG@10``, ``share.ATTRIBUTE.GROUP``,
            ``given.ATTRIBUTE.GROUP`` and ``cited.ATTRIBUTE.GROUP``, a column of ``fairviz bias`` and a type as in
            ``diffbias_a.Age``, or ``dp.ATTRIBUTE``.
        at_least: Whether the value has to be ``bound`` or more; else that or less.
        bound: The number; of a limit beside a baseline that of the difference from it.
        beside_baseline: Whether the difference from a baseline is meant.
    """

    text: str
    system: str
    quantity: str
    at_least: bool
    bound: float
    beside_baseline: bool


def limit_of(text: str) -> Limit:
    """A statement as it was written.

    Args:
        text: ``[SYSTEM: ]QUANTITY >= NUMBER``, ``<=`` or ``≥ ≤``; the number may be a percentage, or ``baseline``, with
            a number added or taken away. Of ``dp`` a number above 1 counts points: 5 is 5%.

    Raises:
        ValueError: It is no such statement, or bounds a part of 1 by more.

    Examples:
        >>> limit_of("bm25: share.region.Africa >= 15%")[1:]
        ('bm25', 'share.region.Africa', True, 0.15, False)
        >>> limit_of("EED@5 <= baseline + 0.02")[1:]
        ('', 'EED@5', False, 0.02, True)
    """
    match = _STATEMENT.fullmatch(text.strip())
    number = "" if match is None else re.sub(r"[\s%]", "", match["number"] or "").replace("−", "-")
    if match is None or not (number or match["baseline"]) or (match["baseline"] and number and number[0] not in "+-"):
        raise ValueError(f"{FORM}, got {text[:60]!r}")
    system, quantity, sign, baseline = match.group("system", "quantity", "sign", "baseline")
    kind = quantity.partition(".")[0]
    try:
        bound = float(number or 0)
    except ValueError:
        raise ValueError(f"{FORM}, got {text[:60]!r}") from None
    if kind not in OF_BIAS and (match["percent"] or (kind == "dp" and bound > 1)):
        bound /= 100
    if kind in PARTS and bound > 1:
        raise ValueError(f"{kind} is a part of 1: write {number}% or {bound / 100:g}, got {text[:60]!r}")
    return Limit(text.strip(), system or "", quantity, sign in ">=≥", bound, baseline is not None)


@reader
def read_limits(source: Source, check: Callable[[str], object] = limit_of) -> Parsed[tuple[str, ...]]:
    """Read statements of a file of limits.

    Args:
        source: The input.
        check: Raises ValueError or UsageError for a text that is no statement.

    Raises:
        InputError: It is no TOML, has other keys than ``limits``, or one of these is no statement.
    """
    tables = read_toml(source)
    notes = NoteBook(source.name)
    limits = cast("Any", tables.get("limits"))
    if unknown := [name for name in tables if name != "limits"]:
        raise source.wrong(f"{shown(unknown[0])} is no key of a file of limits", FIX)
    if not isinstance(limits, list) or not limits:
        raise source.wrong("limits is no list" if limits else "there are no limits", FIX)
    texts = tuple(map(str, cast("list[object]", limits)))
    for number, text in enumerate(texts, start=1):
        try:
            check(text)
        except (ValueError, UsageError) as error:
            line = _last_line(whole_text(source, notes).split("\n"), number)
            fix = FIX if isinstance(error, ValueError) else ""
            raise source.wrong(f"limit {number}: {error}", fix, line) from None
    return notes.parsed(texts, plural(len(texts), "limit"))


def _last_line(lines: list[str], number: int) -> int:
    """Where a limit ends, of several that may be written alike: the first lines that are TOML with as many limits."""
    for n_lines in range(1, len(lines)):
        for end in ("", "]"):  # of a list that goes on
            with suppress(tomllib.TOMLDecodeError):
                if len(tomllib.loads("\n".join([*lines[:n_lines], end])).get("limits", ())) >= number:
                    return n_lines
    return len(lines)
