"""The one-page brief: what it holds, what it leaves to people, and that it asks for nothing from elsewhere."""

import html
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import polars as pl
import pytest

from fairviz.model import Dataset
from fairviz.points.shares import attention_by_group
from fairviz.studies.policy_lab.brief import LINES, MOST_GROUPS, RANKS, brief, brief_html
from fairviz.studies.policy_lab.examples import stated_example
from fairviz.studies.policy_lab.proposals import Proposal, proposal_of
from fairviz.studies.policy_lab.stated import StatedOutcome
from tests.app.reading import EVIL
from tests.nouns import run_of
from tests.studies.policy_lab.lists import compared
from tests.studies.policy_lab.test_stated import FIVE, QUERIES, SECOND, example, on_example, outcome_of
from tests.studies.policy_lab.test_stated_findings import one_list_data

__all__ = ["example"]

DOCS = "abcdefghijklmnop"
NOTHING = dict.fromkeys(("decides", "decision", "budget", "why"), "")
TITLES = {doc: f"Title {doc}\nText." for doc in DOCS}
LISTS = compared(DOCS, DOCS[::-1], k=12, useful="a", groups={"a": "x"}, quality=(0.9, 0.89), titles=TITLES)._replace(
    words="Every visit shows this list."
)


@cache
def half() -> StatedOutcome:
    return outcome_of({"y": {"min": 0.5}})


def page(outcome: StatedOutcome | None = None, proposals: Sequence[Proposal] = (), **changes: Any) -> str:
    texts = {
        "title": "Half for y.",
        "sentence": "",
        "kind": "side",
        "date": "22 November 2026",
        "data": "Example, run bm25",
        "fingerprint": "1604bd4b4f7c0000",
        "version": "1.2.3",
        "decided": NOTHING | {"decision": "try for three months"},
        "lists": LISTS,
        "question": "a question",
        "rule": "Of 9 queries this one.",
        "methods": "How.",
        "limits": "What not.",
        "choice": "A choice.",
    } | changes
    return brief_html(outcome or half(), proposals, **texts).replace("\u202f", " ")


def named(name: str) -> Proposal:
    return proposal_of(half())._replace(name=name)


def test_it_says_what_is_asked_what_that_costs_and_who_pays() -> None:
    """Of 1 + s of attention x has 61 % and y 39 %; half for y turns six of twelve lists and loses (1 − s) / 2."""
    made, loss = page(), 50 * (1 - SECOND)
    row = made[made.index('scope="row">y') :]
    row = row[: row.index("</tr>")]
    for text in ("at least 50.0 %", ">39 %<", "<strong>50 %</strong>", "+11.3 (", ">moves<"):
        assert text in row
    assert "free" in made[made.index('scope="row">x') : made.index('scope="row">y')]
    for text in (
        "fingerprint 1604bd4b4f7c · fairviz 1.2.3",
        "attention by side",
        f"Quality (nDCG@2) 1.000 → 0.815: <strong>−{loss:.1f} %</strong> (95 % interval",
        "<strong>Over the budget of 3 %.</strong>",
        "11 points move from “x” to “y”.",
        "“x” has no statement and pays most, 11 points.",
        "<strong>6 of 12 searches (queries) lose quality</strong>, 0 gain, 6 unchanged. Every query shows one list.",
        "Quality of this search (nDCG@2) 0.90 → 0.89.",
        "<small>Of 9 queries this one. After: Every visit shows this list. Filled: judged useful",
    ):
        assert text in made
    assert "@page { size: A4" in made
    assert "Proposal" not in made


def test_what_nobody_wrote_is_a_ruled_line_and_never_invented() -> None:
    made = page(decided=NOTHING | {"decision": "try for three months", "why": "w" * 500})
    assert made.count("<dd></dd>") == 2
    assert "<dd>try for three months</dd>" in made
    assert "w" * 240 in made
    assert "w" * 241 not in made


def test_without_statements_shares_of_today_stand_alone() -> None:
    made = page(outcome_of(None), lists=None)
    for part in ("What it costs", "Who pays", "An example", "filled: after"):
        assert part not in made
    assert made.count('class="fv-dot"') == 2  # today's of both groups, and nothing after it
    assert 'class="fv-aim"' not in made
    assert page().count('class="fv-aim"') == 1


def test_few_queries_say_nothing_of_the_budget() -> None:
    four = run_of({query: {f"{query}a": 1.0, f"{query}b": 0.5} for query in QUERIES[:4]})
    made = page(outcome_of({"y": {"min": 0.5}}, run=four))
    assert "the budget of" not in made
    assert "In brackets" not in made
    assert "In brackets" in page()
    assert "too few" in made


