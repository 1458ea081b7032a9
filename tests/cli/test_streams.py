"""Every file that a command can be given, through a pipe: the same answer as from a file, or one line."""

import gzip
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from fairviz.cli._streams import InputFile
from fairviz.experiments.runner import Experiment
from fairviz.reranking.catalogue import RERANKERS
from fairviz.studies import study_of
from tests.cli.conftest import Command
from tests.cli.parsers import parser_of, parsers
from tests.io.bias_files import bbq
from tests.streams import piped, sent

pytestmark = pytest.mark.usefixtures("word_counting")

LINES = """
evaluate long.run --run other.run --qrels long.qrels --groups region.tsv --systems systems.csv -m nDCG@1
evaluate long.run --qrels long.qrels --popularity counts.csv -m ARP@1
evaluate --outputs outputs.jsonl --items items.jsonl --answers predictions.csv -m EAR@1
evaluate long.run --outputs outputs.jsonl --references references.jsonl -m "EU(utility='rougeL')" --format json
convert long.run --output long.parquet
report long.run --qrels long.qrels -k 1 --alpha 1,2
groups long.run region.tsv --target target.json -k 2
grid --outputs along.jsonl -k 1 --systems systems.csv
sample long.run -k 1 --alpha 2 --samples 1 --qrels long.qrels --policy oracle
rerank long.run --method det-greedy --groups region.tsv --target target.json -k 2 --qrels long.qrels
fuse long.run other.run
retrieve corpus.jsonl asked.jsonl --description experiment.toml
label outputs.jsonl alone.jsonl --references references.jsonl --generator s
bias predictions.csv --items items.jsonl --run retrieved.run --groups polarity.tsv --format csv
variants variants.csv --qrels long.qrels
variants long.run other.run long.qrels -k 2 --value long=neutral --value other=race:Asian
vary queries.jsonl --attribute race=Asian
validate long.run --kind run --with long.qrels
experiment check experiment.toml
experiment ask experiment.toml
experiment requests models.toml --output asked
experiment collect models.toml responses.jsonl --output answered
experiment run experiment.toml
"""
"""A command for each argument that is a file, and more; studies read theirs by one function."""

OF_STUDIES = {"pair", "judgements", "groups_by", "table", "chart", "dask"}
"""Such arguments of studies, besides their settings."""
WORDS = {
    "report": {"title"},
    "rerank": {"method", "group", *(option.name for method in RERANKERS for option in method.options)},
    "fuse": {"tag"},
    "retrieve": {"retriever", "set"},
    "label": {"utility", "generator"},
    "vary": {"attributes"},
    "measures": {"names"},
    "app": {"host", "allow_host", "embed_from", "base_path", "sign_in", "max_upload", "session_memory", "workspace"},
}
"""Arguments of each command that are texts and name no file that is read."""

EXPERIMENT = {"corpus": "corpus.jsonl", "queries": "asked.jsonl", "references": "known.jsonl"}
LONG = "x" * 600


