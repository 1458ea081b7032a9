"""The Data page: what was found in the files, how they join, what needs a fix."""

import re
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from fairviz.display.methods import AgainstTarget
from fairviz.io.dataset import add_file
from fairviz.io.source import Options
from fairviz.metrics.catalogue import parse_measures
from fairviz.model import Factors
from pages._data.systems import filled_in, recorded
from tests.app.conftest import OpenPage
from tests.app.reading import (
    GROUPS,
    ITEMS,
    PREDICTIONS,
    QRELS,
    RUN,
    VARIANTS,
    markup,
    of_files,
    plain,
    press,
    title,
    words,
)
from tests.app.target import component
from tests.evaluating import evaluate_command
from tests.io.bias_files import bbq, json_lines
from tests.loaded import dataset_of
from tests.studies.policy_lab.few import compare

AWRF = parse_measures(["AWRF@5"])
BAD_RUN = "q1 Q0 d1 1 3.5 sysA\nq1 Q0 d2 2 nan sysA\nq1 Q0 d3 3 1.5 sysA\n"


def upload(at: AppTest, **files: str | bytes) -> AppTest:
    given = [
        (name.replace("_", "."), content.encode() if isinstance(content, str) else content, "text/plain")
        for name, content in files.items()
    ]
    return at.file_uploader[0].set_value(given).run()


def remove(at: AppTest, name: str) -> AppTest:
    return at.button(key=f"remove-{name}").click().run()


def change_type(at: AppTest, name: str, **chosen: str) -> AppTest:
    """Read a file as something else: ``kind="group labels"``, ``samples="no"``."""
    at.button(key=f"change-{name}").click().run()
    for control, value in chosen.items():
        at.selectbox(key=f"{control}-{name}").select(value).run()
    return press(at, "Read again")


def test_files_of_words_alone_open_and_are_listed_once(app_test: OpenPage) -> None:
    corpus = '{"doc_id": "d1", "title": "One", "text": "First."}\n'
    queries, references = '{"query_id": "q1", "text": "Which?"}\n', '{"query_id": "q1", "answers": ["This."]}\n'
    at = upload(app_test("data"), my_corpus=corpus, my_queries=queries, my_references=references)
    keys = [button.key for button in at.button if (button.key or "").startswith("remove-")]
    assert keys == ["remove-my.corpus", "remove-my.queries", "remove-my.references"]
    said = words(at)
    assert "3 files loaded" in said
    assert "needs a fix" not in said


def test_a_file_of_questions_and_answers_says_both_and_is_removed_whole(app_test: OpenPage) -> None:
    """BBQ's published results: one file holds the questions and the answers."""
    spoken = ("the old man.", "not known")
    records = [bbq(i, **{"unifiedqa-t5-11b_pred_race": answer}) for i, answer in enumerate(spoken)]
    name, content = json_lines(records, "preds.jsonl")
    at = upload(app_test("data"), preds_jsonl=content.decode())
    (row,) = [line for line in re.findall(r'<p class="fv-file">(.*?)</p>', markup(at)) if name in line]
    assert "bias questions" in row
    assert "answers" in row
    assert "file loaded" not in words(remove(at, name))


def test_the_example_joins_and_its_files_can_be_had(app_test: OpenPage) -> None:
    at = app_test("data")
    assert title(at) == "All 6 systems can be used (14 queries each)"
    said = words(at)
    assert "The example: 24 files" in said
    assert "bm25.run" in said
    assert "1\u202f400 answers" in said
    assert not at.get("download_button"), "made when somebody opens them"
    at.session_state["example_files"] = True
    names = [b.label for b in at.run().get("download_button")]
    assert {"bm25.run", "usefulness.qrels", "target.json"} <= set(names)


def test_a_small_dataset_is_counted_by_hand_and_every_gap_has_its_words(app_test: OpenPage) -> None:
    # q1 and q2 have judgements that differ over the pool; q3 has none; q9 is judged, not ranked.
    # Of the 16 ranked items of q1 and q2, 4 are judged: grades 2, 1, 0 and 1.
    at = app_test("data", dataset=of_files(run=RUN, qrels=QRELS, groups=GROUPS))
    assert title(at) == "2 of 3 queries can be evaluated"
    said = plain(words(at))
    assert "evaluated 2 66.7 % not judged 1 33.3 %" in said
    assert "grade 2 1 6.2 % grade 1 2 12.5 % grade 0 or less 1 6.2 % not judged 12 75.0 %" in said
    assert "undefined: q9." in said
    # 3 of the 8 ranked documents have a label: asia 1, europe 2; d99 is in no ranking.
    assert "62 % unlabelled" in said
    assert "1 labelled document in no ranking" in said
    assert "sysA has gaps" in said
    # q3 is not judged, q9 not ranked; of the first 5 of q1 and q2, d1 d3 d4 of q1 are judged; d1 d2 d3 have a label.
    assert (
        "sysA run · depth 8 3 1 not judged, lacks 1 judged one 30 % 70 % not judged 60 % 40 % unlabelled none "
        "no outputs" in said
    )
    at.number_input(key="k").set_value(1).run()
    said = plain(words(at))
    assert "50 % 50 % not judged 100 % all labelled" in said  # d1 of q1, not d1 of q2
    assert markup(at).count("fv-hatched") >= 3


