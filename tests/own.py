"""What tests add to fairviz is gone after them."""

from collections.abc import Iterator

import pytest

from fairviz.io.formats import FORMATS
from fairviz.kernels.attention import OWN
from fairviz.metrics.catalogue import CATALOGUE
from fairviz.reranking.catalogue import RERANKERS


@pytest.fixture
def nothing_added() -> Iterator[None]:
    """Measures, re-rankers, attention and formats are after the test what they were before."""
    measures, rerankers, formats, attention = dict(CATALOGUE), list(RERANKERS), list(FORMATS), dict(OWN)
    yield
    CATALOGUE.clear()
    CATALOGUE.update(measures)
    OWN.clear()
    OWN.update(attention)
    RERANKERS[:], FORMATS[:] = rerankers, formats
