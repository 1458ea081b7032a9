"""What was computed, how and on what: a paragraph for a paper, what to cite, commands that give the numbers again."""

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal, NamedTuple

import numpy as np

from fairviz import __version__
from fairviz.display.words import count, listing, percent, plural
from fairviz.exposure import Gain
from fairviz.grouping import Preset, missing_groups
from fairviz.io.options import FROM_SUBTOPICS
from fairviz.io.source import STANDARD_INPUT
from fairviz.metrics.catalogue import CATALOGUE
from fairviz.model import Dataset, GroupLabels, MeasureSpec, ScoreScale, SourceFile, Target
from fairviz.stats.bootstrap import N_RESAMPLES
from fairviz.stats.tests import MIN_UNITS

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
        return loaded.labels[self.attribute]

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

    def words(self, loaded: Dataset) -> str:
        r"""The target in words.

        Examples:
            >>> AgainstTarget(0, (("a", 0.5), ("b", 0.5))).words(Dataset())
            'a 50\u202f%, b 50\u202f%'
        """
        return target_words(self.shares(loaded))


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


def reads_groups(spec: MeasureSpec) -> bool:
    """Whether a measure is one of groups."""
    measure = CATALOGUE.get(spec.name)
    return measure is not None and "groups" in measure.needed(spec.params)


# What to cite.


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A work to cite.

    Attributes:
        key: Of the BibTeX entry.
        title: As printed.
        short: How running text names it.
        what: What it is cited for.
        bibtex: The entry.
    """

    key: str
    title: str
    short: str
    what: str
    bibtex: str


TOWARDS_FAIR_RAG = Citation(
    key="kim2025fairrag",
    title="Towards Fair RAG: On the Impact of Fair Ranking in Retrieval-Augmented Generation",
    short="Kim & Diaz (2025)",
    what="Plackett–Luce with fairness control α, EU, EAR, EAE-D, intervals of EE-D",
    bibtex="""\
@inproceedings{kim2025fairrag,
  author = {Kim, To Eun and Diaz, Fernando},
  title = {Towards Fair {RAG}: On the Impact of Fair Ranking in Retrieval-Augmented Generation},
  booktitle = {Proceedings of ICTIR},
  year = {2025},
  doi = {10.1145/3731120.3744599}
}
""",
)

EXPECTED_EXPOSURE = Citation(
    key="diaz2020expected",
    title="Evaluating Stochastic Rankings with Expected Exposure",
    short="Diaz et al. (2020)",
    what="EE-D, EE-R and EE-L, target exposure",
    bibtex="""\
@inproceedings{diaz2020expected,
  author = {Diaz, Fernando and Mitra, Bhaskar and Ekstrand, Michael D. and Biega, Asia J. and
            Carterette, Ben},
  title = {Evaluating Stochastic Rankings with Expected Exposure},
  booktitle = {Proceedings of CIKM},
  year = {2020},
  doi = {10.1145/3340531.3411962}
}
""",
)

COMPARING = Citation(
    key="raj2020comparing",
    title="Comparing Fair Ranking Metrics",
    short="Raj et al. (2020)",
    what="AWRF, PreF, FAIR (binomial), logDP, logEUR, logRUR, IAA, PAIR and EE of groups in one "
    "notation, and how their agreement is compared",
    bibtex="""\
@misc{raj2020comparing,
  author = {Raj, Amifa and Wood, Connor and Montoly, Ananda and Ekstrand, Michael D.},
  title = {Comparing Fair Ranking Metrics},
  year = {2020},
  eprint = {2009.01311},
  archivePrefix = {arXiv}
}
""",
)

FAIR_METRIC = Citation(
    key="gao2022fair",
    title="FAIR: Fairness-Aware Information Retrieval Evaluation",
    short="Gao et al. (2022)",
    what="FAIR, nDRKL and the re-ranker FAIR ε-greedy",
    bibtex="""\
@article{gao2022fair,
  author = {Gao, Ruoyuan and Ge, Yingqiang and Shah, Chirag},
  title = {{FAIR}: Fairness-Aware Information Retrieval Evaluation},
  journal = {Journal of the Association for Information Science and Technology},
  volume = {73},
  number = {10},
  pages = {1461--1473},
  year = {2022},
  doi = {10.1002/asi.24648}
}
""",
)

FAIRVIZ = Citation(
    key="fairviz",
    title="fairviz",
    short="fairviz",
    what="the numbers and figures",
    bibtex=f"""\