def test_several_uploads_are_read_and_a_bad_one_shows_its_line(app_test: OpenPage) -> None:
    at = upload(app_test("data"), my_run=RUN, my_qrels=QRELS, bad_run=BAD_RUN)
    assert title(at) == "2 of 3 queries can be evaluated"
    said = words(at)
    assert "2 files loaded, 1 not" in said
    assert "bad.run, line 2" in said
    assert "q1 Q0 d1 1 3.5 sysA" in said  # the neighbours of the fault
    assert "q1 Q0 d3 3 1.5 sysA" in said
    assert "To fix:" in said


def test_a_table_of_two_attributes_brings_both_and_takes_both_away(app_test: OpenPage) -> None:
    people = "doc_id,region,size\nd1,north,big\nd2,south,small\nd3,north,small\n"
    at = upload(app_test("data"), my_run=RUN, my_qrels=QRELS, people_csv=people)
    assert "3 files loaded" in words(at)
    assert (
        "group table: 2 groups of region and 2 groups of size · 3 documents by region · 3 documents by size"
        in words(at)
    )
    data = at.session_state["dataset"]
    assert [labels.attribute for labels in data.labels] == ["region", "size"]
    assert "groups by region and size" in words(at)
    by_size, alone = AgainstTarget(1, "uniform"), of_files(run=RUN, groups=GROUPS)
    assert "--groups people.csv --groups-by size" in evaluate_command(data, AWRF, against=by_size)
    assert "--groups-by" not in evaluate_command(alone, AWRF, against=AgainstTarget(0, "uniform"))
    remove(at, "people.csv")
    assert at.session_state["dataset"].labels == ()


def test_the_same_file_again_changes_nothing(app_test: OpenPage) -> None:
    at = upload(app_test("data"), my_run=RUN)
    again = upload(at, my_run=RUN)
    assert "1 file loaded before: nothing changed." in words(again)
    assert "1 file loaded" in words(again)
    assert title(remove(again, "my.run")) == "All 6 systems can be used (14 queries each)", "the last file is gone"


def test_removing_a_file_removes_what_it_brought(app_test: OpenPage) -> None:
    at = upload(app_test("data"), my_run=RUN, my_qrels=QRELS, my_tsv=GROUPS)
    assert {"Remove my\\.qrels", "Change type of my\\.qrels"} <= {b.label for b in at.button}
    remove(at, "my.qrels")
    assert title(at) == "No judgements are loaded yet"
    assert "62\u202f% unlabelled" in words(at)
    press(at, "Back to the example")
    assert title(at) == "All 6 systems can be used (14 queries each)"


def test_the_rank_column_decides_among_ties_on_request(app_test: OpenPage) -> None:
    at = upload(app_test("data"), my_run="q1 Q0 d1 1 1 sysA\nq1 Q0 d2 2 1 sysA\n")
    assert "2 tied scores: ordered by document id, descending (as trec_eval)" in words(at)
    change_type(at, "my.run", ties="the rank column")
    assert "2 tied scores: ordered by rank" in words(at)


TOPICS = "q1 a d1 1\nq1 b d1 1\nq1 b d2 1\nq2 a d8 1\n"
"""q1: d1 is about a and b, d2 about b; q2: d8 about a."""


