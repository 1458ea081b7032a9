"""Settings that several studies have: how relevance is counted, how scores become policies, how attention falls.

And what studies of recorded answers share: from how many unread ones on something is said, and nothing more is.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fairviz.display.words import DOCUMENTS
from fairviz.errors import UsageError
from fairviz.io.targets import read_statements
from fairviz.kernels.attention import Attention, Browsing, is_attention
from fairviz.kernels.exposure import Gain
from fairviz.model import ScoreScale
from fairviz.numerals import count
from fairviz.studies.study import Settings, option

UNREAD_NOTED = 2.0
"""Percent of unread answers above which it is said at the top."""
MOST_UNREAD = 20.0
"""Percent of unread answers above which there is no verdict."""
USUAL_K = 5
"""Documents shown where nobody says it."""


# Fairness control as people write it: a value, a list, a grid.


MAX_POINTS = 10_000
LARGEST_ALPHA = 1000.0
"""2^α is then still a number, and the exposure exact."""


def alpha_grid(text: str) -> tuple[float, ...]:
    """The values of a grid.

    Raises:
        UsageError: Naming what is expected.

    Examples:
        >>> alpha_grid("0:8:5")
        (0.0, 2.0, 4.0, 6.0, 8.0)
        >>> alpha_grid("0, 0.5, 8")
        (0.0, 0.5, 8.0)
    """
    parts = text.split(":")
    if len(parts) == 1:
        values = tuple(_alpha(part, text) for part in text.split(",") if part.strip())
        return values or (_refuse(text),)
    if len(parts) != 3 or not parts[2].strip().isdecimal():
        _refuse(text)
    low, high, n = _alpha(parts[0], text), _alpha(parts[1], text), int(parts[2])
    if not 1 <= n <= MAX_POINTS or (n == 1 and low != high):
        _refuse(text, f"; n is at least 2 and at most {count(MAX_POINTS)}")
    steps = max(n - 1, 1)
    return tuple(low + (high - low) * (i / steps) for i in range(n))


def grid_text(alphas: Sequence[float]) -> str:
    """A grid of α as commands take it.

    Examples:
        >>> grid_text([0.0, 4.0, 8.0]), grid_text([0.0, 1.0, 8.0])
        ('0:8:3', '0,1,8')
    """
    low, high, n = alphas[0], alphas[-1], len(alphas)
    even = n > 1 and all(alpha == low + (high - low) * (i / (n - 1)) for i, alpha in enumerate(alphas))
    return f"{low!r}:{high!r}:{n}".replace(".0:", ":") if even else ",".join(f"{alpha:.17g}" for alpha in alphas)


def _alpha(part: str, text: str) -> float:
    try:
        value = float(part)
    except ValueError:
        return _refuse(text)
    if not (math.isfinite(value) and 0 <= value <= LARGEST_ALPHA):
        _refuse(text, f"; α lies in 0 … {LARGEST_ALPHA:g}")
    return value


def _refuse(text: str, more: str = "") -> float:
    raise UsageError(f"--alpha {text}: expected lo:hi:n or a comma-separated list{more}")


@dataclass(frozen=True, kw_only=True)
class Relevance(Settings):
    """How relevance is counted."""

    rel: int | None = option(
        None, "smallest relevant grade: a document is useful or not (default: as useful as its grade)", low=1
    )

    @property
    def usefulness(self) -> tuple[Gain, int]:
        """How relevance is counted, and the smallest useful grade: a threshold means binary."""
        return ("graded" if self.rel is None else "binary"), self.rel or 1


@dataclass(frozen=True, kw_only=True)
class OfScores(Relevance):
    """How scores become policies."""

    scores: ScoreScale = option(
        "given",
        "what plackett-luce and optimal see of the scores of a query: given, min-max, depends on how scores are "
        "spaced; ranks, min-max of the ranks, on their order alone; zscore, max(0, 1/2 + z/4), gives every query the "
        "same spread",
    )
    offset: int = option(1, "logit = (score + offset)^alpha: 1 as the published code, 0 as printed", low=0, high=1)

    @property
    def policies_of(self) -> dict[str, Any]:
        """What :class:`~fairviz.points.curves.PolicySettings` needs to know of this, attention apart."""
        gain, rel = self.usefulness
        return {"offset": self.offset, "gain": gain, "rel": rel, "scores": self.scores}


@dataclass(frozen=True, kw_only=True)
class AlongAlpha(OfScores):
    """Policies of scores along fairness control."""

    alpha: tuple[float, ...] = option(
        (),
        "fairness control of policies made from runs, lo:hi:n (both ends included) or a list; several are joined "
        "(default 0:8:33, of large runs 0:8:17)",
        low=0,
        high=LARGEST_ALPHA,
        metavar="GRID",
        read=alpha_grid,
        write=grid_text,
    )


LONGEST_UNIT = 30
"""Characters of the name of what is ranked."""
_UNIT = re.compile(r"[^\W\d_]+(?:[ '’-][^\W\d_]+)*")


def is_unit(text: str) -> bool:
    """Whether a text can name what is ranked: a noun or a few words, of letters alone.

    Examples:
        >>> is_unit("job seekers"), is_unit("shops, sources"), is_unit("")
        (True, False, False)
    """
    return len(text) <= LONGEST_UNIT and _UNIT.fullmatch(text) is not None


@dataclass(frozen=True, kw_only=True)
class Naming(Settings):
    """What is ranked has a name in every sentence."""

    unit: str = option(DOCUMENTS, "what is ranked, a noun in the plural: applicants, shops, sources", metavar="NOUN")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not is_unit(self.unit):
            expected = f"expected a noun in the plural, of at most {LONGEST_UNIT} letters"
            raise UsageError(f"--unit: {expected}, got {self.unit[:40]!r}")


def named_statements(text: str) -> tuple[str, ...]:
    """A proposal with its statements as JSON on one line.

    Args:
        text: ``NAME=JSON``.

    Raises:
        InputError: The statements cannot be read.
        ValueError: There is no name, or no JSON after it.
    """
    name, _, statements = (part.strip() for part in text.partition("="))
    if not name or not statements.startswith("{"):
        raise ValueError(f"expected NAME=JSON or NAME=FILE, got {text[:40]!r}")
    return (f"{name}={read_statements((f'--proposal {name}', statements.encode())).value}",)


def statements_in_file(text: str) -> str:
    """``NAME=JSON`` of ``NAME=FILE``, as it is otherwise.

    Raises:
        InputError: The file cannot be read.
    """
    name, _, statements = (part.strip() for part in text.partition("="))
    return f"{name}={statements_or_file(statements)}" if name and statements else text


def statements_or_file(text: str) -> str:
    """JSON as it is, or what a file of that name holds.

    Raises:
        InputError: The file cannot be read.
    """
    return text if not text or text.lstrip().startswith("{") else read_statements(text).value


@dataclass(frozen=True, kw_only=True)
class Proposing(Settings):
    """Statements under a name, to compare with others."""

    proposals: tuple[str, ...] = option(
        (),
        "statements under a name, as JSON or in a file, to compare with others; may be given more than once",
        flags=("--proposal",),
        metavar="NAME=JSON",
        read=named_statements,
        file=statements_in_file,
    )


OWN_TOO = "; or a name of your own, or weights by rank such as 1,0.6,0.4"


@dataclass(frozen=True, kw_only=True)
class Attended(Settings):
    """How attention falls with rank."""

    k: int | None = option(
        None, f"documents shown (default of --attention topk: {USUAL_K}), else where attention is cut", low=1
    )
    attention: Browsing | str = option(
        "topk", f"how attention falls with rank: topk is equal to the first k, none below{OWN_TOO}", own=is_attention
    )
    p: float = option(0.8, "chance of going on to the next rank, for rbp", flags=("--p",))
    gamma: float = option(0.5, "chance of stopping at each rank, for geometric")

    @property
    def shown(self) -> int | None:
        """Documents shown, or where attention is cut; None: nowhere."""
        return self.k or (USUAL_K if self.attention == "topk" else None)

    def browsing(self) -> Attention:
        """The browsing model.

        Raises:
            UsageError: A parameter is out of range.
        """
        try:
            return Attention(self.attention, cutoff=self.shown, patience=self.p, stopping=self.gamma)
        except ValueError as error:
            raise UsageError(str(error)) from None