def rows(row: str, n: int = 120) -> str:
    """Rows numbered by ``{i}``, three of each ``{q}``; together more than a pipe holds."""
    return "".join(row.replace("{i}", str(i)).replace("{q}", str(i // 3)) + "\n" for i in range(n))


@pytest.fixture(scope="module", autouse=True)
def no_price_of_a_target() -> Iterator[None]:
    """A report of 40 queries without what its target costs: seconds for every file that is piped."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("fairviz.studies.policy_lab.analysis.MOST_QUERIES", 20)
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of files that are each larger than a pipe holds, and than what is looked at to know a file."""
    folder = tmp_path_factory.mktemp("long")
    record = '{"query_id": "q{i}", '
    texts = {
        "long.run": rows(f"q{{q}} Q0 doc-{{i}}-{LONG} 1 -{{i}}.5 long"),
        "other.run": rows(f"q{{q}} Q0 doc-{{i}}-{LONG} {{i}} {{i}}.5 other"),
        "long.qrels": rows(f"q{{q}} 0 doc-{{i}}-{LONG} 1").replace(" 1\n", " 2\n", 50),
        "region.tsv": "doc_id\tregion\n" + rows(f"doc-{{i}}-{LONG}\tnorth").replace("north", "south", 50),
        "counts.csv": "doc_id,count\n" + rows(f"doc-{{i}}-{LONG},{{i}}"),
        "target.json": '{"north": 0.5, "south": 0.5' + " " * 100_000 + "}",
        "outputs.jsonl": rows(record + '"system": "s", "ranking": ["a"], "text": "cool water", "x": "' + LONG + '"}'),
        "alone.jsonl": rows(record + '"system": "s", "ranking": [], "text": "water", "x": "' + LONG + '"}'),
        "worse.jsonl": rows(record + '"system": "w", "ranking": ["a"], "text": "cool water", "x": "' + LONG + '"}'),
        "along.jsonl": rows(
            '{"query_id": "q{q}", "sample": "{i}", "system": "s", "policy": "plackett-luce", "alpha": 2, '
            '"utility": 0.5, "ranking": ["d{i}"], "text": "cool water", "x": "' + LONG + '"}'
        ),
        "systems.csv": "system,task\n" + rows(f"none-{{i}}-{LONG},lamp"),
        "references.jsonl": rows(record + '"answers": ["cool ' + LONG + '"]}'),
        "queries.jsonl": rows(record + '"text": "A patient has a burn: ' + LONG + '?"}'),
        "items.jsonl": "".join(json.dumps(bbq(i, context=f"Two men waited. {LONG}")) + "\n" for i in range(110)),
        "predictions.csv": "model,category,example_id,pred,note\n" + rows(f"m,Age,{{i}},1,{LONG * 2}", 110),
        "retrieved.run": rows(f"q{{q}} Q0 doc-{{i}}-{LONG} {{i}} -{{i}} full-set"),
        "polarity.tsv": "doc_id\tpolarity\n" + rows(f"doc-{{i}}-{LONG}\tstereo").replace("stereo", "anti", 50),
        "variants.csv": "qid,attribute,value,gold,prediction\n"
        + rows(f"q{{i}}-{LONG},sex,f,A,A\nq{{i}}-{LONG},sex,m,A,B", 60),
        "corpus.jsonl": rows('{"doc_id": "d{i}", "text": "cool water {i}", "x": "' + LONG * 5 + '"}', 40),
        "asked.jsonl": '{"query_id": "q", "text": "cool water?", "x": "' + LONG * 150 + '"}\n',
        "known.jsonl": '{"query_id": "q", "answers": ["cool water 7"], "x": "' + LONG * 150 + '"}\n',
    }
    texts["experiment.toml"] = f"# {LONG}\n" * 150 + "\n".join(
        [
            'name = "piped"\nalphas = [2]\nn_samples = 2\nk = 2\nmin_useful = 0',
            *(f'{key} = "{folder / name}"' for key, name in EXPERIMENT.items()),
            f'output = "{folder / "made"}"\nretriever.name = "bm25"',
            'generator.name = "extractive"\nattributor.name = "lexical"\n',
        ]
    )
    texts["judged.qrels"] = rows(f"q 0 d{{i}}-{LONG} 0") + "q 0 d7 1\n"
    texts["models.toml"] = texts["experiment.toml"].replace(
        'generator.name = "extractive"',
        f'policies = ["deterministic"]\nusefulness = "{folder / "judged.qrels"}"\n'
        'generator = {name = "openai", base_url = "http://127.0.0.1:1/v1", model = "none"}',
    )
    for name, text in texts.items():
        assert len(text) > 64 * 1024, name
        (folder / name).write_text(text)
    missing = Experiment(folder / "models.toml").missing()
    assert missing
    (request,) = missing.requests()
    response = {"body": {"choices": [{"message": {"content": "cool water"}}]}, "x": LONG * 150}
    line = json.dumps({"custom_id": request.custom_id, "response": response})
    (folder / "responses.jsonl").write_text(line + "\n")
    return folder


def files_in(line: str) -> Iterator[tuple[str, str]]:
    """Each argument of a command line that is a file, with the word that is one, or holds one."""
    command, *words = shlex.split(line)
    for dest, value in vars(parser_of(command).parse_args(words)).items():
        for word in value if isinstance(value, list) else [value]:
            if isinstance(word, InputFile):
                yield dest, word


NO_DESCRIPTION = "error: experiment: give the description as a file; what it names is looked for beside it"
TOLD: dict[str, tuple[str, str]] = {}
CASES = [(line, file) for line in LINES.strip().splitlines() for _, file in files_in(line)]
FIRST = {line.split()[0]: (line, file) for line, file in reversed(CASES)}
"""One pipe of each command: the others of a command are read by the same lines."""


def test_every_argument_is_known_to_be_a_file_or_none() -> None:
    covered = {
        (command, dest)
        for line in LINES.strip().splitlines()
        for dest, _ in files_in(line)
        for command in (line.split()[0], " ".join(line.split()[:2]))
    }
    covered |= {("app", "files"), ("app", "qrels")}  # the dashboard reads them: tests/app/test_launcher.py
    of_studies = {dest for command, dest in covered if study_of(command)}
    for name, parser in parsers():
        files = {action.dest for action in parser._actions if action.type is InputFile}
        tried = (
            of_studies
            if study_of(name) or name in ("report", "sample", "rerank")
            else {dest for command, dest in covered if command == name}
        )
        assert files == tried, f"{name}: a line for each in LINES"
        texts = {action.dest for action in parser._actions if action.type is None and not action.choices}
        flags = {action.dest for action in parser._actions if action.nargs == 0}
        known = OF_STUDIES | WORDS.get(name, set())
        assert texts - flags - {"output", "output_file"} <= known, f"{name}: InputFile, or named in WORDS"


def undated(text: str) -> str:
    """The same without what a report says of the bytes that it read, and of their names."""
    return re.sub(r"fingerprint \w+|fairviz report .*?</", "", text, flags=re.DOTALL)


@pytest.fixture
def from_files(fairviz: Command, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], tuple[str, str]]:
    """What a line prints and warns of when it is given files."""
    monkeypatch.chdir(folder)

    def told(line: str) -> tuple[str, str]:
        if line not in TOLD:
            done = fairviz(*shlex.split(line))
            assert done.code == 0, done.err
            TOLD[line] = undated(done.out), done.err
        return TOLD[line]

    return told


@pytest.mark.parametrize(
    ("line", "file"),
    [case if case in FIRST.values() else pytest.param(*case, marks=pytest.mark.slow) for case in CASES],
)
def test_a_pipe_gives_what_a_file_gives(
    line: str, file: str, folder: Path, fairviz: Command, from_files: Callable[[str], tuple[str, str]]
) -> None:
    name = file.rpartition("=")[2]
    content = (folder / name).read_bytes()
    words = shlex.split(line)
    with piped(gzip.compress(content, 1)) as path:
        done = fairviz(*(word.replace(name, path) for word in words))
        assert (undated(done.out.replace(path, name)), done.err.replace(path, name)) == from_files(line)
    if file != next(files_in(line))[1]:  # standard input is a stream as another: once for each command
        return
    with sent(content):
        typed = [word.replace(name, "-") for word in words]
        done = fairviz(*typed)
    if file.endswith(".toml") and words[0] == "experiment":
        assert done.refusal == NO_DESCRIPTION
    else:
        called = "standard input"
        said = undated(done.out.replace(called, name))
        assert (said, done.err.replace(called, name)) == from_files(line)


def test_the_inputs_of_an_experiment_may_be_pipes(
    fairviz: Command, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    description = (folder / "experiment.toml").read_text().replace(str(folder / "made"), str(tmp_path / "{}"))
    assert fairviz("experiment", "run", folder / "experiment.toml", "--output", "a").code == 0
    with ExitStack() as pipes:
        for name in EXPERIMENT.values():
            assert str(folder / name) in description
            path = pipes.enter_context(piped((folder / name).read_bytes()))
            description = description.replace(str(folder / name), path)
        Path("piped.toml").write_text(description)
        assert fairviz("experiment", "run", "piped.toml", "--output", "b").code == 0
    made = sorted(path.name for path in Path("a").iterdir())
    assert made == sorted(path.name for path in Path("b").iterdir())
    made.remove("manifest.json")  # it says what the inputs are called
    assert all(Path("a", name).read_bytes() == Path("b", name).read_bytes() for name in made)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("second", ["-", "gpt=-", "/dev/stdin", "/dev/fd/0", "gpt=/proc/self/fd/0"])
def test_standard_input_for_two_arguments_is_refused_before_it_is_read(fairviz: Command, second: str) -> None:
    with sent(b"q1 Q0 a 1 3 one\n"):
        done = fairviz("evaluate", "-", "--qrels", second, "-m", "nDCG@10")
        assert os.read(0, 2) == b"q1"
    alike = f"{second.removeprefix('gpt=')} and standard input are one stream"
    what = "standard input is given twice" if second.endswith("-") else alike
    told = f"error: {what}, which can be read once only: save it in a file, and give that"
    assert done.refusal == told


@pytest.mark.usefixtures("files")
def test_one_fifo_for_two_arguments_is_refused_instead_of_waited_for(fairviz: Command) -> None:
    os.mkfifo("fifo")
    done = fairviz("evaluate", "one.run", "--qrels", "qrels", "--outputs", "fifo", "./fifo", "-m", "nDCG@10")
    assert done.refusal.startswith("error: fifo and ./fifo are one stream")


@pytest.mark.usefixtures("files")
def test_one_file_for_two_arguments_is_read_twice(fairviz: Command) -> None:
    done = fairviz("validate", "one.run", "--kind", "run", "--with", "one.run")
    assert done.errors == ["error: cannot match TREC run with TREC run"]
    assert fairviz("fuse", "one.run", "one.run").code == 0


@pytest.mark.usefixtures("files")
def test_what_names_no_system_is_named_by_its_stream(fairviz: Command) -> None:
    run = b'{"q1": {"a": 2, "b": 1}}'
    with sent(run), piped(run) as path, piped(run) as other:
        done = fairviz("evaluate", "-", path, other, "--qrels", "qrels", "-m", "nDCG@10", "--format", "json")
    names = [row["system"] for row in done.json["tables"]["means"]]
    assert names == ["stdin", f"fd{Path(path).name}", f"fd{Path(other).name}"]
    tagged = b"q1 Q0 a 1 3 one\n"
    with piped(tagged) as path:
        done = fairviz("evaluate", "one.run", path, "--qrels", "qrels", "-m", "nDCG@10", "--format", "json")
    assert [row["system"] for row in done.json["tables"]["means"]] == ["one", f"fd{Path(path).name}"]


@pytest.mark.usefixtures("files")
def test_a_pair_names_standard_input_as_it_was_typed(fairviz: Command, files: Path) -> None:
    with sent((files / "one.run").read_bytes()):
        words = ("--outputs", "bot.jsonl", "--pair", "bot.jsonl=-", "-m", "EAR@2", "--format", "json")
        done = fairviz("evaluate", "-", "two.run", *words)
    assert done.code == 0, done.err


def test_the_shell_gives_what_files_give(folder: Path, from_files: Callable[[str], tuple[str, str]]) -> None:
    line = LINES.strip().splitlines()[0]
    shell = line.replace("evaluate long.run", "cat long.run | fairviz evaluate -")
    shell = shell.replace("long.qrels", "<(gzip -c long.qrels)").replace("region.tsv", "<(cat region.tsv)")
    program = f'fairviz() {{ {shlex.quote(sys.executable)} -m fairviz "$@"; }}; {shell}'
    done = subprocess.run(["bash", "-c", program], cwd=folder, capture_output=True, text=True, check=True)
    assert done.stdout == from_files(line)[0]
