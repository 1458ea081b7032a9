"""Who is measured by what: judgements and groups that speak of a system, the run that fed answers, names, depth.

A run without one query in common with the judgements has no values, and one much shallower than the others would narrow
the range of EE-D on which all are compared: both are left out by name, so that the rest keeps its numbers.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np

from fairviz.display.methods import AgainstTarget
from fairviz.display.words import count, listing
from fairviz.errors import InputError, UndefinedError, UsageError
from fairviz.io.join import distinct_names, join_groups, join_qrels, names_of_systems
from fairviz.io.notes import NoteBook
from fairviz.io.stored import Stored, first_items
from fairviz.kernels.attribution import coverage
from fairviz.model import Dataset, Factors, GroupLabels, Note, Qrels, RagOutputs, RankingSample, Run, factors_of
from fairviz.model.arrays import Ids, IntArray, segment_rows
from fairviz.remembered import remembered

Ranked: TypeAlias = Run | RankingSample
R = TypeVar("R", Run, RankingSample, Ranked)
Named = TypeVar("Named")


NAMED = 3
"""Further systems that a note names; more are counted."""


class LeftOut(NamedTuple):
    """A system that is not measured or compared.

    Attributes:
        system: Its name.
        reason: Why, with two ids of each side where ids do not match.
        fix: How to mend it, one sentence.
    """

    system: str
    reason: str
    fix: str

    @property
    def why(self) -> str:
        """Reason and remedy, without a stop."""
        return f"{self.reason}. {self.fix}".rstrip(" .")

    @property
    def note(self) -> Note:
        """A warning on the system that says why it is left out."""
        return Note(self.system, None, f"left out: {self.why}")

    @property
    def words(self) -> str:
        """A sentence that names the system and says why."""
        return f"{self.system}: {self.why}."


def judging(ranked: Ranked, qrels: Sequence[Qrels], generators: Collection[str] = ()) -> tuple[Qrels, ...]:
    """All judgements that one system's rankings are measured against, one after another.

    People's; where there are none, those of each generator that the rankings were given to, or of
    every generator where that is not known.

    Args:
        ranked: The rankings.
        qrels: All judgements.
        generators: Generators whose recorded outputs were made from the rankings, where known.

    Raises:
        InputError: They have no query in common; two ids of each side are in the text.
        UsageError: There are no judgements, several people's of its queries, or only such of
            generators that the rankings were not given to.
    """
    if not qrels:
        raise UsageError("measures of rankings need judgements: give --qrels FILE")
    people = [labels for labels in qrels if labels.generator is None]
    candidates = people or [labels for labels in qrels if not generators or labels.generator in generators]
    if not candidates:
        names = ", ".join(str(labels.generator) for labels in qrels)
        fed = ", ".join(sorted(generators))
        raise UsageError(f"the judgements are of {names}, and its lists were given to {fed}: give --qrels {fed}=FILE")
    index = set(ranked.query_ids)
    sharing = tuple(labels for labels in candidates if not index.isdisjoint(labels.query_ids))
    if people and len(sharing) > 1:
        names = ", ".join(labels.name for labels in sharing)
        raise UsageError(f"several judgements of its queries ({names}): give one --qrels FILE without GENERATOR=")
    if not sharing:
        join_qrels(ranked, candidates[0])  # raises, with ids of both
        raise InputError("no query has ranked items", file=ranked.system, fix="")
    return sharing


def judgements_of(ranked: Ranked, qrels: Sequence[Qrels]) -> Qrels:
    """The only judgements of one system's rankings.

    Raises:
        InputError: They have no query in common; two ids of each side are in the text.
        UsageError: There are none for these rankings, several people's of its queries, or several generators'.
    """
    first, *others = judging(ranked, qrels)
    if others:
        names = ", ".join(str(labels.generator) for labels in (first, *others))
        raise UsageError(f"several generators judged its lists ({names}): give --qrels of one")
    return first


def by_task(
    qrels: Sequence[Qrels], systems: Sequence[Ranked | RagOutputs], table: Mapping[str, Factors]
) -> tuple[Qrels, ...]:
    """Judgements of several tasks in one file, apart, so that no system is measured on the queries of another task.

    A query is of the tasks whose systems ranked or answered it; one of which no system knows stays with all. Tasks that
    share a judged query are left together.

    Args:
        qrels: All judgements.
        systems: Rankings and outputs.
        table: Name of a system -> what it is made of.
    """
    task_queries: dict[str, set[str]] = {}
    for system in systems:
        if task := table.get(system.system, Factors()).over(factors_of(system)).task:
            task_queries.setdefault(task, set()).update(system.query_ids)
    parts: list[Qrels] = []
    for labels in qrels:
        own = [queries for task in task_queries.values() if (queries := task.intersection(labels.query_ids))]
        others = [set[str]().union(*own[:i], *own[i + 1 :]) for i in range(len(own))]
        if len(own) < 2 or any(ours & theirs for ours, theirs in zip(own, others, strict=True)):
            parts.append(labels)
            continue
        parts += [judging_without(labels, theirs) for theirs in others]
    return tuple(parts)


def of_task(system: str, runs: Sequence[Run], table: Mapping[str, Factors]) -> tuple[Run, ...]:
    """The runs of a run's task, itself among them.

    Args:
        system: Name of the run.
        runs: All of them.
        table: Name of a system -> what it is made of.
    """
    tasks = {run.system: table.get(run.system, Factors()).task for run in runs}
    return tuple(run for run in runs if tasks[run.system] == tasks[system])


def with_subtopics(qrels: Sequence[Qrels]) -> Qrels:
    """The judgements that groups are taken from.

    Raises:
        UsageError: None carry subtopics.
    """
    if not qrels:
        raise UsageError("--groups-from qrels needs judgements with subtopics: give --qrels FILE")
    judged = min(qrels, key=lambda labels: (labels.subtopics is None, labels.generator is not None))
    if judged.subtopics is None:
        raise UsageError(
            "--groups-from qrels: no document repeats with another column 2; if it holds subtopics "
            "all the same, add --subtopics, else give --groups FILE"
        )
    return judged


def unjoined(rankings: Sequence[Ranked], qrels: Sequence[Qrels]) -> tuple[LeftOut, ...]:
    """Systems that have no query in common with any of several judgements; none where there are no judgements."""
    omissions: list[LeftOut] = []
    judged = {query for labels in qrels for query in labels.query_ids}
    for ranked in rankings if qrels else ():
        if not judged.isdisjoint(ranked.query_ids):
            continue
        try:
            join_qrels(ranked, qrels[0])
        except InputError as error:
            omissions.append(left_out(ranked.system, error))
    return tuple(omissions)


def of_collection(rankings: Sequence[R], qrels: Sequence[Qrels]) -> list[R]:
    """Systems that some judgements speak of; all of them where there are no judgements, or none speak of any."""
    others = {system.system for system in unjoined(rankings, qrels)}
    return [system for system in rankings if system.system not in others] or list(rankings)


def of_another_task(rankings: Sequence[R], shown: Sequence[R]) -> list[Note]:
    """A note on the rankings that are not among those shown, which are of one task."""
    names = {ranking.system for ranking in shown}
    others = (ranking.system for ranking in rankings if ranking.system not in names)
    return merged_notes(Note(name, None, "left out: of another task") for name in others)


def joining(data: Dataset) -> tuple[Dataset, tuple[LeftOut, ...]]:
    """The data without rankings that have no query in common with any judgements, and which those are."""
    left_out = unjoined((*data.runs, *data.samples), data.qrels)
    return data.without({ranking.system for ranking in left_out}), left_out


def merged_notes(notes: Iterable[Note]) -> list[Note]:
    """Notes, with one for all systems that are left out for the same reason: it stands at the first, and names others.

    Examples:
        >>> [str(note) for note in merged_notes(Note(name, None, "left out: no query in common") for name in "abcdef")]
        ['a: left out: no query in common; so are b, c, d and 2 more']
    """
    kept: dict[object, tuple[Note, list[str]]] = {}
    for i, note in enumerate(notes):
        first, others = kept.setdefault(note.message if note.message.startswith("left out") else i, (note, []))
        others += [note.file] if note is not first and note.file not in (first.file, *others) else []
    return [
        replace(note, message=f"{note.message}; so {'is' if len(others) == 1 else 'are'} {listing(others, most=NAMED)}")
        if others
        else note
        for note, others in kept.values()
    ]


class Judged(NamedTuple):
    """Rankings and the judgements that they are measured against.

    Attributes:
        ranked: Under the name of their scores: their own, or where several generators judged them one for each, so that
            nothing of the two is mixed. Tables have the system and the labels in two columns.
        qrels: The judgements.
        loaded: The rankings as they were given.
    """

    ranked: Ranked
    qrels: Qrels
    loaded: Ranked

    @property
    def name(self) -> str:
        """Of the scores among others."""
        return self.ranked.system

    @property
    def system(self) -> str:
        """Name of the rankings as they were given."""
        return self.loaded.system

    @property
    def labels(self) -> str | None:
        """Generator whose labels they are; None: people's."""
        return self.qrels.generator


