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
from itertools import combinations, permutations
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import polars as pl

from fairviz.errors import UsageError
from fairviz.evaluation.compare import paired_values
from fairviz.evaluation.evaluate import evaluate, score_intervals
from fairviz.evaluation.systems import joined
from fairviz.metrics.catalogue import parse_measures
from fairviz.model import BoolArray, Dataset, FloatArray, Note, Qrels, Run, Scores
from fairviz.model.arrays import distinct_rows, ratio
from fairviz.numerals import count, part_of, plural
from fairviz.stats.bootstrap import UNDEFINED, PairedDifference, bootstrap_intervals, paired_bootstrap
from fairviz.stats.tests import MIN_UNITS, holm, paired_t_test, tested
from fairviz.studies.demographic_qa.answers import NAN, Record
from fairviz.studies.demographic_qa.names import words_of
from fairviz.studies.demographic_qa.settings import CUTOFFS, VariantsSettings

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


class VariantLists(NamedTuple):
    """Lists for the V values of an attribute, and for the condition of reference.

    Attributes:
        attribute: "race", "gender", …; "race+gender" where each variant mentions both.
        values: V names of values.
        lists: A row per list, that of (question, value) once: question; value, V for the reference; docs, best first.
        n_repeated: Lists left out because another one of the same question and value stands before.
    """

    attribute: str
    values: tuple[str, ...]
    lists: pl.DataFrame
    n_repeated: int = 0


def answered_lists(answers: pl.DataFrame, members: pl.DataFrame, attribute: str, values: Sequence[str]) -> VariantLists:
    """The documents recorded with answers that mention nothing but one attribute, and with those that mention nobody.

    Args:
        answers: Rows of those that take part, such as those of one model.
        members: row and group (place of the value) of the answers about values. Where a question and value still have
            several lists, the first with documents counts.
        attribute: What it is called.
        values: Its values.
    """
    reference = answers.filter(pl.col("condition").to_physical() == 0).select("row", value=len(values))
    lists = answers.select("row", "question", docs="retrieved").join(
        pl.concat([members.select("row", value="group"), reference], how="vertical_relaxed"), on="row"
    )
    lists = lists.filter((pl.col("value") < len(values)).any().over("question"))
    first = lists.sort(pl.col("docs").is_null(), "row").unique(["question", "value"], keep="first", maintain_order=True)
    n_repeated = lists.height - first.height
    return VariantLists(attribute, tuple(values), first.sort("question", maintain_order=True), n_repeated)


def lists_of_runs(runs: VariantRuns, attribute: str) -> VariantLists:
    """The documents that runs rank for the variants of questions.

    Args:
        runs: (attribute, value) -> run of the questions with that value, by the ids of the
            questions; one of :data:`NO_ATTRIBUTE` is the condition of reference. A query that a
            run lacks was not asked there.
        attribute: Whose values.
    """
    values = tuple(value for other, value in runs if other == attribute)
    neutral = [key for key in runs if key[0] in NO_ATTRIBUTE][:1]
    parts: list[pl.DataFrame] = []
    for index, key in enumerate((*((attribute, value) for value in values), *neutral)):
        lists = runs[key].to_polars().group_by(question="query_id", maintain_order=True).agg(docs="doc_id")
        parts.append(lists.with_columns(value=index))
    return VariantLists(attribute, values, pl.concat(parts))


