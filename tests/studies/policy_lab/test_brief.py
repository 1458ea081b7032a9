"""The one-page brief: what it holds, what it leaves to people, and that it asks for nothing from elsewhere."""

import html
import re

import numpy as np
import polars as pl

from fairviz.model import FloatArray
from fairviz.stats.bootstrap import Intervals
from fairviz.studies.policy_lab.bench import Distance, PricePoint
from fairviz.studies.policy_lab.brief import MOST_GROUPS, brief_html
from fairviz.studies.policy_lab.columns import shares_beside
from tests.app.reading import EVIL
from tests.studies.policy_lab.lists import compared
from tests.studies.policy_lab.test_methods_findings import BEST, SURE, bought

DOCS = "abcdefghijklmnop"
NOTHING = dict.fromkeys(("decides", "decision", "budget", "why"), "")
TITLES = {doc: f"Title {doc}\nText." for doc in DOCS}


def shares(
    n_groups: int = 2, n_queries: int = 12, *, target: FloatArray | None = None, moved: bool = True
) -> pl.DataFrame:
    today = np.tile(np.arange(n_groups, 0.0, -1), (n_queries, 1))
    today[0] = 1.0
    point = PricePoint(1.0, np.ones((n_queries, n_groups)) if moved else today, np.ones(n_queries))
    now = PricePoint(np.nan, today, np.ones(n_queries))
    names = tuple(f"Group {i}" for i in range(n_groups))
    gained = 1 / n_groups - today.sum(axis=0) / today.sum()
    gains = Intervals(gained - 0.01, gained + 0.01)
    return shares_beside(names, now, point, np.full(n_groups, 1 / n_groups) if target is None else target, gains)


def page(**changes: object) -> str:
    lists = compared(
        DOCS, DOCS[::-1], k=12, useful="a", groups={"a": "Group 0"}, quality=(0.9, 0.89), titles=TITLES
    )._replace(words="Fairness of exposure.")
    facts = {
        "title": "Africa: 8 % → 16 % of attention.",
        "sentence": "",
        "kind": "region",
        "date": "22 November 2026",
        "data": "Example, run bm25",
        "fingerprint": "1604bd4b4f7c0000",
        "version": "1.2.3",
        "decided": NOTHING | {"decision": "try for three months"},
        "outcome": bought(BEST, SURE)._replace(quality="nDCG@12"),
        "shares": shares(),
        "alternative": "DetCons gives 15 %.",
        "lists": lists,
        "question": "a question",
        "rule": "Of 9 queries this one.",
        "methods": "How.",
        "limits": "What not.",
    } | changes
    return brief_html(**facts).replace("\u202f", " ")  # type: ignore[arg-type]


def test_it_says_what_it_costs_who_is_worse_off_and_what_is_missing() -> None:
    made = page()
    for text in (
        "fingerprint 1604bd4b4f7c · fairviz 1.2.3",
        "attention by region",
        "Quality (nDCG@12) 0.800 → 0.783: <strong>−2.1 %</strong> (95 % interval −5.6 to +1.4). <strong>Moves, cannot "
        "tell whether it stays in budget.</strong> The interval is widened for the 2 settings that were tried.",
        "<strong>9 of 14 searches (queries) lose quality</strong>, 4 gain, 1 unchanged.",
        "Each visit shows one of 3 to 5 lists per search, drawn by chance",
        "In all 31 → 9 points of attention off target.",
        "DetCons gives 15 %.",
        "Quality of this search (nDCG@12) 0.90 → 0.89.",
        "<small>Of 9 queries this one. After: Fairness of exposure. Filled: judged useful",
    ):
        assert text in made
    assert "@page { size: A4" in made


def test_who_gains_and_who_pays_stands_above_the_shares_and_what_gains_most_stands_first() -> None:
    """Of 12 queries 11 show 2 and 1 of two groups, one 1 and 1: 66 and 34 %, after it 50 and 50 %."""
    made = page()
    assert "<strong>16 points move from “Group 0” to “Group 1”.</strong> “Group 0” pays most, 16 points." in made
    assert made.index('scope="row">Group 1') < made.index('scope="row">Group 0')
    assert "loses more" not in made
    poor = shares(target=np.array([0.9, 0.1]))
    warned = page(shares=poor)
    assert "<strong>“Group 0” is below its target and loses more.</strong>" in warned
    assert "pays" not in page(shares=poor, outcome=bought())