def labelled_apart(judged: Sequence[Judged]) -> dict[str, Judged]:
    """Systems that several generators judged, by the name of their scores."""
    return {judged_system.name: judged_system for judged_system in judged if judged_system.name != judged_system.system}


def joined(
    rankings: Sequence[Ranked], qrels: Sequence[Qrels], generators: Mapping[str, Collection[str]] | None = None
) -> tuple[tuple[Judged, ...], tuple[LeftOut, ...]]:
    """Give each system its judgements, one after another where it has several, and leave out those that have none.

    Args:
        rankings: Systems, at least one.
        qrels: All judgements, at least one.
        generators: Name of a system -> generators whose outputs were made from it.

    Raises:
        InputError: No system has a query in common with its judgements.
        UsageError: None of the judgements is for these rankings.
    """
    judged: list[Judged] = []
    refused: list[tuple[str, InputError | UsageError]] = []
    for ranked in rankings:
        try:
            own = judging(ranked, qrels, (generators or {}).get(ranked.system, ()))
        except (InputError, UsageError) as error:
            refused.append((ranked.system, error))
            continue
        for judgements in own:
            name = f"{ranked.system} (labels of {judgements.generator})"
            judged.append(Judged(ranked if len(own) == 1 else replace(ranked, system=name), judgements, ranked))
    if not judged and refused:
        raise refused[0][1]
    return tuple(judged), tuple(left_out(system, error) for system, error in refused)


