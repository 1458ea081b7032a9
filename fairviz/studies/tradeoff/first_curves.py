"""The curves that the dashboard shows first, computed once for all processes and found again in milliseconds.

A snapshot (:mod:`fairviz.io.snapshot`) of curves is of all that could change the last bit of a number: candidates,
judgements and policy of the curves, every module of fairviz, the versions of what computes, and the processor, for
which loops are compiled and sums are cut. Where any of these is another, everything is computed again.
"""

import os
import platform
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import cast

import numpy as np

from fairviz.io import snapshot
from fairviz.model import Curve
from fairviz.studies.tradeoff.progressive import GrowingCurves

NAME = "first-curves"
_PACKAGE = Path(__file__).parents[2]
_COMPUTE = ("numpy", "scipy", "numba", "llvmlite")
"""Packages that take part in a number."""
_TOLD = ("NUMBA_", "NPY_", "OPENBLAS_", "MKL_", "OMP_")
"""How environment variables begin that tell them how."""


def recall(curves: GrowingCurves) -> bool:
    """Fill curves with the points that an earlier process kept of the same; whether there were any."""
    found = snapshot.find(NAME, key(curves))
    if not isinstance(found, tuple):
        return False
    points = cast("tuple[Curve, ...]", found)
    curves.take(points)
    return True


def keep(curves: GrowingCurves) -> None:
    """Keep the points of curves, unless these are kept already."""
    if snapshot.find(NAME, key(curves)) is None:
        snapshot.keep(NAME, key(curves), curves.points())


def key(curves: GrowingCurves, *about: str, code: Sequence[Path] = ()) -> bytes:
    """What a snapshot is of that depends on curves.

    Args:
        curves: With their candidates, judgements and policy.
        about: What else it depends on.
        code: Modules outside of the package that take part.
    """
    return snapshot.digest("\n".join((_here(), curves.asked, *about)), code)


@cache
def _here() -> str:
    """Digest of the modules that run here, and of what runs them."""
    return snapshot.digest("\n".join(_computing()), sorted(_modules(_PACKAGE))).hex()


def _modules(folder: Path) -> Iterator[Path]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                yield Path(entry.path)
            elif entry.is_dir() and entry.name != "__pycache__":
                yield from _modules(Path(entry.path))


def _computing() -> Iterator[str]:
    """Packages, settings and processor, a line each."""
    yield platform.machine()
    yield from (f"{package} {version(package)}" for package in _COMPUTE)
    yield from sorted(f"{name}={value}" for name, value in os.environ.items() if name.startswith(_TOLD))
    shown = cast("dict[str, object]", np.show_config(mode="dicts"))
    yield repr(shown.get("SIMD Extensions"))
