"""Bias questions of several files as one table."""

from collections.abc import Sequence

import numpy as np

from fairviz.answers.columns import joined, kept
from fairviz.errors import InputError
from fairviz.formats.notes import shown
from fairviz.model import BiasItems, BoolArray


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
        categories=joined("category", [each.categories for each in items]),
        languages=joined("language", [each.languages for each in items]),
        ids=tuple(name for each in items for name in each.ids),
        templates=joined("template", [each.templates for each in items]),
        ambiguous=np.concatenate([each.ambiguous for each in items]),
        nonnegative=np.concatenate([each.nonnegative for each in items]),
        gold=np.concatenate([each.gold for each in items]),
        unknown=np.concatenate([each.unknown for each in items]),
        target=np.concatenate([each.target for each in items]),
        stereotyped=joined("stereotyped", [each.stereotyped for each in items]),
        contexts=tuple(text for each in items for text in each.contexts),
        questions=tuple(text for each in items for text in each.questions),
        options=tuple(text for each in items for text in each.options),
    )
    keep = _without_copies(together)
    return together if keep.all() else _chosen(together, keep)


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


def _chosen(items: BiasItems, keep: BoolArray) -> BiasItems:
    rows = np.flatnonzero(keep).tolist()
    return BiasItems(
        categories=kept(items.categories, keep),
        languages=kept(items.languages, keep),
        ids=tuple(items.ids[i] for i in rows),
        templates=kept(items.templates, keep),
        ambiguous=items.ambiguous[keep],
        nonnegative=items.nonnegative[keep],
        gold=items.gold[keep],
        unknown=items.unknown[keep],
        target=items.target[keep],
        stereotyped=kept(items.stereotyped, keep),
        contexts=tuple(items.contexts[i] for i in rows),
        questions=tuple(items.questions[i] for i in rows),
        options=tuple(items.options[i] for i in rows),
    )
