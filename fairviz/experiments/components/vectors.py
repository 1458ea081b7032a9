"""Vectors of texts or of pairs of them, each computed once: what an encoder offers, and where it is kept."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from fairviz.experiments.protocols import Json, Numbers
from fairviz.experiments.store import key_of
from fairviz.model import FloatArray

Vectors: TypeAlias = NDArray[np.float32]
"""Single precision, as they come from models and are stored."""

Text = TypeVar("Text", str, tuple[str, str])
"""A text, or a pair such as premise and hypothesis."""

Given = TypeVar("Given", str, tuple[str, str], contravariant=True)

AT_ONCE = 4096
"""Vectors read from the store at once."""


class Encoded(NamedTuple):
    """Vectors of some of the texts that an encoder was given.

    Attributes:
        places: (B) which texts.
        vectors: (B, W) theirs.
    """

    places: Sequence[int]
    vectors: Vectors


class Encoder(Protocol[Given]):
    """Gives every text a vector."""

    @property
    def identity(self) -> Mapping[str, Json]:
        """Component and revision of the weights: with a text they say which vector this is."""
        ...

    def encode(self, texts: Sequence[Given]) -> Iterator[Encoded]:
        """Vectors of texts in parts, as they come."""
        ...


def encoded(texts: Sequence[Text], encoder: Encoder[Text], numbers: Numbers | None) -> dict[Text, Vectors]:
    """(W) the vector of each distinct text.

    Each part is stored as soon as it is there, so that whatever stops a run, the next one computes, or pays for, what
    is missing and nothing else.

    Args:
        texts: Equal ones are encoded once.
        encoder: Gives vectors.
        numbers: Where vectors are kept; None keeps nothing.
    """
    distinct = list(dict.fromkeys(texts))
    keys = [key_of({**encoder.identity, "text": text}) for text in distinct]
    vectors: dict[Text, Vectors] = {}
    missing: list[int] = []
    for start in range(0, len(keys), AT_ONCE):
        part = keys[start : start + AT_ONCE]
        stored: Mapping[str, FloatArray] = numbers.arrays(part) if numbers else {}
        for place, key in enumerate(part, start=start):
            if key in stored:
                vectors[distinct[place]] = stored[key].astype(np.float32)
            else:
                missing.append(place)
    for places, given in encoder.encode([distinct[place] for place in missing]):
        of_part = [missing[place] for place in places]
        if numbers:
            numbers.keep({keys[place]: vector for place, vector in zip(of_part, given.astype(np.float64), strict=True)})
        vectors.update(zip((distinct[place] for place in of_part), given, strict=True))
    return vectors
