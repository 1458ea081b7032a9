"""Experiment: a study is made, its mistakes are reported by key, it runs, and its results open on other pages."""

from itertools import islice
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from fairviz.experiments.runner import Experiment
from fairviz.experiments.studies import (
    PLACE,
    Action,
    KeptStudy,
    State,
    make_study,
    studies,
    template_of,
    with_generators,
)
from pages._experiment import generator_table
from tests.app.conftest import OpenPage
from tests.app.reading import grey, press, title, words
from tests.experiments.bias.test_files import study as bias_study
from tests.experiments.variants.test_files import study as variant_study
from tests.loaded import dataset_of

__all__ = ["bias_study", "variant_study"]


@pytest.fixture(autouse=True)
def own_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(PLACE, str(tmp_path / "studies"))
    monkeypatch.setattr("pages._kit.session.on_this_machine", lambda: True)


def made(kind: str = "rankings", name: str = "mine", change: tuple[str, str] = ("", "")) -> Path:
    description, material = template_of(kind)
    return make_study(name, description.replace(*change) if change[0] else description, material).folder


def test_a_study_is_made_of_a_template(app_test: OpenPage) -> None:
    at = app_test("experiment")
    assert title(at) == "Ask a language model about your own material"
    at.text_input(key="study_name").set_value("my-study")
    press(at, "Create the study")
    assert [study.name for study in studies()] == ["my-study"]
    assert title(at).endswith("calls to make")
    assert "Material: 14 questions and 151 documents." in grey(at)


@pytest.mark.parametrize("name", ["", "../up", "a b", ".hidden"])
def test_a_name_that_is_no_folder_is_refused(app_test: OpenPage, name: str) -> None:
    at = app_test("experiment")
    at.text_input(key="study_name").set_value(name)
    press(at, "Create the study")
    assert "The study was not created" in words(at)
    assert studies() == []


def test_every_mistake_is_reported_by_its_key(app_test: OpenPage) -> None:
    made(change=("n_samples = 20\nk = 5", 'n_samples = "many"\nkk = 5'))
    at = app_test("experiment")
    assert title(at) == "The description has mistakes"
    told = "\n".join(code.value for code in at.code)
    assert "study.toml: n_samples: Input should be a valid integer" in told
    assert "study.toml: kk: is no key" in told


