"""What stands around every page: links, the loaded data, caches, markup, headers."""

import doctest
import importlib

import pytest
from streamlit.testing.v1 import AppTest

from fairviz.display.theme import DARK, LIGHT
from fairviz.model import Dataset
from pages import TITLES
from pages._kit import session
from pages._kit.html import Html, PageColumn, bar, dotted, el, glyph, in_tone, join, table, two_lines
from pages._kit.link import LINK_LENGTH, name_mark
from pages._kit.shell import inventory, style_sheet
from tests.app.conftest import OpenPage
from tests.app.reading import EVIL, GROUPS, ITEMS, PREDICTIONS, QRELS, RUN, VARIANTS, of_files, press, title, words
from tests.dashboard import ROOT
from tests.loaded import dataset_of


@pytest.mark.parametrize("page", TITLES)
def test_every_page_opens_on_nearly_nothing_and_reads_no_example_beside_it(
    app_test: OpenPage, page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_shipped(name: str = "example") -> Dataset:
        raise AssertionError("the example was read")

    session._read_example.clear()
    monkeypatch.setattr(session, "read_shipped", read_shipped)
    judged = {"run": RUN, "qrels": "q1 0 d1 1\n"}
    lists = ({"run": RUN}, {"qrels": QRELS}, judged, {**judged, "groups": GROUPS})
    answers = ({"variants": VARIANTS}, {"predictions": PREDICTIONS}, {"items": ITEMS, "predictions": PREDICTIONS})
    for files in (*lists, *answers):
        app_test(page, dataset=of_files(**files))


@pytest.mark.parametrize(
    ("page", "lack"),
    [
        ("tradeoff", "No scored run in Small"),
        ("policy_lab", "No ranked lists with scores (a run) and no group labels in Small"),
        ("compare", "No curves in Small"),
        ("attribution", "No recorded answers in Small"),
    ],
)
def test_a_page_names_what_its_data_lack(app_test: OpenPage, page: str, lack: str) -> None:
    assert lack in words(app_test(page, dataset=of_files(qrels=QRELS)))


def test_examples_in_docstrings_of_the_parts_of_pages_hold() -> None:
    parts = [path for path in (ROOT / "pages").glob("_*/*.py") if ">>> " in path.read_text(encoding="utf-8")]
    for path in parts:
        found = doctest.testmod(importlib.import_module(f"pages.{path.parent.name}.{path.stem}"))
        assert found.attempted > 0, path
        assert found.failed == 0, path


@pytest.mark.parametrize(("read", "charts"), [(set[str](), 1), ({"the example"}, 0)])
def test_who_comes_before_the_example_is_read_is_told_so(
    monkeypatch: pytest.MonkeyPatch, read: set[str], charts: int
) -> None:
    monkeypatch.setattr(session, "_SHIPPED", read)
    at = AppTest.from_string("from pages._kit.shell import reading_notice\nreading_notice()").run()
    assert len(at.get("plotly_chart")) == charts
    assert not at.exception


@pytest.mark.parametrize("page", TITLES)
def test_nothing_of_the_example_is_shown_in_place_of_other_data(app_test: OpenPage, page: str) -> None:
    at = app_test(page, link={"data": "0" * LINK_LENGTH, "file": ["my.run", "my.qrels"], "alpha": "4"})
    said = words(at)
    assert "You followed a link that was made with other data" in said
    assert "load my.run and my.qrels." in said
    assert "Nothing yet" in said
    assert len(at.get("file_uploader")) == (0 if page == "learn" else 1)
    if page != "learn":  # its lessons are about no data
        assert not at.get("plotly_chart")
        assert not at.get("table")
    if page != "data":
        assert not at.get("download_button")
    assert "judged queries" not in said


@pytest.mark.parametrize(("settings", "k", "alpha"), [("these settings", 3, 4), ("its own settings", 5, 2)])
def test_a_person_says_what_to_look_at_instead_and_with_which_settings(
    app_test: OpenPage, settings: str, k: int, alpha: float
) -> None:
    link: dict[str, str | list[str]] = {"data": "0" * LINK_LENGTH, "file": ["my.run"], "alpha": "4", "k": "3"}
    at = press(app_test("inspect", link=link), f"Continue with the example, with {settings}")
    assert f"top {k}" in title(at)
    assert at.slider(key="alpha").value == alpha
    assert "my.run" not in words(at)
    assert "cannot take" not in words(at)


def test_the_files_can_be_loaded_where_they_are_missed(app_test: OpenPage) -> None:
    mark = of_files(run=RUN).fingerprint[:LINK_LENGTH]
    at = app_test("inspect", link={"data": mark, "k": "3"})
    assert f"load the same files. Their fingerprint is {mark}." in words(at)
    at.file_uploader[0].set_value([("small.run", RUN.encode(), "text/plain")]).run()
    assert "Your files · query q1 · k = 3" in words(at)
    assert "The file lives in this tab only" in words(at)


def test_a_link_names_only_what_is_still_missing(app_test: OpenPage) -> None:
    link: dict[str, str | list[str]] = {"data": "0" * LINK_LENGTH, "file": ["small.run", "my.qrels"]}
    at = app_test("home", dataset=of_files(run=RUN), link=link)
    assert "load my.qrels." in words(at)
    press(at, "Continue with what is loaded, with these settings")
    assert "my.qrels" not in words(at)


def test_a_reload_is_no_link(app_test: OpenPage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "token", lambda: "one")
    at = app_test("inspect", dataset=of_files(run=RUN), link={"k": "3"})
    link = {name: at.query_params[name] for name in ("data", session.SIGNED, "k")}
    again = words(app_test("inspect", link=link))
    assert "You reloaded the page: its files are gone" in again
    assert "load small.run." in again, "the server remembers the names, the address need not say them"
    for other in ("another", ""):
        monkeypatch.setattr(session, "token", lambda other=other: other)
        assert "You followed a link" in words(app_test("inspect", link=link))
    assert session.SIGNED not in app_test("inspect").query_params, "the example is nobody's"


def test_names_of_files_are_in_the_address_only_where_a_person_says_so(app_test: OpenPage) -> None:
    at = app_test("data", dataset=of_files(run=RUN, qrels=QRELS))
    assert "file" not in at.query_params
    box = next(box for box in at.checkbox if box.label == "Name these files in links")
    box.check().run()
    assert at.query_params["file"] == ["small.run", "small.qrels"]
    at.switch_page("pages/inspect.py").run()
    assert at.query_params["file"] == ["small.run", "small.qrels"]
    at.switch_page("pages/data.py").run()
    box = next(box for box in at.checkbox if box.label == "Name these files in links")
    assert box.value
    box.uncheck().run()
    assert "file" not in at.query_params
    assert "small" not in str(dict(at.query_params))


def test_a_link_with_this_data_is_silent_and_its_names_of_files_are_not_kept(app_test: OpenPage) -> None:
    loaded = of_files(run=RUN)
    at = app_test("home", dataset=loaded, link={"data": loaded.fingerprint[:LINK_LENGTH], "file": ["small.run"]})
    assert "a link" not in words(at)
    assert at.query_params["data"] == loaded.fingerprint[:LINK_LENGTH]
    assert "file" not in at.query_params


def test_settings_that_no_control_can_take_are_said(app_test: OpenPage) -> None:
    at = app_test("inspect", link={"alpha": "99", "k": "3", "q": "nowhere"})
    said = words(at)
    assert "alpha = 99 (shown: 2)" in said
    assert "q = nowhere (shown: q01)" in said
    assert "k = 3" not in said.split("Inspect")[0]
    press(at, "All right")
    assert "cannot take" not in words(at)


def test_what_is_shown_in_place_of_names_that_a_page_does_not_know_is_said_in_words(app_test: OpenPage) -> None:
    at = app_test(
        "tradeoff",
        dataset=of_files(**{"a.run": RUN, "b.run": RUN.replace("sysA", "sysB"), "my.qrels": QRELS}),
        link={"optimal": "nobody"},
    )
    assert "optimal = nobody (shown: what is usual)" in words(at)


TWO_RUNS = {"a.run": RUN, "b.run": RUN.replace("sysA", "sysB"), "my.qrels": QRELS, "region.tsv": GROUPS}


def test_k_alpha_system_and_scale_follow_from_page_to_page(app_test: OpenPage) -> None:
    """Pages in a row: in the control, in the address, in what is computed; a page without the control between."""
    loaded = dataset_of((name, text.encode()) for name, text in TWO_RUNS.items())
    at = app_test("inspect", dataset=loaded)
    at.number_input(key="k").set_value(3).run()
    at.slider(key="alpha").set_value(4.0).run()
    at.selectbox(key="system").set_value("sysB").run()
    at.radio(key="scores").set_value("ranks").run()
    chosen = {"k": 3, "alpha": 4.0, "system": "sysB", "scores": "ranks"}
    having = {
        "tradeoff": ("k", "alpha", "system", "scores"),
        "inspect": ("k", "alpha", "system", "scores"),
        "groups": ("k", "system"),
        "policy_lab": ("k", "system"),
        "learn": (),
        "export": (),
    }
    for page in ("tradeoff", "inspect", "groups", "learn", "inspect", "policy_lab", "tradeoff", "export", "inspect"):
        at.query_params.clear()  # as a browser does that follows the navigation
        at.switch_page(f"pages/{page}.py").run()
        shown = {key: at.session_state[key] for key in having[page]}
        assert shown == {key: chosen[key] for key in having[page]}, page
        for key in having[page]:
            written = f"{chosen[key]:g}" if key == "alpha" else str(chosen[key])
            written = name_mark(written) if key == "system" else written
            assert at.query_params[key] in (written, [written])
    at.number_input(key="k").set_value(5).run()  # the usual value here, a choice on the next page
    at.query_params.clear()
    at.switch_page("pages/policy_lab.py").run()
    assert at.number_input(key="k").value == 5
    at.number_input(key="k").set_value(500).run()
    at.query_params.clear()
    at.switch_page("pages/tradeoff.py").run()
    assert at.number_input(key="k").value == 5  # 100 is the most
    at.switch_page("pages/groups.py").run()
    assert at.number_input(key="k").value == 500


def test_every_page_counts_the_systems_that_data_has_rows_of(app_test: OpenPage) -> None:
    assert title(app_test("data")) == "All 6 systems can be used (14 queries each)"
    assert inventory(session.example())[0] == "6 systems · 14 searches (queries)"
    assert "6 systems and 14 judged queries" in words(app_test("export"))


def test_inventory_counts_a_system_once() -> None:
    assert inventory(Dataset()) == ["no judgements"]
    assert inventory(of_files(run=RUN, qrels=QRELS)) == ["1 system · 3 searches (queries)", "3 judged queries"]
    assert inventory(of_files(items=ITEMS, predictions=PREDICTIONS, variants=VARIANTS)) == [
        "3 bias questions · 4 answers",
        "2 questions in variants · 5 answers",
    ]


def test_markup_comes_from_el_alone_and_every_kind_of_cell_is_escaped() -> None:
    assert el("p", EVIL) == f"<p>{join(EVIL)}</p>"
    assert "<img" not in el("p", EVIL, title=EVIL, cls=EVIL)
    assert join(el("b", "x"), "<b>") == "<b>x</b>&lt;b&gt;"
    assert isinstance(el("hr"), Html)
    cells = [
        EVIL,
        two_lines(EVIL, EVIL),
        dotted(EVIL, "ink", code=True),
        in_tone(EVIL, "gain"),
        glyph(0, -1, 1, span=(-1, 1)),
        bar(2, "gain"),
    ]
    columns = [PageColumn(EVIL) for _ in cells]
    made = table(columns, [cells], caption=EVIL)
    assert "<img" not in made
    assert "<b>bold" not in made
    assert "width:100.0%" in made  # a bar never leaves its cell


def test_the_style_sheet_has_both_themes() -> None:
    sheet = style_sheet()
    for light, dark in ((LIGHT.page, DARK.page), (LIGHT.optimal.text, DARK.optimal.text)):
        assert f"light-dark({light}, {dark})" in sheet


def test_judgements_are_in_the_address_by_a_mark_of_their_name(app_test: OpenPage) -> None:
    loaded = dataset_of(
        [("small.run", RUN.encode()), ("mine.qrels", QRELS.encode()), ("clinic.qrels", QRELS.encode() + b"\n")]
    )
    at = app_test("inspect", dataset=loaded)
    at.selectbox(key="judgements").select("clinic").run()
    assert at.query_params["judgements"] in (name_mark("clinic"), [name_mark("clinic")])
    assert "clinic" not in str(dict(at.query_params))
    at.switch_page("pages/tradeoff.py").run()
    assert at.selectbox(key="judgements").value == "clinic"
    for name in (name_mark("clinic"), "clinic"):  # a link may give the name itself; the address does not keep it
        linked = app_test("tradeoff", dataset=loaded, link={"judgements": name})
        assert linked.selectbox(key="judgements").value == "clinic"
        assert linked.query_params["judgements"] in (name_mark("clinic"), [name_mark("clinic")])
