"""The command line in this process, and small files to give it."""

import csv
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from fairviz.cli.main import main
from tests.io.bias_files import bbq
from tests.lines import write_lines


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        def refuse(word: str) -> None:
            raise AssertionError(f"{word} is no JSON")

        return json.loads(self.out, parse_constant=refuse)

    @property
    def csv(self) -> list[dict[str, str]]:
        return list(csv.DictReader(io.StringIO(self.out), strict=True))

    @property
    def refusal(self) -> str:
        """The one line with which a command refuses, printing nothing."""
        assert (self.code, self.out, len(self.errors)) == (2, "", 1), self.err
        assert self.err.startswith("error: ")
        return self.errors[0]

    @property
    def errors(self) -> list[str]:
        return self.err.splitlines()


Command = Callable[..., Done]


@pytest.fixture
def fairviz(capsys: pytest.CaptureFixture[str]) -> Command:
    """``fairviz("tradeoff", "a.run", "-k", 5)`` → code, standard output, standard error."""

    def run(*arguments: object) -> Done:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        said = capsys.readouterr()
        return Done(code, said.out, said.err)

    return run


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to stand in: two runs, judgements, answers that cite, references."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.run").write_text(
        "q1 Q0 a 1 3 one\nq1 Q0 b 2 2 one\nq1 Q0 c 3 1 one\nq2 Q0 b 1 2 one\nq2 Q0 a 2 1 one\nq9 Q0 a 1 1 one\n"
    )
    (tmp_path / "two.run").write_text("q1 Q0 c 1 2 two\nq1 Q0 a 2 1 two\nq2 Q0 a 1 1 two\n")
    (tmp_path / "qrels").write_text("q1 0 a 2\nq1 0 d 0\nq2 0 a 1\nq2 0 b 0\nq3 0 a 1\n")
    outputs = [
        {"query_id": "q1", "sample": "1", "ranking": ["a", "b"], "text": "yes", "utility": 0.5, "attributed": ["a"]},
        {"query_id": "q1", "sample": "2", "ranking": ["b", "c"], "text": "no", "utility": 1, "attributed": ["b", "c"]},
        {"query_id": "q2", "sample": "1", "ranking": ["a", "b"], "text": "no", "attributed": []},
    ]
    right = [{"query_id": "q1", "answers": ["yes"]}]
    write_lines(tmp_path, bot=({"system": "bot", **each} for each in outputs), right=right)
    return tmp_path


@pytest.fixture
def inputs(files: Path) -> Path:
    """More files for the commands: groups, a corpus with questions, answers to items."""
    (files / "groups.tsv").write_text("doc_id\tgroup\na\tx\nb\ty\nc\tx\n")
    corpus = [{"doc_id": f"d{i}", "text": text} for i, text in enumerate(("Sleep well.", "Eat well.", "Run."))]
    answers = [
        {"query_id": "1", "sample": str(i), "ranking": ["d"] * i, "text": "x", "utility": i / 2} for i in range(2)
    ]
    questions = [{"query_id": "1", "text": "How do I sleep?"}]
    items = [bbq(0, ans0="Ann", ans1="Bob", ans2="Unknown", question="Who forgot?")]
    write_lines(files, corpus=corpus, answers=answers, questions=questions, items=items)
    (files / "answers.csv").write_text("model,category,example_id,pred\nm,Age,0,2\n")
    (files / "recorded.csv").write_text("qid,attribute,value,gold,prediction\n1,race,Asian,A,A\n1,race,Black,A,A\n")
    return files
