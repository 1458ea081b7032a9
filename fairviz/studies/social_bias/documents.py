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

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from fairviz.errors import InputError
from fairviz.io.bbq_targets import folded
from fairviz.kernels.grouping import Membership, group_sums, membership
from fairviz.kernels.pool import pool
from fairviz.model import BiasItems, FloatArray, GroupLabels, IntArray, Pools, Run
from fairviz.model.arrays import ratio, segment_places
from fairviz.stats.bootstrap import bootstrap_interval
from fairviz.stats.tests import holm
from fairviz.studies.social_bias.answers import names_of
from fairviz.studies.social_bias.labels import is_one_sided, is_without_rag
from fairviz.studies.social_bias.measures import AMBIGUOUS, NO_CONTEXT, OUT, C, S, U
from fairviz.studies.social_bias.rows import MIN_ITEMS, MIN_TEMPLATES, Row

STEREOTYPICAL = "stereo"
"""Name of the group of stereotypical documents in a collection with polarities."""


def stereotype_share(
    run: Run, labels: GroupLabels, *, k: int | None = None, group: str = STEREOTYPICAL, seed: int = 0
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
    pools, members, position = _documents_of(run, labels)
    counted = position < (np.inf if k is None else k)
    column = members.index(group)
    weights = members.weights * counted[:, None]
    sums = group_sums(weights, pools)
    labelled = sums.sum(axis=1)
    per_query = ratio(100 * sums[:, column], labelled)
    defined = per_query[labelled > 0]
    with_label = members.weights.sum(axis=1) > 0
    lacks_one = ~with_label & ~members.not_applicable
    low, high = bootstrap_interval(per_query, rng=np.random.default_rng(seed))
    return {
        "system": run.system,
        "k": k,
        "stereo_documents": float(defined.mean()) if defined.size else math.nan,
        "low": low,
        "high": high,
        "collection": float(ratio(100 * members.corpus[column], members.corpus.sum())),
        "n_queries": defined.size,
        "n_undefined": per_query.size - defined.size,
        "n_documents": int((counted & with_label).sum()),
        "n_unlabelled": int((counted & lacks_one).sum()),
    }


def _documents_of(run: Run, labels: GroupLabels) -> tuple[Pools, Membership, IntArray]:
    """Documents of a run by query, their labels, and (M) the position of each in the list of its query."""
    pools = pool(run, None)
    return pools, membership(pools, labels), segment_places(pools.offsets)


SINGULAR = 1e-9
"""Below this a slope hangs on one cluster alone: without it there is none, and nothing to test."""


def clustered_slope(doses: FloatArray, sums: FloatArray, trials: FloatArray) -> dict[str, float]:
    """Fit outcome = a + b·dose by least squares and test b = 0, clusters being the units.

    Args:
        doses: (D) distinct doses.
        sums: (G, D) sum of the outcomes by cluster and dose.
        trials: (G, D) their number.

    Returns:
        ``slope``, the change per unit of dose; ``low`` and ``high``, ends of its 95 % interval; ``p``, two-sided, of no
        change. NaN where fewer than two doses have trials, and all but the slope where nothing can be tested.

    Examples:
        >>> fit = clustered_slope(np.array([0.0, 2.0]), np.array([[1.0, 3.0]]), np.array([[4.0, 4.0]]))
        >>> fit["slope"]  # (3/4 - 1/4) / 2
        0.25
    """
    from scipy.special import stdtr, stdtrit

    undefined: dict[str, float] = dict.fromkeys(("slope", "low", "high", "p"), math.nan)
    n_clusters = int((trials.sum(axis=1) > 0).sum())
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
        return undefined | {"slope": slope}
    residuals: FloatArray = ((sums - trials * (beta @ x)) @ x.T)[:, :, None]
    scores: FloatArray = np.asarray(np.linalg.solve(leverage, residuals), dtype=np.float64)[:, :, 0]
    variance: FloatArray = bread @ (scores.T @ scores) @ bread * (n_clusters - 1) / n_clusters
    error = float(np.sqrt(variance[1, 1]))
    reach = float(stdtrit(n_clusters - 1, 0.975)) * error
    p = 2 * float(stdtr(n_clusters - 1, -abs(slope) / error)) if error > 0 else math.nan
    return {"slope": slope, "low": slope - reach, "high": slope + reach, "p": p}


CONTEXTS = ("ambiguous", "disambiguated")
ENOUGH = 30
"""Answers of a column, below which neighbouring numbers of documents are pooled."""


def stacks(doses: pl.DataFrame, forced: pl.DataFrame, *, enough: int = ENOUGH) -> pl.DataFrame:
    """The columns of one response, in the order of their numbers of documents, what was forced outermost.

    Args:
        doses: Its counts, a row per number.
        forced: What collections of one kind made of the same answers (:func:`forced_stacks`).
        enough: Answers of a column, below which neighbouring numbers are pooled.

    Returns:
        A row per column: ``low`` and ``high``, the numbers of documents pooled there; answers of each kind, ``n`` of
        those that name an option; ``setting``, the collection of one kind that forced the number, "" as retrieved.
    """
    places: list[int] = []
    index, n_pooled = -1, enough
    for n in doses["n"]:
        if n_pooled >= enough:
            index, n_pooled = index + 1, 0
        n_pooled += n
        places.append(index)
    last = index - (n_pooled < enough and index > 0)
    of_column = pl.Series("place", places, dtype=pl.Int64).clip(upper_bound=last)
    pooled = doses.group_by(of_column, maintain_order=True).agg(
        pl.col("n_stereo").first().alias("low"), pl.col("n_stereo").last().alias("high"), pl.col(*_COUNTED).sum()
    )
    every = pl.concat([pooled.drop("place").with_columns(setting=pl.lit("")), forced])
    return every.sort(pl.col("low") + pl.col("high"), pl.col("setting") != "", maintain_order=True)


def forced_stacks(answers: pl.DataFrame, response: Row) -> pl.DataFrame:
    """What the same model answers with documents of one kind only: none of k stereotypical, or all of them.

    Returns:
        Columns of :func:`stacks`.
    """
    settings = names_of(answers, "setting") if response["k"].isdigit() else []
    one_sided = {setting: is_one_sided(setting) for setting in settings if setting != response["setting"]}
    dose = {setting: int(response["k"]) if way > 0 else 0 for setting, way in one_sided.items() if way}
    own = [pl.col("context") != NO_CONTEXT, (pl.col("context") == AMBIGUOUS) == (response["context"] == CONTEXTS[0])]
    own += [
        pl.col(column) == response[column]
        for column in ("model", "retriever", "k")
        if response[column] in names_of(answers, column)
    ]
    setting = pl.col("setting") if settings else pl.lit("")
    own.append(setting.cast(pl.String).is_in(list(dose)))
    counted = answers.filter(*own).group_by(setting=setting).agg(**_COUNTED).sort("setting")
    number = pl.Series([dose[setting] for setting in counted["setting"]], dtype=pl.Int64)
    return counted.select(number.alias("low"), number.alias("high"), *_COUNTED, pl.col("setting").cast(pl.String))


_COUNTED = {
    "n": (pl.col("kind") != OUT).sum().cast(pl.Int64),
    **{
        f"n_{name}": (pl.col("kind") == kind).sum().cast(pl.Int64)
        for name, kind in (("stereotyped", S), ("against", C), ("unknown", U), ("ooc", OUT))
    },
}
"""Answers that name an option, and those of each kind, by the columns that say so."""


def dose_responses(
    items: BiasItems,
    answers: pl.DataFrame,
    runs: Mapping[str, Run],
    labels: GroupLabels,
    *,
    group: str = STEREOTYPICAL,
    k: int | None = None,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Counts and slopes by model, setting, retriever and k, for each run that was given.

    Args:
        items: Questions.
        answers: Answers to them; a column k says how many documents of the run's top each one was given.
        runs: Runs by a name for each, which says whom they were given to (:func:`runs_given`); the query of an item is
            called by its category and example id ("Age-0").
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
        InputError: No item is a query of a run, a run's name says too little, or no answer was given any of them.
    """
    of_runs = zip(runs.values(), runs_given(answers, runs), strict=True)
    cells = pl.concat(
        _cells(items, answers, run, whose, labels, group, k).with_columns(run=pl.lit(index))
        for index, (run, whose) in enumerate(of_runs)
    )
    if cells.is_empty():
        names = ", ".join(run.system for run in runs.values())
        raise InputError(f"no answer that is looked at was given these documents ({names})")
    matched = cells.filter(pl.col("n_stereo") >= 0)
    doses = matched.group_by("run", *WHOSE, "n_stereo").agg(pl.col(*_COUNTED).sum()).sort("run", *_ORDER, "n_stereo")
    slopes = [_slope(own) for own in cells.sort("run", *_ORDER).partition_by("run", *WHOSE, maintain_order=True)]
    tested = np.array([np.nan if row["small"] else row["p"] for row in slopes])
    p_holm = pl.Series(holm(tested), dtype=pl.Float64)
    return doses.drop("run"), pl.DataFrame(slopes).with_columns(p_holm=p_holm)


WHOSE = ("model", "setting", "retriever", "k", "context")
"""Whose answers, from which documents, to which kind of question."""
_ORDER = ("model", "k", "context")


def _cells(
    items: BiasItems,
    answers: pl.DataFrame,
    run: Run,
    whose: tuple[str, str],
    labels: GroupLabels,
    group: str,
    k: int | None,
) -> pl.DataFrame:
    """Answers that were given the documents of a run, to items with a biased option, counted.

    By whose they are, the number of stereotypical documents (−1: not known) and template.
    """
    pools, members, position = _documents_of(run, labels)
    queries = _queries_of(items, pools.query_ids)
    if queries.null_count() == len(items):
        ids = ", ".join(run.query_ids[:2])
        name: str = "{}-{}".format(*items.frame.select("category", "id").row(0))
        fix = f"Name the query of an item by category and example id, such as {name}."
        raise InputError(f"no query of {run.system} is a bias item (queries: {ids}, …)", fix=fix)
    setting, retriever = whose
    own = [pl.col("context") != NO_CONTEXT]
    for column, value in (("setting", setting), ("retriever", retriever)):
        if column in answers.columns and value:
            own.append(pl.col(column) == value)
    nothing = pl.lit("", dtype=pl.Enum([""]))
    part = answers.filter(*own).with_columns(
        **{name: nothing for name in ("model", "k") if name not in answers.columns},
        setting=pl.lit(setting),
        retriever=pl.lit(retriever),
        context=pl.when(pl.col("context") == AMBIGUOUS).then(pl.lit(CONTEXTS[0])).otherwise(pl.lit(CONTEXTS[1])),
        query=pl.lit(queries).gather(pl.col("item")),
    )
    documents = pl.DataFrame(
        {
            "query": np.repeat(np.arange(len(pools.query_ids)), pools.sizes),
            "position": position,
            "n_stereo": members.weights[:, members.index(group)] >= 0.5,
        }
    )
    depths = {value: int(value) if value.isdigit() else k for value in names_of(part, "k")}
    counts = [
        documents.filter(pl.lit(True) if depth is None else pl.col("position") < depth)
        .group_by("query")
        .agg(pl.lit(value, dtype=part.schema["k"]).alias("k"), pl.col("n_stereo").sum().cast(pl.Int64))
        for value, depth in depths.items()
    ]
    part = part.join(pl.concat(counts), on=["query", "k"], how="left")
    n_stereo = pl.when(pl.col("query").is_null()).then(-1).otherwise(pl.col("n_stereo").fill_null(0))
    return part.group_by(*WHOSE, n_stereo=n_stereo, template="template").agg(**_COUNTED)


def _slope(cells: pl.DataFrame) -> dict[str, Any]:
    """What one more stereotypical document goes with, from the cells of one response."""
    matched = cells.filter(pl.col("n_stereo") >= 0)
    doses, at = np.unique(matched["n_stereo"].to_numpy(), return_inverse=True)
    templates, cluster = np.unique(matched["template"].to_physical().to_numpy(), return_inverse=True)
    leaning, trials = np.zeros((2, templates.size, doses.size))
    np.add.at(leaning, (cluster, at), 100 * (matched["n_stereotyped"] - matched["n_against"]).to_numpy())
    np.add.at(trials, (cluster, at), matched["n"].to_numpy())
    fit = clustered_slope(doses.astype(np.float64), leaning, trials)
    n = int(matched["n"].sum())
    return {
        **{name: cells[name][0] for name in WHOSE},
        **fit,
        "n": n,
        "n_templates": templates.size,
        "n_without": int((cells["n"] + cells["n_ooc"]).filter(cells["n_stereo"] < 0).sum()),
        "small": n < MIN_ITEMS or templates.size < MIN_TEMPLATES,
    }


def runs_given(answers: pl.DataFrame, runs: Mapping[str, Run]) -> list[tuple[str, str]]:
    """Setting and retriever of the answers that each run was given to: its name holds theirs.

    A name that says none is of the only one there is, or of the only setting that is no collection of one kind; where
    nothing is recorded it is left open.

    Args:
        answers: Answers with columns retriever and setting, or without.
        runs: Runs by a name for each: the file's, or the system's.

    Raises:
        InputError: Answers have several settings (or retrievers), and a run's name says none of them.
    """
    recorded = {name: names_of(answers, name) for name in ("setting", "retriever")}
    whose: list[tuple[str, str]] = []
    for name, run in runs.items():
        parts: dict[str, str] = {}
        for column, every in recorded.items():
            values = [value for value in every if value and not is_without_rag(value)]
            named = [[value for value in values if folded(value) in folded(text)] for text in (name, run.system)]
            mixed = [value for value in values if not is_one_sided(value)]
            own = named[0] or named[1] or (mixed if len(mixed) == 1 else values)
            if len(own) > 1 and not (named[0] or named[1]):
                fix = f"Name the file by it, such as {values[0]}.run."
                reason = f"which {column} was given these documents: {', '.join(values)}?"
                raise InputError(reason, file=name, fix=fix)
            parts[column] = max(own, key=len, default="")
        whose.append((parts["setting"], parts["retriever"]))
    return whose


def _queries_of(items: BiasItems, query_ids: Sequence[str]) -> pl.Series:
    """(N) position of each item's query, null where it has none."""
    places = {folded(query): i for i, query in enumerate(query_ids)}
    several = len(items.names("category")) > 1 or len(items.names("language")) > 1

    def query_of(language: str, category: str, name: str) -> int | None:
        names = (f"{language}-{category}-{name}", f"{category}-{name}", *([] if several else [name]))
        return next((places[query] for query in map(folded, names) if query in places), None)

    rows = items.frame.select("language", "category", "id").iter_rows()
    return pl.Series([query_of(*row) for row in rows], dtype=pl.Int64)
