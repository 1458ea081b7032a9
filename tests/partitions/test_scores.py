"""Measures by ranges of queries: the bits of the whole, wherever it is cut and whoever does the work."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairviz.errors import InputError, UsageError
from fairviz.evaluation.evaluate import Evaluation, evaluate, score_intervals
from fairviz.metrics.spec import parse_measures
from fairviz.model import Scores, SystemScore
from fairviz.partitions import scores
from fairviz.partitions.executors import Alone
from fairviz.partitions.plan import Plan
from fairviz.partitions.scores import LabelFile, Partitioned
from tests.partitions.worlds import world, write_groups

MEASURES = parse_measures(
    [
        "nDCG@5, AP, RR, P(rel=2)@3, alpha_nDCG@5",
        "EED@3, EER@3, EEL(norm='none')@3, EED(estimate='unbiased')@3, EED(browsing='cascade', norm='none')@5",
        "AWRF, nDKL@5, PreF(step=2), logDP, IAA, MinSkew@4, KL(missing='group')@4, PAIR(kind='intra')",
        "IAA(over='query', by='item'), EED(by='group', norm='none')@3, AWRF(over='system')",
        "FAIR(irm='alpha_nDCG')@5, Skew(group='left', aggregate='min')@3",
    ]
)


@pytest.fixture(scope="module")
def groups(tmp_path_factory: pytest.TempPathFactory) -> LabelFile:
    return LabelFile(str(write_groups(tmp_path_factory.mktemp("groups"))), "one")


def values_of(score: Scores | SystemScore) -> np.ndarray:
    return score.values if isinstance(score, Scores) else score.defined


def bits(evaluation: Evaluation) -> list[object]:
    """Everything that is printed of it."""
    intervals = score_intervals(evaluation.scores, seed=1)
    found = [
        (one.system, one.measure, one.query_ids, values_of(one).tobytes(), np.float64(one.value).tobytes(), one.flags)
        for one in evaluation.scores
    ]
    return [*found, [np.array(interval).tobytes() for interval in intervals], sorted(map(str, evaluation.notes))]


@cache
def whole(seed: int, groups: LabelFile) -> list[object]:
    run, qrels, sample = world(seed)
    found = evaluate([run, sample], MEASURES, qrels=[qrels], labels=groups.read(), target="population")
    return bits(found)


def by_ranges(seed: int, plan: Partitioned, groups: LabelFile) -> list[object]:
    run, qrels, sample = world(seed)
    found = evaluate(
        [run, sample],
        MEASURES,
        qrels=[qrels],
        labels=groups.read(),
        target="population",
        scorer=plan.scorer,
        why_unlabelled=plan.why_unlabelled,
    )
    return bits(found)


@settings(max_examples=3)
@given(seed=st.integers(0, 1), size=st.integers(1, 90))
def test_wherever_it_is_cut_the_bits_are_those_of_the_whole(groups: LabelFile, seed: int, size: int) -> None:
    assert by_ranges(seed, Partitioned(Plan(Alone(), size=size), groups), groups) == whole(seed, groups)


def test_labels_that_do_not_apply_to_a_document_are_refused(groups: LabelFile) -> None:
    path = Path(groups.path).with_name("some.tsv")
    path.write_text(Path(groups.path).read_text() + "not in a run\tdoes not apply\n")
    some = LabelFile(str(path), "one")
    with pytest.raises(UsageError, match="does not apply to some documents: give the files before conversion"):
        by_ranges(0, Partitioned(Plan(Alone(), size=9), some), some)


def test_the_first_range_is_scored_once_more_for_all_measures_of_a_system(
    groups: LabelFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    measured = scores._scored
    monkeypatch.setattr(scores, "_scored", lambda task, *data: asked.append(len(task.specs)) or measured(task, *data))
    run, qrels, _ = world(0)
    plan = Partitioned(Plan(Alone(), size=10_000), groups)
    measures = parse_measures(["AP, EED@3, AWRF(over='system'), EED(by='group', norm='none')@3, logDP"])
    found = evaluate([run], measures, qrels=[qrels], labels=groups.read(), target="population", scorer=plan.scorer)
    of_system = sum(isinstance(one, SystemScore) for one in found.scores)
    assert of_system > 1
    assert asked == [len(measures), of_system]


def test_labels_that_changed_are_read_again(tmp_path: Path) -> None:
    """What a worker keeps is of the file as it was."""
    path = tmp_path / "groups.tsv"
    for group in ("left", "rightmost"):
        path.write_text(f"doc_id\tside\nd1\t{group}\nd2\t{group}\n")
        sent = LabelFile.of(str(path), "one")
        assert sent.read().groups == (group,)
        assert sent.read() is sent.read(), "kept as long as it is the same"
    with pytest.raises(InputError, match="file not found"):
        LabelFile.of(str(tmp_path / "none.tsv"), "one").read()
