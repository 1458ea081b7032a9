"""Which α to record and how often, said of a description before it is asked: the planner fed with what is known."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from fairviz.errors import UndefinedError
from fairviz.experiments.planning import Population, Proposal, Spread, promised, proposed, spread_of
from fairviz.experiments.protocols import Prompt
from fairviz.experiments.rankings.outputs import given_rankings
from fairviz.experiments.rankings.task import Task
from fairviz.model import RankingSample, Run

ASSUMED = Spread(answers=0.15, questions=0.1)
"""Of utilities between 0 and 1, before there is an answer; both are near the shipped example's."""

N_WANTED = 9
"""α between the least and the largest recorded one at which EU is to be known."""


class Cell(NamedTuple):
    """One task and retriever.

    Attributes:
        task, retriever: Their names.
        spread: How much utility varies.
        n_answers: Answers that show it; 0 = assumed.
    """

    task: str
    retriever: str
    spread: Spread
    n_answers: int


class Design(NamedTuple):
    """What a description gives, and what the planner proposes in its place.

    Attributes:
        cells: Where one design is to be enough.
        present: The design of the description.
        proposals: The cheapest first; none where nothing is enough.
        refusal: Why there is none.
    """

    cells: tuple[Cell, ...]
    present: Proposal
    proposals: tuple[Proposal, ...]
    refusal: str = ""


def design(
    cells: Sequence[tuple[Task, str, Run, Sequence[RankingSample]]],
    *,
    k: int,
    alphas: Sequence[float],
    n_samples: int,
    half_width: float,
    known: Callable[[Sequence[Prompt]], Mapping[Prompt, str]],
    seed: int,
) -> Design:
    """One design for all tasks and retrievers, since a description has one.

    Args:
        cells: Task, retriever's label, its run and the rankings of the description at each α.
        k: Documents given.
        alphas: α of the description; what is wanted lies between the least and the largest.
        n_samples: Rankings per question and α of the description.
        half_width: Half the width of the 95 % interval of EU.
        known: The answers that are stored, by prompt.
        seed: Source of chance of the planner's trial.

    Raises:
        UndefinedError: There is no question, or a single one.
    """
    wanted = np.linspace(min(alphas), max(alphas), N_WANTED).tolist() if len(alphas) > 1 else list(alphas)
    told = [Cell(task.name, label, *_spread(task, samples, k, known)) for task, label, _, samples in cells]
    populations = [Population(run, cell.spread) for cell, (_, _, run, _) in zip(told, cells, strict=True)]
    present = promised(
        populations, k=k, wanted=wanted, alphas=alphas, n_samples=n_samples, rng=np.random.default_rng(seed)
    )
    try:
        found = proposed(populations, k=k, wanted=wanted, half_width=half_width, rng=np.random.default_rng(seed))
    except UndefinedError as error:
        return Design(tuple(told), present, (), str(error))
    return Design(tuple(told), present, tuple(found))


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
