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
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from fairviz.errors import InputError
from fairviz.io.bbq_targets import folded
from fairviz.kernels.grouping import Membership, group_sums, membership
from fairviz.kernels.pool import pool
from fairviz.model import BiasItems, BoolArray, FloatArray, GroupLabels, IntArray, Pools, Run
from fairviz.model.arrays import ratio
from fairviz.stats.bootstrap import bootstrap_interval
from fairviz.stats.tests import holm
from fairviz.studies.social_bias.answers import names_of, values_in
from fairviz.studies.social_bias.labels import is_one_sided, is_without_rag
from fairviz.studies.social_bias.measures import AMBIGUOUS, NO_CONTEXT, OUT, C, S, U
from fairviz.studies.social_bias.rows import MIN_ITEMS, MIN_TEMPLATES, Row

STEREOTYPICAL = "stereo"
"""Name of the group of stereotypical documents in a collection with polarities."""


def stereotype_share(
    run: Run,
    labels: GroupLabels,
    *,
    k: int | None = None,
    group: str = STEREOTYPICAL,
    seed: int = 0,
) -> dict[str, Any]:
    """Per query the share of a polarity among the labelled documents of the first k, then the mean.

    Args:
        run: What was retrieved.
        labels: Polarity of documents; a soft label counts in part.
        k: Documents per query; None: all.
        group: The polarity to count.
        seed: Of the interval's resamples.

    Returns:
        A row: ``stereo_documents`` in percent (NaN where no query has a labelled document), its 95 % bootstrap over
        queries, the share in the whole ``collection``, the queries with a labelled document and those without, the
        labelled documents counted and those without a label, which count for nothing.
    """
    pools, members, counted = _first_of(run, labels, k)
    column = members.index(group)
    weights = members.weights * counted[:, None]
    sums = group_sums(weights, pools)
    labelled = sums.sum(axis=1)
    per_query = np.full(labelled.size, np.nan)
    np.divide(100 * sums[:, column], labelled, out=per_query, where=labelled > 0)
    defined = per_query[labelled > 0]
    with_label = members.weights.sum(axis=1) > 0
    lacks_one = ~with_label & ~members.not_applicable
    low, high = bootstrap_interval(per_query, rng=np.random.default_rng(seed))
    return {
        "system": run.system,
        "k": k,
        "stereo_documents": float(defined.mean()) if defined.size else float("nan"),
        "low": low,
        "high": high,
        "collection": float(ratio(100 * members.corpus[column], members.corpus.sum())),
        "n_queries": defined.size,
        "n_undefined": per_query.size - defined.size,
        "n_documents": int((counted & with_label).sum()),
        "n_unlabelled": int((counted & lacks_one).sum()),
    }


def _first_of(run: Run, labels: GroupLabels, k: int | None) -> tuple[Pools, Membership, BoolArray]:
    """Documents of a run by query, their labels, and (M) whether each is among the first k of its query."""
    pools = pool(run, None)
    position = np.arange(pools.docs.size) - np.repeat(pools.offsets[:-1], pools.sizes)
    return pools, membership(pools, labels), position < (np.inf if k is None else k)


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


def stacks(doses: pl.DataFrame, *, enough: int = ENOUGH) -> tuple[Stack, ...]:
    """The columns of one response; neighbours are pooled until each has enough answers."""
    columns: list[Stack] = []
    for dose, *kinds in doses.select("n_stereo", "n_stereotyped", "n_unknown", "n_against").iter_rows():
        own = Stack(dose, dose, *kinds)
        columns.append(_pooled(columns.pop(), own) if columns and columns[-1].n < enough else own)
    if len(columns) > 1 and columns[-1].n < enough:
        last = columns.pop()
        columns.append(_pooled(columns.pop(), last))
    return tuple(columns)


