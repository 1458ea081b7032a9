"""A run that was started, watched and stopped, as processes."""

import json
import time
from pathlib import Path

import pytest

from fairviz.experiments import background
from tests.experiments.endpoint import serving
from tests.experiments.test_rounds import TEXTS, TOML


def ended(folder: Path) -> background.State:
    """The state after the run; it may not have begun yet."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        state = background.state(folder)
        if state.log and not state.running:
            return state
        time.sleep(0.02)
    raise AssertionError(background.state(folder))


@pytest.mark.slow
def test_a_run_outlives_its_starter_and_leaves_results(tmp_path: Path) -> None:
    lines = {
        "corpus": [{"doc_id": f"d{i}", "text": text} for i, text in enumerate(TEXTS)],
        "queries": [{"query_id": "q1", "text": "red fox?"}],
        "references": [{"query_id": "q1", "answers": ["red fox runs"]}],
    }
    for name, records in lines.items():
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    folder = tmp_path / "out"
    with serving() as endpoint:
        server = f'name = "openai"\nbase_url = "{endpoint.url}"\nmodel = "tiny"'
        text = TOML.replace('name = "extractive"', server).replace("min_useful = 1", "min_useful = 0")
        (tmp_path / "tiny.toml").write_text(text)
        background.start(tmp_path / "tiny.toml", folder)
        state = ended(folder)
    assert state.finished, state.log
    assert state.log[-1].endswith("manifest.json")
