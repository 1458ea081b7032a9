"""What the documentation takes from the code: a page says ``{{ measures }}`` and the catalogue fills it in.

Everything comes as Markdown, so that headings and links of what is generated are those of the page around it.
"""

import argparse
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, get_args, get_origin

import equal
from pydantic import BaseModel
from sphinx.application import Sphinx

import fairviz
from fairviz.cli._options import Parser
from fairviz.cli.main import COMMANDS, add_command
from fairviz.display.words import listing
from fairviz.experiments.attributors import AttributorTable
from fairviz.experiments.config import KINDS
from fairviz.experiments.description import Component
from fairviz.experiments.openai_server import OpenAI
from fairviz.experiments.retrievers import RetrieverTable
from fairviz.io import limits as read_limits
from fairviz.io.formats import known_as
from fairviz.lessons import LESSONS, PLAN, WITHOUT_FORMULAS
from fairviz.metrics.consumption import OUTPUT_MEASURES
from fairviz.metrics.describe import Measure, Parameter
from fairviz.metrics.exposure_measures import EXPOSURE_MEASURES
from fairviz.metrics.group_measures import GROUP_MEASURES
from fairviz.metrics.popularity import POPULARITY_MEASURES
from fairviz.metrics.standard import registry, standard_names
from fairviz.numerals import count
from fairviz.reranking.catalogue import RERANKERS, Reranker
from fairviz.resources import content

HERE = Path(__file__).parent
COLUMNS = "100"
"""Width of the command line's help."""
FAMILIES: Mapping[str, Sequence[Measure]] = {
    "Expected exposure": EXPOSURE_MEASURES,
    "Groups": GROUP_MEASURES,
    "Popularity": POPULARITY_MEASURES,
    "Consumption: what a generator makes of the list": OUTPUT_MEASURES,
}


def measures() -> str:
    """Every measure of the catalogue with all that it says of itself."""
    return "\n\n".join(
        part
        for family, members in FAMILIES.items()
        for part in (f"## {family}", *(_measure(measure) for measure in members))
    )


def _measure(measure: Measure) -> str:
    low, high = (f"{end:g}".replace("inf", "∞").replace("-", "−") for end in measure.range)
    cutoff = {"none": "", "required": "@k"}.get(measure.cutoff, "[@k]")
    facts = {
        "Written": f"`{measure.name}{cutoff}`",
        "Better": measure.better,
        "Range": f"{low} … {high}",
        "Needs": measure.needs_words,
        "Source": measure.citation,
    }
    return "\n\n".join(
        (
            f"### {measure.label}, {measure.title}",
            f"$$\n{measure.latex}\n$$",
            _text(measure.summary),
            *map(_text, measure.remarks),
            _table(("", ""), ((name, fact if name == "Written" else _text(fact)) for name, fact in facts.items())),
            _parameters(measure.parameters),
        )
    ).rstrip()


def _parameters(parameters: Sequence[Parameter]) -> str:
    rows = (
        (
            f"`{parameter.name}`",
            "–" if parameter.default is None else f"`{parameter.default!r}`",
            _text(parameter.accepted),
            _text(parameter.meaning),
        )
        for parameter in parameters
    )
    return _table(("parameter", "default", "accepted", "meaning"), rows) if parameters else ""


def standard() -> str:
    """The measures of ir-measures that can be named beside ours."""
    rows = ((f"`{name}`", _text(registry()[name].PRETTY_NAME)) for name in standard_names())
    return _table(("name", "measure"), rows)


def equalities() -> str:
    """What other programs compute, too, and how far apart the numbers may be."""
    return _table(("ours", "theirs", "computed of", "apart"), (map(_text, row) for row in equal.rows()))


def rerankers() -> str:
    """Every re-ranker with its options."""
    return "\n\n".join(_reranker(reranker) for reranker in RERANKERS)


