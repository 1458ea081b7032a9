"""What a reader of a number needs to know about its measure, as data."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from fairviz.errors import UsageError
from fairviz.metrics.parameters import Parameter, check_cutoff, check_parameters
from fairviz.model import ParamValue

Better: TypeAlias = Literal["lower", "higher", "closest to 0"]
"""Which way a measure improves."""

Need: TypeAlias = Literal["rankings", "qrels", "outputs", "groups", "target"]
"""What must be loaded before a measure has a value."""

CutoffRule: TypeAlias = Literal["required", "required for topk", "optional", "none"]
"""Whether ``@k`` belongs to the measure; without it rankings count to their end."""

Rule: TypeAlias = Callable[[Mapping[str, ParamValue], int | None], str | None]
"""(parameters with defaults, cutoff) -> why they do not go together, or None."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A measure, described once: pages, tables, axes and the README read this.

    Attributes:
        name: As typed in measure strings ("EED").
        label: As printed in papers ("EE-D").
        title: In words.
        better: Which way it improves at the default parameters.
        range: Smallest and largest value at the default parameters.
        formula: In plain characters, for terminals.
        latex: The same for typesetting, without dollar signs.
        summary: What it rewards and what its ends mean, in plain words.
        citation: Paper and section.
        parameters: What may stand in parentheses.
        cutoff: Whether ``@k`` belongs to it.
        needs: What must be loaded.
        rules: Combinations of parameters that have no meaning.
        better_with: A parameter that, once typed, turns the way it improves.
    """

    name: str
    label: str
    title: str
    better: Better
    range: tuple[float, float]
    formula: str
    latex: str
    summary: str
    citation: str
    parameters: tuple[Parameter, ...]
    cutoff: CutoffRule
    needs: tuple[Need, ...]
    rules: tuple[Rule, ...] = ()
    better_with: tuple[str, Better] | None = None

    def direction(self, params: Mapping[str, ParamValue]) -> Better:
        """Which way it improves with these parameters."""
        if self.better_with and self.better_with[0] in params:
            return self.better_with[1]
        return self.better

    def with_defaults(self, params: Mapping[str, ParamValue]) -> dict[str, ParamValue]:
        """All parameters that have a value, typed or by default."""
        defaults = {p.name: p.default for p in self.parameters if p.default is not None}
        return defaults | dict(params)

    def check(self, params: Mapping[str, object], cutoff: object) -> tuple[dict[str, ParamValue], int | None]:
        """Typed parameters and cutoff, validated.

        Raises:
            UsageError: Naming what is accepted.
        """
        checked = check_parameters(self.name, self.parameters, params)
        if self.cutoff == "none" and cutoff is not None:
            raise UsageError(f"{self.name} takes no @k")
        if self.cutoff == "required" and cutoff is None:
            raise UsageError(f"{self.name} needs a cutoff: write {self.name}@k, for example @5")
        depth = None if cutoff is None else check_cutoff(self.name, cutoff)
        for rule in self.rules:
            fault = rule(self.with_defaults(checked), depth)
            if fault:
                raise UsageError(f"{self.name}: {fault}")
        return checked, depth

    def idle(self, params: Mapping[str, ParamValue]) -> dict[str, str]:
        """Parameters that were typed in vain, and beside what they would mean something."""
        chosen = self.with_defaults(params)
        return {
            one.name: f"{one.only_with[0]}={' or '.join(map(repr, one.only_with[1]))}"
            for one in self.parameters
            if one.name in params and one.only_with and chosen[one.only_with[0]] not in one.only_with[1]
        }
