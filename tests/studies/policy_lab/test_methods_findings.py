"""Titles and words of the price of a target: every branch, with its numbers."""

import numpy as np
import pytest

from fairviz.display.words import Finding
from fairviz.studies.policy_lab.bench import Row
from fairviz.studies.policy_lab.budget import Outcome, outcome, silence
from fairviz.studies.policy_lab.examples import before_after_finding
from fairviz.studies.policy_lab.findings import depth_words
from fairviz.studies.policy_lab.methods_findings import (
    methods_title,
    price_finding,
    reach_words,
)
from fairviz.studies.policy_lab.stated import GroupDepths
from fairviz.studies.policy_lab.strengths import NAMES
from tests.studies.policy_lab.curves import MANY, setting, summary, tried_of
from tests.studies.policy_lab.lists import compared

FOE, CONS, PL = (NAMES[name] for name in ("fairness-of-exposure", "det-cons", "plackett-luce"))
NOW = summary(31, 0.0, share=0.08)
BEST = setting(9, -0.021, -0.056, method="fairness-of-exposure", lists=MANY)
SURE = setting(11, 0.012, -0.015, method="det-cons", share=0.15)


def moved(group: str, today: float, after: float, target: float) -> Row:
    return {"group": group, "today": today, "after": after, "target": target}


AFRICA = moved("Africa", 0.08, 0.16, 0.2)


def bought(*settings: Row, now: Row = NOW, budget: float = 0.03, silent: str = "") -> Outcome:
    return outcome(now, tried_of(*settings), budget=budget, quality="nDCG@10", spoken=0, silent=silent)


def said(found: Outcome, share: Row | None = AFRICA, *, mine: bool = True, **changes: object) -> Finding:
    finding = price_finding(found._replace(share=share, **changes), mine=mine)  # type: ignore[arg-type]
    return Finding(*(text.replace("\u202f", " ") for text in finding))


def test_what_moves_and_a_loss_that_cannot_be_ruled_out() -> None:
    found = said(bought(BEST, SURE))
    assert found.title == (
        "Africa: 8 % → 16 % of attention (target 20 %). Quality −2.1 %; a loss of up to 5.6 % is possible: cannot tell "
        "whether it stays in your budget of 3 %."
    )
    assert found.sentence == (
        f"Of two methods {FOE} moves closest to the target within the budget, but it shows each visitor "
        f"one of several lists at random. A fixed list: {CONS} gives Africa 15 %, 11 points off target in all, quality "
        "+1.2 % (−1.5 to +3.9); 9 of 14 queries lose, 4 gain: moves, stays in budget."
    )
    assert said(bought(BEST, SURE), mine=False).title.endswith("stays in the budget of 3 %.")


def test_a_low_end_inside_the_budget_is_at_worst() -> None:
    found = said(bought(SURE))
    assert found.title.endswith("Quality +1.2 %; at worst −1.5 %: stays in your budget of 3 %.")
    assert found.sentence.endswith("it shows every visitor the same lists.")
    gains = said(bought(setting(9, 0.09, 0.071)))
    assert gains.title.endswith("Quality +9.0 %; nothing is lost, at worst +7.1 %: stays in your budget of 3 %.")
    close = said(bought(setting(9, -0.02, -0.0302)))
    assert "a loss of up to 3.02 % is possible: cannot tell whether it stays in your budget of 3 %" in close.title


def test_without_a_sure_fixed_list_that_is_said() -> None:
    assert said(bought(BEST)).sentence.endswith("No fixed list is sure to move and stay in budget.")
    lucky = setting(11, 0.012, -0.015, method="det-cons", ratio=0.1)  # it stays in budget and may not move
    assert said(bought(BEST, lucky)).sentence.endswith("No fixed list is sure to move and stay in budget.")


