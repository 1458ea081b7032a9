"""What the planner says of a description, before and after there are answers."""

from pathlib import Path

from fairviz.experiment.asking import Asked
from fairviz.experiment.rankings.design import ASSUMED, design_table
from fairviz.experiment.rankings.source import RankingSource
from fairviz.experiment.runner import Experiment
from tests.experiment.answering import Oracle
from tests.experiment.test_rounds import model, tiny

__all__ = ["model", "tiny"]


def source_of(experiment: Experiment) -> RankingSource:
    assert isinstance(experiment.source, RankingSource)
    return experiment.source


def test_before_there_are_answers_the_spread_is_assumed(tiny: Path, model: Oracle) -> None:
    experiment = Experiment(tiny, output=tiny.parent / "out")
    (design,) = source_of(experiment).designs(experiment.answers, half_width=0.1)
    assert (design.spread, design.n_answers) == (ASSUMED, 0)
    assert model.asked == []


def test_stored_answers_show_the_spread(tiny: Path, model: Oracle) -> None:
    experiment = Experiment(tiny, output=tiny.parent / "out")
    with experiment.writing():
        experiment.ask()
    (design,) = source_of(experiment).designs(experiment.answers, half_width=0.5)
    assert design.n_answers == 8  # 2 questions, 4 rankings each at one α
    assert design.spread != ASSUMED
    table = design_table([design])
    calls = [row[table.keys.index("calls")] for row in table.rows]
    assert calls == sorted(calls, key=float)
    assert all(float(row[table.keys.index("half_width")]) <= 0.5 for row in table.rows)  # type: ignore[arg-type]


def test_what_cannot_be_had_is_refused_with_a_reason(tiny: Path, model: Oracle) -> None:
    experiment = Experiment(tiny, output=tiny.parent / "out")
    (design,) = source_of(experiment).designs(experiment.answers, half_width=1e-6)
    assert design.proposals == ()
    assert design.refusal


def test_known_answers_are_those_that_are_stored(tiny: Path, model: Oracle) -> None:
    experiment = Experiment(tiny, output=tiny.parent / "out")
    missing = experiment.missing()
    assert missing
    requests = list(missing.requests())
    experiment.answers.ask(requests[:3], total=Asked())
    prompts = [request.prompt for request in requests]
    assert set(experiment.answers.known("oracle", prompts)) == set(prompts[:3])
