"""Systems of the data under distinct names, which run fed which answers, and what their numbers are of."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from fairviz.display.methods import AgainstTarget
from fairviz.display.words import plural
from fairviz.errors import UndefinedError, UsageError
from fairviz.evaluation.evaluate import Evaluation, MissingQueries, evaluate
from fairviz.evaluation.joins import by_task
from fairviz.evaluation.outputs import RECORDED, Pairing
from fairviz.io.join import names_of_systems
from fairviz.metrics.spec import parse_measures
from fairviz.model import Dataset, RagOutputs, RankingSample, Run

Named = TypeVar("Named")


def lead_of(loaded: Dataset) -> str:
    """What is loaded, and its mark."""
    systems = len(loaded.runs) + len(loaded.samples) + len(loaded.outputs)
    files = plural(len({file.name for file in loaded.files}), "file")
    judged = {query for qrels in loaded.qrels for query in qrels.query_ids}
    queries = f" and {plural(len(judged), 'judged query', 'judged queries')}" if judged else ""
    return f"{plural(systems, 'system') if systems else files}{queries}, fingerprint {loaded.fingerprint[:12]}."


def facts(loaded: Dataset, against: AgainstTarget | None) -> tuple[tuple[str, str], ...]:
    """Columns of the file that say which groups and target the numbers are of."""
    if against is None:
        return ()
    return (("groups", against.labels(loaded).attribute), ("target", against.words(loaded)))


def feeding(loaded: Dataset) -> list[Run]:
    """Runs that may have fed a generator; also those that join no judgements."""
    return [*loaded.runs, *(one for one in loaded.unjoined if isinstance(one, Run))]


def said_pairs(loaded: Dataset, found: Sequence[Pairing]) -> dict[str, str]:
    """Outputs that do not record what they were given -> the run that fed them, as a command has to be told.

    With one ranking nobody has to say it, unless the references are to count.

    Args:
        loaded: The data.
        found: Which run fed each of its outputs, in their order.
    """
    single = len(loaded.runs) + len(loaded.samples) + len(loaded.unjoined) == 1
    names = {run.system for run in _ranked(loaded)}
    told: dict[str, str] = {}
    for outputs, pairing in zip(loaded.outputs, found, strict=True):
        if outputs.given_from == "ranking" or pairing.how in ("unclear", "alone"):
            continue
        if pairing.run is None:
            told[outputs.system] = RECORDED
        elif pairing.run in names and not single:
            told[outputs.system] = pairing.run
    return told


def named_rankings(loaded: Dataset) -> list[Run | RankingSample]:
    """Runs and samples; those of one name are called after their files, as commands do."""
    ranked = _ranked(loaded)
    files = [file.name for role in ("run", "samples") for file in loaded.files if file.role == role]
    files = [file for i, file in enumerate(files) if i not in loaded.unjoined_at]
    files += [each.system for each in ranked[len(files) :]]  # what is only in memory has no file
    names = names_of_systems([each.system for each in ranked], files)
    return [replace(each, system=name) for each, name in zip(ranked, names, strict=True)]


def rankings_by_alpha(loaded: Dataset) -> tuple[Run | RankingSample, ...]:
    """Runs, then samples; samples of a run's name are called after their α, as charts name them, else numbered."""
    taken = {run.system for run in loaded.runs}
    named: list[Run | RankingSample] = [*loaded.runs]
    for i, sample in enumerate(loaded.samples, start=1):
        mark = f"sample {i}" if sample.alpha is None else f"α = {sample.alpha:g}"
        name = f"{sample.system}, {mark}" if sample.system in taken else sample.system
        name = f"{name} ({i})" if name in taken else name
        taken.add(name)
        named.append(replace(sample, system=name))
    return tuple(named)


def _ranked(loaded: Dataset) -> list[Run | RankingSample]:
    return [*loaded.runs, *loaded.samples]


def named_outputs(loaded: Dataset) -> list[RagOutputs]:
    """Recorded outputs; those of one name are told apart by what changed their lists."""
    settings = [f"{each.system} ({setting_name(each)})" for each in loaded.outputs]
    names = _apart([each.system for each in loaded.outputs], settings)
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
    names = [one.system for one in systems]
    files = [file.name for role in ("run", "samples") for file in loaded.files if file.role == role]
    files += [outputs.file for outputs in loaded.outputs]
    by_file = dict(zip(files, names, strict=True)) if len(files) == len(names) else {}
    if not name or name in names:
        return name
    if (file := name.rsplit("/", 1)[-1]) in by_file:
        return by_file[file]
    raise UsageError(f"--{what} {name}: expected one of {', '.join(names)}")


def evaluated(
    loaded: Dataset,
    measures: Sequence[str],
    against: AgainstTarget | None,
    *,
    refuse: bool = False,
    missing: MissingQueries = "common",
) -> Evaluation:
    """Every measure of every system that it fits.

    Args:
        loaded: The data.
        measures: Measure strings.
        against: Groups and target, for measures of groups.
        refuse: Whether a measure that the data do not allow is an error; else it is listed as refused.
        missing: What a judged query counts that a system does not rank.

    Raises:
        InputError: No system has a query in common with the judgements, or a labelled document.
        UsageError: A measure is not known, or what it needs was not given.
    """
    if not measures:
        return Evaluation((), ())
    systems = ranked_and_answered(loaded)
    called = {old.system: new.system for old, new in zip((*loaded.runs, *loaded.samples), systems, strict=False)}
    called |= {old.system: new.system for old, new in zip(loaded.outputs, named_outputs(loaded), strict=True)}
    return evaluate(
        systems,
        parse_measures(list(measures)),
        qrels=by_task(loaded.qrels, systems, loaded.systems or {}),
        references=loaded.references,
        pairs={called.get(output, output): called.get(run, run) for output, run in loaded.pairs},
        labels=None if against is None else against.labels(loaded),
        target=None if against is None else against.shares(loaded),
        refuse=refuse,
        missing=missing,
    )


def named(what: str, name: str, known: Mapping[str, Named]) -> Named:
    """One of several by its name; the first where none is typed.

    Raises:
        UsageError: There is none of that name.
        UndefinedError: There are none at all.
    """
    if not known:
        raise UndefinedError(f"there is no {what} in these files")
    if name and name not in known:
        raise UsageError(f"--{what} {name}: expected one of {', '.join(filter(None, known))}")
    return known[name] if name else next(iter(known.values()))


def _apart(names: Sequence[str], others: Sequence[str]) -> list[str]:
    """Names, replaced by the others where two are equal, and numbered where that is not enough."""
    shared = Counter(names)
    distinct = [others[i] if shared[name] > 1 and i < len(others) else name for i, name in enumerate(names)]
    return [
        f"{name} ({distinct[: i + 1].count(name)})" if distinct[:i].count(name) else name
        for i, name in enumerate(distinct)
    ]
