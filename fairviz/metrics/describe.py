"""What a reader of a number needs to know about its measure and its parameters, as data; what several share."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, cast

from fairviz.errors import UsageError
from fairviz.kernels.attention import is_attention
from fairviz.model import ParamValue
from fairviz.resources import content

Kind: TypeAlias = Literal["whole", "number", "flag", "text", "gains", "attention"]
"""Type of a parameter's value: int, float, bool, str, {grade: gain}, str."""

KINDS: Mapping[Kind, str] = {
    "whole": "a whole number",
    "number": "a number",
    "flag": "True or False",
    "text": "a string",
    "attention": "a name of your own or weights by rank such as '1,0.6,0.4'",
    "gains": "a mapping {grade: gain, …} of whole numbers",
}
"""How messages name each kind."""

LARGEST_CUTOFF = 10**9
"""Beyond any ranking; larger numbers would not fit the integers of the providers."""
Better: TypeAlias = Literal["lower", "higher", "closest to 0"]
"""Which way a measure improves."""

Need: TypeAlias = Literal["rankings", "scores", "qrels", "popularity", "outputs", "references", "groups", "target"]
"""What must be loaded before a measure has a value."""

NEEDS: Mapping[Need, Mapping[str, str]] = content("methods/needs")
"""Its name in a list of needs; what is said where it is missing, and what to give."""


Options: TypeAlias = Mapping[str, Any]
"""Values of a measure's parameters by name, checked by its :class:`Parameter`, with defaults for what is not typed."""


class When(NamedTuple):
    """A choice of a parameter that changes what a measure needs.

    Attributes:
        parameter: Its name.
        values: The choices; empty: whatever is typed.
        adds: What they need besides.
        drops: What they make needless.
    """

    parameter: str
    values: tuple[str, ...]
    adds: tuple[Need, ...] = ()
    drops: tuple[Need, ...] = ()


def missing_words(missing: Sequence[Need]) -> tuple[str, str]:
    """What is missing, and what to give instead.

    Examples:
        >>> missing_words(["qrels", "groups"])
        ('judgements are needed, group labels are needed', 'give --qrels FILE and --groups FILE')
    """
    needs = [NEEDS[need] for need in missing]
    return ", ".join(need["missing"] for need in needs), "give " + " and ".join(need["give"] for need in needs)


CutoffRule: TypeAlias = Literal["required", "required for topk", "optional", "none"]
"""Whether ``@k`` belongs to the measure; without it rankings count to their end."""

Rule: TypeAlias = Callable[[Mapping[str, ParamValue], int | None], str | None]
"""(parameters with defaults, cutoff) -> why they do not go together, or None."""


