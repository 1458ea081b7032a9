"""The public functions that are made of settings: what people hold goes in, tables, findings and charts come out.

A function has the name of its command and the settings of its study as keywords; its docstring is made of them. Their
types stand in ``functions.pyi``, for editors and checkers: ``python -m tests.golden accept`` writes it.
"""

from __future__ import annotations  # signatures in the names of types, as people read them

import inspect
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any, Literal, NamedTuple, cast, get_args, get_type_hints

import numpy as np

from fairviz.api.door import Result, public, tell
from fairviz.api.nouns import (
    Answers,
    Counted,
    Factored,
    Judgements,
    Labels,
    Path,
    Rankings,
    Shares,
    aim_for,
    bias_of,
    factors_of_systems,
    groups_of,
    judgements_of,
    popularity_of,
    references_of,
    runs_by_name,
    several,
    systems_of,
    variants_of,
)
from fairviz.display.methods import AgainstTarget, attribute_named
from fairviz.errors import UsageError
from fairviz.evaluation.systems import joining, merged_notes
from fairviz.extras import DRAWS, need
from fairviz.io.columns import Records
from fairviz.kernels.grouping import Preset
from fairviz.metrics.catalogue import add_defined_measure
from fairviz.metrics.standard import is_defined
from fairviz.model import Dataset, RagOutputs, RankingSample, Run, ShareBounds, SourceFile, Target
from fairviz.points.curves import draw_rankings, with_scores
from fairviz.reporting.request import Request
from fairviz.reporting.study_file import with_baseline
from fairviz.resources import content
from fairviz.studies import study_of
from fairviz.studies.sampling import SampleSettings, judged
from fairviz.studies.study import RANKED, Option, Settings, Study


def described(default: Any, help: str) -> Any:
    """An argument for data: what stands in its place where it is not given, and what it holds, for the docstring."""
    return default, help


class Data:
    """What data a function takes, each with its type as people read it."""

    runs: Rankings | Iterable[Rankings] = described(
        (), "One or several: nouns, files, frames, ranx' Runs or dicts, see :func:`run`; ``{name: run}`` names them."
    )
    qrels: Judgements | Iterable[Judgements] | None = described(
        None, "Judgements, see :func:`qrels`; those of generators besides those of people."
    )
    groups: Labels | Literal["qrels"] | None = described(
        None, 'Groups of documents, see :func:`labels`; "qrels": the subtopics of the judgements.'
    )
    groups_by: str | None = described(None, "Whose groups count, of several attributes; None: the first.")
    target: Shares | None = described(None, "Share of attention of each group, see :func:`target`.")
    allow_missing_groups: bool = described(
        False, "Let the target give a share to a group that no label has, which is often misspelt."
    )
    outputs: Answers | Iterable[Answers] = described((), "Recorded outputs of generators, see :func:`outputs`.")
    references: Path | Mapping[Any, Any] | None = described(
        None, "Right answers per query, a file or a dict, for ``EU(utility='rougeL')`` and others."
    )
    popularity: Counted | None = described(
        None, "How often documents were chosen, a table ``doc_id, count`` or ``{doc: count}``; None: as judgements say."
    )
    pairs: Mapping[str, str] | None = described(
        None, 'Outputs -> the run that they were made from, by name, or "recorded"; without, found out.'
    )
    systems: Factored | None = described(
        None, 'What systems are made of, by name: a table, a frame, or ``{"bm25": {"task": "qa", "alpha": 2}}``.'
    )
    answers: Records | Iterable[Records] = described(
        (), "Recorded answers, a row each: files, frames or lists of dicts, one or several; logs of other tools, too."
    )
    items: Records | Iterable[Records] | None = described(
        None, "The questions: BBQ, KoBBQ, CBBQ or JBBQ files, frames or lists of dicts; None: those that a log holds."
    )


DATA: Mapping[str, tuple[str, Any, str]] = {
    name: (kind, *getattr(Data, name)) for name, kind in Data.__annotations__.items()
}
"""What people give, by name: its type, what is meant without it, and what it is."""

_KEYWORD = inspect.Parameter.KEYWORD_ONLY


