"""Makes the example's files again, byte for byte the same; an argument names another copy of its folder."""

import sys
import warnings
from pathlib import Path

import fairviz as fv
from data.make_demo import register
from fairviz.experiments.runner import Experiment

register()
demo = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "demo"
for folder in (".", "bias", "variants"):
    made = Experiment(demo / folder / "experiment.toml").run()
    print(f"{made.manifest.parent}: {len(made.files)} files")
with warnings.catch_warnings(action="ignore", category=fv.DataWarning):  # of ties, which are many
    fv.write(fv.fuse([demo / "bm25.run", demo / "dense.run"], top=50), demo / "rrf.run")
print(f"{demo / 'rrf.run'}: bm25 and dense, fused")