@software{{fairviz,
  author = {{{{The fairviz developers}}}},
  title = {{fairviz}},
  version = {{{__version__}}},
  year = {{2026}},
  note = {{Apache-2.0}}
}}
""",
)

CITATIONS = (TOWARDS_FAIR_RAG, EXPECTED_EXPOSURE, COMPARING, FAIR_METRIC, FAIRVIZ)


def bibliography() -> str:
    """All entries as one ``.bib`` file."""
    return "\n".join(citation.bibtex for citation in CITATIONS)


# Commands that give the same numbers again from the loaded files.


TARGET_FILE = "chosen-target.json"
"""Where a command puts a target that was set by hand."""

WIDTH = 88
"""Columns after which a command goes on in the next line."""


def evaluate_command(
    loaded: Dataset,
    measures: Sequence[MeasureSpec],
    *,
    pairs: Mapping[str, str] | None = None,
    per_query: bool = False,
    against: AgainstTarget | None = None,
    common_depth: bool = False,
) -> str:
    """``fairviz evaluate`` on the loaded files.

    A target that was set by hand is written to a file first.

    Args:
        loaded: The data; its files are named as they were given.
        measures: What is measured.
        pairs: Outputs -> the run they were made from.
        per_query: Also the value of every query.
        against: Groups and target, left out where no measure is of groups.
        common_depth: Whether lists were cut to be compared.
    """
    rankings = any(reads_rankings(spec) for spec in measures)
    outputs = any(not reads_rankings(spec) for spec in measures)
    words = ["fairviz evaluate"]
    if rankings or pairs or (outputs and len(loaded.runs) + len(loaded.samples) == 1):
        words += _rankings(loaded, "run", "samples")
    stated = against if any(map(reads_groups, measures)) else None
    if rankings:
        words += _qrels(loaded, stated)
    if stated:
        words += _groups(loaded, stated)
    if outputs:
        words += ["--outputs", *_files(loaded, ("rag",))]
        if any(spec.params.get("utility", "recorded") != "recorded" for spec in measures):
            words += [f"--references {name}" for name in _files(loaded, ("references",))]
    words += [f"--systems {name}" for name in _files(loaded, ("systems",))]
    words += [f"--pair {shlex.quote(f'{a}={b}')}" for a, b in (pairs or {}).items()]
    words += [f"-m {_quoted(spec.text or spec.name)}" for spec in measures]
    words += ["--per-query"] if per_query else []
    words += ["--depth common"] if common_depth else []
    return _after_target(stated, words)


def curve_command(
    loaded: Dataset,
    *,
    judgements: int,
    k: int,
    gain: Gain,
    alphas: str,
    policy: str = "all",
    scores: ScoreScale = "given",
    offset: float = 1.0,
    more: Sequence[str] = (),
) -> str:
    """``fairviz curve`` on the loaded runs and one of the loaded judgements.

    Args:
        loaded: The data.
        judgements: Position of the judgements in it.
        k: Items shown.
        gain: Graded or binary usefulness.
        alphas: Grid of α, lo:hi:n.
        policy: Which policies.
        scores: What that policy sees of the scores.
        offset: Of its logits.
        more: Further options, such as those of a figure.
    """
    judged = [file for file in loaded.files if file.role == "qrels"][judgements]
    words = ["fairviz curve", *_rankings(loaded, "run")]
    words.append(f"--qrels {shlex.quote(_path(judged))}")
    words += [f"--systems {name}" for name in _files(loaded, ("systems",))]
    words += [f"-k {k}", f"--alpha {alphas}", f"--policy {policy}"]
    words += [f"--gain {gain}"] if gain != "graded" else []
    words += [f"--scores {scores}"] if scores != "given" else []
    words += [f"--offset {offset:g}"] if offset != 1 else []
    return wrapped([*words, *more])


def tradeoff_command(
    loaded: Dataset,
    *,
    quality: str,
    k: int,
    gain: Gain,
    alphas: str = "",
    scores: ScoreScale = "given",
    policy: str = "plackett-luce",
    pairs: Mapping[str, str] | None = None,
    more: Sequence[str] = (),
) -> str:
    """``fairviz tradeoff`` on the loaded files: every table of a comparison of systems.

    Args:
        loaded: The data.
        quality: "EER" of the runs, or "EU" or "EU/best" of the answers.
        k: Items shown.
        gain: How relevance is counted.
        alphas: Grid of the exact curves (lo:hi:n).
        scores: What policies see of the scores.
        policy: Of runs, one or all.
        pairs: Outputs -> the run they were made from.
        more: Further options, such as those of a figure.
    """
    words = ["fairviz tradeoff", *_rankings(loaded, "run")]
    if quality != "EER":
        words += ["--outputs", *_files(loaded, ("rag",))]
        words += [f"--pair {shlex.quote(f'{a}={b}')}" for a, b in (pairs or {}).items()]
    words += [*_qrels(loaded, None), f"-k {k}", f"--quality {quality}"]
    words += [f"--systems {name}" for name in _files(loaded, ("systems",))]
    words += [f"--gain {gain}"] if gain != "graded" else []
    if quality == "EER":
        words += [f"--alpha {alphas}"] if alphas else []
        words += [f"--policy {policy}"] if policy != "plackett-luce" else []
        words += [f"--scores {scores}"] if scores != "given" else []
    return wrapped([*words, *more])


def report_command(
    loaded: Dataset,
    measures: Sequence[MeasureSpec],
    *,
    k: int,
    gain: Gain,
    rel: int,
    alphas: Sequence[float],
    scores: ScoreScale,
    offset: float,
    judgements: int,
    against: AgainstTarget | None,
    pairs: Mapping[str, str],
    seed: int,
) -> str:
    """``fairviz report`` on the loaded files: every number of a report and of its bundle.

    A target that was set by hand is written to a file first.

    Args:
        loaded: The data; its files are named as they were given.
        measures: What is measured.
        k: Items shown.
        gain: How relevance is counted.
        rel: Smallest useful grade, for binary gain.
        alphas: Fairness control of the curves; empty without any.
        scores: What policies see of the scores.
        offset: Of their logits.
        judgements: Place of those that the curves of the first run are measured against.
        against: Groups and target; None where nothing is of groups.
        pairs: Outputs -> the run they were made from.
        seed: Of every bootstrap.
    """
    words = ["fairviz report", *_every_file(loaded, against, pairs)]
    words += [f"-m {_quoted(spec.text or spec.name)}" for spec in measures]
    words.append(f"-k {k}")
    words += [f"--alpha {_grid(alphas)}"] if len(alphas) else []
    words += [f"--gain {gain}"] if gain != "graded" and rel == 1 else []
    words += [f"--rel {rel}"] if rel != 1 else []
    words += [f"--scores {scores}"] if scores != "given" else []
    words += [f"--offset {offset:g}"] if offset != 1 else []
    words += _judgements(loaded, judgements) if len(alphas) else []
    words += [f"--seed {seed}"] if seed else []
    words.append(f"--title {shlex.quote(loaded.name)}")
    return _after_target(against, words)


def files_command(
    command: str,
    loaded: Dataset,
    *,
    against: AgainstTarget | None,
    judgements: int | None,
    pairs: Mapping[str, str],
    more: Sequence[str],
    answers: Sequence[tuple[str, str]] = (),
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
    """
    files = _answer_files(loaded, answers) if answers else _every_file(loaded, against, pairs)
    words = [command, *files]
    words += [] if judgements is None else _judgements(loaded, judgements)
    return _after_target(against, [*words, *more])