class Door(NamedTuple):
    """What a function of the library does that is made of settings.

    Attributes:
        command: Its name, and that of the command that does the same.
        purpose: A line.
        settings: What can be set, keywords of the function.
        data: What it takes, by the names of ``DATA``; the first two by their place.
        compute: The data and the settings -> what is returned.
        returns: What that is, a line for the docstring.
    """

    command: str
    purpose: str
    settings: type[Settings]
    data: tuple[str, ...]
    compute: Callable[[Dataset, Any], Any]
    returns: str

    @property
    def ranks(self) -> bool:
        """Whether it is about rankings, perhaps with answers beside them; else about answers alone."""
        return "answers" not in self.data or "outputs" in self.data


def study_function(command: str) -> Callable[..., Result]:
    """A study as a function, by its command."""
    study = cast("Study", study_of(command))

    def analysed(data: Dataset, settings: Settings) -> Result:
        analysis = study.analyse(data, settings)
        tell(analysis.notes)
        return Result(study, settings, analysis)

    returns = (
        "``frame()``, the first table (``tables`` names all; undefined is NaN; ``low`` and ``high`` are ends of 95 % "
        "intervals), ``to_polars()``, ``findings``, ``figure()``, ``save(file)`` as .csv, .tex, .html, .json, .svg, "
        ".pdf or .png."
    )
    return function(Door(command, study.purpose, study.settings, study.data, analysed, returns))


