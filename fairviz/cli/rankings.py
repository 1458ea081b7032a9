"""Commands that write rankings and judgements in TREC's columns: sample, rerank, retrieve, fuse, label."""

import argparse
import textwrap
import tomllib
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from fairviz.cli._data import one_run, target_of, which_groups
from fairviz.cli._streams import Progress, name_of, print_lines, source_of, warn
from fairviz.cli.study import settings_of
from fairviz.display.methods import attribute_named
from fairviz.errors import InputError, UndefinedError, UsageError
from fairviz.evaluation.fuse import fusion_notes, reciprocal_rank_fusion
from fairviz.io.notes import shown
from fairviz.io.qrels import write_qrels
from fairviz.io.rankings import read_ranked_run, write_run, write_samples
from fairviz.io.trec import check_writable
from fairviz.metrics.describe import Parameter
from fairviz.model import Dataset, GroupLabels, Note, Run
from fairviz.numerals import plural
from fairviz.points.curves import drawn_by_query
from fairviz.points.reranking import Aim, rerank_run
from fairviz.points.targets import by_attribute
from fairviz.reranking.catalogue import RERANKERS, Reranker, Value, find_reranker
from fairviz.studies.sampling import SampleSettings, judged

if TYPE_CHECKING:
    from fairviz.experiments.retrievers import RetrieverTable

SETTINGS = {"sample": SampleSettings}
"""Settings of the commands that have some."""


@contextmanager
def ids_without_blanks(files: str) -> Generator[None]:
    """Name the files whose identifiers a writer of TREC files refuses in the block.

    Raises:
        InputError: One is empty or holds a blank.
    """
    try:
        yield
    except ValueError as error:
        fix = "TREC files separate columns by blanks; give ids without them."
        raise InputError(str(error), file=files, fix=fix) from None


def sample(args: argparse.Namespace) -> int:
    """Draw, then print query by query: millions of rankings fit into no memory."""
    files, loaded, source = one_run(args)
    settings = settings_of(args, SampleSettings, loaded)
    with files.naming():
        judgements = judged(source, loaded)
    drawing = settings.drawing(source, judgements)
    drawn = drawn_by_query(source, drawing, rng=np.random.default_rng(settings.seed), qrels=judgements)
    warn(files.notes)
    with ids_without_blanks(files.files[source.system]):
        check_writable(source)  # before anything is written
        for of_query in drawn:
            print_lines(partial(write_samples, of_query))
    return 0


WIDTH = 100
INDENT = " " * 24


def add_own(parser: argparse.ArgumentParser) -> None:
    """What the re-rankers of the catalogue may be told, and a line on each below the examples."""
    for name, meaning in _options().items():
        parser.add_argument(_flag(name), help=meaning.replace("%", "%%"))
    parser.epilog = f"{parser.epilog or ''}{_method_lines()}"


def rerank(args: argparse.Namespace) -> int:
    """Re-rank a run, then print it."""
    method = find_reranker(args.method)
    files, loaded, source = one_run(args)
    file = files.files[source.system]
    options, idle = _chosen(args, method, file)
    with Progress("re-ranking", force=args.progress), files.naming():
        ranked, notes = rerank_run(
            source,
            method,
            labels=_counting_first(loaded, args.groups_by),
            target=_aim(args, loaded, method),
            judged=loaded.qrels,
            k=args.k,
            seed=args.seed,
            group=args.group,
            repeats=args.repeats,
            samples=args.samples,
            options=options,
            frequencies=loaded.weights,
        )
    warn([*files.notes, *([] if loaded.bounds else which_groups(args, loaded)), *idle, *files.placed(notes)])
    write = write_run if isinstance(ranked, Run) else write_samples
    with ids_without_blanks(file):
        print_lines(partial(write, ranked))
    return 0


def _counting_first(loaded: Dataset, name: str | None) -> list[GroupLabels]:
    """Labels by every attribute, first the one that counts."""
    if not loaded.labels:
        return []
    index, every = attribute_named(loaded, name), [*loaded.attributes]
    return [every[index], *every[:index], *every[index + 1 :]]


def _aim(args: argparse.Namespace, loaded: Dataset, method: Reranker) -> Aim | None:
    """The target, or for a method of all queries together bounds, or shares of several attributes."""
    if method.all_queries and loaded.bounds is not None:
        return loaded.bounds
    if method.all_queries and loaded.target is not None and by_attribute(loaded.target, loaded.attributes):
        return loaded.target
    return target_of(args, loaded)


def _method_lines() -> str:
    """Each method with its options, as the help prints them."""
    lines: list[str] = []
    for method in RERANKERS:
        lines += textwrap.wrap(
            f"{method.label}: {method.summary}",
            width=WIDTH,
            initial_indent=f"  {method.name:<21} ",
            subsequent_indent=INDENT,
        )
        own = [f"{_flag(option.name)} ({_option_words(option)})" for option in method.options]
        own += ["--group NAME (default: the smaller of two)"] if method.protects_one else []
        lines += textwrap.wrap(", ".join(own), WIDTH, initial_indent=INDENT, subsequent_indent=INDENT)
    return "\n".join(lines)


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _option_words(option: Parameter) -> str:
    # Of words the first is the default.
    return f"{option.accepted}, default {option.default:g}" if isinstance(option.default, float) else option.accepted


def _options() -> dict[str, str]:
    """Name and meaning of every option that a method has."""
    by_name: dict[str, list[str]] = {}
    for method in RERANKERS:
        for option in method.options:
            meanings = by_name.setdefault(option.name, [])
            if option.meaning not in meanings:
                meanings.append(option.meaning)
    return {name: "; or ".join(meanings) for name, meanings in by_name.items()}


