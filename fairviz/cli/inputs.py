"""Files named on the command line, read into nouns with names that tell them apart."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from fairviz.errors import UsageError
from fairviz.formats.qrels import read_qrels
from fairviz.formats.rag import read_outputs
from fairviz.formats.rankings import read_rankings
from fairviz.formats.source import as_source
from fairviz.model import Note, Qrels, RagOutputs, RankingSample, Run

S = TypeVar("S", Run, RagOutputs, "Run | RankingSample")


@dataclass(frozen=True, slots=True)
class Loaded:
    """Systems read from files.

    Attributes:
        rankings: Runs and samples, in the order of the files, with distinct names.
        outputs: Recorded outputs, likewise.
        files: Name of a system -> its file, runs before outputs.
        notes: What the readers repaired.
    """

    rankings: tuple[Run | RankingSample, ...]
    outputs: tuple[RagOutputs, ...]
    files: dict[str, str]
    notes: tuple[Note, ...]

    def placed(self, notes: Sequence[Note]) -> list[Note]:
        """Notes on systems, as notes on their files."""
        return [replace(note, file=self.files.get(note.file, note.file)) for note in notes]


def load_systems(runs: Sequence[str], outputs: Sequence[str] = (), *, multi_sample: bool = False) -> Loaded:
    """Read runs and recorded outputs; systems of equal name get the stem of their file.

    Raises:
        InputError: A file cannot be read.
    """
    read = [read_rankings(file, multi_sample=multi_sample or None) for file in runs]
    recorded = [read_outputs(file) for file in outputs]
    notes = [note for parsed in (*read, *recorded) for note in parsed.notes]
    rankings = _distinct([(parsed.value, parsed.file) for parsed in read])
    answers = _distinct([(one, parsed.file) for parsed in recorded for one in parsed.value.outputs])
    files = {system.system: file for system, file in (*answers, *rankings)}
    return Loaded(
        tuple(system for system, _ in rankings),
        tuple(system for system, _ in answers),
        files,
        tuple(notes),
    )


def load_qrels(texts: Sequence[str], *, subtopics: bool = False) -> tuple[tuple[Qrels, ...], tuple[Note, ...]]:
    """Read ``[GENERATOR=]FILE`` judgements.

    Args:
        texts: As typed.
        subtopics: Whether column 2 names subtopics; without, where a pair repeats.

    Raises:
        InputError: A file cannot be read.
        UsageError: Two files are for the same generator.
    """
    found = [(_qrels_argument(text)) for text in texts]
    repeated = [name for name, n in Counter(name for name, _ in found).items() if n > 1]
    if repeated:
        whom = "people (without GENERATOR=)" if repeated[0] is None else repr(repeated[0])
        raise UsageError(f"--qrels: two files of judgements for {whom}")
    read = [read_qrels(file, subtopics=subtopics or None, generator=generator) for generator, file in found]
    return tuple(p.value for p in read), tuple(note for p in read for note in p.notes)


def pairs_of(texts: Sequence[str], loaded: Loaded) -> dict[str, str]:
    """``OUTPUT=RUN``, each by its system's name or its file as typed.

    Raises:
        UsageError: A side names nothing that was loaded.
    """
    outputs = _by_name_or_file([each.system for each in loaded.outputs], loaded)
    runs = _by_name_or_file([each.system for each in loaded.rankings], loaded)
    return dict(_pair(text, outputs, runs) for text in texts)


def _pair(text: str, outputs: dict[str, str], runs: dict[str, str]) -> tuple[str, str]:
    places = [i for i, character in enumerate(text) if character == "="]
    for i in places:  # names and paths may hold an "=" of their own
        if text[:i] in outputs and text[i + 1 :] in runs:
            return outputs[text[:i]], runs[text[i + 1 :]]
    raise UsageError(
        f"--pair {text}: expected OUTPUT=RUN; outputs: {', '.join(outputs) or 'none'}; "
        f"runs: {', '.join(runs) or 'none'}"
    )


def _by_name_or_file(systems: Sequence[str], loaded: Loaded) -> dict[str, str]:
    return {loaded.files[name]: name for name in systems} | {name: name for name in systems}


def _qrels_argument(text: str) -> tuple[str | None, str]:
    generator, mark, file = text.partition("=")
    if not mark or Path(text).exists():
        return None, text
    if not generator or not file:
        raise UsageError(f"--qrels {text}: expected FILE or GENERATOR=FILE")
    return generator, file


def _distinct(systems: list[tuple[S, str]]) -> list[tuple[S, str]]:
    """Systems with distinct names: where two are equal, stem, then file, then a number."""
    for name_of in (_stem, str):
        counts = Counter(system.system for system, _ in systems)
        systems = [
            (replace(system, system=name_of(file)) if counts[system.system] > 1 else system, file)
            for system, file in systems
        ]
    seen: Counter[str] = Counter()
    numbered: list[tuple[S, str]] = []
    for system, file in systems:
        seen[system.system] += 1
        n = seen[system.system]
        numbered.append((replace(system, system=f"{system.system} ({n})") if n > 1 else system, file))
    return numbered


def _stem(file: str) -> str:
    return as_source(file).stem