def _every_file(loaded: Dataset, against: AgainstTarget | None, pairs: Mapping[str, str]) -> list[str]:
    words = [*_rankings(loaded, "run", "samples"), *_qrels(loaded, against)]
    words += _groups(loaded, against) if against else []
    outputs = _files(loaded, ("rag",))
    words += ["--outputs", *outputs] if outputs else []
    words += [f"--references {name}" for name in _files(loaded, ("references",))]
    words += [f"--systems {name}" for name in _files(loaded, ("systems",))]
    return words + [f"--pair {shlex.quote(f'{a}={b}')}" for a, b in pairs.items()]


def _answer_files(loaded: Dataset, options: Sequence[tuple[str, str]]) -> list[str]:
    """Recorded answers, their questions, and judgements."""
    words: list[str] = []
    for role, option in options:
        if role == "qrels":
            words += _qrels(loaded, None)
            continue
        words += [f"{option} {name}".lstrip() for name in _files(loaded, (role,))]
    return words


def _judgements(loaded: Dataset, place: int) -> list[str]:
    """Which of several judgements."""
    judged = [file for file in loaded.files if file.role == "qrels"]
    return [f"--judgements {shlex.quote(_path(judged[place]))}"] if len(judged) > 1 else []


def _after_target(against: AgainstTarget | None, words: Sequence[str]) -> str:
    """A command, after the line that writes a target set by hand."""
    if against and not isinstance(against.target, str):
        return _target_written(against.target) + wrapped(words)
    return wrapped(words)


