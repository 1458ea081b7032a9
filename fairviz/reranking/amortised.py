r"""Targets over all queries together: the most useful policy whose shares of all attention are as stated, exactly.

A statement bounds the share that a group gets of all labelled attention, whichever queries it comes from. With weights
w_q of the queries, S_g = Σ_q w_q m_g·ε_q the attention of group g and B_A = Σ_q w_q l_A·ε_q that on what has a label of
attribute A, the policy solves

    max Σ_q w_q u_q·ε_q   so that   lo_g B_A − S_g ≤ x_g,   S_g − hi_g B_A ≤ y_g,   Σ_g x_g ≤ δ B_A,   Σ_g y_g ≤ δ B_A

with x, y ≥ 0 and the sums over the groups of one attribute. What has to move until every statement of an attribute
holds is the larger of Σ x and Σ y, so that δ = 0 holds all statements and a larger δ lets each attribute miss them by
that share of its attention. The utility over δ is the frontier.

Only these rows couple the queries. At prices μ of the rows each query is a sort by u_q − Σ_c μ_c r_c, and what the
sorted lists are worth at these prices bounds the utility of every policy from above (Lagrange). That bound is convex in
μ and, with many queries, nearly smooth, so that a quasi-Newton method (Byrd, Lu, Nocedal & Zhu 1995) comes close to its
lowest point in some dozens of sorts. A linear program over the rankings met there gives chances and new prices, at
which further rankings enter until utility and bound meet (column generation: Dantzig & Wolfe 1960). Its solution is
basic: at most as many queries as there are statements keep a lottery, all others have one list.

Biega, Gummadi & Weikum (SIGIR 2018) spread attention over a sequence of rankings by an integer program for each next
one; Do et al. (NeurIPS 2021) maximise the welfare of items and users over all rankings by Frank–Wolfe. Neither bounds
the shares of groups.
"""

from collections import deque
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, cast

import numpy as np

from fairviz.model import BoolArray, FloatArray, IntArray, Mixture
from fairviz.model.arrays import segment_ids, segment_sums
from fairviz.reranking.candidates import check_program, completed

CLOSE = 1e-10
"""Part of the utility by which bound and policy may differ where the search ends."""
GAINS = 1e-12
"""What a ranking must gain to enter, per query of mean weight."""
GRANTED = 1e-11
"""Share of attention that is granted beyond the smallest distance, where rounding alone could make it unreachable."""
MISSED = 1e-9
"""Distance below which statements hold."""
DEAR = 1e4
"""Utility, in units of the whole, that missing the statements by all attention costs where that is not forbidden."""
DEAREST = 100.0
"""Largest price that the search for prices tries."""
MOST_SORTS = 60
"""Sorts of all queries that the search for prices may take; it commonly takes 20 to 40."""
LAST = 12
"""Of these sorts, those whose rankings the linear program begins with."""
ENOUGH = 1e-9
"""Part of the bound by which a step must lower it for the search to go on; the linear program does the rest."""
MOST_RANKINGS = 4
"""Rankings per query up to which the linear program keeps all; beyond, it keeps the half that gains most."""
MOST_ROUNDS = 200
"""Far more rounds than were ever needed: rounding must not turn into an endless loop."""
USED = 1e-10
"""Chance below which a ranking is rounding."""


class Statements(NamedTuple):
    """What is stated of the shares of G groups.

    Attributes:
        attributes: (G) number of the attribute that each group belongs to.
        low: (G) least share of the labelled attention of its attribute; 0 states nothing.
        high: (G) largest share; 1 states nothing, the least share itself makes it exact.
    """

    attributes: IntArray
    low: FloatArray
    high: FloatArray

    @classmethod
    def of(cls, *bounds: tuple[FloatArray, FloatArray]) -> "Statements":
        """Least and largest shares of the groups of each attribute."""
        low, high = (np.concatenate(side) for side in zip(*bounds, strict=True))
        return cls(np.repeat(np.arange(len(bounds)), [least.size for least, _ in bounds]), low, high)

    def shares(self, attention: FloatArray) -> FloatArray:
        """(G) shares of (G) labelled attention, each of that of its attribute; NaN for one without any."""
        bases = np.bincount(self.attributes, attention)[self.attributes]
        return np.divide(attention, bases, out=np.full(bases.size, np.nan), where=bases > 0)

    def distance(self, shares: FloatArray) -> float:
        """Share of attention that would have to move to other groups until all statements hold.

        Of several attributes the largest: one move can serve them all.

        Args:
            shares: (G) share of each group; NaN for an attribute without labelled attention, which misses nothing.

        Examples:
            At least 40 % for the first group, which lacks 15 points; the second is free.

            >>> stated = Statements(np.zeros(2, dtype=int), np.array([0.4, 0.0]), np.ones(2))
            >>> round(stated.distance(np.array([0.25, 0.75])), 12)
            0.15
        """
        return float(self.distances(shares).max(initial=0.0))

    def distances(self, shares: FloatArray) -> FloatArray:
        """(A) the distance of each attribute."""
        lacking = np.nan_to_num(np.maximum(self.low - shares, 0.0))
        beyond = np.nan_to_num(np.maximum(shares - self.high, 0.0))
        return np.maximum(np.bincount(self.attributes, lacking), np.bincount(self.attributes, beyond))


