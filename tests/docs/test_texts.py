"""What README and documentation show is real: tables, commands and what they print, Python, links.

``console`` blocks are run, and the ``text`` block below one is what they print ("…" stands for anything); ``sh``
blocks, which need a network, a model or a server, are held against the options that there are; ``pycon`` blocks are
doctests, ``python`` blocks are run, ``py`` blocks, which need what is not installed, are Python.
"""

import ast
import doctest
import re
import shlex
import shutil
import subprocess
import tomllib
import warnings
from itertools import chain, takewhile
from pathlib import Path

import pytest

from data.make_demo.collection import made
from docs.generated import filled
from fairviz import __version__
from fairviz.cli._options import Parser
from fairviz.cli.main import COMMANDS, add_command, main
from fairviz.display.methods import bibliography, citations, works
from fairviz.errors import DataWarning
from fairviz.experiments.config import KINDS, read_config
from fairviz.metrics.catalogue import CATALOGUE, parse_measure
from tests.cli.parsers import parsers
from tests.docs.blocks import DOCS, ROOT, Block, blocks_of, prose
from tests.golden.commands import PAGE
from tests.own import nothing_added

__all__ = ["nothing_added"]

README = ROOT / "README.md"
LINES = README.read_text(encoding="utf-8").splitlines()
PAGES = [README, *sorted(DOCS.rglob("*.md"))]
SHOWN = ("console", "text", "pycon", "says")
"""Blocks whose numbers a test has seen."""


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


def commands(block: Block) -> list[str]:
    """Complete commands of a block, without continuation lines and comments."""
    return [line for line in block.text.replace("\\\n", " ").splitlines() if line.startswith("fairviz ")]


def is_run(command: str) -> bool:
    """All but the one that ends when somebody stops it."""
    return not command.startswith("fairviz app")


HELD = README, PAGE
"""Their commands are run, and what they print is held, by tests/golden."""
RUN = [
    page for page in PAGES if page not in HELD and any(map(is_run, chain(*map(commands, blocks_of(page, "console")))))
]


def test_the_table_of_questions_names_measures_and_commands_that_there_are() -> None:
    table = LINES[LINES.index("| which measure answers my question | write | better |") + 2 :]
    rows = list(takewhile(lambda line: line.startswith("|"), table))
    assert len(rows) >= 8
    for row in rows:
        _, written, better = (cell.strip() for cell in row.strip("|").split("|"))
        for text, direction in zip(re.findall(r"`(.*?)`", written), better.split("; ") * 2, strict=False):
            if text.startswith("fairviz "):
                assert text.removeprefix("fairviz ") in COMMANDS
            else:
                assert CATALOGUE[parse_measure(text).name].better == direction


GLOBS = ("*.run", "*.qrels", "*.csv")
"""Ends of words that a shell would replace by files."""


def matching(word: str) -> list[str]:
    """The files that a shell would put in place of a word, else the word."""
    return sorted(map(str, Path().glob(word))) if word.endswith(GLOBS) else [word]


def beside(block: Block) -> None:
    """Run what stands among the commands and is none of fairviz's; LaTeX where there is one."""
    for line in block.text.splitlines():
        if line.startswith("python -m data.make_demo.collection "):
            made(Path(line.split()[-1]))
        if line.startswith("pdflatex ") and shutil.which("pdflatex"):
            subprocess.run([*line.split(), "-halt-on-error"], check=True, capture_output=True)