@dataclass(frozen=True, slots=True)
class Span:
    """The numbers from ``low`` to ``high``; the ends belong to it unless ``open``.

    Examples:
        >>> str(Span(0, 1, open=True))
        'strictly between 0 and 1'
        >>> 1 in Span(0, 1)
        True
    """

    low: float
    high: float = math.inf
    open: bool = False

    def __contains__(self, value: float) -> bool:
        if self.open:
            return self.low < value < self.high
        return self.low <= value <= self.high

    def __str__(self) -> str:
        if self.high == math.inf:
            return f"{'above' if self.open else 'at least'} {self.low:g}"
        if self.open:
            return f"strictly between {self.low:g} and {self.high:g}"
        return f"in [{self.low:g}, {self.high:g}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter of a measure, or one option of a re-ranker: what it may be, and what it means.

    Attributes:
        name: As typed ("norm").
        kind: Type of its value.
        default: Value where it is not typed; None for a parameter that has none, or one that depends on the data.
        meaning: One line in plain words.
        choices: The accepted strings, default first; empty for other kinds.
        span: The accepted numbers, or None for any finite one.
        required: Whether it must be typed.
        only_with: Another parameter and the values of it beside which this one means anything.
        chooses: Whether typing this one chooses the first of those values, where none is typed.
    """

    name: str
    kind: Kind = "text"
    default: ParamValue | None = None
    meaning: str
    choices: tuple[str, ...] = ()
    span: Span | None = None
    required: bool = False
    only_with: tuple[str, tuple[str, ...]] | None = None
    chooses: bool = False

    @property
    def accepted(self) -> str:
        """What may be typed, for messages and tables."""
        if self.choices:
            own = [KINDS[self.kind]] if self.kind == "attention" else []
            return " | ".join([*map(repr, self.choices), *own])
        kind = KINDS[self.kind]
        return f"{kind} {self.span}" if self.span else kind

    def check(self, value: object) -> ParamValue:
        """The value as this parameter's type.

        Raises:
            UsageError: If it is of another type or outside what is accepted.
        """
        if self.choices and isinstance(value, str):
            value = next((choice for choice in self.choices if choice.lower() == value.lower()), value)
        checked = _as_kind(value, self.kind)
        is_own = self.kind == "attention" and isinstance(checked, str) and is_attention(checked)
        is_choice = not self.choices or checked in self.choices or is_own
        inside = self.span is None or (isinstance(checked, int | float) and checked in self.span)
        if checked is None or not is_choice or not inside:
            raise UsageError(f"{self.name}={value!r} is not accepted; {self.name}: {self.accepted}")
        return checked


def check_parameters(name: str, accepted: tuple[Parameter, ...], params: Mapping[str, object]) -> dict[str, ParamValue]:
    """Validate typed parameters against those that a measure or a re-ranker has.

    Raises:
        UsageError: For an unknown, missing or wrongly typed one, naming the accepted ones.
    """
    parameters = {parameter.name: parameter for parameter in accepted}
    for typed in params:
        if typed not in parameters:
            names = ", ".join(parameters) or "none"
            raise UsageError(f"{name} has no parameter {typed!r}; it has: {names}")
    for parameter in accepted:
        if parameter.required and parameter.name not in params:
            raise UsageError(f"{name} needs {parameter.name}=…: {parameter.accepted}")
    try:
        return {typed: parameters[typed].check(value) for typed, value in params.items()}
    except UsageError as fault:
        raise UsageError(f"{name}: {fault}") from None


def check_cutoff(name: str, cutoff: object) -> int:
    """A whole number of at least 1.

    Raises:
        UsageError: If it is anything else.
    """
    if isinstance(cutoff, bool) or not isinstance(cutoff, int):
        raise UsageError(f"{name}: a cutoff is a whole number, got @{cutoff!r}")
    if not 1 <= cutoff <= LARGEST_CUTOFF:
        raise UsageError(f"{name}: a cutoff is at least 1 and at most 10^9, got @{cutoff}")
    return cutoff


def _as_kind(value: object, kind: Kind) -> ParamValue | None:
    """The value as ``kind``, whole numbers also as numbers; None where it is something else."""
    match kind, value:
        case "flag", bool():
            return value
        case (("whole" | "number"), bool()):
            return None
        case "whole", int():
            return value
        case "number", (int() | float()):
            return float(value) if abs(value) <= LARGEST_CUTOFF else None
        case (("text" | "attention"), str()):
            return value
        case "gains", dict():
            gains = cast("dict[int, int]", value)
            return dict(gains) if all(isinstance(number, int) for pair in gains.items() for number in pair) else None
        case _:
            return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A measure, described once: pages, tables, axes and the README read this.

    All but its kernels stands in ``fairviz/content/methods/measures.yaml``.

    Attributes:
        name: As typed in measure strings ("EED").
        label: As printed in papers ("EE-D").
        better: Which way it improves at the default parameters.
        range: Smallest and largest value at the default parameters.
        parameters: What may stand in parentheses.
        cutoff: Whether ``@k`` belongs to it.
        needs: What must be loaded, at the default parameters.
        title: In words.
        formula: In plain characters, for terminals.
        latex: The formula for typesetting, without dollar signs.
        summary: What it rewards and what its ends mean, in plain words.
        citation: Paper and section.
        remarks: What a reader of its values must know besides the summary, a sentence or two each.
        needs_when: Choices of parameters that need more or less.
        also_reads: What it reads where it is loaded, and does without.
        rules: Combinations of parameters that have no meaning.
        better_with: A parameter that, once typed, turns the way it improves.
    """

    name: str
    label: str
    better: Better
    range: tuple[float, float]
    parameters: tuple[Parameter, ...]
    cutoff: CutoffRule
    needs: tuple[Need, ...]
    title: str
    formula: str
    latex: str
    summary: str
    citation: str
    remarks: tuple[str, ...] = ()
    needs_when: tuple[When, ...] = ()
    also_reads: tuple[Need, ...] = ()
    rules: tuple[Rule, ...] = ()
    better_with: tuple[str, Better] | None = None

    def direction(self, params: Mapping[str, ParamValue]) -> Better:
        """Which way it improves with these parameters."""
        if self.better_with and self.better_with[0] in params:
            return self.better_with[1]
        return self.better

    def needed(self, params: Mapping[str, ParamValue]) -> tuple[Need, ...]:
        """What must be loaded with these parameters."""
        values = self.with_defaults(params)
        chosen = [
            when
            for when in self.needs_when
            if when.parameter in values and (not when.values or values[when.parameter] in when.values)
        ]
        dropped: set[Need] = {need for when in chosen for need in when.drops}
        needed: dict[Need, None] = {need: None for need in self.needs if need not in dropped}
        needed |= {need: None for when in chosen for need in when.adds}
        return tuple(needed)

    @property
    def needs_words(self) -> str:
        """What it needs, and with which parameters it needs more or less, in one line."""
        names = {need: words["name"] for need, words in NEEDS.items()}
        parts = [", ".join(names[need] for need in self.needs)]
        parts += [f"{names[need]} where there are any" for need in self.also_reads]
        for when in self.needs_when:
            choices = " or ".join(map(repr, when.values))
            named = [names[need] for need in when.adds]
            named += [f"no {names[need].removeprefix('a ')}" for need in when.drops]
            parts.append(f"with {when.parameter}={choices or '…'}: {', '.join(named)}")
        return "; ".join(parts)

    def is_judged(self, params: Mapping[str, ParamValue]) -> bool:
        """Whether it is averaged over the judged queries, where there are judgements."""
        return bool({"qrels", "popularity"} & {*self.needed(params), *self.also_reads})

    def with_defaults(self, params: Mapping[str, ParamValue]) -> dict[str, ParamValue]:
        """All parameters that have a value: typed, chosen by another one that is typed, or by default."""
        values = {p.name: p.default for p in self.parameters if p.default is not None}
        for parameter in self.parameters:
            if parameter.chooses and parameter.only_with and parameter.name in params:
                chosen, choices = parameter.only_with
                values[chosen] = choices[0]
        return values | dict(params)

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
        values = self.with_defaults(params)
        return {
            parameter.name: f"{parameter.only_with[0]}={' or '.join(map(repr, parameter.only_with[1]))}"
            for parameter in self.parameters
            if parameter.name in params
            and parameter.only_with
            and values[parameter.only_with[0]] not in parameter.only_with[1]
        }


