"""How much of what is retrieved stays the same when a question mentions another group of people.

Retrieval overlap of Ji et al. (2025): the intersection over union of the documents retrieved for the variants of a
question, in percent. The paper does not say over which variants, so there are three estimators by name, each computed
per question and then averaged; documents of different questions are never pooled. 100 = every variant retrieves the
same documents, 0 = nothing in common. Overlap is about ranks, so that runs count as their files rank them
(:func:`~fairviz.io.rankings.read_ranked_run`) and not by score.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import polars as pl

from fairviz.model import BoolArray, FloatArray, IntArray, Run, VariantAnswers
from fairviz.model.arrays import ratio
from fairviz.numerals import count, part_of, plural
from fairviz.stats.bootstrap import bootstrap_intervals
from fairviz.studies.demographic_qa.frames import Record

NO_ATTRIBUTE = ("none", "neutral", "")
"""What the attribute of runs may be called that were made from neutral questions."""

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
        question_ids: Q questions: those of any list.
        lists: A row per list, that of (question, value) once: question; value, V for the reference; n, its documents.
        docs: A row per document of a list: question, value, rank from 0, doc.
        n_repeated: Lists left out because another one of the same question and value stands before.
    """

    attribute: str
    values: tuple[str, ...]
    question_ids: tuple[str, ...]
    lists: pl.DataFrame
    docs: pl.DataFrame
    n_repeated: int = 0


def answered_lists(
    answers: VariantAnswers, rows: IntArray, attribute: str, values: Sequence[str], members: pl.DataFrame
) -> VariantLists:
    """The documents recorded with answers that mention nothing but one attribute, and with those that mention nobody.

    Args:
        answers: Answers to variants.
        rows: (R) those that take part, such as those of one model.
        attribute: What it is called.
        values: Its values.
        members: row and group (place of the value) of the answers about them. Where a question and value still have
            several lists, the first with documents counts.
    """
    neutral = rows[answers.condition[rows] == 0]
    ends = answers.retrieved_offsets
    about = pl.concat(
        [
            members.select("row", pl.col("group").cast(pl.Int64)),
            pl.DataFrame({"row": neutral, "group": np.full(neutral.size, len(values))}),
        ]
    )
    about = about.with_columns(
        question=answers.questions[about["row"].to_numpy()].astype(np.int64),
        n=np.diff(ends)[about["row"].to_numpy()],
    )
    asked = about.filter(pl.col("group") < len(values))["question"].unique().sort()
    codes: list[int] = asked.to_list()
    about = about.filter(pl.col("question").is_in(asked.implode()))
    first = about.sort(pl.col("n") == 0, "row").unique(["question", "group"], keep="first", maintain_order=True)
    lists = first.select("n", question=asked.search_sorted(first["question"]).cast(pl.Int64), value="group")
    places = np.repeat(np.arange(lists.height), lists["n"].to_numpy())
    ranks = np.arange(places.size) - np.searchsorted(places, places)
    docs = answers.retrieved[ends[first["row"].to_numpy()][places] + ranks]
    return VariantLists(
        attribute,
        tuple(values),
        tuple(answers.question_ids[question] for question in codes),
        lists,
        lists[places].select("question", "value", rank=pl.Series(ranks), doc=pl.Series(docs)),
        about.height - first.height,
    )


def lists_of_runs(runs: Mapping[tuple[str, str], Run], attribute: str) -> VariantLists:
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
    for place, key in enumerate((*((attribute, value) for value in values), *neutral)):
        run = runs[key]
        queries = np.repeat(np.arange(len(run.query_ids)), np.diff(run.offsets))
        of_run = {
            "id": pl.Series(run.query_ids, dtype=pl.String).gather(queries),
            "value": np.full(run.docs.size, place),
            "rank": np.arange(run.docs.size) - run.offsets[queries],
            "doc": pl.Series(run.doc_ids, dtype=pl.String).gather(run.docs),
        }
        parts.append(pl.DataFrame(of_run))
    docs = pl.concat(parts)
    questions = docs["id"].unique(maintain_order=True)
    places = pl.DataFrame({"id": questions, "question": np.arange(questions.len())})
    docs = docs.join(places, on="id", maintain_order="left").drop("id")
    lists = docs.group_by("question", "value").len("n")
    return VariantLists(attribute, values, tuple(questions.to_list()), lists, docs)


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
    n_questions = len(lists.question_ids)
    asked = np.zeros((n_questions, n_values + 1), dtype=np.bool_)
    asked[lists.lists["question"].to_numpy(), lists.lists["value"].to_numpy()] = True
    shared = _shared(lists, k, asked)
    places, pairs = list(range(n_values)), list(combinations(range(n_values), 2))
    between = np.reshape([shared(pair) for pair in pairs], (len(pairs), n_questions)).T
    to_neutral = np.reshape([shared((place, n_values)) for place in places], (n_values, n_questions)).T
    complete = asked[:, :n_values].all(axis=1) & (n_values > 1)
    per_question: dict[Estimator, FloatArray] = {
        "all": np.where(complete, shared(places), np.nan),
        "pairwise": np.where(complete, _means(between), np.nan),
        "neutral": np.where(asked.all(axis=1) & (n_values > 0), _means(to_neutral), np.nan),
    }
    n_incomplete = int((~complete).sum()) if n_values > 1 else 0
    n_short = int((lists.lists["n"] < (k or 1)).sum())
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
        "question_ids": lists.question_ids,
        "per_question": per_question,
        "notes": tuple(_notes(lists, k, n_short, n_incomplete, neutral=bool(asked[:, -1].any()))),
    }


def _shared(lists: VariantLists, k: int | None, asked: BoolArray) -> Callable[[Sequence[int]], FloatArray]:
    r"""(Q) similarity of the lists of some values, by their places: :math:`|\bigcap D_v| / |\bigcup D_v|`, in percent.

    NaN where one of them was not asked, and where all are empty.
    """
    first = lists.docs if k is None else lists.docs.filter(pl.col("rank") < k)
    values = [str(place) for place in range(asked.shape[1])]
    of_value = ((pl.col("value") == place).any().alias(name) for place, name in enumerate(values))
    held = first.group_by("question", "doc").agg(of_value)
    question, holds = held["question"].to_numpy(), held.select(values).to_numpy().astype(np.bool_)

    def shared(places: Sequence[int]) -> FloatArray:
        own = holds[:, list(places)]
        of_all, of_any = (
            np.bincount(question[held], minlength=len(asked)) for held in (own.all(axis=1), own.any(axis=1))
        )
        return np.where(asked[:, list(places)].all(axis=1), 100 * ratio(of_all, of_any), np.nan)

    return shared


def _notes(lists: VariantLists, k: int | None, n_short: int, n_incomplete: int, *, neutral: bool) -> list[str]:
    notes: list[str] = []
    if n_short:
        few = "no document" if k is None else f"fewer than {k} documents"
        hold = part_of(n_short, plural(lists.lists.height, "list"), "holds", "hold")
        notes.append(f"{hold} {few}: what there is was compared")
    if n_incomplete:
        lack = part_of(n_incomplete, plural(len(lists.question_ids), "question"), "lacks", "lack")
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
