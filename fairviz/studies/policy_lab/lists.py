"""One query before and after re-ranking: what enters the first k, what leaves, what moves."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Move(NamedTuple):
    """A document that is in the first k before or after.

    Attributes:
        doc_id: Its id.
        before: Rank before; None = not among the candidates.
        after: Rank after; None likewise.
        useful: Whether it is judged useful (grade > 0).
        group: Name of the group with its largest weight; "" = unlabelled.
    """

    doc_id: str
    before: int | None
    after: int | None
    useful: bool
    group: str

    @property
    def climbed(self) -> int:
        """Ranks gained; negative = lost; 0 where one of the two is not known."""
        if self.before is None or self.after is None:
            return 0
        return self.before - self.after


class BeforeAfter(NamedTuple):
    """The first k of one query, before and after.

    Attributes:
        query_id: The query.
        k: Ranks that count.
        moves: Documents of either list, by their best rank.
        quality_before, quality_after: Of the query; NaN = undefined.
    """

    query_id: str
    k: int
    moves: tuple[Move, ...]
    quality_before: float
    quality_after: float

    @property
    def before(self) -> tuple[Move, ...]:
        """The first k before, best first."""
        shown = [move for move in self.moves if _within(move.before, self.k)]
        return tuple(sorted(shown, key=lambda move: move.before or 0))

    @property
    def after(self) -> tuple[Move, ...]:
        """The first k after, best first."""
        shown = [move for move in self.moves if _within(move.after, self.k)]
        return tuple(sorted(shown, key=lambda move: move.after or 0))

    def entered(self, move: Move) -> bool:
        """Whether it was not among the first k and is now."""
        return _within(move.after, self.k) and not _within(move.before, self.k)

    def left(self, move: Move) -> bool:
        """Whether it was among the first k and is no more."""
        return _within(move.before, self.k) and not _within(move.after, self.k)

    @property
    def n_entered(self) -> int:
        """Documents that enter the first k."""
        return sum(self.entered(move) for move in self.moves)

    @property
    def n_left(self) -> int:
        """Documents that leave them."""
        return sum(self.left(move) for move in self.moves)

    @property
    def n_useful_lost(self) -> int:
        """Useful documents that leave."""
        return sum(self.left(move) and move.useful for move in self.moves)

    @property
    def n_useful_gained(self) -> int:
        """Useful documents that enter."""
        return sum(self.entered(move) and move.useful for move in self.moves)


def before_after(
    query_id: str,
    before: Sequence[str],
    after: Sequence[str],
    *,
    k: int,
    useful: frozenset[str] | set[str],
    groups: Mapping[str, str],
    quality: tuple[float, float] = (float("nan"), float("nan")),
) -> BeforeAfter:
    """Compare two rankings of one query.

    Args:
        query_id: The query.
        before: Document ids as ranked today, best first.
        after: The same as re-ranked.
        k: Ranks that count.
        useful: Documents judged useful for the query.
        groups: Group of each labelled document.
        quality: Of the query before and after.
    """
    old = {doc: rank for rank, doc in enumerate(before, start=1)}
    new = {doc: rank for rank, doc in enumerate(after, start=1)}
    shown = [*before[:k], *(doc for doc in after[:k] if old.get(doc, k + 1) > k)]
    moves = [Move(doc, old.get(doc), new.get(doc), doc in useful, groups.get(doc, "")) for doc in shown]
    moves.sort(key=lambda move: min(move.before or k + 1, move.after or k + 1))
    return BeforeAfter(query_id, k, tuple(moves), *quality)


def _within(rank: int | None, k: int) -> bool:
    return rank is not None and rank <= k
