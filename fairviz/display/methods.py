"""What was computed, how and on what: a paragraph for a paper, what to cite, commands that give the numbers again.

And what can be: the measures and the re-rankers as tables.
"""

import json
import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from hashlib import sha256
from typing import Literal, NamedTuple

import numpy as np

from fairviz import __version__
from fairviz.display.markup import rendered
from fairviz.display.table import Formula, Table, keyed
from fairviz.display.words import listing, percent, plural
from fairviz.errors import UsageError
from fairviz.extras import load_entry_points
from fairviz.io.source import FROM_SUBTOPICS, STANDARD_INPUT
from fairviz.kernels.exposure import Gain
from fairviz.kernels.grouping import Preset, missing_groups
from fairviz.metrics.catalogue import CATALOGUE, reads_groups, unknown_measure
from fairviz.model import CROSSED, Dataset, GroupLabels, MeasureSpec, ScoreScale, SourceFile, Target
from fairviz.resources import CONTENT
from fairviz.stats.bootstrap import N_RESAMPLES
from fairviz.stats.tests import MIN_ITEMS, MIN_UNITS

# Groups and target.


PRESET_WORDS: dict[Preset, str] = {
    "uniform": "equal shares",
    "population": "shares as among each query's candidates",
    "corpus": "shares as in all labelled documents",
    "relevance": "shares in proportion to the mean usefulness of a group's documents",
}


class AgainstTarget(NamedTuple):
    """Groups and target in plain values, so that they can be the key of what is remembered.

    Attributes:
        attribute: Which labels of the data.
        target: Name of a preset, "file" for the loaded target, or (group, share) set by hand.
        split: Whether two unweighted labels of an item were read as half of each.
    """

    attribute: int
    target: Preset | Literal["file"] | tuple[tuple[str, float], ...]
    split: bool = False

    def labels(self, loaded: Dataset) -> GroupLabels:
        """The labels."""
        return loaded.attributes[self.attribute]

    def shares(self, loaded: Dataset) -> Target | Preset | None:
        """The target as measures take it."""
        if self.target == "file":
            return loaded.target
        if isinstance(self.target, str):
            return self.target
        groups, shares = zip(*self.target, strict=True)
        return Target(groups=groups, shares=np.array(shares))

    def is_set(self, loaded: Dataset) -> bool:
        """Whether it says more than equal shares, which stand where nobody set a target."""
        return self.shares(loaded) not in (None, "uniform")

    def of(self, target: Target) -> "AgainstTarget":
        """The groups beside another target, by its shares, unrounded."""
        return self._replace(target=tuple(zip(target.groups, target.shares.tolist(), strict=True)))

    def words(self, loaded: Dataset) -> str:
        r"""The target in words.

        Examples:
            >>> AgainstTarget(0, (("a", 0.5), ("b", 0.5))).words(Dataset())
            'a 50\u202f%, b 50\u202f%'
        """
        return target_words(self.shares(loaded))


def attribute_named(loaded: Dataset, name: str | None) -> int:
    """Place of the labels of an attribute among those of the data: the first where none is named.

    Two attributes together are also named with + and in either order: "size+region" is "region × size".

    Raises:
        UsageError: The data have no such attribute.
    """
    attributes = [labels.attribute for labels in loaded.attributes]
    if name is None:
        return 0
    spellings = (name, name.replace("+", CROSSED), CROSSED.join(reversed(name.split("+"))))
    named = [spelling for spelling in spellings if spelling in attributes]
    if not named:
        raise UsageError(f"there is no attribute {name!r}; there are {', '.join(attributes) or 'no groups'}")
    return attributes.index(named[0])


def target_words(target: Target | Preset | None) -> str:
    """A target as tables and texts name it."""
    if isinstance(target, str):
        return f"{target} ({PRESET_WORDS[target]})"
    if target is None:
        return "none"
    if target.query_ids is not None:
        return f"by query, over {listing(list(target.groups))}"
    pairs = zip(target.groups, target.shares.tolist(), strict=True)
    return ", ".join(f"{group} {percent(share)}" for group, share in pairs)


# What to cite.


