"""Where results go: ``--output FILE`` is whole or as it was, closed streams and emptied inputs are said in one line."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from fairviz.cli._options import LARGEST, whole_number
from fairviz.cli.main import COMMANDS
from fairviz.io import whole
from fairviz.numerals import THIN, count
from fairviz.resources import example_folder
from fairviz.studies import STUDIES
from tests.cli.conftest import Command
from tests.cli.parsers import parsers
from tests.experiments.tiny import tiny_toml
from tests.lines import write_lines

ROOT = Path(__file__).parents[2]

PRINTING = {
    **{study.command: ("one.run", "qrels") for study in STUDIES},
    "evaluate": ("one.run", "--qrels", "qrels", "-m", "AP"),
    "compare": ("one.run", "two.run", "--qrels", "qrels", "-m", "P@1"),
    "grid": ("one.run", "two.run", "--qrels", "qrels", "-k", "1", "--alpha", "1,2"),
    "report": ("one.run", "two.run", "--qrels", "qrels", "-k", "1", "-m", "P@1", "--alpha", "1,2"),
    "tradeoff": ("one.run", "--qrels", "qrels", "-k", "2", "--alpha", "1", "--format", "csv"),
    "sample": ("one.run", "-k", "2", "--alpha", "1", "--samples", "3"),
    "rerank": ("one.run", "--method", "det-greedy", "--groups", "groups.tsv", "--target", "uniform"),
    "fuse": ("one.run", "two.run"),
    "retrieve": ("corpus.jsonl", "questions.jsonl", "--retriever", "bm25"),
    "label": ("answers.jsonl",),
    "bias": ("answers.csv", "--items", "items.jsonl", "--format", "json"),
    "variants": ("recorded.csv", "--table", "groups", "--format", "csv"),
    "vary": ("questions.jsonl",),
    "queries": ("one.run", "qrels", "-k", "1", "--format", "csv"),
    "attribution": ("answers.jsonl", "-k", "1"),
    "groups": ("one.run", "groups.tsv", "-k", "2", "--table", "shares"),
    "policy-lab": ("one.run", "qrels", "groups.tsv", "-k", "2", "--method", "det-cons", "--format", "csv"),
    "check": ("one.run", "qrels", "--limits", "P@1 >= 0.2"),
    "ranks": ("one.run", "--qrels", "qrels", "--groups", "groups.tsv", "--depth", "2"),
    "agreement": ("one.run", "two.run", "--qrels", "qrels", "-m", "AP", "--format", "json"),
    "validate": ("one.run", "--kind", "run"),
    "measures": ("EED", "--format", "latex"),
}
"""Every command that prints results, with arguments that it takes; usually a study takes a run and judgements."""


def test_every_command_that_prints_results_is_tried() -> None:
    assert set(PRINTING) == set(COMMANDS) - {
        "convert",
        "experiment",
        "figure",
        "app",
    }  # which write files, those of their list, and serve pages


@pytest.mark.parametrize("command", PRINTING)
def test_output_holds_what_would_be_printed(fairviz: Command, inputs: Path, command: str) -> None:
    arguments = (command, *PRINTING[command])
    printed = fairviz(*arguments)
    assert (printed.code, printed.out == "") == (0, False), printed.err
    for name in ("results", "results", "-") if command == "evaluate" else ("results",):
        done = fairviz(*arguments, "--output", name)
        assert (done.code, done.err) == (0, printed.err)
        assert done.out == (printed.out if name == "-" else "")
        assert (inputs / "results").read_text(encoding="utf-8") == printed.out
    assert not list(inputs.glob(".*"))


@pytest.mark.parametrize(("command", "own"), [("rerank", "one.run"), ("fuse", "two.run"), ("sample", "one.run")])
def test_the_output_may_be_an_input(fairviz: Command, inputs: Path, command: str, own: str) -> None:
    printed = fairviz(command, *PRINTING[command])
    assert fairviz(command, *PRINTING[command], "--output", own).code == 0
    assert (inputs / own).read_text() == printed.out


def test_an_error_leaves_the_output_as_it_was(fairviz: Command, inputs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (inputs / "results").write_text("old")
    (inputs / "bad.run").write_text("q1 Q0 a 1 many one\n")
    for arguments in (("sample", "bad.run", "-k", 2, "--alpha", 1), ("evaluate", "one.run", "-m", "nDGC")):
        done = fairviz(*arguments, "--output", "results")
        assert (done.code, done.out) == (2, "")
    monkeypatch.setattr(whole.os, "replace", _refuse_replacing)
    done = fairviz("measures", "--output", "results")
    assert (done.code, done.errors) == (
        2,
        ["error: results: no space is left on the disk. Free some, or name a file on another disk."],
    )
    assert (inputs / "results").read_text() == "old"
    assert not list(inputs.glob(".*"))


def _refuse_replacing(*_: object) -> None:
    raise OSError(28, "No space left on device")


def test_what_cannot_be_written_is_said_before_the_work(fairviz: Command, inputs: Path) -> None:
    for output, reason in {
        "no/results": "no/results: its folder does not exist. Make it first: mkdir -p ",
        ".": ".: is a folder. Name a file in it.",
        "": "--output: expected the name of a file",
    }.items():
        refusal = fairviz("evaluate", "no-such.run", "-m", "AP", "--output", output).refusal
        assert refusal.startswith(f"error: {reason}")


def started(*arguments: str, cwd: Path, **streams: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "fairviz", *arguments]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=cwd, env=environment, check=False, text=True, **streams)  # type: ignore[call-overload]


def test_an_input_that_the_shell_has_emptied_is_named(inputs: Path) -> None:
    with (inputs / "one.run").open("wb") as emptied:
        done = started("evaluate", "one.run", "-m", "AP", cwd=inputs, stdout=emptied, stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert done.stderr == (
        "error: one.run is the output, too, and the shell has emptied it: bring it back, then use --output one.run\n"
    )


CLOSED = """
import os, sys
os.chdir(sys.argv[1])
def ends(closed, *arguments):
    child = os.fork()
    if not child:
        for number in closed:
            os.close(number)
        os.execv(sys.executable, [sys.executable, "-m", "fairviz", *arguments])
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
print(ends([1], "measures", "EED"), flush=True)
print(ends([0, 1, 2], "measures", "EED", "--output", "results"), flush=True)
print(ends([2], "no-such-command"), flush=True)
"""


def test_closed_streams_are_no_fault(inputs: Path) -> None:
    """The file of results never gets the number of a closed stream, so that nothing else lands in it."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", CLOSED, str(inputs)], env=environment, check=True, capture_output=True, text=True
    )
    assert done.stdout.split() == ["2", "0", "2"]
    reason = "standard output is closed, nobody would see the results: name a file with --output FILE"
    assert done.stderr == f"error: {reason}\n"
    assert (inputs / "results").read_text(encoding="utf-8").startswith("Measures of fairviz\n")


