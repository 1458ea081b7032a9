"""Demographic variants of questions: the same question asked about different people.

Ji et al. (2025) ask every question once as it is and once per value of race and gender. Their
published rule puts a sentence before the question, ``This Asian individual... QUESTION`` (form
"prefix"). The form "mention" writes the value where the question mentions a person ("a patient" ->
"an Asian patient"), which their examples show; a question that mentions nobody has no such variant. Texts made so are
to be read before they are used.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Literal, NamedTuple, TextIO, TypeAlias

from fairviz.errors import UsageError

# Where a question mentions a person: a rule for English, which looks at words and understands nothing.


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


def first_person(question: str) -> re.Match[str] | None:
    """The first word for a person, before which a value can stand; None where the question mentions nobody.

    Its group "gendered" is the word where that tells a gender ("woman").

    Examples:
        >>> first_person("Which drug is given to an adult with asthma?").span()
        (26, 31)
        >>> first_person("Are adult stem cells used?") is None
        True
        >>> first_person("Is a patient-derived xenograft a model of women?")["gendered"]
        'women'
    """
    for person in _WORD.finditer(question):
        if not person["ambiguous"] or _BEFORE_AMBIGUOUS.search(question[: person.start()]):
            return person
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
        sounds = value[:1].lower() in tuple("aeiou") and not _CONSONANT_SOUND.match(value)
        right = "an" if sounds else "a"
        right = right.capitalize() if article["article"][0].isupper() else right
        before = before[: article.start()] + right + article["blank"]
    elif after[0].isupper() and after[1:2].islower() and before.rstrip()[-1:] in ("", *".?!:"):
        value, after = value[0].upper() + value[1:], after[0].lower() + after[1:]
    return f"{before}{value} {after}"


def mentions(question: str, value: str) -> bool:
    """Whether the question holds a value as words of its own, in any case.

    Examples:
        >>> mentions("Do asian patients differ?", "Asian"), mentions("females", "male")
        (True, False)
    """
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", question, re.IGNORECASE) is not None


Form: TypeAlias = Literal["prefix", "mention"]
FORMS: tuple[Form, ...] = ("prefix", "mention")

ATTRIBUTES: dict[str, tuple[str, ...]] = {
    "race": ("Caucasian", "African American", "Asian", "Hispanic"),
    "gender": ("male", "female", "non-binary"),
}
"""The attributes and values of the paper, under the names the paper gives them."""
NEUTRAL = "neutral"
"""Value of the question as it is."""
NO_ATTRIBUTE = "none"
"""Its attribute."""
PREFIX = "This {value} individual... {question}"
"""The published rule."""

GENDER = ("gender", "sex")
"""Attributes that a word such as "woman" speaks of already."""


class Variant(NamedTuple):
    """A question about a person of a group, or about nobody in particular.

    Attributes:
        question_id: The question it is a variant of.
        attribute: "race"; "race+gender" where both are mentioned; "none" for the neutral question.
        value: "Asian"; "Asian+female"; "neutral".
        text: What is asked.
    """

    question_id: str
    attribute: str
    value: str
    text: str

    @property
    def query_id(self) -> str:
        """An id that a run file can hold: "q1::Asian", blanks of the value as underscores."""
        return f"{self.question_id}::{'_'.join(self.value.split())}"


def make_variants(
    questions: Mapping[str, str],
    attributes: Mapping[str, Sequence[str]] = ATTRIBUTES,
    *,
    form: Form = "prefix",
    combine: bool = False,
    neutral: bool = True,
) -> tuple[Variant, ...]:
    """Variants of questions: per question the neutral one, then one per attribute and value.

    Args:
        questions: Question id -> text.
        attributes: Attribute -> its values.
        form: "prefix" (the paper's) or "mention"; see :func:`not_made` for what the latter leaves
            out.
        combine: Whether each variant mentions a value of every attribute ("This Asian female
            individual... "), instead of a value of one.
        neutral: Whether the question as it is comes first.

    Raises:
        UsageError: There is no attribute, a name or value is empty or stands twice, or holds what
            separates attributes ("+").

    Examples:
        >>> [v.text for v in make_variants({"q1": "Why?"}, {"race": ["Asian"]})]
        ['Why?', 'This Asian individual... Why?']
    """
    variants: list[Variant] = []
    seen: set[str] = set()
    for variant, reason in _made(questions, attributes, form, combine):
        if neutral and variant.question_id not in seen:
            seen.add(variant.question_id)
            variants.append(
                variant._replace(attribute=NO_ATTRIBUTE, value=NEUTRAL, text=questions[variant.question_id])
            )
        if reason is None:
            variants.append(variant)
    return tuple(variants)


def not_made(
    questions: Mapping[str, str],
    attributes: Mapping[str, Sequence[str]] = ATTRIBUTES,
    *,
    form: Form = "mention",
    combine: bool = False,
) -> tuple[tuple[Variant, NotMadeReason], ...]:
    """What :func:`make_variants` leaves out with the same arguments, and why.

    Examples:
        >>> [(variant.value, reason) for variant, reason in not_made({"q1": "Is it hot?"}, {"race": ["Asian"]})]
        [('Asian', 'mentions nobody')]
    """
    made = _made(questions, attributes, form, combine)
    return tuple((variant, reason) for variant, reason in made if reason is not None)


def _made(
    questions: Mapping[str, str],
    attributes: Mapping[str, Sequence[str]],
    form: Form,
    combine: bool,
) -> Iterator[tuple[Variant, NotMadeReason | None]]:
    """Every variant, or why there is none."""
    _check(attributes)
    if form not in FORMS:
        raise UsageError(f"no form is named {form!r}; there are: {', '.join(FORMS)}")
    groups = (
        [tuple(zip(attributes, values, strict=True)) for values in product(*attributes.values())]
        if combine
        else [((name, value),) for name, values in attributes.items() for value in values]
    )
    for (question_id, question), group in product(questions.items(), groups):
        names, values = zip(*group, strict=True)
        words = " ".join(values)
        text, reason = PREFIX.format(value=words, question=question), None
        if form == "mention":
            text, reason = _mentioned(question, words, names, attributes)
        yield Variant(question_id, "+".join(names), "+".join(values), text), reason


def _mentioned(
    question: str, words: str, names: Sequence[str], attributes: Mapping[str, Sequence[str]]
) -> tuple[str, NotMadeReason | None]:
    """A question with values of the named attributes at its person, or why they can stand nowhere."""
    person = first_person(question)
    if person is None:
        return "", "mentions nobody"
    if person["gendered"] and any(name.lower() in GENDER for name in names):
        return "", "the person has a gender already"
    if any(mentions(question, value) for name in names for value in attributes[name]):
        return "", "mentions a value already"
    return with_mention(question, words, person.start()), None


def _check(attributes: Mapping[str, Sequence[str]]) -> None:
    if not attributes:
        raise UsageError("variants need at least one attribute with values")
    every = [value for values in attributes.values() for value in values]
    for name, values in attributes.items():
        if not values:
            raise UsageError(f"attribute {name!r} has no values")
        for text in (name, *values):
            if not text.strip() or "+" in text:
                raise UsageError(f"{text!r}: names of attributes and values are not empty, without +")
    if NEUTRAL in every or NO_ATTRIBUTE in attributes:
        raise UsageError(f"{NEUTRAL!r} and {NO_ATTRIBUTE!r} name the question as it is")
    ids = ["_".join(value.split()) for value in every]
    if repeated := [value for value, own in zip(every, ids, strict=True) if ids.count(own) > 1]:
        raise UsageError(f"value {repeated[0]!r} stands twice: variants are named by their values")


def write_variant_questions(variants: Iterable[Variant], to: TextIO) -> None:
    """Write variants as JSON Lines ``{query_id, qid, attribute, value, text}``.

    Args:
        variants: What to write, one line each.
        to: An open text file.
    """
    for variant in variants:
        record = {
            "query_id": variant.query_id,
            "qid": variant.question_id,
            "attribute": variant.attribute,
            "value": variant.value,
            "text": variant.text,
        }
        to.write(json.dumps(record, ensure_ascii=False) + "\n")
