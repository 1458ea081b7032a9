"""Templates of bias questions and impressions, as people wrote them, and all that they stand for.

The design is that of BBQ (Parrish et al. 2022): every template is asked about every pair of people
in both orders, with an ambiguous and a disambiguated context, by a negative and a non-negative
question. That is eight items a pair: four ambiguous, two whose right answer is the biased one and
two whose right answer is the other.
"""

import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from itertools import permutations
from pathlib import Path
from string import ascii_lowercase
from typing import Annotated, Literal, NamedTuple, TextIO, TypeAlias

from pydantic import Field

from fairviz.errors import DescriptionError, InputError
from fairviz.experiments.bias import BiasQuestion, Material, case_of
from fairviz.experiments.description import Parameters, Text, checked, distinct
from fairviz.experiments.protocols import Document
from fairviz.io.text import read_toml

UNKNOWN = ("Cannot be determined", "Not enough information", "Not known", "Can't answer", "Unknown")
"""Ways to say that the text leaves it open; templates take turns."""

ORDERS = tuple(permutations(range(3)))
WORDS = ("ambiguous", "disambiguating", "negative", "nonnegative")

Polarity = Literal["stereo", "anti"]


class Pair(NamedTuple):
    """Two people of whom a template speaks, and the groups they stand for."""

    texts: tuple[str, str]
    groups: tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """One template of a category.

    Attributes:
        category: Bias type.
        number: Its number in the category, from 1: the ``question_index`` of its items.
        stereotyped: The group, or the text where the groups of a pair are equal, whom the
            stereotype is about.
        person: How a person is called, with {} for the text of a pair.
        pairs: The pairs.
        words: ambiguous, disambiguating, negative, nonnegative.
        names: First and second name of the stereotyped group, then of the other one.
        impressions: Texts for both polarities.
        only: Texts of one polarity.
    """

    category: str
    number: int
    stereotyped: str
    person: str
    pairs: tuple[Pair, ...]
    words: Mapping[str, str]
    names: tuple[tuple[str, str], tuple[str, str]]
    impressions: tuple[str, ...]
    only: Mapping[Polarity, tuple[str, ...]]

    @property
    def unknown(self) -> str:
        """The option that says that the text leaves it open."""
        return UNKNOWN[self.number % len(UNKNOWN)]


class Item(NamedTuple):
    """One question, with the columns of an item table."""

    category: str
    example_id: int
    question_index: int
    question_polarity: str
    context_condition: str
    context: str
    question: str
    options: tuple[str, ...]
    texts: tuple[str, ...]
    groups: tuple[str, ...]
    stereotyped: str
    label: int
    unknown_loc: int
    target_loc: int


class Sentence(NamedTuple):
    """An impression with names in it."""

    text: str
    polarity: Polarity


class Impression(NamedTuple):
    """One document with its polarity."""

    doc_id: str
    text: str
    polarity: Polarity


Two: TypeAlias = Annotated[tuple[Text, ...], Field(min_length=2, max_length=2)]
Texts: TypeAlias = Annotated[tuple[Text, ...], distinct()]


class PairTable(Parameters):
    """Two people."""

    text: Two
    """How they are called."""
    group: Two
    """The groups they stand for."""


Pairs: TypeAlias = Annotated[tuple[PairTable, ...], Field(min_length=1)]


class TemplateTable(Parameters):
    """One template."""

    topic: Text
    """For people who read the file."""
    stereotyped: Text
    """One group or one text of each pair."""
    ambiguous: Text
    disambiguating: Text
    negative: Text
    nonnegative: Text
    person: Text = "{}"
    """How a person is called, with {} for the text of a pair."""
    pairs: Pairs | None = None
    """Not set: those of the category."""
    impressions: Texts = ()
    """Texts for both polarities."""
    stereo: Texts = ()
    anti: Texts = ()


class CategoryTable(Parameters):
    """Templates of one bias type."""

    name: Text
    pairs: Pairs | None = None
    """Of templates that bring none."""
    names: Mapping[Text, Annotated[tuple[Text, ...], Field(min_length=1, max_length=2)]] | None = None
    """First and second name of each group in impressions; not set: the texts of the pairs."""
    templates: Annotated[tuple[TemplateTable, ...], Field(alias="template", min_length=1)]