def test_what_is_for_files_is_not_printed_to_a_terminal(
    fairviz: Command, inputs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    for how in ("html", "bundle"):
        refused = fairviz("report", inputs / "a.run", "--format", how).refusal
        assert refused == f"error: {how} is not for a terminal: name a file with --output FILE (- is the terminal)"


CHILD = """
import os, signal, sys
from data.make_demo import register
from fairviz.cli.main import main
from fairviz.io import whole
register()
call, nth, *arguments = sys.argv[1:]
seen, real = [], getattr(os, call)
def kill(*given):
    seen.append(given)
    if len(seen) == int(nth):
        os.kill(os.getpid(), signal.SIGKILL)
    return real(*given)
setattr(whole.os, call, kill)
sys.exit(main(arguments))
"""
KILLED = """
import os, subprocess, sys
from pathlib import Path
child = sys.argv[2]
os.chdir(sys.argv[1])
heard = os.dup(1)
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # lists of files that were made
def dies(call, nth, *arguments):
    return subprocess.run([sys.executable, "-c", child, call, str(nth), *arguments], check=False).returncode
def state(folder):
    return {path.name: path.read_bytes() for path in Path(folder).iterdir() if not path.name.startswith(".")}
sample = ("sample", "one.run", "-k", "2", "--alpha", "1")
run = ("experiment", "run", "tiny.toml", "--output")
os.mkdir("made")
assert dies("replace", 99, *sample, "--output", "drawn.run") == 0
assert dies("replace", 99, *run, "whole") == 0
drawn, finished = Path("drawn.run").read_bytes(), state("whole")
assert "manifest.json" in finished
first = (*sample, "--output", "made/drawn.run")
again = (*sample, "--seed", "2", "--output", "made/drawn.run")
for call in ("fsync", "replace"):
    assert dies(call, 1, *first) == -9 and state("made") == {}, call
assert dies("replace", 9, *first) == 0
assert state("made") == {"drawn.run": drawn}
for call in ("fsync", "replace"):
    assert dies(call, 1, *again) == -9 and state("made") == {"drawn.run": drawn}, call
assert dies("replace", 9, *again) == 0
assert os.listdir("made") == ["drawn.run"] and state("made") != {"drawn.run": drawn}
for nth in (1, len(finished) - 1, len(finished)):
    folder = f"killed-{nth}"
    assert dies("replace", nth, *run, folder) == -9, nth
    left = state(folder)
    assert len(left) == nth - 1 and "manifest.json" not in left and left.items() <= finished.items(), nth
    assert dies("replace", 99, *run, folder) == 0
    assert state(folder) == finished and sorted(os.listdir(folder)) == sorted(finished), nth
os.write(heard, b"survived")
"""


@pytest.mark.slow
def test_a_killed_command_leaves_the_old_file_or_none(inputs: Path) -> None:
    """Killed at every point of writing; the next run ends, with the bytes of one that was never killed."""
    texts = ("Cool a burn with water.", "Cool the burn, then cover it with water.", "Bees sleep.")
    write_lines(
        inputs,
        corpus=[{"doc_id": str(i), "title": "-", "text": text} for i, text in enumerate(texts, 1)],
        queries=[{"query_id": "1", "text": "How do I cool a burn?"}],
        references=[{"query_id": "1", "answers": ["Cool it with water, then cover it."]}],
    )
    (inputs / "tiny.toml").write_text(tiny_toml("alphas = [2]", "n_samples = 2", "k = 1", "min_useful = 0"))
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(inputs), CHILD], env=environment, check=False, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, "survived"), done.stderr


