"""A manifest says whether the files beside it are whole."""

import json
from pathlib import Path

import pytest

from fairviz.io.manifest import MANIFEST, facts_of, faults, manifest_text


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    contents = {"a.run": b"one", "b.run": b"two"}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    facts = {name: facts_of(content) for name, content in contents.items()}
    text = manifest_text(facts, inputs=[("c.run", "00")], configuration={"seed": 1})
    (tmp_path / MANIFEST).write_text(text, encoding="utf-8")
    return tmp_path


def test_a_manifest_names_files_inputs_configuration_and_versions(folder: Path) -> None:
    body = json.loads((folder / MANIFEST).read_text())
    # printf one | sha256sum
    digest = "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"
    assert body["files"]["a.run"] == {"size": 3, "sha256": digest}
    assert body["inputs"] == [{"name": "c.run", "sha256": "00"}]
    assert body["configuration"] == {"seed": 1}
    assert {"fairviz", "python", "numpy"} <= set(body["versions"])


def test_what_was_left_half_written_is_named(folder: Path) -> None:
    assert faults(folder) == []
    (folder / "a.run").write_bytes(b"on")
    (folder / "b.run").unlink()
    assert faults(folder) == ["a.run is not the file of manifest.json", "b.run is missing"]
    (folder / MANIFEST).unlink()
    assert faults(folder) == ["manifest.json is missing"]


@pytest.mark.parametrize(
    "broken", [b"", b"{", b"[]", b"null", b"\xff", b'{"files": 1}', b'{"files": {"a": []}}', b"[" * 100_000]
)
def test_a_broken_manifest_is_a_fault_and_no_more(folder: Path, broken: bytes) -> None:
    (folder / MANIFEST).write_bytes(broken)
    assert faults(folder) == ["manifest.json cannot be read"]
