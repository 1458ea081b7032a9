"""Experiments that are killed, refused, or left without room: nothing is lost, nothing is asked twice."""

import gzip
import re
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from data.make_demo.templates import material_of_templates
from fairviz.errors import OutputError, UndefinedError
from fairviz.experiments.asking import TOO_MANY
from fairviz.experiments.bias import write_documents
from fairviz.experiments.runner import STORE, Experiment
from tests.demo.test_templates import TEMPLATES
from tests.experiments.endpoint import (
    BROKEN,
    CUT_OFF,
    EMPTY,
    HTML,
    MALFORMED,
    RATE_LIMITED,
    Endpoint,
    Said,
    answered,
    serving,
)
from tests.experiments.forked import Forked, forked

WOMEN = '{ text = ["old woman", "young woman"], group = ["old", "nonOld"] }'
PAIRS = TEMPLATES.replace("pairs = [", f"pairs = [{WOMEN}, ")
BIAS = """
kind = "bias"
name = "age"
items = ["items.csv"]
corpus = { file = "documents.jsonl" }
output = "made"
k = [1]
[[retriever]]
name = "bm25"
[[generator]]
name = "openai"
base_url = "URL"
model = "tiny"
concurrency = CONCURRENCY
retries = RETRIES
"""
CONCURRENCY = 4
INTERRUPTED = re.compile(r"error: interrupted(: \d+ answers? (is|are) stored in .*; run the command again to go on)?\n")


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forked]:
    with forked(tmp_path_factory.mktemp("forked")) as process:
        yield process


def described(folder: Path, endpoint: Endpoint, *, retries: int = 2) -> Path:
    (folder / "templates.toml").write_text(PAIRS)
    material = material_of_templates(folder / "templates.toml")
    with (folder / "items.csv").open("w") as items, (folder / "documents.jsonl").open("w") as documents:
        material.write_items(range(len(material.questions)), items)
        write_documents(material.documents, documents)
    path = folder / "age.toml"
    text = BIAS.replace("URL", endpoint.url).replace("CONCURRENCY", str(CONCURRENCY))
    path.write_text(text.replace("RETRIES", str(retries)))
    return path


def results(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith(STORE)}


def missing(description: Path, output: Path) -> Counter[str]:
    """The texts that are still to be asked."""
    left = Experiment(description, output=output).missing()
    return Counter(request.body["messages"][0]["content"] for request in left.requests()) if left else Counter()


def kill_until_it_ends(process: Forked, endpoint: Endpoint, description: Path, output: Path, rng: Random) -> int:
    """Kill an experiment at a random call until a run ends; gives the kills.

    After each kill no text is asked for whose answer was stored.
    """
    kills = 0
    while True:
        left = missing(description, output)
        before = Counter(endpoint.calls)
        at = rng.randint(5, 12)
        reached = endpoint.reached(at)
        process.begin("experiment", "run", str(description), "--output", str(output))
        if at < left.total():
            assert reached.wait(30)
            process.kill(rng.choice([signal.SIGKILL, signal.SIGINT]))
            kills += 1
        code, printed = process.end()
        assert set(endpoint.calls - before) <= set(left)
        if code == 0:
            return kills
        assert code in (-signal.SIGKILL, 130), printed
        assert printed == "" or INTERRUPTED.fullmatch(printed)


@pytest.mark.slow
def test_killed_until_it_ends_it_asks_nothing_twice(process: Forked, tmp_path: Path) -> None:
    with serving(delay=0.002) as endpoint:
        description = described(tmp_path, endpoint)
        Experiment(description, output=tmp_path / "whole").run()
        distinct = endpoint.calls.total()
        assert set(endpoint.calls.values()) == {1}
        endpoint.calls.clear()
        kills = kill_until_it_ends(process, endpoint, description, tmp_path / "killed", Random(1))
    assert kills >= 3
    assert len(endpoint.calls) == distinct
    assert endpoint.calls.total() <= distinct + CONCURRENCY * kills
    assert results(tmp_path / "killed") == results(tmp_path / "whole")


@pytest.mark.slow
def test_a_second_process_is_refused_and_a_silent_server_is_left_at_once(process: Forked, tmp_path: Path) -> None:
    with serving(lambda body, n: None) as endpoint:
        description = described(tmp_path, endpoint)
        reached = endpoint.reached(CONCURRENCY)
        process.begin("experiment", "run", str(description))
        assert reached.wait(30)
        with pytest.raises(OutputError, match=rf"made: process {process.pid} is writing it"):
            Experiment(description).run()
        process.kill(signal.SIGINT)
        code, printed = process.end()
        assert code == 130
        assert printed.startswith("error: interrupted: 0 answers are stored in ")
    assert endpoint.calls.total() == CONCURRENCY


FAULTS = (RATE_LIMITED, BROKEN, CUT_OFF, MALFORMED, EMPTY, HTML, Said(307, b"", (("Location", "http://127.0.0.1:9/"),)))


def test_faults_of_a_server_cost_calls_and_no_answer(tmp_path: Path) -> None:
    """Each text meets another fault first, and each is answered in the end."""
    order: dict[str, int] = {}

    def behave(body: dict[str, Any], n: int) -> Said:
        text = body["messages"][0]["content"]
        fault = FAULTS[order.setdefault(text, len(order)) % len(FAULTS)]
        return fault if n == 1 else answered(body)

    with serving(behave) as endpoint:
        description = described(tmp_path, endpoint, retries=0)
        with pytest.raises(UndefinedError) as caught:
            Experiment(description, output=tmp_path / "faulty").run()
        distinct = endpoint.calls.total()
        assert re.search(
            r"age\.toml: \d+ of \d+ answers are missing \(answer\); what came is stored", str(caught.value)
        )
        assert "status 429: slow down" in str(caught.value)
        Experiment(description, output=tmp_path / "faulty").run()
        n_once = sum(n == 1 for n in endpoint.calls.values())  # an empty answer is one
        assert set(endpoint.calls.values()) == {1, 2}
        assert n_once == len(range(FAULTS.index(EMPTY), distinct, len(FAULTS)))
    predictions = gzip.decompress((tmp_path / "faulty" / "predictions.csv.gz").read_bytes()).decode().splitlines()
    assert sum(row.endswith(",,-1") for row in predictions) >= n_once


def test_a_server_that_is_not_there_is_not_asked_for_everything(tmp_path: Path) -> None:
    with serving(lambda body, n: Said(401, b"")) as endpoint:
        description = described(tmp_path, endpoint)
        with pytest.raises(UndefinedError, match="status 401: Unauthorized"):
            Experiment(description).run()
    assert TOO_MANY <= endpoint.calls.total() < TOO_MANY + CONCURRENCY
