"""The kinds of experiments, by the key ``kind`` of their TOML files."""

from collections.abc import Callable, Mapping
from pathlib import Path

from fairviz.errors import UsageError
from fairviz.experiment.bias import run_bias
from fairviz.experiment.config import read_toml
from fairviz.experiment.runner import ExperimentReport, Progress, run_rankings
from fairviz.experiment.variant_runner import run_variants

KINDS: Mapping[str, Callable[..., ExperimentReport]] = {
    "rankings": run_rankings,
    "bias": run_bias,
    "variants": run_variants,
}
"""Sampled rankings and answers to them; bias questions; demographic variants."""


def run_experiment(config: Path, *, output: Path | None = None, progress: Progress | None = None) -> ExperimentReport:
    """Make every file of an experiment; the same configuration gives the same bytes.

    Args:
        config: The TOML file; its ``kind`` is "rankings" where it says nothing.
        output: Folder to write to, in the place of the configuration's.
        progress: Called before each step.

    Raises:
        InputError: If a file cannot be read.
        UsageError: If the configuration names what is not accepted.
        UndefinedError: If nothing is left to answer.
    """
    kind = read_toml(config).get("kind", "rankings")
    if not isinstance(kind, str) or kind not in KINDS:
        raise UsageError(f"{config}: kind must be one of: {', '.join(KINDS)}; got {kind!r}")
    return KINDS[kind](config, output=output, progress=progress)
