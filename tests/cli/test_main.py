"""Every command: exit codes, one line for an error, nothing on standard output before the end."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from fairviz.cli import study
from fairviz.cli.main import COMMANDS, main
from fairviz.resources import example_folder
from tests.cli.conftest import Command

ROOT = Path(__file__).parents[2]

USAGE = [
    (("evalute",), "unknown command 'evalute'; did you mean evaluate?"),
    (("frobnicate",), "there are: evaluate, compare"),
    (("evaluate", "one.run"), "no measure given"),
    (("evaluate", "-m", "AP"), "nothing to measure"),
    (("evaluate", "one.run", "--qrels", "qrels", "-m", "nDGC@5"), "did you mean nDCG"),
    (("evaluate", "one.run", "-m", "EER@5"), "give --qrels FILE"),
    (("evaluate", "one.run", "--qrels", "qrels", "-m", "EU"), "EU needs recorded outputs"),
    (("evaluate", "one.run", "--qrels", "qrels", "-m", "AP", "--pair", "bot=one"), "--pair bot=one"),
    (("evaluate", "one.run", "--qrels", "=qrels", "-m", "AP"), "GENERATOR=FILE"),
    (("evaluate", "one.run", "--nosuch"), "unrecognized arguments: --nosuch"),
    (("evaluate", "--outputs", "bot.jsonl", "-m", "EU(utility='f1')"), "references"),
    (("tradeoff", "one.run", "-k", "5"), "--qrels"),
    (("tradeoff", "one.run", "--qrels", "qrels", "-k", "5", "--alpha", "0:8"), "lo:hi:n"),
    (("tradeoff", "one.run", "--qrels", "qrels", "-k", "5", "--policy", "best"), "expected one of plackett-luce"),
    (("tradeoff", "one.run", "--qrels", "qrels", "-k", "5", "--offset", "2"), "at most 1"),
    (("tradeoff", "one.run", "--qrels", "qrels", "--attention", "rbp", "--p", "2"), "between 0 and 1"),
    (("sample", "one.run", "-k", "5", "--alpha", "-1"), "at most 1000"),
    (("sample", "one.run", "two.run", "--alpha", "2"), "one run is needed, found 2"),
    (("sample", "one.run", "-k", "5", "--alpha", "2", "--policy", "oracle"), "give --qrels"),
    (("measures", "EEED"), "did you mean EED"),
]

INPUT = [
    (("evaluate", "no.run", "--qrels", "qrels", "-m", "AP"), "error: no.run: file not found"),
    (("evaluate", "one.run", "--qrels", "one.run", "-m", "AP"), "error: one.run (2):1: "),
    (("tradeoff", "bad.run", "--qrels", "qrels", "-k", "5"), "error: bad.run:2: "),
    (("tradeoff", "drawn.run", "--qrels", "qrels", "-k", "5"), "error: curves are made from the scores of runs"),
    (("sample", "drawn.run", "-k", "5", "--alpha", "1"), "error: drawn.run: a sample"),
    (("evaluate", "--outputs", "one.run", "-m", "EU"), "error: one.run"),
]


@pytest.mark.parametrize(("arguments", "reason"), USAGE, ids=lambda x: " ".join(x)[:50])
def test_a_usage_error_is_one_line_and_exit_2(
    fairviz: Command, files: Path, arguments: tuple[str, ...], reason: str
) -> None:
    done = fairviz(*arguments)
    assert (done.code, done.out) == (2, "")
    (line,) = [line for line in done.errors if not line.startswith("warning: ")]
    assert line.startswith("error: ")
    assert reason in line


@pytest.mark.parametrize(("arguments", "start"), INPUT, ids=lambda x: " ".join(x)[:50])
def test_an_input_error_names_file_and_line(
    fairviz: Command, files: Path, arguments: tuple[str, ...], start: str
) -> None:
    (files / "bad.run").write_text("q1 Q0 a 1 3 one\nq1 Q0 b 2 many one\n")
    (files / "drawn.run").write_text("q1 1 a 1 2 x\nq1 2 b 1 2 x\n")
    done = fairviz(*arguments)
    assert (done.code, done.out) == (2, "")
    assert done.errors[-1].startswith(start)


def test_a_fault_of_ours_is_exit_1(fairviz: Command, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("one\nfault")

    monkeypatch.setattr("fairviz.studies.measures.analysis.evaluated", broken)
    arguments = ("evaluate", "one.run", "--qrels", "qrels", "-m", "AP")
    done = fairviz(*arguments)
    assert done.code == 1
    assert done.errors[-1].startswith("error: this is a bug in fairviz: RuntimeError: one fault")
    assert "Traceback" not in done.err
    for debugged in (("--debug", *arguments), (*arguments, "--debug")):
        done = fairviz(*debugged)
        assert (done.code, done.out) == (1, "")
        assert "Traceback" in done.err


def test_a_file_that_a_reader_fails_on_is_exit_1_and_one_line(
    fairviz: Command, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the file and the way to report it; the traceback where it is asked for."""

    def broken(*_: object, **__: object) -> None:
        raise RecursionError("too\ndeep")

    monkeypatch.setattr("fairviz.io.qrels.trec_table", broken)
    arguments = ("evaluate", "one.run", "--qrels", "qrels", "-m", "AP")
    done = fairviz(*arguments)
    assert (done.code, done.out) == (1, "")
    assert done.errors[-1] == (
        "error: qrels: this file could not be read, which is a bug in fairviz (RecursionError: too deep). Report it "
        "to the developers, with the file or a part of it that still fails; other files are unharmed. Run again with "
        "--debug for the traceback"
    )
    assert "Traceback" not in done.err
    assert "Traceback" in fairviz("--debug", *arguments).err


