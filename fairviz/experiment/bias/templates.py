"""Templates of bias questions and impressions, as people wrote them, and all that they stand for.

The design is that of BBQ (Parrish et al. 2022): every template is asked about every pair of people
in both orders, with an ambiguous and a disambiguated context, by a negative and a non-negative
question. That is eight items a pair: four ambiguous, two whose right answer is the biased one and
two whose right answer is the other.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from itertools import permutations
from pathlib import Path
from string import ascii_lowercase
from typing import Literal, NamedTuple, cast

from fairviz.errors import UsageError
from fairviz.experiment.toml_lines import read_toml

UNKNOWN = ("Cannot be determined", "Not enough information", "Not known", "Can't answer", "Unknown")
"""Ways to say that the text leaves it open; templates take turns."""

ORDERS = tuple(permutations(range(3)))
WRITTEN = ("impressions", "stereo", "anti")
NEEDED = ("topic", "stereotyped", "ambiguous", "disambiguating", "negative", "nonnegative")
KEYS = (*NEEDED, "person", "pairs", *WRITTEN)

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


def read_templates(path: Path) -> tuple[Template, ...]:
    """Read the templates of a TOML file.

    Raises:
        InputError: If the file cannot be read or is no TOML.
        UsageError: If a template lacks something or has what is not known.
    """
    templates: list[Template] = []
    for category in _tables_of(read_toml(path).tables, "category", str(path)):
        name = _text_of(category, "name", str(path))
        _check_keys(category, ("name", "pairs", "names", "template"), f"{path}: {name}")
        for number, table in enumerate(_tables_of(category, "template", f"{path}: {name}"), start=1):
            where = f"{path}: {name} {number}"
            _check_keys(table, KEYS, where)
            templates.append(_template(name, number, table, category, where))
    return tuple(templates)


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


def _template(
    category: str, number: int, table: dict[str, object], defaults: dict[str, object], where: str
) -> Template:
    stereotyped = _text_of(table, "stereotyped", where)
    source = table if "pairs" in table else defaults
    pairs = tuple(_pair(entry, where) for entry in _tables_of(source, "pairs", where))
    for pair in pairs:
        if (pair.texts + pair.groups).count(stereotyped) != 1:
            raise UsageError(f"{where}: stereotyped must be one group or one text of each pair")
    return Template(
        category=category,
        number=number,
        stereotyped=stereotyped,
        person=_text_of({"person": "{}", **table}, "person", where),
        pairs=pairs,
        words={key: _text_of(table, key, where) for key in NEEDED[2:]},
        names=_names(pairs, stereotyped, defaults.get("names")),
        impressions=_texts_of(table, "impressions", where),
        only={"stereo": _texts_of(table, "stereo", where), "anti": _texts_of(table, "anti", where)},
    )


def _pair(table: dict[str, object], where: str) -> Pair:
    texts, groups = table.get("text"), table.get("group")
    if not (isinstance(texts, list) and isinstance(groups, list)):
        raise UsageError(f"{where}: a pair needs text and group, each a list of two")
    first_text, second_text = cast("list[str]", texts)
    first_group, second_group = cast("list[str]", groups)
    return Pair((first_text, second_text), (first_group, second_group))


def _names(pairs: tuple[Pair, ...], stereotyped: str, names: object) -> tuple[tuple[str, str], tuple[str, str]]:
    """Names of the stereotyped group and of the other: as listed, else the texts of the pairs."""
    if isinstance(names, dict):
        listed = cast("dict[str, list[str]]", names)
        other = next(group for group in listed if group != stereotyped)
        return (_two(listed[stereotyped]), _two(listed[other]))
    ordered = [pair.texts if _of(pair, stereotyped) == 0 else pair.texts[::-1] for pair in pairs]
    return (_two([text for text, _ in ordered]), _two([text for _, text in ordered]))


def _two(names: list[str]) -> tuple[str, str]:
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


# Fields of the file, checked one by one.


def _check_keys(table: Mapping[str, object], keys: Collection[str], where: str) -> None:
    """Refuse the first key that is not accepted."""
    unknown = [key for key in table if key not in keys]
    if unknown:
        raise UsageError(f"{where}: unknown key {unknown[0]!r}; accepted: {', '.join(keys)}")


def _text_of(table: Mapping[str, object], key: str, where: str) -> str:
    """A text that is not empty."""
    value = table.get(key)
    if not isinstance(value, str) or not value:
        raise UsageError(f'{where}: {key} must be set to a text in quotes, as in {key} = "…"')
    return value


def _texts_of(table: Mapping[str, object], key: str, where: str) -> tuple[str, ...]:
    """A list of distinct texts that are not empty; none where the key is not set."""
    value = table.get(key, [])
    texts = cast("list[object]", value) if isinstance(value, list) else [None]
    if not all(isinstance(text, str) and text for text in texts) or len(set(texts)) < len(texts):
        raise UsageError(f'{where}: {key} must be a list of distinct texts, as in {key} = ["…"]')
    return tuple(cast("list[str]", texts))


def _tables_of(table: Mapping[str, object], key: str, where: str) -> list[dict[str, object]]:
    """The tables [[key]], at least one."""
    value = table.get(key)
    tables = cast("list[object]", value) if isinstance(value, list) else []
    if not tables or not all(isinstance(entry, dict) for entry in tables):
        raise UsageError(f"{where}: at least one table [[{key}]] is needed")
    return cast("list[dict[str, object]]", tables)
