"""What is retrieved for the variants of a question: documents in common, and how well each run of variants retrieves.

How much of what is retrieved stays the same when a question mentions another group of people.

Retrieval overlap of Ji et al. (2025): the intersection over union of the documents retrieved for the variants of a
question, in percent. The paper does not say over which variants, so there are three estimators by name, each computed
per question and then averaged; documents of different questions are never pooled. 100 = every variant retrieves the
same documents, 0 = nothing in common. Overlap is about ranks, so that runs count as their files rank them
(:func:`~fairviz.io.rankings.read_ranked_run`) and not by score.

Runs of variants, recognised by their names (bm25.Asian, bm25-African_American), and how well each retrieves.

The same judgements hold for every variant: who is asking changes nothing about what is useful, so a difference in
ranking quality from the neutral questions is a difference that the mention of a group made.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Literal, TypeAlias, cast, get_args

import numpy as np
import polars as pl

from fairviz.errors import UsageError
from fairviz.evaluation.compare import paired_values
from fairviz.evaluation.evaluate import evaluate, score_intervals
from fairviz.evaluation.systems import joined
from fairviz.metrics.catalogue import parse_measures
from fairviz.model import BoolArray, Dataset, FloatArray, IntArray, Note, Qrels, Run, Scores
from fairviz.model.arrays import distinct_rows, ratio
from fairviz.numerals import part_of, plural
from fairviz.stats.bootstrap import bootstrap_intervals
from fairviz.stats.tests import MIN_UNITS, holm_tested, paired_t_test
from fairviz.studies.demographic_qa.answers import NAN, Record
from fairviz.studies.demographic_qa.names import words_of

NO_ATTRIBUTE = ("none", "neutral", "")
"""What the attribute of runs may be called that were made from neutral questions."""

VariantRuns: TypeAlias = Mapping[tuple[str, str], Run]
"""Runs of one retriever by attribute and value; ("none", "neutral") for the questions without attribute."""

Estimator: TypeAlias = Literal["all", "pairwise", "neutral"]

ESTIMATORS: tuple[Estimator, ...] = get_args(Estimator)
"""What each compares: documents in the lists of all values, per document in any of them; the mean over the pairs of
values of the Jaccard similarity of their lists; the mean over the values of that with the neutral question's list."""
REPEATED = "of the same question and value left out"
"""How the note on lists that were left out ends."""


def answered_lists(answers: pl.DataFrame, members: pl.DataFrame, values: Sequence[str]) -> pl.DataFrame:
    """The documents recorded with answers that mention nothing but one attribute, and with those that mention nobody.

    Args:
        answers: Rows of those that take part, such as those of one model.
        members: row and group (place of the value) of the answers about values.
        values: Those of the attribute.

    Returns:
        A row per list: question; value, null for nobody; docs, best first. Of a question and value those with documents
        come first.
    """
    reference = answers.filter(pl.col("condition").to_physical() == 0).select("row", group=pl.lit(None, pl.Int64))
    about = pl.concat([members.select("row", "group"), reference], how="vertical_relaxed")
    lists = answers.select("row", "question", docs="retrieved").join(about, on="row")
    named = pl.col("group").replace_strict(range(len(values)), values, return_dtype=pl.Enum(values))
    return (
        lists.filter(pl.col("group").is_not_null().any().over("question"))
        .sort("question", pl.col("docs").is_null(), "row")
        .select("question", "docs", value=named)
    )


def lists_of_runs(runs: VariantRuns, attribute: str) -> pl.DataFrame:
    """The documents that runs rank for the variants of questions, as :func:`answered_lists` has those of answers.

    Args:
        runs: (attribute, value) -> run of the questions with that value, by the ids of the
            questions; one of :data:`NO_ATTRIBUTE` is the condition of reference. A query that a
            run lacks was not asked there.
        attribute: Whose values.
    """
    named = pl.Enum([value for name, value in runs if name == attribute])
    neutral = [key for key in runs if key[0] in NO_ATTRIBUTE][:1]
    wanted = [*((attribute, value) for value in named.categories), *neutral]
    return pl.concat(
        runs[key]
        .to_polars()
        .group_by(question="query_id", maintain_order=True)
        .agg(docs="doc_id")
        .with_columns(value=pl.lit(None if key in neutral else key[1], named))
        for key in wanted
    )


