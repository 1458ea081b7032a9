"""How numbers, counts and names are written, and what a finding is: a title with the sentence below it.

A true minus, 3 decimals in tables and 2 in sentences, thousands spaced; an undefined number is a dash, never 0. Every
clause of a finding is a count or a comparison, computed from what is shown and checked against an interval; where the
interval holds no difference, the title says that none can be distinguished.
"""

import math
import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from fairviz.numerals import THIN as THIN
from fairviz.numerals import considered as considered
from fairviz.numerals import count as count
from fairviz.numerals import count_word as count_word
from fairviz.numerals import plural as plural

MINUS = "\N{MINUS SIGN}"
UNDEFINED = "–"
NO_INTERVAL = "no interval"

ARROWS = {"lower": "↓", "higher": "↑", "closest to 0": "→ 0"}


def number(value: float | None, decimals: int = 3) -> str:
    """A number with a true minus sign; None and NaN are undefined.

    Examples:
        >>> number(-0.0474), number(float("nan"))
        ('−0.047', '–')
    """
    if value is None or math.isnan(value):
        return UNDEFINED
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    text = f"{abs(value):.{decimals}f}"
    below = value < 0 and float(text) != 0
    return MINUS + text if below else text


def signed(value: float | None, decimals: int = 3) -> str:
    """A difference with its sign; ± only for an exact 0.

    Examples:
        >>> signed(0.031), signed(-0.07, 2), signed(0.0, 2)
        ('+0.031', '−0.07', '±0.00')
    """
    if value is None or math.isnan(value):
        return UNDEFINED
    sign = "±" if value == 0 else ("+" if value > 0 else MINUS)
    return f"{sign}∞" if math.isinf(value) else f"{sign}{abs(value):.{decimals}f}"


def in_words(value: float, decimals: int = 1, *, sign: bool = False) -> str:
    """A number as charts write it: ± wherever it rounds to 0, where :func:`signed` keeps the sign.

    Examples:
        >>> in_words(-2.63, sign=True), in_words(25.9), in_words(0.0, 0, sign=True)
        ('−2.6', '25.9', '±0')
    """
    if math.isnan(value):
        return UNDEFINED
    text = f"{abs(value):.{decimals}f}"
    if value < 0 and float(text):
        return f"{MINUS}{text}"
    return f"{'+' if float(text) else '±'}{text}" if sign else text


def percent(share: float, decimals: int = 0) -> str:
    """A share of 1 in percent: no decimals in sentences, one in tables.

    Examples:
        >>> percent(0.2857), percent(0.2857, 1) == "28.6\u202f%"
        ('29\u202f%', True)
    """
    return UNDEFINED if math.isnan(share) else f"{number(100 * share, decimals)}{THIN}%"


SMALL = 0.02
"""Shares below this have a decimal."""


def shares_in_words(*shares: float) -> list[str]:
    """Shares that stand side by side: one decimal where one is small, or two would read alike.

    Examples:
        >>> shares_in_words(0.08, 0.16) == ["8\u202f%", "16\u202f%"]
        True
        >>> shares_in_words(0.004, 0.03) == ["0.4\u202f%", "3.0\u202f%"]
        True
    """
    whole = [percent(share) for share in shares]
    alike = len(set(whole)) < len({round(share, 3) for share in shares})
    return [percent(share, 1) for share in shares] if min(shares) < SMALL or alike else whole


def duration(seconds: float) -> str:
    """A time in words, to what matters.

    Examples:
        >>> [duration(s) for s in (0.4, 42, 90, 3540, 9000)]
        ['under a second', '42 s', '1 min 30 s', '59 min', '2 h 30 min']
    """
    whole = round(seconds)
    if whole < 1:
        return "under a second"
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 10:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(round(whole / 60), 60)
    if not hours:
        return f"{minutes} min"
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"


def interval(low: float | None, high: float | None, decimals: int = 3) -> str:
    """An interval in words, so that a minus is not read as a dash; one that cannot be drawn is said to be none.

    Ends that would read alike have a digit or two more; those that are still alike are one number.

    Examples:
        >>> interval(-0.46, -0.08, 2), interval(0.0141, 0.0144, 2), interval(0.5, 0.5, 1)
        ('−0.46 to −0.08', '0.0141 to 0.0144', '0.5')
        >>> interval(math.nan, math.nan)
        'no interval'
    """
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        return NO_INTERVAL
    for digits in (decimals, decimals + 1, decimals + 2):
        first, last = number(low, digits), number(high, digits)
        if first != last:
            return f"{first} to {last}"
    return number(low, decimals)


def points(gap: float, decimals: int = 0) -> str:
    """A difference of rates in points, without a sign; one decimal where it would read 0.

    Examples:
        >>> points(0.102), points(0.004), points(-0.01), points(0.0911, 1)
        ('10 points', '0.4 points', '1 point', '9.1 points')
    """
    size = 100 * abs(gap)
    text = number(size, 1 if decimals == 0 and 0.05 <= size < 0.95 else decimals)
    return f"{text} point{'' if text == '1' else 's'}"


def spanned(low: str, high: str) -> str:
    """Two values, as they are written, as a range; one where they are written alike.

    Examples:
        >>> spanned("64", "192"), spanned("7", "7")
        ('64 to 192', '7')
    """
    return low if low == high else f"{low} to {high}"


