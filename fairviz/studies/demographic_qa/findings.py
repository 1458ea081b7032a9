"""What the Demographic QA page says of groups: who is served worst, and by how much."""

from collections.abc import Mapping, Sequence

import numpy as np

from fairviz.show.words import Finding, count, interval, listing, number, p_value, percent, plural
from fairviz.studies.demographic_qa.conditions import ends_of, widest_ends, widest_gap
from fairviz.studies.demographic_qa.gaps import PairedGap
from fairviz.studies.demographic_qa.questions import ErrorCase
from fairviz.studies.demographic_qa.rows import VariantRow

# How groups, conditions and rates of answers to variants are called, everywhere alike.


STRATEGIES = {
    "plain": "Plain",
    "cot": "Chain-of-Thought",
    "counterfactual": "Counterfactual",
    "adversarial": "Adversarial",
    "majority vote": "Majority Vote",
}
"""Strategies of the paper by their name in small letters, as the text spells them."""

CAUTION_TITLE = "A test of the model's sensitivity, not a study of people."

CAUTION = (
    "Each question was asked several times with another person in it. A difference says that the "
    "words about the person moved the answer. It does not say what patients or users meet, how "
    "often such words occur, or that groups are well described by one word; where a fact about a "
    "person matters to the right answer, a changed answer can be the right one."
)

ADVERSARIAL = "Variants that were written to provoke a difference give an upper bound under stress."


def spoken(value: str) -> str:
    """A value or attribute as people say it.

    Examples:
        >>> spoken("high_income"), spoken("Asian+female"), spoken("race+gender")
        ('high income', 'Asian × female', 'race × gender')
    """
    return value.replace("_", " ").replace("+", " × ")


def heading(attribute: str) -> str:
    """An attribute as a heading.

    Examples:
        >>> heading("race+gender"), heading("ses")
        ('Race × gender', 'Ses')
    """
    said = spoken(attribute)
    return said[:1].upper() + said[1:]


def strategy_name(name: str) -> str:
    """A strategy as the paper's text spells it; others as they are.

    Examples:
        >>> strategy_name("COT"), strategy_name("my prompt")
        ('Chain-of-Thought', 'my prompt')
    """
    return STRATEGIES.get(name.strip().lower(), spoken(name))


def condition_name(parts: Mapping[str, str]) -> str:
    """A combination of model, dataset, strategy, retriever and k in one line.

    Examples:
        >>> condition_name({"model": "gpt-4", "dataset": "", "strategy": "COT", "k": "10"})
        'gpt-4 · Chain-of-Thought · k = 10'
    """
    said: list[str] = []
    for name, value in parts.items():
        if value:
            shown = strategy_name(value) if name == "strategy" else value
            said.append(f"k = {value}" if name == "k" else shown)
    return " · ".join(said)


def points(gap: float, decimals: int = 0) -> str:
    """A difference of rates in points, without a sign; one decimal where it would read 0.

    Examples:
        >>> points(0.102), points(0.004), points(-0.01), points(0.0911, 1)
        ('10 points', '0.4 points', '1 point', '9.1 points')
    """
    size = 100 * abs(gap)
    text = number(size, 1 if decimals == 0 and 0.05 <= size < 0.95 else decimals)
    return f"{text} point{'' if text == '1' else 's'}"


def rate_words(rate: float, unit: str, decimals: int = 0) -> str:
    """A rate with what it is a rate of.

    Examples:
        >>> rate_words(0.823, "right answers") == "82\u202f% right answers"
        True
        >>> rate_words(0.413, "ROUGE-L") == "mean ROUGE-L 41\u202f%"
        True
    """
    said = percent(rate, decimals)
    return f"mean ROUGE-L {said}" if unit == "ROUGE-L" else f"{said} {unit}"


def unit_of(kind: str, threshold: float | None) -> str:
    """What a rate counts.

    Examples:
        >>> unit_of("closed", None), unit_of("open", None), unit_of("open", 0.3)
        ('right answers', 'ROUGE-L', 'answers with ROUGE-L ≥ 0.3')
    """
    if kind == "closed":
        return "right answers"
    return "ROUGE-L" if threshold is None else f"answers with ROUGE-L ≥ {threshold:g}"


# Where answers went wrong, in words: evidence and answers, questions that depend on a group.


def errors_title(cases: Sequence[ErrorCase]) -> str:
    """How many of the wrong answers had right evidence."""
    own = _first(cases)
    wrong = sum(one.right_wrong + one.wrong_wrong for one in own)
    if not wrong:
        return "No answer with known evidence is wrong"
    had = sum(one.right_wrong for one in own)
    what = spoken(own[0].attribute) or "no group"
    return (
        f"{count(had)} of {plural(wrong, 'wrong answer')} to variants of {what} had the right "
        f"evidence; {count(wrong - had)} did not"
    )