def _reranker(reranker: Reranker) -> str:
    rows = (
        (
            f"`--{option.name}`",
            "–" if option.default is None else f"`{option.default}`",
            _text(option.accepted),
            _text(option.meaning),
        )
        for option in reranker.options
    )
    options = _table(("option", "default", "accepted", "meaning"), rows) if reranker.options else ""
    told = (reranker.summary, reranker.caution, f"Source: {reranker.citation}")
    said = "\n\n".join(_text(text) for text in told if text)
    return f"## {reranker.label}\n\n`--method {reranker.name}`\n\n{said}\n\n{options}".rstrip()


def commands() -> str:
    """What every command says of itself when it is asked for ``--help``."""
    os.environ["COLUMNS"] = COLUMNS  # argparse asks the terminal, and there is none
    whole = Parser(prog="fairviz").add_subparsers(parser_class=Parser)
    for name in COMMANDS:
        add_command(whole, name)
    return "\n\n".join(_command(f"fairviz {name}", whole.choices[name], COMMANDS[name]) for name in COMMANDS)


def _command(name: str, parser: argparse.ArgumentParser, purpose: str, level: int = 2) -> str:
    parts = [
        f"{'#' * level} {name}",
        f"{_text(purpose[:1].upper() + purpose[1:])}.",
        f"```text\n{parser.format_help()}```",
    ]
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            said = {choice.dest: choice.help or "" for choice in action._choices_actions}
            parts += [_command(f"{name} {of}", sub, said[of], level + 1) for of, sub in action.choices.items()]
    return "\n\n".join(parts)


RETURNED = ("door.Result", "experiments.Experiment", "dashboard.Dashboard")
"""Classes of what public functions return, which nobody makes."""


def api() -> str:
    """The public names in their order, documented by their docstrings."""
    names = getattr(fairviz, "__all__", ())
    found = ((name, getattr(fairviz, name)) for name in names if not name.startswith("__"))
    directives = (
        f".. autoclass:: fairviz.{name}\n   :members:" if isinstance(one, type) else f".. autofunction:: fairviz.{name}"
        for name, one in found
    )
    returned = (f".. autoclass:: fairviz.api.{name}\n   :members:" for name in RETURNED)
    return "\n".join(
        ("```{eval-rst}", *directives, "```", "", "## What is returned", "", "```{eval-rst}", *returned, "```")
    )


def limits() -> str:
    """What readers accept at most."""
    rows = (
        ("text of a file, decompressed", _bytes(read_limits.MAX_TEXT)),
        ("expansion of a gzip file, from 16 MB on", f"{read_limits.MAX_RATIO} ×"),
        ("a line of a table", _bytes(read_limits.MAX_LINE)),
        ("a line of JSON Lines", _bytes(read_limits.MAX_JSON_LINE)),
        ("depth of JSON", f"{read_limits.MAX_JSON_DEPTH}"),
        ("an upload in the dashboard", _bytes(read_limits.MAX_UPLOAD)),
        ("a grade, in either direction", count(read_limits.MAX_GRADE)),
    )
    return _table(("what", "at most"), rows)


def formats() -> str:
    """What files are recognised as, by what they hold."""
    rows = ((row["format"], "; ".join(known_as(*row["roles"]))) for row in content("formats") if "roles" in row)
    return _table(("what a file holds", "recognised as"), rows)


def lessons() -> str:
    """The plan of a class: minute, chapter, question; which lessons go without formulas."""
    rows = (
        (
            "extra" if chapter in PLAN.extra else f"{PLAN.begins(lesson)}–{PLAN.begins(lesson) + lesson.minutes}",
            chapter,
            _text(lesson.title),
        )
        for chapter, own in PLAN.chapters.items()
        for lesson in own
    )
    n = len(PLAN.planned)
    left_out = listing([lesson.name for lesson in LESSONS if lesson not in WITHOUT_FORMULAS.lessons])
    return (
        f"{n} lessons fill the {PLAN.minutes} minutes, {len(LESSONS) - n} are extra.\n\n"
        + _table(("minute", "chapter", "question"), rows)
        + "\n\nFor a class without technique switch on *Without formulas*, among the prints. It leaves out lessons "
        f"whose answers are sums of squares or logarithms ({left_out}), and leaves time for the extra ones."
    )


