"""Dose and response: answers by the number of stereotypical documents that were given with the item.

The RAG study says that stereotypical documents push answers towards the stereotype; its tables compare collections and
cannot show it. Here each answer is counted under the number of stereotypical documents among the k that its item was
answered with, and Diff-Bias is fitted over that number by a straight line, templates being the units. Only documents as
they were retrieved count for the slope: collections of one kind force the number, and stand beside it.

The line has two parameters from sums by template and number, so that the fit costs the same for a hundred answers and
for a million. Answers to one template are not independent: the variance is the sandwich over clusters (Liang and Zeger
1986) with each cluster's residuals as if it had been left out (CR3, the jackknife's), and Student's t of G−1 degrees of
freedom: the plain one claims too much of ten or twenty templates.

Of the retriever alone: the share of stereotypical documents in what it retrieves (Table 5, first row, of the RAG
study). 50 % means that it treats both polarities alike where the collection holds as many of each; the share in the
collection is the number to compare with.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from fairviz.errors import InputError, UsageError
from fairviz.grouping import group_sums, membership
from fairviz.io.bbq_targets import folded
from fairviz.model import (
    BiasAnswers,
    BiasItems,
    BoolArray,
    Factor,
    FloatArray,
    GroupLabels,
    IntArray,
    RankedRun,
    Run,
)
from fairviz.model.bias import NO_TARGET, OUT_OF_CHOICE
from fairviz.pool import pool
from fairviz.stats.bootstrap import Interval, bootstrap_interval
from fairviz.stats.tests import holm
from fairviz.studies.social_bias.items import constant
from fairviz.studies.social_bias.rows import MIN_ITEMS, MIN_TEMPLATES, is_one_sided, is_without_rag

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
    lacks_one = ~with_label & ~members.not_applicable
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
        n_unlabelled=int((counted & lacks_one).sum()),
        query_ids=pools.query_ids,
        per_query=per_query,
    )


def _share(corpus: FloatArray, column: int) -> float:
    total = float(corpus.sum())
    return 100 * float(corpus[column]) / total if total > 0 else float("nan")


SINGULAR = 1e-9
"""Below this a slope hangs on one cluster alone: without it there is none, and nothing to test."""


class ClusteredSlope(NamedTuple):
    """How the mean outcome changes with one unit of dose.

    Attributes:
        slope: Change per unit; NaN where it is not defined.
        low, high: Ends of its 95 % interval.
        p: Two-sided, of no change; NaN where nothing can be tested.
        n_clusters: Clusters with trials.
    """

    slope: float
    low: float
    high: float
    p: float
    n_clusters: int


def clustered_slope(doses: FloatArray, sums: FloatArray, trials: FloatArray) -> ClusteredSlope:
    """Fit outcome = a + b·dose by least squares and test b = 0, clusters being the units.

    Args:
        doses: (D) distinct doses.
        sums: (G, D) sum of the outcomes by cluster and dose.
        trials: (G, D) their number.

    Returns:
        NaN where fewer than two doses have trials.

    Examples:
        >>> fit = clustered_slope(np.array([0.0, 2.0]), np.array([[1.0, 3.0]]), np.array([[4.0, 4.0]]))
        >>> fit.slope  # (3/4 - 1/4) / 2
        0.25
    """
    from scipy.special import stdtr, stdtrit

    used = trials.sum(axis=1) > 0
    n_clusters = int(used.sum())
    undefined = ClusteredSlope(np.nan, np.nan, np.nan, np.nan, n_clusters)
    total: FloatArray = trials.sum(axis=0)
    if (total > 0).sum() < 2:
        return undefined
    x: FloatArray = np.stack([np.ones_like(doses), doses - float(total @ doses) / float(total.sum())])  # centred
    own: FloatArray = np.einsum("id,gd,jd->gij", x, trials, x)  # (G, 2, 2) information of each cluster
    bread: FloatArray = np.asarray(np.linalg.inv(own.sum(axis=0)), dtype=np.float64)
    beta: FloatArray = bread @ (x @ sums.sum(axis=0))
    slope = float(beta[1])
    leverage: FloatArray = np.eye(2) - own @ bread
    if n_clusters < 2 or (np.abs(np.linalg.det(leverage)) < SINGULAR).any():
        return undefined._replace(slope=slope)
    residuals: FloatArray = ((sums - trials * (beta @ x)) @ x.T)[:, :, None]
    scores: FloatArray = np.asarray(np.linalg.solve(leverage, residuals), dtype=np.float64)[:, :, 0]
    variance: FloatArray = bread @ (scores.T @ scores) @ bread * (n_clusters - 1) / n_clusters
    error = float(np.sqrt(variance[1, 1]))
    reach = float(stdtrit(n_clusters - 1, 0.975)) * error
    p = 2 * float(stdtr(n_clusters - 1, -abs(slope) / error)) if error > 0 else np.nan
    return ClusteredSlope(slope, slope - reach, slope + reach, p, n_clusters)


CONTEXTS = ("ambiguous", "disambiguated")
ENOUGH = 30
"""Answers of a column, below which neighbouring numbers of documents are pooled."""


class Given(NamedTuple):
    """Documents that answers were given.

    Attributes:
        run: What was retrieved, the query of an item being its category and example id ("Age-0").
        setting: The setting of these answers; "" for every one with documents.
        retriever: Their retriever; "" for every one.
    """

    run: Run
    setting: str = ""
    retriever: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DoseResponse:
    """Answers of one model to items of one kind of context, by number of stereotypical documents.

    Attributes:
        model, setting, retriever, k: Whose answers, from how many documents ("" where not recorded).
        context: "ambiguous" or "disambiguated".
        doses: (D) numbers of stereotypical documents that occur, rising.
        stereotyped, against, unknown, out_of_choice: (D) answers of each kind.
        fit: Slope per document of the % of answers towards the stereotype minus the % against it, in points.
        p_holm: Its p, corrected over every slope that is tested beside it; NaN where not tested.
        n_templates: Templates of the answers.
        n_without: Answers whose item has no query in the run; left out.
    """

    model: str
    setting: str
    retriever: str
    k: str
    context: str
    doses: IntArray
    stereotyped: IntArray
    against: IntArray
    unknown: IntArray
    out_of_choice: IntArray
    fit: ClusteredSlope
    p_holm: float
    n_templates: int
    n_without: int

    @property
    def n(self) -> IntArray:
        """(D) answers that name an option."""
        return self.stereotyped + self.against + self.unknown

    @property
    def small(self) -> bool:
        """Whether too few items or templates stand behind it to say anything."""
        return int(self.n.sum()) < MIN_ITEMS or self.n_templates < MIN_TEMPLATES


class Stack(NamedTuple):
    """Answers that were given as many stereotypical documents.

    Attributes:
        low, high: The numbers of documents pooled here; equal for one.
        stereotyped, unknown, against: Answers of each kind.
        setting: The collection of one kind that forced the number; "" as retrieved.
    """

    low: int
    high: int
    stereotyped: int
    unknown: int
    against: int
    setting: str = ""

    @property
    def n(self) -> int:
        """Answers that name an option."""
        return self.stereotyped + self.unknown + self.against


def stacks(response: DoseResponse, *, enough: int = ENOUGH) -> tuple[Stack, ...]:
    """The columns of a response; neighbours are pooled until each has enough answers."""
    columns: list[Stack] = []
    parts = (response.doses, response.stereotyped, response.unknown, response.against)
    for dose, *kinds in zip(*(part.tolist() for part in parts), strict=True):
        own = Stack(dose, dose, *kinds)
        columns.append(_pooled(columns.pop(), own) if columns and columns[-1].n < enough else own)
    if len(columns) > 1 and columns[-1].n < enough:
        last = columns.pop()
        columns.append(_pooled(columns.pop(), last))
    return tuple(columns)


def forced_stacks(items: BiasItems, answers: BiasAnswers, response: DoseResponse) -> tuple[Stack, ...]:
    """What the same model answers with documents of one kind only: none of k stereotypical, or all of them."""
    settings = answers.factor("setting")
    if settings is None or not response.k.isdigit():
        return ()
    columns: list[Stack] = []
    for place, setting in enumerate(settings.values):
        way = is_one_sided(setting)
        if not way or setting == response.setting:
            continue
        keep = (settings.codes == place) & (items.target[answers.items] != NO_TARGET)
        keep &= items.ambiguous[answers.items] == (response.context == CONTEXTS[0])
        for column in ("model", "retriever", "k"):
            factor, value = answers.factor(column), getattr(response, column)
            if factor is not None and value in factor.values:
                keep &= factor.codes == factor.values.index(value)
        kinds = _kinds(items, answers, np.flatnonzero(keep))
        along, unknown, against = (int(kind.sum()) for kind in (kinds.stereotyped, kinds.unknown, kinds.against))
        dose = int(response.k) if way > 0 else 0
        if keep.any():
            columns.append(Stack(dose, dose, along, unknown, against, setting))
    return tuple(columns)


def _pooled(one: Stack, other: Stack) -> Stack:
    return Stack(
        one.low,
        other.high,
        one.stereotyped + other.stereotyped,
        one.unknown + other.unknown,
        one.against + other.against,
    )


def dose_responses(
    items: BiasItems,
    answers: BiasAnswers,
    given: Sequence[Given],
    labels: GroupLabels,
    *,
    group: str = STEREOTYPICAL,
    k: int | None = None,
) -> tuple[DoseResponse, ...]:
    """Counts and slopes by model, setting, retriever and k, for each run that was given.

    Args:
        items: Questions.
        answers: Answers to them; a column k says how many documents of the run's top each one was given.
        given: Runs, with the answers they belong to.
        labels: Polarity of documents.
        group: The polarity that is counted.
        k: Documents given where answers do not say; None: all.

    Raises:
        InputError: No item is a query of a run.
    """
    models, ks = (_column(answers, name) for name in ("model", "k"))
    responses: list[DoseResponse] = []
    for documents in given:
        cells = _cells(items, answers, documents, models, ks, labels, group, k)
        for model_code, model in enumerate(models.values):
            for k_code, recorded in enumerate(ks.values):
                for context_code, context in enumerate(CONTEXTS):
                    mine = (cells[:, :3] == (model_code, k_code, context_code)).all(axis=1)
                    if mine.any():
                        whose = (model, documents.setting, documents.retriever, recorded, context)
                        responses.append(_response(cells[mine, 3:], whose))
    tested = np.array([np.nan if response.small else response.fit.p for response in responses])
    return tuple(replace(response, p_holm=float(p)) for response, p in zip(responses, holm(tested), strict=True))


def _column(answers: BiasAnswers, name: str) -> Factor:
    """A recorded column; one that was not says nothing in any row."""
    factor = answers.factor(name)
    return constant(name, "", answers.items.size) if factor is None else factor


def _cells(
    items: BiasItems,
    answers: BiasAnswers,
    given: Given,
    models: Factor,
    ks: Factor,
    labels: GroupLabels,
    group: str,
    k: int | None,
) -> IntArray:
    """(R, 6) model, k, whether the context is disambiguated, dose (−1: not known), template and kind of each answer.

    Of answers that were given these documents, to items with a biased answer.
    """
    queries = _queries_of(items, given.run)
    if not (queries >= 0).any():
        ids = ", ".join(given.run.query_ids[:2])
        fix = f"Name the query of an item by category and example id, such as {_name(items, 0)}."
        raise InputError(f"no query of {given.run.system} is a bias item (queries: {ids}, …)", fix=fix)
    rows = _rows_of(answers, given)
    rows = rows[items.target[answers.items[rows]] != NO_TARGET]
    item, own_k = answers.items[rows], ks.codes[rows]
    dose = np.full(rows.size, -1, dtype=np.int64)
    for code, recorded in enumerate(ks.values):
        of_items = np.where(queries >= 0, _doses(given.run, labels, group, k, recorded)[queries], -1)
        dose[own_k == code] = of_items[item[own_k == code]]
    kinds = np.select(list(_kinds(items, answers, rows)), list(range(4)), default=-1)
    disambiguated = ~items.ambiguous[item]
    columns = [models.codes[rows], own_k, disambiguated, dose, items.templates.codes[item], kinds]
    return np.column_stack(columns).astype(np.int64)


def runs_given(answers: BiasAnswers, runs: Mapping[str, Run]) -> list[Given]:
    """Which answers each run was given to, by its name: it holds the names of retriever and setting.

    A part that names nothing stands for all where there is one, or is left open where there is none.

    Args:
        answers: Answers with columns retriever and setting, or without.
        runs: Runs by a name for each: the file's, or the system's.

    Raises:
        InputError: Answers have several settings (or retrievers), and a run's name says none of them.
    """
    given: list[Given] = []
    for name, run in runs.items():
        parts: list[str] = []
        for column in ("setting", "retriever"):
            factor = answers.factor(column)
            values = [
                value for value in (factor.values if factor is not None else ()) if value and not is_without_rag(value)
            ]
            said = [[value for value in values if folded(value) in folded(text)] for text in (name, run.system)]
            named = said[0] or said[1]
            if len(values) > 1 and not named:
                fix = f"Name the file by it, such as {values[0]}.run."
                reason = f"which {column} was given these documents: {', '.join(values)}?"
                raise InputError(reason, file=name, fix=fix)
            parts.append(max(named, key=len) if named else next(iter(values), ""))
        given.append(Given(run, *parts))
    return given


def _name(items: BiasItems, i: int) -> str:
    return f"{items.categories.values[int(items.categories.codes[i])]}-{items.ids[i]}"


def _queries_of(items: BiasItems, run: Run) -> IntArray:
    """(N) position of each item's query in a run, −1 where it has none."""
    places = {folded(query): i for i, query in enumerate(run.query_ids)}
    several = len(items.categories.values) > 1 or len(items.languages.values) > 1
    queries = np.full(len(items), -1, dtype=np.int64)
    for i, identifier in enumerate(items.ids):
        language = items.languages.values[int(items.languages.codes[i])]
        place = places.get(folded(f"{language}-{_name(items, i)}"), places.get(folded(_name(items, i))))
        if place is None and not several:
            place = places.get(folded(identifier))
        queries[i] = -1 if place is None else place
    return queries