def numbers() -> Iterator[tuple[str, str, whole_number]]:
    """Command, option and type of every whole number that a command takes."""
    for command, parser in parsers():
        for action in parser._actions:
            if isinstance(action.type, whole_number):
                yield command, action.option_strings[-1], action.type


def test_every_number_names_its_limits(fairviz: Command) -> None:
    found = [*numbers()]
    assert len(found) > 20
    for command, option, accepted in found:
        below = [] if accepted.low == 0 else [str(accepted.low - 1)]
        for text in (*below, str(accepted.high + 1), "9" * 10_000, "1" + "0" * 30, "-1", "1.0", "¹", ""):
            refusal = fairviz(*command.split(), f"{option}={text}").refusal
            assert option in refusal
            assert f"at least {accepted.low} and at most {count(accepted.high).replace(THIN, ' ')}" in refusal
            assert len(refusal) < 250


@pytest.mark.slow
def test_the_largest_numbers_are_no_fault(fairviz: Command, inputs: Path) -> None:
    """Cutoffs beyond all lists, and seeds as large as they may be."""
    for command, option, accepted in numbers():
        if option in {"--samples", "--repeats"} or command not in PRINTING:
            continue
        done = fairviz(command, *PRINTING[command], option, accepted.high)
        assert done.code in {0, 2}, (command, option, done.err)
    fa_ir = ("rerank", "one.run", "--method", "fa-ir", "--groups", "groups.tsv", "--target", "uniform")
    assert fairviz(*fa_ir, "-k", LARGEST).out == fairviz(*fa_ir).out


def test_what_does_not_fit_into_memory_is_said(fairviz: Command, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def exhausted(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("fairviz.cli.rankings.drawn_by_query", exhausted)
    done = fairviz("sample", "one.run", "-k", 2, "--alpha", 1)
    assert (done.code, done.out) == (2, "")
    assert done.errors[-1].startswith("error: this does not fit into memory")


@pytest.mark.parametrize(
    ("ending", "how"),
    [("csv", "csv"), ("json", "json"), ("tex", "latex"), ("md", "markdown"), ("html", "html"), ("txt", "text")],
)
def test_the_name_of_the_output_says_its_format(fairviz: Command, inputs: Path, ending: str, how: str) -> None:
    arguments = ("evaluate", *PRINTING["evaluate"])
    printed = fairviz(*arguments, "--format", how).out
    assert fairviz(*arguments, "--output", f"results.{ending}").code == 0
    assert (inputs / f"results.{ending}").read_text() == printed


def test_a_table_as_parquet_has_the_rows_of_its_json(fairviz: Command, inputs: Path) -> None:
    arguments = ("evaluate", *PRINTING["evaluate"])
    means, rows = (json.loads(fairviz(*arguments, "-j").out)["tables"][stem] for stem in ("means", "per-query"))
    assert fairviz(*arguments, "--output", "a.parquet").code == 0
    assert pl.read_parquet(inputs / "a.parquet").to_dicts() == means
    assert fairviz(*arguments, "--output", "a.parquet", "--table", "per-query").code == 0
    assert pl.read_parquet(inputs / "a.parquet").to_dicts() == rows
    refused = fairviz(*arguments, "--table", "means,per-query", "--format", "parquet")
    assert refused.errors == ["error: --format parquet prints one table: choose of means, per-query"]


def test_html_is_a_page_of_all_that_was_found_and_of_a_named_table_that_table(fairviz: Command) -> None:
    files = (example_folder() / name for name in ("bm25.run", "usefulness.qrels"))
    arguments = ("evaluate", *files, "-m", "nDCG@5", "--format", "html")
    page, table = fairviz(*arguments).out, fairviz(*arguments, "--table", "means").out
    title = json.loads(fairviz(*arguments[:-1], "json").out)["findings"][0]["title"]
    assert page.startswith("<!doctype html>")
    assert f"<h2>{title}</h2>" in page
    assert page.index('class="chart"') < page.index("<caption>")
    assert table.startswith('<div class="scroll"')
    assert table.count("<table>") == 1


def test_a_format_that_is_asked_for_goes_before_the_name(fairviz: Command, inputs: Path) -> None:
    arguments = ("evaluate", *PRINTING["evaluate"])
    table = fairviz(*arguments).out
    for words in (("--format", "text", "--output", "a.csv"), ("--output", "a.csv", "--format", "text")):
        assert fairviz(*arguments, *words).code == 0
        assert (inputs / "a.csv").read_text() == table
