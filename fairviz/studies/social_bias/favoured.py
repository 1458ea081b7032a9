"""Which groups answers towards the stereotype favour, named from the items themselves.

A bias type is no group: in BBQ the stereotype is about older people in some items of Age and about younger ones in the
others, so a name for the whole type would be wrong for half of them. A group is named where nearly all answered items
agree; elsewhere a sign is towards or against the stereotype, and so are printed tables, which name no groups.
"""

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from fairviz.model import BiasAnswers, BiasItems
from fairviz.model.bias import NO_TARGET
from fairviz.studies.social_bias.group_words import group_words

MOST = 0.9
"""Share of the items of a bias type from which one group is called the favoured one."""

TOWARDS, AGAINST = "towards the stereotype", "against the stereotype"


class Sides(NamedTuple):
    """What values above and below 0 mean, in words.

    Attributes:
        above: Whom answers towards the stereotype favour, or that they follow it.
        below: Whom answers against it favour, or that they contradict it.
    """

    above: str = TOWARDS
    below: str = AGAINST


def favoured_groups(items: BiasItems, answers: BiasAnswers) -> Mapping[str, Sides]:
    """Words for both signs by bias type, from the groups of the answered items.

    The stereotyped option answers a negative question towards the stereotype, the other one a
    non-negative question; whoever is not stereotyped is favoured by answers towards it.

    Args:
        items: Questions; without groups of their options nobody is named.
        answers: Answers to them.
    """
    if not items.groups:
        return {}
    above: dict[int, Counter[str]] = {}
    below: dict[int, Counter[str]] = {}
    answered: list[int] = np.unique(answers.items).tolist()
    for i in answered:
        target = int(items.target[i])
        if target == NO_TARGET:
            continue
        other = 3 - target - int(items.unknown[i])
        stereotyped, favoured = (other, target) if items.nonnegative[i] else (target, other)
        category = int(items.categories.codes[i])
        above.setdefault(category, Counter())[items.groups[i][favoured].strip()] += 1
        below.setdefault(category, Counter())[items.groups[i][stereotyped].strip()] += 1
    names = items.categories.values
    return {
        names[code]: Sides(_named(names[code], above[code]) or TOWARDS, _named(names[code], below[code]) or AGAINST)
        for code in above
    }


def _named(category: str, groups: Counter[str]) -> str:
    """“favours X” where nearly every item says so."""
    ((group, n),) = groups.most_common(1)
    return f"favours {group_words(category, group)}" if group and n >= MOST * groups.total() else ""