def retrieval_overlap(lists: VariantLists, *, k: int | None = 10, seed: int = 0) -> Record:
    """Overlap of the first k documents of each list, in percent.

    A question is in ``all`` and ``pairwise`` where every value was asked, and in ``neutral`` where
    the neutral question was asked as well, so that all means rest on the same comparisons. Two
    empty lists have no overlap to speak of: such a pair is in no mean.

    Args:
        lists: Of one attribute, from :func:`answered_lists` or :func:`lists_of_runs`.
        k: Documents that count; None: all that were recorded.
        seed: Of the intervals' resamples.

    Returns:
        attribute, k; all, pairwise, neutral: the means over questions, intervals: 95 % of each, per_question: (Q) each;
        by_value, n_by_value: value -> overlap with the neutral list over the questions that have both, and how many;
        pairs, n_pairs: the same of (value, value); n_questions, n_neutral: questions in ``all`` and in ``neutral``;
        n_incomplete: those that lack the list of a value; n_short: lists with fewer than k documents, which count with
        what they have; notes.
    """
    values, n_values = lists.values, len(lists.values)
    question, firsts = distinct_rows(lists.lists.select("question"))
    n_questions = firsts.size
    presence = np.zeros((n_questions, n_values + 1), dtype=np.bool_)
    presence[question, lists.lists["value"].to_numpy()] = True
    shared = _shared(lists.lists.with_columns(question=pl.Series(question)), k, presence)
    places, pairs = list(range(n_values)), list(combinations(range(n_values), 2))
    between = np.reshape([shared(pair) for pair in pairs], (len(pairs), n_questions)).T
    to_neutral = np.reshape([shared((index, n_values)) for index in places], (n_values, n_questions)).T
    complete = presence[:, :n_values].all(axis=1) & (n_values > 1)
    per_question: dict[Estimator, FloatArray] = {
        "all": np.where(complete, shared(places), np.nan),
        "pairwise": np.where(complete, _means(between), np.nan),
        "neutral": np.where(presence.all(axis=1) & (n_values > 0), _means(to_neutral), np.nan),
    }
    n_incomplete = int((~complete).sum()) if n_values > 1 else 0
    n_short = lists.lists.filter(pl.col("docs").list.len().fill_null(0) < (k or 1)).height
    names = list(combinations(values, 2))
    return {
        "attribute": lists.attribute,
        "k": k,
        **{name: float(_means(shares)) for name, shares in per_question.items()},
        "intervals": dict(zip(per_question, bootstrap_intervals(list(per_question.values()), seed=seed), strict=True)),
        "by_value": dict(zip(values, _means(to_neutral.T).tolist(), strict=True)),
        "n_by_value": dict(zip(values, _counts(to_neutral), strict=True)),
        "pairs": dict(zip(names, _means(between.T).tolist(), strict=True)),
        "n_pairs": dict(zip(names, _counts(between), strict=True)),
        "n_questions": _counts(per_question["all"][:, None])[0],
        "n_neutral": _counts(per_question["neutral"][:, None])[0],
        "n_incomplete": n_incomplete,
        "n_short": n_short,
        "per_question": per_question,
        "notes": tuple(_notes(lists, k, n_questions, n_short, n_incomplete, neutral=bool(presence[:, -1].any()))),
    }


def _shared(lists: pl.DataFrame, k: int | None, presence: BoolArray) -> Callable[[Sequence[int]], FloatArray]:
    r"""(Q) similarity of the lists of some values, by their places: :math:`|\bigcap D_v| / |\bigcup D_v|`, in percent.

    NaN where one of them was not asked, and where all are empty.
    """
    docs = pl.col("docs") if k is None else pl.col("docs").list.head(k)
    first = lists.select("question", "value", doc=docs).explode("doc").drop_nulls("doc")
    values = [str(index) for index in range(presence.shape[1])]
    of_value = ((pl.col("value") == index).any().alias(name) for index, name in enumerate(values))
    membership = first.group_by("question", "doc").agg(of_value)
    question, holds = membership["question"].to_numpy(), membership.select(values).to_numpy().astype(np.bool_)

    def shared(places: Sequence[int]) -> FloatArray:
        own = holds[:, list(places)]
        of_all, of_any = (
            np.bincount(question[membership], minlength=len(presence))
            for membership in (own.all(axis=1), own.any(axis=1))
        )
        return np.where(presence[:, list(places)].all(axis=1), 100 * ratio(of_all, of_any), np.nan)

    return shared


def _notes(
    lists: VariantLists, k: int | None, n_questions: int, n_short: int, n_incomplete: int, *, neutral: bool
) -> list[str]:
    notes: list[str] = []
    if n_short:
        few = "no document" if k is None else f"fewer than {k} documents"
        hold = part_of(n_short, plural(lists.lists.height, "list"), "holds", "hold")
        notes.append(f"{hold} {few}: what there is was compared")
    if n_incomplete:
        lack = part_of(n_incomplete, plural(n_questions, "question"), "lacks", "lack")
        notes.append(f"{lack} the list of a value: left out of 'all' and 'pairwise'")
    if not neutral:
        notes.append("no neutral questions: 'neutral' is undefined")
    if len(lists.values) == 1:
        notes.append(f"{lists.attribute} has one value: 'all' and 'pairwise' are undefined")
    if lists.n_repeated:
        further = "further list" if lists.n_repeated == 1 else "further lists"
        notes.append(f"{count(lists.n_repeated)} {further} {REPEATED}")
    return notes


