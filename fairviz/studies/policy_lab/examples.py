"""One query before and after a re-ranking: which query stands for a setting, and what becomes of its list."""

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import numpy as np
import polars as pl

from fairviz.display.words import DOCUMENTS, Finding, count, count_word, number, percent, plural
from fairviz.kernels.grouping import Membership
from fairviz.model import FloatArray, IntArray
from fairviz.points.reranking import OF_SCORES
from fairviz.points.shares import attention_by_group, ratios
from fairviz.reranking.candidates import hard_codes
from fairviz.reranking.catalogue import find_reranker
from fairviz.studies.policy_lab.bench import NEARER, Bench
from fairviz.studies.policy_lab.findings import group_name
from fairviz.studies.policy_lab.stated import StatedOutcome
from fairviz.studies.policy_lab.strengths import Prices, mixtures, optimal_exposure


class BeforeAfter(NamedTuple):
    """One query's first k, before and after.

    Attributes:
        query_id: The query.
        k: Ranks that count.
        moves: A row per document that is in the first k of either list, by its best rank: ``doc_id``, ``title``, ranks
            ``before`` and ``after``, whether it is judged ``useful``, its ``group`` ("" = none), whether it ``entered``
            the first k, or ``left`` them, and in ``step`` how many ranks it climbed or fell, as a sign and a number.
        quality_before, quality_after: Of the query; NaN = undefined.
        words: What the list after is, where the query has several.
        judged: Whether there are judgements that say what is useful.
    """

    query_id: str
    k: int
    moves: pl.DataFrame
    quality_before: float = math.nan
    quality_after: float = math.nan
    words: str = ""
    judged: bool = True

    def side(self, name: Literal["before", "after"]) -> list[dict[str, Any]]:
        """The documents of one list, best first."""
        return self.moves.filter(pl.col(name) <= self.k).sort(name).rows(named=True)

    @property
    def entered(self) -> list[dict[str, Any]]:
        """Documents that enter the first k, best first."""
        return self.moves.filter("entered").sort("after").rows(named=True)

    @property
    def left(self) -> list[dict[str, Any]]:
        """Documents that leave them."""
        return self.moves.filter("left").sort("before").rows(named=True)

    def raises(self, group: str, weights: FloatArray) -> bool:
        """Whether the first k give a group more attention than before.

        Args:
            group: Which.
            weights: (k) attention of each rank.
        """
        before, after = (
            sum(weights[move[name] - 1] for move in self.side(name) if move["group"] == group)
            for name in ("before", "after")
        )
        return bool(after > before + 1e-9)


def before_after(
    query_id: str,
    docs: Sequence[str],
    order: Sequence[int],
    *,
    k: int,
    useful: Sequence[bool],
    judged: bool = True,
    groups: Sequence[str],
    titles: Mapping[str, str],
) -> BeforeAfter:
    """Compare two rankings of one query.

    Args:
        query_id: The query.
        docs: n documents as ranked today, best first.
        order: (n) their places as re-ranked, best first.
        k: Ranks that count.
        useful: (n) whether each is judged useful for the query.
        judged: Whether there are judgements at all.
        groups: (n) name of its group; "" = none: unlabelled, or the attribute does not apply.
        titles: Passages by document id, which may begin with a title.
    """
    after = np.empty(len(docs), dtype=np.int64)
    after[np.asarray(order, dtype=np.int64)] = np.arange(1, len(docs) + 1)
    moves = pl.DataFrame(
        {
            "doc_id": docs,
            "title": [title_of(doc, titles) for doc in docs],
            "before": np.arange(1, len(docs) + 1),
            "after": after,
            "useful": useful,
            "group": groups,
        },
        schema_overrides={"doc_id": pl.String, "title": pl.String, "useful": pl.Boolean, "group": pl.String},
    )
    before, now = pl.col("before"), pl.col("after")
    climbed = before - now
    moves = moves.with_columns(
        entered=(before > k) & (now <= k),
        left=(before <= k) & (now > k),
        step=pl.when(climbed > 0)
        .then(pl.format("▲{}", climbed))
        .when(climbed < 0)
        .then(pl.format("▼{}", -climbed))
        .otherwise(pl.lit("")),
    )
    best = pl.min_horizontal("before", "after")
    shown = moves.filter(best <= k).sort(best, "entered", "before", maintain_order=True)
    return BeforeAfter(query_id, k, shown, judged=judged)


LONGEST_TITLE = 150
"""Characters of a first line that can be a title."""
NO_TITLES: Mapping[str, str] = MappingProxyType({})


