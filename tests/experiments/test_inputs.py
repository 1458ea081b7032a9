from pathlib import Path

import pytest

from fairviz.errors import InputError
from fairviz.experiments.protocols import Document
from fairviz.experiments.questions import read_documents


def file(folder: Path, *lines: str) -> Path:
    path = folder / "x.jsonl"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_documents_in_file_order_with_their_titles_apart(tmp_path: Path) -> None:
    path = file(
        tmp_path,
        '{"doc_id": "b", "title": "B", "text": "bee", "source": "left alone"}',
        '{"doc_id": "a", "text": "ay"}',
    )
    assert read_documents(path).value == [Document("b", "B", "bee"), Document("a", "", "ay")]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"doc_id": "p", "text": "twice"}', r"stands twice \(first on line 1\)"),
        ('{"text": "a"}', "missing doc_id"),
        ('{"doc_id": "q", "text": 1}', "text must be a string"),
        ("[1]", "object"),
        ("{", "JSON"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason) as caught:
        read_documents(file(tmp_path, '{"doc_id": "p", "text": "a"}', line))
    assert caught.value.line == 2