class AmortisedPolicy(NamedTuple):
    """The most useful policy under statements about all queries together.

    Attributes:
        mixtures: A lottery per query, the likeliest ranking first; all but as many queries as there are statements
            have one ranking.
        utility: Σ_q w_q u_q·ε_q.
        bound: What no policy that holds the statements as closely exceeds.
        shares: (G) share of labelled attention; NaN for an attribute without.
        distance: Share of attention that would have to move until all statements hold.
        smallest_distance: Where they cannot hold within the slack, the least distance that any policy reaches, which
            this policy has; else NaN.
        prices: (G) utility that a statement costs per unit of share: positive for one that holds a share up, negative
            for one that holds it down, 0 where it costs nothing.
        holding_back: (G) where the statements cannot hold, those that together forbid it.
    """

    mixtures: tuple[Mixture, ...]
    utility: float
    bound: float
    shares: FloatArray
    distance: float
    smallest_distance: float
    prices: FloatArray
    holding_back: BoolArray

    @property
    def gap(self) -> float:
        """Utility that a better policy might have at most."""
        return max(0.0, self.bound - self.utility)

    @property
    def n_lotteries(self) -> int:
        """Queries whose list is drawn from several."""
        return sum(mixture.chances.size > 1 for mixture in self.mixtures)


def amortised(
    utility: FloatArray,
    membership: FloatArray,
    offsets: IntArray,
    attention: FloatArray,
    statements: Statements,
    *,
    weights: FloatArray | None = None,
    slack: float = 0.0,
) -> AmortisedPolicy:
    """The most useful policy for all queries whose groups get the stated shares of all attention.

    Args:
        utility: (M) usefulness of every item, of any sign.
        membership: (M, G) weight of each item in the groups of all attributes, side by side; a row of zeros among those
            of an attribute is in no base of its shares.
        offsets: (Q+1) items of each query, in the order of the run, which ties keep.
        attention: Attention at ranks 1, 2, …, falling; 0 after its end.
        statements: What holds of each group.
        weights: (Q) how often each query is asked, above 0; None: alike.
        slack: Share of attention by which the statements of each attribute may be missed, δ.

    Returns:
        The policy, with the bound that proves it: utility misses the bound by at most 1e-9 of itself. Of statements
        that no policy holds within the slack, those of the attribute that is furthest off are missed by as little as
        any policy can, then those of the next one.

    Raises:
        ValueError: An argument has a wrong shape, is not finite or out of its range.

    Examples:
        Two queries, the useful item of each in the first group. Half of all attention for the second group takes one of
        two lists turned around, not a lottery for each.

        >>> policy = amortised(
        ...     np.array([1.0, 0.2, 1.0, 0.5]),
        ...     np.eye(2)[[0, 1, 0, 1]],
        ...     np.array([0, 2, 4]),
        ...     np.array([1.0, 0.5]),
        ...     Statements(np.zeros(2, dtype=int), np.array([0.0, 0.5]), np.ones(2)),
        ... )
        >>> [mixture.orders.tolist() for mixture in policy.mixtures], round(policy.utility, 9)
        ([[[0, 1]], [[1, 0]]], 2.1)
    """
    low, high = statements.low, statements.high
    if not utility.size:
        raise ValueError("at least one item is needed")
    if membership.shape != (utility.size, low.size) or not statements.attributes.shape == low.shape == high.shape:
        raise ValueError(f"membership: a row per item and a column per statement is needed, got {membership.shape}")
    if offsets[0] != 0 or offsets[-1] != utility.size or (np.diff(offsets) < 0).any():
        raise ValueError(f"offsets must rise from 0 to {utility.size}")
    check_program(utility, membership, attention, slack)
    if not ((low >= 0) & (low <= high) & (high <= 1)).all():
        raise ValueError("statements: 0 <= low <= high <= 1 is needed")
    if weights is not None and not (weights.shape == (offsets.size - 1,) and (weights > 0).all()):
        raise ValueError("weights: one above 0 per query is needed")
    program = _program(utility, membership, offsets, attention, statements, weights)
    columns = program.first(slack)
    solved = program.solve(columns, program.slacks(slack), dear=DEAR)
    smallest, holding_back = np.nan, np.zeros(low.size, dtype=np.bool_)
    least = program.slacks(np.nan)
    is_off = program.distance(solved, least) > slack + MISSED
    while program.distance(solved, least) > slack + MISSED:
        distance, solved = program.nearest(solved, least)
        if distance <= slack + MISSED:
            break
        smallest = np.fmax(smallest, distance)
        holding_back |= program.by_group(solved.prices) > USED
        furthest = program.bounded[solved.pressures > USED]
        least[furthest] = np.fmax(least[furthest], distance + GRANTED)
    if is_off:
        solved = program.solve(solved.rankings, np.where(np.isnan(least), slack, least), dear=None)
    return program.policy(solved, smallest, holding_back)