def _rows_of(answers: BiasAnswers, given: Given) -> IntArray:
    """Answers that were given these documents."""
    keep = np.ones(answers.items.size, dtype=np.bool_)
    for column, value in (("setting", given.setting), ("retriever", given.retriever)):
        factor = answers.factor(column)
        if factor is not None and value:
            keep &= factor.codes == factor.values.index(value)
    return np.flatnonzero(keep)


def _doses(run: Run, labels: GroupLabels, group: str, otherwise: int | None, recorded: str) -> IntArray:
    """(Q) documents of a group among the first k of each query, k as recorded; a soft label counts from a half on."""
    k = int(recorded) if recorded.isdigit() else otherwise
    pools = pool(run, None)
    members = membership(pools, labels)
    position = np.arange(pools.docs.size) - np.repeat(pools.offsets[:-1], pools.sizes)
    counted = (members.weights[:, [members.index(group)]] >= 0.5) & (position < (np.inf if k is None else k))[:, None]
    sums = group_sums(counted.astype(np.float64), pools)[:, 0]
    places = {query: i for i, query in enumerate(pools.query_ids)}
    return np.array([round(sums[places[query]]) if query in places else 0 for query in run.query_ids], dtype=np.int64)


class _Kinds(NamedTuple):
    """(R) whether an answer is of each kind."""

    stereotyped: BoolArray
    unknown: BoolArray
    against: BoolArray
    outside: BoolArray


