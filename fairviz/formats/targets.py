"""Target shares of attention: one JSON object ``{group: share}``."""

import json
from typing import TextIO

import numpy as np

from fairviz.errors import InputError
from fairviz.formats.notes import NoteBook, Parsed, shown
from fairviz.formats.source import FileInput, Source, as_source
from fairviz.formats.strict_json import json_type, parse_json
from fairviz.formats.text import whole_text
from fairviz.model import Target
from fairviz.model.judgements import WEIGHT_TOLERANCE


def read_target(file: FileInput | Source) -> Parsed[Target]:
    """Read target shares.

    Args:
        file: A path or ``(name, bytes)``, plain or gzip'ed.

    Raises:
        InputError: Not an object of shares >= 0 that sum to 1.
    """
    source = as_source(file)
    book = NoteBook(source.name)
    content = parse_json(whole_text(source, book), file=source.name)
    if not isinstance(content, dict) or not content:
        found = "an empty object" if content == {} else json_type(content)
        fix = 'Write {"group": share, …} with shares that sum to 1.'
        raise InputError(f"expected group -> share, found {found}", file=source.name, fix=fix)
    shares: list[float] = []
    for group, share in content.items():
        if isinstance(share, bool) or not isinstance(share, int | float):
            reason = f"target share of {shown(group)} is no number but {json_type(share)}"
            raise InputError(reason, file=source.name, fix="Give shares as numbers.")
        if share < 0:
            reason = f"target share of {shown(group)} is negative: {share:g}"
            raise InputError(reason, file=source.name, fix="Give shares >= 0.")
        shares.append(float(share))
    total = sum(shares)
    if abs(total - 1) > WEIGHT_TOLERANCE:
        percent = abs(total - 100) <= 100 * WEIGHT_TOLERANCE
        raise InputError(
            f"target shares sum to {total:g}{' (percentages?)' if percent else ''}",
            file=source.name,
            fix="Divide by 100." if percent else "Make the shares sum to 1.",
        )
    target = Target(groups=tuple(content), shares=np.array(shares))
    label = f"target for {len(shares)} groups"
    return Parsed(value=target, file=source.name, format=label, notes=book.notes)


def write_target(target: Target, to: TextIO) -> None:
    """Write target shares as one JSON object.

    Args:
        target: The shares.
        to: An open text file.
    """
    shares = dict(zip(target.groups, target.shares.tolist(), strict=True))
    to.write(json.dumps(shares, ensure_ascii=False) + "\n")
