"""``fairviz validate``: exit codes, one line of text, the JSON object that scripts read."""

from pathlib import Path

import pytest

from tests.cli.conftest import Command, Done

RUN = "q1 Q0 a 1 2.0 bm25\nq1 Q0 b 2 1.0 bm25\nq2 Q0 a 1 2.0 bm25\n"
QRELS = "q1 0 a 1\nq1 0 b 0\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "a.run").write_text(RUN)
    (tmp_path / "one.run").write_text("q1 Q0 a 1 2 one\n")
    (tmp_path / "a.qrels").write_text(QRELS)
    (tmp_path / "other.qrels").write_text("001 0 a 1\n")
    (tmp_path / "region.tsv").write_text("doc_id\tregion\na\tnorth\nb\tsouth\n")
    (tmp_path / "target.json").write_text('{"north": 0.5, "east": 0.5}')
    (tmp_path / "out.jsonl").write_text('{"query_id": "q1", "ranking": ["a"], "text": "t"}\n')
    (tmp_path / "nothing.csv").write_text("x,y\n1,2\n")
    (tmp_path / "corpus.jsonl").write_text('{"doc_id": "a", "text": "words"}\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("a.run", "TREC run; 2 queries, 3 rows, 2 documents"),
        ("one.run", "TREC run; 1 query, 1 row, 1 document"),
        ("target.json", "target for 2 groups; 2 groups"),
        ("corpus.jsonl", "corpus: 1 text"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_content_says_what_a_file_is(fairviz: Command, file: str, line: str) -> None:
    assert fairviz("validate", file) == Done(0, f"{file}: {line}\n", "")


@pytest.mark.usefixtures("folder")
def test_the_json_object(fairviz: Command) -> None:
    done = fairviz("validate", "a.run", "--kind", "run", "--with", "a.qrels", "--format", "json")
    message = "query q2 is not in the qrels: ignored"
    assert done.json == {
        "schema": 2,
        "file": "a.run",
        "kind": "run",
        "format": "TREC run",
        "with": "a.qrels",
        "summary": {"queries": 2, "rows": 3, "documents": 2},
        "warnings": [{"file": "a.run", "line": 3, "message": message}],
    }
    assert (done.code, done.err) == (0, f"warning: a.run:3: {message}\n")


@pytest.mark.parametrize(
    ("kind", "file", "against", "warning"),
    [
        ("qrels", "a.qrels", "a.run", "a.run:3: query q2 is not in the qrels: ignored"),
        ("groups", "region.tsv", "target.json", "region.tsv:3: group south has no target share"),
        ("target", "target.json", "region.tsv", "region.tsv:3: group south has no target share"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_either_file_may_come_first(fairviz: Command, kind: str, file: str, against: str, warning: str) -> None:
    done = fairviz("validate", file, "--kind", kind, "--with", against)
    assert (done.code, "warning" in done.out) == (0, True)
    assert f"warning: {warning}" in done.errors


@pytest.mark.parametrize(
    ("command", "error"),
    [
        ("a.qrels --kind run", "a.qrels:1: expected 6 columns, found 4 (this looks like a qrels"),
        ("a.run --kind run --with other.qrels", "a.run: no query in common with the qrels"),
        ("none.run --kind run", "none.run: file not found"),
        ("a.run --kind archive", "a.run: not an archive"),
        ("a.run --kind bias", "argument --kind: invalid choice: 'bias'"),
        ("nothing.csv", "nothing.csv:1: format not recognised: x,y"),
        ("a.run --kind run --format csv", "argument -f/--format: invalid choice: 'csv'"),
        ("out.jsonl --kind rag --with target.json", "cannot match"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_errors_are_one_line_and_nothing_is_printed(fairviz: Command, command: str, error: str) -> None:
    assert error in fairviz("validate", *command.split()).refusal


def test_items_are_counted_within_categories(fairviz: Command, files: Path) -> None:
    """Three items: ids start anew in each category, and two models answer Age 0."""
    (files / "two.csv").write_text("model,category,example_id,pred\na,Age,0,1\nb,Age,0,1\na,Age,1,1\na,SES,0,2\n")
    done = fairviz("validate", "two.csv", "--kind", "predictions")
    assert done.code == 0
    assert "4 answers, 3 items" in done.out


def test_a_very_long_cell_is_read(fairviz: Command, files: Path) -> None:
    (files / "long.csv").write_text(
        f'qid,attribute,value,gold,prediction\nq,race,a,A,"{"x" * 200_000}"\nq,race,b,A,B\n'
    )
    done = fairviz("validate", "long.csv", "--kind", "predictions")
    assert (done.code, done.out.count("2 answers, 2 groups, 1 not read")) == (0, 1)