def retrieval_overlap(lists: pl.DataFrame, attribute: str, *, k: int | None = 10, seed: int = 0) -> Record:
    """Overlap of the first k documents of each list, in percent.

    A question is in ``all`` and ``pairwise`` where every value was asked, and in ``neutral`` where
    the neutral question was asked as well, so that all means rest on the same comparisons. Two
    empty lists have no overlap to speak of: such a pair is in no mean.

    Args:
        lists: From :func:`answered_lists` or :func:`lists_of_runs`; the first of each question and value counts.
        attribute: "race", "gender", …; "race+gender" where each variant mentions both.
        k: Documents that count; None: all that were recorded.
        seed: Of the intervals' resamples.

    Returns:
        attribute, k; all, pairwise, neutral: the means over questions, intervals: 95 % of each, per_question: (Q) each;
        pairs: of the neutral list (first is None) with that of each value, then of every two values, first, second,
        their overlap over the questions that have both, and n of these; n_questions, n_neutral: questions in ``all``
        and in ``neutral``; n_incomplete: those that lack the list of a value; n_short: lists with fewer than k
        documents, which count with what they have; notes.
    """
    values: list[str] = cast("pl.Enum", lists.schema["value"]).categories.to_list()
    n_values, distinct = len(values), lists.unique(["question", "value"], keep="first", maintain_order=True)
    question, firsts = distinct_rows(distinct.select("question"))
    docs = pl.col("docs") if k is None else pl.col("docs").list.head(k)
    code = pl.col("value").to_physical().cast(pl.Int64).fill_null(n_values)
    placed = distinct.select(code, docs, question=pl.Series(question))
    presence = np.zeros((firsts.size, n_values + 1), dtype=np.bool_)
    presence[question, placed["value"].to_numpy()] = True
    shared = _shared(placed, presence)
    pairs = [*((n_values, index) for index in range(n_values)), *combinations(range(n_values), 2)]
    shares = np.reshape([shared(pair) for pair in pairs], (len(pairs), firsts.size))
    complete = presence[:, :n_values].all(axis=1) & (n_values > 1)
    per_question: dict[Estimator, FloatArray] = {
        "all": np.where(complete, shared(range(n_values)), np.nan),
        "pairwise": np.where(complete, _means(shares[n_values:].T), np.nan),
        "neutral": np.where(presence.all(axis=1) & (n_values > 0), _means(shares[:n_values].T), np.nan),
    }
    n_incomplete = int((~complete).sum()) if n_values > 1 else 0
    n_short = placed.filter(pl.col("docs").list.len().fill_null(0) < (k or 1)).height
    few = "no document" if k is None else f"fewer than {k} documents"
    hold = part_of(n_short, plural(placed.height, "list"), "holds", "hold")
    lack = part_of(n_incomplete, plural(firsts.size, "question"), "lacks", "lack")
    n_repeated = lists.height - distinct.height
    notes = {
        f"{hold} {few}: what there is was compared": n_short,
        f"{lack} the list of a value: left out of 'all' and 'pairwise'": n_incomplete,
        "no neutral questions: 'neutral' is undefined": not presence[:, -1].any(),
        f"{attribute} has one value: 'all' and 'pairwise' are undefined": n_values == 1,
        f"{plural(n_repeated, 'further list')} {REPEATED}": n_repeated,
    }
    names = [*values, None]
    return {
        "attribute": attribute,
        "k": k,
        **{name: float(_means(of_each)) for name, of_each in per_question.items()},
        "intervals": dict(zip(per_question, bootstrap_intervals(list(per_question.values()), seed=seed), strict=True)),
        "pairs": [
            {"first": names[first], "second": names[second], "overlap": overlap, "n": n}
            for (first, second), overlap, n in zip(
                pairs, _means(shares).tolist(), _counts(shares).tolist(), strict=True
            )
        ],
        "n_questions": int(_counts(per_question["all"])),
        "n_neutral": int(_counts(per_question["neutral"])),
        "n_incomplete": n_incomplete,
        "n_short": n_short,
        "per_question": per_question,
        "notes": tuple(note for note, holds in notes.items() if holds),
    }


