"""What an installation gets: the dependencies that pyproject.toml states, locked by hash in uv.lock."""

import re
import sys
import tomllib
import warnings
from functools import cache
from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hatchling.builders.sdist import SdistBuilder
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from fairviz.extras import PRINTS, SERVES, installing

TOP = Path(__file__).parent.parent
PROJECT = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]

NAMED = r"(?:installing\(\[['\"]|, extra=\")(\w+)"
"""An extra as messages and components name it."""


@cache
def _locked() -> list[dict[str, Any]]:
    """The packages of uv.lock."""
    return tomllib.loads((TOP / "uv.lock").read_text())["package"]


def _runtime() -> list[Requirement]:
    """The core, and what the dashboard adds to it."""
    return [Requirement(text) for text in (*PROJECT["dependencies"], *EXTRAS["app"])]


def _exported() -> dict[Requirement, set[str]]:
    """The entries of requirements.txt with the hashes of their files."""
    blocks = re.split(r"\n(?=[a-z])", (TOP / "requirements.txt").read_text())
    return {
        Requirement(block.partition("\\")[0]): set(re.findall(r"--hash=(sha256:[0-9a-f]{64})", block))
        for block in blocks
        if not block.startswith("#")
    }


def test_every_locked_file_is_of_the_index_of_python_and_known_by_its_hash() -> None:
    """A lock that was made behind a mirror would name it, and install nowhere else."""
    packages = [package for package in _locked() if package["name"] != "fairviz"]
    assert len(packages) > 100
    for package in packages:
        assert package["source"] == {"registry": "https://pypi.org/simple"}, package["name"]
        files = [*package.get("wheels", []), *([package["sdist"]] if "sdist" in package else [])]
        assert files, package["name"]
        for file in files:
            assert re.fullmatch(r"sha256:[0-9a-f]{64}", file["hash"]), file
            assert file["url"].startswith("https://files.pythonhosted.org/"), file


def test_requirements_txt_is_the_lock_of_the_dashboard() -> None:
    """For pip and the container: versions and hashes of uv.lock, and all that the core and the dashboard ask for."""
    files = {
        (package["name"], package["version"]): {
            file["hash"] for file in (*package.get("wheels", []), package.get("sdist")) if file
        }
        for package in _locked()
        if "version" in package
    }
    exported = _exported()
    assert len(exported) > 50
    for entry, hashes in exported.items():
        (pin,) = entry.specifier
        assert hashes, entry
        assert hashes == files[entry.name, pin.version], "make lock"
    names = {entry.name for entry in exported}
    assert {canonicalize_name(wanted.name) for wanted in _runtime()} <= names


def test_the_lock_is_of_what_pyproject_asks_for() -> None:
    (own,) = [package for package in _locked() if package["name"] == "fairviz"]
    locked = {
        (canonicalize_name(wanted["name"]), extra_of(wanted.get("marker", "")), wanted.get("specifier", ""))
        for wanted in own["metadata"]["requires-dist"]
    }
    asked = {
        (canonicalize_name(wanted.name), extra, str(wanted.specifier))
        for extra, texts in (("", PROJECT["dependencies"]), *EXTRAS.items())
        for wanted in map(Requirement, texts)
    }
    assert {(name, extra, str(SpecifierSet(bounds))) for name, extra, bounds in locked} == asked, "make lock"


def extra_of(marker: str) -> str:
    """The extra that a marker of the lock names."""
    found = re.search(r"extra == '(\w+)'", marker)
    return found[1] if found else ""


def test_every_runtime_dependency_states_the_lowest_version_it_works_with() -> None:
    for wanted in _runtime():
        assert any(bound.operator in {">=", "=="} for bound in wanted.specifier), wanted
        assert wanted.specifier.contains(distribution(wanted.name).version), wanted


def test_messages_name_extras_that_there_are() -> None:
    assert {Requirement(text).name for text in EXTRAS["app"]} == {*SERVES, *PRINTS}
    named = {extra for path in (TOP / "fairviz").rglob("*.py") for extra in re.findall(NAMED, path.read_text())}
    assert {*named, *PRINTS.values()} <= set(EXTRAS)
    assert named > {"dense", "llm"}


def test_the_tools_of_development_are_no_extras() -> None:
    """They would be published with the package."""
    assert not {"test", "docs", "dev", "bench"} & set(EXTRAS)


def test_the_archive_of_sources_holds_the_tests_and_the_documentation() -> None:
    held = {file.distribution_path for file in SdistBuilder(str(TOP)).recurse_included_files()}
    assert {"tests/test_installs.py", "docs/index.md", "uv.lock", "CHANGELOG.md", "pages/groups.py"} <= held
    assert not [path for path in held if path.startswith((".venv", ".git/", "build/"))]


def test_figures_for_papers_need_one_extra_alone() -> None:
    """Whoever has the core learns of one extra, and it brings all that is needed."""
    assert set(PRINTS.values()) == {"print"}
    assert {Requirement(text).name for text in EXTRAS["print"]} == set(PRINTS)


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