def test_before_a_target_is_set_titles_speak_of_equal_shares() -> None:
    unset = {"is_set": False}
    found = said(bought(BEST, SURE), **unset)
    assert found.title.startswith("Africa: 8 % → 16 % of attention (equal share 20 %). ")
    assert "moves closest to equal shares within the budget" in found.sentence
    assert "11 points from equal shares in all" in found.sentence
    assert said(bought(), None, **unset).title == "Nothing within a 3 % loss moves attention towards equal shares"
    assert said(bought(now=summary(0.2, 0.0, was=0.2)), **unset).title == "Today's lists give equal shares"
    unsure = said(bought(BEST | {"ratio": 1.0}), **unset).title
    assert unsure == "Cannot tell whether anything within a 3 % loss moves attention towards equal shares"
    for text in (*found, unsure):
        assert "target" not in text


def test_nothing_inside_the_budget() -> None:
    dear = said(bought(setting(5, -0.2)))
    assert dear.title == "Nothing within a 3 % loss moves Africa towards 20 %"
    assert dear.sentence == (
        "Africa gets 8 % today. Today's lists are 31 points off target; by estimate every setting that gets nearer "
        "costs more than 3 % of quality (nDCG@10)."
    )
    assert "at any price" in said(bought(setting(30.5, 0.0))).sentence
    tiny = said(bought(), moved("minority", 0.004, 0.004, 0.03))
    assert tiny.title == "Nothing within a 3 % loss moves “minority” towards 3.0 %"
    assert tiny.sentence.startswith("“minority” gets 0.4 % today. ")
    assert said(bought(), None).title == "Nothing within a 3 % loss moves attention towards the target"


def test_a_group_that_a_setting_moves_is_not_said_to_stay_though_all_together_do_not_move() -> None:
    found = said(bought(setting(30.5, 0.0, share=0.1)))
    assert found.title == "Nothing within a 3 % loss moves attention towards the target"


def test_what_chance_could_do_is_not_called_nearer() -> None:
    unsure = said(bought(BEST | {"ratio": 1.0}))
    assert unsure.title == "Cannot tell whether anything within a 3 % loss moves attention towards the target"
    assert unsure.sentence == (
        f"Closest is {FOE}, 9 points off target (31 today); a movement under 2 points could hardly have shown here."
    )


def test_a_group_that_stays_is_not_said_to_move() -> None:
    stays = said(bought(BEST), moved("minority", 0.0, 0.0, 0.03)).title
    assert stays.startswith(
        "“minority” stays at 0.0 % of attention (target 3 %), all groups: 31 → 9 points off target."
    )
    assert "→ 0" not in stays
    assert said(bought(BEST), None).title.startswith("31 → 9 points off target. ")


def test_a_group_that_moves_a_little_is_not_said_to_stay() -> None:
    moves = said(bought(BEST), moved("both", 0.006, 0.010, 0.25)).title
    assert moves.startswith("“both”: 0.6 % → 1.0 % of attention (target 25 %), all groups: 31 → 9 points off target.")


def test_branches_about_today() -> None:
    near = summary(0.2, 0.0, was=0.2)
    assert said(bought(now=near)) == (
        "Today's lists are on target",
        "They are 0.2 points of attention away from it; nothing needs to change.",
    )
    assert said(bought(now=NOW | {"n_queries": 0})).title == "No query can be compared"
    assert said(bought(now=NOW | {"n_queries": 1}, silent="one query")).title == "One list: nothing is tested"


def test_too_few_queries_or_labels_have_one_rule() -> None:
    few = NOW | {"n_queries": 41, "n_labelled": 6}
    reason = silence(few, 0.0)
    assert reason == "only 6 of 41 queries show labelled documents today: too few to compare; ten are needed"
    assert silence(few | {"n_labelled": 1}, 0.0).startswith("only 1 of 41 queries shows labelled documents")
    found = bought(BEST, now=few, silent=reason)
    assert said(found) == (
        "Too few queries to say what this costs",
        f"{reason[0].upper()}{reason[1:]}. Next: label documents at the top of at least four more queries.",
    )
    assert found.best is None
    hidden = said(bought(BEST, silent=silence(NOW, 0.98)), unlabelled=0.98)
    assert hidden.title == "Too many documents have no label to say what this costs"
    assert hidden.sentence.endswith("at most 20 % of attention may be without a label (98 % today).")
    assert silence(NOW | {"n_queries": 9}, 0.0) == "9 queries: too few to compare; ten are needed"
    assert silence(NOW, 0.2) == ""


