"""What holding systems to limits can be set to."""

from dataclasses import dataclass

from fairviz.display.methods import AgainstTarget
from fairviz.errors import UsageError
from fairviz.io.limit_statements import OF_BIAS, Limit, limit_of, read_limits
from fairviz.kernels.attention import Browsing, is_attention
from fairviz.metrics.catalogue import parse_measure
from fairviz.points.limits import POWER
from fairviz.studies.shared import OWN_TOO
from fairviz.studies.study import Settings, of_files, option

OF_SOURCES = ("given", "cited")
"""Shares of documents in recorded outputs."""


def of_measure(limit: Limit) -> bool:
    """Whether a limit is about a measure; else about a share of attention or of documents, or answers."""
    return limit.quantity.partition(".")[0] not in ("share", *OF_SOURCES, *OF_BIAS, "dp")


def statements(text: str) -> tuple[str, ...]:
    """Limits with a semicolon between them.

    Raises:
        ValueError: One is none.
    """
    return tuple(limit_of(part).text for part in text.split(";") if part.strip())


def refuse_unknown(text: str) -> None:
    """Refuse what is no limit, or one that no data can be held to.

    Raises:
        ValueError: It is none.
        UsageError: Its measure is not known, or it has no baseline, or no such side.
    """
    limit = limit_of(text)
    kind, _, rest = limit.quantity.partition(".")
    if of_measure(limit):
        parse_measure(limit.quantity)
    elif limit.beside_baseline:
        raise UsageError("measures alone are compared with a baseline: give a number")
    elif kind == "dp" and limit.at_least:
        raise UsageError(f"a gap between groups is kept small: write dp.{rest} <= NUMBER")


def statements_in_file(text: str) -> str:
    """The limits of a file whose name ends in ``.toml``; any other text as it is.

    Raises:
        InputError: The file cannot be read, or has something else.
    """
    name = text.strip()
    return "; ".join(read_limits(name, refuse_unknown).value) if name.lower().endswith(".toml") else text


@dataclass(frozen=True, kw_only=True)
class CheckSettings(Settings):
    """Limits, and what their values are of.

    Attributes:
        judgements: Place of those that retrieved documents are pooled with.
        against: Groups, and the target of measures that are about one.
    """

    formats = ("junit",)

    limits: tuple[str, ...] = option(
        (),
        "a file of limits, LIMITS.toml, or one such as 'nDCG@10 >= 0.4'; several have a semicolon between them, and "
        "it may be given more than once",
        flags=("-l", "--limits"),
        metavar="LIMITS",
        read=statements,
        write="; ".join,
        file=statements_in_file,
    )
    baseline: str = option(
        "",
        "what limits beside a baseline are beside, by name, or a study file, STUDY.fairviz (default: the first run); "
        "one that is named is held to limits of its own alone",
    )
    strict: bool = option(False, "a limit of which nobody can tell ends with exit code 3")
    breach: float | None = option(
        None, "in table plan: how many queries find a value that is so far beyond its limit", low=0
    )
    power: float = option(
        POWER, "chance of finding a breach, of how many queries that takes and how small it may be", low=0.5, high=0.99
    )
    k: int = option(10, "ranks that count in shares of attention", low=1)
    browsing: Browsing | str = option(
        "dcg", f"how attention falls with rank, for shares of attention{OWN_TOO}", own=is_attention
    )
    seed: int = option(0, "seed of the bootstrap")
    judgements: int = of_files(0)
    against: AgainstTarget | None = of_files()


SETTINGS = CheckSettings
