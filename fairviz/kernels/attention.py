"""How attention falls with rank: the browsing models behind every exposure.

A model maps ranks 1 … depth to weights. ``cutoff`` (shown ``@k``) ends attention after rank k.
In measure strings ``p`` is patience and ``gamma`` the stopping probability. A model of people's own is a function of
one rank, known by its name, or the weights themselves: ``"1,0.6,0.4"``, and nothing below.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from fairviz.errors import UsageError
from fairviz.extras import load_entry_points
from fairviz.model import FloatArray
from fairviz.remembered import forget

Browsing: TypeAlias = Literal["topk", "rbp", "geometric", "log", "dcg"]
"""Names of the rank-only browsing models, as in measure strings."""
OWN: dict[str, Callable[[int], Any]] = {}
"""Models of people's own, by their names."""
_WEIGHTS = re.compile(r"\s*[0-9.][0-9.e+-]*\s*(,\s*[0-9.][0-9.e+-]*\s*)*", re.IGNORECASE)
_NAME = re.compile(r"[^\W\d][\w-]*")


def add_attention(name: str, function: Callable[[int], Any]) -> None:
    """Put a model of somebody's own beside the others; one of its name takes the place of an earlier own one.

    Raises:
        UsageError: A model of fairviz has the name, or it is none.
    """
    if name in (*get_args(Browsing), "cascade"):
        raise UsageError(f"{name} is the name of another attention: choose one of your own")
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} is no name of an attention: write letters, digits, - and _")
    OWN[name] = function
    forget()


def own_attention() -> tuple[str, ...]:
    """Names of people's own models, those of installed packages among them."""
    load_entry_points("attention")
    return tuple(OWN)


def is_attention(text: str) -> bool:
    """Whether a text names a model, or is weights by rank with commas between them.

    Raises:
        UsageError: It is weights that attention cannot be.

    Examples:
        >>> is_attention("rbp"), is_attention("1, .6, .4"), is_attention("steep")
        (True, True, False)
    """
    if _WEIGHTS.fullmatch(text):
        return bool(_listed(text))
    return text in get_args(Browsing) or text in OWN or text in own_attention()


@lru_cache(maxsize=256)
def _listed(text: str) -> tuple[float, ...]:
    """Weights by rank as they were typed.

    Raises:
        UsageError: One is no number, or they are none that attention can be.
    """
    try:
        weights = tuple(map(float, text.split(",")))
    except ValueError:
        raise UsageError(f"attention {text[:40]}: expected numbers with commas between them") from None
    return _falling(text, weights)


@lru_cache(maxsize=256)
def _computed(name: str, function: Callable[[int], Any], depth: int) -> tuple[float, ...]:
    """Weights of ranks 1 … depth by an own function.

    Raises:
        UsageError: It fails, or its weights are none that attention can be.
    """
    try:
        weights = tuple(float(function(rank)) for rank in range(1, depth + 1))
    except Exception as error:  # whatever somebody's own function raises is about their function
        raise UsageError(f"attention {name}: {type(error).__name__}: {error}") from error
    return _falling(name, weights)


def _falling(name: str, weights: tuple[float, ...]) -> tuple[float, ...]:
    """Weights that are finite, above 0 at the first rank, at least 0 at all, and never rise.

    Raises:
        UsageError: They are not, with the first rank at which that is so.
    """
    before = math.inf
    for rank, weight in enumerate(weights, start=1):
        if not 0 <= weight <= before or math.isinf(weight) or (rank == 1 and weight == 0):
            least = "above 0" if rank == 1 else f"at least 0 and at most {before:g}, that of the rank above"
            raise UsageError(f"attention {name[:40]}: {weight:g} at rank {rank}: expected {least}")
        before = weight
    return weights


