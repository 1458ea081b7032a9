"""The command lines that give the same numbers again from the loaded files."""

import json
import shlex
from collections.abc import Mapping, Sequence

from fairviz.exposure import Gain
from fairviz.formats.dataset import FROM_SUBTOPICS
from fairviz.metrics.catalogue import CATALOGUE
from fairviz.model import Dataset, MeasureSpec, SourceFile
from fairviz.report.against_target import AgainstTarget, reads_groups

TARGET_FILE = "chosen-target.json"
"""Where a command puts a target that was set by hand."""

WIDTH = 88
"""Columns after which a command goes on in the next line."""


def evaluate_command(
    loaded: Dataset,
    measures: Sequence[MeasureSpec],
    *,
    folder: str = "",
    pairs: Mapping[str, str] | None = None,
    per_query: bool = False,
    against: AgainstTarget | None = None,
) -> str:
    """``fairviz evaluate`` on the loaded files.

    A target that was set by hand is written to a file first.

    Args:
        loaded: The data; its files are named as they were given.
        measures: What is measured.
        folder: Where the files are, seen from where the command is run.
        pairs: Outputs -> the run they were made from.
        per_query: Also the value of every query.
        against: Groups and target, left out where no measure is of groups.
    """
    rankings = any(reads_rankings(spec) for spec in measures)
    outputs = any(not reads_rankings(spec) for spec in measures)
    words = ["fairviz evaluate"]
    if rankings or pairs or (outputs and len(loaded.runs) + len(loaded.samples) == 1):
        words += _files(loaded, ("run", "samples"), folder)
    asked = against if any(map(reads_groups, measures)) else None
    if rankings:
        words += _qrels(loaded, folder, asked)
    if asked:
        words += _groups(loaded, asked, folder)
    if outputs:
        words += ["--outputs", *_files(loaded, ("rag",), folder)]
        if any(spec.params.get("utility", "recorded") != "recorded" for spec in measures):
            words += [f"--references {name}" for name in _files(loaded, ("references",), folder)]
    words += [f"--pair {shlex.quote(f'{a}={b}')}" for a, b in (pairs or {}).items()]
    words += [f"-m {_quoted(spec.text or spec.name)}" for spec in measures]
    words += ["--per-query"] if per_query else []
    if asked and not isinstance(asked.target, str):
        return _target_written(asked.target) + wrapped(words)
    return wrapped(words)


def curve_command(
    loaded: Dataset,
    *,
    judgements: int,
    k: int,
    gain: Gain,
    alphas: str,
    folder: str = "",
    policy: str = "all",
) -> str:
    """``fairviz curve`` on the loaded runs and one of the loaded judgements.

    Args:
        loaded: The data.
        judgements: Position of the judgements in it.
        k: Items shown.
        gain: Graded or binary usefulness.
        alphas: Grid of α, lo:hi:n.
        folder: Where the files are, seen from where the command is run.
        policy: Which policies.
    """
    judged = [file.name for file in loaded.files if file.role == "qrels"][judgements]
    words = ["fairviz curve", *_files(loaded, ("run",), folder)]
    words.append(f"--qrels {shlex.quote(_path(folder, judged))}")
    words += [f"-k {k}", f"--alpha {alphas}", f"--policy {policy}"]
    words += [f"--gain {gain}"] if gain != "graded" else []
    return wrapped(words)


def reads_rankings(spec: MeasureSpec) -> bool:
    """Whether a measure is one of rankings; the others are of recorded outputs."""
    measure = CATALOGUE.get(spec.name)
    return measure is None or "outputs" not in measure.needs


def wrapped(words: Sequence[str]) -> str:
    """Words of a command, on lines that end in a backslash where they go on."""
    lines = [words[0]]
    for word in words[1:]:
        if len(lines[-1]) + len(word) + 3 > WIDTH:
            lines[-1] += " \\"
            lines.append(f"    {word}")
        else:
            lines[-1] += f" {word}"
    return "\n".join(lines)


def _files(loaded: Dataset, roles: Sequence[str], folder: str) -> list[str]:
    found = [file.name for role in roles for file in loaded.files if file.role == role]
    return [shlex.quote(_path(folder, name)) for name in found]


def _qrels(loaded: Dataset, folder: str, against: AgainstTarget | None) -> list[str]:
    """One option per file of judgements; those of a generator's utility carry its name.

    Where subtopics are the groups, the judgements that have them come first: the command takes
    groups from those.
    """
    files = [file for file in loaded.files if file.role == "qrels"]
    labels = _labels_file(loaded, against.attribute) if against else None
    words: list[str] = []
    for file, qrels in zip(files, loaded.qrels, strict=False):
        owner = f"{qrels.generator}=" if qrels.generator else ""
        word = f"--qrels {shlex.quote(f'{owner}{_path(folder, file.name)}')}"
        first = labels is not None and (labels.format, labels.name) == (FROM_SUBTOPICS, file.name)
        words.insert(0 if first else len(words), word)
    return words


def _groups(loaded: Dataset, against: AgainstTarget, folder: str) -> list[str]:
    file = _labels_file(loaded, against.attribute)
    if file.format == FROM_SUBTOPICS:
        words = ["--groups-from qrels", "--subtopics"]
    else:
        words = [f"--groups {shlex.quote(_path(folder, file.name))}"]
        words += ["--labels split"] if against.split else []
    match against.target:
        case "file":
            return words + [f"--target {name}" for name in _files(loaded, ("target",), folder)]
        case str(preset):
            return [*words, f"--target {preset}"]
        case _:
            return [*words, f"--target {TARGET_FILE}"]


def _labels_file(loaded: Dataset, attribute: int) -> SourceFile:
    """The file that brought these labels: a table, or judgements whose subtopics are groups."""
    return [file for file in loaded.files if file.role == "groups"][attribute]


def _target_written(target: Sequence[tuple[str, float]]) -> str:
    """A line that writes a target to its file."""
    text = json.dumps(dict(target), ensure_ascii=False)
    return f"printf '%s' {shlex.quote(text)} > {TARGET_FILE}\n"


def _path(folder: str, name: str) -> str:
    """Where a file is; a name that looks like an option gets a folder."""
    return f"{folder}{name}" if folder or not name.startswith("-") else f"./{name}"


def _quoted(text: str) -> str:
    """A word for the shell; text with apostrophes only stands in double quotes, to be read."""
    plain = "'" in text and not set(text) & set('"$`\\!')
    return f'"{text}"' if plain else shlex.quote(text)