def p_value(value: float | None) -> str:
    """A p value: "< 0.001" or 3 decimals.

    Examples:
        >>> p_value(0.00004), p_value(0.405)
        ('< 0.001', '0.405')
    """
    if value is None or math.isnan(value):
        return UNDEFINED
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def quoted(name: str) -> str:
    """A label that is used as a noun.

    Examples:
        >>> quoted("none")
        '“none”'
    """
    return f"“{name}”"


DOCUMENTS = "documents"
"""What is ranked, where nobody gives it a name."""
_SINGULAR = {"children": "child", "men": "man", "movies": "movie", "people": "person", "women": "woman"}
"""Words whose singular no ending tells."""


def noun(unit: str, n: float = 1) -> str:
    """What is ranked, as it is called beside a number.

    Args:
        unit: Its name in the plural, of one word or several: the last one is inflected.
        n: How many there are.

    Examples:
        >>> [noun(unit) for unit in ("documents", "companies", "branches", "job seekers", "people", "staff")]
        ['document', 'company', 'branch', 'job seeker', 'person', 'staff']
        >>> noun("shops", 2)
        'shops'
    """
    if n == 1:
        before, last = unit[: unit.rfind(" ") + 1], unit[unit.rfind(" ") + 1 :]
        for ending, singular in (("ies", "y"), ("ches", "ch"), ("shes", "sh"), ("sses", "ss"), ("xes", "x"), ("s", "")):
            if last in _SINGULAR or last.endswith(ending):
                return before + _SINGULAR.get(last, last.removesuffix(ending) + singular)
    return unit


_GENERIC = frozenset({"class", "category", "group", "label", "none", "other", "others", "type", "unknown", "various"})
"""Words that name no group by themselves, however they are written."""
_PROPER = re.compile(r"[^\W\d_a-z][^\W\d_]+(?:[ -][^\W\d_a-z][^\W\d_]+)*")
_LONGEST_PROPER = 24


def called(name: str) -> str:
    """A group's name in a sentence: as it is where it reads as a proper name, else quoted.

    Examples:
        >>> called("North America"), called("Group 00"), called("women"), called("Other")
        ('North America', '“Group 00”', '“women”', '“Other”')
    """
    is_proper = _PROPER.fullmatch(name) and len(name) <= _LONGEST_PROPER
    return name if is_proper and not _GENERIC & set(name.lower().split()) else quoted(name)


def capital(text: str) -> str:
    """The first letter as a sentence begins, the rest as it is: names keep their letters.

    Examples:
        >>> capital("several runs may have fed GPT-4")
        'Several runs may have fed GPT-4'
    """
    return text[:1].upper() + text[1:]


def listing(names: list[str], word: Literal["and", "or"] = "and", *, most: int | None = None) -> str:
    """Names as a sentence lists them; those after the first ``most`` are counted.

    Examples:
        >>> listing(["a"]), listing(["a", "b", "c"]), listing(["a", "b", "c"], most=1)
        ('a', 'a, b and c', 'a and 2 more')
    """
    if most is not None and len(names) > most:
        names = [*names[:most], f"{count(len(names) - most)} more"]
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {word} {names[-1]}"


def distinct_names(names: Sequence[str]) -> list[str]:
    """Names without the leading and trailing parts that all of them share.

    Parts end at ``_``, ``.``, ``/``, ``-`` or a space. Digits are no name: a part that begins with one, a place or a
    version, keeps the part before it. Names stay whole where there is only one, where one would lose all its parts,
    and where what is left would say nothing.

    Examples:
        >>> distinct_names(["base_test_gpt-4o_top20", "base_test_command-r_top20"])
        ['gpt-4o', 'command-r']
        >>> distinct_names(["bm25", "bm25.rm3"])
        ['bm25', 'bm25.rm3']
        >>> distinct_names(["task_lamp-1", "task_lamp-2"])
        ['lamp-1', 'lamp-2']
    """
    if len(names) < 2:
        return list(names)
    parts: list[list[str]] = [re.findall(r"[^_./\-\s]+[_./\-\s]*|^[_./\-\s]+", name) for name in names]
    shortest = min(map(len, parts))
    start = end = 0
    while start < shortest and len({name_parts[start] for name_parts in parts}) == 1:
        start += 1
    while end < shortest - start and len({name_parts[-1 - end] for name_parts in parts}) == 1:
        end += 1
    while start and any(_says_little(name_parts[start:]) for name_parts in parts):
        start -= 1
    while end and any(
        "".join(name_parts[start : len(name_parts) - end]).strip("_./- ").isdigit() for name_parts in parts
    ):
        end -= 1
    if shortest - start - end < 1:
        return list(names)
    rests = ["".join(name_parts[start : len(name_parts) - end]).strip("_./- ") for name_parts in parts]
    return rests if all(rests) and len(set(rests)) == len(set(names)) else list(names)


def _says_little(parts: Sequence[str]) -> bool:
    """Whether nothing is left of a name, or something that begins with a digit: it belongs to the part before."""
    first = parts[0].strip("_./- ") if parts else ""
    return not first or first[0].isdigit()


class Finding(NamedTuple):
    """A title and the grey sentence below it."""

    title: str
    sentence: str