@pytest.mark.usefixtures("word_counting")
def test_a_run_leaves_results_that_open(app_test: OpenPage, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = made(change=("n_samples = 20", "n_samples = 4"))
    text = (folder / "study.toml").read_text()
    (folder / "study.toml").write_text(with_generators(text, ['[[generator]]\nname = "extractive"']))

    def at_once(study: KeptStudy, *_: object, **__: object) -> None:
        Experiment(study.description, output=study.results).run()

    monkeypatch.setattr(KeptStudy, "start", at_once)
    at = app_test("experiment")
    press(at, "Start the run")
    assert title(at) == "Finished: the results are complete"
    description = folder / "study.toml"
    at_first = description.read_text()
    description.write_text(at_first.replace("seed = 2024", "seed = 1"))
    assert title(at.run()) == "Every answer is stored"
    description.write_text(at_first)
    press(at, "Start the run")
    press(at, "Open the results")
    assert at.session_state["opened_study"] == "mine"
    assert (folder / "results" / "manifest.json").exists()
    loaded = at.session_state["dataset"]
    assert [run.system for run in loaded.runs] == ["bm25"]
    assert len(loaded.outputs) == 6
    assert loaded.texts


def asking(kind: str, **more: object) -> Path:
    """A study whose generator is a server that nobody asks."""
    folder = made(kind)
    settings = {"name": "openai", "base_url": "http://127.0.0.1:1/v1", "model": "tiny", **more}
    description = folder / "study.toml"
    description.write_text(with_generators(description.read_text(), [generator_table(settings)]))
    return folder


@pytest.mark.parametrize("kind", ["rankings", "bias", "variants"])
def test_a_bill_is_shown_before_anything_is_asked(app_test: OpenPage, kind: str) -> None:
    folder = asking(kind, max_tokens=16)
    at = app_test("experiment")
    assert title(at).endswith("calls to make")
    assert "Ask a pilot of 20 and read the answers" in words(at)
    assert "Time is known" not in words(at)
    assert "time is known after the pilot" in words(at)
    assert "tiny" in words(at)
    assert not (folder / "results").exists()


def test_how_a_run_stands_is_said(app_test: OpenPage, monkeypatch: pytest.MonkeyPatch) -> None:
    """Under way it is watched; what ended badly shows its last lines; a pilot that went well is none of these."""
    made("bias")

    def shown(state: State) -> AppTest:
        monkeypatch.setattr("fairviz.experiments.studies.state", lambda folder: state)
        return app_test("experiment")

    at = shown(State(1, 12, False, ()))
    assert title(at) == "The run is under way"
    assert at.get("progress")
    assert "Stop" in [button.label for button in at.button]
    actions: tuple[Action, ...] = ("run", "pilot")
    for action in actions:
        at = shown(State(None, 12, False, ("error: the server said no",), action))
        assert title(at) == f"The last {action} stopped with an error"
        assert "Read the message below" in words(at)
        assert "error: the server said no" in [code.value for code in at.code]
    at = shown(State(None, 20, False, ("20 of 20 answered, 0 of them unread", "20 answers stored")))
    assert "Start the run" in [button.label for button in at.button]
    assert "stopped with an error" not in words(at)


@pytest.mark.parametrize("kind", ["rankings", "bias"])
def test_keys_that_the_environment_lacks_come_from_the_secrets(
    app_test: OpenPage, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    asking(kind, key_env="A_KEY_OF_MINE")
    monkeypatch.setattr("streamlit.secrets", {"A_KEY_OF_MINE": "hush", "OTHER": "no"})
    given: list[object] = []
    monkeypatch.setattr(KeptStudy, "start", lambda *_, keys, **__: given.append(keys))
    press(app_test("experiment"), "Start the run")
    assert given == [{"A_KEY_OF_MINE": "hush"}]


def test_a_shared_server_asks_nobody(app_test: OpenPage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pages._kit.session.on_this_machine", lambda: False)
    at: AppTest = app_test("experiment")
    assert title(at) == "Experiments run on your own machine"
    assert not at.text_input


def test_who_is_asked_replaces_who_was() -> None:
    text = 'name = "x"\n[[retriever]]\nname = "bm25"\n[[generator]]\nname = "old"\n[vote]\nn = 1\n'
    table = generator_table({"name": "openai", "model": 'a "b"', "key_env": "", "max_tokens": 8})
    assert table == '[[generator]]\nname = "openai"\nmodel = "a \\"b\\""\nmax_tokens = 8'
    replaced = with_generators(text, [table])
    assert "old" not in replaced
    assert replaced.startswith('name = "x"\n[[retriever]]\nname = "bm25"\n[vote]\nn = 1\n\n[[generator]]')


def test_prompts_answers_and_what_is_read_are_listed(app_test: OpenPage) -> None:
    folder = asking("variants", max_tokens=16)
    study = Experiment(folder / "study.toml", output=folder / "results")
    requests = list(islice(study.missing().requests(), 2))
    for request, answer in zip(requests, ["B", "I cannot say"], strict=True):
        study.answers.store.put(request.key, request.model, answer, {})
    at = app_test("experiment")
    (shown,) = [one for one in at.expander if one.label == "Prompts and answers: 2 answers stored"]
    at.session_state["answers_read"] = True
    listed = words(at.run())
    assert shown.label
    assert "I cannot say" in listed
    assert "The first 2 prompts of the study." in listed


@pytest.mark.usefixtures("word_counting")
@pytest.mark.parametrize(
    ("study", "page", "sentences"),
    [
        ("bias_study", "social_bias", ("word-counter", "stereo-set")),
        ("variant_study", "demographic_qa", ("medqa", "each asked about 4 groups")),
    ],
)
def test_what_is_made_from_the_files_of_others_opens_on_its_page_without_a_question(
    app_test: OpenPage, request: pytest.FixtureRequest, study: str, page: str, sentences: tuple[str, ...]
) -> None:
    """Bias questions of two languages, variants of two files."""
    report = Experiment(request.getfixturevalue(study)).run()
    files = [(path.name, path.read_bytes()) for path in report.files if path.name != "examples.csv.gz"]
    said = words(app_test(page, dataset=dataset_of(files, name="Made")))
    for sentence in sentences:
        assert sentence in said