def test_names_cannot_steer_the_terminal(fairviz: Command, files: Path) -> None:
    (files / "odd.run").write_text("q1 Q0 a 1 1 \x1b[31mred\u202e\n")
    (files / "odd.qrels").write_text("q1 0 a 1\n")
    done = fairviz("evaluate", "odd.run", "--qrels", "odd.qrels", "-m", "AP")
    assert done.code == 0
    assert "\x1b" not in done.out + done.err
    assert "\u202e" not in done.out + done.err


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(fairviz: Command, command: str) -> None:
    done = fairviz(command, "--help")
    assert done.code == 0
    assert done.out.startswith(f"usage: fairviz {command}")
    assert done.err == ""


def test_the_help_lists_every_command_and_is_printed_without_one(fairviz: Command) -> None:
    done, bare = fairviz("--help"), fairviz()
    assert (done.code, bare.code, bare.out) == (0, 0, done.out)
    assert all(purpose.split()[0] in done.out and name in done.out for name, purpose in COMMANDS.items())


def test_no_option_is_guessed_from_its_beginning(fairviz: Command, files: Path) -> None:
    assert fairviz("evaluate", "one.run", "--qrel", "qrels", "-m", "AP").code == 2


def run_module(*arguments: str, **how: object) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "fairviz", *arguments]
    return subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, **how)  # type: ignore[call-overload]


def test_a_reader_that_leaves_is_no_error() -> None:
    """``fairviz … | head``: no traceback and no word."""
    demo = str(example_folder() / "bm25.run")
    sample = ("sample", demo, "-k", "5", "--alpha", "1", "--samples", "2000")
    process = run_module(*sample, stdout=subprocess.PIPE)
    assert process.stdout.readline().startswith(b"q01 1 ")
    process.stdout.close()
    said = process.stderr.read().decode()
    process.stderr.close()
    assert process.wait() == 141
    assert [line for line in said.splitlines() if not line.startswith("warning: ")] == []


def test_a_full_disk_is_one_line() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    with Path("/dev/full").open("wb") as full:
        process = run_module("measures", stdout=full)
        _, said = process.communicate()
    assert process.returncode == 2
    assert said.decode() == "error: standard output: No space left on device\n"


