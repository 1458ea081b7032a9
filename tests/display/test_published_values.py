"""The published tables: cell by cell as printed, with what contradicts itself flagged."""

from collections.abc import Iterable
from hashlib import sha256

from fairviz.display.published import PUBLISHED, PublishedTable, read_published

SOCIAL, MEDICAL, FAIR, COMPARING = ("rag-social-biases", "rag-medical-bias", "fair-metric", "comparing")

# Made when the rows were read from the papers a second time, by another route.
DIGESTS = {
    (SOCIAL, 1): "daff0d3185e61020",
    (SOCIAL, 2): "54a1d1c7b92cb735",
    (SOCIAL, 3): "fda358b84dee8af0",
    (SOCIAL, 4): "d8d4c846356a1416",
    (SOCIAL, 5): "2c7b5b1ca7243bc2",
    (SOCIAL, 6): "e476f5c936e0f0df",
    (SOCIAL, 7): "46a1f502aefaac7a",
    (SOCIAL, 8): "18fd00aa202c0f0e",
    (SOCIAL, 9): "d4b8121f215dfdc1",
    (SOCIAL, 10): "b6759de722c5c919",
    (SOCIAL, 11): "b784b0f742d26e4e",
    (SOCIAL, 12): "8eb02960f0a1169f",
    (MEDICAL, 1): "52a3c62fdd440184",
    (MEDICAL, 2): "83069aafa3d022b5",
    (MEDICAL, 3): "03ace84b774173ab",
    (MEDICAL, 4): "6c27dfaa9092f163",
    (MEDICAL, 5): "cb84a5d484e213f3",
    (MEDICAL, 6): "c530300f91a62a21",
    (MEDICAL, 7): "a1ef69c832bb25aa",
    (FAIR, 1): "003cb42e5f522af4",
    (FAIR, 2): "990fdfa03e3bf5f0",
    (FAIR, 3): "9f5251c755ebea74",
    (FAIR, 4): "47f113977679443d",
    (COMPARING, 1): "0f7d721bcdbc03b6",
    (COMPARING, 3): "1e9e627197651678",
    (COMPARING, 4): "fe79986f97907d7f",
    (COMPARING, 5): "f7e5dd6ae862318b",
}


def records(table: PublishedTable) -> Iterable[tuple[dict[str, object], str]]:
    return zip(table.cells.iter_rows(named=True), table.flags, strict=True)


def the(paper: str, number: int, column: str, **where: object) -> object:
    found = [
        row[column]
        for row, _ in records(read_published(paper, number))
        if all(row[name] == value for name, value in where.items())
    ]
    assert len(found) == 1, (paper, number, where)
    return found[0]


def flags(paper: str, number: int) -> dict[tuple[object, ...], str]:
    """Flag by the words of its row."""
    return {
        tuple(value for value in row.values() if isinstance(value, str)): flag
        for row, flag in records(read_published(paper, number))
        if flag
    }


def test_no_cell_has_changed_since_it_was_read_twice() -> None:
    cells = {where: repr(tuple(read_published(*where).cells.rows())) for where in PUBLISHED}
    assert {where: sha256(text.encode()).hexdigest()[:16] for where, text in cells.items()} == DIGESTS


def test_what_contradicts_itself_is_flagged() -> None:
    qwen = {row: flag for row, flag in flags(SOCIAL, 10).items() if row[0] == "Qwen-7B-Inst."}
    assert {row[1] for row in qwen} == {"VectorIndex", "BM25", "Contriever"}
    assert all("Table 5" in flag for flag in qwen.values())
    for one in ("VectorIndex", "BM25", "Contriever"):
        pair = [the(SOCIAL, 10, c, model="Qwen-7B-Inst.", retriever=one) for c in ("acc_a", "acc_d")]
        assert pair == [the(SOCIAL, 5, c, model="Qwen-7B-Inst.", retriever=one) for c in ("diffbias_a", "diffbias_d")]
    for number in (7, 8, 10, 12):
        assert any(row[0] == "Llama3-8B-Inst." or "Gender" in row for row in flags(SOCIAL, number))
    lost = {"dataset": "Google", "metric": "nDCG"}
    assert the(FAIR, 1, "value", k=10.0, **lost) is None
    assert [the(FAIR, 1, "value", k=k, **lost) for k in (20.0, 50.0)] == [0.8931, 0.9141]
    assert sum(1 for flag in read_published(FAIR, 1).flags if "lost in our copy" in flag) == 3
    beyond = [row["max_skew"] for row, flag in records(read_published(FAIR, 4)) if "ln 100" in flag]
    assert beyond == [6.2146, 5.9435, 5.5215, 6.2146, 7.1309]
    assert all("names no dataset" in flag for flag in read_published(MEDICAL, 5).flags)
    assert all("about 9 %" in flag for flag in flags(MEDICAL, 3).values())
    assert set(flags(MEDICAL, 3)) == {("Plain",), ("Majority Vote",)}


def test_flags_are_where_they_are_expected_and_nowhere_else() -> None:
    n = {
        (t.paper, t.number): sum(1 for flag in t.flags if flag) for t in (read_published(*where) for where in PUBLISHED)
    }
    assert {where: k for where, k in n.items() if k} == {
        (SOCIAL, 5): 3,
        (SOCIAL, 7): 1,
        (SOCIAL, 8): 1,
        (SOCIAL, 10): 4,
        (SOCIAL, 12): 1,
        (MEDICAL, 3): 2,
        (MEDICAL, 5): 6,
        (MEDICAL, 6): 3,
        (FAIR, 1): 3,
        (FAIR, 3): 2,
        (FAIR, 4): 7,
        (COMPARING, 1): 3,
        (COMPARING, 3): 2,
        (COMPARING, 4): 2,
        (COMPARING, 5): 3,
    }