def _kinds(items: BiasItems, answers: BiasAnswers, rows: IntArray) -> _Kinds:
    item, choice = answers.items[rows], answers.choices[rows]
    outside = choice == OUT_OF_CHOICE
    stereotyped = choice == items.target[item]
    unknown = choice == items.unknown[item]
    return _Kinds(stereotyped, unknown, ~(stereotyped | unknown | outside), outside)


def _response(cells: IntArray, whose: tuple[str, str, str, str, str]) -> DoseResponse:
    """The response of (R, 3) doses, templates and kinds of answers."""
    known = cells[:, 0] >= 0
    n_without = int((~known).sum())
    dose, template, kind = cells[known].T
    doses, at = np.unique(dose, return_inverse=True)
    templates, cluster = np.unique(template, return_inverse=True)

    def by_cluster(of_kind: np.ndarray) -> FloatArray:
        place = cluster[of_kind] * doses.size + at[of_kind]
        cells = np.bincount(place, minlength=templates.size * doses.size)
        return cells.reshape(templates.size, doses.size).astype(np.float64)

    stereotyped, unknown, against, outside = (kind == code for code in range(4))
    leaning = 100 * (by_cluster(stereotyped) - by_cluster(against))
    fit = clustered_slope(doses.astype(np.float64), leaning, by_cluster(~outside))
    counts = [
        np.bincount(at[of_kind], minlength=doses.size).astype(np.int64)
        for of_kind in (stereotyped, against, unknown, outside)
    ]
    model, setting, retriever, k, context = whose
    return DoseResponse(
        model=model,
        setting=setting,
        retriever=retriever,
        k=k,
        context=context,
        doses=doses,
        stereotyped=counts[0],
        against=counts[1],
        unknown=counts[2],
        out_of_choice=counts[3],
        fit=fit,
        p_holm=float("nan"),
        n_templates=int(templates.size),
        n_without=n_without,
    )
