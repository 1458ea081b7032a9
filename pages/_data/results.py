"""What the Data page counts: how rankings, judgements, labels, targets, outputs and answers cover each other."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from fairviz.display.words import capital, percent, plural
from fairviz.errors import InputError, UndefinedError
from fairviz.evaluation.coverage import SystemCoverage, coverage
from fairviz.io.join import join_target, misnamed
from fairviz.kernels.attribution import attribution
from fairviz.kernels.grouping import missing_groups, unlabelled_part
from fairviz.model import Dataset, GroupLabels, RankingSample, Run, Target
from fairviz.points.outputs import paired
from fairviz.studies.demographic_qa.answers import blocks_of
from fairviz.studies.social_bias.analysis import matched_answers
from fairviz.studies.social_bias.answers import MatchedAnswers
from pages._kit.controls import usual_judgements
from pages._kit.recorded_outputs import pairing_words, run_named
from pages._kit.session import cached
from pages._kit.target import labelled_pools

CUTOFF = 5
PAIRED_CUTOFF = 20
WORTH_SAYING = 0.05
"""Share of citations outside the list from which the pairing is doubted."""

NAMED = 3
"""Groups that a sentence names before it stops."""


def rankings(loaded: Dataset) -> tuple[Run | RankingSample, ...]:
    """What can be joined with judgements: runs, or sampled rankings where there is no run."""
    return loaded.runs or loaded.samples


@cached
def systems(loaded: Dataset, k: int) -> tuple[SystemCoverage, ...]:
    """What every system has and lacks, each beside the judgements that every page begins with."""
    ranked = (*loaded.runs, *loaded.samples)
    judgements = [loaded.qrels[usual_judgements(loaded, one)] if loaded.qrels else None for one in ranked]
    return coverage(loaded, judgements, paired(loaded), k=k)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """Recorded outputs of one system beside the run that fed them.

    Attributes:
        name: Generator, else system; policy and α where they have them.
        n_answers, n_queries: How many answers to how many queries.
        n_unknown: Queries that the run does not have; None where no run is known.
        n_cited, n_outside: Citations, and those to documents that were not given.
        k: How many items were given.
        given_from: "ranking" where the outputs say what they were given.
        fed: How it is known which run fed them, in words.
    """

    name: str
    n_answers: int
    n_queries: int
    n_unknown: int | None
    n_cited: int
    n_outside: int
    k: int
    given_from: str
    fed: str

    @property
    def doubt(self) -> bool:
        """Whether the answers were probably written from another list."""
        return self.n_outside > WORTH_SAYING * self.n_cited


@cached
def answered(loaded: Dataset) -> tuple[Answered, ...]:
    """Count answers and citations of every recorded output."""
    counts: list[Answered] = []
    differing = [name for name in ("task", "retriever") if len({getattr(one, name) for one in loaded.outputs}) > 1]
    for outputs, pairing in zip(loaded.outputs, paired(loaded), strict=True):
        run = run_named(loaded, pairing.run)
        if run is None and pairing.how == "recorded" and len(loaded.runs) == 1:
            run = loaded.runs[0]
        k = outputs.k or (CUTOFF if outputs.given_from == "ranking" else PAIRED_CUTOFF)
        own = run if outputs.given_from != "ranking" else None
        try:
            cited = attribution(outputs, k=k, paired=own)
            n_cited, n_outside = cited.n_cited, cited.n_outside
        except UndefinedError:  # what was given is not known
            n_cited, n_outside = outputs.attributed.size, 0
        alpha = "" if outputs.alpha is None else f" · α = {outputs.alpha:g}"
        policy = f" · {outputs.policy}" if outputs.policy and outputs.alpha is None else ""
        made_of = " + ".join(filter(None, [*(getattr(outputs, name) for name in differing), outputs.generator]))
        unknown = None if run is None else len(set(outputs.query_ids) - set(run.query_ids))
        counts.append(
            Answered(
                name=f"{made_of or outputs.system}{policy}{alpha}",
                n_answers=len(outputs.texts),
                n_queries=len(outputs.query_ids),
                n_unknown=unknown,
                n_cited=n_cited,
                n_outside=n_outside,
                k=k,
                given_from=outputs.given_from if own is None else own.system,
                fed=pairing_words(pairing),
            )
        )
    return tuple(counts)


def doubtful(several: Sequence[Answered]) -> tuple[str, str]:
    """(title, text) of the caveat on outputs that cite much that they were not given."""
    shares = sorted(outputs.n_outside / outputs.n_cited for outputs in several)
    reach = percent(shares[0])
    if percent(shares[-1]) != reach:
        reach = f"{percent(shares[0])} to {percent(shares[-1])}"
    whose = several[0].name if len(several) == 1 else plural(len(several), "generator")
    first = several[0]
    source = "items they record as given" if first.given_from == "ranking" else first.given_from
    return (
        f"{reach} of the citations of {whose} are to documents outside the first {first.k} of {source}.",
        "The answers were probably written from another list. EAR against this one is a lower "
        "bound; load the run that fed the generator.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Groups:
    """Documents of each group of one attribute, soft labels counted by weight.

    Attributes:
        attribute: What the groups are groups of.
        sizes: (group, documents).
        not_applicable: Ranked documents to which the attribute does not apply.
        unlabelled: Ranked documents without a label, and parts of documents.
        n_documents: Other ranked documents; those of the table where no ranking is loaded.
        n_elsewhere: Labelled documents that no ranking has.
        counted: Whose documents are counted, and how often.
        target: Whether the loaded target fits, and what is to be said of it; None without one.
    """

    attribute: str
    sizes: tuple[tuple[str, float], ...]
    not_applicable: int
    unlabelled: float
    n_documents: int
    n_elsewhere: int
    counted: str
    target: tuple[bool, str] | None

    @property
    def unlabelled_share(self) -> float:
        """Share of the documents in question without a label."""
        return self.unlabelled / self.n_documents if self.n_documents else float("nan")


@cached
def group_sizes(loaded: Dataset, attribute: int) -> Groups:
    """Count the documents of the loaded rankings by group; of the table itself without a run.

    Where labels differ per query, the documents of one system are counted once per query.
    """
    labels = loaded.labels[attribute]
    ranked = (*loaded.runs, *loaded.samples)
    if labels.query_ids is not None and ranked:
        of = labelled_pools(loaded, attribute, 0, None, "drop")
        pools, members = of.pools, of.members
        sizes = members.weights.sum(axis=0)[: len(labels.groups)]
        unlabelled, total = float(members.unlabelled.sum()), pools.docs.size
        outside = int(members.not_applicable.sum())
        ranked_labels = int((members.weights.sum(axis=1) > 0).sum())
        counted = f"the documents of {ranked[0].system}, once per query"
    else:
        known = {d for system in ranked for d in system.doc_ids}
        rows = [i for i, d in enumerate(labels.doc_ids) if d in known or not known]
        weights, outside = labels.weights[rows], int(labels.not_applicable[rows].sum())
        sizes = np.asarray(weights.sum(axis=0), dtype=np.float64).ravel()
        total = len(known) or len(labels.doc_ids)
        held = np.asarray(weights.sum(axis=1), dtype=np.float64).reshape(-1, 1)
        unlabelled = total - len(rows) + float(unlabelled_part(held).sum()) - outside
        ranked_labels = len(rows) - outside
        counted = "the documents that the loaded rankings hold" if known else "the labelled items"
    return Groups(
        attribute=labels.attribute,
        sizes=tuple(zip(labels.groups, sizes.tolist(), strict=True)),
        not_applicable=outside,
        unlabelled=unlabelled,
        n_documents=total - outside,
        n_elsewhere=max(int((~labels.not_applicable).sum()) - ranked_labels, 0),
        counted=counted,
        target=None if loaded.target is None else target_verdict(loaded, labels, loaded.target),
    )


def target_verdict(loaded: Dataset, labels: GroupLabels, target: Target) -> tuple[bool, str]:
    """Whether a target speaks of these groups, and where the two do not match."""
    file = next((f.name for f in loaded.files if f.role == "target"), "The target")
    try:
        notes = join_target(labels, target)
    except InputError:
        more = ", …" if len(target.groups) > NAMED else ""
        named = ", ".join(target.groups[:NAMED]) + more
        return False, f"{file} speaks of other groups ({named}): it is not used here."
    if missing := missing_groups(labels, target):
        words = f"{file} gives a share to {misnamed(labels, missing)}, which no label names: it is not used"
        return False, f"{words}. Mend the name in the file, or leave the group out."
    n, known = len(set(labels.groups) & set(target.groups)), len(labels.groups)
    fits = f"{file} has shares for {n} of {plural(known, 'group')}"
    if target.query_ids is not None:
        queries = {q for system in (*loaded.runs, *loaded.samples) for q in system.query_ids}
        without = len(queries - set(target.query_ids))
        fits += f", by query, for {plural(len(target.query_ids), 'query', 'queries')}"
        fits += f"; {without} ranked without" if without else ""
    told = "".join(f" {capital(note.message)}." for note in notes)
    return True, f"{fits}.{told}"


@cached
def matched(loaded: Dataset) -> MatchedAnswers | tuple[str, str]:
    """Bias questions beside their answers, or why they do not join and what to do."""
    try:
        return matched_answers(loaded)
    except InputError as error:
        return str(error), error.fix


@cached
def question_blocks(loaded: Dataset) -> tuple[pl.DataFrame, ...]:
    """Which questions have all variants, by producer, of each file of answers to variants."""
    return tuple(map(blocks_of, loaded.variants))