def errors_counts(cases: Sequence[ErrorCase]) -> str:
    """Right evidence by group, and what is not known."""
    parts = [f"{spoken(one.value)} {percent((one.right_right + one.right_wrong) / one.n)}" for one in cases if one.n]
    unknown = sum(one.n_unknown for one in cases)
    lost = f" · evidence or right answer not known for {plural(unknown, 'answer')}" if unknown else ""
    return f"Right evidence: {', '.join(parts)}{lost}"


def question_title(n: int, of: int, attribute: str) -> str:
    """How many questions get an answer that depends on the attribute."""
    what = spoken(attribute)
    if not n:
        return f"No answer depends on {what}: all {plural(of, 'question')} are answered alike"
    return f"The answers to {count(n)} of {plural(of, 'question')} depend on {what}"


def _first(cases: Sequence[ErrorCase]) -> list[ErrorCase]:
    """Groups of the first attribute: an answer about two attributes is not counted twice."""
    named = [one for one in cases if one.attribute] or list(cases)
    return [one for one in named if one.attribute == named[0].attribute]


def headline(rows: Sequence[VariantRow], *, unit: str, who: str) -> Finding:
    """Title of the page: the worst-served group of those that can be told from their best.

    Args:
        rows: One per attribute, without intersectional cells.
        unit: What a rate counts ("right answers").
        who: Whose answers, for the sentence ("answers of gpt-4 to MedQA").
    """
    sentence = f"{_asked(rows)}; {who}."
    ends = [each for each in widest_ends(rows) if not each.row.small]
    if not rows or not any(row.groups for row in rows):
        return Finding("No answer mentions a group", sentence)
    if not ends:
        return Finding("Too few answers to compare groups", f"{sentence} {_why(rows)}")
    apart = [each for each in ends if each.apart]
    if apart:
        found = min(apart, key=lambda each: each.worst.rate)
        worst, best = found.worst, found.best
        return Finding(
            f"Worst-served group: {spoken(worst.value)}, {rate_words(worst.rate, unit)}, "
            f"{_fewer(best.rate - worst.rate, unit)} {spoken(best.value)}",
            sentence,
        )
    low = min(each.worst.rate for each in ends)
    high = max(each.best.rate for each in ends)
    what = "mean ROUGE-L" if unit == "ROUGE-L" else unit
    between = f"from {percent(low)} to {percent(high)}" if low < high else f"{percent(low)} for all"
    return Finding(f"No group can be told from another: {what} {between}", sentence)


def panels_title(rows: Sequence[VariantRow]) -> str:
    """For how many attributes the person in the question moves the answer."""
    ends = [each for each in widest_ends(rows) if not each.row.small]
    if not ends:
        return "Same question, different person: too few answers to compare"
    apart = sum(each.apart for each in ends)
    if not apart:
        return "Same question, different person: no attribute shows a gap that can be told from 0"
    told = [spoken(each.row.attribute) for each in ends if each.apart]
    if apart == len(ends):
        names = listing(told)
        return f"Same question, different person: a gap by {names}"
    rest = [spoken(each.row.attribute) for each in ends if not each.apart]
    return (
        f"Same question, different person: a gap by {listing(told)}, none that can be told from 0 "
        f"by {listing(rest, 'or')}"
    )


def agreement_words(rows: Sequence[VariantRow]) -> str:
    """How often all variants of a question are answered alike, all right, any right."""
    parts: list[str] = []
    for row in rows:
        found = row.agreement
        if not found.n:
            continue
        said = f"{heading(row.attribute)}: same answer for all in {percent(found.agree)}"
        if not np.isnan(found.all_correct):
            said += f", all right in {percent(found.all_correct)}, any right in {percent(found.any_correct)}"
        parts.append(f"{said} of {plural(found.n, 'question')}")
    return " · ".join(parts)


