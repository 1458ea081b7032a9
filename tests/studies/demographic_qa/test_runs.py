"""Runs of variants are recognised by their names, and by nothing else."""

from fairviz.io.rankings import read_run
from fairviz.model import Run
from fairviz.studies.demographic_qa.retrieval import compared_attributes, variant_runs


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
    families = variant_runs([run(name) for name in names])
    assert list(families) == ["bm25", "lsa"]
    assert list(families["bm25"]) == [
        ("none", "neutral"),
        ("race", "African American"),
        ("gender", "male"),
        ("gender", "female"),
        ("gender", "non-binary"),
    ]
    assert compared_attributes(families["bm25"]) == ["race", "gender"]
    assert compared_attributes(families["lsa"]) == ["race"]


def test_other_names_are_no_variants() -> None:
    assert variant_runs([run("bm25"), run("female"), run("colbert-v2"), run("bm25x.Asian")]) == {}
    assert variant_runs([run("a.neutral")]) == {}


def test_values_of_a_file_are_known_too() -> None:
    found = variant_runs([run("x_low_income"), run("x_high_income")], {"ses": ("low_income", "high_income")})["x"]
    assert found.keys() == {("ses", "low_income"), ("ses", "high_income")}
