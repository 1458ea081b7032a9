"""Group measures in plain words: what is good, what this value says, for a person, and which answers which question.

A measure stands with the place where it is best and a sentence that a value fills in
``fairviz/content/methods/group_rows.yaml``; what it is, its formula and its source stand in the catalogue.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

from fairviz.display.markup import written
from fairviz.display.words import count, number
from fairviz.evaluation.evaluate import evaluate, score_intervals
from fairviz.metrics.spec import parse_measure
from fairviz.model import GroupLabels, Qrels, RankingSample, Run, Target
from fairviz.resources import content
from fairviz.stats.bootstrap import UNDEFINED, Interval
from fairviz.studies.groups.findings import labelled, one_of, points

Section: TypeAlias = Literal["target", "groups", "quality"]

SECTIONS: dict[Section, str] = {
    "target": "Against your target",
    "groups": "One group against another, no target needed",
    "quality": "With quality",
}

SMALLEST, LARGEST = 0.01, 1_000
"""Factors beyond these are said to be so: their digits are those of a smoothing constant."""


class MeasureContext(NamedTuple):
    """What the words need to know besides the value.

    Attributes:
        group: The group of interest, G+.
        k: Ranks seen.
        n_groups: How many groups there are.
    """

    group: str
    k: int
    n_groups: int


class Row(NamedTuple):
    """One measure of the table, a record of ``fairviz/content/methods/group_rows.yaml``.

    Attributes:
        section: Where it stands.
        measure: Measure string; ``{k}``, ``{group}`` (quoted), ``{missing}`` and ``{browsing}`` are
            filled in.
        label: Its name in the table.
        goal: Where it is best, in words.
        best: Where it is best as a number.
        words: A template of what a value says.
        infinite: What is said instead of a value without end; "" where that says the same.
        span: Ends of its drawing; the ranks, the places of all groups but one, or up to its value.
    """

    section: Section
    measure: str
    label: str
    goal: str
    best: float
    words: str
    infinite: str = ""
    span: tuple[float, float] | Literal["ranks", "places", "values"] = (0, 1)

    def says(self, value: float, context: MeasureContext) -> str:
        """A value in plain words."""
        return written(
            self.infinite if self.infinite and math.isinf(value) else self.words,
            value=value,
            k=context.k,
            documents=labelled(context.group),
            one=one_of(context.group),
            others="the other group" if context.n_groups == 2 else "all the others together",
            ln_2=math.log(2),
            points=points,
            times=times,
        )


def times(log_ratio: float) -> str:
    """A log ratio as a factor.

    Examples:
        >>> times(0.405), times(-0.223)
        ('1.5 times', '0.80 times')
        >>> times(-15.3), times(15.3)
        ('less than 0.01 times', 'more than 1\u202f000 times')
    """
    factor = math.exp(min(log_ratio, 50.0))
    if factor < SMALLEST:
        return f"less than {SMALLEST:g} times"
    if factor > LARGEST:
        return f"more than {count(LARGEST)} times"
    return f"{number(factor, 1 if factor >= 1.05 else 2)} times"


ROWS = tuple(Row(**record) for record in content("methods/group_rows"))
STILL = tuple(row for row in ROWS if row.section == "groups" or row.label == "nDCG")
"""Rows that no target moves."""


def filled(row: Row, *, k: int, group: str, missing: str, browsing: str) -> str:
    """The measure string of a row."""
    return row.measure.format(k=k, group=repr(group), missing=missing, browsing=browsing)


class MeasureValue(NamedTuple):
    """One measure of one system, as a table shows it.

    Attributes:
        measure: The measure string as typed.
        value: NaN = undefined.
        interval: 95 % bootstrap over queries; NaN where there is none.
        n_queries, n_undefined: Queries asked about, and those without a value.
        refused: Why these data do not allow it; empty where they do.
        why: Why no query has a value; empty where one has.
    """

    measure: str
    value: float
    interval: Interval
    n_queries: int
    n_undefined: int
    refused: str = ""
    why: str = ""

    @property
    def missing(self) -> str:
        """Why there is no value, in a sentence; empty where there is one."""
        if self.refused:
            return f"Not on these data: {self.refused}"
        why = f": {self.why}" if self.why else ""
        return f"Undefined for every query{why}." if math.isnan(self.value) else ""


def measure_values(
    ranked: Run | RankingSample,
    qrels: Qrels | None,
    labels: GroupLabels,
    measures: Sequence[str],
    target: Target | None = None,
) -> dict[str, MeasureValue]:
    """Measures of one system by their string; what is not allowed carries the reason.

    Args:
        ranked: The system.
        qrels: Judgements, None for none.
        labels: Groups of documents.
        measures: Measure strings.
        target: One distribution for all queries; None for measures that no target moves.
    """
    specs = [parse_measure(text) for text in dict.fromkeys(measures)]
    result = evaluate(
        [ranked], specs, qrels=[] if qrels is None else [qrels], labels=labels, target=target, refuse=False
    )
    whys = dict(note.message.split(": undefined, ", 1) for note in result.notes if ": undefined, " in note.message)
    values = {
        score.measure: MeasureValue(
            score.measure, score.value, ends, score.n_queries, score.n_undefined, why=whys.get(score.measure, "")
        )
        for score, ends in zip(result.scores, score_intervals(result.scores, seed=0), strict=True)
    }
    reasons = {refusal.measure: refusal.reason.removeprefix(f"{refusal.measure}: ") for refusal in result.refused}
    for spec in specs:
        missing = MeasureValue(spec.text, float("nan"), UNDEFINED, 0, 0, reasons.get(spec.text, ""))
        values.setdefault(spec.text, missing)
    return values


# Which measure answers which question: Raj et al. 2022, Sections 2.6 and 4, in plain words.
#
# What the paper recommends is marked with its section; what follows from the formulas alone is marked as ours. No
# measure settles what should be aimed for: that is the first question. The words and what leads to which are
# ``content/chooser.yaml``.


Lists: TypeAlias = Literal["single", "sequence"]
Goal: TypeAlias = Literal["parity", "opportunity", "both"]
Aim: TypeAlias = Literal["equal", "set"]
Groups: TypeAlias = Literal["two", "more"]
Judged: TypeAlias = Literal["full", "sparse", "none"]


_RECORDS = content("chooser")
QUESTIONS: Sequence[Mapping[str, Any]] = _RECORDS["questions"]
"""In the order in which they are asked: ``name``, a parameter of :func:`choose`, ``text``, and ``answers``, the words
of each value, the usual one first."""
RECOMMENDATIONS: Mapping[str, Mapping[str, Any]] = _RECORDS["recommendations"]
"""``measures`` as typed, the ``reason`` in plain words, and its ``source``: paper and section, or that it is ours; by
the name that stands before each in the file."""
CAVEATS: Mapping[str, str] = _RECORDS["caveats"]
"""Likewise."""


class Choice(NamedTuple):
    """What the answers lead to.

    Attributes:
        recommended: Measures, the first one first.
        also: Measures that show one more side.
        caveats: What a reader of the numbers should keep in mind.
    """

    recommended: list[Mapping[str, Any]]
    also: list[Mapping[str, Any]]
    caveats: list[str]


def choose(
    *,
    lists: Lists = "single",
    goal: Goal = "parity",
    aim: Aim = "set",
    groups: Groups = "two",
    judged: Judged = "full",
    missing: bool = False,
) -> Choice:
    """Measures for the question asked, with the paper's reason and caveats.

    Args:
        lists: Single rankings, or a sequence or policy whose exposure is averaged first.
        goal: Statistical parity, equality of opportunity, or parity joined with usefulness.
        aim: Whether parity means equal exposure or a target of one's own.
        groups: Two definite groups, or more, or soft membership.
        judged: How far relevance is known.
        missing: Whether many items have no group label.

    Examples:
        >>> choose(lists="sequence", goal="opportunity", judged="sparse").recommended[0]["measures"]
        ["IAA(utility='score')"]
    """
    answers = {"lists": lists, "goal": goal, "aim": aim, "judged": judged}
    rule: Mapping[str, Any] = next(rule for rule in _RECORDS["rules"] if rule["when"].items() <= answers.items())
    of_two: Mapping[str, Sequence[str]] = rule.get("two", {}) if groups == "two" else {}
    also: list[str] = [*rule.get("also", ()), *of_two.get("also", ())]
    caveats: list[str] = [*rule["caveats"], *of_two.get("caveats", ())]
    caveats += ["unlabelled_items"] if missing else []
    caveats += ["unjudged_items"] if goal != "parity" and judged == "sparse" else []
    first, second = ([RECOMMENDATIONS[name] for name in names] for names in (rule["recommended"], also))
    return Choice(first, second, [CAVEATS[name] for name in caveats])
