"""Questions of several files as one, and columns of several files as one."""

from collections.abc import Sequence
from itertools import compress

import numpy as np

from fairviz.errors import InputError
from fairviz.io.notes import shown
from fairviz.model import BiasItems, BoolArray, Factor, IndexArray


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
    together = BiasItems(
        categories=joined_factor("category", [file.categories for file in items]),
        languages=joined_factor("language", [file.languages for file in items]),
        ids=tuple(name for file in items for name in file.ids),
        templates=joined_factor("template", [file.templates for file in items]),
        ambiguous=np.concatenate([file.ambiguous for file in items]),
        nonnegative=np.concatenate([file.nonnegative for file in items]),
        gold=np.concatenate([file.gold for file in items]),
        unknown=np.concatenate([file.unknown for file in items]),
        target=np.concatenate([file.target for file in items]),
        stereotyped=joined_factor("stereotyped", [file.stereotyped for file in items]),
        contexts=tuple(text for file in items for text in file.contexts),
        questions=tuple(text for file in items for text in file.questions),
        options=tuple(text for file in items for text in file.options),
        groups=tuple(labels for file in items for labels in file.groups or (("", "", ""),) * len(file))
        if any(file.groups for file in items)
        else (),
    )
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
    places: list[int] = np.flatnonzero(keep).tolist()
    return BiasItems(
        categories=factor_at(items.categories, keep),
        languages=factor_at(items.languages, keep),
        ids=tuple(items.ids[i] for i in places),
        templates=factor_at(items.templates, keep),
        ambiguous=items.ambiguous[keep],
        nonnegative=items.nonnegative[keep],
        gold=items.gold[keep],
        unknown=items.unknown[keep],
        target=items.target[keep],
        stereotyped=factor_at(items.stereotyped, keep),
        contexts=tuple(items.contexts[i] for i in places),
        questions=tuple(items.questions[i] for i in places),
        options=tuple(items.options[i] for i in places),
        groups=tuple(items.groups[i] for i in places) if items.groups else (),
    )


# Columns of several files as one, and the rows of a column.


def joined_factor(name: str, factors: Sequence[Factor]) -> Factor:
    """One column of several, one after the other."""
    if len(factors) == 1:
        return Factor(name, factors[0].values, factors[0].codes)
    places: dict[str, int] = {}
    codes: list[IndexArray] = []
    for factor in factors:
        new = [places.setdefault(value, len(places)) for value in factor.values]
        codes.append(np.array(new, dtype=np.int32)[factor.codes])
    return Factor(name, tuple(places), np.concatenate(codes))


def constant(name: str, value: str, n: int) -> Factor:
    """A column that says the same in all of ``n`` rows."""
    return Factor(name, (value,), np.zeros(n, dtype=np.int32))


def factor_at(factor: Factor, keep: BoolArray) -> Factor:
    """The column of these rows, without values that none of them has."""
    codes = factor.codes[keep]
    used = np.bincount(codes, minlength=len(factor.values)) > 0
    new = (np.cumsum(used) - 1).astype(np.int32)
    return Factor(factor.name, tuple(compress(factor.values, used)), new[codes])
