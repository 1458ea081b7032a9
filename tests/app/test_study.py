"""A study saved on Export and opened elsewhere: the same data, settings, pins and numbers; or nothing at all."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from fairviz.display.methods import AgainstTarget
from fairviz.errors import InputError
from fairviz.io.archive import archive
from fairviz.io.manifest import DataPath
from fairviz.io.source import Options, Source
from fairviz.reporting import study_file
from fairviz.reporting.request import Request
from fairviz.reporting.study_file import PageSettings, StudyContents, StudyPart, TargetSetting, read_study, write_study
from pages import _export as study_of_session
from pages._kit.target import session_key
from tests.app.conftest import OpenPage
from tests.app.reading import GROUPS, QRELS, RUN, TWELVE, VARIANTS, markup, press, words
from tests.app.test_data import BAD_RUN, upload
from tests.app.test_opening import start_with
from tests.reporting.malformed import GOOD
from tests.studies.policy_lab.few import compare


def saved(at: AppTest) -> bytes:
    """What the button on Export hands out."""
    at.switch_page("pages/export.py").run()
    made: list[bytes] = []
    real = study_of_session.saving

    def once(name: str, note: str, refused: list[str]) -> object:
        write = real(name, note, refused)
        made.append(write())
        return write

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pages._export.saving", once)
        at.run()
    return made[-1]


def keep_proposal(at: AppTest, name: str, statements: dict[str, object]) -> None:
    """State shares on Policy lab and keep them under a name."""
    at.switch_page("pages/policy_lab.py").run()
    at.session_state["statements"] = json.dumps(statements)
    at.run()
    at.text_input(key="proposal_name").set_value(name).run()
    at.button(key="proposal_keep").click().run()


def test_a_study_is_the_same_elsewhere(app_test: OpenPage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compare(monkeypatch, "det-greedy")  # of twelve re-rankers the numbers take seconds
    at = upload(app_test("data"), my_run=TWELVE, my_qrels=QRELS.replace("q9", "xq1"), my_tsv=GROUPS)
    at.switch_page("pages/tradeoff.py").run()
    at.number_input(key="k").set_value(3).run()
    at.switch_page("pages/groups.py").run()
    at.switch_page("pages/export.py").run()
    at.selectbox(key="export_target").set_value("collection").run()
    at.switch_page("pages/agreement.py").run()
    keep_proposal(at, "Mine", {"region": {"europe": {"min": 0.5}}})
    at.switch_page("pages/data.py").run()
    at.text_input(key="unit").set_value("shops, sources").run()
    assert "“shops, sources” is no noun of letters alone: pages say “documents”." in words(at)
    at.text_input(key="unit").set_value("firms").run()
    at.text_input(key="unit").set_value("").run()
    assert "Documents by region" in markup(at)
    at.text_input(key="unit").set_value("shops").run()
    assert "of letters alone" not in words(at)
    assert "Shops by region" in markup(at)
    content = saved(at)
    study = read_study(Source("my.fairviz", None, content))
    assert [file.name for file in study.files] == ["my.run", "my.qrels", "my.tsv"]
    assert study.files[0].content == TWELVE.encode()
    assert study.settings.chosen["k"] == "3"
    assert study.settings.chosen["export_target"] == "collection", "of a page that was left"
    assert "EED@3" in str(study.results)
    assert write_study(study) == content, "equal studies, equal bytes"

    path = tmp_path / "my.fairviz"
    path.write_bytes(content)
    start_with(monkeypatch, DataPath(path))
    other = app_test("tradeoff")
    assert other.number_input(key="k").value == 3
    before, now = at.session_state["dataset"], other.session_state["dataset"]
    assert before.fingerprint == now.fingerprint
    other.switch_page("pages/export.py").run()
    assert other.selectbox(key="export_target").value == "collection"
    again = read_study(Source("my.fairviz", None, saved(other)))
    assert replace(again, settings=study.settings) == study
    assert again.settings.targets == study.settings.targets
    assert again.settings.chosen == study.settings.chosen
    assert "The report compares “Mine”, kept on Policy lab." in words(other)
    other.switch_page("pages/policy_lab.py").run()
    assert "One proposal: “Mine”" in words(other)
    assert "europe ≥ 50" in words(other)
    assert "a service that adds shops" in " ".join(fold.label for fold in other.expander)
    other.switch_page("pages/data.py").run()
    assert other.text_input(key="unit").value == "shops"
    assert "Study Your files · saved by fairviz" in " ".join(words(other).split())
    press(other, "Compute its numbers again")
    assert "All numbers of the file are the same" in words(other)


def test_a_study_that_cannot_be_opened_leaves_everything_as_it_was(app_test: OpenPage) -> None:
    at = upload(app_test("data"), my_run=TWELVE)
    before = at.session_state["dataset"]
    content = write_study(replace(GOOD, files=(GOOD.files[0]._replace(content=BAD_RUN.encode()),)))
    for name, damaged, said in (
        ("bad.fairviz", content, "my.run, line 2: score is not finite"),
        ("cut.fairviz", content[:-50], "cut.fairviz: the archive is damaged or cut off"),
        ("other.zip", archive({"a.run": "x"}), "other.zip: this is a ZIP archive"),
    ):
        at.file_uploader[0].set_value([(name, damaged, "application/zip")]).run()
        assert said in words(at)
        assert at.session_state["dataset"] is before
        assert list(at.session_state["uploads"]) == ["my.run"]


def dropped(at: AppTest, study: StudyContents) -> AppTest:
    """The study on Data."""
    return at.file_uploader[0].set_value([("x.fairviz", write_study(study), "application/zip")]).run()


def test_settings_that_mean_nothing_end_no_page_and_take_no_place_in_memory(app_test: OpenPage) -> None:
    texts = {"a.run": TWELVE, "b.run": TWELVE.replace("sysA", "sysB"), "v.csv": VARIANTS, "g.tsv": GROUPS}
    files = tuple(StudyPart(name, "", Options(), text.encode()) for name, text in texts.items())
    at = dropped(app_test("data"), StudyContents(name="Small", files=files))
    where = session_key(at.session_state["dataset"], 0, at.session_state["dataset"].labels[0].groups)
    assert "made_of" in at.session_state, "a control that is shown while its setting comes"
    odd = {
        "min_size": ["1e999"],
        "data": ["0" * 12],
        "made_of": ["x"],
        "made_of_cells": ["x"],
        "candidates": ["9" * 4400],
    }
    settings = PageSettings(
        pages={"Data": odd, "Demographic QA": odd, "Policy lab": odd, "Nowhere": odd},
        chosen={"k": "9" * 4400, "alpha": "nan", "candidates": "9" * 4400},
        targets={
            where: TargetSetting(weights=[0.5, 0.25, 0.25]),
            f"{where}-share-0-1": TargetSetting(weights=[1.0]),  # a control's, once the preset was changed
        },
    )
    dropped(at, StudyContents(name="Odd", files=files, settings=settings))
    assert where in at.session_state
    assert f"{where}-share-0-1" not in at.session_state
    for page in ("demographic_qa", "policy_lab", "data"):
        at.switch_page(f"pages/{page}.py").run()
        assert "made with other data" not in words(at)
    assert study_of_session.saving("Odd", "", []) is not None


def test_what_a_study_asks_for_and_its_data_do_not_have_is_said(app_test: OpenPage) -> None:
    request = Request(measures=("AP",), k=3, alpha=(0.0,), against=AgainstTarget(9, "uniform"))
    at = dropped(app_test("data"), replace(GOOD, request=request, settings=PageSettings()))
    press(at, "Compute its numbers again")
    assert "there are no groups 10 in the data" in words(at)
    at = dropped(at, replace(GOOD, request=replace(request, against=None, judgements=7), settings=PageSettings()))
    press(at, "Compute its numbers again")
    assert "there are no judgements 8 in the data" in words(at)


def test_a_study_that_unpacks_to_more_than_a_session_may_hold_is_refused_before_it_is(
    app_test: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = upload(app_test("data"), my_run=TWELVE)
    before = at.session_state["dataset"]
    monkeypatch.setenv("FAIRVIZ_SESSION_MEMORY", "8")
    monkeypatch.setattr(study_file, "read_study", None)
    zeros = GOOD.files[0]._replace(name="zeros.run", content=bytes(9 * 1024**2))
    dropped(at, replace(GOOD, files=(*GOOD.files, zeros)))
    assert "no room for it in this session: it takes 9 MB" in words(at)
    assert at.session_state["dataset"] is before


def test_numbers_by_another_version_are_named(app_test: OpenPage, monkeypatch: pytest.MonkeyPatch) -> None:
    study = replace(GOOD, request=Request(measures=("AP",), k=3, alpha=(0.0, 1.0)), settings=PageSettings())
    at = app_test("data")
    at.file_uploader[0].set_value([("old.fairviz", write_study(study), "application/zip")]).run()
    said = " ".join(words(at).split())
    assert "Study Small · saved by fairviz 0.0.1; this is" in said
    assert "Look at the Trade-off." in said
    press(at, "Compute its numbers again")
    said = " ".join(words(at).split())
    assert "numbers differ from those in the file" in said
    assert re.search(r"means one, AP: 0\.5 →", said)


def test_numbers_that_could_not_be_computed_are_named_where_it_is_saved_and_opened(
    app_test: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise InputError("question 7 has no answer", file="items.csv")

    at = upload(app_test("data"), my_run=TWELVE)
    monkeypatch.setattr("pages._export.reading", refuse)
    content = saved(at)
    line = "Recorded answers: items.csv: question 7 has no answer"
    assert read_study(Source("my.fairviz", None, content)).refused == (line,)
    at.run()
    assert line in words(at)
    other = app_test("data")
    other.file_uploader[0].set_value([("my.fairviz", content, "application/zip")]).run()
    assert f"Saved without numbers of {line}" in words(other)


def test_a_table_of_several_attributes_is_reopened_with_all_of_them_and_the_crossing_looked_at(
    app_test: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    compare(monkeypatch, "det-greedy")
    both = "doc_id\tregion\tsize\n" + "".join(
        f"d{i}\t{'asia' if i < 3 else 'europe'}\t{'small' if i % 2 else 'large'}\n" for i in range(1, 5)
    )
    at = upload(app_test("data"), my_run=RUN, my_qrels=QRELS, both_tsv=both)
    at.switch_page("pages/groups.py").run()
    at.selectbox(key="labels").set_value("region × size").run()
    assert "small" in words(at)
    again = dropped(app_test("data"), read_study(Source("x.fairviz", None, saved(at))))
    again.switch_page("pages/groups.py").run()
    assert again.selectbox(key="labels").value == "region × size"
    assert [labels.attribute for labels in again.session_state["dataset"].labels] == ["region", "size"]
