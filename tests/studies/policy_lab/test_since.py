"""Since last time: two dated runs by hand, what is said of them, where dates come from."""

import json
from typing import Any

import pytest

from fairviz.display.methods import AgainstTarget
from fairviz.errors import UsageError
from fairviz.model import Dataset, Factors, Run
from fairviz.studies.policy_lab.columns import since_table
from fairviz.studies.policy_lab.settings import PolicyLabSettings
from fairviz.studies.policy_lab.since import LaterShares, dates, earlier, since, since_finding, since_words
from fairviz.studies.policy_lab.stated import Stated
from tests.nouns import run_of
from tests.studies.policy_lab.test_stated import QUERIES, SECOND, SIDE, USEFUL
from tests.studies.policy_lab.test_stated_findings import plain

JANUARY, JUNE = "base;date=2026-01", "base;date=2026-06-30"


def run(name: str, turned: int, n: int = 12, *, first: int = 0) -> Run:
    """A list a, b of each query, of those before ``turned`` b, a: group x holds every a, y every b."""
    orders = {QUERIES[at]: ("b", "a") if at < turned else ("a", "b") for at in range(first, n)}
    return run_of(
        {q: {f"{q}{doc}": 1.0 - 0.5 * at for at, doc in enumerate(order)} for q, order in orders.items()}, name
    )


def compared(*runs: Run, bounds: Any = None, run: str = "", **more: Any) -> LaterShares | None:
    data = Dataset(runs=runs, qrels=(USEFUL,), labels=(SIDE,), **more)
    text = json.dumps({SIDE.attribute: bounds}) if bounds else ""
    settings = PolicyLabSettings(
        system=runs[-1].system, statements=text, k=2, since=run, against=AgainstTarget(0, "uniform")
    )
    return since(data, Stated(data, settings), run)


def test_shares_then_and_now_by_hand() -> None:
    """A list gives its first rank 1 and its second s = 63 %. Then all twelve have x first: it gets 1 / (1 + s), 61.3 %.
    Now nine show y first: x gets (3 + 9 s) / (12 + 12 s), 44.3 %, under the half that is stated.
    """
    found = compared(run(JANUARY, 0), run(JUNE, 9), bounds={"x": {"min": 0.5}})
    x, y = found.groups.rows(named=True)
    now = (3 + 9 * SECOND) / (12 + 12 * SECOND)
    assert (x["then"], x["now"], y["now"]) == pytest.approx((1 / (1 + SECOND), now, 1 - now))
    assert x["low"] < x["change"] < x["high"] < 0
    assert (x["verdict"], y["verdict"], x["is_broken"], y["is_broken"]) == ("lower", "higher", True, False)
    assert x["p_holm"] == pytest.approx(2 * x["p"])
    assert (found.date_then, found.date_now, found.n_queries) == ("2026-01", "2026-06-30", 12)
    assert plain(since_finding(found).title) == (
        "Since 2026-01 “x” gets 44 % of attention instead of 61 %, below the least that is stated, 50.0 %"
    )
    assert since_finding(found).sentence == (
        "“base;date=2026-01” (2026-01), then, and “base;date=2026-06-30” (2026-06-30), now, over 12 common queries. "
        "2 of 2 shares have changed significantly."
    )
    table = since_table(found)
    first = dict(zip(table.keys, table.rows[0], strict=True))
    assert (first["limit"], plain(str(first["statement"])), first["verdict"]) == ("crossed", "at least 50.0 %", "lower")
    assert "over 12 common queries" in since_words(found)


def test_nothing_is_claimed_of_what_is_alike_or_of_few_queries() -> None:
    same = compared(run(JANUARY, 4), run(JUNE, 4))
    assert since_finding(same).title == "No share of attention has changed significantly since 2026-01"
    assert since_finding(same).sentence.endswith("over 12 common queries.")
    one = compared(run(JANUARY, 4), run(JUNE, 5))
    assert since_finding(one).sentence.endswith("would have been significant; half of it takes about 48 queries.")
    four = compared(run(JANUARY, 0, 4), run(JUNE, 9))
    assert (four.n_queries, set(four.groups["verdict"])) == (4, {"too few to test"})
    assert since_finding(four).title == "4 common queries are too few to say what changed since 2026-01"


def test_a_limit_that_never_held_is_not_crossed() -> None:
    """x gets 61 and then 44 %: neither is 70 %. What y may have at most, 40 %, holds again."""
    never = compared(run(JANUARY, 0), run(JUNE, 9), bounds={"x": {"min": 0.7}})
    assert never.groups["is_broken"].to_list() == [False, False]
    back = compared(run(JANUARY, 9), run(JUNE, 0), bounds={"y": {"max": 0.4}})
    assert (back.groups["is_broken"].to_list(), back.groups["is_mended"].to_list()) == ([False, False], [False, True])


def test_only_common_queries_count() -> None:
    """The first query, the only one that is turned now, was not there then: it is no part of either share."""
    found = compared(run(JANUARY, 0, first=1), run(JUNE, 1))
    assert (found.n_queries, found.groups["change"].to_list()) == (11, [0.0, 0.0])


def test_queries_weigh_by_how_often_they_are_asked() -> None:
    """The first query, asked three times as often as each other, was turned then and is not now, so that x gains
    3 (1 − s) of 13 (1 + s). The last query has no weight and is left out.
    """
    weights = dict.fromkeys(QUERIES[1:11], 1.0) | {QUERIES[0]: 3.0}
    found = compared(run(JANUARY, 1), run(JUNE, 0), weights=weights)
    assert found.n_queries == 11
    assert found.groups["change"][0] == pytest.approx(3 * (1 - SECOND) / (13 * (1 + SECOND)))


def test_dates_come_from_the_table_of_systems_or_from_tags() -> None:
    runs = (run("old", 0), run(JANUARY, 0), run("base;date=soon", 0), run("new", 0))
    data = Dataset(runs=runs, systems={"old": Factors(date="2025"), "new": Factors(date="2026-02-01")})
    assert dates(data) == {"old": "2025", JANUARY: "2026-01", "new": "2026-02-01"}
    assert earlier(data, "new") == ["old", JANUARY]
    assert earlier(data, "old") == earlier(data, "base;date=soon") == []


def test_the_earliest_run_stands_beside_the_last_one() -> None:
    """Looked at is January's: what is compared is still then and now, in their order."""
    beside = compared(run(JUNE, 9), run("between;date=2026-03", 3), run(JANUARY, 0))
    assert (beside.then, beside.now) == (JANUARY, JUNE)
    assert compared(run(JANUARY, 0), run("as early;date=2026-01", 3)) is None


def test_a_run_can_be_named_and_nothing_is_compared_without_dates() -> None:
    assert compared(run("then", 0), run("now", 0)) is None
    named = compared(run("then", 0), run("now", 12), run="then")
    assert since_finding(named).title.startswith("Since “then” ")
    with pytest.raises(UsageError, match="--since them: expected one of then, now"):
        compared(run("then", 0), run("now", 0), run="them")