def of_best(usefulness: FloatArray, offsets: IntArray, attention: FloatArray) -> FloatArray:
    """Usefulness of items such that the best list of each query has the utility 1: nDCG, where attention is DCG's.

    Args:
        usefulness: (M) at least 0; a query of zeros stays one.
        offsets: (Q+1) items of each query.
        attention: Attention at ranks 1, 2, ….

    Examples:
        >>> of_best(np.array([3.0, 1.0, 0.0]), np.array([0, 2, 3]), np.array([1.0, 0.5]))
        array([0.85714286, 0.28571429, 0.        ])
    """
    queries = segment_ids(offsets)
    order = np.lexsort((-usefulness, queries))
    ranks = np.arange(usefulness.size) - offsets[queries]
    seen = np.append(attention, 0.0)[np.minimum(ranks, attention.size)]
    best = segment_sums(usefulness[order] * seen, offsets)
    return usefulness / np.where(best > 0, best, 1.0)[queries]


class _Rankings(NamedTuple):
    """Rankings of queries and what each brings.

    Attributes:
        queries: (N) whose they are.
        items: (N, k) items that get attention, best first; M beyond the end of a list.
        gained: (N) utility.
        spent: (N, C + A) what each spends of the C rows, then the labelled attention of each attribute.
    """

    queries: IntArray
    items: IntArray
    gained: FloatArray
    spent: FloatArray

    def at(self, rows: IntArray | BoolArray) -> "_Rankings":
        """Some of them, by their places or a mask."""
        return _Rankings(self.queries[rows], self.items[rows], self.gained[rows], self.spent[rows])

    def joined(self, *others: "_Rankings") -> "_Rankings":
        """Statements of both, each once."""
        every = _Rankings(*map(np.concatenate, zip(self, *others, strict=True)))
        _, first = np.unique(np.column_stack([every.queries, every.items]), axis=0, return_index=True)
        return every.at(first)


class _Solution(NamedTuple):
    """Chances of rankings, and the prices at which no ranking gains.

    Attributes:
        rankings: N rankings.
        chances: (N) of each; they sum to 1 within a query.
        prices: (C) of the rows.
        pressures: (S) prices of the bound rows.
        missed: What the bound rows are exceeded by, per unit of attention.
        utility: Of the rankings with these chances.
        bound: Of the utility of any policy.
    """

    rankings: _Rankings
    chances: FloatArray
    prices: FloatArray
    pressures: FloatArray
    missed: float
    utility: float
    bound: float