def title_of(doc_id: str, passages: Mapping[str, str]) -> str:
    r"""What a document is called: the title that its passage begins with, else its id.

    Examples:
        >>> title_of("d1", {"d1": "A head-back myth\nDo not tilt it."}), title_of("d2", {"d2": "No title."})
        ('A head-back myth', 'd2')
    """
    first, _, rest = passages.get(doc_id, "").partition("\n")
    return first if rest and 0 < len(first) <= LONGEST_TITLE else doc_id


def compared_lists(
    prices: Prices, method: str, strength: float, query: str, titles: Mapping[str, str] = NO_TITLES
) -> BeforeAfter:
    """One query's list today and the one that stands for a setting, with titles that passages begin with."""
    bench, at, point = prices.bench, prices.bench.pools.query_ids.index(query), prices.point(method, strength)
    order, words = example_order(prices, method, strength, at)
    after = math.nan if point is None else float(point.qualities[at])
    lists = _two_lists(bench, bench.members, at, order, titles, judged=prices.stated.qrels is not None)
    return lists._replace(quality_before=float(prices.today.qualities[at]), quality_after=after, words=words)


def _two_lists(
    bench: Bench, members: Membership, query: int, order: IntArray, titles: Mapping[str, str], *, judged: bool
) -> BeforeAfter:
    """One query's list today and in another order, by the groups of an attribute."""
    pools, rows, names = bench.pools, bench.rows(query), (*members.groups, "")
    docs: list[int] = pools.docs[rows].tolist()
    codes: list[int] = hard_codes(members.weights[rows]).tolist()
    return before_after(
        pools.query_ids[query],
        [pools.doc_ids[doc] for doc in docs],
        order.tolist(),
        k=bench.settings.k,
        useful=(pools.gains[rows] > 0).tolist(),
        judged=judged,
        groups=[names[code] for code in codes],  # −1, unlabelled, is the last
        titles=titles,
    )


def example_order(prices: Prices, method: str, strength: float, query: int) -> tuple[IntArray, str]:
    """The list to look at: a re-ranker's own, a lottery's likeliest, else by expected attention.

    Args:
        prices: The run.
        method: Which re-ranker.
        strength: Its strength.
        query: Index of the query in the pools.

    Returns:
        (n) positions of the candidates, best first, and what that list is, in words.
    """
    bench, seed = prices.bench, prices.settings.seed
    if method in OF_SCORES:
        policy = bench.plackett_luce(strength)
        optimal = method == "optimal"
        exposure = optimal_exposure(bench, strength) if optimal else policy.exposure(bench.pools, bench.attention)
        order = np.argsort(-exposure[bench.rows(query)], kind="stable")
        return order, "Each visit shows one of many lists at random; these are its documents by expected attention."
    mixture = mixtures(find_reranker(method), bench, strength, seed=seed, queries=[query])[query]
    best, n = int(np.argmax(mixture.chances)), mixture.chances.size
    words = "Every visit shows this list."
    if prices.is_random(method, strength):
        words = f"Each visit shows another list at random; this is one of them (seed {seed})."
    elif n > 1:
        chance = percent(float(mixture.chances[best]))
        words = f"This query has {count(n)} lists, shown at random; this one {chance} of the time."
    return mixture.orders[best], words


MOVED = 0.01
"""Share of the attention of a query that a group must gain there, for the query to be an example of it."""
LOOKED_AT = 20
"""Such queries whose lists are looked at."""


def example_query(prices: Prices, method: str, strength: float) -> str:
    """A query in which the raised group gains attention: not the one that shows most, but the one of the median gain.

    The raised group is the one whose share of all queries together rises most. A query whose list, as it is shown, does
    not give it more attention is passed over for the next nearest to the median; empty where there is none.

    Args:
        prices: What was tried.
        method: Of the setting.
        strength: Of the setting.
    """
    setting = prices.tried(method).filter(pl.col("strength") == strength)
    point, bench, reranker = prices.point(method, strength), prices.bench, find_reranker(method)
    gains = np.zeros(1) if point is None else np.nan_to_num(setting["gains"].to_numpy()[0])
    raised = int(np.argmax(gains))
    if point is None or not gains[raised] > NEARER:
        return ""
    group, weights = bench.members.groups[raised], bench.attention.weights(bench.settings.k)
    gained = np.where(bench.pools.n_retrieved > 0, (point.shares - prices.today.shares)[:, raised], 0.0)
    drawn = reranker.random and reranker.order is not None  # looking at one of its lists would draw all of them again
    queries = (bench.pools.query_ids[at] for at in _typical(gained)[:LOOKED_AT])
    return next((q for q in queries if drawn or compared_lists(prices, method, strength, q).raises(group, weights)), "")


