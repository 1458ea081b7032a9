"""Runs of variants are recognised by their names, and by nothing else."""

from fairviz.io.rankings import read_run
from fairviz.model import Run
from fairviz.studies.demographic_qa.retrieval import variant_runs


def run(name: str) -> Run:
    return read_run((f"{name}.run", f"q1 Q0 d1 1 2.0 {name}\n".encode())).value


def test_names_end_in_a_value_after_a_separator() -> None:
    names = (
        "bm25-African_American",
        "bm25-non-binary",
        "bm25-neutral",
        "bm25-female",
        "bm25-Male",
        "lsa.Asian",
        "lsa.Hispanic",
    )
    bm25, lsa = variant_runs([run(name) for name in names])
    assert bm25.retriever == "bm25"
    assert list(bm25.runs) == [
        ("none", "neutral"),
        ("race", "African American"),
        ("gender", "male"),
        ("gender", "female"),
        ("gender", "non-binary"),
    ]
    assert bm25.attributes == ("race", "gender")
    assert lsa.attributes == ("race",)


def test_other_names_are_no_variants() -> None:
    assert variant_runs([run("bm25"), run("female"), run("colbert-v2"), run("bm25x.Asian")]) == ()
    assert variant_runs([run("a.neutral")]) == ()


def test_values_of_a_file_are_known_too() -> None:
    (found,) = variant_runs([run("x_low_income"), run("x_high_income")], {"ses": ("low_income", "high_income")})
    assert found.runs.keys() == {("ses", "low_income"), ("ses", "high_income")}