def left_out(system: str, error: InputError | UsageError) -> LeftOut:
    """Why a system is left out, from the error that it would be alone."""
    if isinstance(error, InputError):
        return LeftOut(system, error.reason, error.fix)
    return LeftOut(system, str(error), "")


def labelled(rankings: Sequence[Ranked], labels: GroupLabels) -> tuple[LeftOut, ...]:
    """Systems none of whose documents has a group.

    Args:
        rankings: The systems.
        labels: Groups of documents.

    Raises:
        InputError: No system has a labelled document; two ids of each side are in the text.
    """
    without = [omission for ranked in rankings if (omission := labelled_or_why(ranked, labels))]
    if without and len(without) == len(rankings):
        raise InputError(without[0].reason, file=labels.attribute, fix=without[0].fix)
    return tuple(without)


def labelled_or_why(ranked: Ranked, labels: GroupLabels) -> LeftOut | None:
    """None where a system has a labelled document, else why it is left out of measures of groups.

    Labels of no document at all are no mistake of ids: everything is unlabelled.
    """
    if not labels.doc_ids:
        return None
    if isinstance(ranked, Stored):
        if ranked.shows_any(labels.doc_ids):
            return None
        ranked = ranked.ranges[0].lists(NoteBook(ranked.system))  # as good an example as all of it
    try:
        join_groups(ranked, labels)
    except InputError as error:
        return left_out(ranked.system, error)
    return None


