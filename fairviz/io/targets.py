"""Target shares of attention: of all queries alike or of each, or bounds of shares over all queries together.

Shares are one JSON object ``{group: share}``, or one of these per query. Bounds are one object ``{attribute: {group:
bound}}``, or ``{group: bound}`` of the attribute that counts. A bound is a share, exactly; ``{"min": share}``,
``{"max": share}`` or both; ``[least, largest]`` with null for none; or null: free. An object without any bound but
shares is a target.
"""

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any, TextIO, cast

import numpy as np

from fairviz.errors import InputError
from fairviz.io.json import Json, json_object, json_type, wrong_in
from fairviz.io.names import folded, is_blank
from fairviz.io.notes import NoteBook, Parsed, shown
from fairviz.io.source import Source, reader
from fairviz.model import ShareBounds, Target
from fairviz.model.judgements import WEIGHT_TOLERANCE
from fairviz.numerals import plural

ENDS = ("min", "max")
OF_SHARES = 'Write {"group": share, …} with shares that sum to 1, or {"query": {"group": share, …}, …}.'
OF_BOUNDS = 'Write {"attribute": {"group": {"min": share, "max": share}, …}, …}; a share alone is exact.'
_BOUND = re.compile(r'\{\s*"(?:min|max)"\s*:\s*[-0-9.eE+]+\s*(?:,\s*"(?:min|max)"\s*:\s*[-0-9.eE+]+\s*)?\}')


def holds_bounds(text: str) -> bool:
    """Whether a text of JSON has an object of a least or a largest share and nothing else."""
    return _BOUND.search(text) is not None


@reader
def read_target(source: Source) -> Parsed[Target]:
    """Read target shares.

    Args:
        source: A path or ``(name, bytes)``, plain or gzip'ed. Values that are objects make it a
            target per query; a group that a query does not name has the share 0 there.

    Raises:
        InputError: Not an object of shares >= 0 that sum to 1.
    """
    notes = NoteBook(source.name)
    return _target(*json_object(source, notes, what="group -> share", fix=OF_SHARES), notes)


@reader
def read_target_or_bounds(source: Source, *, others_free: bool = False) -> Parsed[Any]:
    """A :class:`Target` of shares, or :class:`ShareBounds` where an object says at least or at most.

    Args:
        source: A path or ``(name, bytes)``, plain or gzip'ed.
        others_free: Whether shares below 1 in all leave the groups free that they do not name; else they are refused.

    Raises:
        InputError: It is neither.
    """
    notes = NoteBook(source.name)
    content, text = json_object(source, notes, what="group -> share", fix=OF_BOUNDS)
    nested = bool(content) and all(isinstance(value, dict) for value in content.values())
    flat = any(_is_bound(value) for value in content.values()) or (others_free and _is_below_1(content.values()))
    some = [_values(of) for of in content.values()]
    if flat:
        content = {"": content}
    elif not ((nested and any(map(_is_bound, chain(*some)))) or (others_free and any(map(_is_below_1, some)))):
        return _target(content, text, notes)
    bounds = _bounds(content, wrong_in(text, notes.file), flat=flat)
    attributes = dict.fromkeys(filter(None, bounds.attributes))
    label = f"bounds of {plural(len(bounds.groups), 'share')}"
    return notes.parsed(bounds, f"{label} of {', '.join(map(shown, attributes))}" if attributes else label)


@reader
def read_statements(source: Source) -> Parsed[str]:
    """Read shares or bounds of shares as the JSON that says them, on one line.

    Args:
        source: A path or ``(name, bytes)``, plain or gzip'ed.

    Raises:
        InputError: It holds neither.
    """
    parsed = read_target_or_bounds(source, others_free=True)
    content, _ = json_object(source, NoteBook(source.name), what="group -> share", fix=OF_BOUNDS)
    return replace(parsed, value=json.dumps(content, ensure_ascii=False))


