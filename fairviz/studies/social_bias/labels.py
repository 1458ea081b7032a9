"""How bias types, measures, settings, values and groups are called: one name each, on pages and in files.

Groups: files of BBQ write codes ("nonOld", "F", "lowSES"), which say little to a person and read as labels; a code that
has no words here is quoted as it stands, so that nobody takes it for a word of ours. A bias type is no group: in BBQ
the stereotype is about older people in some items of Age and about younger ones in the others, so a name for the whole
type would be wrong for half of them. The group that answers towards the stereotype favour is named where nearly all
answered items agree; elsewhere a sign is towards or against the stereotype, and so are printed tables, which name no
groups.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import polars as pl

from fairviz.display.words import count, distinct_names, listing, quoted
from fairviz.io.bbq_targets import folded
from fairviz.model import BiasItems
from fairviz.model.answers import NO_TARGET
from fairviz.resources import content
from fairviz.stats.tests import OnePlace


def words_of(what: str) -> Any:
    """Words for answers to bias questions: what measures, collections of documents, kinds of answers are called."""
    return content("answers/bias")[what]


@cache
def _types() -> dict[str, tuple[str, str]]:
    """Category in BBQ ("Gender_identity") and label of a type of social bias, by each name in small letters."""
    types: dict[str, dict[str, Any]] = content("answers/bias")["types"]
    return {name: (slug, kind["label"]) for slug, kind in types.items() for name in (slug.casefold(), *kind["aliases"])}


def bias_type(category: str) -> tuple[str, str] | None:
    """Category in BBQ and label of the type that a category's name means, None for one of its own.

    Examples:
        >>> bias_type("Gender"), bias_type("gender identity")
        (('Gender_identity', 'Gender'), ('Gender_identity', 'Gender'))
        >>> bias_type("Hair colour") is None
        True
    """
    return _types().get(category.strip().casefold())


POOLED = "All bias types together"


def place_words(favourite: OnePlace) -> str:
    """How many answers are the option in one place.

    Examples:
        >>> place_words(OnePlace(0, 23, 26))
        '23 of 26 answers are A'
    """
    return f"{count(favourite.n)} of {count(favourite.n_answers)} answers are {'ABC'[favourite.place]}"


def type_label(category: str) -> str:
    """What to call a bias type: its own name where it is not one that BBQ has.

    Examples:
        >>> type_label("Sexual_orientation"), type_label("Hair colour")
        ('Sexual orientation', 'Hair colour')
    """
    kind = bias_type(category)
    return category.replace("_", " ") if kind is None else kind[1]


def short_column(name: str) -> str:
    """A setting in as few letters as a narrow panel has.

    Examples:
        >>> short_column("w/o RAG"), short_column("stereo-set"), short_column("BM25")
        ('no RAG', 'stereo', 'BM25')
    """
    return "no RAG" if is_without_rag(name) else name.removesuffix("-set")


def nothing_words(column: str) -> str:
    """What an empty value of a column means."""
    return words_of("nothing").get(column, "none")


def value_words(column: str, value: str) -> str:
    """A value as a heading: one spelling for nothing.

    Examples:
        >>> value_words("retriever", ""), value_words("k", "10")
        ('no retrieval', 'k = 10')
    """
    if is_nothing(value) and not (column in ("shots", "size", "tuned") and value):
        return nothing_words(column)
    return value if column in ("model", "setting", "retriever", "language") else f"{column} = {value}"


def compared_words(column: str, value: str, reference: str) -> str:
    """What was changed, to begin a sentence.

    Examples:
        >>> compared_words("setting", "stereo-set", "w/o RAG")
        'Stereotypical documents'
        >>> compared_words("model", "m2", "m1"), compared_words("k", "10", "5")
        ('m2 instead of m1', 'k = 10 instead of 5')
    """
    if column == "setting" and is_without_rag(reference):
        return words_of("documents").get(value, value)
    then = nothing_words(column) if is_nothing(reference) else reference
    named = "" if column in ("model", "setting", "retriever") else f"{column} = "
    return f"{named}{value or nothing_words(column)} instead of {then}"


def where_words(column: str, value: str) -> str:
    """Under what answers were given, to begin a sentence; "" where models themselves stand side by side.

    Examples:
        >>> where_words("setting", "stereo-set"), where_words("setting", "w/o RAG"), where_words("k", "10")
        ('With stereotypical documents, ', 'Without retrieval, ', 'With k = 10, ')
        >>> where_words("language", "Japanese"), where_words("model", "m")
        ('In Japanese, ', '')
    """
    if column == "model":
        return ""
    if is_nothing(value) and column in ("setting", "retriever", "k"):
        return "Without retrieval, " if column != "k" else "Without documents, "
    if column == "language":
        return f"In {value}, "
    documents = words_of("documents").get(value, "") if column == "setting" else ""
    return f"With {documents[0].lower() + documents[1:] if documents else value_words(column, value)}, "


def subject_label(category: str, stereotyped: str) -> str:
    """What a row of the table of changes is about.

    Rows of a group are named by it, rows of a bias type by the type, the pooled one as such.

    Examples:
        >>> subject_label("SES", ""), subject_label("SES", "poor"), subject_label("", "")
        ('Income', 'against “poor”', 'All bias types together')
    """
    if stereotyped:
        return f"against “{stereotyped}”"
    return type_label(category) if category else POOLED


def answer_words(kind: str) -> str:
    """A kind of answer as a sentence says it.

    Examples:
        >>> answer_words("unknown"), answer_words("stereotyped")
        ('“unknown”', 'the stereotyped answer')
    """
    return words_of("answers")[kind]


NEARLY_ALL = 0.9
"""Share of the items of a bias type from which one group is called the favoured one."""

TOWARDS, AGAINST = "towards the stereotype", "against the stereotype"


def favoured_groups(items: BiasItems, answers: pl.DataFrame) -> pl.DataFrame:
    """Words for both signs by bias type, from the groups of the answered items.

    The stereotyped option answers a negative question towards the stereotype, the other one a
    non-negative question; whoever is not stereotyped is favoured by answers towards it.

    Args:
        items: Questions; without groups of their options nobody is named.
        answers: Answers to them.

    Returns:
        A row per ``category`` of answers: ``above``, whom answers towards the stereotype favour, or that they follow
        it, and ``below``, the same of answers against it.
    """
    questions = items.frame[answers["item"].unique().sort()].filter(pl.col("target") != NO_TARGET)
    target, other = pl.col("target"), 3 - pl.col("target") - pl.col("unknown")
    named = questions.select(
        "category",
        above=_group_at(pl.when("nonnegative").then(target).otherwise(other)),
        below=_group_at(pl.when("nonnegative").then(other).otherwise(target)),
    )
    sides = [
        (category, _named(category, own["above"]) or TOWARDS, _named(category, own["below"]) or AGAINST)
        for (category,), own in named.group_by("category", maintain_order=True)
    ]
    every = answers.select(pl.col("category").unique(maintain_order=True))
    named_sides = pl.DataFrame(
        sides, schema={"category": every.schema["category"], "above": pl.String, "below": pl.String}, orient="row"
    )
    whole = every.join(named_sides, on="category", how="left", maintain_order="left")
    return whole.with_columns(pl.col("above").fill_null(TOWARDS), pl.col("below").fill_null(AGAINST))


def _group_at(option: pl.Expr) -> pl.Expr:
    """The group of an option, "" where the file does not say."""
    return pl.col("groups").list.get(option).fill_null("").str.strip_chars()


def _named(category: str, groups: pl.Series) -> str:
    """“favours X” where nearly every item says so."""
    group, n = groups.value_counts(sort=True).row(0)
    return f"favours {group_words(category, group)}" if group and n >= NEARLY_ALL * len(groups) else ""


_PEOPLE = re.compile(r"\b(people|men|women|persons|girls|boys|adults)\b", re.IGNORECASE)
_PLAIN = re.compile(r"[A-Z]?[a-z]+(?:[ -][A-Z]?[a-z]+)*")
WHOLE = ("people with a disability", "transgender people")
"""Names that only say again what others beside them are part of: "disabled" beside "physically disabled"."""
MOST_NAMED = 4
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
    names = list(dict.fromkeys(_group_words(category, name.strip()) for name in stereotyped.split(" + ")))
    names = [name for name in names if name not in WHOLE] or names
    shown = (
        names if len(names) <= MOST_NAMED else [*names[: MOST_NAMED - 1], f"{len(names) - MOST_NAMED + 1} more groups"]
    )
    if len(shown) == len(names) > 1 and all(name.endswith(" people") for name in names):
        return f"{listing([name.removesuffix(' people') for name in names], 'or')} people"
    return listing(shown, "or")


def _group_words(category: str, name: str) -> str:
    words: str | None = content("group_words").get(folded(name))
    if words or _PEOPLE.search(name):
        return words or name[0].lower() + name[1:]
    kind = bias_type(category)
    negated = re.fullmatch(r"non[ -]?([A-Z].*)", name)
    if kind is not None and kind[0] in words_of("adjectives") and _PLAIN.fullmatch(negated[1] if negated else name):
        return f"people who are not {negated[1]}" if negated else f"{name} people"
    return quoted(name)


# Settings of retrieval: which one is without it, and in which order people read them

WITHOUT_RAG = "w/o RAG"
"""The name of the setting without retrieval (Zhang et al. 2025)."""
_ORDER = ("full", "stereo", "anti")


def is_without_rag(setting: str) -> bool:
    """Whether a setting's name says that nothing was retrieved.

    Examples:
        >>> is_without_rag("no_RAG"), is_without_rag("stereo-set")
        (True, False)
    """
    return setting.strip().casefold().replace("_", " ").replace("-", " ") in words_of("without_rag")


def is_one_sided(setting: str) -> int:
    """1 for a collection of stereotypical documents only, −1 for one of their opposites, else 0.

    Examples:
        >>> is_one_sided("Stereo-set"), is_one_sided("anti-set"), is_one_sided("full-set")
        (1, -1, 0)
    """
    name = setting.casefold()
    return int(name.startswith(_ORDER[1])) - int(name.startswith(_ORDER[2]))


def reference_setting(values: Iterable[str]) -> str | None:
    """The setting without retrieval, None where there is none (or several)."""
    without = [value for value in values if is_without_rag(value)]
    return without[0] if len(without) == 1 else None


def ordered_settings(values: Iterable[str]) -> tuple[str, ...]:
    """Settings as the paper walks: without retrieval, full, stereotypical, anti, then others.

    Examples:
        >>> ordered_settings(["anti-set", "stereo-set", "w/o RAG", "mine"])
        ('w/o RAG', 'stereo-set', 'anti-set', 'mine')
    """
    return tuple(sorted(dict.fromkeys(values), key=_setting_order))


def _setting_order(setting: str) -> int:
    if is_without_rag(setting):
        return 0
    name = setting.casefold()
    return next((i for i, part in enumerate(_ORDER, 1) if name.startswith(part)), len(_ORDER) + 1)


def is_nothing(value: str) -> bool:
    """Whether a value says that there was no retrieval: no name, zero, or a name for it.

    Examples:
        >>> is_nothing("0"), is_nothing("w/o RAG"), is_nothing("BM25")
        (True, True, False)
    """
    return value.strip() in ("", "0", "-") or is_without_rag(value)


SHORTEST = 3
"""Letters that a model's name needs to be one."""


def short_names(models: Sequence[str]) -> dict[str, str]:
    """The part of each model's name that tells it apart; the whole where little would be left.

    Examples:
        >>> short_names(["llm-bold", "llm-calm"])
        {'llm-bold': 'bold', 'llm-calm': 'calm'}
    """
    short = distinct_names(models)
    too_short = any(len(name) < SHORTEST for name in short)
    return dict(zip(models, models if too_short else short, strict=True))