S = TypeVar("S", Run, RagOutputs, Ranked)


def distinct_systems(systems: Sequence[S], files: Sequence[str]) -> list[S]:
    """Systems with distinct names, see :func:`names_of_systems`.

    Args:
        systems: Of any kind.
        files: That each was read from.
    """
    names = names_of_systems([system.system for system in systems], files)
    return [replace(system, system=name) for system, name in zip(systems, names, strict=True)]


def judging_without(labels: Qrels, queries: Collection[str]) -> Qrels:
    """The judgements of all queries but some."""
    return judging_some(labels, np.array([i for i, query in enumerate(labels.query_ids) if query not in queries]))


def judging_some(labels: Qrels, chosen: IntArray) -> Qrels:
    """The judgements of some queries and the documents that they judge, which are numbered anew."""
    places: list[int] = chosen.tolist()
    rows, offsets = segment_rows(labels.offsets, chosen)
    judged, docs = np.unique(labels.docs[rows], return_inverse=True)
    return replace(
        labels,
        query_ids=tuple(labels.query_ids[q] for q in places),
        doc_ids=Ids(Ids.of(labels.doc_ids).column.gather(judged)),
        offsets=offsets,
        docs=docs.astype(np.int32),
        grades=labels.grades[rows],
        subtopics=None if labels.subtopics is None else labels.subtopics[rows],
        largest_of_all=labels.largest_grade,
    )


# Which run fed which recorded outputs: as told, the only one, else the one whose first k hold what the outputs cite.
#
# It is one setting of the data: command, pages, export and bundle read the same answer. Where two runs fit alike, a
# person is asked; a list of references is never silently taken for what a generator was given while a run is there.


RECORDED = "recorded"
"""Told in place of a run: what the outputs themselves list."""
MARGIN = 0.05
"""Share by which the best run must lead the next: below, both fit alike and a person is asked."""
USUAL_CONTEXT = 20
"""Documents that a context holds where outputs do not record it, as TREC RAG gives."""


How: TypeAlias = Literal["recorded", "told", "only", "guessed", "unclear", "alone"]


class Pairing(NamedTuple):
    """Which run fed the outputs of one system.

    Attributes:
        outputs: Name of the outputs' system.
        run: Name of the run; None: what the outputs list, if they do.
        how: "recorded" (the outputs hold the lists they were given), "told", "only" (there is one
            run), "guessed" by coverage, "unclear" (runs fit alike), "alone" (there is no run).
        candidates: Runs by the share of the documents that the outputs name which their first k hold, the largest
            first, where it was asked for.
        k: Documents that a context holds.
    """

    outputs: str
    run: str | None
    how: How
    candidates: tuple[tuple[str, float], ...] = ()
    k: int = USUAL_CONTEXT

    @property
    def evidence(self) -> str:
        """The best runs with their coverage, in words; empty where none was asked for."""
        named = [f"{name} {100 * share:.0f} %" for name, share in self.candidates[:2]]
        return f"of the documents cited, the first {self.k} of each list hold: {', '.join(named)}" if named else ""

    @property
    def question(self) -> str:
        """What to ask a person, where runs fit alike; otherwise empty."""
        if self.how != "unclear":
            return ""
        return f"several runs may have fed {self.outputs} ({self.evidence})"

    @property
    def note(self) -> Note | None:
        """What the reader of a guess should know."""
        if self.how != "guessed":
            return None
        message = f"taken as made from {self.run} ({self.evidence}); --pair {self.outputs}={self.run} says so"
        return Note(self.outputs, None, message)


