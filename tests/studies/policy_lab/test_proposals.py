"""Proposals side by side: what all of them agree on, by hand; which statements are the same; where they are read."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from fairviz.display.html import Section
from fairviz.errors import InputError, UsageError
from fairviz.kernels.grouping import pooled_shares
from fairviz.model import Dataset
from fairviz.studies.policy_lab.columns import proposals_table
from fairviz.studies.policy_lab.proposals import (
    Kept,
    Proposal,
    agreed,
    agreed_cells,
    apart_words,
    payers_cell,
    proposal_of,
    proposals_finding,
    shown_groups,
)
from fairviz.studies.policy_lab.settings import PolicyLabSettings
from fairviz.studies.shared import named_statements, statements_in_file
from tests.nouns import run_of
from tests.studies.policy_lab.test_stated import FIVE, QUERIES, example, on_example, outcome_of
from tests.studies.policy_lab.test_stated_findings import plain

__all__ = ["example"]

TODAY = (0.4, 0.3, 0.2, 0.1)


def proposal(
    name: str, after: Sequence[float], words: Sequence[str] | None = None, *, holds: bool = True, silent: str = ""
) -> Proposal:
    """Four groups that get ``after`` instead of 40, 30, 20 and 10 %; half of the attention is asked for D."""
    change = np.array(after) - TODAY
    n = len(TODAY)
    groups = pl.DataFrame(
        {
            "attribute": ["region"] * n,
            "group": [*"ABCD"],
            "is_stated": [True] * n,
            "has_statement": [False, False, False, True],
            "low": [0.0, 0.0, 0.0, 0.5],
            "high": [1.0] * n,
            "today": TODAY,
            "after": after,
            "change": change,
            "word": words or ["moves" if abs(each) > 0.005 else "stays" for each in change],
            "holds": [True, True, True, holds],
        }
    )
    cost = {"change": -0.01, "change_low": -0.02, "change_high": 0.01, "stays": "yes"}
    return Proposal(name, groups, cost, 3, 4, silent)


FIRST, SECOND = proposal("first", (0.3, 0.3, 0.25, 0.15)), proposal("second", (0.35, 0.2, 0.15, 0.3))


def test_all_agree_where_every_share_lies_on_one_side_of_today() -> None:
    """Of 40 % A falls to 30 and 35: at most 35; D rises from 10 to 15 and 30: at least 15. B stays once,
    C rises once and falls once.
    """
    rows = agreed([FIRST, SECOND]).rows(named=True)
    assert [(row["group"], row["side"], row["least"], row["most"]) for row in rows] == [
        ("A", "at most", 0.3, 0.35),
        ("B", "", 0.2, 0.3),
        ("C", "", 0.15, 0.25),
        ("D", "at least", 0.15, 0.3),
    ]
    assert [row["is_sure"] for row in rows] == [True, False, True, True]
    assert agreed_cells(agreed([FIRST, SECOND])) == ["≤ 35.0", "–", "–", "≥ 15.0"]
    found = proposals_finding([FIRST, SECOND])
    assert plain(found.title) == "Two proposals agree on at least 15 % for “D”"
    assert found.sentence == "They differ most on “D” (15 points). Each holds all of its own statements."


def test_what_nobody_can_tell_is_in_no_title() -> None:
    """D rises in both, but in the second nobody can tell; A falls for certain in both."""
    unsure = proposal("second", (0.35, 0.25, 0.2, 0.2), ["moves", "stays", "stays", "cannot tell"])
    assert plain(proposals_finding([FIRST, unsure]).title) == "Two proposals agree on at most 35 % for “A”"
    none = proposal("second", (0.35, 0.25, 0.2, 0.2), ["cannot tell"] * 4)
    title = proposals_finding([FIRST, none]).title
    assert title == "No share moves significantly in one direction under both proposals"
    few = proposal("second", (0.35, 0.25, 0.2, 0.2), silent="4 queries are too few")
    assert proposals_finding([few, FIRST]).title == "Cannot tell what two proposals agree on: 4 queries are too few"
    failing = proposals_finding([FIRST, proposal("second", (0.35, 0.2, 0.15, 0.3), holds=False)]).sentence
    assert failing.endswith("“second” cannot hold all of its statements.")
    assert proposals_finding([FIRST]) == ("One proposal: “first”", "Keep a second proposal to compare.")
    assert proposals_finding([FIRST, FIRST._replace(name="again")]).sentence.startswith(
        "On every share they differ by less"
    )


def test_who_pays_most_is_named_where_it_is_certain() -> None:
    assert payers_cell(FIRST.groups) == "A −10"
    assert payers_cell(SECOND.groups) == "B −10, A −5"
    assert payers_cell(proposal("", (0.35, 0.25, 0.2, 0.2), ["cannot tell"] * 4).groups) == ""


def test_rows_are_todays_and_one_for_each_proposal(example: Dataset) -> None:
    texts = [json.dumps(FIVE), json.dumps({"provider": {"large": {"min": 0.5}}})]
    proposals = tuple(f"{name}={text}" for name, text in zip(("both", "size"), texts, strict=True))
    analysis = on_example(example, FIVE, proposals=proposals)
    table = analysis.tables["proposals"]
    today, both, size = (dict(zip(table.keys, row, strict=True)) for row in table.rows)
    stated, cost = analysis.stated, analysis.stated.cost
    assert (today["proposal"], today["change_percent"], today["n_queries"]) == ("today", None, None)
    shares = stated.groups.filter(attribute="region")
    for group, now, after in shares.select("group", "today", "after").rows():
        assert (today[f"region.{group}"], both[f"region.{group}"]) == pytest.approx((100 * now, 100 * after))
    assert both["statements"] == ("North America ≤ 30, Africa ≥ 15, Asia ≥ 20, Latin America ≥ 10, large ≥ 40")
    assert [both[key] for key in ("change_percent", "low", "high")] == pytest.approx(
        [100 * cost[key] for key in ("change", "change_low", "change_high")]
    )
    assert (both["word"], both["n_one_list"], both["n_queries"]) == ("cannot tell", 10, 14)
    assert size["provider.large"] == pytest.approx(50)
    assert analysis.proposals[0].states(stated.groups)
    assert not analysis.proposals[1].states(stated.groups)
    assert proposals_table(analysis.proposals).rows == table.rows
    assert {"proposals", "agreed"} <= set(analysis.read)
    titles = [section.title for section in analysis.in_report() if isinstance(section, Section)]
    assert proposals_finding(analysis.proposals).title in titles


def test_only_attributes_that_are_stated_have_columns() -> None:
    outcome = outcome_of({"y": {"min": 0.5}})
    made = proposal_of(outcome)._replace(name="half")
    assert shown_groups([made])["group"].to_list() == ["x", "y"]
    attention = outcome.stated.attributes[0].today[outcome.stated.queries]
    assert shown_groups([made])["today"].to_list() == pytest.approx(pooled_shares(attention).tolist())


def test_too_few_queries_say_nothing_of_a_proposal() -> None:
    four = run_of({query: {f"{query}a": 1.0, f"{query}b": 0.5} for query in QUERIES[:4]})
    made = proposal_of(outcome_of({"y": {"min": 0.5}}, run=four))._replace(name="half")
    (_, row) = proposals_table([made]).rows
    assert row[proposals_table([made]).keys.index("word")] == "too few"


def test_statements_stand_in_the_option_or_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "half.json"
    file.write_text('{\n  "y": {"min": 0.5}\n}')
    written = 'half={"y": {"min": 0.5}}'
    assert statements_in_file(f" half = {file}") == statements_in_file(written) == written
    assert named_statements(written) == (written,)
    for typed in ("half.json", f"half={file}"):
        with pytest.raises(ValueError, match="expected NAME=JSON or NAME=FILE, got 'half"):
            named_statements(typed)
    with pytest.raises(InputError, match=r"sum to 1\.5"):
        named_statements('half={"y": 1.5}')
    file.write_text('{\n  "y": {"min": 5}\n}')
    with pytest.raises(InputError, match=r"half\.json:2: a share of y is 5"):
        statements_in_file(f"half={file}")


def test_two_proposals_of_one_name_are_refused(example: Dataset) -> None:
    twice = ('a={"region": {"Africa": {"min": 0.1}}}', 'a={"region": {"Africa": {"min": 0.2}}}')
    with pytest.raises(UsageError, match="two are called 'a'"):
        on_example(example, FIVE, proposals=twice)
    assert PolicyLabSettings(proposals=twice[:1]).words() == ["""--proposal 'a={"region": {"Africa": {"min": 0.1}}}'"""]


NOW = Kept("now", '{"y": {"min": 0.5}}', 10, "nDCG", "run", "labels")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({}, ""),
        ({"name": "then"}, ""),
        ({"k": 5}, "not comparable: k = 5"),
        ({"quality": "EER"}, "not comparable: quality EE-R"),
        ({"system": "other", "k": 5}, "not comparable: another run, k = 5"),
        ({"labels": "other"}, "not comparable: other labels"),
        ({"statements": "1~2~50~"}, "not comparable: other labels"),
    ],
)
def test_what_is_kept_under_other_conditions_is_not_compared(change: Mapping[str, Any], reason: str) -> None:
    assert apart_words(NOW._replace(**change), NOW) == reason
