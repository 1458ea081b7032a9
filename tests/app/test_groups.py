"""The Groups & targets page: what is said first, rows that follow the hand, the way to the price, folds."""

import json
import re

import pytest
from streamlit.testing.v1 import AppTest

from fairviz.kernels.attention import OWN
from pages._kit.link import name_mark
from pages._kit.target import Edited, revision, take
from tests.app.conftest import OpenPage
from tests.app.reading import GROUPS, QRELS, RUN, TWELVE, copies, of_files, press, title, words
from tests.app.target import component, move, rows, shares

TWO = "doc_id\tregion\nd1\tasia\nd2\teurope\nd3\teurope\n"
TOP2 = {"attention": "topk", "k": "2"}


def of_groups(at: AppTest) -> str:
    """The mark of the page's groups in addresses."""
    return str(component(at)["revision"]).split("-")[1]


def is_set(at: AppTest) -> bool:
    """Whether there is a target that a study file and a workspace would keep."""
    state: Edited = at.session_state[component(at)["revision"].rpartition(" ")[0]]
    return state.is_set


def opened(at: AppTest, name: str) -> AppTest:
    """The page with one of its folds open."""
    at.session_state[name] = True
    return at.run()


def test_documents_to_which_the_attribute_does_not_apply_are_in_no_share(app_test: OpenPage) -> None:
    labels = TWO + "".join(f"d{i}\tnot applicable\n" for i in (4, 5, 6, 7, 8))
    said = words(app_test("groups", dataset=of_files(run=TWELVE, qrels=QRELS, groups=labels)))
    assert "No document that gets attention is unlabelled" in said
    assert "The attribute does not apply to 60 of 96 candidates: no share counts them." in said  # 12 queries


def test_the_example_answers_first(app_test: OpenPage) -> None:
    at = app_test("groups")
    assert title(at) == "Documents labelled Africa get 8\u202f% of attention (3 to 14\u202f%); the target is 20\u202f%"
    said = words(at)
    assert "In all, 31 of 100 points of attention would have to move to another group (95\u202f% interval" in said
    assert "2\u202f% of attention goes to unlabelled documents  (3 of 140 places, in 3 queries)." in said
    assert "Re-ranking the documents already retrieved can meet all five targets at once." in said
    assert at.pills[0].value == "Loaded file"
    given = component(at)
    assert shares(at) == [20, 20, 20, 25, 15]  # the loaded file
    assert [row["name"] for row in given["rows"]] == ["North America", "Europe", "Asia", "Africa", "Latin America"]
    assert [row["words"] for row in given["rows"]][3] == "12 points under"
    assert given["foot"]["gap"] == "31 points off target in all"
    for question in ("How far is attention", "Is every list balanced", "Which group is worst off", "Quality and"):
        assert question in said
    assert "Africa: 38\u202f% of its target share." in said
    assert "stands above a less useful one from elsewhere in 51\u202f% of pairs; for North America it is 81" in said
    assert not at.get("plotly_chart")  # folded
    assert [fold.label.partition("\u2002")[0] for fold in at.expander] == [
        "**All 34 measures**",
        "**By rank**",
        "**If labels were known**",
        "**Per document**",
    ]


def test_folds_hold_the_rest(app_test: OpenPage) -> None:
    at = opened(app_test("groups"), "by_rank")
    assert len(at.get("plotly_chart")) == 5
    assert "first 10 ranks" in words(at)
    for name in ("all_measures", "missing_labels", "per_document"):
        at.session_state[name] = True
    said = words(at.run())
    assert "One group against another, no target needed" in said
    assert "Choose one group to compute PAIR" in said
    assert "widened because the worst of five groups was picked" in said
    assert "closest that re-ordering could bring all groups together" in json.dumps(component(at)["key"])
    for term in ("bootstrap", "Holm"):
        assert term not in re.sub(r"\([^)]*\)", "", said), f"{term} stands without plain words before it"
    assert "if none, or all, of the unlabelled documents were its own" in said
    assert "equal attention per retrieved document" in said


def test_shares_are_counted_by_hand(app_test: OpenPage) -> None:
    # first two of every query: one asia, one europe; africa has no ranked document
    at = app_test("groups", dataset=of_files(run=TWELVE, groups=GROUPS), link=TOP2)
    assert title(at) == "Documents labelled “africa” get none of the attention; an equal share would be 33\u202f%"
    found = rows(at)
    assert (found["asia"]["today"], found["africa"]["today"]) == ("50\u202f%", "0.0\u202f%")
    said = words(at)
    assert "can get within 33 points of all three targets; none of them is labelled “africa”." in said
    assert "can reach at most" not in said


