"""Recorded answers as files: JSON Lines beside CSV, and a table of variants through its command."""

import csv
import json
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.measuring import REPEATS, Goal, Row, interleaved, ratio, timed
from fairviz.io.bbq_answers import read_bias_predictions

SETTINGS = ("w/o RAG", "full-set", "stereo-set")
N_MODELS = 10
STRATEGIES = tuple(f"strategy {i}" for i in range(6))
MENTIONS = (
    ("none", "neutral"),
    *(("race", value) for value in ("Asian", "Black", "White", "Hispanic")),
    *(("gender", value) for value in ("female", "male", "nonbinary")),
    *(("race+gender", value) for value in ("Asian+female", "Black+male")),
)


def rows(*, small: bool) -> Iterator[Row]:
    """Processor seconds of reading 300,000 answers, and seconds of the command ``variants`` on as many rows."""
    with TemporaryDirectory() as folder:
        place = Path(folder)
        n_items = 20 if small else 10_000
        lines, table = _written(place / "bias", _bias(n_items))
        read = interleaved(
            lambda: read_bias_predictions(str(lines)),
            lambda: read_bias_predictions(str(table)),
            repeats=1 if small else REPEATS,
        )
        began = time.process_time()
        read_bias_predictions(str(lines))
        size = f"{n_items * N_MODELS * len(SETTINGS):,} answers"
        yield Row(
            what="answers as JSON Lines, read (processor time)",
            value=time.process_time() - began,
            unit="s",
            goal=Goal(0.6),
            note=size,
        )
        yield Row(what="the same / as CSV", value=ratio(*read), unit="×")
        answers, _ = _written(place / "variants", _variants(10 if small else 1000))
        command = [sys.executable, "-m", "fairviz", "variants", str(answers), "--format", "json"]
        once = timed(command, answers, separator=None, repeats=1 if small else REPEATS, folder=place)
        n_rows = len(json.loads(once.printed)["tables"]["rows"])
        yield Row(
            what="variants: models × strategies, with intervals and tests (whole command)",
            value=once.seconds,
            unit="s",
            goal=Goal(2),
            note=f"{answers.stat().st_size / 1e6:,.0f} MB, {n_rows} rows of the table; "
            f"{once.busy:.2g} s of processor time",
        )
        yield Row(what="the same / a Python loop that splits every line", value=once.ratio, unit="×")


def _written(place: Path, records: Iterator[Mapping[str, object]]) -> tuple[Path, Path]:
    """The records as JSON Lines and as CSV."""
    lines, table = place.with_suffix(".jsonl"), place.with_suffix(".csv")
    with lines.open("w", encoding="utf-8") as of_lines, table.open("w", encoding="utf-8", newline="") as of_table:
        cells = csv.writer(of_table, lineterminator="\n")
        for i, record in enumerate(records):
            of_lines.write(json.dumps(record) + "\n")
            cells.writerows([record.keys(), record.values()] if i == 0 else [record.values()])
    return lines, table


def _bias(n_items: int) -> Iterator[Mapping[str, object]]:
    rng = np.random.default_rng(0)
    for model in range(N_MODELS):
        for setting in SETTINGS:
            for item, choice in enumerate(rng.choice([0, 1, 2, 2, -1], size=n_items).tolist()):
                record = {
                    "model": f"model-{model}",
                    "setting": setting,
                    "category": ("Age", "Religion", "SES")[item % 3],
                }
                yield {**record, "example_id": item // 3, "pred": choice}


def _variants(n_questions: int) -> Iterator[Mapping[str, object]]:
    rng = np.random.default_rng(0)
    golds: list[str] = rng.choice(list("ABCD"), size=n_questions).tolist()
    for model in range(N_MODELS // 2):
        for strategy in STRATEGIES:
            for question, gold in enumerate(golds):
                right = rng.random(len(MENTIONS)) < 0.6
                others: list[str] = rng.choice(list("ABCD"), size=len(MENTIONS)).tolist()
                for (attribute, value), is_right, other in zip(MENTIONS, right, others, strict=True):
                    record = {"model": f"model-{model}", "strategy": strategy, "qid": f"q{question}"}
                    answered = f"The answer is {gold if is_right else other}."
                    yield {**record, "attribute": attribute, "value": value, "gold": gold, "prediction": answered}
