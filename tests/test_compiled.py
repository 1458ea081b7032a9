"""Kernels: what Python may run in place of the compiler comes to the same bits."""

import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairviz import compiled, divergence, exposure, lookup, pool
from fairviz.compiled import Kernel, kernel
from fairviz.io import ids
from fairviz.model import arrays
from fairviz.rerankers import fair_epsilon_greedy

N_DOCS = 12


def _segments(rng: np.random.Generator, n_rows: int, n_segments: int) -> np.ndarray:
    cuts = np.sort(rng.integers(0, n_rows + 1, size=n_segments - 1))
    return np.concatenate([[0], cuts, [n_rows]]).astype(np.int64)


def _added(rng: np.random.Generator) -> tuple[object, ...]:
    docs = np.concatenate([rng.permutation(N_DOCS)[:4] for _ in range(4)]).astype(np.int32)
    offsets = _segments(rng, 30, 4)
    bounds = np.stack([offsets[:-1], offsets[1:]], axis=1)[rng.permutation(4)]
    more, seen_in = rng.integers(0, N_DOCS, size=30).astype(np.int32), np.full(N_DOCS, -1, dtype=np.int32)
    return docs, np.arange(5) * 4, more, bounds, seen_in, np.zeros(46, dtype=np.int32), np.zeros(5, dtype=np.int64)


def _begun(rng: np.random.Generator) -> tuple[object, ...]:
    return rng.integers(0, 50, size=4), _segments(rng, 30, 4), np.zeros(30, dtype=np.int64)


def _ranked(rng: np.random.Generator) -> tuple[object, ...]:
    docs = rng.integers(0, 20, size=8).astype(np.int32)
    return np.sort(rng.integers(0, 3, size=8)), docs, np.full(20, -1, dtype=np.int32)


def _summed(rng: np.random.Generator) -> tuple[object, ...]:
    return rng.random(30), _segments(rng, 30, 4)


def _joined(rng: np.random.Generator) -> tuple[object, ...]:
    pool_docs = np.concatenate([rng.permutation(N_DOCS)[:9] for _ in range(3)]).astype(np.int32)
    queries = np.sort(rng.integers(-1, 3, size=20))
    return queries, rng.integers(-1, N_DOCS, size=20).astype(np.int32), pool_docs, np.arange(4) * 9, N_DOCS


def _put(rng: np.random.Generator) -> tuple[object, ...]:
    return rng.random(12), np.array([0, 5, 5, 12]), np.array([2, -1, 0]), np.array([0, 7, 7, 13]), np.zeros(13)


def _placed(rng: np.random.Generator) -> tuple[object, ...]:
    offsets = _segments(rng, 20, 4)
    return offsets, rng.integers(0, np.diff(offsets) + 1), rng.random(20), np.zeros(20)


def _useful(rng: np.random.Generator) -> tuple[object, ...]:
    return rng.integers(0, 4, size=20) * 0.3, _segments(rng, 20, 4), -np.sort(-rng.random(20)), np.zeros(20)


def _drawn(rng: np.random.Generator) -> tuple[object, ...]:
    offsets = np.array([0, 3, 3, 6])
    docs = np.concatenate([rng.permutation(N_DOCS)[:4] for _ in range(6)]).astype(np.int32)
    pool_docs = np.concatenate([rng.permutation(N_DOCS)[:9] for _ in range(3)]).astype(np.int32)
    codes = np.where(rng.random(N_DOCS) < 0.2, -1, np.arange(N_DOCS)).astype(np.int32)
    weights, satisfied = rng.random(4), rng.random(27)
    found = np.zeros(27), np.zeros(3), np.zeros(3, dtype=np.int64)
    pools = pool_docs, np.arange(4) * 9, np.full(N_DOCS, -1)
    return np.array([2, -1, 0]), offsets, np.arange(7) * 4, docs, codes, *pools, weights, satisfied, *found


def _grouped(rng: np.random.Generator) -> tuple[object, ...]:
    target = rng.choice([0.0, np.nan, 1e-310, 0.3, 0.7], size=(3, 4))
    return rng.random((20, 4)) * (rng.random((20, 4)) < 0.5), _segments(rng, 20, 3), target


