"""The studies as functions: what people hold goes in, tables, findings and charts come out.

A function has the name of its command and the settings of its study as keywords; its docstring is made of them.
"""

from __future__ import annotations  # signatures in the names of types, as people read them

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, cast, get_type_hints

from fairviz.api.door import public, tell
from fairviz.api.nouns import (
    Answers,
    Factored,
    Judgements,
    Labels,
    Path,
    Rankings,
    Shares,
    factors_of_systems,
    judgements_of,
    labels_of,
    references_of,
    several,
    systems_of,
    target_for,
)
from fairviz.api.results import Result
from fairviz.display.methods import AgainstTarget
from fairviz.errors import UsageError
from fairviz.model import Dataset, RagOutputs, RankingSample, Run, SourceFile, Target
from fairviz.studies import study_of
from fairviz.studies.study import Study

DATA: Mapping[str, tuple[Any, Any, str]] = {
    "runs": (
        Rankings | Iterable[Rankings],
        (),
        "One or several: nouns, files, frames, ranx' Runs or dicts, see :func:`run`; ``{name: run}`` names them.",
    ),
    "qrels": (
        Judgements | Iterable[Judgements] | None,
        None,
        "Judgements, see :func:`qrels`; those of generators besides those of people.",
    ),
    "groups": (
        Labels | Literal["qrels"] | None,
        None,
        'Groups of documents, see :func:`groups`; "qrels": the subtopics of the judgements.',
    ),
    "target": (Shares | None, None, "Share of attention of each group, see :func:`target`."),
    "allow_missing_groups": (
        bool,
        False,
        "Let the target give a share to a group that no label has, which is often misspelt.",
    ),
    "outputs": (Answers | Iterable[Answers], (), "Recorded outputs of generators, see :func:`outputs`."),
    "references": (
        Path | Mapping[Any, Any] | None,
        None,
        "Right answers per query, a file or a dict, for ``EU(utility='rougeL')`` and others.",
    ),
    "pairs": (
        Mapping[str, str] | None,
        None,
        'Outputs -> the run that they were made from, by name, or "recorded"; without, found out.',
    ),
    "systems": (
        Factored | None,
        None,
        'What systems are made of, by name: a table, a frame, or ``{"bm25": {"task": "qa", "alpha": 2}}``.',
    ),
}
"""What data a function takes: the type, what is meant without it, and what it is."""

POSITIONAL = ("runs", "qrels")
_KEYWORD = inspect.Parameter.KEYWORD_ONLY


def function(command: str) -> Callable[..., Result]:
    """A study as a function, by its command."""
    study = cast("Study", study_of(command))
    options = study.settings.options()
    hints = get_type_hints(study.settings)
    first = next(iter(options))

    def call(*args: Any, **kwargs: Any) -> Result:
        given = signature.bind(*args, **kwargs)
        given.apply_defaults()
        said = given.arguments
        data, against = dataset_of(**{name: said[name] for name in DATA})
        chosen = {name: _values(said[name]) if one.several else said[name] for name, one in options.items()}
        found = study.analyse(data, study.settings.of({**chosen, "against": against}))
        tell(found.notes)
        return Result(found)

    settings = {name: (Any if one.several else hints[name], one.default) for name, one in options.items()}
    order = (*POSITIONAL, *options, *(name for name in DATA if name not in POSITIONAL))
    signature = inspect.Signature(
        [
            inspect.Parameter(
                name,
                inspect.Parameter.POSITIONAL_OR_KEYWORD if name in (*POSITIONAL, first) else _KEYWORD,
                default=(DATA.get(name) or settings[name])[1],
                annotation=(DATA.get(name) or settings[name])[0],
            )
            for name in order
        ],
        return_annotation=Result,
    )
    call.__name__ = call.__qualname__ = study.command
    call.__doc__ = _doc(study)
    call.__signature__ = signature  # pyright: ignore[reportFunctionMemberAccess]
    return public(call)


def _values(given: Any) -> tuple[Any, ...]:
    """A setting of several values: one alone stands for itself; ir_measures' objects write themselves.

    Raises:
        UsageError: One is a function or a class.
    """
    values = several(given)
    if code := next((one for one in values if inspect.isroutine(one) or inspect.isclass(one)), None):
        raise UsageError(f"measures= takes names such as 'nDCG@10', found a {type(code).__name__}")
    return tuple(one if isinstance(one, int | float) else str(one) for one in values)


def _doc(study: Study) -> str:
    lines = [f"{study.purpose[:1].upper()}{study.purpose[1:]}.", ""]
    lines += [f"The same numbers as ``fairviz {study.command}``.", "", "Args:"]
    options = study.settings.options()
    lines += [f"    {name}: {DATA[name][2]}" for name in POSITIONAL]
    lines += [f"    {name}: {one.help[:1].upper()}{one.help[1:]}." for name, one in options.items()]
    lines += [f"    {name}: {about}" for name, (_, _, about) in DATA.items() if name not in POSITIONAL]
    lines += ["", "Returns:", "    ``frame()`` and other tables, ``findings``, ``figure()``, ``save(file)``.", ""]
    lines += ["Raises:", "    InputError: Something cannot be read, or nothing joins."]
    lines += ["    UsageError: A setting names what is not there."]
    return "\n".join(lines)


def dataset_of(
    *,
    runs: Any = (),
    qrels: Any = None,
    groups: Any = None,
    target: Any = None,
    allow_missing_groups: bool = False,
    outputs: Any = (),
    references: Any = None,
    pairs: Mapping[str, str] | None = None,
    systems: Factored | None = None,
) -> tuple[Dataset, AgainstTarget | None]:
    """What people hold as one data set, and which groups are held against which target."""
    rankings, recorded = systems_of(runs, outputs)
    judged = judgements_of(qrels)
    labels = labels_of(groups, judged)
    shares = target_for(target, labels, allow_missing_groups=allow_missing_groups)
    named, table, _ = factors_of_systems(systems, [*rankings, *recorded], judged)
    ranked = [one for one in named if isinstance(one, Run)]
    drawn = [one for one in named if isinstance(one, RankingSample)]
    data = Dataset(
        name="data",
        runs=tuple(ranked),
        samples=tuple(drawn),
        qrels=tuple(judged),
        labels=() if labels is None else (labels,),
        target=shares if isinstance(shares, Target) else None,
        outputs=tuple(one for one in named if isinstance(one, RagOutputs)),
        references=None if references is None else dict(references_of(references) or {}),
        systems=dict(table) or None,
        pairs=tuple((pairs or {}).items()),
        files=(
            *(SourceFile(role="run", name=one.system, format="", digest="") for one in ranked),
            *(SourceFile(role="samples", name=one.system, format="", digest="") for one in drawn),
            *(SourceFile(role="qrels", name=one.name, format="", digest="") for one in judged),
        ),
    )
    preset = shares if isinstance(shares, str) else "file"
    return data, None if labels is None else AgainstTarget(0, preset)


agreement = function("agreement")
compare = function("compare")
evaluate = function("evaluate")
ranks = function("ranks")