class Citation(NamedTuple):
    """A work to cite, an entry of ``fairviz/content/paper.bib``.

    Attributes:
        key: Of the entry.
        title: As printed.
        short: How running text names it.
        what: What it is cited for, the entry's annotation; "" where measures and policies do not rest on it.
        bibtex: The entry without that.
    """

    key: str
    title: str
    short: str
    what: str
    bibtex: str


@cache
def works() -> dict[str, Citation]:
    """Every entry of the bibliography by its key."""
    text = (CONTENT / "paper.bib").read_text(encoding="utf-8")
    read = map(_citation, re.split(r"\n(?=@)", text))
    return {citation.key: citation for citation in read}


def _citation(entry: str) -> Citation:
    fields = dict(re.findall(r"^  (\w+) = {(.*?)},?$", entry, flags=re.MULTILINE | re.DOTALL))
    kind, key = re.findall(r"@(\w+){(.*?),", entry)[0]
    title = re.sub("[{}]", "", fields["title"])
    names = [author.partition(",")[0] for author in re.split(r"\s+and\s+", fields["author"])]
    authors = " & ".join(names) if len(names) < 3 else f"{names[0]} et al."
    short = title if kind == "software" else f"{authors} ({fields['year']})"
    bibtex = re.sub(r"  annote = {.*},\n", "", entry)
    return Citation(key, title, short, fields.get("annote", ""), bibtex)


def citations() -> list[Citation]:
    """What measures and policies rest on, and fairviz itself."""
    return [citation for citation in works().values() if citation.what]


def bibliography() -> str:
    """Entries of a bibliography as one ``.bib`` file."""
    return "\n".join(citation.bibtex for citation in citations())


# Commands that give the same numbers again from the loaded files.


TARGET_FILE = "chosen-target.json"
"""Where a command puts a target that was set by hand."""

WIDTH = 88
"""Columns after which a command goes on in the next line."""


def files_command(
    command: str,
    loaded: Dataset,
    *,
    against: AgainstTarget | None,
    judgements: int | None,
    pairs: Mapping[str, str],
    more: Sequence[str],
    answers: Sequence[tuple[str, str]] = (),
    every_attribute: bool = False,
) -> str:
    """A command on all of the loaded files that hold systems and what they are measured against.

    A target that was set by hand is written to a file first.

    Args:
        command: Its first words.
        loaded: The data; its files are named as they were given.
        against: Groups and target; None without.
        judgements: Place of those that are read; None where they are not.
        pairs: Outputs -> the run they were made from.
        more: Further options.
        answers: Roles of the files and their options, where the command is on these alone; runs have none.
        every_attribute: Whether labels by other attributes are read besides those that count.
    """
    words = [command]
    for role, option in answers:  # of recorded answers, their questions, and judgements
        own = [f"{option} {name}".lstrip() for name in _files(loaded, (role,))]
        words += _qrels(loaded, None) if role == "qrels" else own
    if not answers:
        words += _files(loaded, ("run", "samples", "weights"))
        words += ["--ties rank"] * any(run.ties == "rank" for run in loaded.runs)
        words += [*_qrels(loaded, against), *(_groups(loaded, against, every=every_attribute) if against else [])]
        outputs = _files(loaded, ("rag",))
        words += ["--outputs", *outputs] if outputs else []
        words += [option for role in ("references", "popularity", "systems") for option in _options(loaded, role)]
        words += [f"--pair {shlex.quote(f'{outputs}={run}')}" for outputs, run in pairs.items()]
    judged = [file for file in loaded.files if file.role == "qrels"]
    if judgements is not None and len(judged) > 1:
        words.append(f"--judgements {shlex.quote(_path(judged[judgements]))}")
    line = ""
    if against and not isinstance(against.target, str):  # one that was set by hand is written first
        line = f"printf '%s' {shlex.quote(_target_text(against.target))} > {TARGET_FILE}\n"
    return line + wrapped([*words, *more])


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


def _files(loaded: Dataset, roles: Sequence[str]) -> list[str]:
    files = [file for role in roles for file in loaded.files if file.role == role]
    return [shlex.quote(_path(file)) for file in files]


def _options(loaded: Dataset, role: str) -> list[str]:
    """One option per file of a role that is called like the role."""
    return [f"--{role} {name}" for name in _files(loaded, (role,))]


