"""Everything in some files, frames and nouns as one :class:`Dataset`, and nouns as the files that hold them.

Both ways go through the library's own readers and writers: what is loaded from memory is what a file of it would give.
"""

from __future__ import annotations  # signatures in the names of types, as people read them

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from io import StringIO
from os import PathLike
from pathlib import Path as FilePath
from typing import Any, TextIO, TypeAlias, cast

import polars as pl

from fairviz.api.door import public, tell
from fairviz.api.nouns import Counted, Path, popularity_of, qrels, rankings_of, several
from fairviz.errors import InputError, UsageError
from fairviz.io.archive import is_archive
from fairviz.io.bbq import write_bias_items
from fairviz.io.bbq_answers import write_bias_predictions
from fairviz.io.columns import Stream, columns_in, columns_of, is_rows, lists_in, records_source
from fairviz.io.dataset import add_file, check_paths, recognised
from fairviz.io.formats import sniff
from fairviz.io.groups import write_groups
from fairviz.io.manifest import DataPath
from fairviz.io.notes import shown
from fairviz.io.qrels import write_qrels
from fairviz.io.rag import write_outputs
from fairviz.io.rankings import write_run, write_samples
from fairviz.io.source import FileInput, Options, Source, as_source
from fairviz.io.tables import write_factors
from fairviz.io.targets import write_target
from fairviz.io.variants import write_variants
from fairviz.io.whole import write_whole
from fairviz.model import (
    BiasItems,
    BiasPredictions,
    Dataset,
    GroupLabels,
    Qrels,
    RagOutputs,
    RankingSample,
    Run,
    Target,
    VariantAnswers,
)
from fairviz.reporting.study_file import is_study, read_study, study_of

Noun: TypeAlias = (
    Run | RankingSample | Qrels | GroupLabels | Target | RagOutputs | BiasItems | BiasPredictions | VariantAnswers
)
Loadable: TypeAlias = Noun | Dataset | Path | Stream | list[Mapping[str, Any]]
"""A file, a folder, a frame or list of records that says what it is, a noun, or all that was loaded before."""


NamedFile: TypeAlias = tuple[Source, Options]
"""A noun as a file, and what its content does not say."""


@public
def load(*sources: Loadable | Iterable[Loadable], name: str = "Loaded", popularity: Counted | None = None) -> Dataset:
    """Everything in some files, frames and nouns, recognised as the dashboard's Data page recognises files.

    A frame is a run where it has queries, documents and scores, judgements where it has grades, group labels where it
    has documents and a group; answers, questions, passages and outputs are known by their columns.

    Args:
        *sources: Paths of files, folders and study files, frames, lists of records and nouns; each may be a sequence
            of them. A dict does not say what it is: give it through :func:`run`, :func:`qrels` or :func:`labels`.
        name: What to call them.
        popularity: How often documents were chosen, ``{document: count}``, or a file or frame with ``doc_id`` and
            ``count``.

    Returns:
        The data set: ``runs``, ``samples``, ``qrels``, ``labels``, ``target``, ``outputs``, ``bias_items``,
        ``bias_predictions``, ``variants``.

    Raises:
        InputError: One of them cannot be read, or nobody knows what it is.

    Examples:
        >>> import fairviz as fv
        >>> data = fv.load(fv.run({"q": {"a": 1.0}}, name="bm25"), fv.qrels({"q": {"a": 1}}))
        >>> [one.system for one in data.runs], len(data.qrels)
        (['bm25'], 1)
    """
    dataset = Dataset(name=name)
    for file in _files(sources):
        parts = [file] if isinstance(file, tuple) else _opened(FilePath(file))
        for part, options in parts:
            dataset = add_file(dataset, part, options)
    if popularity is not None:
        dataset = add_file(dataset, _popularity_file(popularity))
    tell(dataset.notes)
    return dataset


def _popularity_file(popularity: Counted) -> FileInput:
    """The file itself, or one of the counts."""
    if isinstance(popularity, (str, PathLike)):
        return popularity
    counts = popularity_of(popularity) or {}
    return "popularity.jsonl", _records_of(counts, "doc_id", "count").encode()


def _records_of(values: Mapping[str, Any], key: str, value: str) -> str:
    """JSON Lines of values by their ids."""
    return "".join(
        f"{json.dumps({key: identifier, value: each}, ensure_ascii=False)}\n" for identifier, each in values.items()
    )


def _opened(path: FilePath) -> Iterable[tuple[FileInput | Source, Options]]:
    """What is at a path: a file, those of a folder that are recognised, or the data of a study file.

    Raises:
        InputError: A folder without a file that is recognised, or a study file that is damaged.
    """
    if path.is_dir():
        path = study_of(path) or path
    if path.is_dir():
        check_paths([DataPath(path)])
        yield from ((str(file.path), file.options) for file in recognised([DataPath(path)])[0])
        return
    source = as_source(path)
    if is_archive(source) and is_study(source):
        yield from (((part.name, part.content), part.options) for part in read_study(source).files if part.content)
        return
    yield source, Options()


def named_files(sources: Iterable[Any]) -> list[NamedFile | Path]:
    """What was given as files: paths as they are, all else written; names are distinct."""
    seen: set[str] = set()
    files: list[NamedFile | Path] = []
    for file in _files(sources):
        if isinstance(file, tuple):
            name, n = file[0].name, 2
            while name in seen:
                name, n = f"{n}-{file[0].name}", n + 1
            seen.add(name)
            file = replace(file[0], name=name), file[1]
        files.append(file)
    return files