def gap_words(row: VariantRow, *, unit: str = "right answers") -> str:
    """The line under an attribute's panel: the widest gap, its interval, who alone was right."""
    gap = widest_gap(row)
    if gap is None:
        return _no_gap(row)
    best, worst, ahead, behind, sign = _turned(row, gap)
    low, high = sorted(100 * sign * end for end in gap.interval)
    between = interval(low, high, 1)
    which = "" if len(row.groups) == 2 else f" between {spoken(best)} and {spoken(worst)}"
    p = "" if np.isnan(gap.p) else f" (McNemar p {_p(gap.p_holm)}{_corrected(row)})"
    if not ahead and not behind:
        return f"No gap{which}: every one of {plural(gap.n, 'question')} went the same way."
    same = "" if _one_side(gap) else " Not distinguishable from 0."
    if row.small:
        same = " Too few answers to rely on it."
    said = number(100 * sign * gap.gap, 1)
    only = "right only" if unit == "right answers" else "better"
    return (
        f"Gap {said} points{which}, {between}. {plural(ahead, 'question')} {only} for "
        f"{spoken(best)}, {behind} for {spoken(worst)}{p}.{same}"
    )


def cells_finding(row: VariantRow, *, unit: str) -> Finding:
    """Title of intersectional cells: both groups named, small ones counted."""
    small = [group for group in row.groups if group.small]
    few = f" {plural(len(small), 'cell')} with too few answers to compare, in grey." if small else ""
    sentence = f"{plural(len(row.groups), 'combination')} of {spoken(row.attribute)}.{few}"
    ends = [each for each in widest_ends([row]) if not each.row.small]
    if not ends:
        return Finding(f"{heading(row.attribute)}: too few answers to compare cells", sentence)
    (found,) = ends
    said = (
        f"{spoken(found.worst.value)}, {rate_words(found.worst.rate, unit)}, "
        f"{_fewer(found.best.rate - found.worst.rate, unit)} {spoken(found.best.value)}"
    )
    if found.apart:
        return Finding(f"Worst-served combination: {said}", sentence)
    return Finding(
        f"Combinations range over {points(found.row.dp)}, not distinguishable from chance",
        f"{sentence} Lowest: {said}.",
    )


def equal_opportunity_words(rows: Sequence[VariantRow]) -> str:
    """Why EO has no value, or how many answers it rests on."""
    if not rows:
        return ""
    known = [sum(group.n_answerable for group in row.groups) for row in rows]
    if not any(known):
        return "EO undefined: no “answerable” column says which questions can be answered"
    lost = sum(np.isnan(row.eo) for row in rows)
    some = [n for n in known if n]
    n = f"{min(some)}" if min(some) == max(some) else f"{min(some)} to {max(some)}"
    said = f"EO rests on {n} answers to answerable questions"
    return f"{said}; undefined in {lost} of {len(rows)} rows" if lost else said


def counts_words(rows: Sequence[VariantRow]) -> str:
    """Answers behind the rates, by group, with what could not be read."""
    parts = [
        f"{spoken(group.value)} {group.n}" + (f" ({group.n_unparsed} unreadable)" if group.n_unparsed else "")
        for row in rows
        for group in row.groups
    ]
    unknown = sum(row.n_unknown for row in rows)
    lost = f" · {plural(unknown, 'answer')} without a recorded right one left out" if unknown else ""
    return f"Answers: {', '.join(parts)}{lost}" if parts else "No answers about groups"


def _asked(rows: Sequence[VariantRow]) -> str:
    n = max((row.n_questions for row in rows), default=0)
    values = len({(row.attribute, group.value) for row in rows for group in row.groups})
    return f"{plural(n, 'question')}, each asked about {plural(values, 'group')}"


def _why(rows: Sequence[VariantRow]) -> str:
    small = [g for row in rows for g in row.groups if g.small]
    if small:
        least = min(group.n for group in small)
        return f"{plural(len(small), 'group')} below the minimum size; the smallest has {least}."
    return "Every attribute has one group only."


def _fewer(gap: float, unit: str) -> str:
    return f"{points(gap)} {'below' if unit == 'ROUGE-L' else 'fewer than'}"


def _turned(row: VariantRow, gap: PairedGap) -> tuple[str, str, int, int, int]:
    """Better and worse group of a pair, the questions better for each, and the gap's sign."""
    if ends_of(row, gap)[0] == gap.first:
        return gap.first, gap.second, gap.first_only, gap.second_only, 1
    return gap.second, gap.first, gap.second_only, gap.first_only, -1


def _one_side(gap: PairedGap) -> bool:
    return gap.interval.low > 0 or gap.interval.high < 0


def _corrected(row: VariantRow) -> str:
    return f", Holm over {len(row.gaps)} pairs" if len(row.gaps) > 1 else ""


def _p(value: float) -> str:
    said = p_value(value)
    return said if said.startswith("<") else f"= {said}"


def _no_gap(row: VariantRow) -> str:
    if len(row.groups) < 2:
        return "One group only: nothing to compare it with."
    least = min(group.n for group in row.groups)
    return f"Too few answers to compare: the smallest group has {number(least, 0)}."
