"""Which α to record and how often, said of a description before it is asked: the planner fed with what is known."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from fairviz.errors import UndefinedError
from fairviz.experiment.planning import Proposal, Spread, proposed, spread_of
from fairviz.experiment.protocols import Prompt
from fairviz.experiment.rankings.outputs import given_rankings
from fairviz.experiment.rankings.task import Task
from fairviz.model import RankingSample, Run
from fairviz.show.table import Column, Table

ASSUMED = Spread(answers=0.15, questions=0.1)
"""Of utilities between 0 and 1, before there is an answer; both are near the shipped example's."""

N_WANTED = 9
"""α between the least and the largest recorded one at which EU is to be known."""


class Design(NamedTuple):
    """What the planner proposes for one cell of a grid.

    Attributes:
        task, retriever: The cell.
        spread: How much utility varies.
        n_answers: Answers that show it; 0 = assumed.
        proposals: The cheapest first; none where nothing is enough.
        refusal: Why there is none.
    """

    task: str
    retriever: str
    spread: Spread
    n_answers: int
    proposals: tuple[Proposal, ...]
    refusal: str = ""


def designs(
    cells: Sequence[tuple[Task, str, Run, Sequence[RankingSample]]],
    *,
    k: int,
    alphas: Sequence[float],
    half_width: float,
    known: Callable[[Sequence[Prompt]], Mapping[Prompt, str]],
    seed: int,
) -> Iterator[Design]:
    """Designs for each task and retriever.

    Args:
        cells: Task, retriever's label, its run and the rankings of the description at each α.
        k: Documents given.
        alphas: α of the description; what is wanted lies between the least and the largest.
        half_width: Half the width of the 95 % interval of EU.
        known: The answers that are stored, by prompt.
        seed: Source of chance of the planner's trial.
    """
    wanted = np.linspace(min(alphas), max(alphas), N_WANTED).tolist() if len(alphas) > 1 else list(alphas)
    for task, label, run, samples in cells:
        spread, n_answers = _spread(task, samples, k, known)
        try:
            found = proposed(
                run, k=k, wanted=wanted, half_width=half_width, spread=spread, rng=np.random.default_rng(seed)
            )
        except UndefinedError as error:
            yield Design(task.name, label, spread, n_answers, (), str(error))
        else:
            yield Design(task.name, label, spread, n_answers, tuple(found))


def _spread(
    task: Task, samples: Sequence[RankingSample], k: int, known: Callable[[Sequence[Prompt]], Mapping[Prompt, str]]
) -> tuple[Spread, int]:
    """The spread at the α with the most answers, and their number; assumed where no question has two."""
    best: tuple[Spread, int] = ASSUMED, 0
    for sample in samples:
        utilities: list[float] = []
        ends = [0]
        for query_id, rankings in given_rankings(sample, k):
            prompts = [task.prompt(query_id, ranking) for ranking in rankings]
            answers = known(prompts)
            told = [answers[prompt] for prompt in prompts if prompt in answers]
            utilities += [task.score(answer, task.references[query_id]) for answer in told]
            ends.append(len(utilities))
        if len(utilities) <= best[1]:
            continue
        try:
            best = spread_of(np.array(utilities), np.array(ends, dtype=np.int64)), len(utilities)
        except UndefinedError:
            continue
    return best


COLUMNS = (
    Column("task"),
    Column("retriever"),
    Column("alphas", "α to record"),
    Column("n_samples", "samples per question and α", kind="number"),
    Column("calls", kind="number"),
    Column("half_width", "half of the 95 % interval of EU", kind="number"),
    Column("n_effective", "least effective size", kind="number"),
)


def design_table(found: Sequence[Design]) -> Table:
    """A row per proposal, the cheapest first in each cell."""
    return Table(
        columns=COLUMNS,
        rows=tuple(
            (
                design.task,
                design.retriever,
                ", ".join(f"{alpha:g}" for alpha in one.alphas),
                one.n_samples,
                one.calls,
                one.half_width,
                one.n_effective,
            )
            for design in found
            for one in design.proposals
        ),
        caption="Designs under which EU is known between all α of the description.",
        decimals=4,
    )
