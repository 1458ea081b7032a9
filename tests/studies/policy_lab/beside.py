"""A run beside a target, and what re-rankers cost on it, without files."""

from typing import Any

from fairviz.display.methods import AgainstTarget
from fairviz.kernels.grouping import Missing
from fairviz.model import Dataset, GroupLabels, Qrels, Run, Target
from fairviz.points.targets import Held, held
from fairviz.studies.policy_lab.price import Prices
from fairviz.studies.policy_lab.settings import PolicyLabSettings


def held_of(run: Run, qrels: Qrels, labels: GroupLabels, target: Target, unlabelled: Missing = "drop") -> Held:
    data = Dataset(runs=(run,), qrels=(qrels,), labels=(labels,), target=target)
    return held(data, AgainstTarget(0, "file"), "", 0, unlabelled)


def prices_of(run: Run, qrels: Qrels, labels: GroupLabels, target: Target, **settings: Any) -> Prices:
    return Prices(held_of(run, qrels, labels, target), PolicyLabSettings(**settings))