def _named_groups(
    content: Mapping[str, Json], spellings: dict[str, str], wrong: Callable[..., InputError], *at: str, where: str = ""
) -> Iterator[tuple[str, Json]]:
    """The groups of an object and what it says of each.

    Args:
        content: The object.
        spellings: Of groups that were met so far, by their folded names.
        wrong: Makes the error of a path of names.
        at: The names that lead to the object.
        where: The object, in words of an error.

    Raises:
        InputError: The name of a group is blank, or another spelling of one before.
    """
    for group, value in content.items():
        if is_blank(group):
            raise wrong(f"the name of a group{where} is blank: '{shown(group)}'", "Name the group.", *at, group)
        same = spellings.setdefault(folded(group), group)
        if same != group:
            reason = f"duplicate group {shown(group)}{where}: case and blanks do not tell it from {shown(same)}"
            raise wrong(reason, "Name each group once.", *at, group)
        yield group, value


# Shares.


def _target(content: dict[str, Json], text: str, notes: NoteBook) -> Parsed[Target]:
    """The target that an object is, whose text is given.

    Raises:
        InputError: Not shares >= 0 that sum to 1.
    """
    if not content:
        raise notes.wrong("expected group -> share, found an empty object", OF_SHARES, 1)
    wrong = wrong_in(text, notes.file)
    per_query = all(isinstance(value, dict) for value in content.values())
    targets = cast("dict[str | None, dict[str, Json]]", content if per_query else {None: content})
    spellings: dict[str, str] = {}
    rows = {query: _target_shares(shares, query, spellings, wrong) for query, shares in targets.items()}
    groups = tuple(dict.fromkeys(group for row in rows.values() for group in row))
    table = np.array([[row.get(group, 0.0) for group in groups] for row in rows.values()])
    queries = tuple(query for query in rows if query is not None)
    target = Target(groups=groups, shares=table if per_query else table[0], query_ids=queries if per_query else None)
    label = f"target for {plural(len(groups), 'group')}"
    return notes.parsed(target, f"{label} in {plural(len(rows), 'query', 'queries')}" if per_query else label)


def _target_shares(
    content: Mapping[str, Json], query: str | None, spellings: dict[str, str], wrong: Callable[..., InputError]
) -> dict[str, float]:
    """Shares of one target; ``spellings`` are of the groups met so far, ``wrong`` makes the error of a name."""
    at, where = ((), "") if query is None else ((query,), f" for query {shown(query)}")
    if query is not None and is_blank(query):
        raise wrong(f"query id is blank: '{shown(query)}'", "Name the query.", *at)
    if not content:
        raise wrong(f"no shares{where}", OF_SHARES, *at)
    shares: dict[str, float] = {}
    for group, share in _named_groups(content, spellings, wrong, *at, where=where):
        if isinstance(share, bool) or not isinstance(share, int | float):
            reason = f"target share of {shown(group)}{where} is no number but {json_type(share)}"
            raise wrong(reason, OF_BOUNDS if isinstance(share, dict) else "Give shares as numbers.", *at, group)
        if share < 0:
            reason = f"target share of {shown(group)}{where} is negative: {share:g}"
            raise wrong(reason, "Give shares >= 0.", *at, group)
        shares[group] = float(share)
    total = sum(shares.values())
    if abs(total - 1) > WEIGHT_TOLERANCE:
        percent = abs(total - 100) <= 100 * WEIGHT_TOLERANCE
        reason = f"target shares{where} sum to {total:g}{' (percentages?)' if percent else ''}"
        fix = "Make the shares sum to 1; a share that leaves other groups free is written [0.3, 0.3]."
        raise wrong(reason, "Divide by 100." if percent else fix, *at, next(iter(content)))
    return shares


def write_target(target: Target, to: TextIO) -> None:
    """Write target shares as one JSON object.

    Args:
        target: The shares.
        to: An open text file.
    """
    rows = [dict(zip(target.groups, row, strict=True)) for row in np.atleast_2d(target.shares).tolist()]
    whole = rows[0] if target.query_ids is None else dict(zip(target.query_ids, rows, strict=True))
    to.write(json.dumps(whole, ensure_ascii=False) + "\n")


# Bounds.


def _values(of: Json) -> list[Any]:
    return list(of.values()) if isinstance(of, dict) else []


def _is_below_1(shares: Collection[Any]) -> bool:
    """Whether values are shares that leave something for others."""
    are_numbers = all(isinstance(share, int | float) and not isinstance(share, bool) for share in shares)
    return are_numbers and len(shares) > 0 and min(shares) >= 0 and sum(shares) < 1 - WEIGHT_TOLERANCE


