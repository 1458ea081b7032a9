"""The Policy lab: its finding, what a budget moves and does not, before and after, downloads."""

import json
import re
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from fairviz.model import Dataset
from pages._kit.link import name_mark
from pages._kit.target import Editing, take_statements
from pages._policy_lab.proposals import read_kept
from tests.app.conftest import OpenPage
from tests.app.reading import of_files, plain, title, words
from tests.app.target import component, rows
from tests.app.test_tradeoff import chart
from tests.lines import run_lines
from tests.studies.policy_lab.few import compare

DOCS = "abcdefgh"
RUN = run_lines("base", {f"q{q}": DOCS for q in range(1, 13)})
"""Twelve queries, the same eight documents in the order of their names."""
QRELS = "".join(f"q{q} 0 a 1\nq{q} 0 {'b' if q % 2 else 'e'} 1\n" for q in range(1, 13))
GROUPS = "doc_id\tside\n" + "".join(f"{doc}\t{'left' if doc in 'abcd' else 'right'}\n" for doc in DOCS)
TARGET = '{"left": 0.5, "right": 0.5}'
SMALL = {"run": RUN, "qrels": QRELS, "groups": GROUPS, "target": TARGET}


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """One re-ranker: each of the others has to be paid for, and the test looks at none of them."""
    compare(monkeypatch, "det-greedy")


def opened(app_test: OpenPage, data: Dataset | None = None, **link: str) -> AppTest:
    """The page with its other methods in sight."""
    at = app_test("policy_lab", dataset=data, link=dict(link))
    at.session_state["lab-methods"] = True
    return at.run()