def _qrels(loaded: Dataset, against: AgainstTarget | None) -> list[str]:
    """One option per file of judgements; those of a generator's utility carry its name.

    Where subtopics are the groups, the judgements that have them come first: the command takes
    groups from those.
    """
    files = [file for file in loaded.files if file.role == "qrels"]
    labels = next(iter(loaded.files_of(against.attribute)), None) if against else None
    words: list[str] = []
    for file, qrels in zip(files, loaded.qrels, strict=False):
        owner = f"{qrels.generator}=" if qrels.generator else ""
        word = f"--qrels {shlex.quote(f'{owner}{_path(file)}')}"
        first = labels is not None and (labels.format, labels.name) == (FROM_SUBTOPICS, file.name)
        words.insert(0 if first else len(words), word)
    return words


def _groups(loaded: Dataset, against: AgainstTarget, *, every: bool) -> list[str]:
    own = loaded.files_of(against.attribute)
    files = {file.digest: file for file in loaded.files if file in own or (every and file.role == "groups")}.values()
    words: list[str] = []  # labels that came from no file
    if own and own[0].format == FROM_SUBTOPICS:
        words = ["--groups-from qrels", "--subtopics"]
    elif own:
        words = [f"--groups {shlex.quote(_path(file))}" for file in files]
        words += ["--labels split"] if against.split else []
        if sum(other.role == "groups" and other.name == own[0].name for other in loaded.files) > 1 or len(files) > 1:
            words.append(f"--groups-by {shlex.quote(against.labels(loaded).attribute)}")
    target = against.shares(loaded)
    if isinstance(target, Target) and missing_groups(against.labels(loaded), target):
        words += ["--allow-missing-groups"]
    match against.target:
        case "file":
            return [*words, *_options(loaded, "target")]
        case str(preset):
            return [*words, f"--target {preset}"]
        case _:
            return [*words, f"--target {TARGET_FILE}"]


def target_file(target: Sequence[tuple[str, float]]) -> SourceFile:
    """The file that a command writes a target to, which was set by hand."""
    digest = sha256(_target_text(target).encode()).hexdigest()
    return SourceFile(role="target", name=TARGET_FILE, format="json", digest=digest)


def _target_text(target: Sequence[tuple[str, float]]) -> str:
    return json.dumps(dict(target), ensure_ascii=False)


def _path(file: SourceFile) -> str:
    """Where a file is; a name that looks like an option gets a folder."""
    if file.name == STANDARD_INPUT:
        return "-"
    return f"./{file.name}" if file.path.startswith("-") else file.path


def methods_paragraph(
    loaded: Dataset,
    measures: Sequence[MeasureSpec],
    *,
    curves: tuple[int, Gain, int, str] | None = None,
    policy: tuple[ScoreScale, float] = ("given", 1.0),
    against: AgainstTarget | None = None,
    depth: str = "",
    answers: Collection[str] = (),
    ranked: bool = True,
    seed: int = 0,
) -> str:
    """The paragraph, in plain text.

    Args:
        loaded: The data.
        measures: What was measured.
        curves: k, gain, smallest relevant grade and grid of α (lo:hi:n) of the trade-off curves, where there are some.
        policy: Score scale and offset of these curves.
        against: Groups and target, where something is of groups.
        depth: How lists were cut to be compared.
        answers: Commands of the studies of answers to questions: "bias", "variants".
        ranked: Whether anything is of rankings or recorded outputs.
        seed: Of the bootstrap.
    """
    sentences = rendered(
        "methods.txt",
        version=__version__,
        loaded=loaded,
        inventory=_inventory(loaded, answers),
        measures=[spec.shown for spec in measures],
        definitions=dict.fromkeys(_definition(spec) for spec in measures if spec.name in CATALOGUE),
        others=[spec.shown for spec in measures if spec.name not in CATALOGUE],
        labels=against and against.labels(loaded),
        target=against and against.words(loaded),
        curves=curves,
        policy=policy,
        depth=depth,
        answers=answers,
        ranked=ranked,
        min_items=MIN_ITEMS,
        of_groups=any(map(reads_groups, measures)),
        n_resamples=N_RESAMPLES,
        seed=seed,
        min_units=MIN_UNITS,
        cited=listing([f"{works()[key].short} [{key}]" for key in _cited(measures, answers, ranked=ranked)]),
    )
    return " ".join(sentences.strip().split("\n"))