def _is_bound(value: Json) -> bool:
    """Whether a value says more than an exact share: an object of ends, a pair, or null."""
    if isinstance(value, dict):
        return bool(value) and value.keys() <= set(ENDS)
    return value is None or isinstance(value, list)


def _bounds(content: Mapping[str, Any], wrong: Callable[..., InputError], *, flat: bool) -> ShareBounds:
    """The bounds of every attribute; ``wrong`` makes the error of a path of names."""
    rows: list[tuple[str, str, float, float]] = []
    for attribute, of in content.items():
        above: tuple[str, ...] = () if flat else (attribute,)
        if not flat and is_blank(attribute):
            raise wrong(f"the name of an attribute is blank: '{shown(attribute)}'", "Name the attribute.", *above)
        spellings: dict[str, str] = {}
        least = 0.0
        for group, bound in _named_groups(of, spellings, wrong, *above):
            low, high = _ends(bound, group, lambda reason, fix, at=(*above, group): wrong(reason, fix, *at))
            rows.append((attribute, group, low, high))
            least += low
        if least > 1 + WEIGHT_TOLERANCE:
            where = "" if flat else f" of {shown(attribute)}"
            reason = f"the least shares{where} sum to {least:g}, more than 1"
            raise wrong(reason, "Lower some of them.", *above, *([] if above else list(of)[:1]))
    attributes, groups, low, high = zip(*rows, strict=True)
    return ShareBounds(attributes=attributes, groups=groups, low=np.array(low), high=np.array(high))


def _ends(bound: object, group: str, wrong: Callable[[str, str], InputError]) -> tuple[float, float]:
    """The least and the largest share that a bound allows."""
    ends: list[object] = [bound, bound]
    if isinstance(bound, dict):
        by_key = cast("dict[str, object]", bound)
        if unknown := by_key.keys() - set(ENDS):
            raise wrong(f"{shown(group)}: unknown key {shown(min(unknown))}", 'The keys are "min" and "max".')
        ends = [by_key.get(key) for key in ENDS]
    elif isinstance(bound, list):
        ends = cast("list[object]", bound)
        if len(ends) != len(ENDS):
            raise wrong(f"{shown(group)}: {plural(len(ends), 'number')} in a list", "Give [least, largest].")
    low = 0.0 if ends[0] is None else _share(ends[0], group, wrong)
    high = 1.0 if ends[1] is None else _share(ends[1], group, wrong)
    if low > high:
        raise wrong(f"{shown(group)}: min {low:g} is above max {high:g}", "Swap them, or mend one.")
    return low, high


def _share(value: object, group: str, wrong: Callable[[str, str], InputError]) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong(f"a share of {shown(group)} is no number but {json_type(value)}", "Give shares as numbers.")
    if not 0 <= value <= 1:
        fix = f"Give shares from 0 to 1{'; divide percentages by 100' if 1 < value <= 100 else ''}."
        raise wrong(f"a share of {shown(group)} is {value:g}", fix)
    return float(value)


def bounds_text(bounds: ShareBounds) -> str:
    """Bounds as the JSON that :func:`read_target_or_bounds` reads, groups without one left out.

    Args:
        bounds: With the name of every attribute.

    Examples:
        >>> low, high = np.array([0.15, 0.4, 0.0]), np.array([1.0, 0.4, 0.3])
        >>> print(bounds_text(ShareBounds(attributes=("r", "s", "r"), groups=("a", "x", "b"), low=low, high=high)))
        {"r": {"a": {"min": 0.15}, "b": {"max": 0.3}}, "s": {"x": [0.4, 0.4]}}
    """
    written: dict[str, dict[str, Any]] = {}
    low_ends, high_ends = bounds.low.tolist(), bounds.high.tolist()
    for attribute, group, low, high in zip(bounds.attributes, bounds.groups, low_ends, high_ends, strict=True):
        ends = {"min": low} if low > 0 else {}
        ends |= {"max": high} if high < 1 else {}
        if ends:
            written.setdefault(attribute, {})[group] = [low, high] if low == high else ends
    return json.dumps(written, ensure_ascii=False) if written else ""
