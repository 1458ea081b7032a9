"""The README says what the code does: its table of measures, its commands, its Python."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

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


@pytest.mark.parametrize("command", shell_commands())
def test_the_commands_work(command: str, tmp_path: Path) -> None:
    """Each as typed, in a folder with the example; those before it make what it reads."""
    (tmp_path / "data").symlink_to(ROOT / "data")
    earlier = shell_commands()[: shell_commands().index(command)]
    for line in (*(c for c in earlier if ">" in c), command):
        arguments, _, output = line.removeprefix("fairviz ").partition(">")
        done = subprocess.run(
            [sys.executable, "-m", "fairviz", *shlex.split(arguments)],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout
        if output:
            (tmp_path / output.strip()).write_text(done.stdout, encoding="utf-8")


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
