"""What the planner says of a description, before and after there are answers."""

import tomllib
from pathlib import Path

from fairviz.experiments.asking import Asked
from fairviz.experiments.bill import bill
from fairviz.experiments.designs import choices, design_table, redesigned_text
from fairviz.experiments.rankings.design import ASSUMED
from fairviz.experiments.rankings.source import RankingSource
from fairviz.experiments.runner import Experiment
from tests.experiments.answering import Oracle
from tests.experiments.test_rounds import model, tiny

__all__ = ["model", "tiny"]


def source_of(experiment: Experiment) -> RankingSource:
    assert isinstance(experiment.source, RankingSource)
    return experiment.source


def test_before_there_are_answers_the_spread_is_assumed(tiny: Path, model: Oracle) -> None:
    experiment = Experiment(tiny, output=tiny.parent / "out")
    found = source_of(experiment).design(experiment.answers, half_width=0.1)
    assert [(cell.spread, cell.n_answers) for cell in found.cells] == [(ASSUMED, 0)]
    assert model.asked == []


def test_stored_answers_show_the_spread(tiny: Path, model: Oracle) -> None:
    experiment = Experiment(tiny, output=tiny.parent / "out")
    with experiment.writing():
        experiment.ask()
    (cell,) = source_of(experiment).design(experiment.answers, half_width=0.5).cells
    assert cell.n_answers == 8  # 2 questions, 4 rankings each at one α
    assert cell.spread != ASSUMED


def test_what_cannot_be_had_is_refused_with_a_reason(tiny: Path, model: Oracle) -> None:
    experiment = Experiment(tiny, output=tiny.parent / "out")
    found = source_of(experiment).design(experiment.answers, half_width=1e-6)
    assert found.proposals == ()
    assert found.refusal


def test_designs_stand_beside_that_of_the_description_with_their_bills(tiny: Path, model: Oracle) -> None:
    """2 questions, 8 labels and so on; a proposal's calls are those of a description that follows it."""
    experiment = Experiment(tiny, output=tiny.parent / "out")
    found = choices(experiment, half_width=1)
    table = design_table(found)
    assert table.rows[0][0] == "present design"
    assert len(table.rows) == 1 + len(found.design.proposals) > 1
    calls = [row[table.keys.index("calls")] for row in table.rows]
    assert calls[0] == bill(experiment).n_missing
    proposal = found.design.proposals[0]
    text = tiny.read_text()
    tiny.write_text(redesigned_text(text, proposal))
    followed = Experiment(tiny, output=tiny.parent / "out")
    assert bill(followed).n_missing == calls[1]
    before, after = tomllib.loads(text), tomllib.loads(tiny.read_text())
    assert (tuple(after["alphas"]), after["n_samples"]) == (proposal.alphas, proposal.n_samples)
    assert before | {"alphas": after["alphas"], "n_samples": after["n_samples"]} == after
    assert len(tiny.read_text().splitlines()) >= len(text.splitlines())


def test_known_answers_are_those_that_are_stored(tiny: Path, model: Oracle) -> None:
    experiment = Experiment(tiny, output=tiny.parent / "out")
    missing = experiment.missing()
    assert missing
    requests = list(missing.requests())
    experiment.answers.ask(requests[:3], total=Asked())
    prompts = [request.prompt for request in requests]
    assert set(experiment.answers.known("oracle", prompts)) == set(prompts[:3])