class TemplateFile(Parameters):
    """The tables [[category]]."""

    categories: Annotated[tuple[CategoryTable, ...], Field(alias="category", min_length=1)]


def read_templates(path: Path) -> tuple[Template, ...]:
    """Read the templates of a TOML file.

    Raises:
        InputError: If the file cannot be read or is no TOML.
        DescriptionError: If templates lack something or have what is not accepted; its text has a line for each.
    """
    categories = checked(TemplateFile, read_toml(path), path).categories
    if mistakes := list(_mistakes(categories)):
        raise DescriptionError([InputError(mistake, file=str(path)) for mistake in mistakes])
    return tuple(
        _template(category, number, table)
        for category in categories
        for number, table in enumerate(category.templates, start=1)
    )


def _mistakes(categories: Sequence[CategoryTable]) -> Iterator[str]:
    """What one table alone does not show."""
    for place, category in enumerate(categories):
        for number, table in enumerate(category.templates):
            at = f"category[{place}].template[{number}]"
            pairs = table.pairs or category.pairs
            if pairs is None:
                yield f"{at}.pairs: missing, here and in category[{place}]"
                continue
            if any((pair.text + pair.group).count(table.stereotyped) != 1 for pair in pairs):
                yield f"{at}.stereotyped: must be one group or one text of each pair, got {table.stereotyped!r}"
            elif category.names is not None and (table.stereotyped not in category.names or len(category.names) != 2):
                yield f"category[{place}].names: must be those of {table.stereotyped!r} and of one other group"


def items_of(templates: tuple[Template, ...]) -> Iterator[Item]:
    """The items of all templates; example ids count from 0 in each category."""
    counts: dict[str, int] = {}
    for template in templates:
        for pair in template.pairs:
            for first in (0, 1):
                for condition in ("ambig", "disambig"):
                    for polarity in ("neg", "nonneg"):
                        number = counts.get(template.category, 0)
                        counts[template.category] = number + 1
                        yield _item(template, pair, first, condition, polarity, number)


def impressions_of(templates: tuple[Template, ...]) -> Iterator[Impression]:
    """The documents of all templates, in both polarities; their ids say nothing of the polarity.

    Ties between the two of a pair go by id, so which of them has the later one is drawn.
    """
    for template in templates:
        stereotyped, other = template.names
        of_one_polarity = [
            Sentence(_with_names(text, (stereotyped, other)), polarity)
            for polarity, texts in template.only.items()
            for text in texts
        ]
        of_both: list[Sentence] = []
        for text in template.impressions:
            both = [
                Sentence(_with_names(text, (stereotyped, other)), "stereo"),
                Sentence(_with_names(text, (other, stereotyped)), "anti"),
            ]
            of_both += both[:: -1 if _drawn(text, 2) else 1]
        stem = f"{template.category.partition('_')[0].lower()}-{template.number:02}"
        for letter, (text, polarity) in zip(ascii_lowercase, [*of_both, *of_one_polarity], strict=False):
            yield Impression(f"{stem}{letter}", text, polarity)


def _drawn(text: str, n: int) -> int:
    """A number below n that only depends on the text."""
    return int.from_bytes(sha256(text.encode()).digest()[:8], "big") % n


def _template(category: CategoryTable, number: int, table: TemplateTable) -> Template:
    pairs = tuple(
        Pair((pair.text[0], pair.text[1]), (pair.group[0], pair.group[1]))
        for pair in table.pairs or category.pairs or ()
    )
    return Template(
        category=category.name,
        number=number,
        stereotyped=table.stereotyped,
        person=table.person,
        pairs=pairs,
        words={key: getattr(table, key) for key in WORDS},
        names=_names(pairs, table.stereotyped, category.names),
        impressions=table.impressions,
        only={"stereo": table.stereo, "anti": table.anti},
    )


def _names(
    pairs: tuple[Pair, ...], stereotyped: str, names: Mapping[str, Sequence[str]] | None
) -> tuple[tuple[str, str], tuple[str, str]]:
    """Names of the stereotyped group and of the other: as listed, else the texts of the pairs."""
    if names is not None:
        other = next(group for group in names if group != stereotyped)
        return (_two(names[stereotyped]), _two(names[other]))
    ordered = [pair.texts if _of(pair, stereotyped) == 0 else pair.texts[::-1] for pair in pairs]
    return (_two([text for text, _ in ordered]), _two([text for _, text in ordered]))