def _grid(alphas: Sequence[float]) -> str:
    """A grid of α as commands take it.

    Examples:
        >>> _grid([0.0, 4.0, 8.0]), _grid([0.0, 1.0, 8.0])
        ('0:8:3', '0,1,8')
    """
    low, high, n = alphas[0], alphas[-1], len(alphas)
    even = n > 1 and all(alpha == low + (high - low) * (i / (n - 1)) for i, alpha in enumerate(alphas))
    return f"{low!r}:{high!r}:{n}".replace(".0:", ":") if even else ",".join(f"{alpha:.17g}" for alpha in alphas)


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


def _files(loaded: Dataset, roles: Sequence[str]) -> list[str]:
    files = [file for role in roles for file in loaded.files if file.role == role]
    return [shlex.quote(_path(file)) for file in files]


def _rankings(loaded: Dataset, *roles: str) -> list[str]:
    """Files of rankings, and what orders their ties."""
    return _files(loaded, roles) + ["--ties rank"] * any(run.ties == "rank" for run in loaded.runs)


def _qrels(loaded: Dataset, against: AgainstTarget | None) -> list[str]:
    """One option per file of judgements; those of a generator's utility carry its name.

    Where subtopics are the groups, the judgements that have them come first: the command takes
    groups from those.
    """
    files = [file for file in loaded.files if file.role == "qrels"]
    labels = _labels_file(loaded, against.attribute) if against else None
    words: list[str] = []
    for file, qrels in zip(files, loaded.qrels, strict=False):
        owner = f"{qrels.generator}=" if qrels.generator else ""
        word = f"--qrels {shlex.quote(f'{owner}{_path(file)}')}"
        first = labels is not None and (labels.format, labels.name) == (FROM_SUBTOPICS, file.name)
        words.insert(0 if first else len(words), word)
    return words


def _groups(loaded: Dataset, against: AgainstTarget) -> list[str]:
    file = _labels_file(loaded, against.attribute)
    if file.format == FROM_SUBTOPICS:
        words = ["--groups-from qrels", "--subtopics"]
    else:
        words = [f"--groups {shlex.quote(_path(file))}"]
        words += ["--labels split"] if against.split else []
    target = against.shares(loaded)
    if isinstance(target, Target) and missing_groups(against.labels(loaded), target):
        words += ["--allow-missing-groups"]
    match against.target:
        case "file":
            return words + [f"--target {name}" for name in _files(loaded, ("target",))]
        case str(preset):
            return [*words, f"--target {preset}"]
        case _:
            return [*words, f"--target {TARGET_FILE}"]


def _labels_file(loaded: Dataset, attribute: int) -> SourceFile:
    """The file that brought these labels: a table, or judgements whose subtopics are groups."""
    return [file for file in loaded.files if file.role == "groups"][attribute]


def target_file(target: Sequence[tuple[str, float]]) -> SourceFile:
    """The file that a command writes a target to, which was set by hand."""
    digest = sha256(_target_text(target).encode()).hexdigest()
    return SourceFile(role="target", name=TARGET_FILE, format="json", digest=digest)


def _target_text(target: Sequence[tuple[str, float]]) -> str:
    return json.dumps(dict(target), ensure_ascii=False)


def _target_written(target: Sequence[tuple[str, float]]) -> str:
    """A line that writes a target to its file."""
    return f"printf '%s' {shlex.quote(_target_text(target))} > {TARGET_FILE}\n"


def _path(file: SourceFile) -> str:
    """Where a file is; a name that looks like an option gets a folder."""
    if file.name == STANDARD_INPUT:
        return "-"
    return f"./{file.name}" if file.place.startswith("-") else file.place


def _quoted(text: str) -> str:
    """A word for the shell; text with apostrophes only stands in double quotes, to be read."""
    plain = "'" in text and not set(text) & set('"$`\\!')
    return f'"{text}"' if plain else shlex.quote(text)


NORMS = {
    "attainable": "scaled per query between the smallest and the largest value that any policy over the pool can have",
    "none": "not normalised",
    "fair-rag": "normalised as in the code published with Kim & Diaz (2025)",
    "expeval": "normalised as in expeval",
}


SEEN: dict[ScoreScale, str] = {
    "given": "min–max scores",
    "ranks": "min–max ranks in place of scores",
    "zscore": "scores scaled by z",
}
"""How a policy sees the scores, in a methods paragraph."""