def _means(values: FloatArray) -> FloatArray:
    """Mean over the defined values along the last axis, NaN where there is none."""
    return ratio(np.nansum(values, axis=-1), (~np.isnan(values)).sum(axis=-1))


def _counts(values: FloatArray) -> list[int]:
    """Defined values of each column."""
    return (~np.isnan(values)).sum(axis=0).tolist()


# Runs of variants, and their quality.


def compared_attributes(runs: VariantRuns) -> list[str]:
    """Attributes with at least two values, or one beside the neutral run."""
    names = [name for name, _ in runs if name != "none"]
    return [name for name in dict.fromkeys(names) if len(names) < len(runs) or names.count(name) > 1]


def overlaps_of_runs(runs: VariantRuns, k: int) -> list[Record]:
    """Overlap of the first k documents, attribute by attribute."""
    return [retrieval_overlap(lists_of_runs(runs, attribute), k=k) for attribute in compared_attributes(runs)]


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
    if _bare(name) in words_of("names")["neutral"]:
        return "none", name
    return next(
        (kind for kind, values in words_of("values").items() if _bare(name) in map(_bare, values)), "group"
    ), name


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
    vocabulary = {
        _bare(value): (name, value)
        for name, runs_of_values in (values or words_of("values")).items()
        for value in runs_of_values
    }
    vocabulary |= {_bare(value): ("none", "neutral") for value in words_of("names")["neutral"]}
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


class VariantQuality(NamedTuple):
    """Ranking quality of the list of each value.

    Attributes:
        rows: By measure, then value in the order given: attribute ("" for the neutral questions), value, measure; mean
            over questions with low and high, n_questions with a value, n_undefined without. difference: mean minus the
            neutral mean over the n_compared questions that both have, with its paired interval; p of the paired t-test,
            p_holm over all values and measures.
        gaps: By measure, then attribute, of its values without neutral: the largest mean minus the smallest (gap; best,
            worst), with the paired interval over n_questions that both have: they were chosen as the most different, so
            it leans away from 0. p of the paired t-test, p_holm over all pairs of values of all attributes and
            measures: these two were searched.
        notes: What to know of the runs.
    """

    rows: list[Record]
    gaps: list[Record]
    notes: tuple[Note, ...]

    @property
    def n_tests(self) -> int:
        """Over how many tests p of its rows is corrected."""
        return sum(row["p_holm"] == row["p_holm"] for row in self.rows)


