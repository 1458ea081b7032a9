"""Recorded outputs grouped by generator: points per (query, setting), and the path of their means.

A setting is what changed the lists that a generator was given: an α, the deterministic list, or
nothing that was recorded.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from fairviz.analysis.output_curves import DETERMINISTIC, ORACLE
from fairviz.analysis.output_points import OutputPoints
from fairviz.metrics.consumption import Scale
from fairviz.model import FloatArray, IntArray, RagOutputs

Pair: TypeAlias = Literal["EED-EAED", "EED-EAR", "EER-EAR"]
"""What stands on the two axes of a panel, x first."""
PAIRS: tuple[Pair, ...] = ("EED-EAED", "EED-EAR", "EER-EAR")


class _Key(NamedTuple):
    task: str | None
    retriever: str | None
    generator: str | None
    system: str | None


class Generation(NamedTuple):
    """All recorded outputs of one generator, by setting: rising α, then the others.

    Attributes:
        name: What tells it from the others: generator, else retriever and generator, else system.
        settings: (S) distinct names of the settings.
        points: (S) what was measured under each.
    """

    name: str
    settings: tuple[str, ...]
    points: tuple[OutputPoints, ...]

    @property
    def single_sample(self) -> bool:
        """No query has more than one output under any setting: EAE-D / k is EAR then."""
        return all(each.single_sample for each in self.points)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Panel:
    """The points of one generator on two axes: P (query, setting) pairs, S settings.

    Attributes:
        name: The generator.
        settings: (S) names of the settings, in the order in which their means are joined.
        query_ids: (P) query of each point.
        setting: (P) position of each point's setting in ``settings``.
        x, y: (P) values, NaN = undefined.
        path_x, path_y: (S) means over the queries that have both, NaN where none has.
        chance: (S) slope of the line of equal chance, mean EAR²; NaN = there is no such line.
    """

    name: str
    settings: tuple[str, ...]
    query_ids: tuple[str, ...]
    setting: IntArray
    x: FloatArray
    y: FloatArray
    path_x: FloatArray
    path_y: FloatArray
    chance: FloatArray

    def n_points(self, setting: str) -> int:
        """Queries with both values under a setting."""
        here = self.setting == self.position(setting)
        return int((here & ~np.isnan(self.x) & ~np.isnan(self.y)).sum())

    def position(self, setting: str) -> int:
        """Where a setting stands in ``settings``; −1 for one that this generator lacks."""
        return self.settings.index(setting) if setting in self.settings else -1


def setting_name(outputs: RagOutputs) -> str:
    """What changed the lists: an α, the policy, or nothing that was recorded."""
    if outputs.alpha is not None:
        return f"α = {outputs.alpha:g}"
    return outputs.policy or "as recorded"


def by_generator(points: Sequence[OutputPoints]) -> tuple[Generation, ...]:
    """Outputs equal in (task, retriever, generator) together; oracle runs are left out.

    Outputs that record none of the three stand alone under their system. Where one generator has
    two outputs with the same setting (two policies at one α), the policy joins the setting's name.
    """
    groups: dict[_Key, list[OutputPoints]] = {}
    for each in points:
        out = each.outputs
        if out.policy == ORACLE:
            continue
        known = any((out.task, out.retriever, out.generator))
        own = None if known else out.system
        groups.setdefault(_Key(out.task, out.retriever, out.generator, own), []).append(each)
    names = _names(list(groups))
    return tuple(_generation(name, members) for name, members in zip(names, groups.values(), strict=True))


def consumption_panel(group: Generation, pair: Pair, scale: Scale) -> Panel:
    """The points of a generator on the axes of ``pair``; ``scale`` is that of disparities."""
    axes = [_axes(each, pair, scale) for each in group.points]
    means = [_means(x, y) for x, y in axes]
    rates = [np.nan] * len(axes)
    if pair == "EED-EAED" and scale == "k":
        rates = [_mean(each.rate) ** 2 for each in group.points]
    return Panel(
        name=group.name,
        settings=group.settings,
        query_ids=tuple(q for each in group.points for q in each.outputs.query_ids),
        setting=np.repeat(np.arange(len(axes)), [x.size for x, _ in axes]),
        x=np.concatenate([x for x, _ in axes]),
        y=np.concatenate([y for _, y in axes]),
        path_x=np.array([x for x, _ in means]),
        path_y=np.array([y for _, y in means]),
        chance=np.array(rates),
    )


def _axes(points: OutputPoints, pair: Pair, scale: Scale) -> tuple[FloatArray, FloatArray]:
    scaled = points.on(scale)
    match pair:
        case "EED-EAED":
            return scaled.x, scaled.y
        case "EED-EAR":
            return scaled.x, points.rate
        case "EER-EAR":
            return points.relevance, points.rate


def _means(x: FloatArray, y: FloatArray) -> tuple[float, float]:
    known = ~(np.isnan(x) | np.isnan(y))
    return (float(x[known].mean()), float(y[known].mean())) if known.any() else (np.nan, np.nan)


def _mean(values: FloatArray) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else np.nan


def _names(keys: Sequence[_Key]) -> list[str]:
    """The shortest of generator, retriever + generator, task + both that tells all apart."""
    short = [key.generator or key.system or "" for key in keys]
    longer = [_joined(key.retriever, key.generator, key.system) for key in keys]
    longest = [_joined(*key) for key in keys]
    for names in (short, longer):
        if all(names) and len(set(names)) == len(names):
            return names
    return longest


def _joined(*parts: str | None) -> str:
    return " + ".join(part for part in parts if part)


def _generation(name: str, members: list[OutputPoints]) -> Generation:
    alphas = [np.inf if m.outputs.alpha is None else m.outputs.alpha for m in members]
    last = [m.outputs.policy == DETERMINISTIC for m in members]
    order: list[int] = np.lexsort((last, alphas)).tolist()
    ordered = [members[i] for i in order]
    plain = [setting_name(m.outputs) for m in ordered]
    settings = [
        f"{own}, {each.outputs.policy}" if plain.count(own) > 1 and each.outputs.policy else own
        for own, each in zip(plain, ordered, strict=True)
    ]
    for i, own in enumerate(settings):
        if own in settings[:i]:
            settings[i] = f"{own}, {ordered[i].outputs.system}"
    return Generation(name, tuple(settings), tuple(ordered))
