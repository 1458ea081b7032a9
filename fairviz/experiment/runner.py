"""Rankings and answers to them: retrieve → label → sample → generate → attribute."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from fairviz.errors import InputError, UndefinedError
from fairviz.experiment.answers import recorded_outputs
from fairviz.experiment.components import build_attributor, build_generator
from fairviz.experiment.config import ExperimentConfig, read_config
from fairviz.experiment.corpus import read_documents
from fairviz.experiment.files import write_text
from fairviz.experiment.labels import utility_gains, utility_qrels
from fairviz.experiment.report import ExperimentReport, Progress, made_folder, silent
from fairviz.experiment.retrieval import part_of_run, retrieved_run, retriever_of
from fairviz.experiment.sampling import deterministic_rankings, oracle_rankings, sampled_rankings
from fairviz.formats.qrels import write_qrels
from fairviz.formats.rag import write_outputs
from fairviz.formats.run_table import write_run
from fairviz.formats.sample_table import write_samples
from fairviz.formats.words import read_queries, read_references
from fairviz.model import BoolArray, RankingSample, Run


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