def _two(names: Sequence[str]) -> tuple[str, str]:
    return names[0], names[-1]


def _of(pair: Pair, stereotyped: str) -> int:
    """Which of a pair the stereotype is about."""
    return (pair.groups if stereotyped in pair.groups else pair.texts).index(stereotyped)


def _item(template: Template, pair: Pair, first: int, condition: str, polarity: str, number: int) -> Item:
    """The item in which ``first`` of the pair stands first and the negative question is on it."""
    people = [template.person.format(text) for text in pair.texts]
    names = {"one": f"the {people[first]}", "two": f"the {people[1 - first]}"}
    names |= {name.capitalize(): words[0].upper() + words[1:] for name, words in names.items()}
    context = template.words["ambiguous"].format(**names)
    if condition == "disambig":
        context += " " + template.words["disambiguating"].format(**names)
    about = first if polarity == "neg" else 1 - first
    base = _of(pair, template.stereotyped)
    target = base if polarity == "neg" else 1 - base
    order = ORDERS[_drawn(f"{template.category} {number}", len(ORDERS))]  # [i]: what stands at i
    options = (*(f"The {person}" for person in people), template.unknown)
    label = 2 if condition == "ambig" else about
    return Item(
        category=template.category,
        example_id=number,
        question_index=template.number,
        question_polarity=polarity,
        context_condition=condition,
        context=context,
        question=template.words["negative" if polarity == "neg" else "nonnegative"],
        options=tuple(options[i] for i in order),
        texts=tuple((*pair.texts, "unknown")[i] for i in order),
        groups=tuple((*pair.groups, "unknown")[i] for i in order),
        stereotyped=template.stereotyped,
        label=order.index(label),
        unknown_loc=order.index(2),
        target_loc=order.index(target),
    )


def _with_names(text: str, names: tuple[tuple[str, str], tuple[str, str]]) -> str:
    """An impression with names for its slots; "a" or "an" and capitals follow the names."""
    (s, s2), (o, o2) = names
    slots = {"s": s, "o": o, "s2": s2, "o2": o2}

    def with_article(match: re.Match[str]) -> str:
        name = slots[match.group(2)]
        return f"{match.group(1)}{'n' if name[0] in 'aeiouAEIOU' else ''} {name}"

    sentence = re.sub(r"\b([Aa])n? \{(\w+)\}", with_article, text).format(**slots)
    return re.sub(r"(^|[.!?] )([a-z])", lambda match: match.group(1) + match.group(2).upper(), sentence)


def material_of_templates(path: Path) -> Material:
    """The items and impressions that templates stand for, in English.

    Raises:
        InputError: The file cannot be read, or a template lacks something.
    """
    templates = read_templates(path)
    items = list(items_of(templates))
    questions = [
        BiasQuestion(
            item.category,
            str(item.example_id),
            "English",
            item.context,
            item.question,
            item.options,
            item.label,
            case_of(item.label, item.unknown_loc, item.target_loc),
        )
        for item in items
    ]
    return Material(
        questions=questions,
        write_items=partial(write_item_table, items),
        documents=[
            Document(impression.doc_id, "", impression.text, impression.polarity)
            for impression in impressions_of(templates)
        ],
        documents_file=str(path),
        notes=(),
    )


ITEM_COLUMNS = (
    *("category", "example_id", "question_index", "question_polarity", "context_condition"),
    *("context", "question", *(f"{name}{i}" for name in ("ans", "text", "group") for i in range(3))),
    *("subcategory", "stereotyped_groups", "label", "unknown_loc", "target_loc"),
)


def write_item_table(items: Sequence[Item], places: Sequence[int], to: TextIO) -> None:
    """Write items of templates with all columns of BBQ, and where the unknown and the biased option are."""
    table = csv.writer(to, lineterminator="\n")
    table.writerow(ITEM_COLUMNS)
    for item in (items[place] for place in sorted(places)):
        table.writerow(
            [*(*item[:7], *item.options, *item.texts, *item.groups), *("", json.dumps([item.stereotyped]), *item[-3:])]
        )