def test_what_nobody_wrote_is_a_ruled_line_and_never_invented() -> None:
    made = page()
    assert made.count("<dd></dd>") == 3
    assert "<dd>try for three months</dd>" in made


def test_without_a_setting_the_gap_is_that_of_today() -> None:
    assert "gap left" in page()
    alone = page(outcome=bought(), lists=None)
    assert "gap today" in alone
    assert "gap left" not in alone


def test_all_ranks_stand_there_and_of_more_than_ten_entries_and_exits() -> None:
    made = page()
    example = made[made.index("An example") :]
    assert example.count("<tr>") == 11
    assert "Title a" in example
    assert "<strong> leaves</strong>" in example
    assert "Further down to rank 12 enter" not in example  # the two that enter have a row
    assert "leave: " not in example
    said = page(lists=compared(DOCS, DOCS[:10] + "pokl" + "mn", k=12, titles=TITLES))
    assert "Further down to rank 12 enter: Title p, Title o." in said
    assert "Further down to rank 12 leave: Title k, Title l." in said


def test_parts_without_anything_to_say_are_left_out() -> None:
    made = page(sentence="Why. Next: do.", alternative="", lists=None, outcome=bought())
    for part in ("What it costs", "Who is worse off", "Alternative", "An example", "filled: after"):
        assert part not in made
    assert "Share of attention by region" in made
    assert "<p>Why. Next: do.</p>" in made
    assert made.count('class="fv-dot"') == 2  # today's of both groups, and nothing after it


def test_before_a_target_is_set_the_brief_speaks_of_equal_shares() -> None:
    made = page(outcome=bought(BEST, SURE)._replace(distance=Distance(is_set=False)))
    assert "points of attention from equal shares" in made
    assert ">equal share</th>" in made
    assert "target" not in made[made.index("Share of attention") :]


def test_fewer_than_ten_queries_have_no_interval() -> None:
    assert "95 % intervals" in page(outcome=bought())
    few = page(outcome=bought(), shares=shares(n_queries=9))
    assert "95 % intervals" not in few
    assert '<span class="fv-mute"> (' not in few


def test_many_groups_stand_in_two_columns_without_drawings() -> None:
    assert page().count("fv-span") > page(shares=shares(30)).count("fv-span")
    assert page(shares=shares(30)).count('<th scope="row">Group') == MOST_GROUPS
    assert "6 more groups miss their target by less." in page(shares=shares(30))


def test_gaps_that_are_left_are_in_words_and_the_widest_have_a_row() -> None:
    """Of 30 groups of 30, 29, … 1 parts of 465 with 3.3 % each those in the middle are nearest to their target."""
    made = page(shares=shares(30, moved=False), outcome=bought())
    named = set(re.findall(r'<th scope="row">Group (\d+)</th>', made))
    assert {"0", "29"} <= named
    assert not {"14", "15", "16"} & named
    assert "over</td>" in made
    assert "under</td>" in made
    assert page().count(">on target</td>") == 2  # the setting gives both half


def test_what_is_long_is_cut_and_a_fixed_list_is_called_so() -> None:
    made = page(decided=NOTHING | {"why": "w" * 500}, outcome=bought(SURE))
    assert "w" * 240 in made
    assert "w" * 241 not in made
    assert '<span class="badge plain">fixed</span>' in made
    assert '<span class="badge">random</span>' in page()
    lists = compared(DOCS, DOCS, k=3, titles=dict.fromkeys(DOCS, f"{'T' * 100}\nText."))
    long = page(lists=lists, question="q" * 200)
    assert f"“{'q' * 109}…”" in long
    assert f"{'T' * 41}…" in long


def test_a_kind_of_groups_keeps_its_letters() -> None:
    assert '<th scope="col">SES level</th>' in page(kind="SES level")


def test_it_escapes_people_and_forbids_every_request() -> None:
    evil = page(decided=NOTHING | {"why": EVIL}, kind=EVIL, data=EVIL, lists=None)
    assert "<img" not in evil
    assert "default-src 'none'" in html.unescape(evil)
    assert "<script" not in evil
    assert not re.findall(r'(?:src|href)="', evil)
