"""Makes the example's files again; they come out byte for byte the same."""

from pathlib import Path

from data.demo.make import register
from fairviz.experiments.runner import run_experiment

register()
for folder in (".", "bias", "variants"):
    made = run_experiment(Path(__file__).parents[1] / folder / "experiment.toml")
    print(f"{made.manifest.parent.resolve()}: {len(made.files)} files")