def pairings(
    outputs: Sequence[RagOutputs],
    rankings: Sequence[Run | RankingSample],
    pairs: Mapping[str, str] | None = None,
    factors: Mapping[str, Factors] | None = None,
) -> tuple[Pairing, ...]:
    """Which run fed each system's outputs, in their order.

    Outputs of one system (at several α) were made from one run, and are judged together.

    Args:
        outputs: Systems of outputs.
        rankings: Systems of rankings.
        pairs: Name of an output system -> name of its run, or :data:`RECORDED`.
        factors: Name of a run -> what it is made of, where a table says so; else a run is named by its retriever.

    Raises:
        UsageError: A pair names a system that is not there.
    """
    pairs, factors = pairs or {}, factors or {}
    runs = {ranked.system: ranked for ranked in rankings}
    output_names = [recorded.system for recorded in outputs]
    for output, run in pairs.items():
        for name, names in ((output, output_names), (run, [*runs, RECORDED])):
            if name not in names:
                raise UsageError(f"--pair: no system {name!r}; there are: {', '.join(names)}")
    decided: dict[str, Pairing] = {}
    for name in dict.fromkeys(output_names):
        members = [recorded for recorded in outputs if recorded.system == name]
        decided[name] = _pairing(name, members, runs, pairs.get(name), factors)
    return tuple(decided[name] for name in output_names)


def _pairing(
    name: str,
    members: Sequence[RagOutputs],
    runs: Mapping[str, Run | RankingSample],
    run_name: str | None,
    factors: Mapping[str, Factors],
) -> Pairing:
    k = members[0].k or USUAL_CONTEXT
    if run_name is not None:
        return Pairing(name, None if run_name == RECORDED else run_name, "told", k=k)
    unrecorded = [recorded for recorded in members if recorded.given_from != "ranking"]
    if not unrecorded:
        return Pairing(name, _of_retriever(members[0], runs, factors), "recorded", k=k)
    if len(runs) < 2:
        return Pairing(name, next(iter(runs), None), "only" if runs else "alone", k=k)
    candidates = sorted(
        ((run, _share(unrecorded, ranked, k)) for run, ranked in runs.items()), key=lambda candidate: -candidate[1]
    )
    (best, share), (_, second) = candidates[:2]
    clear = share - second > MARGIN
    return Pairing(name, best if clear else None, "guessed" if clear else "unclear", tuple(candidates), k)


def _of_retriever(
    recorded: RagOutputs, runs: Mapping[str, Run | RankingSample], factors: Mapping[str, Factors]
) -> str | None:
    """The run of the retriever that the outputs record; None where none is, or several are."""
    if recorded.retriever is None or recorded.retriever in runs:
        return recorded.retriever
    run_factors = {run: factors.get(run, Factors()) for run in runs}
    named = [run for run, made in run_factors.items() if made.retriever == recorded.retriever]
    same_task = [run for run in named if run_factors[run].task == recorded.task]
    candidates = same_task or [run for run in named if run_factors[run].task is None]
    return candidates[0] if len(candidates) == 1 else None


def _share(members: Sequence[RagOutputs], ranked: Run | RankingSample, k: int) -> float:
    inside = of = 0
    for recorded in members:
        try:
            n_inside, n = coverage(recorded, ranked, k=k)
        except ValueError:  # a sample with another number of rankings fed no such outputs
            return 0.0
        inside, of = inside + n_inside, of + n
    return inside / of if of else 0.0


# Systems of the data under distinct names.


def facts(loaded: Dataset, against: AgainstTarget | None) -> tuple[tuple[str, str], ...]:
    """Columns of the file that say which groups and target the numbers are of."""
    if against is None:
        return ()
    return (("groups", against.labels(loaded).attribute), ("target", against.words(loaded)))