@pytest.mark.parametrize("page", RUN, ids=named)
def test_commands_print_what_is_shown(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """All of a page in their order, in a folder with the example."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").symlink_to(ROOT / "data")
    everything = blocks_of(page)
    for block, after in zip(everything, [*everything[1:], None], strict=True):
        if block.language == "latex":
            Path(block.given).write_text(block.text, encoding="utf-8")
        if block.language != "console":
            continue
        said = ""
        beside(block)
        for command in filter(is_run, commands(block)):
            typed, _, output = command.removeprefix("fairviz ").partition(" > ")
            words = shlex.split(typed, comments=True)
            code = main([file for word in words for file in matching(word)])
            done = capsys.readouterr()
            assert code == 0, f"{page}:{block.line}: {command}: {done.err}"
            if output:
                Path(output.strip()).write_text(done.out, encoding="utf-8")
            else:
                assert done.out or "--output" in typed
                said += done.out
        if after is not None and after.language == "text":
            agrees = doctest.OutputChecker().check_output(
                after.text.replace("…", "..."), said, doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
            )
            assert agrees, f"{page}:{after.line}: the commands above print\n{said}"


@pytest.mark.usefixtures("nothing_added")
@pytest.mark.parametrize("page", [page for page in PAGES if blocks_of(page, "pycon", "python")], ids=named)
def test_python_gives_what_is_shown(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One session per page; what a program prints stands behind ``# prints``."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").symlink_to(ROOT / "data")
    warnings.simplefilter("ignore", DataWarning)  # the example has ties, and says so
    session: dict[str, object] = {"__name__": "__main__"}
    for block in blocks_of(page, "pycon", "python"):
        if block.language == "python":
            exec(compile(block.text, f"{page}:{block.line}", "exec"), session)
            said = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
            assert said == re.findall(r"# prints (.*)", block.text)
            continue
        case = doctest.DocTestParser().get_doctest(
            block.text.replace("…", "..."), session, named(page), str(page), block.line
        )
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
        failed = runner.run(case, clear_globs=False).failed
        assert not failed, capsys.readouterr().out
        session = case.globs


@pytest.mark.parametrize("page", [page for page in PAGES if blocks_of(page, "py")], ids=named)
def test_python_that_is_not_run_is_python(page: Path) -> None:
    for block in blocks_of(page, "py"):
        ast.parse(block.text)


@pytest.mark.parametrize("page", [page for page in PAGES if any(map(commands, blocks_of(page, "sh")))], ids=named)
def test_commands_that_are_not_run_have_real_options(page: Path) -> None:
    whole = Parser(prog="fairviz").add_subparsers(parser_class=Parser)
    for block in blocks_of(page, "sh"):
        for command in commands(block):
            name, *rest = shlex.split(command.removeprefix("fairviz ").partition(" > ")[0], comments=True)
            assert name in COMMANDS, command
            if name not in whole.choices:
                add_command(whole, name)
            whole.choices[name].parse_args(rest)


def test_options_in_sentences_are_there() -> None:
    options = {option for _, parser in parsers() for action in parser._actions for option in action.option_strings}
    others = {"--version", "--debug", "--env", "--memory", "--junitxml", "--log_samples"}  # docker, pytest, lm-eval
    for page in PAGES:
        for code in re.findall(r"`((?:fairviz |--)[^`\n]+)`", prose(page)):
            assert {*re.findall(r"(?<![\w-])--[a-z][a-z_-]+", code)} <= options | others, f"{named(page)}: {code}"


def experiments(page: Path) -> list[Block]:
    return [block for block in blocks_of(page, "toml") if re.search(r"^kind = ", block.text, flags=re.MULTILINE)]


@pytest.mark.parametrize("page", [page for page in PAGES if experiments(page)], ids=named)
def test_descriptions_of_experiments_are_understood(page: Path, tmp_path: Path) -> None:
    for file in (ROOT / "data" / "demo").glob("*.jsonl"):
        (tmp_path / file.name).symlink_to(file)
    for block in experiments(page):
        (tmp_path / "study.toml").write_text(block.text, encoding="utf-8")
        read_config(tmp_path / "study.toml")


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_pictures_and_files_exist(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", prose(page)):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", sorted((DOCS / "tutorials").glob("*.md")), ids=named)
def test_every_number_of_a_tutorial_was_seen(page: Path) -> None:
    """A decimal or a percentage in a sentence stands in a block whose output is tested."""
    shown = " ".join(block.text for block in blocks_of(page, *SHOWN))
    numbers = re.findall(r"\d+\.\d+|\d+(?=\s%)", re.sub(r"`[^`]*`", "", prose(page)))
    assert [number for number in numbers if not re.search(rf"(?<![\d.]){re.escape(number)}(?!\d)", shown)] == []


def test_every_key_of_a_study_stands_in_the_reference() -> None:
    table = filled((DOCS / "reference" / "experiments.md").read_text(encoding="utf-8"))
    assert "| `max_failures` | all | `0.05` | Share of the answers of a round that may be missing" in table
    assert "| `corpus.polarity` | bias |" in table
    for models in KINDS.values():
        for field, key in (
            (field, field.alias or name) for model in models for name, field in model.model_fields.items()
        ):
            assert f"| `{key}` | " in table, field
    assert "| `b` | retriever `bm25` | `0.75` | How strongly long documents are held back. |" in table


def test_every_work_of_the_bibliography_is_cited_and_every_key_is_of_a_work() -> None:
    folders = ("fairviz", "docs", "pages")
    texts = [
        path
        for folder in folders
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".py", ".md", ".txt", ".yaml"}
    ]
    written = "\n".join(path.read_text(encoding="utf-8") for path in [ROOT / "README.md", *texts])
    for work in works().values():
        name, year = re.split(r" et al\.| & | \(", work.short)[0], re.findall(r"year = {(.*?)}", work.bibtex)[0]
        by_name = re.search(rf"\b{name}\b[^\n]{{0,120}}{year}", written)
        assert by_name or f'"{work.key}"' in written, work.key
        assert work.bibtex.count("{") == work.bibtex.count("}")
        assert f"{{{work.key}," in work.bibtex
    cited = set(re.findall(r"\b[a-z]+20\d\d[a-z]+\b", written))
    assert cited <= {*works()}
    assert {"kim2025fairrag", "gao2022fair"} <= cited


def test_the_works_that_measures_rest_on_are_named_as_running_text_does() -> None:
    assert [citation.short for citation in citations()] == [
        "Kim & Diaz (2025)",
        "Diaz et al. (2020)",
        "Raj et al. (2020)",
        "Gao et al. (2022)",
        "fairviz",
        "Zhang et al. (2026)",
        "Ji et al. (2025)",
        "Parrish et al. (2022)",
    ]
    printed = bibliography()
    assert all(f"{{{citation.key}," in printed for citation in citations())
    assert f"version = {{{__version__}}}" in printed
    assert "10.1145/3731120.3744599" in printed
    assert "annote" not in printed


def test_the_promised_pythons_are_the_tested_ones() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    promised = {text.rpartition(" ")[2] for text in project["classifiers"] if re.search(r"Python :: 3\.\d+$", text)}
    others = re.search(r"^OTHER_PYTHONS := (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert others
    assert promised == {"3.11", *others[1].split()}
