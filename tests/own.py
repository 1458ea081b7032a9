"""What tests add to fairviz is gone after them."""

from collections.abc import Iterator
from typing import cast

import pytest

from fairviz.io.formats import FORMATS
from fairviz.kernels.attention import OWN
from fairviz.metrics.catalogue import CATALOGUE
from fairviz.metrics.standard import is_defined, registry
from fairviz.reranking.catalogue import RERANKERS


@pytest.fixture
def nothing_added() -> Iterator[None]:
    """Measures, re-rankers, attention and formats are after the test what they were before."""
    measures, rerankers, formats, attention = dict(CATALOGUE), list(RERANKERS), list(FORMATS), dict(OWN)
    yield
    for name in [name for name, measure in registry().items() if is_defined(measure)]:
        del cast("dict[str, object]", registry())[name]
    CATALOGUE.clear()
    CATALOGUE.update(measures)
    OWN.clear()
    OWN.update(attention)
    RERANKERS[:], FORMATS[:] = rerankers, formats
