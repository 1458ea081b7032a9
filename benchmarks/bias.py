"""All of BBQ under 14 models and 4 settings through the command ``bias``."""

import json
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl

from benchmarks.material import written
from benchmarks.measuring import Goal, Row, timed
from fairviz.io.bbq import write_bias_items
from fairviz.model import BiasItems
from fairviz.model.answers import ITEM_SCHEMA

CATEGORIES = {
    "Age": 3680,
    "Disability_status": 1556,
    "Gender_identity": 5672,
    "Nationality": 3080,
    "Physical_appearance": 1576,
    "Race_ethnicity": 6880,
    "Race_x_SES": 11160,
    "Race_x_gender": 15960,
    "Religion": 1200,
    "SES": 6864,
    "Sexual_orientation": 864,
}
"""Items of each category of BBQ (Parrish et al. 2022): 58,492."""

SETTINGS = ("w/o RAG", "full-set", "stereo-set", "anti-set")
N_TEMPLATES = 25
REPEATS = 3


def rows(*, small: bool) -> Iterator[Row]:
    """Seconds and peak memory of the command, and its ratio to merely splitting the lines."""
    n_models = 2 if small else 14
    share = 0.02 if small else 1.0
    items = simulated_items({name: max(8, int(n * share)) for name, n in CATEGORIES.items()})
    with TemporaryDirectory() as folder:
        place = Path(folder)
        questions = written(place / "items.csv", partial(write_bias_items, items))
        answers = place / "predictions.csv"
        n_answers = _write_predictions(answers, items, n_models)
        command = [sys.executable, "-m", "fairviz", "bias", str(answers), "--items", str(questions), "--format", "json"]
        once = timed(command, answers, separator=",", repeats=1 if small else REPEATS, folder=place)
        size = f"{n_answers:,} answers, {answers.stat().st_size / 1e6:,.0f} MB"
    n_rows = len(json.loads(once.printed)["tables"]["rows"])
    yield Row(
        what="bias: all of BBQ, models × settings, with intervals and tests (whole command)",
        value=once.seconds,
        unit="s",
        goal=Goal(4),
        note=f"{size}, {n_rows} rows; {once.busy:.2g} s of processor time",
    )
    yield Row(
        what="the same / a Python loop that splits every line",
        value=once.ratio,
        unit="×",
        note=f"the loop: {once.loop:.3g} s",
    )
    yield Row(what="its peak memory", value=once.peak / 1e9, unit="GB", goal=Goal(4))


def simulated_items(sizes: dict[str, int]) -> BiasItems:
    """Items in BBQ's design: ambiguous and disambiguated, both groups right as often."""
    categories = [name for name, n in sizes.items() for _ in range(n)]
    within = np.concatenate([np.arange(n) for n in sizes.values()])
    ambiguous = within // 2 % 2 == 0
    n = within.size
    return BiasItems(
        pl.DataFrame(
            {
                "category": categories,
                "language": ["English"] * n,
                "id": list(map(str, within.tolist())),
                "template": [f"{c} {i % N_TEMPLATES}" for c, i in zip(categories, within.tolist(), strict=True)],
                "ambiguous": ambiguous,
                "nonnegative": within % 2 == 1,
                "gold": np.where(ambiguous, 2, within // 4 % 2),
                "unknown": [2] * n,
                "target": within % 2,
                "stereotyped": [f"group {i % 4}" for i in within.tolist()],
                "context": [f"Context number {i}, of two people." for i in range(n)],
                "question": [f"Who was it, in number {i}?" for i in range(n)],
                "options": [["The first one", "The second one", "Not known"]] * n,
                "groups": [None] * n,
            },
            schema=ITEM_SCHEMA,
        )
    )


def _write_predictions(path: Path, items: BiasItems, n_models: int) -> int:
    """One row per model, setting and item; choices by chance, half of them unknown."""
    rng = np.random.default_rng(0)
    ends = [f",{name},{i}," for name, i in items.frame.select("category", "id").iter_rows()]
    with path.open("w", encoding="utf-8") as file:
        file.write("model,setting,category,example_id,pred\n")
        for m in range(n_models):
            for setting in SETTINGS:
                chosen: list[int] = rng.choice([0, 1, 2, 2, -1], size=len(ends)).tolist()
                start = f"model-{m},{setting}"
                file.writelines(f"{start}{end}{pred}\n" for end, pred in zip(ends, chosen, strict=True))
    return n_models * len(SETTINGS) * len(ends)
