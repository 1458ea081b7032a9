"""Rankings and answers to them: retrieve → label → sample → generate → attribute."""

import gzip
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from io import BytesIO, StringIO
from itertools import chain, pairwise
from pathlib import Path
from typing import TextIO, TypeAlias

import numpy as np

from fairviz.errors import InputError, UndefinedError, UsageError
from fairviz.experiment.attribution import utility_gains, utility_qrels
from fairviz.experiment.config import ExperimentConfig, read_config
from fairviz.experiment.protocols import Attributor, Document, Generator, Prompt
from fairviz.experiment.registry import build_attributor, build_generator, retriever_of
from fairviz.experiment.retrieval import part_of_run, retrieved_run
from fairviz.io.corpus import read_queries, read_references
from fairviz.io.json import Fields, json_records
from fairviz.io.notes import NoteBook, Parsed, shown
from fairviz.io.qrels import write_qrels
from fairviz.io.rag import write_outputs
from fairviz.io.source import as_source
from fairviz.io.trec import write_run, write_samples
from fairviz.metrics.utility import rouge_l
from fairviz.model import BoolArray, IndexArray, Note, RagOutputs, RankingSample, Run
from fairviz.policies import PlackettLuce

# From rankings to recorded outputs: generate, score against the references, attribute.


UTILITY_DIGITS = 6
"""Digits kept of a utility, so that every platform writes the same file."""


def recorded_outputs(
    sample: RankingSample,
    *,
    corpus: Sequence[Document],
    questions: Mapping[str, str],
    references: Mapping[str, Sequence[str]],
    generator: Generator,
    attributor: Attributor,
    task: str,
    k: int,
) -> RagOutputs:
    """Answer every question once per ranking; equal prompts are answered once.

    Args:
        sample: Rankings whose documents are positions in ``corpus``.
        corpus: The documents.
        questions: Question by query id.
        references: Right answers by query id; utility is ROUGE-L F1 against the closest.
        generator: Answers.
        attributor: Says which of the given documents an answer rests on.
        task: Name of the experiment.
        k: Documents given, at most.
    """
    flat: list[int] = sample.docs.tolist()
    bounds: list[int] = sample.sample_offsets.tolist()
    rankings = [flat[start:end][:k] for start, end in pairwise(bounds)]
    asked = [query for query, n in zip(sample.query_ids, sample.n_samples.tolist(), strict=True) for _ in range(n)]
    keys = [(query, tuple(ranking)) for query, ranking in zip(asked, rankings, strict=True)]
    distinct = list(dict.fromkeys(keys))
    prompts = [Prompt(questions[query], tuple(corpus[position] for position in ranking)) for query, ranking in distinct]
    answers = generator.generate(prompts)
    utilities = [
        round(rouge_l(answer, references[query]), UTILITY_DIGITS)
        for (query, _), answer in zip(distinct, answers, strict=True)
    ]
    supports = attributor.attribute(prompts, answers)
    row_of = {key: row for row, key in enumerate(distinct)}
    rows = [row_of[key] for key in keys]
    attributed = [
        [position for position, used in zip(ranking, supports[row], strict=True) if used]
        for ranking, row in zip(rankings, rows, strict=True)
    ]
    return RagOutputs(
        system=_system(sample, generator),
        query_ids=sample.query_ids,
        doc_ids=sample.doc_ids,
        offsets=sample.query_offsets,
        samples=tuple(str(s) for n in sample.n_samples.tolist() for s in range(1, n + 1)),
        given_from="ranking",
        given_offsets=np.cumsum([0, *map(len, rankings)]),
        given=np.array(list(chain.from_iterable(rankings)), dtype=np.int32),
        attributed_offsets=np.cumsum([0, *map(len, attributed)]),
        attributed=np.array(list(chain.from_iterable(attributed)), dtype=np.int32),
        texts=tuple(answers[row] for row in rows),
        utilities=np.array([utilities[row] for row in rows], dtype=np.float64),
        task=task,
        retriever=sample.system,
        generator=generator.name,
        policy=sample.policy,
        alpha=sample.alpha,
        k=k,
    )


def _system(sample: RankingSample, generator: Generator) -> str:
    policy = sample.policy if sample.alpha is None else f"alpha-{sample.alpha:g}"
    return f"{sample.system}-{generator.name}-{policy}"


# The documents of an experiment; questions and answers are read by ``formats.words``.


def read_documents(path: Path) -> Parsed[list[Document]]:
    """Read documents ``{doc_id, title?, text}`` in file order; further fields are left alone.

    Unlike :func:`fairviz.io.corpus.read_corpus` it keeps titles apart: they are searched, and
    are no sentence of an answer.

    Raises:
        InputError: If the file cannot be read or a document stands twice.
    """
    source = as_source(str(path))
    book = NoteBook(source.name)
    documents: list[Document] = []
    lines: dict[str, int] = {}
    with closing(json_records(source, book)) as records:
        for line, record in records:
            fields = Fields(record, line, source.name)
            doc_id = fields.identifier("doc_id")
            if doc_id in lines:
                reason = f"doc_id {shown(doc_id)} stands twice (first on line {lines[doc_id]})"
                raise InputError(reason, file=source.name, line=line, fix="Keep one.")
            lines[doc_id] = line
            documents.append(Document(doc_id, fields.text("title"), fields.text("text")))
    label = f"{len(documents):,} documents"
    return Parsed(value=documents, file=source.name, format=label, notes=book.collected, lines=lines)