def test_the_title_follows_the_group_that_was_moved(app_test: OpenPage) -> None:
    at = app_test("groups", dataset=of_files(run=TWELVE, groups=TWO), link=TOP2)
    assert title(at) == "Every group gets an equal share"
    assert "target" not in at.query_params, "nobody has set one"
    assert component(at)["locks"] is False  # of two, one lock would hold both
    move(at, 0, [0.25, 0.75])
    assert title(at) == "Documents labelled “asia” get 50\u202f% of attention; the target is 25\u202f%"
    mark = of_groups(at)
    assert at.query_params["target"] == f"25_75-{mark}"
    assert at.query_params["group"] == name_mark("asia")
    mark = of_groups(app_test("groups"))
    link = {"target": f"20_20_20_25_15-{mark}", "group": name_mark("Asia"), "locks": f"1_3-{mark}"}
    again = app_test("groups", link=link)
    assert title(again).startswith("Documents labelled Asia get ")
    assert component(again)["locked"] == [0, 2]


def test_what_is_set_and_locked_goes_to_the_policy_lab(app_test: OpenPage) -> None:
    at = app_test("groups", link={"k": "5"})
    move(at, 0, [0.6, 0.1, 0.1, 0.125, 0.075], locked=(0,))
    (button,) = (link.proto for link in at.get("page_link") if link.proto.page == "policy_lab")
    mark = of_groups(at)
    for carried in (f"target=60_10_10_12.5_7.5-{mark}", f"locks=1-{mark}", f"group={at.query_params['group']}", "k=5"):
        assert carried in str(button)
    at.switch_page("pages/data.py").run()
    at.switch_page("pages/groups.py").run()
    assert shares(at) == [60, 10, 10, 12, 8]
    assert component(at)["locked"] == [0]


def test_only_rows_that_know_the_shares_are_heard(app_test: OpenPage, monkeypatch: pytest.MonkeyPatch) -> None:
    at = app_test("groups")
    where = component(at)["revision"].rpartition(" ")[0]
    kept = {where: at.session_state[where]}
    monkeypatch.setattr("pages._kit.target.st.session_state", kept)
    sent = {"revision": revision(where), "weights": [0.5, 0.5, 0, 0, 0], "locked": [1], "moved": 0}
    for wrong in (
        sent | {"revision": "of before"},
        sent | {"weights": [0.5, 0.5]},
        sent | {"weights": [0.9, 0.9, 0, 0, 0]},
        sent | {"weights": [1.5, -0.5, 0, 0, 0]},
        sent | {"locked": [7]},
        sent | {"moved": 5},
        None,
    ):
        assert take(where, wrong) is None
    assert kept[where].weights.tolist() == [0.2, 0.2, 0.2, 0.25, 0.15]
    assert take(where, sent) == 0
    assert kept[where].weights.tolist() == [0.5, 0.5, 0, 0, 0]
    assert kept[where].locked == {1}


def test_presets_and_one_raised_group_set_every_share_and_open_locks(app_test: OpenPage) -> None:
    at = app_test("groups", link={"locks": f"1-{of_groups(app_test('groups'))}"})
    assert component(at)["locked"] == [0]
    at.pills[0].set_value("Equal").run()
    assert shares(at) == [20, 20, 20, 20, 20]
    assert component(at)["locked"] == []
    assert at.query_params["target"] == "equal"
    assert "locks" not in at.query_params
    raised = next(box for box in at.selectbox if str(box.key).endswith("-raise-group"))
    raised.set_value("Africa").run()
    press(at, "Set this target")
    assert sorted(shares(at)) == [18, 18, 18, 18, 30]
    assert title(at).startswith(
        "Documents labelled Africa get 8\u202f% of attention (3 to 14\u202f%); the target is 30"
    )
    assert at.pills[0].value is None


def test_a_link_that_is_no_target_is_said(app_test: OpenPage) -> None:
    odd = app_test("groups", link={"target": "1_2_3", "locks": "9_x"})
    assert "target = 1_2_3" in words(odd)
    assert shares(odd) == [20, 20, 20, 25, 15]
    assert component(odd)["locked"] == []


FIVE = "doc_id\tregion\n" + "".join(f"d{i}\t{group}\n" for i, group in enumerate("abcdeabc", start=1))


