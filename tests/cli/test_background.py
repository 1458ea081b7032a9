"""A run that was started, watched and stopped, as processes."""

import time
from pathlib import Path

import pytest

from fairviz.experiments.studies import KeptStudy, State, state
from tests.experiments.endpoint import serving
from tests.experiments.test_rounds import TEXTS, TOML
from tests.lines import write_lines


def ended(folder: Path) -> State:
    """The state after the run; it may not have begun yet."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        now = state(folder)
        if now.log and not now.running:
            return now
        time.sleep(0.02)
    raise AssertionError(state(folder))


@pytest.mark.slow
def test_a_run_outlives_its_starter_and_leaves_results(tmp_path: Path) -> None:
    write_lines(
        tmp_path,
        corpus=[{"doc_id": f"d{i}", "text": text} for i, text in enumerate(TEXTS)],
        queries=[{"query_id": "q1", "text": "red fox?"}],
        references=[{"query_id": "q1", "answers": ["red fox runs"]}],
    )
    study = KeptStudy("tiny", tmp_path)
    with serving() as endpoint:
        server = f'name = "openai"\nbase_url = "{endpoint.url}"\nmodel = "tiny"'
        text = TOML.replace('name = "extractive"', server).replace("min_useful = 1", "min_useful = 0")
        study.description.write_text(text)
        study.start()
        now = ended(study.results)
    assert now.finished, now.log
    assert now.log[-1].endswith("manifest.json")
