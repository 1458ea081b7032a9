"""The command lines that give the same numbers again from the loaded files."""

import shlex
from collections.abc import Mapping, Sequence

from fairviz.exposure import Gain
from fairviz.metrics.catalogue import CATALOGUE
from fairviz.model import Dataset, MeasureSpec

WIDTH = 88
"""Columns after which a command goes on in the next line."""


def evaluate_command(
    loaded: Dataset,
    measures: Sequence[MeasureSpec],
    *,
    folder: str = "",
    pairs: Mapping[str, str] | None = None,
    per_query: bool = False,
) -> str:
    """``fairviz evaluate`` on the loaded files.

    Args:
        loaded: The data; its files are named as they were given.
        measures: What is measured.
        folder: Where the files are, seen from where the command is run.
        pairs: Outputs -> the run they were made from.
        per_query: Also the value of every query.
    """
    rankings = any(reads_rankings(spec) for spec in measures)
    outputs = any(not reads_rankings(spec) for spec in measures)
    words = ["fairviz evaluate"]
    if rankings or pairs or (outputs and len(loaded.runs) + len(loaded.samples) == 1):
        words += _files(loaded, ("run", "samples"), folder)
    if rankings:
        words += _qrels(loaded, folder)
    if outputs:
        words += ["--outputs", *_files(loaded, ("rag",), folder)]
        if any(spec.params.get("utility", "recorded") != "recorded" for spec in measures):
            words += [f"--references {name}" for name in _files(loaded, ("references",), folder)]
    words += [f"--pair {shlex.quote(f'{a}={b}')}" for a, b in (pairs or {}).items()]
    words += [f"-m {_quoted(spec.text or spec.name)}" for spec in measures]
    words += ["--per-query"] if per_query else []
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


def _qrels(loaded: Dataset, folder: str) -> list[str]:
    """One option per file of judgements; those of a generator's utility carry its name."""
    files = [file.name for file in loaded.files if file.role == "qrels"]
    words: list[str] = []
    for name, qrels in zip(files, loaded.qrels, strict=False):
        owner = f"{qrels.generator}=" if qrels.generator else ""
        words.append(f"--qrels {shlex.quote(f'{owner}{_path(folder, name)}')}")
    return words


def _path(folder: str, name: str) -> str:
    """Where a file is; a name that looks like an option gets a folder."""
    return f"{folder}{name}" if folder or not name.startswith("-") else f"./{name}"


def _quoted(text: str) -> str:
    """A word for the shell; text with apostrophes only stands in double quotes, to be read."""
    plain = "'" in text and not set(text) & set('"$`\\!')
    return f'"{text}"' if plain else shlex.quote(text)
