"""Files and folders that the dashboard is started with: which files they are, and whether they are still the same.

``fairviz app`` names them to the pages, which read them where they are and keep no copy.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, cast

from fairviz.errors import InputError
from fairviz.io.manifest import MANIFEST, facts_of_file, manifest_in
from fairviz.io.options import Options, options_from, options_said
from fairviz.io.source import Stamp


class Given(NamedTuple):
    """One file or folder.

    Attributes:
        path: Where it is.
        options: How a file is read; a folder's files are read as they are found.
    """

    path: Path
    options: Options = Options()

    @property
    def files(self) -> list[Path]:
        """The file itself; of a folder its files, without hidden ones and those of folders in it.

        Of a study's results, those of its first attributor, since the same answers stand once under each; and what
        they were made from, where that still lies in the folder above. The study's store and logs hold no data.
        """
        if not self.path.is_dir():
            return [self.path]
        manifest = manifest_in(self.path)
        attributors = _labels(manifest, "attributor")

        def attributor(name: str) -> str:
            """Whose attributions a file holds; the longest label where one ends in another."""
            return max((label for label in attributors if name.endswith(f".{label}.jsonl.gz")), key=len, default="")

        inside = [
            path
            for path in sorted(self.path.iterdir())
            if path.is_file()
            and not path.name.startswith(NO_DATA)
            and not (manifest and path.suffix in TEXTS)
            and attributor(path.name) in {"", *attributors[:1]}
        ]
        names = {path.name for path in inside}
        return [*inside, *(path for path in self._inputs if path.name not in names)]

    @property
    def results(self) -> list[Path]:
        """Of a study's folder, the files that the manifest names: results and what they were made from; and itself.

        Nothing where the folder has no manifest that can be read.
        """
        try:
            manifest = manifest_in(self.path)
            names = {MANIFEST, *manifest["files"], *(one["name"] for one in manifest["inputs"])}
        except (KeyError, TypeError):
            return []
        return [path for path in self.files if path.name in names]

    def options_of(self, file: Path) -> Options:
        """How one of a folder's files is read: labels of usefulness are those of the generator that they were made for.

        Args:
            file: One of :attr:`files`.
        """
        labels = _labels(manifest_in(self.path), "generator")
        if len(labels) == 1 and file.name == "utility.qrels":
            return Options(generator=labels[0])
        return Options(generator=next((one for one in labels if file.name == f"utility.{one}.qrels"), None))

    @property
    def _inputs(self) -> list[Path]:
        """Files in the folder above that the manifest names, as long as they are the same; not the description."""
        try:
            named = [(self.path.parent / one["name"], one["sha256"]) for one in manifest_in(self.path)["inputs"]]
        except (KeyError, TypeError):
            return []
        return [
            path
            for path, digest in named
            if path.suffix not in TEXTS and path.is_file() and facts_of_file(path).sha256 == digest
        ]


NO_DATA = (".", "responses.", "requests.", "answers.sqlite", "answers_read.", "run.log", "pilot.log")
"""How names begin that are no data: hidden files, a batch's lines, and a study's store, list of answers and logs."""

TEXTS = (".toml", ".md")
"""How names of a study's files end that are no data: the description, and texts for people."""


def _labels(manifest: Mapping[str, Any], kind: str) -> list[str]:
    """Labels of a study's components of a kind; none where the manifest names none."""
    try:
        return [str(table["label"]) for table in manifest["configuration"][kind]]
    except (KeyError, TypeError):
        return []


def known(given: Iterable[Given]) -> tuple[tuple[Given, ...], tuple[Path, ...]]:
    """What there is to read: every file that was named, of a folder those that are recognised; and its other files."""
    files: list[Given] = []
    left_out: list[Path] = []
    for one in given:
        if not one.path.is_dir():
            files.append(one)
            continue
        recognised = [path for path in one.files if _is_recognised(path)]
        files += [Given(path, one.options_of(path)) for path in recognised]
        left_out += [path for path in one.files if path not in recognised]
    return tuple(files), tuple(left_out)


def check(given: Iterable[Given]) -> None:
    """See that there is something to open, before anything is started.

    Raises:
        InputError: A file is not there or not recognised, or a folder has none that is.
    """
    from fairviz.io.formats import sniff  # every format: where there are files

    for one in given:
        if not one.path.is_dir():
            sniff(one.path)
        elif not any(map(_is_recognised, one.files)):
            fix = "Give the folder that the files are in; folders in it are not looked into."
            raise InputError("no file in this folder is recognised", file=str(one.path), fix=fix)


def _is_recognised(path: Path) -> bool:
    from fairviz.io.formats import sniff  # likewise

    try:
        sniff(path)
    except InputError:
        return False
    return True


Stamps: TypeAlias = tuple[tuple[str, Stamp | None], ...]
"""What files were like, by their path; None for one that is not there."""


def stamps(given: Iterable[Given]) -> Stamps:
    """What the files are like now, those of folders included: compared with an earlier time, it says what changed."""
    return tuple((str(path), _stamp(path)) for one in given for path in one.files)


def _stamp(path: Path) -> Stamp | None:
    try:
        return Stamp.of(path.stat())
    except OSError:
        return None


def changed(before: Stamps, now: Stamps) -> list[str]:
    """Names of files that are other, new or gone."""
    return [Path(path).name for path in dict([*before, *now]) if dict(before).get(path) != dict(now).get(path)]


# From the command to the pages, in an environment variable.


def as_text(given: Sequence[Given]) -> str:
    """The files as text; empty for none."""
    return json.dumps([[str(one.path), options_said(one.options)] for one in given]) if given else ""


def from_text(text: str) -> tuple[Given, ...]:
    """The files of :func:`as_text`.

    Raises:
        ValueError: It is none.
    """
    rows = cast("list[Any]", json.loads(text)) if text else []
    return tuple(Given(Path(path), options_from(said)) for path, said in rows)
