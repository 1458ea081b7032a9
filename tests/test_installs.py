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

from fairviz.extras import PRINTS, SERVES, installing

TOP = Path(__file__).parent.parent
HOOK = tomllib.loads((TOP / "pyproject.toml").read_text())["tool"]["hatch"]["metadata"]["hooks"]["requirements_txt"]
FILES: dict[str, list[str]] = HOOK["optional-dependencies"]
"""Of each extra."""

NAMED = r"(?:installing\(\[['\"]|, extra=\")(\w+)"
"""An extra as messages and components name it."""


def _listed(file: str) -> list[Requirement]:
    lines = (TOP / file).read_text().splitlines()
    texts = (line.partition("#")[0].strip() for line in lines)
    return [Requirement(text) for text in texts if text and not text.startswith("-r ")]


def _runtime() -> list[Requirement]:
    return [*_listed("requirements/core.txt"), *_listed("requirements.txt")]


def _requirements() -> list[Requirement]:
    """All that tests and checks run on: what brings it, and what that brings."""
    found, extras = list[Requirement](), ["dev"]
    for extra in extras:  # which grows
        for wanted in _listed(*FILES[extra]):
            extras += sorted(wanted.extras) if wanted.name == "fairviz" else []
            found += [] if wanted.name == "fairviz" else [wanted]
    return [*_listed("requirements/core.txt"), *found]


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


def test_an_extra_is_a_file_and_requirements_txt_is_all_that_the_dashboard_needs() -> None:
    assert HOOK["files"] == ["requirements/core.txt"]
    assert {file for files in FILES.values() for file in files} == {
        "requirements.txt",
        *(f"requirements/{path.name}" for path in (TOP / "requirements").iterdir() if path.stem != "core"),
    }
    assert FILES["app"] == ["requirements.txt"]
    assert "-r requirements/core.txt" in (TOP / "requirements.txt").read_text().splitlines()
    assert {wanted.name for wanted in _listed("requirements.txt")} == set(SERVES)
    named = {extra for path in (TOP / "fairviz").rglob("*.py") for extra in re.findall(NAMED, path.read_text())}
    assert {*named, *PRINTS.values()} <= set(FILES), "an extra that there is not"
    assert named > {"dense", "llm", "torch"}


def test_figures_for_papers_need_one_extra_alone() -> None:
    """Whoever has the core is told one extra, and it brings all that is needed."""
    assert set(PRINTS.values()) == {"print"}
    assert {wanted.name for wanted in _listed("requirements/print.txt")} == set(PRINTS)


def test_the_command_that_installs_an_extra_is_of_this_python_and_this_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """``pip install "fairviz[print]"`` would find nothing: fairviz is in no index."""
    assert installing(["print", "llm"]) == f'{sys.executable} -m pip install -e "{TOP.resolve()}[print,llm]"'
    monkeypatch.setattr("fairviz.extras.CHECKOUT", tmp_path)
    monkeypatch.setattr(sys, "executable", "/my env/bin/python")
    assert installing(["print"]) == '"/my env/bin/python" -m pip install "fairviz[print]"'


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
