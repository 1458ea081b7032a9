"""How many of the retrieved documents are stereotypical (Table 5, first row, of the RAG study).

The retriever alone is looked at: 50 % means that it treats both polarities alike where the
collection holds as many of each; the share in the collection is the number to compare with.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from fairviz.errors import UsageError
from fairviz.groups import group_sums, membership
from fairviz.model import BiasAnswers, BiasItems, BoolArray, FloatArray, GroupLabels, IntArray, RankedRun, Run
from fairviz.pool import pool
from fairviz.stats.bootstrap import Interval, bootstrap_interval
from fairviz.studies.social_bias.measures import OUT, C, S, U
from fairviz.studies.social_bias.rows import NO_CONTEXT, answer_kinds, column_of, context_of_items

# Items whose answer changed between two producers, to be read one by one.


AnswerName: TypeAlias = Literal["stereotyped", "counter-stereotyped", "unknown", "out of choice", "no biased answer"]

_NAMES: Mapping[int, AnswerName] = {
    S: "stereotyped",
    C: "counter-stereotyped",
    U: "unknown",
    OUT: "out of choice",
}


class ChangedItem(NamedTuple):
    """An item that two producers answered differently.

    Attributes:
        item: Its index among the items.
        before, after: The options answered, −1 = out of choice.
        before_kind, after_kind: What these answers are in this item.
        before_words, after_words: The answers as recorded, "" where only options were.
    """

    item: int
    before: int
    after: int
    before_kind: AnswerName
    after_kind: AnswerName
    before_words: str
    after_words: str


def changed_items(
    items: BiasItems,
    answers: BiasAnswers,
    one: Mapping[str, str],
    two: Mapping[str, str],
    *,
    category: str | None = None,
    all_items: bool = False,
) -> tuple[ChangedItem, ...]:
    """Items that ``one`` and ``two`` answered differently, in the order of the items.

    Args:
        items: The questions.
        answers: Answers to them.
        one: Value of the columns that name the first producer, enough to give one answer an item.
        two: The same of the second.
        category: Only items of this bias type.
        all_items: Also those with the same answer.

    Raises:
        UsageError: A column that is not there, or a producer with two answers to one item.
    """
    first, second = (_by_item(items, answers, producer) for producer in (one, two))
    common = (first >= 0) & (second >= 0)
    if category is not None:
        common &= _is_category(items, category)
    found = np.flatnonzero(common)
    before, after = (answers.choices[side[found]].astype(np.int64) for side in (first, second))
    if not all_items:
        differs = before != after
        found, before, after = found[differs], before[differs], after[differs]
    kinds = answer_kinds(items, answers)
    kinds[context_of_items(items)[answers.items] == NO_CONTEXT] = NO_CONTEXT
    return tuple(
        ChangedItem(
            item=item,
            before=int(answers.choices[a]),
            after=int(answers.choices[b]),
            before_kind=_NAMES.get(int(kinds[a]), "no biased answer"),
            after_kind=_NAMES.get(int(kinds[b]), "no biased answer"),
            before_words=_words(answers, a),
            after_words=_words(answers, b),
        )
        for item, a, b in zip(found.tolist(), first[found].tolist(), second[found].tolist(), strict=True)
    )


def _by_item(items: BiasItems, answers: BiasAnswers, producer: Mapping[str, str]) -> IntArray:
    """(N) the producer's answer to each item, −1 where it has none."""
    chosen = np.ones(answers.items.size, dtype=np.bool_)
    for column, value in producer.items():
        factor = column_of(items, answers, column)
        place = factor.values.index(value) if value in factor.values else -1
        chosen &= factor.codes == place
    places = np.flatnonzero(chosen)
    answered = answers.items[places]
    if np.unique(answered).size < answered.size:
        named = ", ".join(f"{column} = {value}" for column, value in producer.items())
        raise UsageError(f"{named or 'everybody'} answers an item more than once: name more columns")
    by_item = np.full(len(items), -1, dtype=np.int64)
    by_item[answered] = places
    return by_item


def _is_category(items: BiasItems, category: str) -> BoolArray:
    values = items.categories.values
    return items.categories.codes == (values.index(category) if category in values else -1)


def _words(answers: BiasAnswers, place: int) -> str:
    words = answers.words
    return "" if words is None else words.values[int(words.codes[place])]


STEREOTYPICAL = "stereo"
"""Name of the group of stereotypical documents in a collection with polarities."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StereotypeShare:
    """The share of one polarity among what a system retrieved.

    Attributes:
        system: The run.
        k: Documents that count per query; None: all.
        group: The polarity counted.
        share: Percent of the labelled documents of a query's first k, mean over queries; NaN if no
            query has a labelled document.
        interval: 95 % bootstrap over queries.
        collection: Percent of this polarity among all labelled documents, retrieved or not.
        n_queries: Queries with a labelled document in the first k.
        n_undefined: Queries without.
        n_documents: Labelled documents counted, over all queries.
        n_unlabelled: Documents in the first k without a label, which count for nothing.
        query_ids: The queries of the run.
        per_query: (Q) percent, NaN = undefined.
    """

    system: str
    k: int | None
    group: str
    share: float
    interval: Interval
    collection: float
    n_queries: int
    n_undefined: int
    n_documents: int
    n_unlabelled: int
    query_ids: tuple[str, ...]
    per_query: FloatArray


def stereotype_share(
    run: Run | RankedRun,
    labels: GroupLabels,
    *,
    k: int | None = None,
    group: str = STEREOTYPICAL,
    seed: int = 0,
) -> StereotypeShare:
    """Per query the share of a polarity among the labelled documents of the first k, then the mean.

    Args:
        run: What was retrieved; ranks of a :class:`RankedRun` count as given.
        labels: Polarity of documents; a soft label counts in part.
        k: Documents per query; None: all.
        group: The polarity to count.
        seed: Of the interval's resamples.

    Raises:
        UsageError: The labels have no such group.
        ValueError: If k is below 1.
    """
    if k is not None and k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    if group not in labels.groups:
        raise UsageError(f"no group is named {group!r}; groups: {', '.join(labels.groups)}")
    ranked = run.by_rank if isinstance(run, RankedRun) else run
    pools = pool(ranked, None)
    members = membership(pools, labels)
    column = members.index(group)
    position = np.arange(pools.docs.size) - np.repeat(pools.offsets[:-1], pools.sizes)
    counted = position < (np.inf if k is None else k)
    weights = members.weights * counted[:, None]
    sums = group_sums(weights, pools)
    labelled = sums.sum(axis=1)
    per_query = np.full(labelled.size, np.nan)
    np.divide(100 * sums[:, column], labelled, out=per_query, where=labelled > 0)
    defined = per_query[labelled > 0]
    with_label = members.weights.sum(axis=1) > 0
    return StereotypeShare(
        system=ranked.system,
        k=k,
        group=group,
        share=float(defined.mean()) if defined.size else float("nan"),
        interval=bootstrap_interval(per_query, rng=np.random.default_rng(seed)),
        collection=_share(members.corpus, column),
        n_queries=defined.size,
        n_undefined=per_query.size - defined.size,
        n_documents=int((counted & with_label).sum()),
        n_unlabelled=int((counted & ~with_label).sum()),
        query_ids=pools.query_ids,
        per_query=per_query,
    )


def _share(corpus: FloatArray, column: int) -> float:
    total = float(corpus.sum())
    return 100 * float(corpus[column]) / total if total > 0 else float("nan")