def _named(rng: np.random.Generator) -> tuple[object, ...]:
    offsets, rows = _segments(rng, 40, 8), rng.integers(0, 8, size=5)
    new = np.concatenate([[0], np.cumsum(np.diff(offsets)[rows])]).astype(np.int64)
    return rng.integers(0, 256, size=40).astype(np.uint8), offsets, rows, new


def _kinds(rng: np.random.Generator) -> tuple[object, ...]:
    weights, target = rng.random((4, 3)).round(1), rng.choice([0.0, 0.3, 0.7], size=3)
    queues = np.array([0, 4, 8, 1, 5, 8, 2, 6, 8, 3, 7, 8])  # of two items each
    fade = rng.choice([0.5, 1.0], size=(4, 3))
    return weights, weights, fade, queues, np.arange(4) * 3, 8, target, rng.random(8) < 0.5, bool(rng.random() < 0.5)


def _growing(rng: np.random.Generator) -> tuple[object, ...]:
    placed, target = rng.choice([0.0, 1e-310, 0.3], size=4), rng.choice([0.0, 1e-310, 0.7], size=4)
    return rng.random((20, 4)) * (rng.random((20, 4)) < 0.5), placed, target


WORLDS: list[tuple[Kernel[..., object], Callable[[np.random.Generator], tuple[object, ...]]]] = [
    (pool._merge, _added),
    (pool._put_rows, _begun),
    (arrays._sums, _summed),
    (arrays._dots, lambda rng: (rng.random(20), rng.normal(size=20), np.array([0, 7, 7, 20]))),
    (ids.stands_twice, _ranked),
    (pool.find_rows, _joined),
    (pool._put_scores, _put),
    (exposure._accumulate, _drawn),
    (exposure._put_weights, _placed),
    (exposure._share, _useful),
    (divergence.prefix_divergence, _grouped),
    (lookup._gathered, _named),
    (fair_epsilon_greedy._chosen, _kinds),
    (fair_epsilon_greedy.next_divergence, _growing),
    (fair_epsilon_greedy._largest, lambda rng: (rng.random(5).round(1), rng.random(5) < 0.5)),
]
"""Every kernel that says it is exact, and arguments for it."""


def _bits(found: object, arguments: tuple[object, ...]) -> list[bytes]:
    """What a kernel returned, and what it put into its arguments."""
    parts = found if isinstance(found, tuple) else (found,)
    return [np.asarray(part).tobytes() for part in (*parts, *arguments)]


@pytest.mark.parametrize(("exact", "world"), WORLDS, ids=lambda one: getattr(one, "__name__", ""))
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_python_comes_to_the_bits_of_the_compiler(
    exact: Kernel[..., object], world: Callable[[np.random.Generator], tuple[object, ...]], seed: int
) -> None:
    by_python, by_machine = (world(np.random.default_rng(seed)) for _ in range(2))
    with np.errstate(all="ignore"):
        expected = _bits(exact.__wrapped__(*by_python), by_python)
    assert _bits(exact.dispatcher(*by_machine), by_machine) == expected


def test_no_kernel_says_it_is_exact_untested() -> None:
    known = [one for module in list(sys.modules.values()) for one in vars(module).values() if isinstance(one, Kernel)]
    assert {one.__name__ for one in known if one.exact} == {one.__name__ for one, _ in WORLDS}


def test_small_arrays_do_not_wait_for_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    @kernel(exact=True)
    def size(values: np.ndarray) -> int:
        return values.size

    monkeypatch.delitem(sys.modules, "numba", raising=False)
    monkeypatch.setattr(compiled, "_numba", None)  # called, it would raise
    assert size(np.zeros(compiled.SMALL)) == compiled.SMALL
    with pytest.raises(TypeError):
        size(np.zeros(compiled.SMALL + 1))


def test_kernels_load_no_products_of_matrices_and_others_still_find_them() -> None:
    """In a process of its own: here SciPy may be loaded already."""
    program = """
import sys
import numpy as np
from fairviz.divergence import prefix_shares
from fairviz.compiled import Kernel, KERNELS
KERNELS[0].dispatcher
assert "numba" in sys.modules
prefix_shares(np.ones((2, 1)), np.array([0, 2], dtype=np.int64))
print("scipy.linalg" in sys.modules, "scipy.special" in sys.modules)
import numba
print(numba.njit(lambda a: a @ a)(np.full((2, 2), 2.0)).tolist())
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout.splitlines() == ["False False", "[[8.0, 8.0], [8.0, 8.0]]"]
