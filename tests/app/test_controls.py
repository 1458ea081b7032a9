"""Some of several names: one control for all pages, which the address and the next page remember."""

from typing import Any, get_args

import pytest
from streamlit.testing.v1 import AppTest

from fairviz.evaluation.outputs import Estimate
from fairviz.kernels.attention import Browsing
from fairviz.kernels.grouping import Missing
from fairviz.metrics.consumption import Scale
from fairviz.model import ScoreScale
from fairviz.points.intervals import IntervalTest
from fairviz.points.summary import SlopeWeights
from fairviz.stats.correlation import Variant
from fairviz.studies.demographic_qa.settings import Answerable, TieRule
from fairviz.studies.policy_lab.settings import QualityName
from fairviz.studies.social_bias.measures import Leaning
from pages._kit.controls import CHOICES
from tests.app.conftest import OpenPage


def page() -> None:
    """A page with one such control; what is usual and whether none can be chosen stand in its session."""
    import streamlit as st

    from pages._kit.controls import choose_several

    st.session_state.setdefault("page", "here")
    usual, empty = st.session_state.get("usual", ("a",)), st.session_state.get("empty", False)
    shown = choose_several("Some", ["a", "b_1", "c"], "some", usual=usual, empty=empty, mark=str.upper)
    st.session_state["shown"] = shown


def opened(**address: str) -> AppTest:
    """The page by a link."""
    at = AppTest.from_function(page)
    at.query_params.update(address)
    return at.run()


def test_controls_offer_every_value_of_their_setting_and_begin_with_one_of_them() -> None:
    settings = {
        **{"attention": Browsing, "unlabelled": Missing, "scores": ScoreScale},
        **{"slope": SlopeWeights, "test": IntervalTest, "scale": Scale, "estimate": Estimate, "tau": Variant},
        **{"context": Leaning, "ties": TieRule, "answerable": Answerable},
        "quality": QualityName,
    }
    assert {name: {*CHOICES[name]["values"].values()} for name in settings} == {
        name: {*get_args(values)} for name, values in settings.items()
    }
    assert CHOICES.keys() - settings == {"frontier", "offset", "provoked", "rel", "rouge"}
    assert [*CHOICES["rouge"]["values"].values()] == [None, *(tenths / 10 for tenths in range(1, 9))]
    assert all(one.get("usual", next(iter(one["values"]))) in one["values"] for one in CHOICES.values())


def test_an_empty_name_is_one_of_the_names_and_not_what_stands_where_nothing_was_chosen() -> None:
    def page() -> None:
        import streamlit as st

        from pages._kit.controls import choose_name

        st.session_state.setdefault("page", "here")
        st.session_state["shown"] = choose_name(
            "One", ["", "a"], "one", usual="a", width=200, words=lambda name: name or "nothing"
        )

    at = AppTest.from_function(page).run()
    assert at.session_state["shown"] == "a"
    at.selectbox(key="one").set_value("").run()
    assert at.session_state["shown"] == ""
    at.session_state["page"] = "there"
    at.run()
    assert at.session_state["shown"] == ""


def test_what_is_usual_stands_in_no_address_and_what_is_chosen_does_in_the_order_of_the_names() -> None:
    at = opened()
    assert at.session_state["shown"] == ("a",)
    assert not at.query_params
    at.multiselect(key="some_chosen").set_value(["c", "a"]).run()
    assert at.session_state["shown"] == ("a", "c")
    assert at.query_params["some"] in ("A_C", ["A_C"])
    at.multiselect(key="some_chosen").set_value(["a"]).run()
    assert not at.query_params


def test_a_link_chooses_by_marks_or_names_and_one_that_names_others_is_not_taken() -> None:
    assert opened(some="C_A").session_state["shown"] == ("a", "c")
    assert opened(some="c").session_state["shown"] == ("c",)
    assert opened(some="b_1").session_state["shown"] == ("b_1",)
    strange = opened(some="C_Z")
    assert strange.session_state["shown"] == ("a",)
    assert not strange.query_params


def test_nothing_chosen_is_what_is_usual_unless_it_may_be_nothing() -> None:
    at = opened()
    at.multiselect(key="some_chosen").set_value([]).run()
    assert at.session_state["shown"] == ("a",)
    at.session_state["empty"] = True
    at.run()
    at.multiselect(key="some_chosen").set_value([]).run()
    assert at.session_state["shown"] == ()
    assert at.query_params["some"] in ("none", ["none"])


def test_where_nothing_was_chosen_the_control_follows_what_is_usual() -> None:
    at = opened()
    at.session_state["usual"] = ("c",)
    at.run()
    assert at.session_state["shown"] == ("c",)
    assert at.multiselect(key="some_chosen").value == ["c"]
    at.multiselect(key="some_chosen").set_value(["a", "c"]).run()
    at.session_state["usual"] = ("a",)
    at.run()
    assert at.session_state["shown"] == ("a", "c")  # what was chosen stays


def test_another_page_takes_over_what_was_chosen() -> None:
    at = opened(some="C")
    at.session_state["page"] = "there"
    at.query_params.clear()
    at.run()
    assert at.session_state["shown"] == ("c",)
    assert at.query_params["some"] in ("C", ["C"])


CHOSEN: dict[str, dict[str, object]] = {
    "agreement": {"one_group": "Asia", "agree_chosen": ["AWRF", "logDP"], "ranks": "50", "rerank_chosen": ["DetCons"]},
    "data": {"attribute": "provider"},
    "demographic_qa": {"answered": ""},
    "export": {"export_target": "equal", "one_group": "Asia"},
    "learn": {"choose_goal": "opportunity"},
}
"""Controls by their pages, with a value that none begins with."""


@pytest.mark.parametrize("page", CHOSEN)
def test_the_address_of_a_page_brings_back_what_was_chosen(app_test: OpenPage, page: str) -> None:
    at = app_test(page, link={"chapter": "Choose a metric"} if page == "learn" else {"k": "4"})

    def controls() -> dict[str, Any]:
        kinds = (at.selectbox, at.multiselect, at.button_group, at.radio)
        return {each.key: each for kind in kinds for each in kind if each.key}

    for key, value in CHOSEN[page].items():
        assert controls()[key].value != value
        controls()[key].set_value(value).run()
    link = {name: at.query_params[name] for name in at.query_params}
    at = app_test(page, link=link)
    assert {key: controls()[key].value for key in CHOSEN[page]} == CHOSEN[page]