def declared(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record of ``methods/measures.yaml`` as the fields of a measure."""
    parameters = tuple(map(_parameter, record["parameters"]))
    needs_when = tuple(When(**_with_tuples(when)) for when in record.get("needs_when", ()))
    return _with_tuples(record) | {"parameters": parameters, "needs_when": needs_when}


def _parameter(entry: str | Mapping[str, str]) -> Parameter:
    """The parameter of a key of ``methods/parameters.yaml``, or of {key: its default for this measure}."""
    key, default = (entry, None) if isinstance(entry, str) else next(iter(entry.items()))
    return parameter_of(key.partition(" of ")[0], content("methods/parameters")[key], default)


def parameter_of(name: str, record: Mapping[str, Any], default: str | None = None) -> Parameter:
    """A parameter as ``content/methods`` declares it; of choices the default comes first.

    Args:
        name: As typed.
        record: Its fields.
        default: Another default than the first choice.
    """
    record = _with_tuples(record)
    choices: tuple[str, ...] = record.get("choices", ())
    if choices:
        first = default or choices[0]
        record |= {"default": first, "choices": (first, *(choice for choice in choices if choice != first))}
    if "span" in record:
        record["span"] = Span(**record["span"])
    for other, values in record.get("only_with", {}).items():
        record["only_with"] = (other, tuple(values))
    return Parameter(name=name, **record)


def _with_tuples(record: Mapping[str, Any]) -> dict[str, Any]:
    lists = {key: tuple(cast("list[Any]", value)) for key, value in record.items() if isinstance(value, list)}
    return {**record, **lists}
