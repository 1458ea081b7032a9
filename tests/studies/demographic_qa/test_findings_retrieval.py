"""Sentences about retrieval: overlap, quality."""

from fairviz.io.qrels import read_qrels
from fairviz.io.rankings import read_run
from fairviz.model import Run
from fairviz.studies.demographic_qa.answers import Record
from fairviz.studies.demographic_qa.findings import estimators_words, overlap_title, quality_title, quality_words
from fairviz.studies.demographic_qa.retrieval import lists_of_runs, retrieval_overlap, variant_quality


def run(docs: str, n: int = 1) -> Run:
    text = "".join(f"q{q} Q0 {doc} {rank} {9 - rank} x\n" for q in range(n) for rank, doc in enumerate(docs, 1))
    return read_run(("x.run", text.encode())).value


def overlaps(neutral: str | None, male: str, female: str) -> Record:
    runs = {("gender", "male"): run(male), ("gender", "female"): run(female)}
    if neutral is not None:
        runs["none", "neutral"] = run(neutral)
    return retrieval_overlap(lists_of_runs(runs, "gender"), "gender", k=3)


def test_overlap_has_a_range_and_names_no_value() -> None:
    far = overlaps("abc", "abd", "abc")  # male: a, b of a, b, c, d
    assert overlap_title([far], retriever="bm25") == (
        "With a group in the question, 50 to 100\u202f% of bm25’s top 3 stay as with nobody mentioned"
    )
    assert overlap_title([overlaps("abc", "abc", "abc")]) == (
        "With a group in the question, all of the top 3 stay as with nobody mentioned"
    )
    assert overlap_title([overlaps(None, "abd", "abc")]) == "Two groups share 50\u202f% of the top 3"
    assert overlap_title([overlaps(None, "abc", "abc")]) == "All variants have the same top 3"
    assert overlap_title([]) == "No two variants were retrieved for"


def test_three_estimators_in_a_line() -> None:
    # all: a, b of a, b, c, d; pairwise the same; neutral: 50 and 100
    said = estimators_words(overlaps("abc", "abd", "abc"))
    assert said == ("gender, k = 3: all 50.0\u202f%; pairwise 50.0\u202f%; neutral 75.0\u202f%; 1 question")
    assert "neutral undefined" in estimators_words(overlaps(None, "abd", "abc"))


def test_quality_names_value_gap_or_nothing() -> None:
    qrels = read_qrels(("x.qrels", "".join(f"q{q} 0 a 1\n" for q in range(12)).encode())).value
    same, lower = run("abc", 12), run("bca", 12)
    some = {("none", "neutral"): same, ("gender", "male"): lower, ("gender", "female"): same}
    rows, gaps, _ = variant_quality(some, qrels)
    # nDCG 1 against 1 / log2(4) = 0.5
    assert quality_title(rows, gaps) == ("With “male” in the question, nDCG@10 is 0.500 lower than without")
    assert quality_words(gaps) == (
        "Largest gap by attribute: gender 0.500 (no interval): female over male, 12 questions."
    )
    pairs = {key: value for key, value in some.items() if key[0] == "gender"}
    assert quality_title(*variant_quality(pairs, qrels)[:2]) == ("nDCG@10 differs by 0.500 between “female” and “male”")
    same = {key: run("abc", 12) for key in some}
    assert "No significant difference" in quality_title(*variant_quality(same, qrels)[:2])
