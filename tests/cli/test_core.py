"""The core of an installation: every command runs without what draws and serves, or says which extra it needs."""

import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from fairviz.cli.main import COMMANDS
from fairviz.extras import installing
from tests.cli.test_output import PRINTING

EXTRA = ("streamlit", "plotly", "segno", "kaleido", "altair", "starlette", "rouge_score", "nltk", "pandas", "pyarrow")
"""What an installation of the core does not hold."""
HEAVY = ("numba", "scipy", "ir_measures", "pydantic")
"""What takes long to load."""
LINES = {
    "measures": ("measures",),  # the first two tell what they load
    "evaluate": ("evaluate", *PRINTING["evaluate"]),
    **{name: (name, *arguments) for name, arguments in PRINTING.items() if name not in ("measures", "evaluate")},
    "experiment": ("experiment", "check", "experiment.toml"),
    "drawn curve": ("tradeoff", *PRINTING["tradeoff"], "--chart", "curve.pdf"),
    "convert": ("convert", PRINTING["tradeoff"][0], "--output", "converted.parquet"),
    "app": ("app", "--headless"),
}
NEEDS = {
    "report": f"a report needs plotly: {installing(['app'])}",
    "drawn curve": f"a figure for a paper needs plotly, kaleido: {installing(['print'])}",
    "app": f"the dashboard needs streamlit, plotly, pandas, segno: {installing(['app'])}",
}
"""What is said of an extra instead."""
PROGRAM = """
import contextlib, io, json, sys
lines, extra, heavy = json.loads(sys.argv[1])
sys.modules.update(dict.fromkeys(extra))
from fairviz.cli.main import main
done = {}
for name, line in lines.items():
    said = io.StringIO()
    with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO(), "utf-8")), contextlib.redirect_stderr(said):
        code = main(line)
    done[name] = code, said.getvalue(), [module for module in heavy if module in sys.modules]
print(json.dumps(done))
"""


class Ended(NamedTuple):
    """How a command ended, and which heavy packages were there then."""

    code: int
    err: str
    loaded: list[str]


@pytest.fixture
def core(inputs: Path) -> dict[str, Ended]:
    """Every command in a process of its own that has the core only."""
    (inputs / "experiment.toml").write_text(
        'name = "core"\ncorpus = "corpus.jsonl"\nqueries = "questions.jsonl"\nreferences = "known.jsonl"\n'
        'alphas = [1]\nn_samples = 2\nk = 1\nmin_useful = 0\nretriever.name = "bm25"\n'
        'generator = { name = "openai", base_url = "http://127.0.0.1:9/v1", model = "m" }\n'
        'attributor.name = "lexical"\n'
    )
    (inputs / "known.jsonl").write_text('{"query_id": "1", "answers": ["well"]}\n')
    asked = json.dumps([LINES, EXTRA, HEAVY])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, asked], cwd=inputs, capture_output=True, text=True, check=True
    )
    return {name: Ended(*ended) for name, ended in json.loads(done.stdout).items()}


def test_every_command_runs_on_the_core_or_names_its_extra_and_listing_and_measuring_load_little(
    core: dict[str, Ended],
) -> None:
    assert {line[0] for line in LINES.values()} == set(COMMANDS)
    assert {name: ended.err for name, ended in core.items() if ended.code} == {
        name: f"error: {needs}\n" for name, needs in NEEDS.items()
    }
    assert not {"numba", "pydantic"} & {*core["measures"].loaded}
    assert not {"numba", "pydantic"} & {*core["evaluate"].loaded}
