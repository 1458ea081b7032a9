"""How groups, conditions and rates of answers to variants are called, everywhere alike."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from fairviz.display import words
from fairviz.display.words import capital, percent
from fairviz.resources import content


def words_of(what: str) -> Any:
    """Words for answers to variants: what strategies, definitions, ties are called; what pages say."""
    return content("answers/variants")[what]


def spoken(value: str) -> str:
    """A value or attribute as people say it.

    Examples:
        >>> spoken("high_income"), spoken("Asian+female"), spoken("race+gender")
        ('high income', 'Asian × female', 'race × gender')
        >>> spoken("ses")
        'socio-economic status'
    """
    name: str = words_of("attributes").get(value.lower(), value)
    return name.replace("_", " ").replace("+", " × ")


LONGEST = 44
"""Characters of a name in a sentence or a mark; a longer one loses its middle, as names differ at either end."""


def shortened(value: str, longest: int = LONGEST) -> str:
    """A value or attribute as people say it, no longer than a sentence can hold.

    Examples:
        >>> shortened("low_income"), len(shortened("group " * 20)), shortened("x" * 50 + "1")[-2:]
        ('low income', 44, 'x1')
    """
    text = spoken(value)
    return text if len(text) <= longest else f"{text[: longest - 12]}…{text[-11:]}"


def quoted(value: str) -> str:
    """The name of a group where it stands in a sentence.

    Examples:
        >>> quoted("low_income")
        '“low income”'
    """
    return words.quoted(shortened(value))


_ADJECTIVE = re.compile(r"(?!none$|other$|unknown$|neutral$)[^\W\d_]{3,}(?:[ -][^\W\d_]+)*", re.IGNORECASE)
_NOUNS = {"female": "women", "male": "men"}
_PEOPLE = re.compile(r"\b(people|men|women|persons|girls|boys|adults)\b", re.IGNORECASE)


def people(attribute: str, value: str) -> str:
    """The people of a group in a sentence; its label in quotes where it does not read as people.

    Examples:
        >>> people("race", "Black"), people("race+gender", "Asian+female"), people("race", "A")
        ('Black people', 'Asian women', '“A”')
    """
    noun, after = "people", ""
    before: list[str] = []
    kinds, values = attribute.split("+"), value.split("+")
    for kind, text in zip(kinds, map(spoken, values), strict=False):
        if text.casefold() in _NOUNS:
            noun = _NOUNS[text.casefold()]
        elif text.casefold().endswith(" income"):
            after = f"with a {text}"
        elif _PEOPLE.search(text) or (
            spoken(kind).casefold().split()[-1:]
            and spoken(kind).casefold().split()[-1] in words_of("adjectives")
            and _ADJECTIVE.fullmatch(text)
        ):
            before.append(text)
        else:
            return quoted(value)
    phrase = " ".join(filter(None, (*before, "" if _PEOPLE.search(" ".join(before)) else noun, after)))
    return phrase if len(phrase) <= LONGEST and len(kinds) == len(values) else quoted(value)


def heading(attribute: str) -> str:
    """An attribute as a heading.

    Examples:
        >>> heading("race+gender"), heading("ses")
        ('Race × gender', 'Socio-economic status')
    """
    return capital(shortened(attribute))


def strategy_name(name: str) -> str:
    """A strategy as the paper's text spells it; others as they are.

    Examples:
        >>> strategy_name("COT"), strategy_name("my prompt")
        ('Chain-of-Thought', 'my prompt')
    """
    return words_of("strategies").get(name.strip().lower(), spoken(name))


def condition_name(parts: Mapping[str, str]) -> str:
    """A combination of model, dataset, strategy, retriever and k in one line.

    Examples:
        >>> condition_name({"model": "gpt-4", "dataset": "", "strategy": "COT", "k": "10"})
        'gpt-4 · Chain-of-Thought · k = 10'
        >>> condition_name({"strategy": "plain", "retriever": "no retrieval", "k": "0"})
        'Plain · no retrieval'
    """
    named: list[str] = []
    for name, value in parts.items():
        if value and (name, value) != ("k", "0"):
            text = strategy_name(value) if name == "strategy" else value
            named.append(f"k = {value}" if name == "k" else text)
    return " · ".join(named)


def rate_words(rate: float, unit: str) -> str:
    """A rate with what it is a rate of.

    Examples:
        >>> rate_words(0.823, "right answers") == "82\u202f% right answers"
        True
        >>> rate_words(0.413, "ROUGE-L") == "mean ROUGE-L 41\u202f%"
        True
    """
    text = percent(rate)
    return f"mean ROUGE-L {text}" if unit == "ROUGE-L" else f"{text} {unit}"


def unit_of(kind: str, threshold: float | None) -> str:
    """What a rate counts.

    Examples:
        >>> unit_of("closed", None), unit_of("open", None), unit_of("open", 0.3)
        ('right answers', 'ROUGE-L', 'answers with ROUGE-L ≥ 0.3')
    """
    if kind == "closed":
        return "right answers"
    return "ROUGE-L" if threshold is None else f"answers with ROUGE-L ≥ {threshold:g}"


def is_plain(strategy: str) -> bool:
    """Whether a strategy is the condition without a remedy.

    Examples:
        >>> is_plain("Plain"), is_plain("COT")
        (True, False)
    """
    return strategy.strip().lower() in words_of("names")["plain"]


def differing(by: Sequence[tuple[str, str]], base: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """The columns in which a combination differs from another."""
    other = dict(base)
    return tuple((name, value) for name, value in by if other.get(name) != value)