def test_the_example_answers_first_and_moves_compute_nothing(
    app_test: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = opened(app_test)
    assert plain(title(at)) == (
        "All five statements can hold at once: Africa gets 20 % of readers’ attention instead of 8 %, for 5.8 % less "
        "quality (could be −11.2 to +0.6 %)"
    )
    said = plain(words(at))
    for text in (
        "(Fairness of exposure): 31 → 9 points off target, quality −2.1 % (",
        "5 of 5 hold",
        "today 0 of 5 hold; 31.2 points of attention are missing",
        "cannot tell −5.8 %",
        "31 points move from North America and Europe to 3 groups",
        "Provider, about which nothing is asked: 15 points move from “large” to “small”",
        "10 of 14 queries show the same list to everybody; 4 switch between two lists",
        "No method is sure to move towards the target and stay in budget; for four we cannot tell",
        "“move up one protected group” (FA*IR) is left out: it protects one group against the rest; these labels have",
        "random: one of several lists",
        "today, 31 points off target",
        "moves, cannot tell whether it stays in budget",
        "95 % intervals, widened for the",
        "14 queries in every mean",
        "searches (queries): worse, same, better",
        "One search: ",
        "first 10 ranks",
        "Near ties: the safer setting is shown, then the cheaper.",
        "“best lottery with the asked shares” (Fairness of exposure)",
        "keep the shares, best first DetGreedy",
    ):
        assert text in said
    for term in ("DetGreedy", "Plackett–Luce", "FAIR ε-greedy", "slack", "λ", "nDCG", "bootstrap", "k = "):
        assert term not in plain(title(at)), f"a title has {term}"
    for term in ("slack", "λ", "bootstrap", "k = "):
        assert term not in re.sub(r"\([^)]*\)|\$[^$]*\$", "", said), f"{term} stands without plain words before it"
    for verdict in ("costs nothing", "unbiased", "is fair", "debias", "no change"):
        assert verdict not in said.replace("fairviz", "").lower()

    def computed(*_: Any, **__: Any) -> Any:
        raise AssertionError("something was re-ranked on a move of budget, switch or methods")

    monkeypatch.setattr("fairviz.studies.policy_lab.strengths.reranked", computed)
    at.slider(key="budget").set_value(6.0).run()
    assert "Closest within 6 % of quality is" in plain(words(at))
    assert at.query_params["budget"] == "6"
    at.toggle(key="fixed").set_value(True).run()
    assert at.query_params["fixed"] == "1"
    assert "random: one of several lists" not in words(at)
    at.multiselect(key="methods_chosen").set_value(["det-greedy", "det-cons"]).run()
    assert at.query_params["methods"] == "det-greedy_det-cons"
    assert "of two methods" in plain(words(at)).lower()


def test_the_address_holds_every_setting(app_test: OpenPage) -> None:
    link = {
        "budget": "6",
        "fixed": "1",
        "methods": "det-greedy_det-cons",
        "quality": "EE-R",
        "k": "5",
        "candidates": "40",
        "attention": "rbp",
        "unlabelled": "own group",
        "query": "q03",
        "method": "det-greedy",
        "strength": "0.5",
    }
    at = opened(app_test, None, **link)
    said = plain(words(at))
    assert {key: at.query_params[key] for key in link} == link
    for text in (
        "EE-R@5",
        "The first 40 candidates",
        "“keep the shares, best first” (DetGreedy), strength 0.5 (λ)",
        "budget of 6 %",
    ):
        assert text in said
    assert at.selectbox(key="query").value == "q03"


@pytest.mark.usefixtures("few")
def test_today_by_hand(app_test: OpenPage) -> None:
    """Top 2 is a, b: all attention on left, target ½: 50 points off, all of it on one chart."""
    at = opened(app_test, of_files(**SMALL), k="2")
    said = plain(words(at))
    assert "today, 50 points off target" in said
    assert "12 queries in every mean" in said
    today = next(t for t in chart(at, "least-loss")["data"] if t["name"] == "today")
    assert today["x"] == [pytest.approx(50)]
    assert [plain(rows(at)[side]["today"]) for side in ("left", "right")] == ["100 %", "0.0 %"]


@pytest.mark.usefixtures("few")
def test_before_a_target_is_set_no_word_of_the_page_speaks_of_one(
    app_test: OpenPage, downloads: dict[str, str]
) -> None:
    data = of_files(**{role: text for role, text in SMALL.items() if role != "target"})
    at = opened(app_test, data, k="4", budget="20")
    said = plain(title(at) + words(at))
    assert plain(title(at)).startswith("Nothing is asked yet: “right” gets 0.0 % of readers’ attention, ")
    for text in ("Each aims at equal shares", "today, 50 points from equal shares"):
        assert text in said
    for place in (said, plain(downloads["fairviz-brief.html"]), downloads["fairviz-price.csv"]):
        for word in ("off target", "on target", "your target", "the target", "(target", "line: target"):
            assert word not in place
    ask(at, {"side": {"right": {"min": 0.4}}})
    said = plain(title(at) + words(at))
    assert "off target" in said
    assert "equal share" not in said


@pytest.mark.usefixtures("few")
def test_a_statement_is_kept_by_marks_of_names_and_moves_everything(app_test: OpenPage) -> None:
    """Of four ranks the second four documents get nothing; 30 % for them is asked, and got."""
    at = opened(app_test, of_files(**SMALL), k="4")
    assert [(row["low"], row["high"]) for row in component(at)["rows"]] == [(0.5, 0.5), (0.5, 0.5)]
    ask(at, {"side": {"right": {"min": 0.3, "max": 0.45}}})
    assert plain(title(at)).startswith(
        "The statement can hold: “right” gets 30.0 % of readers’ attention instead of 0.0 %"
    )
    row = rows(at)["right"]
    assert (row["low"], row["high"], row["after"], row["mark"]) == (0.3, 0.45, "30\u202f%", "moves")
    kept = f"{name_mark('side')}~{name_mark('right')}~30~45"
    assert at.query_params["statements"] == kept
    again = opened(app_test, of_files(**SMALL), k="4", statements=kept, wrong="10")
    again.session_state["lab-wrong"] = True
    again.run()
    said = plain(words(again))
    wrong = "With 10 % wrong labels, the share of “right” lies between 27 % and 37 %"
    for text in ("Four-fifths ratio, attention per candidate: ", "at most, %", "assumed to fall with rank", wrong):
        assert text in said
    assert again.query_params["wrong"] == "10"
    again.text_input(key="wrong-of").set_value("left=20").run()
    assert "the share of “right” lies between 27 % and 44 %" in plain(words(again))
    assert again.query_params["wrong-of"] == f"{name_mark('left')}=20"
    again.text_input(key="wrong-of").set_value("right").run()
    assert "Not read. Write a group and its percent" in words(again)
    again.text_input(key="wrong-of").set_value("").run()
    assert title(again) == title(at)
    assert rows(again) == rows(at)
    other = opened(app_test, of_files(**SMALL), k="4", statements="1234~5678~30~")
    assert plain(title(other)).startswith("Both statements can hold at once: ")


@pytest.mark.usefixtures("few")
def test_statements_of_a_loaded_file_stand_there(app_test: OpenPage) -> None:
    at = opened(app_test, of_files(**SMALL | {"target": '{"right": {"min": 0.3}}'}), k="4")
    assert [(row["name"], row["low"], row["high"]) for row in component(at)["rows"]] == [
        ("left", 0, 1),
        ("right", 0.3, 1),
    ]
    assert "statements" not in at.query_params


@pytest.mark.usefixtures("few")
def test_only_rows_that_know_the_statements_are_heard(app_test: OpenPage, monkeypatch: pytest.MonkeyPatch) -> None:
    at = opened(app_test, of_files(**SMALL), k="4")
    given = component(at)
    where = given["revision"].split()[0]
    edit = Editing(where, at.session_state[where], ("left", "right"), {}, 0)
    kept: dict[str, Any] = {where: edit.state}
    monkeypatch.setattr("pages._kit.target.st.session_state", kept)
    sent = {"revision": given["revision"], "low": [0.0, 0.25], "high": [1.0, 1.0], "locked": [], "moved": 1}
    wrong = ({"revision": "of before"}, {"low": [0.5]}, {"low": [0.0, 1.5]}, {"high": [1.0, 0.1]}, {"moved": 7})
    for change in wrong:
        take_statements(edit, given["rows"], given["revision"], sent | change)
    take_statements(edit, given["rows"], given["revision"], None)
    assert kept == {where: edit.state}
    take_statements(edit, given["rows"], given["revision"], sent)
    assert json.loads(kept["statements"]) == {"side": {"right": {"min": 0.25}}}
    assert kept["group"] == "right"
    take_statements(edit, given["rows"], given["revision"], sent | {"low": [0.0, 0.0]})
    assert kept["statements"] == "free"
    exact = {"low": [0.7, 0.3], "high": [0.7, 0.3]}
    take_statements(edit, given["rows"], given["revision"], sent | exact)
    assert kept["statements"] == "target"
    assert kept[where].weights.tolist() == pytest.approx([0.7, 0.3])


@pytest.mark.usefixtures("few")
def test_all_statements_can_be_set_at_once(app_test: OpenPage) -> None:
    at = opened(app_test, of_files(**SMALL), k="2")
    next(button for button in at.button if button.label == "Nothing is asked").click().run()
    assert title(at).startswith("Nothing is asked yet: ")
    next(button for button in at.button if button.label == "Today’s shares at least").click().run()
    assert title(at) == "The statement holds today; nothing has to move"
    assert [(row["low"], row["high"]) for row in component(at)["rows"]] == [(1.0, 1.0), (0.0, 1.0)]
    at.pills[0].set_value("Equal").run()
    assert [(row["low"], row["high"]) for row in component(at)["rows"]] == [(0.5, 0.5), (0.5, 0.5)]


@pytest.mark.usefixtures("few")
def test_several_attributes_are_asked_about_at_once(app_test: OpenPage) -> None:
    at = opened(app_test)
    at.multiselect(key="also_chosen").set_value(["provider"]).run()
    assert [row["attribute"] for row in component(at)["rows"]] == ["region"] * 5 + ["provider"] * 2
    ask(at, {"region": {"Africa": {"min": 0.15}}, "provider": {"large": {"min": 0.4}}})
    assert plain(title(at)).startswith("Both statements can hold at once: Africa gets 15 % of readers’ attention")
    assert component(at)["attributes"] == ["Region", "Provider"]
    revised = component(at)["revision"]
    ask(at, {"region": {"Africa": {"min": 0.1}}})
    assert component(at)["revision"] == revised  # the same rows, whatever is asked of them


def ask(at: AppTest, bounds: dict[str, Any]) -> None:
    """What the rows make of the session when a person has stated something."""
    at.session_state["statements"] = json.dumps(bounds)
    at.run()


@pytest.mark.usefixtures("few")
def test_without_judgements_quality_is_by_scores(app_test: OpenPage, downloads: dict[str, str]) -> None:
    at = opened(app_test, of_files(run=RUN, groups=GROUPS, target=TARGET), k="4", judged="1", weights="alike")
    assert "by the system’s own scores" in title(at)
    said = plain(words(at))
    assert "nDCG@4 by scores" in said
    for word in ("judged useful", "by judgements", "by the judgements", "not useful"):
        assert word not in said
    assert "judgements" not in [trace["name"] for trace in chart(at, "least-loss")["data"]]
    assert "(nDCG@4 by scores), without judgements;" in plain(downloads["fairviz-brief.html"])


@pytest.mark.usefixtures("few")
def test_quality_is_that_of_each_page(app_test: OpenPage) -> None:
    """Trade-off knows EU, the lab nDCG, both EE-R: what one cannot take it shows its usual value for."""
    at = app_test("tradeoff")
    next(control for control in at.button_group if control.key == "quality").set_value(["EU"]).run()
    at.query_params.clear()
    at.switch_page("pages/policy_lab.py").run()
    assert at.radio(key="quality").value == "nDCG"


def test_the_brief_is_of_the_statements_whatever_is_looked_at_below_them(
    app_test: OpenPage, downloads: dict[str, str]
) -> None:
    at = opened(app_test, query="q05")
    brief = plain(downloads["fairviz-brief.html"])
    assert f"<h1>{plain(title(at))}</h1>" in brief
    rule = re.search(r"Of (\d+) queries in which Africa gains attention, the one of the median gain", brief)
    assert rule is not None
    example = brief[brief.index("An example: ") : rule.start()]
    after = [row.rsplit("<td>", 1)[1] for row in example.split("<tr>")[2:]]
    before = [row.rsplit("<td>", 2)[1] for row in example.split("<tr>")[2:]]
    assert sum("Africa" in cell for cell in after) > sum("Africa" in cell for cell in before)


def test_proposals_are_kept_compared_shown_and_removed(app_test: OpenPage) -> None:
    """Two of one run beside each other; at another k they are grey, and wait."""
    stated = "_".join(f"{name_mark('side')}~{name_mark(group)}~{low}~" for group, low in (("left", 50), ("right", 40)))
    at = app_test("policy_lab", dataset=of_files(**SMALL), link={"statements": stated})

    def keep(name: str) -> None:
        at.text_input(key="proposal_name").set_value(name).run()
        at.button(key="proposal_keep").click().run()

    keep("Both = *sides*")
    assert "One proposal: “Both *sides*”" in words(at)
    assert "left ≥ 50, right ≥ 40 · 2 of 2 hold · on screen" in plain(words(at))
    wide = json.dumps({"side": {"right": {"min": 0.3}}})
    at.session_state["statements"] = wide
    at.run()
    assert "on screen" not in words(at)
    keep("Right")
    said = plain(words(at))
    assert "No share moves significantly in one direction under both proposals" in said
    assert "What all agree on" in said
    kept = json.loads(at.query_params["proposals"])
    assert [row[0] for row in kept] == ["Both *sides*", "Right"]
    assert kept[0][1] == stated
    assert "left" not in at.query_params["proposals"]
    followed = app_test(
        "policy_lab", dataset=of_files(**SMALL), link={"proposals": at.query_params["proposals"], "k": "3"}
    )
    assert "Both *sides*: not comparable: k = 10; Right: not comparable: k = 10" in plain(words(followed))
    at.selectbox[-1].set_value("Both *sides*").run()
    at.button(key="proposal_show").click().run()
    assert "left ≥ 50, right ≥ 40 · 2 of 2 hold · on screen" in plain(words(at))
    at.button(key="proposal_remove").click().run()
    assert [row[0] for row in json.loads(at.query_params["proposals"])] == ["Right"]
    at.button(key="proposal_remove").click().run()
    assert "proposals" not in at.query_params


def test_runs_with_dates_are_compared_with_the_last_time(app_test: OpenPage) -> None:
    """Then left came first everywhere, now right does: the later run is chosen, the earlier one follows."""
    later = run_lines("base;date=2026-06", {f"q{q}": DOCS[::-1] for q in range(1, 13)})
    given = of_files(**SMALL | {"run": RUN.replace("base", "base;date=2026-01"), "later": later})

    def labels(at: AppTest) -> str:
        return plain(" ".join(each.label for each in at.expander))

    assert "Since last time" not in labels(app_test("policy_lab", dataset=of_files(**SMALL)))
    at = app_test("policy_lab", dataset=given, link={"system": "base;date=2026-06", "k": "4", "lab-since": "true"})
    title = "Since 2026-01 “left” gets 0.0 % of attention instead of 100.0 % **"
    assert title in labels(at).replace("\\", "")
    said = plain(words(at))
    assert "over 12 common queries. 2 of 2 shares have changed significantly." in said


UNREADABLE = (
    "[]]",
    "[1]",
    '[["a", "x", 10]]',
    '[["a=b", "x", 10, "nDCG", "r", "l"]]',
    '[["a", "x", "10", "nDCG", "r", "l"]]',
    json.dumps([["a", "x", 10, "nDCG", "r", "l"]] * 7),
)


def test_proposals_of_an_address_that_cannot_be_read_are_passed_over() -> None:
    loaded = of_files(**SMALL)
    assert [read_kept(loaded, text) for text in UNREADABLE] == [None] * len(UNREADABLE)
    whole = [["a", f"{name_mark('side')}~{name_mark('left')}~50~", 10, "nDCG", "r", "l"]]
    assert json.loads(read_kept(loaded, json.dumps(whole)) or "")[0][1] == '{"side": {"left": {"min": 0.5}}}'