def notebook(name: str) -> str:
    """A notebook as a page: its words, its cells, and the file to take home."""
    file = HERE / "notebooks" / f"{name}.ipynb"
    told: list[str] = []
    for cell in json.loads(file.read_text(encoding="utf-8"))["cells"]:
        text = "".join(cell["source"])
        told.append(text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```")
    return "\n\n".join([*told, f"{{download}}`Download this notebook <{file.name}>`"])


def experiment_keys() -> str:
    """Every key of a study's description: of each kind, of its tables, and of each component."""
    rows = [
        (f"`{key}`", kind, *facts)
        for kind, models in KINDS.items()
        for key, *facts in dict.fromkeys(fact for model in models for fact in _keys(model))
    ]
    merged: dict[tuple[str, ...], list[str]] = {}
    for key, kind, *facts in rows:
        merged.setdefault((key, *facts), []).append(kind)
    general = [
        (key, "all" if len(kinds) == len(KINDS) else ", ".join(kinds), *facts)
        for (key, *facts), kinds in merged.items()
    ]
    parts = {"retriever": RetrieverTable, "generator": OpenAI, "attributor": AttributorTable}
    components = [
        (f"`{key}`", f"{part} `{get_args(model.model_fields['name'].annotation)[0]}`", *facts)
        for part, tables in parts.items()
        for model in _models_in(tables)
        for key, *facts in _keys(model)
        if key != "name"
    ]
    return _table(("key", "in", "default", "meaning"), [*general, *components])


def _keys(model: type[BaseModel], above: str = "") -> Iterator[tuple[str, str, str]]:
    """Key, default and meaning of each field, and of those of tables within it."""
    for name, field in model.model_fields.items():
        key = f"{above}{field.alias or name}"
        default = "required" if field.is_required() else _default(field.default)
        choices = _choices_in(field.annotation)
        accepted = f" Values: {', '.join(choices)}." if len(choices) > 1 else ""
        yield key, default, _text(" ".join((field.description or "").replace("``", "").split()) + accepted)
        for inner in _models_in(field.annotation):
            if not issubclass(inner, Component):  # listed for itself
                yield from _keys(inner, f"{key}.")


def _choices_in(annotation: object) -> list[str]:
    """Texts that a type accepts, where it lists them."""
    if get_origin(annotation) is Literal:
        return list(get_args(annotation))
    return [choice for part in get_args(annotation) for choice in _choices_in(part)]


def _models_in(annotation: object) -> list[type[BaseModel]]:
    """Classes of tables that a type holds."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [table for part in get_args(annotation) for table in _models_in(part)]


def _default(value: object) -> str:
    if value is None or value == ():
        return "not set"
    return f"`{json.dumps(value)}`"


GENERATED: Mapping[str, Callable[..., str]] = {
    "measures": measures,
    "equalities": equalities,
    "experiment_keys": experiment_keys,
    "standard": standard,
    "rerankers": rerankers,
    "commands": commands,
    "formats": formats,
    "limits": limits,
    "lessons": lessons,
    "api": api,
    "notebook": notebook,
}
"""What may stand between double braces, and what it is made of."""


def filled(text: str) -> str:
    """A page with what it asks for.

    Raises:
        KeyError: For a name that nothing is generated for.
    """
    return re.sub(
        r"^\{\{ (\w+)(?: ([\w-]+))? \}\}$",
        lambda found: GENERATED[found[1]](*filter(None, [found[2]])),
        text,
        flags=re.MULTILINE,
    )


def _fill(_app: Sphinx, _page: str, source: list[str]) -> None:
    source[0] = filled(source[0])


def setup(app: Sphinx) -> None:
    """Fill every page before it is read."""
    app.connect("source-read", _fill)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = (head, ("---",) * len(head), *rows)
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def _bytes(size: int) -> str:
    """A power of 1024 in the largest unit that leaves a whole number."""
    power = max(power for power in (2, 3) if size % 1024**power == 0)
    return f"{size // 1024**power} {('MiB', 'GiB')[power - 2]}"


def _text(text: str) -> str:
    """Plain words of the code as Markdown that shows the same."""
    return re.sub(r"([\\`*_\[\]<>#$])", r"\\\1", text)