def _typical(gained: FloatArray) -> list[int]:
    """Queries in which a group gains attention, the one of the median gain first, those next to it after it."""
    gained = np.nan_to_num(gained)
    gaining = np.flatnonzero(gained > MOVED)
    median = np.quantile(gained[gaining], 0.5, method="lower") if gaining.size else 0.0
    return gaining[np.argsort(np.abs(gained[gaining] - median), kind="stable")].tolist()


def stated_example(outcome: StatedOutcome, titles: Mapping[str, str] = NO_TITLES) -> tuple[BeforeAfter | None, str]:
    """A query in which the raised group gains attention under the statements: the one of the median gain.

    The raised group is the one whose share rises most of those that move. A query whose likeliest list does not give it
    more attention is passed over for the next nearest to the median.

    Args:
        outcome: What holding the statements does.
        titles: Passages by document id, which may begin with a title.

    Returns:
        Its likeliest list beside today's, and the rule that it was chosen by; None where there is none.
    """
    rising = outcome.groups.filter("is_stated", pl.col("word") == "moves", pl.col("change") > 0)
    if outcome.statements.is_empty() or rising.is_empty():
        return None, "No group gains attention for certain, so there is no example."
    row, stated = rising.sort("change", descending=True, maintain_order=True).row(0, named=True), outcome.stated
    bench, policy, name = stated.bench, stated.policy(), group_name(row["group"], outcome.unit)
    each = next(each for each in stated.attributes if each.name == row["attribute"])
    exposure = stated.lists(policy, fixed=outcome.fixed)(bench.attention)
    after = attention_by_group(exposure, bench.pools, each.members)
    shares = [ratios(side, side.sum(axis=1, keepdims=True))[stated.queries, row["at"]] for side in (each.today, after)]
    order, weights = _typical(shares[1] - shares[0]), bench.attention.weights(bench.settings.k)
    for at in order[:LOOKED_AT]:
        mixture, query, change = policy.mixtures[at], int(stated.queries[at]), float(outcome.queries["change"][at])
        lists = _two_lists(bench, each.members, query, mixture.orders[0], titles, judged=stated.qrels is not None)
        if not lists.raises(row["group"], weights):
            continue
        n = 1 if outcome.fixed else mixture.chances.size
        words = "Every visit shows this list."
        if n > 1:
            words = f"One of {count(n)} lists, shown in {percent(float(mixture.chances[0]))} of visits."
        before = float(stated.today.qualities[query])
        lists = lists._replace(quality_before=before, quality_after=before + change, words=words)
        of = f"Of {plural(len(order), 'query', 'queries')} in which {name} gains attention"
        near = "" if at == order[0] else ", or next to it, whose list shows it"
        return lists, "" if stated.is_census else f"{of}, the one of the median gain{near}."
    return None, f"No list gives {name} more attention, so there is no example."


# What is said of it.


def _how_many(n: int) -> str:
    return count_word(n) if n else "none"


def before_after_finding(lists: BeforeAfter, quality: str, unit: str = DOCUMENTS) -> Finding:
    """How many documents of one query are replaced, how many are useful before and after, what becomes of its quality.

    Args:
        lists: The query.
        quality: Name of the quality measure.
        unit: What is ranked.
    """
    sentence = f"Its quality ({quality}): {number(lists.quality_before, 2)} → {number(lists.quality_after, 2)}."
    if math.isnan(lists.quality_before) or math.isnan(lists.quality_after):
        sentence = f"Its quality ({quality}) is undefined: nothing is judged useful."
    first, n = f"the first {count_word(lists.k)}", len(lists.entered)
    if not n:
        n_moved = lists.moves.filter(pl.col("before") != pl.col("after")).height
        moves = f"{count_word(n_moved)} {'moves' if n_moved == 1 else 'move'}" if n_moved else "none moves"
        return Finding(f"One search: {first} stay the same {unit}; {moves}", sentence)
    title = f"One search: {count_word(n)} of {first} {unit} {'is' if n == 1 else 'are'} replaced"
    if lists.judged:
        before, after = (sum(move["useful"] for move in lists.side(side)) for side in ("before", "after"))
        were, are = "was" if before == 1 else "were", "is" if after == 1 else "are"
        title += f"; {_how_many(before)} {were} useful, {_how_many(after)} {are}"
    return Finding(title, sentence)