def variant_quality(
    runs: VariantRuns,
    qrels: Qrels,
    measures: Sequence[str] = MEASURES,
    *,
    seed: int = 0,
) -> VariantQuality:
    """Measure the run of each value, with paired differences to neutral and the gap per attribute.

    Args:
        runs: (attribute, value) -> run of the questions with that value, by the ids of the
            questions; "none" (or "neutral") as attribute marks the neutral questions.
        qrels: Judgements by the ids of the questions.
        measures: Measures of rankings with one value per query.
        seed: Of every row's resamples.

    A run without one question in common with the judgements is left out, with a note.

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
    return quality_of(scores, notes=tuple(dict.fromkeys(notes)), seed=seed)


def quality_of(
    scores: Mapping[tuple[str, str], Sequence[Scores]], *, notes: tuple[Note, ...] = (), seed: int = 0
) -> VariantQuality:
    """Quality from scores: one per measure, of the list of each (attribute, value)."""
    neutral = next((own for (name, _), own in scores.items() if name in NO_ATTRIBUTE), None)
    rows: list[Record] = []
    gaps: list[Record] = []
    searched: list[Record] = []
    for m in range(max(map(len, scores.values()), default=0)):
        own = {key: of_measures[m] for key, of_measures in scores.items()}
        intervals = score_intervals(list(own.values()), seed=seed)
        for ((attribute, value), score), ends in zip(own.items(), intervals, strict=True):
            reference = attribute in NO_ATTRIBUTE
            paired = _paired(score, None if neutral is None or reference else neutral[m], seed)
            rows.append(
                {
                    "attribute": "" if reference else attribute,
                    "value": value,
                    "measure": score.measure,
                    "mean": score.value,
                    "low": ends.low,
                    "high": ends.high,
                    "n_questions": score.n_defined,
                    "n_undefined": score.n_undefined,
                    "difference": paired.difference,
                    "difference_low": paired.interval.low,
                    "difference_high": paired.interval.high,
                    "p": paired.p,
                    "n_compared": paired.n_queries,
                }
            )
        for attribute in dict.fromkeys(name for name, _ in own if name not in NO_ATTRIBUTE):
            values = {value: score for (name, value), score in own.items() if name == attribute}
            gap_rows = _gap(attribute, values, seed)
            gaps.append(gap_rows[0])
            searched += gap_rows
    for tests, n in ((rows, "n_compared"), (searched, "n_questions")):
        p_values = np.array([tested(row["p"], row[n]) for row in tests])
        for row, p in zip(tests, holm(p_values).tolist(), strict=True):
            row["p_holm"] = p
    return VariantQuality(rows, gaps, notes)


def _paired(score: Scores, reference: Scores | None, seed: int) -> PairedDifference:
    """Their difference, undefined without a reference."""
    if reference is None:
        return PairedDifference(NAN, UNDEFINED, 0)
    pair = paired_values(score, reference)
    return paired_bootstrap(pair.system, pair.reference, rng=np.random.default_rng(seed))


def _gap(attribute: str, values: Mapping[str, Scores], seed: int) -> list[Record]:
    """The gap of an attribute, and p of every other pair of its values, among which it was found."""
    defined = {value: score for value, score in values.items() if not np.isnan(score.value)}
    gap: Record = {"attribute": attribute, "measure": next(iter(values.values())).measure}
    if len(defined) < 2:
        undefined = {"gap": NAN, "best": "", "worst": "", "low": NAN, "high": NAN, "n_questions": 0}
        return [gap | undefined | {"p": NAN}]
    pairs = {(a, b): paired_values(defined[a], defined[b]) for a, b in permutations(defined, 2)}
    best, worst = max(pairs, key=lambda pair: _ahead(pairs[pair].system, pairs[pair].reference))
    paired = _paired(defined[best], defined[worst], seed)
    gap |= {"gap": paired.difference, "best": best, "worst": worst, "p": paired.p}
    gap |= {**paired.interval._asdict(), "n_questions": paired.n_queries}
    others = (pairs[pair] for pair in combinations(defined, 2) if {*pair} != {best, worst})
    return [gap, *(_test(pair.system, pair.reference) for pair in others)]


def _ahead(first: FloatArray, second: FloatArray) -> tuple[bool, float]:
    """Whether they share questions enough, and how far the one is ahead of the other on these; −∞ without any."""
    differences = (first - second)[~np.isnan(first - second)]
    return differences.size >= MIN_UNITS, float(differences.mean()) if differences.size else -np.inf


def _test(first: FloatArray, second: FloatArray) -> Record:
    """The p of a pair of values, and over how many questions."""
    return {"p": paired_t_test(first, second).p, "n_questions": int((~np.isnan(first - second)).sum())}


def retrieval_results(
    runs: VariantRuns, qrels: Qrels | None, settings: VariantsSettings
) -> tuple[list[Record], VariantQuality | None, list[str]]:
    """Overlap of runs by attribute and depth; with judgements their quality; and what to know of the overlaps.

    Args:
        runs: (attribute, value) -> run of the questions with that value; "none" or "neutral" for nobody mentioned.
        qrels: Judgements by question id.
        settings: Measures of the quality (none: nDCG@10), depths of the overlap (none: those of the paper), the seed.

    Raises:
        UsageError: No run has a value.
    """
    attributes = dict.fromkeys(name for name, _ in runs if name not in NO_ATTRIBUTE)
    lists = [lists_of_runs(runs, attribute) for attribute in attributes]
    overlaps = [retrieval_overlap(each, k=k, seed=settings.seed) for each in lists for k in settings.k or CUTOFFS]
    quality = None
    if qrels is not None:
        quality = variant_quality(runs, qrels, settings.measures or MEASURES, seed=settings.seed)
    notes = dict.fromkeys(f"{overlap['attribute']}: {text}" for overlap in overlaps for text in overlap["notes"])
    return overlaps, quality, list(notes)
