"""What an installation gets: every dependency locked by hash, within the bounds that requirements.txt states."""

import re
import sys
import tomllib
import warnings
from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

TOP = Path(__file__).parent.parent


def _runtime() -> list[Requirement]:
    lines = (TOP / "requirements.txt").read_text().splitlines()
    return [Requirement(text) for line in lines if (text := line.partition("#")[0].strip())]


def _requirements() -> list[Requirement]:
    project = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = [*extras["dev"], *extras["test"]]
    return [*_runtime(), *(Requirement(line) for line in wanted if not line.startswith("fairviz"))]


def _locked() -> dict[str, list[Requirement]]:
    """The lock's entries by name; a name has several where platforms or Pythons differ."""
    found: dict[str, list[Requirement]] = {}
    for line in (TOP / "requirements.lock").read_text().splitlines():
        if line and not line.startswith((" ", "#")):
            entry = Requirement(line.rstrip("\\ "))
            found.setdefault(canonicalize_name(entry.name), []).append(entry)
    return found


@pytest.mark.parametrize("wanted", _requirements(), ids=lambda wanted: wanted.name)
def test_every_requirement_is_locked_within_its_bounds(wanted: Requirement) -> None:
    entries = _locked()[canonicalize_name(wanted.name)]
    for entry in entries:
        (pin,) = entry.specifier
        assert pin.operator == "=="
        assert wanted.specifier.contains(pin.version, prereleases=True), "make lock"


def test_every_locked_file_is_known_by_its_hash() -> None:
    blocks = re.split(r"\n(?=\S)", (TOP / "requirements.lock").read_text())
    entries = [block for block in blocks if not block.startswith("#")]
    assert len(entries) > 50
    for entry in entries:
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), entry


def test_every_runtime_dependency_states_the_lowest_version_it_works_with() -> None:
    for wanted in _runtime():
        assert any(bound.operator in {">=", "=="} for bound in wanted.specifier), wanted
        assert wanted.specifier.contains(distribution(wanted.name).version), wanted


def test_dependencies_may_be_compiled_for_the_first_time_while_tests_are_collected() -> None:
    # cwl-eval writes "\_" in a plain string: Python says so when it compiles the file, and only then.
    spec = find_spec("cwl")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    path = Path(spec.submodule_search_locations[0]) / "ruler" / "cwl_ruler.py"
    kind = SyntaxWarning if sys.version_info >= (3, 12) else DeprecationWarning
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        compile(path.read_text(), str(path), "exec")
    assert any(one.category is kind for one in said), "the filter in pyproject.toml can go"
    compile(path.read_text(), str(path), "exec")


def test_our_own_files_are_held_to_their_escapes(tmp_path: Path) -> None:
    with pytest.raises(SyntaxError, match="invalid escape"):
        compile('"\\_"', str(tmp_path / "ours.py"), "exec")
