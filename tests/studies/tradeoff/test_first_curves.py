"""Curves that are kept: the same to the last bit, and none where anything that they depend on is another."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fairviz.attention import TopK
from fairviz.io import snapshot
from fairviz.model import Curve
from fairviz.pool import pool
from fairviz.studies.tradeoff import first_curves
from fairviz.studies.tradeoff.progressive import GrowingCurves
from tests.nouns import qrels_of, run_of

SCORES = {
    "q1": {"a": 5.0, "b": 4.0, "c": 2.0, "d": 1.0, "e": 0.5},
    "q2": {"a": 1.0, "f": 3.0, "g": 2.5, "h": 2.5},
    "q3": {"x": 1.0, "y": 1.0},
}
GRADES = {"q1": {"b": 2, "c": 1, "z": 1}, "q2": {"g": 1}, "q3": {"x": 1}, "q4": {"a": 1}}
WANTED = {"plackett-luce": 9, "optimal": 5, "oracle": 5}


@pytest.fixture(autouse=True)
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A room of its own for what is kept, and a package of one module."""
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "sums.py").write_text("SUMS = 1\n", encoding="utf-8")
    monkeypatch.setattr(snapshot, "_ROOM", tmp_path)
    monkeypatch.setattr(first_curves, "_PACKAGE", tmp_path / "package")
    first_curves._here.cache_clear()
    return tmp_path


@pytest.fixture(autouse=True, scope="module")
def forgotten() -> object:
    """What runs here is looked at again by whoever comes after."""
    yield
    first_curves._here.cache_clear()


def growing(run: dict[str, dict[str, float]] = SCORES, **more: object) -> GrowingCurves:
    pools = pool(run_of(run), qrels_of(GRADES))
    asked = {"system": "sys", "attention": TopK(2), "alphas": np.arange(9.0)} | more
    return GrowingCurves(pools, **asked)  # type: ignore[arg-type]


def grown() -> GrowingCurves:
    """Curves with all that a page shows of them; of three queries one has ties, one judged query was not ranked."""
    curves = growing()
    assert curves.advance("graded", WANTED)  # type: ignore[arg-type]
    curves.oracle_ends("graded")
    for policy in ("deterministic", "uniform"):
        curves.point(policy, "graded")
    return curves


def bits(curve: Curve) -> tuple[object, ...]:
    """All of a curve, numbers as they lie in memory: NaN equals itself, 0 is not −0."""
    arrays = (curve.alphas, curve.disparity, curve.quality, curve.score)
    words = (curve.system, curve.policy, curve.query_ids, curve.x, curve.y, curve.n_samples, curve.n_effective)
    return (*words, *((array.dtype, array.shape, array.tobytes()) for array in arrays))


def test_what_is_recalled_equals_what_is_computed_to_the_last_bit() -> None:
    computed = grown()
    first_curves.keep(computed)
    recalled = growing()
    assert first_curves.recall(recalled)
    assert list(map(bits, recalled.points())) == list(map(bits, computed.points()))
    for place, points in computed._points.items():
        assert {i: bits(point) for i, point in points.items()} == {
            i: bits(point) for i, point in recalled._points[place].items()
        }
    assert recalled.n_points("plackett-luce", "binary") == 9


def test_nothing_is_computed_of_what_was_recalled(monkeypatch: pytest.MonkeyPatch) -> None:
    first_curves.keep(grown())
    recalled = growing()
    first_curves.recall(recalled)
    monkeypatch.setattr(GrowingCurves, "_compute", None)
    monkeypatch.setattr(GrowingCurves, "_frontier", None)
    assert recalled.advance("graded", WANTED)  # type: ignore[arg-type]
    ends = (
        recalled.oracle_ends("graded"),
        recalled.point("deterministic", "graded"),
        recalled.point("uniform", "graded"),
    )
    assert [end.policy for end in ends] == ["oracle", "deterministic", "uniform"]


def test_curves_go_on_from_what_was_recalled() -> None:
    first_curves.keep(grown())
    recalled, whole = growing(), growing()
    first_curves.recall(recalled)
    every = dict.fromkeys(WANTED, 9)
    for curves in (recalled, whole):
        assert curves.advance("graded", every)  # type: ignore[arg-type]
        assert curves.advance("binary", every)  # type: ignore[arg-type]
    assert {bits(curve) for curve in whole.points()} <= {bits(curve) for curve in recalled.points()}


@pytest.mark.parametrize(
    "other",
    [
        {"attention": TopK(3)},
        {"offset": 0.0},
        {"scores": "minmax"},
        {"rel": 2},
        {"alphas": np.arange(9.0) + 1e-12},
        {"system": "another"},
    ],
    ids=lambda other: next(iter(other)),
)
def test_curves_of_other_settings_recall_nothing(other: dict[str, object]) -> None:
    first_curves.keep(grown())
    curves = growing(SCORES, **other)
    assert not first_curves.recall(curves)
    assert curves.points() == ()


def test_curves_of_other_data_recall_nothing() -> None:
    first_curves.keep(grown())
    one = {**SCORES, "q2": {**SCORES["q2"], "h": float(np.nextafter(2.5, 3.0))}}
    assert not first_curves.recall(growing(one))
    assert first_curves.recall(growing())


def test_other_code_recalls_nothing(room: Path) -> None:
    first_curves.keep(grown())
    (room / "package" / "deep").mkdir()
    for name in ("sums.py", "deep/more.py"):
        first_curves._here.cache_clear()
        assert first_curves.recall(growing())
        (room / "package" / name).write_text("SUMS = 2\n", encoding="utf-8")
        first_curves._here.cache_clear()
        assert not first_curves.recall(growing())
        first_curves.keep(grown())


@pytest.mark.parametrize("package", ["numpy", "scipy", "numba", "llvmlite"])
def test_another_version_of_what_computes_recalls_nothing(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first_curves.keep(grown())
    known = first_curves.version
    monkeypatch.setattr(first_curves, "version", lambda name: "0" if name == package else known(name))
    first_curves._here.cache_clear()
    assert not first_curves.recall(growing())


def test_another_processor_recalls_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    first_curves.keep(grown())
    monkeypatch.setattr(np, "show_config", lambda mode: {"SIMD Extensions": {"found": []}})
    first_curves._here.cache_clear()
    assert not first_curves.recall(growing())
    first_curves._here.cache_clear()
    monkeypatch.undo()


def test_another_target_of_the_compiler_recalls_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    first_curves.keep(grown())
    monkeypatch.setenv("NUMBA_CPU_NAME", "generic")
    first_curves._here.cache_clear()
    assert not first_curves.recall(growing())


def test_damaged_curves_are_computed_again_and_kept_again(room: Path) -> None:
    first_curves.keep(grown())
    place = room / "__pycache__" / f"{first_curves.NAME}.nouns"
    whole = place.read_bytes()
    for damaged in (whole[:-1], whole[:40], b"", whole[:200] + bytes([whole[200] ^ 1]) + whole[201:]):
        place.write_bytes(damaged)
        assert not first_curves.recall(growing())
    first_curves.keep(grown())
    assert first_curves.recall(growing())


def test_points_of_other_curves_are_refused() -> None:
    (first, *_) = grown().points()
    for wrong in (replace(first, system="x"), replace(first, y="EU"), replace(first, alphas=first.alphas + 0.5)):
        with pytest.raises(ValueError, match="points of other curves"):
            growing().take([wrong])
