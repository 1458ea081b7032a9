"""Vectors of any server that speaks OpenAI's /v1/embeddings: vLLM, llama.cpp, ollama, a service.

It is asked as language models are: one client, the key from the environment, tries and pace as described.
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, cast

import numpy as np

from fairviz.errors import UndefinedError
from fairviz.experiments.components.openai_server import (
    Body,
    Connection,
    in_flight,
    in_loop,
    key_of_environment,
    running_loop,
)
from fairviz.experiments.components.tables import Endpoint
from fairviz.experiments.components.vectors import Encoded, Vectors
from fairviz.experiments.protocols import Json


class EndpointEncoder:
    """Vectors that a server gives.

    Args:
        parameters: Where it is and how it is asked.
    """

    def __init__(self, parameters: Endpoint) -> None:
        self._parameters = parameters

    @property
    def identity(self) -> Mapping[str, Json]:
        """Component, model and revision as described; where the server stands is no part of it."""
        return {
            "component": "endpoint",
            "model": self._parameters.model,
            "revision": self._parameters.revision,
        }

    def encode(self, texts: Sequence[str]) -> Iterator[Encoded]:
        """Vectors of texts, a request at a time, in the order of their coming.

        Raises:
            UsageError: The package is missing, or the variable that should hold the key is not set.
            UndefinedError: A request was not answered; what came before it is kept.
        """
        if not texts:
            return
        size = self._parameters.batch
        parts = [range(start, min(start + size, len(texts))) for start in range(0, len(texts), size)]
        bodies: Iterator[Body] = (
            {"model": self._parameters.model, "input": [texts[place] for place in part], "encoding_format": "float"}
            for part in parts
        )
        with running_loop() as loop:
            connection = Connection(self._parameters, key_of_environment(self._parameters.key_env))

            def begin(place: int, body: Body) -> Future[tuple[int, Any, str]]:
                return in_loop(loop, connection.embeddings(place, body))

            try:
                for place, said, error in in_flight(bodies, begin, self._parameters.concurrency):
                    vectors = None if error else _vectors(said, len(parts[place]))
                    if vectors is None:
                        reason = error or f"no {len(parts[place])} vectors came back"
                        raise UndefinedError(f"{self._parameters.model}: texts without vectors: {reason}; run it again")
                    yield Encoded(parts[place], vectors)
            finally:
                in_loop(loop, connection.close()).result()


def _vectors(said: Any, n: int) -> Vectors | None:
    """(n, W) the vectors of a response in the order of its indices; None where it is none."""
    listed: Any = cast("dict[str, Any]", said).get("data") if isinstance(said, dict) else None
    try:
        by_index = {int(one["index"]): one["embedding"] for one in listed}
        vectors = np.array([by_index[place] for place in range(n)], dtype=np.float32)
    except (KeyError, TypeError, ValueError):
        return None
    return vectors if len(by_index) == n and vectors.ndim == 2 and vectors.size and np.isfinite(vectors).all() else None