def _shared(lists: pl.DataFrame, presence: BoolArray) -> Callable[[Sequence[int]], FloatArray]:
    r"""(Q) similarity of the lists of some values, by their places: :math:`|\bigcap D_v| / |\bigcup D_v|`, in percent.

    NaN where one of them was not asked, and where all are empty.
    """
    values = [str(index) for index in range(presence.shape[1])]
    of_value = ((pl.col("value") == index).any().alias(name) for index, name in enumerate(values))
    membership = lists.explode("docs").drop_nulls("docs").group_by("question", "docs").agg(of_value)
    question, holds = membership["question"].to_numpy(), membership.select(values).to_numpy().astype(np.bool_)

    def shared(places: Sequence[int]) -> FloatArray:
        own = holds[:, list(places)]
        of_all, of_any = (
            np.bincount(question[membership], minlength=len(presence))
            for membership in (own.all(axis=1), own.any(axis=1))
        )
        return np.where(presence[:, list(places)].all(axis=1), 100 * ratio(of_all, of_any), np.nan)

    return shared


def _means(values: FloatArray) -> FloatArray:
    """Mean over the defined values along the last axis, NaN where there is none."""
    return ratio(np.nansum(values, axis=-1), _counts(values))


def _counts(values: FloatArray) -> IntArray:
    """Defined values along the last axis."""
    return (~np.isnan(values)).sum(axis=-1)


# Runs of variants, and their quality.


def compared_attributes(runs: VariantRuns) -> list[str]:
    """Attributes with at least two values, or one beside the neutral run."""
    names = [name for name, _ in runs if name != "none"]
    return [name for name in dict.fromkeys(names) if len(names) < len(runs) or names.count(name) > 1]


def overlaps_of_runs(runs: VariantRuns, k: int) -> list[Record]:
    """Overlap of the first k documents, attribute by attribute."""
    return [retrieval_overlap(lists_of_runs(runs, name), name, k=k) for name in compared_attributes(runs)]


def variant_families(data: Dataset, texts: Sequence[str] = ()) -> dict[str, VariantRuns]:
    """Runs of variants by retriever: those whose names say it, or those of which it is said.

    Args:
        data: The runs, and answers whose values names may end in, too.
        texts: SYSTEM=[ATTRIBUTE:]VALUE each.

    Raises:
        UsageError: A system is not there, a value has two runs, or there are none besides neutral.
    """
    if not texts:
        values: dict[str, Sequence[str]] = dict(words_of("values"))
        for answers in data.variants:
            values |= answers.groups
        return variant_runs(data.runs, values)
    by_system = {run.system: run for run in data.runs}
    runs: dict[tuple[str, str], Run] = {}
    for text in texts:
        system, mark, name = text.rpartition("=")
        attribute, value = described(name)
        if not mark or not value.strip() or not attribute.strip():
            raise UsageError(f"--value {text}: expected SYSTEM=VALUE or SYSTEM=ATTRIBUTE:VALUE")
        if system not in by_system:
            raise UsageError(f"--value {text}: expected one of {', '.join(by_system)}")
        if (attribute, value) in runs:
            raise UsageError(f"--value {text}: {value} has a run already: {runs[attribute, value].system}")
        runs[attribute, value] = by_system[system]
    if all(attribute in NO_ATTRIBUTE for attribute, _ in runs):
        raise UsageError("give the run of at least one value besides neutral")
    return {"runs": runs}


def described(name: str) -> tuple[str, str]:
    """Attribute and value as they are typed together; of a value alone the attribute that is known of it, else "group".

    Examples:
        >>> described("sex:female"), described("Asian"), described("neutral"), described("tall")
        (('sex', 'female'), ('race', 'Asian'), ('none', 'neutral'), ('group', 'tall'))
    """
    attribute, colon, value = name.partition(":")
    if colon:
        return attribute, value
    return _vocabulary(words_of("values")).get(_bare(name), ("group", ""))[0], name