def test_a_target_of_other_groups_is_dropped_and_said(app_test: OpenPage) -> None:
    of_example = app_test("groups").query_params["target"]
    at = app_test("groups", dataset=of_files(run=TWELVE, groups=FIVE), link={"target": of_example, **TOP2})
    assert shares(at) == [20, 20, 20, 20, 20], "five shares, of other groups"
    assert f"target = {of_example}" in words(at)
    assert "an equal share would be 20\u202f%" in title(at)
    assert "target" not in at.query_params
    swapped = FIVE.replace("\ta", "\tz")  # one name is another
    mine = app_test("groups", dataset=of_files(run=TWELVE, groups=FIVE), link={"target": "collection", **TOP2})
    assert shares(mine) == [25, 25, 25, 12, 12]
    move(mine, 0, [0.6, 0.1, 0.1, 0.1, 0.1])
    link = {"target": mine.query_params["target"], **TOP2}
    other = app_test("groups", dataset=of_files(run=TWELVE, groups=swapped), link=link)
    assert shares(other) == [20, 20, 20, 20, 20]
    more = of_files(run=TWELVE.replace("sysA", "sysB"), qrels=QRELS, groups=FIVE)
    assert shares(app_test("groups", dataset=more, link=link)) == [60, 10, 10, 10, 10], "the same labels"


def test_before_one_is_set_there_is_no_target(app_test: OpenPage) -> None:
    at = app_test("groups", dataset=of_files(run=TWELVE, groups=FIVE), link=TOP2)
    # the first two places are a and b: half each, none for the others, of which c is first
    assert title(at) == "Documents labelled “c” get none of the attention; an equal share would be 20\u202f%"
    said = words(at)
    assert "For equal shares, 60 of 100 points of attention would have to move" in said
    assert "target" not in at.query_params
    assert at.pills[0].value is None
    assert not is_set(at)
    assert "target" not in " ".join([component(at)["label"], *(row["said"] for row in component(at)["rows"])])
    at.pills[0].set_value("Equal").run()
    assert title(at) == "Documents labelled “c” get none of the attention; the target is 20\u202f%"
    assert is_set(at)


def test_what_has_no_label_can_be_a_group_and_attention_ones_own(
    app_test: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(OWN, "first-four", lambda rank: rank <= 4)
    link = {"attention": "first-four", "unlabelled": "own group", "k": "9"}
    at = app_test("groups", dataset=of_files(run=TWELVE, groups=TWO), link=link)
    assert "Attention first-four" in [box.value and box.options[-1] for box in at.selectbox]
    # four places: asia 1, europe 2, no label 1, in every query
    assert rows(at)["unlabelled"]["words"] == "8 points under"
    assert "of attention; an equal share would be 33\u202f%" in title(at)
    assert "They are a group of their own below." in words(at)


def test_many_groups_are_typed_and_have_no_colours(app_test: OpenPage) -> None:
    labels = "doc_id\tkind\n" + "".join(f"d{i}\tg{i}\n" for i in range(1, 9))
    at = app_test("groups", dataset=of_files(run=TWELVE, groups=labels))
    given = component(at)
    assert given["drags"] is False
    assert {row["hue"] for row in given["rows"]} == {None}
    assert at.expander[0].label.startswith("**Five questions**")
    assert "How far is attention from " not in words(at)
    assert "How far is attention from equal shares?" in words(opened(at, "five_questions"))


def test_without_judgements_quality_is_not_said_and_the_price_is_by_scores(app_test: OpenPage) -> None:
    at = app_test("groups", dataset=of_files(run=TWELVE, groups=TWO))
    assert "Not on these data: " in words(at)
    (button,) = (link.proto for link in at.get("page_link") if link.proto.page == "policy_lab")
    assert not button.disabled
    judged = of_files(run=copies(RUN, 6), groups=TWO, qrels=copies(QRELS, 6))  # two judged queries, six times
    assert "of what an ideal list of equal shares would score" in words(app_test("groups", dataset=judged))


@pytest.mark.parametrize("files", [{"run": RUN}, {"groups": GROUPS}, {"qrels": QRELS}])
def test_what_is_missing_is_said(app_test: OpenPage, files: dict[str, str]) -> None:
    at = app_test("groups", dataset=of_files(**files))
    assert title(at) == "No group labels are loaded" if "groups" not in files else title(at)
    assert "doc_id and group" in words(at)


def test_labels_of_other_documents_only(app_test: OpenPage) -> None:
    at = app_test("groups", dataset=of_files(run=RUN, groups="doc_id\tkind\nx1\ta\nx2\tb\n"))
    assert title(at) == "No attention falls on labelled documents"
    assert "no labelled document occurs in the run" in words(at)
    assert rows(at)["a"]["today"] == "–"


def test_the_button_of_the_cutoff_has_the_cutoff_of_the_page(app_test: OpenPage) -> None:
    """Whatever k another page showed last: a control that nobody moved has each page's usual value."""
    at = app_test("inspect")
    assert at.number_input(key="k").value == 5
    at.switch_page("pages/groups.py").run()
    assert at.number_input(key="k").value == 10
    labels = [p.proto.popover.label for p in at.get("popover")]
    assert [label for label in labels if label.startswith("First")] == ["First 10 ranks"]
