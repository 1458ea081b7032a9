"""What studies by ranges share: how files are cut, who does the work, and who is told of it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from fairviz.model.ranges import Lists
from fairviz.partitions.executors import Work
from fairviz.partitions.lists import PART, PARTS_PER_WORKER, Cuttable, Grained, Range, ranges

T = TypeVar("T")
R = TypeVar("R")


@dataclass(slots=True)
class Plan:
    """Ranges of files, and who works on them.

    Attributes:
        work: Who does it.
        begin: Is told of which system ranges are worked on next, and how many there are.
        step: Is told of each range that is done.
        size: Documents in a range.
    """

    work: Work
    begin: Callable[[str, int], None] = lambda _name, _n: None
    step: Callable[[], None] = lambda: None
    size: int = PART
    _cuttable: dict[int, Cuttable] = field(default_factory=dict[int, Cuttable])

    def cuttable(self, lists: Lists) -> Cuttable:
        """Lists that ranges are taken from, looked through once."""
        known = self._cuttable.get(id(lists))
        if known is None or known.lists is not lists:
            known = self._cuttable[id(lists)] = Cuttable(lists)
        return known

    def ranges(self, files: Sequence[Grained]) -> list[Range]:
        """The ranges of some files that are worked on together."""
        at_least = PARTS_PER_WORKER * self.work.n_workers if self.work.n_workers > 1 else 1
        return ranges(files, size=self.size, at_least=at_least)

    def each(self, function: Callable[[T], R], tasks: Iterable[T], *, n: int, about: str) -> Iterator[R]:
        """What each of ``n`` tasks about one system gives, in their order."""
        self.begin(about, n)
        for result in self.work.results(function, tasks):
            yield result
            self.step()

    def done(self, function: Callable[[T], R], tasks: Iterable[T], *, n: int, about: str) -> list[R]:
        """What ``n`` tasks about one system give, in their order."""
        return list(self.each(function, tasks, n=n, about=about))