def _files(sources: Iterable[Any]) -> Iterable[NamedFile | Path]:
    for source in sources:
        for member in several(source, (*_WRITERS, Dataset), rows=()):
            if isinstance(member, (str, PathLike)):
                yield cast("Path", member)
            else:
                yield from _written(member)


def _written(source: Any) -> Iterable[NamedFile]:
    if isinstance(source, Dataset):
        for noun in nouns_of(source):
            yield from _written(noun)
        yield from _words(source)
        return
    if not isinstance(source, tuple(_WRITERS)):
        recognised = _recognised(source)
        if isinstance(recognised, Source):
            yield replace(recognised, name=f"{recognised.stem}.jsonl"), Options(role=sniff(recognised).role)
            return
        for noun in recognised:
            yield from _written(noun)
        return
    role, ending, write = next(how for kind, how in _WRITERS.items() if isinstance(source, kind))
    text = StringIO(newline="")
    try:
        write(source, text)
    except ValueError as error:
        fix = "Files separate columns by blanks; give ids without them."
        raise InputError(str(error), file=_called(source), fix=fix) from error
    generator = source.generator if isinstance(source, Qrels) else None
    name = re.sub(r"[^\w.+-]+", "-", _called(source)).strip("-.") or role
    options = Options(role=cast(Any, role), generator=generator)
    yield Source(f"{name}{ending}", None, text.getvalue().encode()), options


@public
def write(noun: Any, file: Path) -> None:
    r"""Write what the library holds as a file that it reads: TREC runs, samples and judgements, tables, JSON.

    Args:
        noun: A run, a sample, judgements, groups, a target, outputs, questions or answers, as a function gave them.
        file: Where to; the file is whole afterwards, or as it was.

    Raises:
        InputError: An identifier holds a blank, which columns of TREC files cannot.
        OutputError: The file cannot be written.
        UsageError: What is to be written is none of these.

    Examples:
        >>> import tempfile, pathlib, fairviz as fv
        >>> file = pathlib.Path(tempfile.mkdtemp(), "own.run")
        >>> fv.write(fv.run({"q": {"a": 1.5}}, name="own"), file)
        >>> file.read_text()
        'q Q0 a 1 1.5 own\n'
    """
    if not isinstance(noun, tuple(_WRITERS)):
        raise UsageError(f"what is to be written is a {type(noun).__name__}, and no run, judgements, groups or answers")
    ((written, _),) = _written(noun)
    write_whole(file, written.content)


def nouns_of(dataset: Dataset) -> list[Any]:
    """All that a data set holds besides words."""
    target = [] if dataset.target is None else [dataset.target]
    ranked = (*dataset.runs, *dataset.samples, *dataset.unjoined)
    answers = (*dataset.bias_items, *dataset.bias_predictions, *dataset.variants)
    return [*ranked, *dataset.qrels, *dataset.labels, *target, *dataset.outputs, *answers]


def _words(dataset: Dataset) -> Iterable[NamedFile]:
    """Questions, passages, references, popularity and factors, as files."""
    texts = (
        ("queries.jsonl", "query_id", "text", dataset.texts),
        ("corpus.jsonl", "doc_id", "text", dataset.passages),
        ("references.jsonl", "query_id", "answers", dataset.references),
        ("popularity.jsonl", "doc_id", "count", dataset.popularity),
    )
    for name, key, value, words in texts:
        if words:
            yield Source(name, None, _records_of(words, key, value).encode()), Options()
    if dataset.systems:
        text = StringIO(newline="")
        write_factors(dataset.systems, text)
        yield Source("systems.tsv", None, text.getvalue().encode()), Options()


def _recognised(source: Any) -> Sequence[Noun] | Source:
    """The nouns that a table holds by its columns, or its rows as a file that says what it is."""
    names: tuple[str, ...] = ()
    if is_rows(source):
        names = columns_in(source[0])
    elif isinstance(source, (Stream, pl.LazyFrame)):
        names = tuple(columns_of(source).table.columns)
    else:
        what = f"an object of type {type(source).__name__} does not say what it is"
        raise InputError(what, fix="Give it through fv.run(…), fv.qrels(…), fv.labels(…) or fv.target(…).")
    if role := lists_in(names):
        return rankings_of(source) if role == "run" else [qrels(source)]
    rows = records_source(source)
    if _of_records(rows):
        return rows
    reason = f"no kind of table has these columns: {', '.join(map(shown, names)) or 'none'}"
    raise InputError(reason, file=rows.name, fix="Give it through fv.run(…), fv.qrels(…) or fv.labels(…).")


def _of_records(rows: Source) -> bool:
    """Whether rows say by their keys what they are; one object alone could be a run or a target."""
    try:
        return sniff(rows).role not in ("run", "qrels", "target")
    except InputError:
        return False


def _called(noun: Any) -> str:
    """What a noun is called."""
    return next((str(getattr(noun, key)) for key in ("system", "attribute", "name") if hasattr(noun, key)), "")


_WRITERS: dict[type, tuple[str, str, Callable[[Any, TextIO], None]]] = {
    Run: ("run", ".run", write_run),
    RankingSample: ("run", ".run", write_samples),
    Qrels: ("qrels", ".qrels", write_qrels),
    GroupLabels: ("groups", ".tsv", write_groups),
    Target: ("target", ".json", write_target),
    RagOutputs: ("rag", ".jsonl", lambda outputs, to: write_outputs([outputs], to)),
    BiasItems: ("bias-items", ".csv", write_bias_items),
    BiasPredictions: ("bias-predictions", ".csv", write_bias_predictions),
    VariantAnswers: ("variants", ".jsonl", write_variants),
}
"""Role, ending and writer of each noun."""
