"""The manifest says whose weights gave the results: equal for equal runs, another for other weights, without places."""

import json
from pathlib import Path
from typing import Any

import pytest

from fairviz.experiments import runner
from fairviz.experiments.asking import Answers, AskTally, Question
from fairviz.experiments.attributors import Lexical
from fairviz.experiments.config import RankingConfig, read_config
from fairviz.experiments.protocols import Prompt
from fairviz.experiments.retrievers import Bm25Retriever
from fairviz.experiments.runner import Experiment
from fairviz.experiments.store import Store
from tests.experiments.answering import Oracle
from tests.experiments.endpoint import serving
from tests.experiments.tiny import tiny_toml
from tests.io.bias_files import bbq
from tests.lines import write_lines

pytestmark = pytest.mark.usefixtures("word_counting")

RANKINGS = tiny_toml('output = "made"', "alphas = [1]", "n_samples = 2", "k = 2", "min_useful = 0")

QUESTION = {"question_id": "q1", "question": "Which?", "options": ["one", "two", "three"], "gold": "A"}


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    write_lines(
        tmp_path,
        corpus=[{"doc_id": "d1", "text": "the heat pump ."}, {"doc_id": "d2", "text": "cold roof"}],
        queries=[{"query_id": "q1", "text": "heat pump?"}],
        references=[{"query_id": "q1", "answers": ["the heat pump"]}],
    )
    (tmp_path / "tiny.toml").write_text(RANKINGS)
    return tmp_path / "tiny.toml"


def manifest(config: Path, output: str) -> str:
    return Experiment(config, output=config.parent / output).run().manifest.read_text()


def test_equal_runs_have_equal_manifests_and_other_weights_another(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def weights(revision: str) -> None:
        identity = {"component": "lexical", "revision": revision}
        monkeypatch.setattr(Lexical, "identity", identity, raising=False)

    weights("1")
    first = manifest(tiny, "one")
    assert manifest(tiny, "one") == first, "what was kept is not asked again"
    assert manifest(tiny, "two") == first
    assert json.loads(first)["components"] == {
        "attributor": {"lexical": {"component": "lexical", "revision": "1"}}  # others have no weights
    }
    assert "openai" not in json.loads(first)["versions"]
    assert str(tiny.parent) not in first
    weights("2")
    assert manifest(tiny, "three") != first


@pytest.mark.parametrize("revision", ["1", "2"])
def test_answers_and_tokens_are_counted_as_they_were_used(
    tiny: Path, monkeypatch: pytest.MonkeyPatch, revision: str
) -> None:
    model = Oracle("extractive", answer=lambda text: "the heat pump .", revision=revision)
    monkeypatch.setattr(RankingConfig, "answerers", lambda self: {model.name: model})
    told = json.loads(manifest(tiny, "made"))["components"]["generator"]
    assert told == {
        "extractive": {
            "component": "oracle",
            "revision": revision,
            "reported": [],
            "answers": len(model.asked),
            "prompt_tokens": sum(len(text) // 5 for text in model.asked),
            "completion_tokens": 2 * len(model.asked),
        }
    }


def test_what_was_stored_for_another_plan_is_not_counted(tmp_path: Path) -> None:
    answers = Answers({"oracle": Oracle()}, Store(tmp_path / "store.sqlite"))
    prompts = [Prompt(f"{number}?", ()) for number in range(5)]
    answers.ask(answers.requests(Question("u", "oracle", prompt) for prompt in prompts), total=AskTally())
    assert answers.provenance() == {}
    answers.of("oracle", prompts[:2])
    answers.of("oracle", prompts[1:3])
    assert answers.provenance()["oracle"]["answers"] == 3


FUSED = """
[[retriever]]
name = "rrf"
of = [{ name = "bm25" }, { name = "bm25", b = 0 }]
[[generator]]
name = "chooser"
"""
OF_KINDS = {
    "rankings": """
corpus = "corpus.jsonl"
queries = "queries.jsonl"
references = "references.jsonl"
alphas = [1]
n_samples = 2
k = 2
min_useful = 0
attributor = { name = "lexical" }
""",
    "bias": """
items = ["age.jsonl"]
corpus = { file = "pairs.tsv", id = "name", text = "sentence", polarity = "side" }
settings = ["stereo-set"]
k = 1
""",
    "variants": """
questions = ["questions.jsonl"]
corpus = ["corpus.jsonl"]
settings = ["full-set"]
strategies = ["plain"]
k = 1
""",
}


@pytest.mark.parametrize("kind", OF_KINDS)
def test_retrievers_are_known_in_experiments_of_every_kind(
    tiny: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(Bm25Retriever, "identity", {"component": "bm25", "revision": "2"}, raising=False)
    folder = tiny.parent
    write_lines(folder, age=[bbq(0, condition="ambig", polarity="neg", label=2)])
    (folder / "pairs.tsv").write_text("name\tsentence\tside\ns1\tOld people forget things.\tstereo\n")
    write_lines(folder, questions=[QUESTION])
    tiny.write_text(f'kind = "{kind}"\nname = "tiny"\n{OF_KINDS[kind]}{FUSED}')
    known = {"component": "rrf", "of": [{"component": "bm25", "revision": "2"}] * 2}
    assert json.loads(manifest(tiny, "made"))["components"] == {"retriever": {"rrf": known}}


VARIANTS = """
kind = "variants"
name = "asked"
questions = ["questions.jsonl"]
output = "made"
settings = ["w/o RAG"]
strategies = ["plain"]
[[generator]]
name = "openai"
base_url = "URL"
model = "tiny"
key_env = "FAIRVIZ_TEST_KEY"
"""


def test_neither_key_nor_address_stands_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRVIZ_TEST_KEY", "sk-0123456789")
    write_lines(tmp_path, questions=[QUESTION])
    told: list[dict[str, Any]] = []
    for _ in range(2):
        with serving() as endpoint:  # at another port each time
            (tmp_path / "asked.toml").write_text(VARIANTS.replace("URL", endpoint.url))
            text = manifest(tmp_path / "asked.toml", f"at-{endpoint.url.split(':')[2][:5]}")
        for hidden in (endpoint.url, "127.0.0.1", "sk-0123456789", "FAIRVIZ_TEST_KEY"):
            assert hidden not in text
        told.append(json.loads(text))
    first, second = told
    assert first["components"]["generator"]["tiny"]["reported"] == ["tiny-1"]
    # The address stands in the description alone, whose sha256 is among the inputs.
    assert [entry["name"] for entry in first["inputs"]] == ["asked.toml", "questions.jsonl"]
    del first["inputs"][0], second["inputs"][0]
    assert first == second


def test_a_model_named_by_its_folder_is_named_from_the_description(tiny: Path) -> None:
    (tiny.parent / "weights").mkdir()
    dense = '[retriever]\nname = "dense"\nmodel = "weights"\n'
    tiny.write_text(RANKINGS.replace('[retriever]\nname = "bm25"\n', dense))
    text = runner._manifest([], read_config(tiny), {})
    assert json.loads(text)["configuration"]["retriever"][0]["parameters"]["model"] == "weights"
    assert str(tiny.parent) not in text
