"""Do answers and bias questions speak of the same items?"""

from typing import TypeAlias

import numpy as np

from fairviz.errors import InputError
from fairviz.formats.bias_words import folded
from fairviz.formats.join import Join
from fairviz.formats.notes import NoteBook, shown
from fairviz.model import BiasItems, BiasPredictions

_Key: TypeAlias = tuple[str, str]


def join_answers(predictions: BiasPredictions, items: BiasItems, *, file: str | None = None, there: str = "") -> Join:
    """Match answers with the items they are to: by category and id, by id without a category.

    Args:
        predictions: Answers.
        items: Bias questions.
        file: The file to name in notes; the predictions' name by default.
        there: The file of the items.

    Returns:
        Items are named "CATEGORY ID"; ``n_rows`` are answers, ``n_matched`` those to known items.

    Raises:
        InputError: They have no item in common.
    """
    book = NoteBook(file or predictions.name)
    asked, said = items.categories, predictions.categories
    asked_codes: list[int] = asked.codes.tolist()
    known: dict[_Key, str] = {}
    for code, name in zip(asked_codes, items.ids, strict=True):
        category = asked.values[code] if said is not None else ""
        known.setdefault((folded(category), name), f"{category} {name}".lstrip())
    ids = predictions.example_ids
    n_ids = len(ids.values)
    of_category = np.zeros(len(ids), np.int64) if said is None else said.codes.astype(np.int64)
    pairs, counts = np.unique(of_category * n_ids + ids.codes, return_counts=True)
    pair_codes: list[int] = pairs.tolist()
    found: dict[_Key, int] = {}
    names: dict[_Key, str] = {}
    for pair, count in zip(pair_codes, counts.tolist(), strict=True):
        category, name = (
            "" if said is None else said.values[pair // n_ids],
            ids.values[pair % n_ids],
        )
        key = (folded(category), name)
        found[key] = found.get(key, 0) + count
        names.setdefault(key, f"{category} {name}".lstrip())
    common = [key for key in known if key in found]
    lost = [key for key in found if key not in known]
    source = shown(there or "the items")
    if not common:
        here, its = shown(next(iter(names.values()))), shown(next(iter(known.values())))
        reason = f"no item in common with {source}: {here} here, {its} there"
        fix = "Check that category and example_id are written alike in both files."
        raise InputError(reason, file=book.file, fix=fix)
    if lost:
        n = sum(found[key] for key in lost)
        book.add(f"{n:,} answers are to no item of {source}, such as {shown(names[lost[0]])}")
    n_open = len(known) - len(common)
    if n_open:
        book.add(f"{n_open:,} of {len(known):,} items are not answered")
    return Join(
        common=tuple(known[key] for key in common),
        only_left=tuple(names[key] for key in lost),
        only_right=tuple(name for key, name in known.items() if key not in found),
        n_rows=len(ids),
        n_matched=sum(found[key] for key in common),
        notes=book.notes,
    )
