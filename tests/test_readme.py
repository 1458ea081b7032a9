"""The README says what the code does: its table of measures, its commands, its Python."""

import re
import shlex
from pathlib import Path

import pytest

from fairviz.cli.main import main
from fairviz.metrics.catalogue import CATALOGUE

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, flags=re.DOTALL | re.MULTILINE)


def shell_commands() -> list[str]:
    """Complete commands of the console blocks, without continuation lines and comments."""
    lines = "\n".join(blocks("console")).replace("\\\n", " ").splitlines()
    return [line for line in lines if line.startswith("fairviz ") and "fairviz app" not in line]


@pytest.mark.parametrize("measure", CATALOGUE.values(), ids=lambda m: m.name)
def test_every_measure_stands_in_the_table(measure) -> None:
    low, high = measure.range
    row = (
        f"| `{measure.name}` | {measure.label}, {measure.title} | {measure.better} "
        f"| {low:g} … {high:g} | {measure.formula} | {measure.citation} |"
    )
    assert row in README.splitlines()


@pytest.fixture(scope="session")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the example; it keeps what commands write into it."""
    folder = tmp_path_factory.mktemp("reader")
    (folder / "data").symlink_to(ROOT / "data")
    return folder


@pytest.mark.parametrize("command", shell_commands())
def test_the_commands_work(
    command: str,
    reader: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Each as typed; those before it that make what it reads are run once."""
    monkeypatch.chdir(reader)
    earlier = shell_commands()[: shell_commands().index(command)]
    for line in (*(c for c in earlier if ">" in c), command):
        arguments, _, output = line.removeprefix("fairviz ").partition(">")
        if line != command and Path(output.strip()).exists():
            continue
        code = main(shlex.split(arguments))
        done = capsys.readouterr()
        assert code == 0, done.err
        assert done.out
        if output:
            Path(output.strip()).write_text(done.out, encoding="utf-8")


@pytest.mark.parametrize("program", blocks("python"))
def test_the_python_prints_what_it_says(
    program: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    exec(compile(program, "README.md", "exec"), {})
    said = re.findall(r"# prints (.*)", program)
    assert capsys.readouterr().out.splitlines() == said


def test_pictures_and_files_exist() -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / target).exists(), target
