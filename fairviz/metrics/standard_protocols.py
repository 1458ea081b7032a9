"""What fairviz uses of ir-measures, as types: the package declares none."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from fairviz.model import ParamValue


class Value(Protocol):
    """One value of one query, as ir-measures yields it."""

    query_id: str
    value: float


class ParamInfo(Protocol):
    """A parameter as ir-measures describes it; what is not given is a marker of its own."""

    dtype: object
    required: bool
    choices: list[str] | None
    default: object
    desc: str | None


class StandardMeasure(Protocol):
    """A measure of ir-measures."""

    NAME: str
    AT_PARAM: str
    PRETTY_NAME: str
    SHORT_DESC: str
    SUPPORTED_PARAMS: Mapping[str, ParamInfo]
    params: Mapping[str, ParamValue]

    def __call__(self, **params: ParamValue) -> "StandardMeasure":
        """The measure with more parameters set."""
        ...


class Provider(Protocol):
    """What computes measures."""

    NAME: str

    def supports(self, measure: StandardMeasure) -> bool:
        """Whether it computes this measure with these parameters."""
        ...

    def is_available(self) -> bool:
        """Whether what it wraps is installed."""
        ...

    def iter_calc(
        self,
        measures: Iterable[StandardMeasure],
        qrels: object,
        run: Mapping[str, Mapping[str, float]],
    ) -> Iterator[Value]:
        """Values per query."""
        ...
