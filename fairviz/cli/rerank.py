"""``fairviz rerank``: a run re-ranked towards a target, as a run on standard output."""

import argparse
import textwrap
from functools import partial

import numpy as np

from fairviz.cli._common import (
    Progress,
    ids_without_blanks,
    print_lines,
    warn,
)
from fairviz.cli._data import one_run, target_of, which_groups
from fairviz.display.methods import attribute_named
from fairviz.errors import UsageError
from fairviz.evaluation.joins import judgements_of, labelled
from fairviz.io.rankings import write_run, write_samples
from fairviz.model import Note, Run
from fairviz.points.reranking import check_evidence, rerank_all, rerank_lists
from fairviz.reranking.catalogue import RERANKERS, Option, Reranker, Value, find_reranker

WIDTH = 100
INDENT = " " * 24


def add_own(parser: argparse.ArgumentParser) -> None:
    """What the re-rankers of the catalogue may be told, and a line on each below the examples."""
    for name, meaning in _options().items():
        parser.add_argument(f"--{name}", help=meaning.replace("%", "%%"))
    parser.epilog = f"{parser.epilog or ''}{_method_lines()}"


def run(args: argparse.Namespace) -> int:
    """Re-rank, then print."""
    method = find_reranker(args.method)
    files, loaded, source = one_run(args)
    file = files.files[source.system]
    options, idle = _chosen(args, method, file)
    labels = loaded.labels[attribute_named(loaded, args.groups_by)] if loaded.labels else None
    target = target_of(args, loaded)
    check_evidence(method, options, has_labels=labels is not None, has_target=target is not None)
    with files.naming():
        if labels is not None:
            labelled([source], labels)
        judgements = judgements_of(source, loaded.qrels) if loaded.qrels else None
    longest = max(int(np.diff(source.offsets).max(initial=1)), 1)
    lists = rerank_lists(source, labels=labels, target=target, qrels=judgements)
    with Progress("re-ranking", force=args.progress):
        result = rerank_all(
            lists,
            method,
            k=min(args.k or longest, longest),
            rng=method.draws(args.seed),
            group=args.group,
            repeats=args.repeats,
            samples=args.samples,
            options=options,
        )
    warn([*files.notes, *which_groups(args, loaded), *idle, *files.placed(result.notes)])
    write = write_run if isinstance(result.ranked, Run) else write_samples
    with ids_without_blanks(file):
        print_lines(partial(write, result.ranked))
    return 0


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
        own = [f"--{option.name} ({_said(option)})" for option in method.options]
        own += ["--group NAME (default: the smaller of two)"] if method.protects_one else []
        lines += textwrap.wrap(", ".join(own), WIDTH, initial_indent=INDENT, subsequent_indent=INDENT)
    return "\n".join(lines)


def _said(option: Option) -> str:
    default = "" if option.default is None or option.choices else f", default {option.default:g}"
    return option.accepted + default


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
        name: own[name].check(text if own[name].choices else _number(name, text))
        for name, text in typed.items()
        if name in own
    }
    idle = [name for name in typed if name not in own]
    idle += ["group"] if args.group is not None and not method.protects_one else []
    has = ", ".join(f"--{name}" for name in own) or "none"
    notes = [Note(file, None, f"--{name} means nothing to {method.name}; its options: {has}") for name in idle]
    return values, notes


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"--{name} {text}: expected a number") from None
