"""The folder in which the dashboard keeps experiments: one folder each, with description, material and results.

Nothing in it is special to the dashboard: ``fairviz experiment run FOLDER/study.toml`` goes on where it was left.
"""

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from fairviz.errors import InputError, UsageError
from fairviz.experiments.background import State, state
from fairviz.io.manifest import MANIFEST
from fairviz.io.whole import write_whole
from fairviz.resources import example_folder, studies_shipped

PLACE = "FAIRVIZ_STUDIES"
"""Environment variable that names the folder; unset: ``fairviz-studies`` in the home folder."""

DESCRIPTION = "study.toml"
RESULTS = "results"

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
"""Of a study: a folder's name on every system."""

FILE = re.compile(r"[^/\\\x00-\x1f]{1,120}")


def studies_folder() -> Path:
    """Where studies are."""
    return Path(os.environ.get(PLACE) or Path.home() / "fairviz-studies")


class Study(NamedTuple):
    """One study.

    Attributes:
        name: Of its folder.
        folder: Where it is.
    """

    name: str
    folder: Path

    @property
    def description(self) -> Path:
        """The TOML file."""
        return self.folder / DESCRIPTION

    @property
    def results(self) -> Path:
        """Where its answers and results are."""
        return self.folder / RESULTS

    @property
    def state(self) -> State:
        """How far it is; results of a description or material that was changed since are not finished."""
        known = state(self.results)
        if not known.finished:
            return known
        made = (self.results / MANIFEST).stat().st_mtime_ns
        own = (self.description, *(self.folder / name for name in self.material()))
        return known._replace(finished=all(path.stat().st_mtime_ns <= made for path in own))

    def text(self) -> str:
        """The description as it is written.

        Raises:
            InputError: It cannot be read.
        """
        try:
            return self.description.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"cannot be read ({error})", file=str(self.description)) from error

    def material(self) -> tuple[str, ...]:
        """Names of the files beside the description."""
        return tuple(sorted(path.name for path in self.folder.iterdir() if path.is_file() and path.name != DESCRIPTION))


def studies() -> list[Study]:
    """All studies, by name."""
    folder = studies_folder()
    if not folder.is_dir():
        return []
    return [Study(path.name, path) for path in sorted(folder.iterdir()) if (path / DESCRIPTION).is_file()]


def make_study(name: str, description: str, material: Mapping[str, bytes]) -> Study:
    """A new study.

    Args:
        name: Letters, digits, dots, hyphens and underscores.
        description: The TOML text.
        material: Files that it names.

    Raises:
        UsageError: The name is none, or taken.
        OutputError: A file cannot be written.
    """
    if not NAME.fullmatch(name):
        raise UsageError("a study's name is up to 64 letters (a–z), digits, dots, hyphens and underscores")
    study = Study(name, studies_folder() / name)
    if study.folder.exists():
        raise UsageError(f"a study called {name} is there already: choose another name, or open it")
    study.folder.mkdir(parents=True)
    add_material(study, material)
    write_whole(study.description, description.encode())
    return study


def add_material(study: Study, material: Mapping[str, bytes]) -> None:
    """Write files beside the description; one of the same name is replaced.

    Raises:
        UsageError: A name is that of the description, or none of a file in one folder.
    """
    for file in material:
        if file in (DESCRIPTION, RESULTS) or file.startswith(".") or not FILE.fullmatch(file):
            raise UsageError(f"a file cannot be called {file!r} here; rename it")
    for file, content in material.items():
        write_whole(study.folder / file, content)


TEMPLATES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "rankings": (
        "Rankings: which documents a model is given, and which its answers use",
        ("corpus.jsonl", "queries.jsonl", "references.jsonl"),
    ),
    "bias": (
        "Social bias: BBQ-style questions with stereotypical and other documents",
        ("bias/items.csv.gz", "bias/documents.jsonl"),
    ),
    "variants": (
        "Demographic QA: the same question about different people",
        ("variants/questions.jsonl", "variants/people.jsonl", "corpus.jsonl"),
    ),
}
"""A study of each kind to start from: what it is, for people, and material, in the folder of the shipped example."""


def template_of(kind: str) -> tuple[str, dict[str, bytes]]:
    """Description and material of a template; every file stands beside the description."""
    example = example_folder()
    description = (studies_shipped() / f"{kind}.toml").read_text(encoding="utf-8")
    return description, {Path(file).name: (example / file).read_bytes() for file in TEMPLATES[kind][1]}


ANSWERERS = re.compile(r"\[\[?\s*(?:generator|open)\b")
TABLE = re.compile(r"\s*\[")


def with_generators(description: str, generators: Iterable[str]) -> str:
    """A description that asks others: its tables of generators replaced by these.

    Open questions name who answers them; they are left out with it.

    Args:
        description: The TOML text.
        generators: Tables ``[[generator]]`` as texts.
    """
    kept: list[str] = []
    inside = False
    for line in description.splitlines():
        if TABLE.match(line):
            inside = bool(ANSWERERS.match(line.strip()))
        if not inside:
            kept.append(line)
    return "\n".join(kept).rstrip() + "\n\n" + "\n\n".join(table.strip() for table in generators) + "\n"