def function(door: Door) -> Callable[..., Any]:
    """A function whose keywords, types and docstring are those of its settings."""
    options = door.settings.options()
    hints = get_type_hints(door.settings)
    placed = (*door.data[:2], *(name for name in list(options)[:1] if name == "measures"))

    def call(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        unset = signature.parameters.keys() - bound.arguments.keys()
        bound.apply_defaults()
        values = bound.arguments
        data, implied = _dataset(door, {name: values[name] for name in door.data})
        if isinstance(baseline := values.get("baseline"), str):
            data = with_baseline(data, baseline)
        chosen = {name: _value(option, values[name]) for name, option in options.items()}
        planned = data.planned_k if "k" in options.keys() & unset and not options["k"].several else None
        return door.compute(data, door.settings.of({**chosen, **implied, **({"k": planned} if planned else {})}))

    settings = {name: (_typed(option, hints[name]), option.default) for name, option in options.items()}
    data = {name: DATA[name][:2] for name in door.data}
    data[door.data[0]] = (f"{DATA[door.data[0]][0]} | Dataset", DATA[door.data[0]][1])
    order = (*door.data[:2], *options, *door.data[2:])
    signature = inspect.Signature(
        [
            inspect.Parameter(
                name,
                inspect.Parameter.POSITIONAL_OR_KEYWORD if name in placed else _KEYWORD,
                default=(settings.get(name) or data[name])[1],
                annotation=(settings.get(name) or data[name])[0],
            )
            for name in order
        ]
    )
    call.__name__ = call.__qualname__ = door.command.replace("-", "_")
    call.__doc__ = _doc(door)
    vars(call)["__signature__"] = signature  # what `inspect` and editors show
    return public(call)


def _counts(option: Option) -> bool:
    """Whether a word can be a number, too, such as a depth."""
    return option.kind is str and option.metavar == "N"


def _has_names(option: Option) -> bool:
    """Whether every value has a name, so that a mapping says all of them."""
    return option.metavar.startswith(("NAME=", "GROUP="))


def _is_json(option: Option) -> bool:
    """Whether its text is an object of JSON, as which a mapping is written."""
    return option.metavar == "JSON"


def _typed(option: Option, hint: Any) -> Any:
    """What a keyword takes: of several values one alone, too, and where a text can be several, that text."""
    if _is_json(option):
        return Mapping[str, Any] | hint
    if not option.several:
        return int | hint if _counts(option) else Iterable[float] | hint if option.own is not None else hint
    if option.name == "measures":  # objects of ir_measures, too
        return Any
    (value, *_) = get_args(hint)
    single = value | str if option.read is not None else value
    return (Mapping[str, Any] if _has_names(option) else single) | single | Iterable[single]


def _value(option: Option, value: Any) -> Any:
    """A setting of a keyword; of several values one alone stands for itself, a text may be several.

    Objects of ir_measures write themselves; those that its ``define`` made are added first.

    Raises:
        UsageError: One is a function or a class.
    """
    if _is_json(option) and isinstance(value, Mapping):
        return json.dumps(value)
    if not option.several:
        if option.own is not None and callable(value):
            raise UsageError(f"{option.name}= is a function: give it a name by @fv.{option.name}, or weights by rank")
        if option.own is not None and isinstance(value, Iterable) and not isinstance(value, str):
            return ",".join(f"{float(weight)!r}" for weight in cast("Iterable[float]", value))
        return str(value) if _counts(option) else option.opened(value) if isinstance(value, str) else value
    if _has_names(option) and isinstance(value, Mapping):
        by_name = cast("Mapping[str, Any]", value)
        value = [f"{name}={each if isinstance(each, str) else json.dumps(each)}" for name, each in by_name.items()]
    values = several(value)
    if code := next((value for value in values if inspect.isroutine(value) or inspect.isclass(value)), None):
        such = " such as 'nDCG@10'" if option.name == "measures" else ""
        raise UsageError(f"{option.name}= takes names{such}, found a {type(code).__name__}")
    if option.name == "measures":
        for defined in filter(is_defined, values):
            add_defined_measure(defined)
    plain = tuple(value if isinstance(value, int | float) else str(value) for value in values)
    if (read := option.read) is None:
        return plain
    parts = (read(option.opened(value)) if isinstance(value, str) else (value,) for value in plain)
    return tuple(chain.from_iterable(parts))


def _doc(door: Door) -> str:
    lines = [f"{door.purpose[:1].upper()}{door.purpose[1:]}.", ""]
    lines += [f"The same as ``fairviz {door.command}``.", "", "Args:"]
    options = door.settings.options()
    lines += [f"    {door.data[0]}: {DATA[door.data[0]][2]} Or all data, of :func:`load`, alone."]
    lines += [f"    {name}: {DATA[name][2]}" for name in door.data[1:2]]
    lines += [f"    {name}: {option.help[:1].upper()}{option.help[1:]}." for name, option in options.items()]
    lines += [f"    {name}: {DATA[name][2]}" for name in door.data[2:]]
    lines += ["", "Returns:", f"    {door.returns}", ""]
    lines += ["Raises:", "    InputError: Something cannot be read, or nothing joins."]
    lines += ["    UsageError: A setting names what is not there."]
    return "\n".join(lines)


def _dataset(door: Door, arguments: Mapping[str, Any]) -> tuple[Dataset, dict[str, Any]]:
    """What a function takes, as one data set, and the settings that it implies."""
    first, *others = (arguments[name] for name in door.data)
    if isinstance(first, Dataset):
        beside = dict(zip(door.data[1:], others, strict=True))
        attribute = attribute_named(first, beside.pop("groups_by", None))
        if any(value is not DATA[name][1] for name, value in beside.items()):
            raise UsageError(f"{door.command}: what was loaded holds all data, so that nothing else is given beside it")
        data, left_out = joining(first.described)
        tell(merged_notes(ranking.note for ranking in left_out))
        return data, _implied(door, data, data.target, attribute) if door.ranks else {}
    if door.ranks:
        data, target = _of_rankings(arguments, statements="statements" in door.settings.options())
        data = _with_answers(data, arguments.get("answers"), arguments.get("items"))
        return data, _implied(door, data, target, attribute_named(data, arguments.get("groups_by")))
    data, _ = _of_rankings({**arguments, "runs": ()})
    named = runs_by_name(arguments["runs"])
    files = (SourceFile(role="run", name=name, format="", digest="") for name in named)
    runs = tuple(replace(run, file=name) for name, run in named.items())
    data = replace(data, runs=runs, files=(*data.files, *files))
    if "items" not in door.data:
        runs = tuple(replace(run, system=run.file) for run in runs)
        data = replace(data, runs=runs, variants=tuple(variants_of(arguments["answers"])))
        return data, {"value": tuple(f"{name}={name}" for name in named)}
    if bool(named) != bool(data.labels):
        raise UsageError("runs and groups belong together: documents and their polarity")
    items, answers = bias_of(arguments["answers"], arguments["items"])
    return replace(data, bias_items=tuple(items), bias_predictions=tuple(answers)), {}


def _with_answers(data: Dataset, answers: Any, items: Any) -> Dataset:
    """Data of rankings with answers beside them: to bias questions where these are given, else to variants."""
    answers = () if answers is None else answers
    if items is not None:
        questions, predictions = bias_of(answers, items)
        return replace(data, bias_items=tuple(questions), bias_predictions=tuple(predictions))
    return replace(data, variants=tuple(variants_of(answers)))


def _implied(door: Door, data: Dataset, target: Target | Preset | None, attribute: int) -> dict[str, Any]:
    """Which groups are held against which target.

    Raises:
        UsageError: What was loaded bounds shares, which is no target of exact ones.
    """
    if data.bounds is not None and "statements" not in door.settings.options():
        only = 'only policy_lab and rerank(…, "amortised") keep to'
        raise UsageError(f"the data hold least and largest shares, which {only}")
    against = AgainstTarget(attribute, target if isinstance(target, str) else "file")
    return {"against": against if data.labels else None}


def _of_rankings(arguments: Mapping[str, Any], *, statements: bool = False) -> tuple[Dataset, Target | Preset | None]:
    """Rankings and what they are measured with as one data set, and the target as it was given.

    Args:
        arguments: What people hold, by the names of ``DATA``; some of them.
        statements: Whether least and largest shares of several attributes can be kept to.
    """
    rankings, recorded = systems_of(arguments.get("runs"), arguments.get("outputs"))
    judged = judgements_of(arguments.get("qrels"))
    allow: bool = arguments.get("allow_missing_groups", False)
    every = groups_of(arguments.get("groups"), judged)
    target = arguments.get("target")
    counted_first = sorted(every, key=lambda labels: labels.attribute != arguments.get("groups_by"))
    aim = aim_for(target, counted_first, several_attributes=statements, allow_missing_groups=allow)
    systems, table, _ = factors_of_systems(arguments.get("systems"), [*rankings, *recorded], judged)
    runs = tuple(system for system in systems if isinstance(system, Run))
    samples = tuple(system for system in systems if isinstance(system, RankingSample))
    references = references_of(arguments.get("references"))
    popularity = popularity_of(arguments.get("popularity"))
    pairs: Mapping[str, str] = arguments.get("pairs") or {}
    sources = (
        *(("run", run.system) for run in runs),
        *(("samples", sample.system) for sample in samples),
        *(("qrels", qrels.name) for qrels in judged),
    )
    data = Dataset(
        name="data",
        runs=runs,
        samples=samples,
        qrels=tuple(judged),
        labels=tuple(every),
        target=aim if isinstance(aim, Target) else None,
        bounds=aim if isinstance(aim, ShareBounds) else None,
        outputs=tuple(system for system in systems if isinstance(system, RagOutputs)),
        references=None if references is None else dict(references),
        popularity=popularity,
        systems=dict(table) or None,
        pairs=tuple(pairs.items()),
        files=tuple(SourceFile(role=role, name=name, format="", digest="") for role, name in sources),
    )
    return data, None if isinstance(aim, ShareBounds) else aim


def _report(data: Dataset, request: Request) -> object:
    need("a report", DRAWS)
    from fairviz.reporting.assemble import reported  # and what it is drawn with

    made = reported(data, request)
    tell(made.notes)
    return made


def _sample(data: Dataset, settings: SampleSettings) -> RankingSample:
    ranked = (*data.runs, *data.samples)
    if len(ranked) != 1:
        raise UsageError(f"one run is needed, found {len(ranked) or 'none'}")
    source = with_scores(ranked[0], ranked[0].system)
    qrels = judged(source, data)
    return draw_rankings(source, settings.drawing(source, qrels), rng=np.random.default_rng(settings.seed), qrels=qrels)


OF = {name: command["help"] for name, command in content("commands")["commands"].items()}
REPORT = Door("report", OF["report"], Request, RANKED, _report, "``save(file)`` as .html or .zip, ``html()``.")
SAMPLE = Door("sample", OF["sample"], SampleSettings, ("runs", "qrels"), _sample, "The rankings, a ``RankingSample``.")

report = function(REPORT)
sample = function(SAMPLE)


def __getattr__(name: str) -> Callable[..., Result]:
    """The function of a study, made when it is first read."""
    if name.startswith("_") or study_of(command := name.replace("_", "-")) is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    made = globals()[name] = study_function(command)
    return made
