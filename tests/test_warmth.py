"""What is known of compiled kernels without NumPy: true until anything changes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fairviz import warmth


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package of two modules, one with a kernel that is compiled."""
    package = tmp_path / "package"
    (package / "room" / "__pycache__").mkdir(parents=True)
    (package / "loops.py").write_text("LOOPS = 1\n", encoding="utf-8")
    (package / "room" / "sums.py").write_text("SUMS = 1\n", encoding="utf-8")
    kernel(package).write_bytes(b"machine code")
    return package


def kernel(package: Path) -> Path:
    return package / "room" / "__pycache__" / "sums.total-1.py311.nbi"


def test_it_is_known_once_it_was_found_out(package: Path) -> None:
    assert not warmth.is_known(package)
    warmth.keep([kernel(package)], package)
    assert warmth.is_known(package)


def test_a_changed_module_is_not_known(package: Path) -> None:
    warmth.keep([kernel(package)], package)
    module = package / "room" / "sums.py"
    then = module.stat()
    module.write_text("SUMS = 22\n", encoding="utf-8")
    os.utime(module, ns=(then.st_atime_ns, then.st_mtime_ns))
    assert not warmth.is_known(package), "another size"
    module.write_text("SUMS = 1\n", encoding="utf-8")
    os.utime(module, ns=(then.st_atime_ns, then.st_mtime_ns))
    assert warmth.is_known(package)
    os.utime(module, ns=(then.st_atime_ns, then.st_mtime_ns + 1_000_000))
    assert not warmth.is_known(package), "another time"


def test_a_new_module_is_not_known(package: Path) -> None:
    warmth.keep([kernel(package)], package)
    (package / "room" / "more.py").touch()
    assert not warmth.is_known(package)


def test_another_numba_is_not_known(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    warmth.keep([kernel(package)], package)
    monkeypatch.setattr(warmth, "version", lambda name: f"another {name}")
    assert not warmth.is_known(package)


def test_machine_code_that_is_gone_is_not_known(package: Path) -> None:
    warmth.keep([kernel(package)], package)
    kernel(package).unlink()
    assert not warmth.is_known(package)


@pytest.mark.parametrize("damage", [b"", b"\n", b"\xff\xfe", b"0" * 64])
def test_a_damaged_note_says_nothing(package: Path, damage: bytes) -> None:
    warmth.keep([kernel(package)], package)
    next((package / "__pycache__").glob("kernels.*")).write_bytes(damage)
    assert not warmth.is_known(package)


def test_a_kernel_of_somebody_else_is_left_out(package: Path, tmp_path: Path) -> None:
    warmth.keep([kernel(package), tmp_path / "elsewhere.nbi"], package)
    assert warmth.is_known(package)


def test_where_nothing_can_be_kept_nothing_is_known(package: Path) -> None:
    (package / "__pycache__").write_text("no folder", encoding="utf-8")
    warmth.keep([kernel(package)], package)
    assert not warmth.is_known(package)


def test_a_launcher_that_knows_loads_no_numpy() -> None:
    """All kernels are compiled, here or before; then asking needs neither NumPy nor a kernel's module."""
    program = """
import sys
from fairviz.cli.app import _warm_up
_warm_up()
print("numpy" in sys.modules)
"""
    root = Path(__file__).parents[1]
    subprocess.run([sys.executable, "-c", "from fairviz.warm_up import warm_up; warm_up()"], cwd=root, check=True)
    done = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
