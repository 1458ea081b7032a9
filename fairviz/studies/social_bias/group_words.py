"""Groups in words: files of BBQ write codes ("nonOld", "F", "lowSES"), which say little to a person and read as labels.

A code that is not known here is quoted as it stands, so that nobody takes it for a word of ours.
"""

import re

from fairviz.display.words import listing, quoted
from fairviz.io.bbq_targets import folded
from fairviz.resources import content
from fairviz.studies.social_bias.labels import bias_type

_ADJECTIVES = {"Nationality", "Race_ethnicity", "Race_x_gender", "Race_x_SES", "Religion", "Sexual_orientation"}
"""Bias types whose groups are adjectives: "Spanish", "Muslim", "gay"."""
_PEOPLE = re.compile(r"\b(people|men|women|persons|girls|boys|adults)\b", re.IGNORECASE)
_PLAIN = re.compile(r"[A-Z]?[a-z]+(?:[ -][A-Z]?[a-z]+)*")
MOST = 4
"""Groups of one stereotype that are named; more are counted."""


def group_words(category: str, stereotyped: str) -> str:
    """What to call the people of a group, or of several joined by " + ".

    Args:
        category: The bias type, whose groups may be adjectives.
        stereotyped: The group, as files write it.

    Examples:
        >>> group_words("Age", "nonOld"), group_words("Religion", "Hindu"), group_words("Gender_identity", "F")
        ('younger people', 'Hindu people', 'women')
        >>> group_words("Religion", "Muslim + Mormon"), group_words("Hair", "x_1")
        ('Muslim or Mormon people', '“x_1”')
    """
    names = list(dict.fromkeys(_one(category, name.strip()) for name in stereotyped.split(" + ")))
    if len(names) > 1 and (rest := _without_the_whole(names)):
        names = rest
    shown = names if len(names) <= MOST else [*names[: MOST - 1], f"{len(names) - MOST + 1} more groups"]
    if len(shown) == len(names) > 1 and all(name.endswith(" people") for name in names):
        return f"{listing([name.removesuffix(' people') for name in names], 'or')} people"
    return listing(shown, "or")


def _one(category: str, name: str) -> str:
    known: str | None = content("group_words").get(folded(name))
    if known or _PEOPLE.search(name):
        return known or name[0].lower() + name[1:]
    kind = bias_type(category)
    negated = re.fullmatch(r"non[ -]?([A-Z].*)", name)
    if kind is not None and kind.slug in _ADJECTIVES and _PLAIN.fullmatch(negated[1] if negated else name):
        return f"people who are not {negated[1]}" if negated else f"{name} people"
    return quoted(name)


def _without_the_whole(names: list[str]) -> list[str]:
    """Without names that only say again what the others are part of: "disabled" beside "physically disabled"."""
    whole = {"people with a disability", "transgender people"}
    return [name for name in names if name not in whole]
