"""Export: what one takes away is right, whatever is loaded."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from fairviz.evaluation.systems import stated_pairs
from fairviz.metrics.catalogue import CATALOGUE
from fairviz.metrics.own import own_measure
from fairviz.model import Dataset
from fairviz.points.outputs import paired
from fairviz.reporting.assemble import usual_measures
from fairviz.reporting.request import Request
from fairviz.resources import example_folder
from pages._export import offered, with_group
from tests.app.conftest import OpenPage
from tests.app.reading import GROUPS, QRELS, RUN, markup, of_files, title, words
from tests.loaded import dataset_of

DEMO = example_folder()


def loaded(*names: str) -> Dataset:
    return dataset_of((DEMO / name for name in names), name="Mine")


def text_of(at: AppTest) -> str:
    return "\n".join([words(at), *(code.value for code in at.code)])


def test_the_example_is_measured_at_once(app_test: OpenPage) -> None:
    at = app_test("export", theme="dark")
    shown = text_of(at)
    assert "bm25-extractive-deterministic" in shown
    assert "fairviz evaluate data/demo/bm25.run" in shown
    assert "10.1145/3731120.3744599" in shown
    assert title(at) == "Nothing pinned: the bundle will hold all tables"


def test_measures_can_be_typed_and_are_refused_in_words(app_test: OpenPage) -> None:
    at = app_test("export", link={"measures": "nDCG@3"})
    assert "nDCG@3" in text_of(at)
    at = app_test("export", link={"measures": "EED"})
    assert "These measures cannot be computed" in text_of(at)
    assert "EED: browsing='topk' needs a cutoff" in text_of(at)
    at.multiselect(key="measures").set_value([]).run()
    assert "Choose a measure" in text_of(at)


def test_limits_are_made_of_one_set_of_judgements(app_test: OpenPage) -> None:
    at = app_test("export", dataset=loaded("bm25.run", "usefulness.qrels"), link={"make_limits": "true"})
    assert "Limits (TOML)" in [button.label for button in at.get("download_button")]
    twice = dataset_of([("a.run", RUN.encode()), ("a.qrels", QRELS.encode()), ("b.qrels", QRELS.encode())])
    at = app_test("export", dataset=twice, link={"make_limits": "true", "measures": "nDCG@3"})
    assert "No limits can be made of these data" in words(at)
    assert "several judgements of its queries (a, b)" in words(at)


def test_measures_of_groups_are_against_the_loaded_target(app_test: OpenPage) -> None:
    at = app_test("export")
    shown = text_of(at)
    assert "AWRF ↓" in shown
    assert "Target shares of attention: Africa 20\u202f%" in shown  # the target file's own words
    assert "--groups data/demo/region.tsv" in shown
    assert "--target data/demo/target.json" in shown
    at.selectbox(key="labels").set_value("provider").run()
    shown = text_of(at)
    assert "--groups data/demo/provider.tsv" in shown
    assert "--target uniform" in shown


def test_a_target_set_by_hand_comes_along(app_test: OpenPage) -> None:
    # 1 of 5 regions at 60 %, the others share 40 % as before: 20 : 25 : 15 : 20 of 80
    at = app_test("groups", link={"target": "60_10_10_12.5_7.5-23319d2d"})
    at.switch_page("pages/export.py").run()
    shown = text_of(at)
    assert "60\u202f%" in shown
    assert "chosen-target.json" in shown
    assert "0.6" in next(code.value for code in at.code if "evaluate" in code.value)


def test_measures_of_one_group_name_it_and_others_are_refused_in_words(app_test: OpenPage) -> None:
    at = app_test("export", link={"measures": ["logDP", "PreF(distance='KL')", "PAIR"]})
    shown = text_of(at)
    group = at.selectbox(key="one_group").value
    assert f"logDP(group='{group}') → 0" in shown
    assert f"PAIR(group='{group}')" in shown
    at.selectbox(key="one_group").set_value("Asia").run()
    assert "logDP(group='Asia')" in text_of(at)
    soft = GROUPS.replace("\n", "\t0.5\n").replace("region\t0.5", "region\tweight")
    at = app_test(
        "export", dataset=of_files(run=RUN, qrels=QRELS, groups=soft), link={"measures": ["AWRF", "FAIRBinomial"]}
    )
    shown = text_of(at)
    assert "Measures that these data do not allow" in shown
    assert "these labels are weights" in shown
    assert "--leave-out" in next(code.value for code in at.code if "evaluate" in code.value)


def test_groups_need_no_judgements(app_test: OpenPage) -> None:
    at = app_test("export", dataset=of_files(run=RUN, groups=GROUPS))
    shown = text_of(at)
    assert "AWRF ↓" in shown
    assert "--qrels" not in shown
    alone = offered(of_files(run=RUN))
    assert alone[0] == "EED@5"
    assert all(text.startswith("EED") for text in alone)
    assert "IAA(utility='score')" in offered(of_files(run=RUN, groups=GROUPS))
    link = {"measures": ["EED@5", "IAA(utility='score')", "FAIR@5", "nDCG@10"]}
    typed = text_of(app_test("export", dataset=of_files(run=RUN, groups=GROUPS), link=link))
    assert "EED@5 ↓" in typed
    assert "IAA(utility='score') ↓" in typed
    assert "Measures that these data do not allow" in typed
    assert "judgements are needed" in typed
    assert "no judgements: the candidates of EE-D are the items of the run" in typed
    assert not {"logEUR", "PAIR"} & set(offered(of_files(run=RUN, groups=GROUPS)))


@pytest.mark.parametrize(
    ("measure", "named"),
    [
        ("logDP", 'logDP(group="it\'s")'),
        ("PreF(step=5)@10", 'PreF(group="it\'s", step=5)@10'),
        ("Skew@10", 'Skew(group="it\'s")@10'),
        ("AWRF(distance='absdiff')", "AWRF(group=\"it's\", distance='absdiff')"),
        *((text, text) for text in ("AWRF", "PreF(distance='KL')", "logDP(group='b')", "nDCG@5", "no such", "Skew(")),
    ],
)
def test_a_group_is_named_where_none_is(measure: str, named: str) -> None:
    assert with_group(measure, "it's") == named


def test_outputs_alone_and_nothing_at_all(app_test: OpenPage) -> None:
    shown = text_of(app_test("export", dataset=loaded("outputs.alpha-4.jsonl.gz")))
    assert "EAR@5" in shown
    assert "--qrels" not in shown
    assert "Nothing to measure yet" in text_of(app_test("export", dataset=loaded("region.tsv")))


def test_measures_of_whole_systems_have_no_row_per_query(app_test: OpenPage) -> None:
    measures = ["AWRF", "logDP", "FeasibleRank@10"]
    at = app_test("export", link={"evaluate-table": "per-query", "measures": measures})
    shown = text_of(at)
    assert "AWRF" in shown
    assert "rows more in the downloads" in shown
    per_query = re.search(r"Every measure of every query \(per-query\)</caption>.*?</table>", markup(at), re.DOTALL)
    assert per_query
    assert "AWRF" in per_query[0]
    assert "logDP" not in per_query[0]


def test_what_is_offered_fits_the_data() -> None:
    assert not offered(Dataset())
    assert not usual_measures(loaded("bm25.run"), Request())
    judged = loaded("bm25.run", "usefulness.qrels")
    assert usual_measures(judged, Request(rel=3)) == ("EED@5", "EER(rel=3)@5", "nDCG@10", "AP")
    answers = loaded("outputs.alpha-1.jsonl.gz", "references.jsonl")
    assert usual_measures(answers, Request()) == ("EU", "EAR@5", "EAED@5")
    assert "EU(utility='rougeL')" in offered(answers)
    assert stated_pairs(answers, paired(answers)) == {}


def test_peoples_own_measures_are_offered_where_the_data_have_what_they_read(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, function in {"OfLists@k": lambda exposure: 0.0, "OfGroups": lambda groups: 0.0}.items():
        measure = own_measure(function, name, better="lower", range=(0, 1))
        monkeypatch.setitem(CATALOGUE, measure.name, measure)
    assert "OfLists@10" in offered(of_files(run=RUN))
    assert "OfGroups" not in offered(of_files(run=RUN))
    assert "OfGroups" in offered(of_files(run=RUN, groups=GROUPS))