def test_what_the_target_file_speaks_of_is_said_and_a_refused_one_is_on_no_page(app_test: OpenPage) -> None:
    def said(target: str) -> str:
        data = of_files(run=RUN, qrels=QRELS, groups=GROUPS, target=target)
        return words(app_test("data", dataset=data))

    fits = said('{"asia": 0.5, "europe": 0.5, "america": 0}')
    assert "small.json has shares for 2 of 3 groups." in fits
    assert "Group africa has no target share." in fits
    assert "Target group america has no labelled document." in fits
    misspelt = said('{"asia": 0.4, "europe": 0.4, "afrika": 0.2}')
    assert "The target file is refused." in misspelt
    assert (
        "small.json gives a share to afrika (nearest: africa), which no label names: it is not used. Mend the name "
        "in the file, or leave the group out. Labels: asia, europe, africa."
    ) in misspelt
    data = of_files(run=RUN, qrels=QRELS, groups=GROUPS, target='{"asia": 0.4, "europe": 0.4, "afrika": 0.2}')
    at = app_test("groups", dataset=data)
    assert "afrika" not in words(at)
    assert component(at)["weights"] == pytest.approx([1 / 3] * 3)
    other = said('{"north": 0.5, "south": 0.5}')
    assert "The target file is refused." in other
    assert "small.json speaks of other groups (north, south): it is not used here." in other
    assert "Labels: asia, europe, africa." in other
    shares = b'{"q1": {"asia": 1}, "q2": {"asia": 0.5, "europe": 0.5}}'
    data = of_files(run=RUN, qrels=QRELS, groups=GROUPS)
    data = add_file(data, ("by-query.json", shares), Options(role="target"))
    assert "by query, for 2 queries; 1 ranked without" in words(app_test("data", dataset=data))
    alone = of_files(run=RUN, qrels=QRELS, target='{"asia": 1}')
    assert "The target file waits for them." in words(app_test("data", dataset=alone))
    none = of_files(run=RUN, qrels=QRELS, groups=GROUPS)
    assert "No target file is loaded" in words(app_test("data", dataset=none))


def test_labels_per_query_are_counted_once_per_query(app_test: OpenPage) -> None:
    # 24 ranked places; q1: d1 asia, d2 europe; q2: d1 europe; q9 is not ranked
    labels = "query_id\tdoc_id\tregion\nq1\td1\tasia\nq1\td2\teurope\nq2\td1\teurope\nq9\td1\tasia\n"
    at = app_test("data", dataset=of_files(run=RUN, qrels=QRELS, groups=labels))
    said = plain(words(at))
    assert "Region of the documents of sysA, once per query" in said
    assert "europe 2 8.3 % asia 1 4.2 % no label 21 87.5 %" in said  # the largest first
    of_europe, of_asia, without = (float(x) for x in re.findall(r"fv-bar[^>]*width: ?([0-9.]+)%", markup(at))[-3:])
    assert (of_europe / without, of_asia / without) == pytest.approx((2 / 21, 1 / 21), rel=0.1)  # no bar is cut
    assert "1 labelled document in no ranking" in said


def test_documents_to_which_an_attribute_does_not_apply_are_counted_once_and_lack_no_label(app_test: OpenPage) -> None:
    labels = GROUPS + "".join(f"d{i}\tnot applicable\n" for i in (4, 5, 6, 98))
    at = app_test("data", dataset=of_files(run=RUN, qrels=QRELS, groups=labels))
    said = plain(words(at))
    assert "40 % unlabelled" in said  # d7 and d8 of d1 d2 d3 d7 d8
    assert "europe 2 40.0 % asia 1 20.0 % africa 0 0.0 % no label 2 40.0 %" in said
    assert "Region does not apply to 3 documents, which count in no share. 1 labelled document in no ranking" in said
    by_query = "query_id\tdoc_id\tregion\nq1\td1\tasia\nq1\td2\teurope\nq2\td2\tdoes not apply\n"
    none = "doc_id\tregion\nd99\tasia\n" + "".join(f"d{i}\tnot applicable\n" for i in range(1, 9))
    soft = "doc_id\tregion\tweight\nd1\tasia\t0.5\nd1\teurope\t0.25\nd2\tasia\t1\n"
    for labels, counted in {
        by_query: "asia 1 4.3 % europe 1 4.3 % no label 21 91.3 %",  # of 23
        none: "Region applies to no document",
        soft: "asia 1.5 18.8 % europe 0.2 3.1 %",  # weights are added up: 1.5 and 0.25 of 8
    }.items():
        assert counted in plain(words(app_test("data", dataset=of_files(run=RUN, qrels=QRELS, groups=labels))))
    part = "doc_id\tkind\tweight\nd1\ta\t0.6\nd2\tb\t1\n"
    assert "20\u202f% unlabelled" in words(app_test("data", dataset=of_files(groups=part)))
    rounded = "doc_id\tkind\tweight\n" + "".join(f"d{i}\t{kind}\t0.333\n" for i in range(600) for kind in "abc")
    assert "All documents labelled" in words(app_test("data", dataset=of_files(groups=rounded))), "1 but for rounding"


