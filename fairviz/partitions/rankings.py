"""Rankings by ranges of queries, samples among them with what they were drawn from."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from fairviz.evaluation.joins import Ranked
from fairviz.model import RankingSample
from fairviz.partitions.lists import Cuttable, Range, Slice
from fairviz.partitions.plan import Plan


class RankingSlices(NamedTuple):
    """A range of some rankings, as it is sent to whoever works on it.

    Attributes:
        slices: Of the rankings, then of what samples among them were drawn from.
        sources: Of each slice, which of them it was drawn from.
    """

    slices: tuple[Slice, ...]
    sources: tuple[int | None, ...]

    def read(self) -> list[Ranked]:
        """The rankings of the range; samples of one source share it."""
        rankings: list[Ranked] = [piece.rankings() for piece in self.slices]
        for i, source in enumerate(self.sources):
            ranked = rankings[i]
            if source is not None and isinstance(ranked, RankingSample):
                rankings[i] = replace(ranked, source=rankings[source])
        return rankings


@dataclass(frozen=True, slots=True)
class CuttableRankings:
    """Rankings that ranges are taken from.

    Attributes:
        rankings: Each once, then what samples among them were drawn from.
        cuttable: These, to be cut.
    """

    rankings: tuple[Ranked, ...]
    cuttable: tuple[Cuttable, ...]

    @classmethod
    def of(cls, rankings: Sequence[Ranked], plan: Plan) -> "CuttableRankings":
        """Some rankings, under a plan."""
        sources = [one.source for one in rankings if isinstance(one, RankingSample) and one.source is not None]
        each_once = tuple({id(one): one for one in (*rankings, *sources)}.values())
        return cls(each_once, tuple(plan.cuttable(one) for one in each_once))

    def place(self, ranked: Ranked | None) -> int | None:
        """Which of the slices it is."""
        return next((i for i, one in enumerate(self.rankings) if one is ranked), None)

    def at(self, asked: Range) -> RankingSlices:
        """A range of them all."""
        drawn_from = [one.source if isinstance(one, RankingSample) else None for one in self.rankings]
        return RankingSlices(tuple(one.at(asked) for one in self.cuttable), tuple(map(self.place, drawn_from)))