# Writes files so that equal results are equal bytes.


def write_text(path: Path, write: Callable[[TextIO], object]) -> None:
    """Let ``write`` fill a file; a name in ``.gz`` is compressed.

    The gzip header carries no time and no name. Builds of zlib differ in the bytes they make of
    the same text, so a compressed file that already holds the text is left as it is.
    """
    text = StringIO(newline="\n")
    write(text)
    content = text.getvalue().encode()
    if path.suffix != ".gz":
        path.write_bytes(content)
    elif _held(path) != content:
        packed = BytesIO()
        with gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=0) as file:
            file.write(content)
        path.write_bytes(packed.getvalue())


def _held(path: Path) -> bytes | None:
    try:
        return gzip.decompress(path.read_bytes())
    except (OSError, EOFError):
        return None


# What an experiment tells while it runs and when it is done.


Progress: TypeAlias = Callable[[str, int, int], None]
"""Told what is done now, the step's number from 1, and the number of steps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentReport:
    """What an experiment left behind.

    Attributes:
        files: The files written, in the order of their making.
        n_useful: Useful documents of each question, by the generator's utility gain; empty where
            nothing was labelled.
        dropped: Questions with fewer than ``min_useful``: they are in the run, and in nothing else.
        notes: What the readers repaired.
    """

    files: tuple[Path, ...]
    n_useful: Mapping[str, int] = field(default_factory=dict[str, int])
    dropped: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()


def made_folder(folder: Path, config: Path) -> Path:
    """The folder to write to, made where it is missing.

    Raises:
        UsageError: If it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = f"output: the folder {folder} cannot be made ({error.strerror})"
        raise UsageError(f"{config}: {reason}; name another") from error
    return folder


def silent(what: str, step: int, n_steps: int) -> None:
    """Progress for callers that want none."""


# The rankings an experiment hands to the generator: sampled, deterministic and oracle.
#
# Every question has its own source of chance, derived from the seed, the question's id and the
# policy. Adding a question or an α therefore changes no other sample.


def sampled_rankings(run: Run, *, alpha: float, depth: int, n_samples: int, seed: int) -> RankingSample:
    """Plackett–Luce samples of every query of a run (Kim & Diaz, 3.2)."""
    policy = PlackettLuce(alpha)
    drawn: list[list[IndexArray]] = []
    for row, query_id in enumerate(run.query_ids):
        rows = slice(int(run.offsets[row]), int(run.offsets[row + 1]))
        alone = Run(
            system=run.system,
            query_ids=(query_id,),
            doc_ids=run.doc_ids,
            offsets=np.array([0, rows.stop - rows.start]),
            docs=run.docs[rows].copy(),
            scores=run.scores[rows].copy(),
        )
        rng = chance(seed, query_id, f"plackett-luce {alpha:g}")
        sample = policy.sample(alone, depth=depth, n_samples=n_samples, rng=rng)
        drawn.append(np.split(sample.docs, sample.sample_offsets[1:-1]))
    return _collected(run, drawn, "plackett-luce", alpha)


def deterministic_rankings(run: Run, *, depth: int) -> RankingSample:
    """The run as it is, cut at ``depth``: one ranking per query."""
    drawn = [
        [run.docs[start : min(end, start + depth)]]
        for start, end in zip(run.offsets[:-1], run.offsets[1:], strict=True)
    ]
    return _collected(run, drawn, "deterministic", None)


def oracle_rankings(
    run: Run, useful: Mapping[str, BoolArray], *, depth: int, n_samples: int, seed: int
) -> RankingSample:
    """Useful documents in random order above the others in random order (Kim & Diaz, 3.3.5).

    Args:
        run: What was retrieved.
        useful: For each query, (D) whether each document is useful.
        depth: Ranks kept.
        n_samples: Rankings per query.
        seed: Source of chance.
    """
    drawn: list[list[IndexArray]] = []
    for row, query_id in enumerate(run.query_ids):
        retrieved = run.docs[run.offsets[row] : run.offsets[row + 1]]
        best = np.flatnonzero(useful[query_id]).astype(np.int32)
        # A useful document that the retriever missed is above the others all the same.
        others = np.setdiff1d(retrieved, best)
        rng = chance(seed, query_id, "oracle")
        drawn.append(
            [np.concatenate([rng.permutation(best), rng.permutation(others)])[:depth] for _ in range(n_samples)]
        )
    return _collected(run, drawn, "oracle", None)