def test_subtopics_become_groups_and_lead_on(app_test: OpenPage) -> None:
    at = upload(app_test("data"), my_run=RUN, my_qrels=TOPICS)
    assert "No group labels are loaded" in words(at)
    at.button(key="subtopics-my.qrels").click().run()
    said = plain(words(at))
    assert "subtopics of judgements" in said
    # q1: d1 half a half b, d2 b; q2: d8 a: 1.5 of 24 places each
    assert "a 1.5 6.2 % b 1.5 6.2 % no label 21 87.5 %" in said
    assert {link.proto.page for link in at.get("page_link")} >= {"groups", "policy_lab"}
    at.switch_page("pages/groups.py").run()
    assert "groups by subtopic" in words(at)
    assert {row["name"] for row in component(at)["rows"]} == {"a", "b"}
    at.switch_page("pages/export.py").run()
    assert any("--groups-from qrels" in code.value for code in at.code)
    at.switch_page("pages/data.py").run()
    at.button(key="subtopics-my.qrels").click().run()
    assert "No group labels are loaded" in words(at)


def test_answers_that_cite_other_documents_are_doubted(app_test: OpenPage) -> None:
    answer = (
        '{"run_id": "gen", "topic_id": "q1", "topic": "t", "references": ["d1", "x1", "x2"], '
        '"response_length": 2, "answer": [{"text": "So it is.", "citations": [0, 1, 2]}]}\n'
    )
    at = upload(app_test("data"), my_run=RUN, my_jsonl=answer)
    assert "Many cited documents are not in the first 20 of sysA gen: 2 of 3." in plain(words(at))


def test_answers_to_variants_are_counted_by_hand(app_test: OpenPage) -> None:
    # q1 has all three variants, q2 lacks male; of its two answers "A or B" names no option.
    at = app_test("data", dataset=of_files(variants=VARIANTS))
    assert title(at) == "1 of 2 questions is complete"
    said = plain(words(at))
    assert "neutral reference 2 2 0" in said
    assert "female sex 2 2 1 male sex 1 1 0" in said
    assert "question q2 lacks variant male" in said  # a note from reading
    assert "add a run" not in said


def test_bias_questions_and_answers_are_counted_by_hand(app_test: OpenPage) -> None:
    # Questions 0 and 1 of three are answered; m2 answers one that is not loaded; "a dog" is none.
    at = app_test("data", dataset=of_files(items=ITEMS, predictions=PREDICTIONS))
    assert title(at) == "2 of 3 bias questions are answered"
    said = plain(words(at))
    assert "m1 2 2 1 50.0 % m2 1 1 0 0.0 %" in said
    assert "1 answer to questions that are not loaded, left out." in said
    assert "1 question without a biased option, left out." in said


def test_one_half_of_questions_and_answers_asks_for_the_other(app_test: OpenPage) -> None:
    at = app_test("data", dataset=of_files(items=ITEMS))
    assert title(at) == "No answers are loaded yet"
    assert "Load answers to the bias questions" in words(at)
    at = app_test("data", dataset=of_files(predictions=PREDICTIONS))
    assert title(at) == "No questions are loaded yet"
    other = PREDICTIONS.replace("Age", "Religion")
    at = app_test("data", dataset=of_files(items=ITEMS, predictions=other))
    assert title(at) == "The answers and the bias questions do not join"
    assert "answers are about Religion, questions Age" in words(at)


def test_answers_stand_beside_rankings(app_test: OpenPage) -> None:
    files = {"run": RUN, "qrels": QRELS, "variants": VARIANTS, "items": ITEMS}
    at = app_test("data", dataset=of_files(**files, predictions=PREDICTIONS))
    assert title(at) == "2 of 3 queries can be evaluated"
    folds = [fold.label for fold in at.expander]
    assert "Bias questions: 2 of 3 answered, 2 models" in folds
    assert "Variants in small: 1 of 2 questions is complete" in folds
    assert "out of choice" not in words(at).lower(), "computed when opened"


def test_answers_are_uploaded_read_differently_and_removed(app_test: OpenPage) -> None:
    at = upload(app_test("data"), my_items=ITEMS, my_predictions=PREDICTIONS, my_variants=VARIANTS)
    said = plain(words(at))
    assert "3 files loaded" in said
    assert "bias questions: 3 items" in said
    assert "answers to bias questions: 4 of 2 models" in said
    assert "demographic variants: 2 questions" in said
    remove(at, "my.items")
    assert title(at) == "No questions are loaded yet" or "complete" in title(at)
    remove(at, "my.predictions")
    assert title(at) == "1 of 2 questions is complete"
    change_type(at, "my.variants", kind="answers to bias questions")
    assert "missing column" in words(at)


