"""The grid of conditions that files make, for commands that show its tables."""

import argparse
from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np

from fairviz.cli._common import Progress
from fairviz.cli._inputs import Loaded, alphas_of, gain_of, pairs_of
from fairviz.evaluation.pairing import pairings
from fairviz.model import Factors, Note, Qrels, described
from fairviz.studies.compare.conditions import Condition
from fairviz.studies.compare.measure import grid_conditions as study_conditions
from fairviz.studies.tradeoff.curves import CurvePolicy
from fairviz.studies.tradeoff.measured import POLICIES

SHOWN = ("areas", "differences", "intervals-printed", "above", "correlations", "left-out")
"""Tables that a terminal shows unless one is asked for."""


def grid_conditions(
    args: argparse.Namespace,
    loaded: Loaded,
    qrels: Sequence[Qrels],
    table: Mapping[str, Factors],
    quality: str,
) -> tuple[tuple[Condition, ...], list[Note]]:
    """Every condition of the files, and what is to be known of them.

    Args:
        args: The options ``-k``, ``--alpha``, ``--policy``, ``--scores``, ``--gain``, ``--rel`` and ``--pair``.
        loaded: Runs, samples and answers.
        qrels: Judgements.
        table: What a table says of systems.
        quality: "EER", "EU" or "EU/best".
    """
    gain, rel = gain_of(args)
    outputs = [described(one, table.get(one.system, Factors())) for one in loaded.outputs]
    policies = POLICIES if args.policy == "all" else (cast("CurvePolicy", args.policy),)
    alphas = np.array(alphas_of(args))
    exact = quality == "EER" and bool(qrels) and bool(loaded.rankings)
    steps = len(outputs) + (len(loaded.rankings) * alphas.size if exact else 0)
    with Progress(steps, "computing", force=args.progress) as progress, loaded.naming():
        found = pairings(outputs, loaded.rankings, pairs_of(args.pair, loaded), table)
        measured = study_conditions(
            loaded.rankings,
            qrels,
            outputs,
            found,
            exact=exact,
            best=quality == "EU/best",
            between=quality != "EER",
            factors=table,
            policies=policies,
            alphas=alphas,
            k=args.k,
            gain=gain,
            rel=rel,
            scores=args.scores,
            on_step=progress.step,
        )
    return measured.conditions, loaded.placed(measured.notes)
