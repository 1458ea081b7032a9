"""Target shares of attention: one JSON object ``{group: share}``, or one of these per query."""

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import TextIO

import numpy as np

from fairviz.errors import InputError
from fairviz.io.json import json_type, key_line, parse_json
from fairviz.io.names import folded, is_blank
from fairviz.io.notes import NoteBook, Parsed, shown
from fairviz.io.source import FileInput, Source, as_source, reader
from fairviz.io.text import whole_text
from fairviz.model import Target
from fairviz.model.judgements import WEIGHT_TOLERANCE
from fairviz.numerals import plural

FORM = 'Write {"group": share, …} with shares that sum to 1, or {"query": {"group": share, …}, …}.'


@reader
def read_target(file: FileInput | Source) -> Parsed[Target]:
    """Read target shares.

    Args:
        file: A path or ``(name, bytes)``, plain or gzip'ed. Values that are objects make it a
            target per query; a group that a query does not name has the share 0 there.

    Raises:
        InputError: Not an object of shares >= 0 that sum to 1.
    """
    source = as_source(file)
    notes = NoteBook(source.name)
    text = whole_text(source, notes)
    content = parse_json(text, file=source.name)
    if not isinstance(content, dict) or not content:
        what = "an empty object" if content == {} else json_type(content)
        raise InputError(f"expected group -> share, found {what}", file=source.name, line=1, fix=FORM)
    if not all(isinstance(value, dict) for value in content.values()):
        shares = _shares(content, None, partial(key_line, text), {}, source.name)
        target = Target(groups=tuple(shares), shares=np.array(list(shares.values())))
        label = f"target for {plural(len(shares), 'group')}"
        return notes.parsed(target, label)
    spellings: dict[str, str] = {}
    rows = {
        query: _shares(value, query, partial(key_line, text, query), spellings, source.name)
        for query, value in content.items()
        if isinstance(value, dict)
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
    content: Mapping[str, object],
    query: str | None,
    line: Callable[..., int | None],
    spellings: dict[str, str],
    file: str,
) -> dict[str, float]:
    """Shares of one target, checked; ``line`` finds that of a group, ``spellings`` are of the groups met so far."""
    where = "" if query is None else f" for query {shown(query)}"
    if query is not None and is_blank(query):
        raise InputError(f"query id is blank: '{shown(query)}'", file=file, line=line(), fix="Name the query.")
    if not content:
        raise InputError(f"no shares{where}", file=file, line=line(), fix=FORM)
    shares: dict[str, float] = {}
    for group, share in content.items():
        same = spellings.setdefault(folded(group), group)
        if same != group:
            reason = f"duplicate group {shown(group)}{where}: case and blanks do not tell it from {shown(same)}"
            raise InputError(reason, file=file, line=line(group), fix="Name each group once.")
        if is_blank(group):
            reason = f"the name of a group{where} is blank: '{shown(group)}'"
            raise InputError(reason, file=file, line=line(group), fix="Name the group.")
        if isinstance(share, bool) or not isinstance(share, int | float):
            reason = f"target share of {shown(group)}{where} is no number but {json_type(share)}"
            raise InputError(reason, file=file, line=line(group), fix="Give shares as numbers.")
        if share < 0:
            reason = f"target share of {shown(group)}{where} is negative: {share:g}"
            raise InputError(reason, file=file, line=line(group), fix="Give shares >= 0.")
        shares[group] = float(share)
    total = sum(shares.values())
    if abs(total - 1) > WEIGHT_TOLERANCE:
        percent = abs(total - 100) <= 100 * WEIGHT_TOLERANCE
        raise InputError(
            f"target shares{where} sum to {total:g}{' (percentages?)' if percent else ''}",
            file=file,
            line=line(next(iter(content))),
            fix="Divide by 100." if percent else "Make the shares sum to 1.",
        )
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