def test_what_systems_are_made_of_is_asked_and_becomes_a_file(app_test: OpenPage) -> None:
    other = RUN.replace("sysA", "sysB")
    given = of_files(run=RUN, other=other, qrels=QRELS, systems="system,task,k\nsysB,qa,5\n")
    at = app_test("data", dataset=given, link={"made_of": "true"})
    assert any("2 systems without task or retriever" in e.label for e in at.expander)
    known = recorded(given)
    assert known == {"sysA": Factors(), "sysB": Factors(task="qa", k=5)}
    cells: dict[str, list[str | None]] = {name: ["", None] for name in ("label", "generator")}
    cells |= {"date": [" 2026-03 ", None], "task": ["qa", " qa "], "retriever": ["bm25", "splade"]}
    cells |= {"colour": ["blue", ""], "dash": ["", "dot"]}
    made = "system\tcolour\tdash\tdate\ttask\tretriever\tk\n"
    made += "sysA\tblue\t\t2026-03\tqa\tbm25\t\nsysB\t\tdot\t\tqa\tsplade\t5\n"
    assert filled_in(known, cells) == made
    press(at, "Use these")
    assert "systems.tsv" in at.session_state["uploads"]
    assert at.session_state["dataset"].systems == {"sysA": Factors(), "sysB": Factors(task="qa", k=5)}
    assert any("2 systems without task or retriever" in e.label for e in at.expander)


def test_a_label_typed_on_data_is_the_name_of_a_system_in_every_table_figure_and_download(
    app_test: OpenPage, downloads: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    compare(monkeypatch, "det-greedy")  # of twelve re-rankers the prices take seconds
    given = of_files(run=RUN, other=RUN.replace("sysA", "sysB"), qrels=QRELS, groups=GROUPS)
    asked = ("colour", "dash", "date", "task", "retriever", "generator")
    cells = {name: ["", ""] for name in asked} | {"label": ["SPLADE++ ED", ""]}
    made = filled_in(recorded(given), cells)
    assert made == "system\tlabel\nsysA\tSPLADE++ ED\nsysB\t\n"
    labelled = add_file(given, ("systems.tsv", made.encode()))
    for page in ("data", "tradeoff", "compare", "agreement", "groups", "policy_lab", "inspect", "export"):
        at = app_test(page, dataset=labelled)
        said = words(at) + str([box.options for box in at.selectbox])
        assert "SPLADE++ ED" in said, page
        assert "sysA" not in said, page
    assert "SPLADE++ ED,plackett-luce" in downloads["fairviz-tradeoff.csv"]
    assert "sysA" not in "".join(text for name, text in downloads.items() if not name.endswith(".html"))


def test_a_label_that_is_the_name_of_another_system_is_not_used_and_told(app_test: OpenPage) -> None:
    given = of_files(run=RUN, other=RUN.replace("sysA", "sysB"), qrels=QRELS, systems="system,label\nsysA,sysB\n")
    said = words(app_test("data", dataset=given))
    assert "the label sysB is the name of another system: not used" in said
    assert "sysA" in said


def test_rows_typed_on_data_are_told_once_their_system_is_called_otherwise(app_test: OpenPage) -> None:
    at = upload(app_test("data"), a_run=RUN, my_qrels=QRELS, systems_tsv="system\ttask\nsysA\tqa\n")
    assert "rows that name" not in words(at)
    upload(at, b_run=RUN.replace("d1", "e1"))
    assert "rows that name no system that is loaded: 1 of 1 (sysA); loaded: a, b" in words(at)


def test_a_table_of_systems_whose_cells_are_emptied_is_gone(app_test: OpenPage) -> None:
    at = app_test("data", link={"made_of": "true"})
    upload(at, a_run=RUN, b_run=RUN.replace("sysA", "sysB"), systems_tsv="system\ttask\nsysA\tqa\n")
    at.session_state["dataset"] = replace(at.session_state["dataset"], systems=None)  # as if a person emptied the cells
    at.run()
    press(at, "Use these")
    assert set(at.session_state["uploads"]) == {"a.run", "b.run"}


def test_bounds_of_shares_are_not_taken_for_a_target_without_a_word(app_test: OpenPage) -> None:
    bounds = ("aims.json", b'{"region": {"asia": {"min": 0.4}}}')
    files = [("a.run", RUN.encode()), ("a.qrels", QRELS.encode()), ("region.tsv", GROUPS.encode()), bounds]
    at = app_test("data", dataset=dataset_of(files))
    assert "aims.json holds least and largest shares: Policy lab keeps to them, other pages compare with" in words(at)
    assert "No target file is loaded" not in words(at)
