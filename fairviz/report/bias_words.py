"""How values of social bias are spoken of, in one place: names of measures, settings and groups."""

from fairviz.analysis.bias_settings import is_without_rag
from fairviz.metrics.bias_types import bias_type
from fairviz.metrics.social_bias import BiasMeasure
from fairviz.report.words import THIN, UNDEFINED, count, number, signed

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


def type_label(category: str) -> str:
    """What to call a bias type: its own name where it is not one that BBQ has.

    Examples:
        >>> type_label("Sexual_orientation"), type_label("Hair colour")
        ('Sexual orientation', 'Hair colour')
    """
    known = bias_type(category)
    return category.replace("_", " ") if known is None else known.label


def setting_label(setting: str) -> str:
    """A setting in words; no retrieval has one spelling.

    Examples:
        >>> setting_label("no_rag"), setting_label("stereo-set")
        ('no RAG', 'stereo-set')
    """
    return "no RAG" if is_without_rag(setting) else setting


def documents_words(setting: str) -> str:
    """What a setting retrieves, to begin a sentence.

    Examples:
        >>> documents_words("stereo-set"), documents_words("mine")
        ('Stereotypical documents', 'mine')
    """
    return DOCUMENTS.get(setting, setting)


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
    shown = 0.0 if round(value, decimals) == 0 else value
    text = signed(shown, decimals) if sign and shown else number(abs(shown), decimals)
    return f"{text} point{'' if text.lstrip('+−') == '1' else 's'}"


def share_text(part: int, whole: int) -> str:
    """A count with what it is of, and the share.

    Examples:
        >>> share_text(3, 12) == f"3 of 12 (25{THIN}%)"
        True
    """
    return f"{count(part)} of {count(whole)}" + (f" ({number(100 * part / whole, 0)}{THIN}%)" if whole else "")


def span_words(low: int, high: int) -> str:
    """Two counts as a range, one where they are the same.

    Examples:
        >>> span_words(64, 192), span_words(7, 7)
        ('64 to 192', '7')
    """
    return count(low) if low == high else f"{count(low)} to {count(high)}"


def context_words(measure: BiasMeasure) -> str:
    """Which questions a measure is of."""
    return "ambiguous" if measure in ("acc_a", "diffbias_a", "s_amb") else "disambiguated"
