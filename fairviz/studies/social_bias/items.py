"""Questions of several files as one."""

from collections.abc import Sequence
from dataclasses import fields
from itertools import chain, compress
from typing import Any, cast

import numpy as np

from fairviz.errors import InputError
from fairviz.io.notes import shown
from fairviz.model import BiasItems, BoolArray, Factor


def merged_items(items: Sequence[BiasItems]) -> BiasItems:
    """Items of several files as one noun; an item that stands in two files equally is kept once.

    Raises:
        InputError: There are no items, or two different ones of a language and category share an
            id.
    """
    if not items:
        fix = "Load the questions too: BBQ's JSONL, or an item table."
        raise InputError("no bias questions are loaded", fix=fix)
    if len(items) == 1:
        return items[0]
    columns = {field.name: [getattr(file, field.name) for file in items] for field in fields(BiasItems)}
    if any(columns["groups"]):
        columns["groups"] = [file.groups or (("", "", ""),) * len(file) for file in items]
    together = BiasItems(**{name: _joined(parts) for name, parts in columns.items()})
    keep = _without_copies(together)
    return together if keep.all() else items_at(together, keep)


def _without_copies(items: BiasItems) -> BoolArray:
    """(N) False for an item that stood before.

    Raises:
        InputError: Two different items share language, category and id.
    """
    first: dict[tuple[int, int, str], int] = {}
    keep = np.ones(len(items), dtype=np.bool_)
    languages: list[int] = items.languages.codes.tolist()
    categories: list[int] = items.categories.codes.tolist()
    for i, key in enumerate(zip(languages, categories, items.ids, strict=True)):
        before = first.setdefault(key, i)
        if before == i:
            continue
        same = all(
            column[before] == column[i] for column in (items.contexts, items.questions, items.options, items.ambiguous)
        )
        if not same:
            category = items.categories.values[key[1]]
            reason = f"two different questions are {category} {shown(key[2])}"
            fix = "Number the questions of a category through, over all files."
            raise InputError(reason, fix=fix)
        keep[i] = False
    return keep


def items_at(items: BiasItems, keep: BoolArray) -> BiasItems:
    """Some of the items."""

    def kept(column: Any) -> Any:
        if isinstance(column, Factor):
            return Factor.of(column.name, list(compress(column.rows, keep)))
        if isinstance(column, tuple):
            return tuple(compress(cast("tuple[object, ...]", column), keep))
        return column[keep]

    return BiasItems(**{field.name: kept(getattr(items, field.name)) for field in fields(BiasItems)})


def _joined(columns: Sequence[Any]) -> Any:
    """A column of several files, one after the other."""
    first = columns[0]
    if isinstance(first, Factor):
        return Factor.of(first.name, list(chain.from_iterable(factor.rows for factor in columns)))
    return tuple(chain.from_iterable(columns)) if isinstance(first, tuple) else np.concatenate(columns)