@dataclass(frozen=True, kw_only=True, eq=False)  # no slots: cached properties live in __dict__
class _Program:
    """All queries as one program, scaled so that a query of mean weight has attention 1 and, at best, utility 1.

    Attributes:
        offsets: (Q+1) items of each query.
        items: (Q, n) items of each query; M beyond its last.
        attention: (k) attention by rank, summing to 1.
        utility: (M+1) weighted usefulness; 0 for no item.
        features: (M+1, C+A) what each item's attention spends of the rows, and the label that it has of each attribute.
        groups: (C) group that each row is about; rows of one attribute and side stand together.
        sides: (C) 1 for a row of a least share, −1 for one of a largest.
        starts: (S) first row of each attribute and side.
        bounded: (S) the attribute.
        statements: What is stated.
        membership: (M, G) weighted membership.
        unit: Utility of which the program's is a multiple.
    """

    offsets: IntArray
    items: IntArray
    attention: FloatArray
    utility: FloatArray
    features: FloatArray
    groups: IntArray
    sides: IntArray
    starts: IntArray
    bounded: IntArray
    statements: Statements
    membership: FloatArray
    unit: float

    @property
    def free(self) -> FloatArray:
        """(C+A) prices at which nothing costs anything."""
        n_features = int(self.features.shape[1])
        return np.zeros(n_features)

    @cached_property
    def bound_of(self) -> IntArray:
        """(C) bound row that each row counts in."""
        return np.repeat(np.arange(self.starts.size), np.diff(self.starts, append=self.groups.size))

    def ranked(self, prices: FloatArray, *, useful: bool = True) -> _Rankings:
        """The best ranking of every query at prices of the features: a sort, in which ties keep the order of the run.

        Args:
            prices: (C+A).
            useful: Whether utility counts; else prices alone.
        """
        worth: FloatArray = self.utility * useful - self.features @ prices
        worth[-1] = -np.inf
        queries = np.arange(len(self.items))
        order = np.argsort(-worth[self.items], axis=1, kind="stable")[:, : self.attention.size]
        items = np.take_along_axis(self.items, order, axis=1)
        return _Rankings(queries, items, self.utility[items] @ self.attention, self.attention @ self.features[items])

    def slacks(self, slack: float) -> FloatArray:
        """(A) the same slack for every attribute."""
        return np.full(self.features.shape[1] - self.groups.size, slack)

    def feature_prices(self, prices: FloatArray, pressures: FloatArray, slacks: FloatArray) -> FloatArray:
        """(C+A) what the rows cost, less what labelled attention brings by the slack that it gives the bound rows."""
        pressed = np.bincount(self.bounded, pressures, minlength=slacks.size).astype(np.float64)
        return np.concatenate([prices, -slacks * pressed])

    def first(self, slack: float) -> _Rankings:
        """The rankings of the last sorts on the way to the prices of the lowest bound."""
        last: deque[_Rankings] = deque([self.ranked(self.free)], maxlen=LAST)
        if self.groups.size:
            from scipy.optimize import minimize  # a third of a second, for this method alone

            def bound(prices: FloatArray) -> tuple[float, FloatArray]:
                pressures = np.maximum.reduceat(prices, self.starts)
                paid = self.feature_prices(prices, pressures, self.slacks(slack))
                best = self.ranked(paid)
                last.append(best)
                spent = best.spent.sum(axis=0)
                slope = -spent[: prices.size]
                dearest = [
                    start + int(part.argmax())
                    for start, part in zip(self.starts, np.split(prices, self.starts[1:]), strict=True)
                ]
                slope[dearest] += slack * spent[prices.size + self.bounded]
                return float(best.gained.sum() - spent @ paid), slope

            minimize(
                bound,
                np.zeros(self.groups.size),
                jac=True,
                method="L-BFGS-B",
                bounds=[(0, DEAREST)] * self.groups.size,
                options={"maxcor": 30, "ftol": ENOUGH, "gtol": 1e-9, "maxfun": MOST_SORTS},
            )
        return last[0].joined(*list(last)[1:])

    def solve(
        self,
        rankings: _Rankings,
        slacks: FloatArray,
        *,
        dear: float | None,
        scale: FloatArray | None = None,
        useful: bool = True,
    ) -> _Solution:
        """Chances of rankings, with further rankings until none gains at the prices.

        Args:
            rankings: At least one of every query.
            slacks: (A) share by which the statements of each attribute may be missed.
            dear: What one more unit of ``missed`` costs; None: there is none.
            scale: (S) by how much ``missed`` relieves each bound row; None: a unit is all attention.
            useful: Whether utility counts.
        """
        scale = np.full(self.starts.size, float(len(self.items))) if scale is None else scale
        for _ in range(MOST_ROUNDS):
            chances, prices, pressures, missed = self._chances(rankings, slacks, dear, scale, useful=useful)
            paid = self.feature_prices(prices, pressures, slacks)
            best = self.ranked(paid, useful=useful)
            worth = rankings.gained * useful - rankings.spent @ paid
            floors = np.full(len(self.items), -np.inf)
            np.maximum.at(floors, rankings.queries, worth)
            ceilings = best.gained * useful - best.spent @ paid
            utility, bound = float(chances @ rankings.gained), float(ceilings.sum())
            new = ceilings - floors > GAINS
            objective = utility * useful - (dear or 0.0) * missed
            if not new.any() or bound - objective <= CLOSE * abs(objective):
                return _Solution(rankings, chances, prices, pressures, missed, utility, bound)
            if rankings.gained.size > MOST_RANKINGS * len(self.items):
                nearest = np.argsort(floors[rankings.queries] - worth, kind="stable")
                rankings = rankings.at(nearest[: MOST_RANKINGS * len(self.items) // 2])
            rankings = rankings.joined(best.at(new))
        raise ArithmeticError("the policy for all queries together did not converge")

    def _chances(
        self, rankings: _Rankings, slacks: FloatArray, dear: float | None, scale: FloatArray, *, useful: bool
    ) -> tuple[FloatArray, FloatArray, FloatArray, float]:
        """The linear program over rankings: chances, prices of rows and of bound rows, and what these are exceeded by.

        Queries of one ranking are constants in it.
        """
        n_rows, n_bounds = self.groups.size, self.starts.size
        chances = np.ones(rankings.queries.size)
        if not n_rows:
            return chances, np.empty(0), np.empty(0), 0.0
        from scipy.optimize import linprog
        from scipy.sparse import csr_array

        granted = slacks[self.bounded] * rankings.spent[:, n_rows + self.bounded]
        spent = np.column_stack([rankings.spent[:, :n_rows], -granted])
        several = (np.bincount(rankings.queries) > 1)[rankings.queries]
        places = np.cumsum(np.bincount(rankings.queries) > 1) - 1
        n_free = int(several.sum())
        width = n_free + n_rows + 1
        excess = np.zeros((n_rows + n_bounds, n_rows + 1))
        excess[np.arange(n_rows), np.arange(n_rows)] = -1
        excess[n_rows + self.bound_of, np.arange(n_rows)] = 1
        excess[n_rows:, -1] = -scale
        sums = csr_array(
            (np.ones(n_free), (places[rankings.queries[several]], np.arange(n_free))),
            shape=(int(places[-1]) + 1, width),
        )
        costs = np.concatenate([-rankings.gained[several] * useful, np.zeros(n_rows), [dear or 0.0]])
        least = 0.0 if useful else None
        answer = cast("Any", linprog)(  # its types refuse sparse rows
            costs,
            np.hstack([spent[several].T, excess]),
            -spent[~several].sum(axis=0),
            sums if n_free else None,
            np.ones(sums.shape[0]) if n_free else None,
            bounds=[(0, None)] * (width - 1) + [(least, 0.0 if dear is None else None)],
            method="highs-ds",
            options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
        )
        if answer.status != 0:
            raise ArithmeticError(f"the policy for all queries together was not found: {answer.message}")
        chances[several] = answer.x[:n_free]
        duals = np.maximum(-answer.ineqlin.marginals, 0.0)
        prices = duals[:n_rows]
        pressures = np.maximum(duals[n_rows:], np.maximum.reduceat(prices, self.starts))
        return chances, prices, pressures, float(answer.x[-1])

    def distances(self, solved: _Solution) -> tuple[FloatArray, FloatArray]:
        """(S) distance by attribute and side, 0 without labelled attention, and the labelled attention."""
        spent = solved.chances @ solved.rankings.spent
        missed = np.add.reduceat(np.maximum(spent[: self.groups.size], 0.0), self.starts)
        base = spent[self.groups.size + self.bounded]
        return np.divide(missed, base, out=np.zeros(base.size), where=base > 0), base

    def distance(self, solved: _Solution, least: FloatArray) -> float:
        """The largest distance of an attribute that is open, see :meth:`nearest`."""
        is_open = np.isnan(least[self.bounded])
        return float(self.distances(solved)[0][is_open].max()) if is_open.any() else 0.0

    def nearest(self, solved: _Solution, least: FloatArray) -> tuple[float, _Solution]:
        """The smallest distance that any policy reaches of all attributes that are open, and a policy that does.

        Of a ratio of sums: at a distance δ, what exceeds δ B is lowered; where it falls below 0 the distance of the new
        policy is tried, until it does not (Dinkelbach 1967; Crouzeix, Ferland & Schaible 1985 for the largest of
        several ratios).

        Args:
            solved: Where to start.
            least: (A) what each other attribute may miss at most; NaN for one that is open.
        """
        is_open = np.isnan(least[self.bounded])
        for _ in range(MOST_ROUNDS):
            base, distance = self.distances(solved)[1], self.distance(solved, least)
            # An attribute without labelled attention misses nothing, at no price.
            scale = np.where(is_open, np.maximum(base, 0.0), 0.0)
            slacks = np.where(np.isnan(least), distance, least)
            solved = self.solve(solved.rankings, slacks, dear=1.0, scale=scale, useful=False)
            if solved.missed > -MISSED / 100:
                return distance, solved
        raise ArithmeticError("the smallest distance did not converge")

    def by_group(self, values: FloatArray) -> FloatArray:
        """(G) sum of (C) values of rows."""
        return np.bincount(self.groups, values, minlength=self.statements.low.size).astype(np.float64)

    def policy(self, solved: _Solution, smallest: float, holding_back: BoolArray) -> AmortisedPolicy:
        """A solution in the units of the data, a mixture per query."""
        rankings, chances = solved.rankings, solved.chances
        used = np.flatnonzero(chances > USED)
        used = used[np.lexsort((-chances[used], rankings.queries[used]))]
        parts = np.split(used, np.searchsorted(rankings.queries[used], np.arange(1, len(self.items))))
        mixtures: list[Mixture] = []
        exposure: FloatArray = np.zeros(len(self.utility))
        for query, part in enumerate(parts):
            start, n = int(self.offsets[query]), int(self.offsets[query + 1] - self.offsets[query])
            shown = rankings.items[part, :n] - start
            own = chances[part] / chances[part].sum()
            mixtures.append(Mixture(own, np.stack([completed(order, n) for order in shown])))
            exposure[start : start + n] = mixtures[-1].exposure(self.attention)
        by_group = exposure[:-1] @ self.membership
        bases = np.bincount(self.statements.attributes, by_group)[self.statements.attributes]
        shares = self.statements.shares(by_group)
        return AmortisedPolicy(
            mixtures=tuple(mixtures),
            utility=float(self.utility @ exposure) * self.unit,
            bound=solved.bound * self.unit,
            shares=shares,
            distance=self.statements.distance(shares),
            smallest_distance=smallest,
            prices=self.by_group(solved.prices * self.sides) * bases * self.unit,
            holding_back=holding_back,
        )


def _program(
    utility: FloatArray,
    membership: FloatArray,
    offsets: IntArray,
    attention: FloatArray,
    statements: Statements,
    weights: FloatArray | None,
) -> _Program:
    """The scaled program of queries and statements."""
    attributes, low, high = statements
    sizes = np.diff(offsets)
    depth = min(attention.size, max(int(sizes.max(initial=0)), 1))
    attention = attention[: min(depth, int(np.count_nonzero(attention)))]
    often = np.ones(sizes.size) if weights is None else weights / weights.mean()
    per_item = np.repeat(often, sizes)[:, None]
    longest = int(sizes.max(initial=0))
    within = np.arange(longest)
    items = np.where(within < sizes[:, None], offsets[:-1, None] + within, utility.size)
    lower, upper = np.flatnonzero(low > 0), np.flatnonzero(high < 1)
    groups, sides = np.concatenate([lower, upper]), np.repeat([1, -1], [lower.size, upper.size])
    order = np.lexsort((-sides, attributes[groups]))
    groups, sides = groups[order], sides[order]
    keys = 2 * attributes[groups] + (sides < 0)
    bounds, starts = np.unique(keys, return_index=True)
    n_attributes = int(attributes.max(initial=-1)) + 1
    labels = (
        np.stack([membership[:, attributes == each].sum(axis=1) for each in range(n_attributes)], axis=1)
        if n_attributes
        else np.empty((utility.size, 0))
    )
    limits = np.where(sides > 0, low[groups], high[groups])
    rows = sides * (limits * labels[:, attributes[groups]] - membership[:, groups])
    features = np.concatenate(
        [np.concatenate([rows, labels], axis=1) * per_item, np.zeros((1, groups.size + n_attributes))]
    )
    useful = np.append(utility * per_item[:, 0], 0.0)
    program = _Program(
        offsets=offsets,
        items=items,
        attention=attention / attention.sum(),
        utility=useful,
        features=features,
        groups=groups,
        sides=sides,
        starts=starts,
        bounded=bounds // 2,
        statements=statements,
        membership=membership * per_item,
        unit=1.0,
    )
    best = abs(float(program.ranked(program.free).gained.sum())) / max(sizes.size, 1) or 1.0
    weight = 1.0 if weights is None else float(weights.mean())
    return replace(program, utility=useful / best, unit=best * weight * float(attention.sum()))
