"""Checks of the arrays that nouns hold."""

import numpy as np
import pytest

from fairviz.model.arrays import check_indices


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_indices_lie_within(dtype: type[np.signedinteger]) -> None:
    for inside in ([], [0], [2, 0, 1]):
        check_indices(np.array(inside, dtype=dtype), 3, "documents")
    for outside in ([3], [-1], [0, np.iinfo(dtype).max], [np.iinfo(dtype).min, 2]):
        with pytest.raises(ValueError, match="documents: indices must lie in 0 … 2"):
            check_indices(np.array(outside, dtype=dtype), 3, "documents")
        with pytest.raises(ValueError, match="indices"):
            check_indices(np.array([*outside, 0, 1], dtype=dtype)[::-1][1:], 3, "documents")