@dataclass(frozen=True, slots=True)
class Attention:
    """A browsing model that depends on rank alone, r = 1, 2, ….

    - ``topk``: equal attention to the first k, none below: a generator's context (Kim & Diaz, 3.3.1);
    - ``rbp``: p^(r−1), a reader who goes on to the next rank with chance p (Moffat & Zobel 2008);
    - ``geometric``: γ(1−γ)^(r−1), a reader who stops at each rank with chance γ (Sapiezynski et al. 2019);
    - ``log``: 1/log2(max(r, 2)), ranks 1 and 2 alike (Singh & Joachims 2018 as used by logDP);
    - ``dcg``: 1/log2(r+1), the discount of DCG (Järvelin & Kekäläinen 2002);
    - weights by rank, as in ``"1,0.6,0.4"``, and 0 below; or the name of an own function of the rank.

    Attributes:
        browsing: Its name, as in measure strings.
        cutoff: Last rank that gets attention; None: all do.
        patience: p of ``rbp``.
        stopping: γ of ``geometric``.

    Examples:
        >>> Attention("rbp", patience=0.5).weights(3)
        array([1.  , 0.5 , 0.25])
        >>> TopK(2).weights(4)
        array([1., 1., 0., 0.])
        >>> Attention("1,0.6").weights(3)
        array([1. , 0.6, 0. ])
    """

    browsing: Browsing | str
    cutoff: int | None = None
    patience: float = 0.8
    stopping: float = 0.5

    def __post_init__(self) -> None:
        if self.browsing == "topk" and self.cutoff is None:
            raise ValueError("browsing 'topk' needs a cutoff: write @k, for example @5")
        if self.browsing == "rbp":
            _check_chance(self.patience, "patience p")
        if self.browsing == "geometric":
            _check_chance(self.stopping, "stopping probability gamma")
        if not is_attention(self.browsing):
            raise ValueError(f"{self.browsing!r} is no attention: {', '.join((*get_args(Browsing), *OWN))}")
        _check_cutoff(self.cutoff)

    def weights(self, depth: int) -> FloatArray:
        """Attention at ranks 1 … ``depth``, falling; 0 after the cutoff."""
        ranks = np.arange(1, depth + 1, dtype=np.float64)
        match self.browsing:
            case "topk":
                weights = np.ones(depth)
            case "rbp":
                weights = np.power(self.patience, ranks - 1)
            case "geometric":
                weights = self.stopping * np.power(1 - self.stopping, ranks - 1)
            case "log":
                weights = 1 / np.log2(np.maximum(ranks, 2))
            case "dcg":
                weights = 1 / np.log2(ranks + 1)
            case name if name in OWN:
                weights = np.array(_computed(name, OWN[name], depth))
            case text:
                listed = _listed(text)[:depth]
                weights = np.pad(listed, (0, depth - len(listed)))
        return _cut(weights, self.cutoff)


TopK, Discounted = partial(Attention, "topk"), partial(Attention, "dcg")
"""The two models that are used most, of which the cutoff alone is named."""


@dataclass(frozen=True, slots=True)
class Cascade:
    """p^(r−1) ∏_{j<r}(1−φ(gain_j)): a reader who may be satisfied on the way (GERR).

    φ = phi · gain / largest grade. Attention depends on the ranking's gains, so it is defined for
    rankings, not for a rank alone, and has no attainable bounds (Diaz et al. 2020, 4.1).
    """

    patience: float = 0.8
    phi: float = 0.5
    cutoff: int | None = None

    def __post_init__(self) -> None:
        _check_chance(self.patience, "patience p")
        if not 0 <= self.phi <= 1:
            raise ValueError(f"phi must lie in [0, 1], got {self.phi}")
        _check_cutoff(self.cutoff)

    def weights(self, depth: int) -> FloatArray:
        """p^(r−1) at rank r: what is left where nothing above satisfies."""
        return _cut(np.power(self.patience, np.arange(depth, dtype=np.float64)), self.cutoff)


def _cut(weights: FloatArray, cutoff: int | None) -> FloatArray:
    if cutoff is not None:
        weights[cutoff:] = 0
    return weights


def _check_chance(value: float, what: str) -> None:
    if not 0 < value < 1:
        raise ValueError(f"{what} must lie strictly between 0 and 1, got {value}")


def _check_cutoff(cutoff: int | None) -> None:
    if cutoff is not None and cutoff < 1:
        raise ValueError(f"a cutoff is at least 1, got {cutoff}")