def test_proposals_stand_beside_it_and_take_lines_of_the_example() -> None:
    made = page(proposals=[named("First"), named("Second")])
    assert made.count("y ≥ 50") == 2
    assert "Two proposals agree on at least 50 % for “y”" in made
    assert '<th scope="col">Proposal</th>' in made

    def ranks(page_html: str) -> int:
        return page_html[page_html.index("An example") :].count("<tr>") - 1

    assert ranks(page()) == RANKS
    assert ranks(page(proposals=[named(f"{n}") for n in range(5)])) == LINES - 2 - 10
    assert "An example" not in page(proposals=[named(f"{n}") for n in range(9)])


def test_of_many_groups_those_with_a_statement_have_a_row() -> None:
    groups = half().groups
    free = pl.concat([groups.filter(group="x").with_columns(group=pl.lit(f"free {n}"), change=-0.5) for n in range(20)])
    made = page(half()._replace(groups=pl.concat([free, groups.filter(group="y")])), lists=None)
    assert made.count('<th scope="row">free') == MOST_GROUPS - 1
    assert '<th scope="row">y' in made
    assert "9 more groups are left out." in made


def test_all_ranks_stand_there_and_of_more_than_ten_entries_and_exits() -> None:
    made = page()
    listed = made[made.index("An example") :]
    assert "Title a" in listed
    assert "<strong> leaves</strong>" in listed
    assert "Further down to rank 12 enter" not in listed  # the two that enter have a row
    more = page(lists=compared(DOCS, DOCS[:10] + "pokl" + "mn", k=12, titles=TITLES))
    assert "Further down to rank 12 enter: Title p, Title o." in more
    assert "Further down to rank 12 leave: Title k, Title l." in more
    long = page(lists=compared(DOCS, DOCS, k=3, titles=dict.fromkeys(DOCS, f"{'T' * 100}\nText.")), question="q" * 200)
    assert f"“{'q' * 109}…”" in long
    assert f"{'T' * 41}…" in long


def test_the_example_is_the_query_of_the_median_gain_of_the_raised_group(example: Dataset) -> None:
    """Africa rises most, from 8 to 15 %, and in the list that is shown it has more attention than in today's."""
    analysis = on_example(example, FIVE)
    outcome = analysis.stated
    lists, rule = stated_example(outcome)
    assert re.match(r"Of \d+ queries in which Africa gains attention, the one of the median gain", rule)
    assert lists.raises("Africa", outcome.stated.bench.attention.weights(10))
    stated, policy = outcome.stated, outcome.stated.policy()
    of = next(each for each in stated.attributes if each.name == "region")
    after = attention_by_group(
        stated.lists(policy, fixed=False)(stated.bench.attention), stated.bench.pools, of.members
    )
    at = of.members.groups.index("Africa")
    now, then = ((side / side.sum(axis=1, keepdims=True))[stated.queries, at] for side in (after, of.today))
    gains = np.sort((now - then)[now - then > 0.01])
    own = (now - then)[[stated.bench.pools.query_ids[query] for query in stated.queries].index(lists.query_id)]
    assert abs(int(np.searchsorted(gains, own)) - (len(gains) - 1) // 2) <= 1
    row = outcome.queries.row(by_predicate=pl.col("query_id") == lists.query_id, named=True)
    assert lists.quality_after - lists.quality_before == pytest.approx(row["change"])
    assert stated_example(outcome_of({"y": {"min": 0.2}})) == (
        None,
        "No group gains attention for certain, so there is no example.",
    )
    made = brief(example, analysis.settings, NOTHING, browsing="1 / log2(rank + 1)").replace("\u202f", " ")
    assert "All five statements can hold at once" in made
    assert "Proposal" not in made


def test_it_escapes_people_and_forbids_every_request() -> None:
    evil = page(decided=NOTHING | {"why": EVIL}, kind=EVIL, data=EVIL, lists=None, proposals=[named(EVIL)])
    assert "<img" not in evil
    assert "default-src 'none'" in html.unescape(evil)
    assert "<script" not in evil
    assert not re.findall(r'(?:src|href)="', evil)


def test_of_one_list_nothing_is_said_as_of_a_sample() -> None:
    """Its shares are exact: no interval, no search beside others, and the budget is kept or it is not."""
    data, own = one_list_data()
    text = own.statements
    made = brief(data, replace(own, proposals=(f"a={text}", f"b={text}")), NOTHING, browsing="dcg")
    said = html.unescape(re.sub("<style.*?</style>|<[^>]*>", " ", made, flags=re.DOTALL)).replace("\u202f", " ")
    assert "One list, exact: within the budget of 3 %." in said
    assert "one list, exact: there is no interval." in said
    assert "Two proposals agree on at least 39 % for “y”" in said
    sampling = (
        "95 %|resampl|bootstrap|searches|too few|cannot tell|certain|median|together|in brackets|quer(?:y|ies) in"
    )
    assert re.findall(f"(?i){sampling}", said) == []
