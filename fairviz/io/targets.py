"""Target shares of attention: one JSON object ``{group: share}``, or one of these per query."""

import json
from collections.abc import Callable, Mapping
from typing import TextIO

import numpy as np

from fairviz.errors import InputError
from fairviz.io.json import json_type, parse_json, wrong_in
from fairviz.io.names import folded, is_blank
from fairviz.io.notes import NoteBook, Parsed, shown
from fairviz.io.source import Source, reader
from fairviz.io.text import whole_text
from fairviz.model import Target
from fairviz.model.judgements import WEIGHT_TOLERANCE
from fairviz.numerals import plural

FORM = 'Write {"group": share, …} with shares that sum to 1, or {"query": {"group": share, …}, …}.'


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
    text = whole_text(source, notes)
    content = parse_json(text, file=source.name)
    if not isinstance(content, dict) or not content:
        what = "an empty object" if content == {} else json_type(content)
        raise InputError(f"expected group -> share, found {what}", file=source.name, line=1, fix=FORM)
    wrong = wrong_in(text, source.name)
    if not all(isinstance(value, dict) for value in content.values()):
        shares = _shares(content, None, {}, wrong)
        target = Target(groups=tuple(shares), shares=np.array(list(shares.values())))
        label = f"target for {plural(len(shares), 'group')}"
        return notes.parsed(target, label)
    spellings: dict[str, str] = {}
    rows = {
        query: _shares(value, query, spellings, wrong) for query, value in content.items() if isinstance(value, dict)
    }
    groups = tuple(dict.fromkeys(group for row in rows.values() for group in row))
    target = Target(
        groups=groups,
        shares=np.array([[row.get(group, 0.0) for group in groups] for row in rows.values()]),
        query_ids=tuple(rows),
    )
    label = f"target for {plural(len(groups), 'group')} in {plural(len(rows), 'query', 'queries')}"
    return notes.parsed(target, label)


def _shares(
    content: Mapping[str, object], query: str | None, spellings: dict[str, str], wrong: Callable[..., InputError]
) -> dict[str, float]:
    """Shares of one target; ``spellings`` are of the groups met so far, ``wrong`` makes the error of a name."""
    at, where = ((), "") if query is None else ((query,), f" for query {shown(query)}")
    if query is not None and is_blank(query):
        raise wrong(f"query id is blank: '{shown(query)}'", "Name the query.", *at)
    if not content:
        raise wrong(f"no shares{where}", FORM, *at)
    shares: dict[str, float] = {}
    for group, share in content.items():
        same = spellings.setdefault(folded(group), group)
        if same != group:
            reason = f"duplicate group {shown(group)}{where}: case and blanks do not tell it from {shown(same)}"
            raise wrong(reason, "Name each group once.", *at, group)
        if is_blank(group):
            raise wrong(f"the name of a group{where} is blank: '{shown(group)}'", "Name the group.", *at, group)
        if isinstance(share, bool) or not isinstance(share, int | float):
            reason = f"target share of {shown(group)}{where} is no number but {json_type(share)}"
            raise wrong(reason, "Give shares as numbers.", *at, group)
        if share < 0:
            reason = f"target share of {shown(group)}{where} is negative: {share:g}"
            raise wrong(reason, "Give shares >= 0.", *at, group)
        shares[group] = float(share)
    total = sum(shares.values())
    if abs(total - 1) > WEIGHT_TOLERANCE:
        percent = abs(total - 100) <= 100 * WEIGHT_TOLERANCE
        reason = f"target shares{where} sum to {total:g}{' (percentages?)' if percent else ''}"
        raise wrong(reason, "Divide by 100." if percent else "Make the shares sum to 1.", *at, next(iter(content)))
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