@pytest.mark.parametrize(
    ("states", "wanted"),
    [
        ("cee", "One of three methods moves towards the target and stays in budget; for two we cannot tell"),
        ("cc", "Both methods move towards the target and stay in budget"),
        (
            "eon",
            "No method is sure to move towards the target and stay in budget; for one we cannot tell, one is over "
            "budget by estimate and one does not move",
        ),
        ("o", "The method is over budget by estimate"),
    ],
)
def test_methods_are_counted_by_where_they_get(states: str, wanted: str) -> None:
    kinds = {"c": SURE, "e": BEST, "o": setting(5, -0.2), "n": setting(31, 0.0)}
    tried = tried_of(*(kinds[state] | {"method": str(i)} for i, state in enumerate(states)))
    assert methods_title(outcome(NOW, tried, budget=0.03)) == wanted


def test_a_row_says_how_far_and_how_sure() -> None:
    far = setting(24, -0.001, -0.02, method="fairness-of-exposure")

    def words(*settings: Row) -> str:
        found = bought(*settings)
        return reach_words(found.reaches[0], found).replace("\u202f", " ")

    assert words(BEST, far) == (
        "9 points off target: moves, cannot tell whether it stays in budget; 24: moves, stays in budget"
    )
    assert words(BEST) == "9 points off target: moves, cannot tell whether it stays in budget"
    assert words(SURE) == "11 points off target: moves, stays in budget"
    assert words(setting(5, -0.038)) == "over budget by estimate; to come within 5 points: −3.8 %"
    lucky = setting(5, -0.038, ratio=0.1)
    assert words(lucky) == "over budget by estimate; to come within 5 points: −3.8 % (cannot tell whether it moves)"
    assert words(setting(32, 0.0)) == "does not move towards the target"


def test_documents_that_no_order_can_show() -> None:
    depths = GroupDepths(np.array([100]), 100, 618, 0, [("men", 166), ("women", 92)])
    assert depth_words(depths) == (
        "The first 100 candidates of each query are re-ranked. Re-ranking cannot add documents: 166 of 618 queries "
        "retrieved none labelled “men” and 92 none labelled “women”."
    )


def test_one_query_in_counts() -> None:
    result = compared("abcde", "aebcd", k=3, useful={"c"}, quality=(0.94, 0.84))
    found = before_after_finding(result, "nDCG@3")
    assert found.title == ("One search: one useful document leaves the first three; the newcomer was not judged useful")
    assert found.sentence == "Its quality (nDCG@3): 0.94 → 0.84."
    same = compared("abc", "acb", k=3)
    assert before_after_finding(same, "nDCG@3").title == (
        "One search: the first three stay the same documents; two move"
    )
    assert "undefined" in before_after_finding(same, "nDCG@3").sentence


@pytest.mark.parametrize(
    ("after", "useful", "words"),
    [
        ("abxy", "cd", "two useful documents leave the first four; neither newcomer was judged useful"),
        (
            "abxy",
            "cx",
            "two documents leave the first four, one of them useful; one of the two newcomers was judged useful",
        ),
        ("abxy", "xy", "two documents leave the first four, none of them useful; both newcomers were judged useful"),
        (
            "axyz",
            "bxy",
            "three documents leave the first four, one of them useful; two of the three newcomers were judged useful",
        ),
        (
            "axyz",
            "b",
            "three documents leave the first four, one of them useful; none of the three newcomers was judged useful",
        ),
        ("abcx", "x", "one document leaves the first four, which was not useful; the newcomer was judged useful"),
        ("abxy", "", "two documents enter the first four, two leave; none of them is judged useful"),
    ],
)
def test_what_becomes_of_useful_documents(after: str, useful: str, words: str) -> None:
    rest = "".join(doc for doc in "abcdxyz" if doc not in after)
    result = compared("abcdxyz", after + rest, k=4, useful=useful)
    assert before_after_finding(result, "nDCG@4").title == f"One search: {words}"
