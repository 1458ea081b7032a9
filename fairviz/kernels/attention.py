"""How attention falls with rank: the browsing models behind every exposure.

A model maps ranks 1 … depth to weights. ``cutoff`` (shown ``@k``) ends attention after rank k.
In measure strings ``p`` is patience and ``gamma`` the stopping probability.
"""

from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias

import numpy as np

from fairviz.model import FloatArray

Browsing: TypeAlias = Literal["topk", "rbp", "geometric", "log", "dcg"]
"""Names of the rank-only browsing models, as in measure strings."""


@dataclass(frozen=True, slots=True)
class Attention:
    """A browsing model that depends on rank alone, r = 1, 2, ….

    - ``topk``: equal attention to the first k, none below: a generator's context (Kim & Diaz, 3.3.1);
    - ``rbp``: p^(r−1), a reader who goes on to the next rank with chance p (Moffat & Zobel 2008);
    - ``geometric``: γ(1−γ)^(r−1), a reader who stops at each rank with chance γ (Sapiezynski et al. 2019);
    - ``log``: 1/log2(max(r, 2)), ranks 1 and 2 alike (Singh & Joachims 2018 as used by logDP);
    - ``dcg``: 1/log2(r+1), the discount of DCG (Järvelin & Kekäläinen 2002).

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
    """

    browsing: Browsing
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
