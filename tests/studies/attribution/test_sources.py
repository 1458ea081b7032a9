"""Whose documents are given and cited: domains, weeks, shares, and limits on them."""

from typing import Any

import pytest

import fairviz as fv
from fairviz.errors import UndefinedError, UsageError
from fairviz.model import Dataset
from fairviz.points.sources import MOST_DOMAINS, OTHER_DOMAINS, source_attributes

A, B, OWN = "https://www.a.org/1", "http://b.org/2?x=1", "doc-3"


def answer(query: int, day: str, *, cites: str = A, sample: int = 1) -> dict[str, Any]:
    of_answer = {"query_id": f"q{query}", "sample": sample, "text": "So.", "date": day, "system": "bot"}
    return {**of_answer, "ranking": [A, B, OWN], "attributed": [cites]}


# Twelve queries; the first is asked twice more, a week later, and cites b.org then.
ANSWERS = [
    *(answer(query, "2026-03-01") for query in range(12)),
    *(answer(0, "2026-03-02", cites=B, sample=sample) for sample in (2, 3)),
]


def test_answers_are_counted_by_group_and_week_and_queries_are_resampled() -> None:
    rows = fv.attribution(outputs=ANSWERS, k=3).to_polars("sources").rows_by_key(["week", "group"], named=True)
    (all_a,), (all_b,), (first,), (second,) = (
        rows[key] for key in (("all", "a.org"), ("all", "b.org"), ("2026-W09", "a.org"), ("2026-W10", "b.org"))
    )
    # given: 14 of each of a.org and b.org, 14 of 42 documents have no domain; cited: 12 and 2
    assert (all_a["given"], all_a["cited"], all_b["cited"]) == (0.5, pytest.approx(12 / 14), pytest.approx(2 / 14))
    assert (all_a["given_unlabelled"], all_a["cited_unlabelled"]) == (pytest.approx(1 / 3), 0)
    assert (all_a["n_answers"], all_a["n_queries"], all_a["n_citing"]) == (14, 12, 12)
    # the two citations of b.org are of one query: one of twelve, an interval wider than that of 2 of 14 draws
    assert all_b["cited_low"] < 0.0178
    assert all_b["cited_high"] > 0.4281
    assert (first["cited"], first["n_queries"], first["n_answers"]) == (1, 12, 12)
    assert (second["cited"], second["n_queries"], second["n_answers"]) == (1, 1, 2)
    assert second["cited_low"] is second["given_low"] is None  # fewer than ten queries


def test_limits_are_judged_by_the_intervals_of_the_table() -> None:
    table = fv.attribution(outputs=ANSWERS, k=10).to_polars("sources").filter(week="all", group="a.org")
    row = fv.check(outputs=ANSWERS, limits="cited.domain.a.org >= 50%").to_polars().row(0, named=True)
    assert [row[name] for name in ("value", "low", "high", "n")] == list(
        table.select("cited", "cited_low", "cited_high", "n_citing").row(0)
    )
    # a domain that is gone has nothing: 0 of 28 documents, which come in twelve queries
    gone = fv.check(outputs=ANSWERS, limits="given.domain.c.org >= 40%; given.domain.c.org <= 40%").to_polars()
    assert gone["value"].to_list() == [0, 0]
    assert gone["outcome"].to_list() == ["broken", "holds"]
    weeks = "cited.domain.a.org@2026-W09 >= 50%; cited.domain.a.org@last <= 5%; cited.domain.a.org@2026-W11 <= 5%"
    of_week = fv.check(outputs=ANSWERS, limits=weeks).to_polars()
    assert of_week.select("limit", "value", "n", "outcome").rows() == [
        ("cited.domain.a.org@2026-W09 >= 50%", 1, 12, "holds"),
        ("cited.domain.a.org@2026-W10 <= 5%", 0, 1, "cannot tell"),
        ("cited.domain.a.org@2026-W11 <= 5%", None, 0, "cannot tell"),
    ]
    with pytest.raises(UndefinedError, match="no answer has a time"):
        fv.check(outputs=[{**row, "date": None} for row in ANSWERS], limits="given.domain.a.org@last <= 5%")
    plain = [{**row, "ranking": ["d1"], "attributed": ["d1"]} for row in ANSWERS]
    with pytest.raises(UsageError, match="'domain' is none of what the data have"):
        fv.check(outputs=plain, limits="cited.domain.a.org >= 50%")


def test_rare_domains_are_one_group_unless_one_is_asked_for() -> None:
    urls = [f"https://d{i}.org" for i in range(MOST_DOMAINS + 2)]
    often = [{"query_id": "often", "text": "", "ranking": urls[:MOST_DOMAINS], "attributed": []}]
    once = {"query_id": "once", "text": "", "ranking": urls, "attributed": []}
    data = Dataset(outputs=fv.outputs([*often, once]))
    (domains,) = source_attributes(data)
    assert domains.groups == (*(f"d{i}.org" for i in range(MOST_DOMAINS)), OTHER_DOMAINS)
    (domains,) = source_attributes(data, f"d{MOST_DOMAINS}.org")
    assert domains.groups[-2:] == (f"d{MOST_DOMAINS}.org", OTHER_DOMAINS)