def feeding(loaded: Dataset) -> list[Run]:
    """Runs that may have fed a generator; also those that join no judgements."""
    return [*loaded.runs, *(ranking for ranking in loaded.unjoined if isinstance(ranking, Run))]


def stated_pairs(loaded: Dataset, output_pairings: Sequence[Pairing]) -> dict[str, str]:
    """Outputs that do not record what they were given -> the run that fed them, as a command has to be told.

    With one ranking nobody has to say it, unless the references are to count.

    Args:
        loaded: The data.
        output_pairings: Which run fed each of its outputs, in their order.
    """
    single = len(loaded.runs) + len(loaded.samples) + len(loaded.unjoined) == 1
    names = {run.system for run in _ranked(loaded)}
    pairs: dict[str, str] = {}
    for outputs, pairing in zip(loaded.outputs, output_pairings, strict=True):
        if outputs.given_from == "ranking" or pairing.how in ("unclear", "alone"):
            continue
        if pairing.run is None:
            pairs[outputs.system] = RECORDED
        elif pairing.run in names and not single:
            pairs[outputs.system] = pairing.run
    return pairs


def named_rankings(loaded: Dataset) -> list[Run | RankingSample]:
    """Runs and samples; those of one name are called after their files, as commands do."""
    ranked = _ranked(loaded)
    return distinct_systems(ranked, [system.file or system.system for system in ranked])


def rankings_by_alpha(loaded: Dataset) -> tuple[Run | RankingSample, ...]:
    """Runs, then samples; samples whose name is shared are called after their α, as charts name them, else numbered."""
    ranked = _ranked(loaded)
    marks = [
        f"sample {i}" if ranking.alpha is None else f"α = {ranking.alpha:g}"
        for i, ranking in enumerate(loaded.samples, 1)
    ]
    samples = [f"{ranking.system}, {mark}" for ranking, mark in zip(loaded.samples, marks, strict=True)]
    names = distinct_names([ranking.system for ranking in ranked], [*(run.system for run in loaded.runs), *samples])
    of_samples = zip(loaded.samples, names[len(loaded.runs) :], strict=True)
    return (*loaded.runs, *(replace(ranking, system=name) for ranking, name in of_samples))


def _ranked(loaded: Dataset) -> list[Run | RankingSample]:
    return [*loaded.runs, *loaded.samples]


def named_outputs(loaded: Dataset) -> list[RagOutputs]:
    """Recorded outputs; those of one name are told apart by what changed their lists."""
    settings = [f"{each.system} ({setting_name(each)})" for each in loaded.outputs]
    names = distinct_names([each.system for each in loaded.outputs], settings)
    return [replace(each, system=name) for each, name in zip(loaded.outputs, names, strict=True)]


def setting_name(outputs: RagOutputs) -> str:
    """What changed the lists: an α, the policy, or nothing that was recorded."""
    if outputs.alpha is not None:
        return f"α = {outputs.alpha:g}"
    return outputs.policy or "as recorded"


def ranked_and_answered(loaded: Dataset) -> tuple[Run | RankingSample | RagOutputs, ...]:
    """All systems under distinct names, as tables name them: rankings, then recorded outputs."""
    return (*named_rankings(loaded), *named_outputs(loaded))


def system_called(loaded: Dataset, what: str, name: str) -> str:
    """A system by its name or its file; empty where nothing is said.

    Args:
        loaded: The data.
        what: The setting that names it.
        name: As typed.

    Raises:
        UsageError: There is none of that name.
    """
    systems = ranked_and_answered(loaded)
    names = [system.system for system in systems]
    by_file = {system.file: system.system for system in systems}
    if not name or name in names:
        return name
    if (file := name.rsplit("/", 1)[-1]) in by_file:
        return by_file[file]
    raise UsageError(f"--{what} {name}: expected one of {', '.join(names)}")


STUDY_FILE = ".fairviz"
"""What names of study files end with, see :mod:`fairviz.reporting.study_file`."""