def forced_stacks(answers: pl.DataFrame, response: Row) -> tuple[Stack, ...]:
    """What the same model answers with documents of one kind only: none of k stereotypical, or all of them."""
    if "setting" not in answers.columns or not response["k"].isdigit():
        return ()
    own = [pl.col("context") != NO_CONTEXT, (pl.col("context") == AMBIGUOUS) == (response["context"] == CONTEXTS[0])]
    own += [
        pl.col(column) == response[column]
        for column in ("model", "retriever", "k")
        if column in answers.columns and response[column] in names_of(answers, column)
    ]
    columns: list[Stack] = []
    for setting in names_of(answers, "setting"):
        way = is_one_sided(setting)
        kinds = answers.filter(*own, pl.col("setting") == setting)["kind"]
        if way and setting != response["setting"] and len(kinds):
            along, unknown, against = (int((kinds == kind).sum()) for kind in (S, U, C))
            dose = int(response["k"]) if way > 0 else 0
            columns.append(Stack(dose, dose, along, unknown, against, setting))
    return tuple(columns)


def _pooled(one: Stack, other: Stack) -> Stack:
    kinds = {kind: getattr(one, kind) + getattr(other, kind) for kind in ("stereotyped", "unknown", "against")}
    return one._replace(high=other.high, **kinds)