def _vocabulary(values: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, str]]:
    """Attribute and value by the letters and digits of the value; the neutral question by each of its names."""
    named = {_bare(value): (name, value) for name, own in values.items() for value in own}
    return named | {_bare(value): ("none", "neutral") for value in words_of("names")["neutral"]}


def variant_runs(runs: Sequence[Run], values: Mapping[str, Sequence[str]] | None = None) -> dict[str, VariantRuns]:
    """Group runs whose names end in a value of an attribute, retriever by retriever.

    Blanks, hyphens, underscores and case of values do not matter; before the value stands a
    separator. A retriever with one recognised run is none. The neutral run comes first, the others
    in the order of the values.

    Args:
        runs: Runs, with names such as "bm25-African_American".
        values: Attribute -> values, of which the longest that fits counts; None: those that are known without a file.

    Examples:
        >>> split("bm25.non-binary", {"nonbinary": ("gender", "non-binary")})
        ('bm25', 'gender', 'non-binary')
    """
    vocabulary = _vocabulary(values or words_of("values"))
    runs_of_retrievers: dict[str, dict[tuple[str, str], Run]] = {}
    for run in runs:
        named = split(run.system, vocabulary)
        if named is not None:
            retriever, attribute, value = named
            runs_of_retrievers.setdefault(retriever, {}).setdefault((attribute, value), run)
    order = list(dict.fromkeys([("none", "neutral"), *vocabulary.values()]))
    return {
        name: dict(sorted(of_values.items(), key=lambda pair: order.index(pair[0])))
        for name, of_values in runs_of_retrievers.items()
        if compared_attributes(of_values)
    }


def split(name: str, vocabulary: Mapping[str, tuple[str, str]]) -> tuple[str, str, str] | None:
    """(retriever, attribute, value) of a name, None where it ends in no known value."""
    for cut in re.finditer(r"[._:\-\s]+", name):
        if cut.start() and (pair := vocabulary.get(_bare(name[cut.end() :]))):
            return name[: cut.start()], *pair
    return None


def _bare(value: str) -> str:
    """Letters and digits in small letters."""
    return re.sub(r"[\W_]+", "", value).lower()


MEASURES = ("nDCG@10",)
"""What is measured unless something else is asked for."""


def variant_quality(
    runs: VariantRuns, qrels: Qrels, measures: Sequence[str] = MEASURES, *, seed: int = 0
) -> tuple[list[Record], list[Record], tuple[Note, ...]]:
    """Measure the run of each value, with paired differences to neutral and the gap per attribute.

    Args:
        runs: (attribute, value) -> run of the questions with that value, by the ids of the
            questions; "none" (or "neutral") as attribute marks the neutral questions.
        qrels: Judgements by the ids of the questions.
        measures: Measures of rankings with one value per query.
        seed: Of every row's resamples.

    A run without one question in common with the judgements is left out, with a note.

    Returns:
        Rows and gaps of :func:`quality_of`, and what to know of the runs.

    Raises:
        InputError: No run has a question in common with the judgements.
        UsageError: There is no run, or a measure has no values per query.
    """
    specs = parse_measures(measures)
    scores: dict[tuple[str, str], list[Scores]] = {}
    named = {key: replace(run, system=key[1]) for key, run in runs.items()}
    _, left_out = joined(list(named.values()), [qrels])
    notes = [omission.note for omission in left_out]
    lost = {omission.system for omission in left_out}
    for key, run in named.items():
        if key[1] in lost:
            continue
        evaluation = evaluate([run], specs, qrels=[qrels])
        notes += evaluation.notes
        scores[key] = [score for score in evaluation.scores if isinstance(score, Scores)]
        if len(scores[key]) < len(evaluation.scores):
            raise UsageError("measures of variants need a value per question, not per system")
    return *quality_of(scores, seed=seed), tuple(dict.fromkeys(notes))


