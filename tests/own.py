"""What tests add to fairviz is gone after them."""

from collections.abc import Iterator

import pytest

from fairviz.io.formats import FORMATS
from fairviz.metrics.catalogue import CATALOGUE
from fairviz.reranking.catalogue import RERANKERS


@pytest.fixture
def nothing_added() -> Iterator[None]:
    """Measures, re-rankers and formats are after the test what they were before."""
    measures, rerankers, formats = dict(CATALOGUE), list(RERANKERS), list(FORMATS)
    yield
    CATALOGUE.clear()
    CATALOGUE.update(measures)
    RERANKERS[:], FORMATS[:] = rerankers, formats
