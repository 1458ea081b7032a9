"""The grid of conditions that files make, for commands that show its tables."""

import argparse
from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np

from fairviz.cli._common import Progress
from fairviz.cli._inputs import Loaded, gain_of, join_judged, pairs_of, parse_alphas
from fairviz.cli.curve import POLICIES
from fairviz.evaluate.pairing import pairings
from fairviz.model import Factors, Note, Qrels, described
from fairviz.studies.compare.conditions import Condition
from fairviz.studies.compare.measure import answer_conditions, run_conditions, sample_conditions
from fairviz.studies.tradeoff.curves import CurvePolicy

SHOWN = ("areas", "differences", "intervals-printed", "above", "correlations", "left-out")
"""Tables that a terminal shows unless one is asked for."""


def grid_conditions(
    args: argparse.Namespace,
    loaded: Loaded,
    qrels: Sequence[Qrels],
    table: Mapping[str, Factors],
    quality: str,
    *,
    between: bool = False,
) -> tuple[tuple[Condition, ...], list[Note]]:
    """Every condition of the files, and what is to be known of them.

    Args:
        args: The options ``-k``, ``--alpha``, ``--policy``, ``--scores``, ``--gain``, ``--rel`` and ``--pair``.
        loaded: Runs, samples and answers.
        qrels: Judgements.
        table: What a table says of systems.
        quality: "EER", "EU" or "EU/best".
        between: Whether answers are re-weighted to the α of the grid that lie between their own.
    """
    gain, rel = gain_of(args)
    notes: list[Note] = []
    outputs = [described(one, table.get(one.system, Factors())) for one in loaded.outputs]
    found = pairings(outputs, loaded.rankings, pairs_of(args.pair, loaded))
    policies = POLICIES if args.policy == "all" else (cast("CurvePolicy", args.policy),)
    alphas = np.array(parse_alphas(args.alpha))
    exact = quality == "EER" and bool(qrels) and bool(loaded.rankings)
    steps = len(outputs) + (len(loaded.rankings) * alphas.size if exact else 0)
    with Progress(steps, "computing", force=args.progress) as progress, loaded.naming():
        answers = answer_conditions(
            outputs,
            found,
            loaded.rankings,
            qrels,
            k=args.k,
            gain=gain,
            rel=rel,
            best=quality == "EU/best",
            grid=alphas if between and quality != "EER" else None,
            on_step=progress.step,
        )
        conditions = answers.conditions
        sampled: tuple[Note, ...] = ()
        if exact:
            joined = join_judged(loaded, qrels)
            notes += loaded.placed([one.note for one in joined.left_out])
            conditions += run_conditions(
                joined,
                factors=table,
                policies=policies,
                alphas=alphas,
                k=args.k,
                gain=gain,
                rel=rel,
                scores=args.scores,
                on_step=progress.step,
            )
            drawn = sample_conditions(joined, factors=table, beside=conditions, k=args.k, gain=gain, rel=rel)
            conditions, sampled = (*conditions, *drawn.conditions), drawn.notes
    return conditions, [*notes, *loaded.placed([*answers.notes, *sampled])]
