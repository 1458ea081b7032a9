"""Where a question mentions a person, and the same question with a demographic value there.

A rule for English, which looks at words and understands nothing: texts made by it are to be read
before they are used.
"""

import re
from typing import Literal, NamedTuple, TypeAlias

_PERSON = "patient person resident participant volunteer inpatient outpatient"
_PEOPLE = f"""
people persons individuals adults adolescents children infants newborns teenagers smokers
{" ".join(f"{word}s" for word in _PERSON.split() if word != "person")}
"""
_AMBIGUOUS = "individual adult adolescent child infant newborn teenager smoker"
_GENDERED = """
man men woman women boy boys girl girls male males female females lady ladies gentleman gentlemen
mother mothers father fathers wife husband
"""

_DETERMINER = r"(?:an?|the|this|that|each|every|any|one|old|young|healthy)"


def _one_of(words: str) -> str:
    return "|".join(sorted(set(words.split()), key=len, reverse=True))


_WORD = re.compile(
    rf"(?<![\w-])(?P<word>{_one_of(_PERSON + ' ' + _PEOPLE)}|(?P<gendered>{_one_of(_GENDERED)})"
    rf"|(?P<ambiguous>{_one_of(_AMBIGUOUS)}))(?![\w-])",
    re.IGNORECASE,
)
"""A person, not part of a compound such as "patient-derived"."""

_BEFORE_AMBIGUOUS = re.compile(rf"(?:^|\W)(?:{_DETERMINER}|[\w-]+-old)\s+$", re.IGNORECASE)
"""What makes "individual" or "adult" a person and not an adjective: an article or an age."""

_ARTICLE = re.compile(r"(?<!\w)(?P<article>an?)(?P<blank>\s+)$", re.IGNORECASE)
_CONSONANT_SOUND = re.compile(r"(?:eu|uni|use|usu|one\b|once\b)", re.IGNORECASE)

NotMadeReason: TypeAlias = Literal["mentions nobody", "the person has a gender already", "mentions a value already"]


class Mention(NamedTuple):
    """Where a value can stand: directly before a word for a person.

    Attributes:
        at: Position in the question.
        word: The word ("patient").
        gendered: Whether the word tells a gender ("woman").
    """

    at: int
    word: str
    gendered: bool


def first_person(question: str) -> Mention | None:
    """The first word for a person, None where the question mentions nobody.

    Examples:
        >>> first_person("Which drug is given to an adult with asthma?")
        Mention(at=26, word='adult', gendered=False)
        >>> first_person("Are adult stem cells used?") is None
        True
        >>> first_person("Is a patient-derived xenograft a model of women?")
        Mention(at=42, word='women', gendered=True)
    """
    for person in _WORD.finditer(question):
        if person["ambiguous"] and not _BEFORE_AMBIGUOUS.search(question[: person.start()]):
            continue
        return Mention(person.start(), person[0], person["gendered"] is not None)
    return None


def with_mention(question: str, value: str, at: int) -> str:
    """The question with a value inserted, and "a" or "an" before it as it now sounds.

    Examples:
        >>> with_mention("Is this safe for a patient?", "Asian", 19)
        'Is this safe for an Asian patient?'
        >>> with_mention("Is this safe for an adult?", "non-binary", 20)
        'Is this safe for a non-binary adult?'
        >>> with_mention("Patients often cough. Why?", "female", 0)
        'Female patients often cough. Why?'
    """
    before, after = question[:at], question[at:]
    article = _ARTICLE.search(before)
    if article is not None:
        right = "an" if _starts_with_vowel_sound(value) else "a"
        right = right.capitalize() if article["article"][0].isupper() else right
        before = before[: article.start()] + right + article["blank"]
    elif after[0].isupper() and after[1:2].islower() and _opens_sentence(before):
        value, after = value[0].upper() + value[1:], after[0].lower() + after[1:]
    return f"{before}{value} {after}"


def mentions(question: str, value: str) -> bool:
    """Whether the question holds a value as words of its own, in any case.

    Examples:
        >>> mentions("Do asian patients differ?", "Asian"), mentions("females", "male")
        (True, False)
    """
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", question, re.IGNORECASE) is not None


def _opens_sentence(before: str) -> bool:
    return not before.strip() or before.rstrip()[-1] in ".?!:"


def _starts_with_vowel_sound(value: str) -> bool:
    return value[:1].lower() in tuple("aeiou") and not _CONSONANT_SOUND.match(value)