def test_interrupted(fairviz: Command, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(study, "loaded_data", stop)
    done = fairviz("evaluate", "one.run", "-m", "AP")
    assert (done.code, done.out, done.err) == (130, "", "error: interrupted\n")


def test_main_takes_the_arguments_of_the_process(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["fairviz", "--version"])
    assert main() == 0
    assert capsys.readouterr().out.startswith("fairviz 0.")


def test_files_stand_before_between_and_behind_options(fairviz: Command, files: Path) -> None:
    orders = (
        ("one.run", "qrels", "-m", "AP"),
        ("one.run", "-m", "AP", "qrels"),
        ("-m", "AP", "--", "one.run", "qrels"),
    )
    together, *mixed = (fairviz("evaluate", "-j", *order) for order in orders)
    assert together.code == 0
    assert [done.out for done in mixed] == [together.out] * 2


def test_an_option_that_is_repeated_replaces_nothing(fairviz: Command, files: Path) -> None:
    """The first of two values is never dropped in silence: an error names both."""
    twice = fairviz("evaluate", "one.run", "--qrels", "qrels", "-m", "AP", "--seed", "0", "--seed", "1")
    assert twice.refusal == (
        "error: --seed is given twice, with 0 and with 1, and takes one value (see fairviz evaluate --help)"
    )
    (files / "provider.tsv").write_text("doc_id\tprovider\na\tx\nb\ty\n")
    (files / "region.tsv").write_text("doc_id\tregion\na\tn\nb\ts\n")
    arguments = ("evaluate", "one.run", "--target", "uniform", "-m", "AWRF@1")
    first, both = (
        fairviz(*arguments, "--groups", *files) for files in (("provider.tsv",), ("provider.tsv", "region.tsv"))
    )
    assert (first.code, first.out) == (0, both.out)  # of several attributes the first is compared
    (files / "people.csv").write_text("doc_id,provider,region\na,x,n\nb,y,s\n")
    assert fairviz(*arguments, "--groups", "people.csv").out == first.out
    of_region = fairviz(*arguments, "--groups", "people.csv", "--groups-by", "region")
    assert of_region.out == fairviz(*arguments, "--groups", "region.tsv").out


def test_grids_of_alpha_that_are_repeated_are_joined(fairviz: Command, files: Path) -> None:
    arguments = ("tradeoff", "one.run", "--qrels", "qrels", "-k", "1", "--format", "csv")
    joined = fairviz(*arguments, "--alpha", "2", "--alpha", "4,2")
    assert (joined.code, joined.out) == (0, fairviz(*arguments, "--alpha", "2,4").out)
    default = fairviz(*arguments)
    assert default.out == fairviz(*arguments, "--alpha", "0:8:33").out


@pytest.mark.usefixtures("files")
def test_short_forms_mean_the_long_ones(fairviz: Command) -> None:
    long = fairviz("evaluate", "one.run", "--qrels", "qrels", "-m", "AP", "--format", "json", "--output", "a")
    short = fairviz("evaluate", "one.run", "-q", "qrels", "-m", "AP", "-j", "-o", "b")
    assert (long.code, short.code) == (0, 0)
    assert Path("a").read_text() == Path("b").read_text()
    assert (
        fairviz("evaluate", "one.run", "-q", "qrels", "-m", "AP", "-j", "-f", "csv")
        .errors[-1]
        .startswith("error: -f is given twice, with json and with csv")
    )


@pytest.mark.parametrize(
    ("line", "words"), [("fairviz ag", {"agreement "}), ("fairviz evaluate --missing-queries ", {"common", "zero"})]
)
def test_a_shell_completes_commands_options_and_their_words(line: str, words: set[str], tmp_path: Path) -> None:
    """As argcomplete's function in a shell asks: it reads the answers from descriptor 8."""
    asked = {"COMP_LINE": line, "COMP_POINT": str(len(line)), "_ARGCOMPLETE": "1", "_ARGCOMPLETE_IFS": "\n"}
    program = f"{shlex.quote(sys.executable)} -m fairviz 8>answers 9>/dev/null"
    subprocess.run(["bash", "-c", program], cwd=tmp_path, env={**os.environ, **asked}, check=False)
    assert words <= set((tmp_path / "answers").read_text().split("\n"))
