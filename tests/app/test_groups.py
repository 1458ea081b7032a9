"""The Groups & targets page: shares against a target that follows the hand."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.conftest import OpenPage
from tests.app.reading import EVIL, GROUPS, QRELS, RUN, TWELVE, copies, markup, of_files, title, words

TARGET = '{"asia": 0.25, "europe": 0.75}'
TWO = "doc_id\tregion\nd1\tasia\nd2\teurope\nd3\teurope\n"
TOP2 = {"browsing": "equal for the first k", "k": "2"}


def shares(at: AppTest) -> list[int]:
    return [int(slider.value) for slider in at.slider if "% of attention" in slider.label]


def test_the_example_from_title_to_one_query(app_test: OpenPage) -> None:
    at = app_test("groups")
    assert title(at).startswith("Documents labelled “North America” get ")
    assert title(at).endswith("of labelled attention; your target is 20\u202f%")
    said = words(at)
    assert "of attention goes to unlabelled documents" in said
    assert "measures of the same lists, in numbers and in words" in said
    assert "One group against another, no target needed" in said
    assert "not on these data, and why" in said  # PAIR of five groups
    assert "what has no label went away from the group" in said
    assert "Of the first 20 documents" in said
    assert shares(at) == [20, 20, 20, 25, 15]  # the loaded file
    assert at.pills[0].value == "Loaded file"


def test_shares_are_counted_by_hand(app_test: OpenPage) -> None:
    # first two of every query: one asia, one europe; africa has no ranked document
    at = app_test("groups", dataset=of_files(run=TWELVE, groups=GROUPS), link=TOP2)
    assert title(at) == ("Documents labelled “africa” get 0\u202f% of labelled attention; your target is 33\u202f%")
    said = words(at)
    assert "asia  50.0\u202f%" in re.sub(" +", "  ", said)
    assert "12 of 12 queries retrieved no document labelled “africa”" in said
    assert "out of reach" in said  # a third for a group without candidates
    assert "33.3 points" in said


def test_on_target_no_group_is_named(app_test: OpenPage) -> None:
    small = of_files(run=TWELVE, groups=TWO)
    at = app_test("groups", dataset=small, link=TOP2)
    assert title(at) == "Every group's share of labelled attention is on your target"
    at.slider[0].set_value(25).run()
    assert title(at) == ("Documents labelled “asia” get 50\u202f% of labelled attention; your target is 25\u202f%")
    assert shares(at) == [25, 75]
    assert not [toggle for toggle in at.toggle if toggle.label == "Lock"]  # of two, none


def test_a_move_makes_room_and_a_lock_holds(app_test: OpenPage) -> None:
    at = app_test("groups")
    at.slider[0].set_value(60).run()
    assert shares(at) == [60, 10, 10, 13, 7]
    assert at.pills[0].value is None
    at.toggle[1].set_value(True).run()
    at.slider[0].set_value(100).run()
    assert shares(at)[:2] == [90, 10]
    assert sum(shares(at)) == 100
    assert not at.exception


def test_an_echo_of_what_stood_there_before_is_no_move(app_test: OpenPage) -> None:
    # a browser that has not heard of the first move yet reports the other controls as they were
    at = app_test("groups")
    keys = {slider.label: slider.key for slider in at.slider}
    pills = at.pills[0].key
    at.slider[0].set_value(60).run()
    assert [slider.key == keys[slider.label] for slider in at.slider] == [True] + [False] * 4
    assert at.pills[0].key != pills  # what is said of the old ones is heard by nobody
    at.slider[0].set_value(61).run()
    assert shares(at) == [61, 10, 10, 12, 7]
    at.slider[3].set_value(40).run()  # and a move of another one is a move
    assert shares(at)[3] == 40
    at.pills[0].set_value("Equal").run()
    at.pills[0].set_value("Collection").run()
    at.pills[0].set_value("Equal").run()
    assert shares(at) == [20, 20, 20, 20, 20]


def test_presets_set_every_share_and_open_locks(app_test: OpenPage) -> None:
    at = app_test("groups")
    at.toggle[0].set_value(True).run()
    at.pills[0].set_value("Equal").run()
    assert shares(at) == [20, 20, 20, 20, 20]
    assert not any(toggle.value for toggle in at.toggle)
    assert not any(slider.disabled for slider in at.slider)
    assert at.query_params["target"] == "equal"


def test_two_locks_of_three_hold_the_third(app_test: OpenPage) -> None:
    at = app_test("groups", dataset=of_files(run=RUN, groups=GROUPS))
    at.toggle[0].set_value(True).run()
    at.toggle[1].set_value(True).run()
    assert [slider.disabled for slider in at.slider[:3]] == [True, True, True]


def test_a_link_brings_the_target(app_test: OpenPage) -> None:
    at = app_test("groups", link={"target": "50_20_10_10_10"})
    assert shares(at) == [50, 20, 10, 10, 10]
    assert app_test("groups", link={"target": "equal"}).pills[0].value == "Equal"
    odd = app_test("groups", link={"target": "1_2_3"})
    assert "target = 1_2_3" in words(odd)
    assert shares(odd) == [20, 20, 20, 25, 15]


def test_the_target_stands_on_the_other_page(app_test: OpenPage) -> None:
    at = app_test("groups")
    at.slider[0].set_value(60).run()
    at.switch_page("pages/inspect.py").run()
    at.switch_page("pages/groups.py").run()
    assert not at.exception
    assert shares(at) == [60, 10, 10, 13, 7]


def test_what_has_no_label_can_be_a_group(app_test: OpenPage) -> None:
    link = TOP2 | {"unlabelled": "own group", "k": "4"}
    at = app_test("groups", dataset=of_files(run=TWELVE, groups=TWO), link=link)
    # four places: asia 1, europe 2, no label 1, in every query
    assert len(shares(at)) == 3
    assert "of attention; your target is" in title(at)
    assert "25\u202f%, 8 points under" in str(at.get("plotly_chart")[0].proto.spec).encode().decode("unicode_escape")


def test_many_groups_have_number_fields(app_test: OpenPage) -> None:
    labels = "doc_id\tkind\n" + "".join(f"d{i}\tg{i}\n" for i in range(1, 9))
    at = app_test("groups", dataset=of_files(run=RUN, groups=labels))
    fields = [field for field in at.number_input if "share" in str(field.key)]
    assert [field.value for field in fields] == [13, 13, 13, 13, 12, 12, 12, 12]
    fields[0].set_value(30).run()
    assert [field.value for field in at.number_input if "share" in str(field.key)] == [30] + [10] * 7


def test_judgements_bring_quality(app_test: OpenPage) -> None:
    without = words(app_test("groups", dataset=of_files(run=RUN, groups=TWO)))
    assert "FAIR (nDCG)" in without.split("not on these data")[1]
    judged = of_files(run=copies(RUN, 6), groups=TWO, qrels=copies(QRELS, 6))  # two judged queries, six times
    with_them = app_test("groups", dataset=judged)
    assert "of an ideal list on target" in words(with_them)


@pytest.mark.parametrize("files", [{"run": RUN}, {"groups": GROUPS}, {"qrels": QRELS}])
def test_what_is_missing_is_said(app_test: OpenPage, files: dict[str, str]) -> None:
    at = app_test("groups", dataset=of_files(**files))
    assert title(at) == "No group labels are loaded" if "groups" not in files else title(at)
    assert "doc_id and group" in words(at)


def test_labels_of_other_documents_only(app_test: OpenPage) -> None:
    at = app_test("groups", dataset=of_files(run=RUN, groups="doc_id\tkind\nx1\ta\nx2\tb\n"))
    assert title(at) == "No attention falls on a labelled document"
    assert "no ranked document has a label" in words(at)


def test_names_of_groups_are_text(app_test: OpenPage) -> None:
    evil = EVIL.replace(" ", "")
    labels = f"doc_id\tkind\nd1\t{evil}\nd2\tb\n"
    at = app_test("groups", dataset=of_files(run=RUN, groups=labels))
    assert "<img" not in markup(at)
    assert "onerror=alert(1)" in words(at)
    assert "![x](" not in at.slider[0].label  # Markdown would fetch it
