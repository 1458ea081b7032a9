"""A run beside a target, and what re-rankers cost on it, without files."""

from typing import Any

from fairviz.display.methods import AgainstTarget
from fairviz.kernels.grouping import Missing
from fairviz.model import Dataset, GroupLabels, Qrels, Run, Target
from fairviz.points.targets import TargetedSystem, targeted_system
from fairviz.studies.policy_lab.settings import PolicyLabSettings
from fairviz.studies.policy_lab.stated import Stated
from fairviz.studies.policy_lab.strengths import Prices

TARGET = AgainstTarget(0, "file")


def data_of(run: Run, qrels: Qrels, labels: GroupLabels, target: Target) -> Dataset:
    return Dataset(runs=(run,), qrels=(qrels,), labels=(labels,), target=target)


def held_of(
    run: Run, qrels: Qrels, labels: GroupLabels, target: Target, unlabelled: Missing = "drop"
) -> TargetedSystem:
    return targeted_system(data_of(run, qrels, labels, target), TARGET, "", 0, unlabelled)


def prices_of(run: Run, qrels: Qrels, labels: GroupLabels, target: Target, **settings: Any) -> Prices:
    return Prices(Stated(data_of(run, qrels, labels, target), PolicyLabSettings(against=TARGET, **settings)))
