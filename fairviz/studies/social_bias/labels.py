"""How bias types, measures, settings and values are called: one name each, on pages and in files."""

from typing import NamedTuple

from fairviz.display.words import UNDEFINED, count, number, signed
from fairviz.stats.tests import OnePlace
from fairviz.studies.social_bias.comparison import is_nothing
from fairviz.studies.social_bias.measures import DIFF_BIAS, BiasMeasure
from fairviz.studies.social_bias.rows import is_without_rag


class BiasType(NamedTuple):
    """A type of social bias.

    Attributes:
        slug: Its category in BBQ ("Gender_identity").
        label: What to call it.
        aliases: Other spellings, lower case, as in other languages' versions and in papers.
    """

    slug: str
    label: str
    aliases: tuple[str, ...]


BIAS_TYPES = (
    BiasType("Age", "Age", ("ages",)),
    BiasType("Disability_status", "Disability", ("disability", "disability status")),
    BiasType("Gender_identity", "Gender", ("gender", "gender identity")),
    BiasType("Nationality", "Nationality", ("domestic_area", "country", "region")),
    BiasType("Physical_appearance", "Appearance", ("appearance", "physical appearance")),
    BiasType("Race_ethnicity", "Race", ("race", "race ethnicity", "ethnicity")),
    BiasType("Race_x_SES", "Race × income", ("race x ses",)),
    BiasType("Race_x_gender", "Race × gender", ("race x gender",)),
    BiasType("Religion", "Religion", ("religions",)),
    BiasType("SES", "Income", ("socioeconomic", "socio-economic status", "income")),
    BiasType("Sexual_orientation", "Sexual orientation", ("sexual orientation",)),
)
"""The eleven categories of BBQ (Parrish et al. 2022)."""

_BY_NAME = {name: bias for bias in BIAS_TYPES for name in (bias.slug.casefold(), *bias.aliases)}


def bias_type(category: str) -> BiasType | None:
    """The type that a category's name means, None for one of its own.

    Examples:
        >>> bias_type("Gender").slug, bias_type("gender identity").label
        ('Gender_identity', 'Gender')
        >>> bias_type("Hair colour") is None
        True
    """
    return _BY_NAME.get(category.strip().casefold())


MEASURE_LABELS: dict[BiasMeasure, str] = {
    "diffbias_a": "Diff-Bias of ambiguous questions",
    "diffbias_d": "Diff-Bias of disambiguated questions",
    "acc_a": "Accuracy on ambiguous questions",
    "acc_d": "Accuracy on disambiguated questions",
    "s_amb": "s_AMB",
    "s_dis": "s_DIS",
}
DOCUMENTS = {
    "full-set": "All documents",
    "stereo-set": "Stereotypical documents",
    "anti-set": "Anti-stereotypical documents",
}
"""What the paper's collections hold."""

POOLED = "All bias types together"


def place_words(one: OnePlace) -> str:
    """How many answers are the option in one place.

    Examples:
        >>> place_words(OnePlace(0, 23, 26))
        '23 of 26 answers are A'
    """
    return f"{count(one.n)} of {count(one.n_answers)} answers are {'ABC'[one.place]}"


def type_label(category: str) -> str:
    """What to call a bias type: its own name where it is not one that BBQ has.

    Examples:
        >>> type_label("Sexual_orientation"), type_label("Hair colour")
        ('Sexual orientation', 'Hair colour')
    """
    known = bias_type(category)
    return category.replace("_", " ") if known is None else known.label


def short_column(name: str) -> str:
    """A setting in as few letters as a narrow panel has.

    Examples:
        >>> short_column("w/o RAG"), short_column("stereo-set"), short_column("BM25")
        ('no RAG', 'stereo', 'BM25')
    """
    return "no RAG" if is_without_rag(name) else name.removesuffix("-set")


def documents_words(setting: str) -> str:
    """What a setting retrieves, to begin a sentence.

    Examples:
        >>> documents_words("stereo-set"), documents_words("mine")
        ('Stereotypical documents', 'mine')
    """
    return DOCUMENTS.get(setting, setting)


def context_words(measure: BiasMeasure) -> str:
    """Which questions a measure is of."""
    return "ambiguous" if DIFF_BIAS[measure] == "diffbias_a" else "disambiguated"


def nothing_words(column: str) -> str:
    """What an empty value of a column means."""
    return {"setting": "no retrieval", "retriever": "no retrieval", "k": "no documents"}.get(column, "none")


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
        return documents_words(value)
    then = nothing_words(column) if is_nothing(reference) else reference
    if column in ("model", "setting", "retriever"):
        return f"{value or nothing_words(column)} instead of {then}"
    return f"{column} = {value or nothing_words(column)} instead of {then}"


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
    words = DOCUMENTS.get(value, "") if column == "setting" else ""
    return f"With {words[0].lower() + words[1:] if words else value_words(column, value)}, "


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
    return {
        "unknown": "“unknown”",
        "stereotyped": "the stereotyped answer",
        "counter-stereotyped": "the answer against the stereotype",
        "out of choice": "no option at all",
        "no biased answer": "another answer",
    }[kind]


def value_text(value: float, measure: BiasMeasure, decimals: int = 1) -> str:
    """A value in a table: Diff-Bias with its sign, accuracy without.

    Examples:
        >>> value_text(5.16, "diffbias_a"), value_text(81.45, "acc_a")
        ('+5.2', '81.5')
    """
    if measure.startswith("acc"):
        return number(value, decimals)
    return number(value, decimals) if round(value, decimals) == 0 else signed(value, decimals)


def points(value: float, *, sign: bool = False) -> str:
    """A difference of percentages in points, whole unless it would read as 0.

    Examples:
        >>> points(19.06), points(-0.43, sign=True), points(1.0)
        ('19 points', '−0.4 points', '1 point')
    """
    if value != value:
        return UNDEFINED
    decimals = 0 if abs(value) >= 0.95 or value == 0 else 1
    rounded = 0.0 if round(value, decimals) == 0 else value
    text = signed(rounded, decimals) if sign and rounded else number(abs(rounded), decimals)
    return f"{text} point{'' if text.lstrip('+−') == '1' else 's'}"


def span_words(low: int, high: int) -> str:
    """Two counts as a range, one where they are the same.

    Examples:
        >>> span_words(64, 192), span_words(7, 7)
        ('64 to 192', '7')
    """
    return count(low) if low == high else f"{count(low)} to {count(high)}"