def chance(seed: int, query_id: str, policy: str) -> np.random.Generator:
    """The source of chance of one query under one policy."""
    digest = sha256(f"{query_id}\t{policy}".encode()).digest()
    return np.random.default_rng([seed, int.from_bytes(digest[:8], "big")])


def _collected(run: Run, drawn: list[list[IndexArray]], policy: str, alpha: float | None) -> RankingSample:
    rankings = [ranking for of_query in drawn for ranking in of_query]
    return RankingSample(
        system=run.system,
        policy=policy,
        alpha=alpha,
        query_ids=run.query_ids,
        doc_ids=run.doc_ids,
        query_offsets=np.cumsum([0, *map(len, drawn)]),
        sample_offsets=np.cumsum([0, *map(len, rankings)]),
        docs=np.concatenate([*rankings, np.empty(0, np.int32)]),
    )


def run_rankings(config: Path, *, output: Path | None = None, progress: Progress | None = None) -> ExperimentReport:
    """Make every file of an experiment with rankings; the same files give the same bytes.

    Writes the retriever's run (``bm25.run``), the generator's labels (``utility.qrels``), per α
    the rankings (``samples.alpha-A.run.gz``), and the recorded outputs of each α, of the
    deterministic list and of the oracle (``outputs.*.jsonl.gz``).

    Args:
        config: The TOML file.
        output: Folder to write to, in the place of the configuration's.
        progress: Called before each step.

    Raises:
        InputError: If a file cannot be read, or a question has no reference answer.
        UsageError: If the configuration names what is not accepted.
        UndefinedError: If no question has enough useful documents.
    """
    settings = read_config(config)
    folder = output or settings.output
    tell = progress or silent
    generator = build_generator(settings.generator)
    attributor = build_attributor(settings.attributor)
    read = (
        read_documents(settings.corpus),
        read_queries(str(settings.queries)),
        read_references(str(settings.references)),
    )
    corpus, questions, references = read[0].value, read[1].value, read[2].value
    for query_id in questions:
        if not references.get(query_id):
            reason = f"no answer to question {query_id}"
            fix = "Add a line with its query_id and answers."
            raise InputError(reason, file=read[2].file, fix=fix)
    retriever = retriever_of(settings.retriever, corpus, read[0].file)
    made_folder(folder, config)
    files: list[Path] = []

    def path_of(name: str) -> Path:
        files.append(folder / name)
        return files[-1]

    n_steps = 2 + len(settings.alphas) + 2
    tell("retrieve", 1, n_steps)
    run = retrieved_run(retriever, corpus, questions, depth=settings.depth)
    write_text(path_of(f"{run.system}.run"), partial(write_run, run))

    tell("label", 2, n_steps)
    useful = {
        query_id: utility_gains(question, references[query_id], corpus, generator).useful
        for query_id, question in questions.items()
    }
    n_useful = {query_id: int(labels.sum()) for query_id, labels in useful.items()}
    kept = [query_id for query_id, n in n_useful.items() if n >= settings.min_useful]
    if not kept:
        most = max(n_useful.values(), default=0)
        raise UndefinedError(
            f"{config}: no question has min_useful = {settings.min_useful} useful documents, "
            f"the best has {most}; lower it, or bring the references nearer to the documents"
        )
    run = part_of_run(run, kept)
    labels = utility_qrels(run, useful, generator=generator.name)
    write_text(path_of("utility.qrels"), partial(write_qrels, labels))

    for step, (name, sample) in enumerate(_rankings(settings, run, useful), start=3):
        tell(f"answer ({name})", step, n_steps)
        if sample.alpha is not None:
            write_text(path_of(f"samples.{name}.run.gz"), partial(write_samples, sample))
        outputs = recorded_outputs(
            sample,
            corpus=corpus,
            questions=questions,
            references=references,
            generator=generator,
            attributor=attributor,
            task=settings.name,
            k=settings.k,
        )
        write_text(path_of(f"outputs.{name}.jsonl.gz"), partial(write_outputs, [outputs]))
    dropped = tuple(query_id for query_id in questions if query_id not in kept)
    notes = tuple(note for parsed in read for note in parsed.notes)
    return ExperimentReport(files=tuple(files), n_useful=n_useful, dropped=dropped, notes=notes)


def _rankings(
    settings: ExperimentConfig, run: Run, useful: dict[str, BoolArray]
) -> Iterator[tuple[str, RankingSample]]:
    """Each policy's name in file names, and its rankings."""
    k, n_samples, seed = settings.k, settings.n_samples, settings.seed
    for alpha in settings.alphas:
        sample = sampled_rankings(run, alpha=alpha, depth=k, n_samples=n_samples, seed=seed)
        yield f"alpha-{alpha:g}", sample
    yield "deterministic", deterministic_rankings(run, depth=k)
    yield "oracle", oracle_rankings(run, useful, depth=k, n_samples=n_samples, seed=seed)