def dose_responses(
    items: BiasItems,
    answers: pl.DataFrame,
    given: Sequence[Given],
    labels: GroupLabels,
    *,
    group: str = STEREOTYPICAL,
    k: int | None = None,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Counts and slopes by model, setting, retriever and k, for each run that was given.

    Args:
        items: Questions.
        answers: Answers to them; a column k says how many documents of the run's top each one was given.
        given: Runs, with the answers they belong to.
        labels: Polarity of documents.
        group: The polarity that is counted.
        k: Documents given where answers do not say; None: all.

    Returns:
        A row per response (:data:`WHOSE`, "" where not recorded) and number of stereotypical documents: answers of each
        kind, ``n`` of those that name an option. A row per response: ``slope`` per document of the % of answers towards
        the stereotype minus the % against it, in points, with interval, p, and Holm's over every slope that is tested
        beside it; ``n_without`` answers whose item has no query in the run, left out; ``small``: too few items or
        templates to say anything.

    Raises:
        InputError: No item is a query of a run.
    """
    cells = pl.concat(
        _cells(items, answers, documents, labels, group, k).with_columns(run=pl.lit(place))
        for place, documents in enumerate(given)
    )
    known = cells.filter(pl.col("n_stereo") >= 0)
    doses = known.group_by("run", *WHOSE, "n_stereo").agg(pl.col(_COUNTS).sum()).sort("run", *_ORDER, "n_stereo")
    slopes = [_slope(own) for own in cells.sort("run", *_ORDER).partition_by("run", *WHOSE, maintain_order=True)]
    tested = np.array([np.nan if row["small"] else row["p"] for row in slopes])
    p_holm = pl.Series(holm(tested), dtype=pl.Float64)
    return doses.drop("run"), pl.DataFrame(slopes).with_columns(p_holm=p_holm)


WHOSE = ("model", "setting", "retriever", "k", "context")
"""Whose answers, from which documents, to which kind of question."""
_ORDER = ("model", "k", "context")
_COUNTS = ("n", "n_stereotyped", "n_against", "n_unknown", "n_ooc")


def _cells(
    items: BiasItems, answers: pl.DataFrame, given: Given, labels: GroupLabels, group: str, k: int | None
) -> pl.DataFrame:
    """Answers that were given these documents, to items with a biased option, counted.

    By whose they are, the number of stereotypical documents (−1: not known) and template.
    """
    queries = _queries_of(items, given.run)
    if not (queries >= 0).any():
        ids = ", ".join(given.run.query_ids[:2])
        fix = f"Name the query of an item by category and example id, such as {_name(items, 0)}."
        raise InputError(f"no query of {given.run.system} is a bias item (queries: {ids}, …)", fix=fix)
    own = [pl.col("context") != NO_CONTEXT]
    for column, value in (("setting", given.setting), ("retriever", given.retriever)):
        if column in answers.columns and value:
            own.append(pl.col(column) == value)
    nothing = pl.lit("", dtype=pl.Enum([""]))
    part = answers.filter(*own).with_columns(
        **{name: nothing for name in ("model", "k") if name not in answers.columns},
        setting=pl.lit(given.setting),
        retriever=pl.lit(given.retriever),
        context=pl.when(pl.col("context") == AMBIGUOUS).then(pl.lit(CONTEXTS[0])).otherwise(pl.lit(CONTEXTS[1])),
    )
    item, recorded = part["item"].to_numpy(), part["k"]
    n_stereo = np.full(len(part), -1, dtype=np.int64)
    for value in recorded.unique():
        of_items = np.where(queries >= 0, _doses(given.run, labels, group, k, value)[queries], -1)
        rows = (recorded == value).to_numpy()
        n_stereo[rows] = of_items[item[rows]]
    kind = pl.col("kind")
    counted = {
        "n": kind != OUT,
        **{"n_stereotyped": kind == S, "n_against": kind == C, "n_unknown": kind == U, "n_ooc": kind == OUT},
    }
    cells = part.with_columns(n_stereo=pl.Series(n_stereo)).group_by(*WHOSE, "n_stereo", "template")
    return cells.agg(**{name: of_kind.sum().cast(pl.Int64) for name, of_kind in counted.items()})


def _slope(cells: pl.DataFrame) -> dict[str, Any]:
    """What one more stereotypical document goes with, from the cells of one response."""
    known = cells.filter(pl.col("n_stereo") >= 0)
    doses, at = np.unique(known["n_stereo"].to_numpy(), return_inverse=True)
    templates, cluster = np.unique(known["template"].to_physical().to_numpy(), return_inverse=True)
    leaning, trials = np.zeros((2, templates.size, doses.size))
    np.add.at(leaning, (cluster, at), 100 * (known["n_stereotyped"] - known["n_against"]).to_numpy())
    np.add.at(trials, (cluster, at), known["n"].to_numpy())
    fit = clustered_slope(doses.astype(np.float64), leaning, trials)
    n = int(known["n"].sum())
    return {
        **{name: cells[name][0] for name in WHOSE},
        **{"slope": fit.slope, "low": fit.low, "high": fit.high, "p": fit.p, "p_holm": float("nan")},
        **{"n": n, "n_templates": templates.size},
        "n_without": int((cells["n"] + cells["n_ooc"]).filter(cells["n_stereo"] < 0).sum()),
        "small": n < MIN_ITEMS or templates.size < MIN_TEMPLATES,
    }


def runs_given(answers: pl.DataFrame, runs: Mapping[str, Run]) -> list[Given]:
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
            every = values_in(answers, column) if column in answers.columns else ()
            values = [value for value in every if value and not is_without_rag(value)]
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
    return "{}-{}".format(*items.frame.select("category", "id").row(i))


def _queries_of(items: BiasItems, run: Run) -> IntArray:
    """(N) position of each item's query in a run, −1 where it has none."""
    places = {folded(query): i for i, query in enumerate(run.query_ids)}
    several = len(items.names("category")) > 1 or len(items.names("language")) > 1
    queries = np.full(len(items), -1, dtype=np.int64)
    for i, (language, category, name) in enumerate(items.frame.select("language", "category", "id").iter_rows()):
        names = (f"{language}-{category}-{name}", f"{category}-{name}", *([] if several else [name]))
        queries[i] = next((places[query] for query in map(folded, names) if query in places), -1)
    return queries


def _doses(run: Run, labels: GroupLabels, group: str, otherwise: int | None, recorded: str) -> IntArray:
    """(Q) documents of a group among the first k of each query, k as recorded; a soft label counts from a half on."""
    k = int(recorded) if recorded.isdigit() else otherwise
    pools, members, counted = _first_of(run, labels, k)
    of_group = (members.weights[:, members.index(group)] >= 0.5) & counted
    sums = group_sums(of_group.astype(np.float64)[:, None], pools)[:, 0]
    places = {query: i for i, query in enumerate(pools.query_ids)}
    return np.array([round(sums[places[query]]) if query in places else 0 for query in run.query_ids], dtype=np.int64)