def _chosen(args: argparse.Namespace, method: Reranker, file: str) -> tuple[dict[str, Value], list[Note]]:
    """What was typed for this method, and what was typed in vain.

    Raises:
        UsageError: A value is not accepted.
    """
    own = {option.name: option for option in method.options}
    typed = {name: getattr(args, name) for name in _options() if getattr(args, name) is not None}
    values = {
        name: cast("Value", own[name].check(text if own[name].choices else _number(name, text)))
        for name, text in typed.items()
        if name in own
    }
    idle = [name for name in typed if name not in own]
    idle += ["group"] if args.group is not None and not method.protects_one else []
    has = ", ".join(map(_flag, own)) or "none"
    notes = [Note(file, None, f"{_flag(name)} means nothing to {method.name}; its options: {has}") for name in idle]
    return values, notes


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"{_flag(name)} {text}: expected a number") from None


def retrieve(args: argparse.Namespace) -> int:
    """Retrieve, then print."""
    from fairviz.experiments.questions import read_documents
    from fairviz.experiments.retrievers import retrieved_run, retriever_of
    from fairviz.io.corpus import read_queries

    choice = _choice(args)
    documents, questions = read_documents(source_of(args.corpus)), read_queries(source_of(args.queries))
    retriever = retriever_of(choice, documents.value, documents.file)
    retrieved = retrieved_run(retriever, documents.value, questions.value, depth=args.depth)
    empty = [query for query, n in zip(retrieved.query_ids, np.diff(retrieved.offsets), strict=True) if not n]
    warn([*documents.notes, *questions.notes, *retriever.notes])
    if empty:
        what = f"nothing was retrieved for {plural(len(empty), 'question')}, {shown(empty[0])} first"
        warn([Note(questions.file, None, what)])
    with ids_without_blanks(f"{documents.file}, {questions.file}"):
        print_lines(partial(write_run, retrieved))
    return 0


def _choice(args: argparse.Namespace) -> "RetrieverTable":
    from fairviz.experiments.config import retrievers_of
    from fairviz.io.text import read_toml

    if args.description is None:
        if args.retriever is None:
            raise UsageError("retrieve needs --retriever NAME, such as bm25, or --description FILE.toml")
        table = {"name": args.retriever, **dict(_parameter(text) for text in args.set)}
        (choice,) = retrievers_of({"retriever": table}, Path("--retriever"))
        return choice
    if args.set:
        raise UsageError("--set changes a retriever that is named; parameters of a --description stand in the file")
    name = name_of(args.description)
    choices = retrievers_of(read_toml(source_of(args.description)), Path(name))
    by_label = {choice.label: choice for choice in choices}
    if args.retriever is None and len(choices) == 1:
        return choices[0]
    if args.retriever not in by_label:
        raise UsageError(f"{name}: give --retriever, one of: {', '.join(by_label)}")
    return by_label[args.retriever]


def _parameter(text: str) -> tuple[str, object]:
    """A parameter as typed: numbers, true, false and lists as in TOML, anything else a text.

    Examples:
        >>> _parameter("k1=1.2"), _parameter("model=all-MiniLM")
        (('k1', 1.2), ('model', 'all-MiniLM'))
    """
    key, separator, value = text.partition("=")
    if not separator or not key or not value:
        raise UsageError(f"--set {text}: expected KEY=VALUE, such as k1=1.2")
    try:
        return key, tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return key, value


def fuse(args: argparse.Namespace) -> int:
    """Fuse, then print."""
    if len(args.runs) < 2:
        raise UsageError("fuse needs two or more runs (see fairviz fuse --help)")
    if not args.tag.strip():
        raise UsageError("--tag: a run tag needs at least one character")
    read = [read_ranked_run(source_of(file, "scoreddocs")) for file in args.runs]
    runs = [parsed.value for parsed in read]
    fused = reciprocal_rank_fusion(runs, k=args.rrf_k, depth=args.depth, top=args.top, name=args.tag, ranked=True)
    files = [parsed.file for parsed in read]
    notes = [note for parsed in read for note in parsed.notes]
    warn([*notes, *fusion_notes(runs, fused, names=files)])
    with ids_without_blanks(", ".join(files)):
        print_lines(partial(write_run, fused))
    return 0


def label(args: argparse.Namespace) -> int:
    """Compare, then print."""
    from fairviz.experiments.labels import RECORDED, recorded_labels
    from fairviz.io.corpus import read_references
    from fairviz.io.rag import read_outputs

    read = [read_outputs(source_of(file)) for file in args.outputs]
    references = read_references(source_of(args.references)) if args.references else None
    utility = args.utility or ("rougeL" if references else RECORDED)
    outputs = [output for parsed in read for output in parsed.value.outputs]
    generators = list(dict.fromkeys(output.generator or output.system for output in outputs))
    generator = args.generator or (generators[0] if len(generators) == 1 else None)
    if generator not in generators:
        raise UsageError(f"label: give --generator, one of: {', '.join(generators)}")
    own = [output for output in outputs if (output.generator or output.system) == generator]
    qrels, notes = recorded_labels(
        own, utility=utility, references=references.value if references else None, generator=generator
    )
    if not qrels.query_ids:
        raise UndefinedError(
            f"{', '.join(args.outputs)}: no question has answers both without and with one document; "
            f"{'; '.join(note.message for note in notes)}"
        )
    warn([*(note for parsed in (*read, *([references] if references else [])) for note in parsed.notes), *notes])
    with ids_without_blanks(", ".join(args.outputs)):
        print_lines(partial(write_qrels, qrels))
    return 0
