"""Whose documents a generator is given, and whose its answers cite: shares by group and week.

A share is counted over answers, as a log records them: a question that is asked more often counts for more. Answers to
one question move together, so that questions are what intervals are over (:func:`corrected_intervals`). Where documents
are called by their web addresses, their domain is an attribute like any other.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple
from urllib.parse import urlsplit

import numpy as np
import polars as pl

from fairviz.kernels.attribution import Attribution
from fairviz.kernels.grouping import Membership, membership
from fairviz.kernels.pool import RankedLists, pool, ranked_lists
from fairviz.model import BoolArray, Dataset, FloatArray, GroupLabels, Pools
from fairviz.model.arrays import encoded, segment_ids
from fairviz.points.outputs import by_system
from fairviz.points.shares import GroupExposure, corrected_intervals
from fairviz.points.view import SYSTEM
from fairviz.remembered import remembered

DOMAIN = "domain"
MOST_DOMAINS = 50
"""Domains that are told apart, those whose documents are given most often; the others are one group."""
OTHER_DOMAINS = "other domains"
EVERY_WEEK = "all"
"""The week of a row that is about all answers, dated or not."""
SOURCES: Mapping[str, type[pl.DataType]] = {
    "place": pl.Int64,
    **dict.fromkeys(("name", *SYSTEM, "lists", "attribute", "week", "group"), pl.String),
    **{f"{part}{end}": pl.Float64 for part in ("given", "cited") for end in ("", "_low", "_high", "_unlabelled")},
    **dict.fromkeys(("n_queries", "n_citing", "n_answers"), pl.Int64),
}
"""Columns of :func:`source_rows`."""


class SourceShares(NamedTuple):
    """Documents given and cited, by group, in the answers of one week or of all.

    Attributes:
        attribute: Whose groups.
        week: As ISO 8601 has it, 2026-W09, or :data:`EVERY_WEEK`.
        given: Documents given to the generator, over answers to each query; None where it is known from references
            that hold only what was cited.
        cited: Those of them that answers cite.
        n_answers: Answers of the week.
    """

    attribute: str
    week: str
    given: GroupExposure | None
    cited: GroupExposure
    n_answers: int


def domain_of(doc_id: str) -> str:
    """The domain of a document that is called by its web address, without ``www.``; empty where it is not.

    Examples:
        >>> domain_of("https://www.Example.org/a?b#c"), domain_of("msmarco_v2.1_doc_01_5")
        ('example.org', '')
    """
    if not doc_id.lower().startswith(("http://", "https://")):
        return ""
    try:
        return (urlsplit(doc_id).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


def week_of(day: str) -> str:
    """The week of a day, as ISO 8601 numbers them.

    Examples:
        >>> week_of("2026-03-01"), week_of("2027-01-01"), week_of("")
        ('2026-W09', '2026-W53', '')
    """
    if not day:
        return ""
    year, week, _ = date.fromisoformat(day).isocalendar()
    return f"{year}-W{week:02}"


@remembered
def source_attributes(data: Dataset, domain: str = "") -> tuple[GroupLabels, ...]:
    """The attributes of the data, and the domain where documents of outputs are called by their web addresses.

    Labels of an attribute ``domain`` that were loaded stand in its place.

    Args:
        data: Labels and outputs.
        domain: One that is told apart whether or not its documents are given.
    """
    if any(labels.attribute == DOMAIN for labels in data.attributes):
        return data.attributes
    times_given: dict[str, int] = {}
    for outputs in data.outputs:
        counts = np.bincount(outputs.given, minlength=len(outputs.doc_ids))
        for doc, n in zip(outputs.doc_ids, counts.tolist(), strict=True):
            times_given[doc] = times_given.get(doc, 0) + n
    domains = {doc: name for doc in times_given if (name := domain_of(doc))}
    if not domains:
        return data.attributes
    of_domain: dict[str, int] = {}
    for doc, name in domains.items():
        of_domain[name] = of_domain.get(name, 0) + times_given[doc]
    apart = {domain, *sorted(of_domain, key=lambda name: -of_domain[name])[:MOST_DOMAINS]}
    groups = encoded(pl.Series([name if name in apart else OTHER_DOMAINS for name in domains.values()]))
    names = (*groups.values, *({domain} - {"", *groups.values}))
    from scipy.sparse import csr_array  # a tenth of a second, for labels alone

    n = len(domains)
    weights = csr_array((np.ones(n), groups.codes, np.arange(n + 1)), shape=(n, len(names)))
    made = GroupLabels(attribute=DOMAIN, groups=names, doc_ids=tuple(domains), weights=weights)
    return (*data.attributes, made)


def source_shares(matches: Attribution, labels: GroupLabels, weeks: Sequence[str] = ()) -> list[SourceShares]:
    """Documents given and cited by group: of all answers, then week by week.

    Args:
        matches: What answers were given, and what they cite of it.
        labels: Groups of the documents.
        weeks: (O) the week of each answer, empty where it is not known; () where none is.
    """
    pools = pool(matches.given, None)
    members = membership(pools, labels)
    lists, cited_lists = (ranked_lists(sample, pools) for sample in (matches.given, matches.attributed))
    of_answer = np.array(weeks or [""] * matches.n_given.size, dtype=np.str_)
    rows: list[SourceShares] = []
    for week in (EVERY_WEEK, *sorted(set(of_answer.tolist()) - {""})):
        counted = np.full(of_answer.size, True) if week == EVERY_WEEK else of_answer == week
        contexts = None if matches.only_cited else _counts(lists, counted, pools, members)
        citations = _counts(cited_lists, counted, pools, members)
        n_answers = int((counted & (matches.n_given > 0)).sum())
        rows.append(SourceShares(labels.attribute, week, contexts, citations, n_answers))
    return rows


def _counts(ranked: RankedLists, counted: BoolArray, pools: Pools, members: Membership) -> GroupExposure:
    """Documents of each group and query in the lists of some answers, each list counting alike.

    Queries without a document in these lists are left out: they say nothing, and a week has few of all.
    """
    times = np.bincount(ranked.rows[counted[segment_ids(ranked.offsets)]], minlength=pools.docs.size)
    rows = np.flatnonzero(times)
    queries, query_of_row = np.unique(segment_ids(pools.offsets)[rows], return_inverse=True)
    by_group, unlabelled = np.zeros((queries.size, len(members.groups))), np.zeros(queries.size)
    np.add.at(by_group, query_of_row, members.weights[rows] * times[rows, None])
    np.add.at(unlabelled, query_of_row, members.unlabelled[rows] * times[rows])
    query_ids = tuple(pools.query_ids[query] for query in queries.tolist())
    return counted_documents(members.groups, query_ids, by_group, unlabelled)


def counted_documents(
    groups: tuple[str, ...], query_ids: tuple[str, ...], by_group: FloatArray, unlabelled: FloatArray
) -> GroupExposure:
    """Documents that all count alike, whatever their rank.

    Args:
        groups: G names.
        query_ids: Q queries.
        by_group: (Q, G) documents of each group, over all answers to a query.
        unlabelled: (Q) documents without a label.
    """
    return GroupExposure(
        groups=groups,
        query_ids=query_ids,
        attention=by_group,
        unlabelled=unlabelled,
        places=by_group,
        unlabelled_places=unlabelled,
        candidates=by_group,
        unlabelled_candidates=unlabelled,
    )


def source_rows(data: Dataset, points: pl.DataFrame, matches: Mapping[int, Attribution]) -> pl.DataFrame:
    """Shares of documents given and cited: a row per system and setting, attribute, week and group.

    Args:
        data: Labels, and outputs with their dates.
        points: Measured outputs.
        matches: What they were given and cite, by place.

    Returns:
        The columns of :data:`SOURCES`: shares of labelled documents with 95 % intervals over queries, null below ten
        queries; the share of documents without a label (``_unlabelled``); ``n_queries`` with a labelled document given,
        ``n_citing`` with one cited, and ``n_answers``. Groups stand by their share of what is given in all weeks.
    """
    settings = by_system(points).unique("place", keep="first", maintain_order=True)
    rows: list[dict[str, object]] = []
    for setting in settings.select("place", "name", *SYSTEM, "lists").to_dicts():
        index = int(setting["place"])
        weeks = [week_of(day) for day in data.outputs[index].dates]
        for labels in source_attributes(data):
            shares = source_shares(matches[index], labels, weeks)
            first = shares[0].given or shares[0].cited
            order = np.argsort(-first.attention.sum(axis=0), kind="stable").tolist()
            rows += [{**setting, **cells} for of_week in shares for cells in _cells(of_week, order)]
    return pl.DataFrame(rows, schema=SOURCES).with_columns(pl.col(pl.Float64).fill_nan(None))


def _cells(shares: SourceShares, order: Sequence[int]) -> list[dict[str, object]]:
    """The cells of each group."""
    about = {"attribute": shares.attribute, "week": shares.week, "n_answers": shares.n_answers, "n_queries": None}
    rows: list[dict[str, object]] = [{**about, "group": shares.cited.groups[group]} for group in order]
    for part, count, exposure in (("given", "n_queries", shares.given), ("cited", "n_citing", shares.cited)):
        if exposure is None:
            continue
        ends, _ = corrected_intervals(exposure, n_tests=1)
        for row, group in zip(rows, order, strict=True):
            row |= {part: exposure.shares[group], f"{part}_unlabelled": exposure.unlabelled_share}
            row[count] = exposure.n_labelled
            if not exposure.is_few:
                row |= {f"{part}_low": ends.low[group], f"{part}_high": ends.high[group]}
    return rows