def quality_of(
    scores: Mapping[tuple[str, str], Sequence[Scores]], *, seed: int = 0
) -> tuple[list[Record], list[Record]]:
    """Ranking quality of the list of each value, and its gaps.

    Args:
        scores: One per measure, of the list of each (attribute, value).
        seed: Of every row's resamples.

    Returns:
        Rows by measure, then value in the runs' order: attribute ("" for the neutral questions), value, measure; mean
        over questions with low and high, n_questions with a value, n_undefined without. difference: mean minus the
        neutral mean over the n_compared questions that both have, with its paired interval; p of the paired t-test,
        p_holm over all values and measures.

        Gaps by measure, then attribute, of its values without neutral: the largest mean difference of two values (gap;
        best, worst), with the paired interval over n_questions that both have: they were chosen as the most different,
        so it leans away from 0. p of the paired t-test, p_holm over all pairs of values of all attributes and measures:
        these two were searched.
    """
    rows: list[Record] = []
    gaps: list[Record] = []
    searched: list[Record] = []
    for of_measure in zip(*scores.values(), strict=True):
        own = dict(zip(scores, of_measure, strict=True))
        neutral = [score for (name, _), score in own.items() if name in NO_ATTRIBUTE][:1]
        intervals = score_intervals(list(own.values()), seed=seed)
        for ((attribute, value), score), (low, high) in zip(own.items(), intervals, strict=True):
            about = {"attribute": "" if attribute in NO_ATTRIBUTE else attribute, "value": value}
            counts = {"n_questions": score.n_defined, "n_undefined": score.n_undefined}
            (paired,) = _paired([(score, base) for base in neutral if about["attribute"]], seed) or [UNPAIRED]
            difference = dict(zip(DIFFERENCE, paired.values(), strict=True))
            means = {"measure": score.measure, "mean": score.value, "low": low, "high": high}
            rows.append(about | means | counts | difference)
        for attribute in dict.fromkeys(name for name, _ in own if name not in NO_ATTRIBUTE):
            values = {value: score for (name, value), score in own.items() if name == attribute}
            pairs = list(combinations([value for value in values if not np.isnan(values[value].value)], 2))
            tests = _paired([(values[first], values[second]) for first, second in pairs], seed)
            searched += tests
            at = max(range(len(tests)), key=lambda at: _width(tests[at]), default=None)
            (best, worst), gap = (("", ""), {**UNPAIRED}) if at is None else (pairs[at], tests[at])
            if gap["gap"] < 0:
                best, worst = worst, best
                gap |= {"gap": -gap["gap"], "low": -gap["high"], "high": -gap["low"]}
            gap |= {"attribute": attribute, "measure": of_measure[0].measure, "best": best, "worst": worst}
            gaps.append(gap)
    for tests, n in ((rows, "n_compared"), (searched, "n_questions")):
        for row, p_holm in zip(tests, holm_tested((row["p"], row[n]) for row in tests), strict=True):
            row["p_holm"] = p_holm
    return rows, gaps


UNPAIRED: Record = {"gap": NAN, "low": NAN, "high": NAN, "p": NAN, "n_questions": 0, "p_holm": NAN}
"""Of two lists that are not compared."""
DIFFERENCE = ("difference", "difference_low", "difference_high", "p", "n_compared", "p_holm")
"""What a row calls its comparison with the neutral list."""


def _paired(pairs: Sequence[tuple[Scores, Scores]], seed: int) -> list[Record]:
    """Mean difference of every two lists over the questions of both (gap), with its interval and paired t-test."""
    sides = [paired_values(*pair) for pair in pairs]
    gaps = [side.system - side.reference for side in sides]
    ends = bootstrap_intervals(gaps, seed=seed)
    tests = [paired_t_test(side.system, side.reference).p for side in sides]
    return [
        {"gap": float(_means(gap)), "low": low, "high": high, "p": p, "n_questions": int(_counts(gap)), "p_holm": NAN}
        for gap, (low, high), p in zip(gaps, ends, tests, strict=True)
    ]


def n_tests(rows: Sequence[Record]) -> int:
    """Over how many tests p of rows is corrected."""
    return sum(not np.isnan(row["p_holm"]) for row in rows)


def _width(test: Record) -> tuple[bool, float]:
    """Whether two lists share questions enough, and how far they are apart on these; −∞ without any."""
    return test["n_questions"] >= MIN_UNITS, abs(test["gap"]) if test["n_questions"] else -np.inf