def methods_paragraph(
    loaded: Dataset,
    measures: Sequence[MeasureSpec],
    *,
    curves: tuple[int, Gain, int, str] | None = None,
    policy: tuple[ScoreScale, float] = ("given", 1.0),
    against: AgainstTarget | None = None,
    depth: str = "",
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
        seed: Of the bootstrap.
    """
    parts = [
        f"Results were computed with fairviz {__version__} on {_inventory(loaded)} (fingerprint "
        f"{loaded.fingerprint[:12]})."
    ]
    if measures:
        parts.append(f"Measures: {listing([spec.text or spec.name for spec in measures])}.")
    parts += _definitions(measures)
    of_groups = any(map(reads_groups, measures))
    if against:
        parts.append(_grouping(loaded, against))
    if curves:
        k, gain, rel, alphas = curves
        low, high, n = alphas.split(":")
        useful = f"EER(rel={rel}), binary gain, grade ≥ {rel}" if gain == "binary" else "EER, graded gain"
        parts.append(
            "Trade-off curves show expected exposure of Plackett–Luce policies with control α "
            f"({SEEN[policy[0]]}, offset {policy[1]:g}; Kim & Diaz, 2025), computed exactly at {n} values of α from "
            f"{low} to {high}, k = {k}, {useful}; the optimal policy and the oracle limit are compared "
            "at the mean EE-D that Plackett–Luce has at each α. AUC (mean quality) and slope are over the points along "
            "α and the range of EE-D that all curves cover; the deterministic list and the oracle limit are in neither."
        )
    parts += [f"For curves and differences, {depth}."] if depth else []
    of_systems = " (measures of whole systems: of exposure averaged over queries first)" if of_groups else ""
    parts.append(
        f"Values are means over the queries on which a measure is defined{of_systems}; undefined "
        "queries are counted. Intervals are 95 % expanded percentile bootstraps over queries "
        f"(Hesterberg, 2015; {count(N_RESAMPLES)} resamples, seed {seed}), undefined where all values are equal; "
        f"below {MIN_UNITS} queries no verdict is drawn; p values of a table are corrected by Holm."
    )
    cited = listing([f"{citation.short} [{citation.key}]" for citation in _cited(measures)])
    return " ".join([*parts, f"Cite {cited}."])


def _cited(measures: Sequence[MeasureSpec]) -> list[Citation]:
    """What a paper with these measures cites."""
    of_groups = any(map(reads_groups, measures))
    by_gao = any(spec.name in CATALOGUE and "Gao et al. 2022" in CATALOGUE[spec.name].citation for spec in measures)
    return [
        TOWARDS_FAIR_RAG,
        EXPECTED_EXPOSURE,
        *([COMPARING] if of_groups else []),
        *([FAIR_METRIC] if by_gao else []),
        FAIRVIZ,
    ]


def _grouping(loaded: Dataset, against: AgainstTarget) -> str:
    labels = against.labels(loaded)
    return (
        f"Groups are those of “{labels.attribute}” ({listing(list(labels.groups))}); attention on "
        "documents without a label counts for no group unless a measure says missing='group'. "
        f"Target shares of attention: {against.words(loaded)}."
    )


def _inventory(loaded: Dataset) -> str:
    judged = {query for qrels in loaded.qrels for query in qrels.query_ids}
    parts = [
        plural(len(loaded.runs), "run") if loaded.runs else "",
        plural(len(loaded.samples), "file", "files") + " of sampled rankings" if loaded.samples else "",
        plural(len(loaded.outputs), "set") + " of recorded outputs" if loaded.outputs else "",
        plural(len(judged), "judged query", "judged queries") if judged else "",
    ]
    return f"“{loaded.name}”: {listing([part for part in parts if part]) or 'no data'}"


def _definitions(measures: Sequence[MeasureSpec]) -> list[str]:
    """One sentence per measure of fairviz; those of ir-measures are named together."""
    sentences: dict[str, None] = {}
    for spec in measures:
        if spec.name not in CATALOGUE:
            continue
        measure = CATALOGUE[spec.name]
        params = measure.with_defaults(spec.params)
        norm = NORMS.get(str(params.get("norm")), "") if "rankings" in measure.needs else ""
        norm = "of groups instead of items, not normalised" if reads_groups(spec) and norm else norm
        source = f"{measure.formula} ({measure.citation})"
        sentences[f"{measure.label} is {source}{', ' + norm if norm else ''}."] = None
    others = [spec.text or spec.name for spec in measures if spec.name not in CATALOGUE]
    if others:
        sentences[f"{listing(others)} as in ir-measures."] = None
    return list(sentences)
