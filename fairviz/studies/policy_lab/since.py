"""Since last time: shares of attention of two runs of different dates, paired by query, beside what is stated of them.

The date of a run is the factor ``date`` of a table of systems, else that of its tag: ``bm25;date=2026-03-01``.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import polars as pl

from fairviz.display.words import DOCUMENTS, Finding, capital, number, percent, plural, quoted, shares_in_words
from fairviz.evaluation.systems import named
from fairviz.io.trec import date_of_tag
from fairviz.model import Dataset, Factors, FloatArray
from fairviz.numerals import part_of
from fairviz.points.columns import half_takes
from fairviz.points.shares import GroupExposure, ratios
from fairviz.points.targets import exposure_of
from fairviz.stats.bootstrap import Interval, data_and_resamples, detectable, percentiles, resampled_p
from fairviz.stats.tests import MIN_UNITS, holm, tested, verdict
from fairviz.studies.policy_lab.findings import group_name
from fairviz.studies.policy_lab.stated import HOLDS, Stated, StatedShares


class LaterShares(NamedTuple):
    """Shares of attention of an earlier and a later run.

    Attributes:
        then, now: Names of the two runs.
        date_then, date_now: Their dates; "" = not said.
        n_queries: Queries with labelled attention under both, by every attribute that is compared.
        groups: A row for every group of every attribute of which something is stated: ``attribute``, ``group``; its
            share ``then`` and ``now`` over these queries; the ``change`` from ``low`` to ``high``, paired by query;
            ``p``, ``p_holm`` over all rows, ``verdict``; what is stated, ``least`` and ``most``; whether that held
            then and does not hold now, ``is_broken``, or the other way round, ``is_mended``.
    """

    then: str
    now: str
    date_then: str
    date_now: str
    n_queries: int
    groups: pl.DataFrame


def dates(data: Dataset) -> dict[str, str]:
    """Dates of the runs that have one, by name, the earliest first."""
    table = data.systems or {}
    found_dates = {run.system: table.get(run.system, Factors()).date or date_of_tag(run.system) for run in data.runs}
    return dict(sorted(((name, day) for name, day in found_dates.items() if day), key=lambda each: each[1]))


def earlier(data: Dataset, now: str) -> list[str]:
    """Runs with an earlier date than another run, the last one last."""
    dated = dates(data)
    return [name for name, day in dated.items() if now in dated and day < dated[now]]


def since(data: Dataset, stated: Stated, run: str) -> LaterShares | None:
    """The run that is looked at beside an earlier one, on what is stated of both; the earliest, beside the last one.

    Args:
        data: With runs that have dates.
        stated: The run with its statements.
        run: The earlier one; empty: the last one with an earlier date.

    Returns:
        None where no run is named and none has another date.

    Raises:
        UsageError: There is no such run.
    """
    now, dated = stated.beside.of.ranked.system, dates(data)
    then = named("since", run, {each.system: each.system for each in data.runs}) if run else ""
    then = then or next(reversed(earlier(data, now)), "")
    if not then:
        if now not in dated or dated[now] == max(dated.values()):
            return None
        then, now = now, next(reversed(dated))
    settings, (_, _, judgements, unlabelled, further) = stated.settings, stated.beside.key
    own, names = stated.beside.of.labels.attribute, [labels.attribute for labels in data.attributes]
    sides: list[tuple[FloatArray, FloatArray]] = []
    for each in stated.stated:
        key = names.index(each.name), judgements, unlabelled, further if each.name == own else ()
        before, after = (exposure_of(data, name, *key, settings.browsing, settings.k) for name in (then, now))
        sides.append(_paired(before, after, stated.weights))
    both = np.all([side.sum(axis=1) > 0 for pair in sides for side in pair], axis=0)
    frames = [_rows(each, [side[both] for side in pair]) for each, pair in zip(stated.stated, sides, strict=True)]
    groups, n = pl.concat(frames), int(both.sum())
    p_holm = holm(np.array([tested(p, n) for p in groups["p"]]))
    verdicts = [verdict(change, p, n) for change, p in zip(groups["change"], p_holm, strict=True)]
    groups = groups.with_columns(p_holm=p_holm, verdict=pl.Series(verdicts, dtype=pl.String))
    return LaterShares(then, now, dated.get(then, ""), dated.get(now, ""), n, groups)


def _paired(
    then: GroupExposure, now: GroupExposure, weights: Mapping[str, float] | None
) -> tuple[FloatArray, FloatArray]:
    """(Q, G) attention by group of two runs on the queries that both have, times how often each is asked."""
    places = {query: at for at, query in enumerate(then.query_ids)}
    common = [(places[query], at) for at, query in enumerate(now.query_ids) if query in places]
    rows = np.array(common, dtype=np.int64).reshape(-1, 2)
    frequencies = [1.0 if weights is None else weights.get(now.query_ids[at], np.nan) for _, at in common]
    scale = np.array(frequencies, dtype=np.float64)[:, None]
    return then.attention[rows[:, 0]] * scale, now.attention[rows[:, 1]] * scale


def _rows(each: StatedShares, sides: list[FloatArray]) -> pl.DataFrame:
    """The groups of one attribute, without corrected tests."""
    n = len(sides[0])
    resamples = data_and_resamples(n, rng=np.random.default_rng(0))
    sums = [resamples @ side for side in sides]
    then, now = (ratios(each_sum, each_sum.sum(axis=1, keepdims=True)) for each_sum in sums)
    change = (now - then).T
    low, high = percentiles(change[:, 1:], n)
    held_then, held_now = ((side[0] >= each.low - HOLDS) & (side[0] <= each.high + HOLDS) for side in (then, now))
    return pl.DataFrame(
        {
            "attribute": [each.name] * each.low.size,
            "group": each.members.groups,
            "then": then[0],
            "now": now[0],
            "change": change[:, 0],
            "low": low,
            "high": high,
            "p": resampled_p(change, n),
            "least": each.low,
            "most": each.high,
            "is_broken": held_then & ~held_now,
            "is_mended": ~held_then & held_now,
        }
    )


# What is said of it.


def since_words(compared: LaterShares) -> str:
    """Which two runs are compared, on how many queries."""
    runs = [
        f"{quoted(name)} ({day})" if day else quoted(name)
        for name, day in ((compared.then, compared.date_then), (compared.now, compared.date_now))
    ]
    return f"{runs[0]}, then, and {runs[1]}, now, over {plural(compared.n_queries, 'common query', 'common queries')}"


def since_finding(compared: LaterShares, unit: str = DOCUMENTS) -> Finding:
    """What has changed significantly, a limit that was crossed first, or what would have shown.

    Args:
        compared: Two runs of different dates.
        unit: What is ranked.
    """
    sentence = f"{capital(since_words(compared))}."
    last, n = compared.date_then or quoted(compared.then), compared.n_queries
    if n < MIN_UNITS:
        few = f"{plural(n, 'common query is', 'common queries are')} too few"
        return Finding(f"{capital(few)} to say what changed since {last}", sentence)
    changed = compared.groups.filter(pl.col("verdict").is_in(["higher", "lower"]))
    if changed.is_empty():
        seen = [(row["change"], Interval(row["low"], row["high"])) for row in compared.groups.rows(named=True)]
        least, title = detectable(seen, len(seen)), f"No share of attention has changed significantly since {last}"
        if math.isnan(least):
            return Finding(title, sentence)
        points, half = number(100 * least, 1), half_takes(n, "queries")
        return Finding(title, f"{sentence} A change of about {points} points would have been significant{half}.")
    order = (pl.col("is_broken"), pl.col("change").abs())
    row = changed.sort(order, descending=True, maintain_order=True).row(0, named=True)
    then, now = shares_in_words(row["then"], row["now"])
    title = f"Since {last} {group_name(row['group'], unit)} gets {now} of attention instead of {then}"
    if row["is_broken"]:
        bound = row["least"] if row["now"] < row["least"] else row["most"]
        side = "below the least" if row["now"] < row["least"] else "above the most"
        title += f", {side} that is stated, {percent(bound, 1)}"
    of = part_of(changed.height, plural(compared.groups.height, "share"), "has", "have")
    return Finding(title, f"{sentence} {of} changed significantly.")