def baselines_called(loaded: Dataset, name: str) -> tuple[str, ...]:
    """What others are compared with, by its name or its file; of a study file its ranking and its outputs.

    Args:
        loaded: The data.
        name: As typed; nothing: nobody says it.

    Raises:
        UsageError: There is none of that name.
    """
    if name.lower().endswith(STUDY_FILE):
        file = name.rsplit("/", 1)[-1]
        if systems := tuple(system.system for system in ranked_and_answered(loaded) if system.tag == file):
            return systems
    return (system_called(loaded, "baseline", name),) if name else ()


def named(what: str, name: str, choices: Mapping[str, Named]) -> Named:
    """The noun with a name among several; the first where no name is typed.

    Raises:
        UsageError: There is none of that name.
        UndefinedError: There are none at all.
    """
    if not choices:
        raise UndefinedError(f"there is no {what} in these files")
    if name and name not in choices:
        raise UsageError(f"--{what} {name}: expected one of {', '.join(filter(None, choices))}")
    return choices[name] if name else next(iter(choices.values()))


# How deep lists are read where systems are compared.
#
# Candidates of expected exposure, AP and other measures of whole lists depend on how many documents a run keeps: the
# same ranking 1,000 and 100 deep has another curve. The depth of a run is its longest list, since one short list says
# something of its query and not of the run.


class AtDepth(NamedTuple):
    """Data whose runs are read to one depth.

    Attributes:
        data: With runs cut where they were deeper, and samples of the run that they were drawn from.
        words: What a caption says of it; empty where nothing was cut.
        notes: On each run that was cut.
    """

    data: Dataset
    words: str
    notes: tuple[Note, ...]


def at_depth(data: Dataset, depth: str = "common") -> AtDepth:
    """The data with lists of runs read to one depth; recorded samples and outputs stay, which were shown as they are.

    Args:
        data: Runs that are compared; itself where none is cut.
        depth: "common": the smallest depth of the runs of a task that share a query; "full": none is cut; or a number.

    Raises:
        UsageError: It is none of these.
    """
    if depth not in ("common", "full") and not (depth.isdecimal() and len(depth) < 10 and int(depth)):
        raise UsageError(f"--depth {depth}: expected a number from 1 on, common or full")
    return _cut(data, depth) or AtDepth(data, "", ())


@remembered
def _cut(data: Dataset, depth: str) -> AtDepth | None:
    """None where no run is cut: what is remembered of data does not hold them."""
    runs, table = data.runs, data.systems or {}
    tasks = [table.get(run.system, Factors()).task for run in runs]
    queries = [set(run.query_ids) for run in runs]
    full_depths = list(map(depth_of, runs))
    cut: list[Run] = []
    depths: set[int] = set()
    notes: list[Note] = []
    for run, own, task, own_queries in zip(runs, full_depths, tasks, queries, strict=True):
        met = (
            n
            for n, t, q in zip(full_depths, tasks, queries, strict=True)
            if t == task and not q.isdisjoint(own_queries)
        )
        to = min(met, default=own) if depth == "common" else own if depth == "full" else int(depth)
        if to >= own:
            cut.append(run)
            continue
        cut.append(first_items(run, to))
        depths.add(to)
        why = ", the common depth of the systems compared (--depth full: none)" if depth == "common" else ""
        notes.append(Note(run.system, None, f"lists of up to {count(own)} documents cut to {count(to)}{why}"))
    if not notes:
        return None
    to = listing([count(n) for n in sorted(depths)])
    words = f"lists cut to {'their common' if depth == 'common' else 'a'} depth of {to}"
    return AtDepth(replace(data, runs=tuple(cut)), words, tuple(notes))


def depth_of(ranked: Run | RankingSample) -> int:
    """Documents in the longest list."""
    offsets = ranked.offsets if isinstance(ranked, Run) else ranked.sample_offsets
    return int(np.diff(offsets).max(initial=0))