CITED = {"bias": ("zhang2026evaluating", "parrish2022bbq"), "variants": ("ji2025evaluating",)}
"""Keys of what a paper with a study of answers cites."""


def _cited(measures: Sequence[MeasureSpec], answers: Collection[str], *, ranked: bool) -> list[str]:
    """Keys of what a paper with these measures and answers cites."""
    of_groups = any(map(reads_groups, measures))
    by_gao = any(spec.name in CATALOGUE and "Gao et al. 2022" in CATALOGUE[spec.name].citation for spec in measures)
    of_them = ["raj2020comparing"] * of_groups + ["gao2022fair"] * by_gao
    of_rankings = ["kim2025fairrag", "diaz2020expected", *of_them] if ranked else []
    return [*of_rankings, *(key for study, keys in CITED.items() if study in answers for key in keys), "fairviz"]


def _inventory(loaded: Dataset, answers: Collection[str]) -> str:
    judged = {query for qrels in loaded.qrels for query in qrels.query_ids}
    of_bias, of_variants = (loaded.bias_predictions, "bias questions"), (loaded.variants, "variants of questions")
    answered = [
        f"{plural(sum(map(len, files)), 'answer')} to {what}"
        for study, (files, what) in {"bias": of_bias, "variants": of_variants}.items()
        if study in answers
    ]
    parts = [
        plural(len(loaded.runs), "run") if loaded.runs else "",
        plural(len(loaded.samples), "file", "files") + " of sampled rankings" if loaded.samples else "",
        plural(len(loaded.outputs), "set") + " of recorded outputs" if loaded.outputs else "",
        plural(len(judged), "judged query", "judged queries") if judged else "",
        *answered,
    ]
    return listing([part for part in parts if part]) or "no data"


def _definition(spec: MeasureSpec) -> tuple[str, str, str, str]:
    """A measure of fairviz: its label, formula and source, and how it is normalised ("" = no word of that)."""
    measure = CATALOGUE[spec.name]
    norm = str(measure.with_defaults(spec.params).get("norm", "")) if "rankings" in measure.needs else ""
    return measure.label, measure.formula, measure.citation, "groups" if norm and reads_groups(spec) else norm


# The measures and the re-rankers as tables.


def measures_table(names: Sequence[str] = (), *, typeset: bool = False) -> Table:
    """A row per measure of fairviz.

    Args:
        names: Only these, in this order; none: all.
        typeset: Formulas in LaTeX, else in plain characters.

    Raises:
        UsageError: There is no measure of that name.
    """
    load_entry_points("measures")
    for name in names:
        if name not in CATALOGUE:
            raise unknown_measure(name)
    rows = [
        (
            measure.name,
            measure.label,
            measure.title,
            measure.better,
            *measure.range,
            Formula(measure.latex) if typeset else measure.formula,
            measure.citation,
            measure.needs_words,
        )
        for measure in ([CATALOGUE[name] for name in names] or CATALOGUE.values())
    ]
    columns = ("name", "label", "title", "better", "lowest", "highest", "formula", "citation", "needs")
    return Table(keyed(*columns), tuple(rows))


def rerankers_table(names: Sequence[str] = ()) -> Table:
    """A row per re-ranker.

    Args:
        names: Only these, in this order; none: all.

    Raises:
        UsageError: There is no re-ranker of that name.
    """
    from fairviz.reranking.catalogue import RERANKERS, find_reranker  # where they are listed alone

    load_entry_points("rerankers")

    rows = [
        (
            method.name,
            method.label,
            method.summary,
            ", ".join(f"{option.name}: {option.accepted}" for option in method.options),
            ", ".join([*["groups"] * method.uses_groups, *["target"] * method.uses_target]),
            method.judgements,
            method.citation,
        )
        for method in ([find_reranker(name) for name in names] or RERANKERS)
    ]
    return Table(keyed("name", "label", "what it does", "options", "needs", "judgements", "citation"), tuple(rows))
