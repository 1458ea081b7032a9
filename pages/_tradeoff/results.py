"""Controls of the Trade-off page, and what it looks up: every setting is in the address."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal, cast, get_args

import numpy as np
import streamlit as st

from fairviz.display.words import listing, plural
from fairviz.model import Curve, Dataset, FloatArray, Pools
from fairviz.points.curves import query_exposures
from fairviz.points.intervals import IntervalTest
from fairviz.points.summary import SlopeWeights
from fairviz.studies.tradeoff.analysis import beside, curve_of, fine_curve, pools_of
from fairviz.studies.tradeoff.settings import TradeoffSettings
from pages._kit import callout
from pages._kit.controls import (
    choose_cutoff,
    choose_judgements,
    choose_place,
    choose_policy,
    choose_relevance,
    following,
    one_of,
)
from pages._kit.recorded_outputs import usual_k
from pages._kit.session import cached

Quality = Literal["EER", "EU", "EU/best"]
QUALITIES: dict[str, Quality] = {"EE-R": "EER", "EU": "EU", "EU, normalised": "EU/best"}
TESTS = dict(zip(("paired t", "unpaired, Student", "unpaired, Welch"), get_args(IntervalTest), strict=True))
WEIGHTS = dict(zip(("by EE-D spacing", "every point alike"), get_args(SlopeWeights), strict=True))


def settings(loaded: Dataset) -> TradeoffSettings:
    """Show the controls in a row and return what they say."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        quality = _quality(loaded)
        system, judgements = "", 0
        if quality == "EER":
            run = loaded.runs[choose_place("System", [run.system for run in loaded.runs], "system", width=220)]
            system, judgements = run.system, choose_judgements(loaded, run)
        k = choose_cutoff(
            "Cutoff k", usual=usual_k(loaded), help="The reader or generator sees the first k documents of a ranking."
        )
        gain = choose_relevance()
        with st.popover("Advanced", icon=":material/tune:", width="content"):
            policy = choose_policy()
            weights = st.radio(
                "Slope weighs points",
                list(WEIGHTS),
                key="slope",
                bind="query-params",
                help="By spacing, the slope hardly depends on the α grid; the paper gives all points one weight.",
            )
            test = st.radio("Test against the deterministic list", list(TESTS), key="test", bind="query-params")
    chosen = TradeoffSettings(
        system=system,
        judgements=judgements,
        k=k,
        gain=gain,
        quality=quality,
        weights=cast("SlopeWeights", WEIGHTS[weights or "by EE-D spacing"]),
        test=cast("IntervalTest", TESTS[test or "paired t"]),
    )
    return replace(chosen, scores=policy.scores, offset=policy.offset) if quality == "EER" else chosen


def can_rank(loaded: Dataset) -> bool:
    """Whether there are scores and judgements, so that policies can be made and judged."""
    return bool(loaded.runs and loaded.qrels)


def _quality(loaded: Dataset) -> Quality:
    """What is on the y axis: no choice where only one thing is known."""
    if not has_utility(loaded):
        return "EER"
    known = [name for name, measure in QUALITIES.items() if can_rank(loaded) or measure != "EER"]

    def draw() -> object:
        return st.segmented_control(
            "Quality",
            known,
            required=True,
            key="quality",
            help="EE-R: of the ranking, by judgements. EU: of the recorded answers, mean utility. EU, normalised: by "
            "the per-query maximum, the largest utility that the generator reached for the query.",
        )

    return QUALITIES[following("quality", known[0], one_of(known), draw)]


def has_utility(loaded: Dataset) -> bool:
    """Whether any recorded answer has a utility."""
    return any((outputs.utilities == outputs.utilities).any() for outputs in loaded.outputs)


def steps(loaded: Dataset, selection: TradeoffSettings) -> list[tuple[str, Callable[[], object]]]:
    """What is computed for the chart, one after the other: of whom, and the function that leaves it in the cache."""
    own = selection.system
    return [
        (f"Plackett–Luce of {own}", partial(curve_of, loaded, selection)),
        (f"Optimal policy of {own}", partial(curve_of, loaded, selection, "optimal")),
        (f"Oracle limit of {own}", partial(curve_of, loaded, selection, "oracle")),
        *(
            (f"Plackett–Luce of {name}", partial(curve_of, loaded, selection, system=name))
            for name in beside(loaded, selection)[0]
        ),
        (f"Finer steps of {own}", partial(fine_curve, loaded, selection)),
    ]


def compared(loaded: Dataset, selection: TradeoffSettings) -> bool:
    """Whether there are systems to compare with; says which are left out, and why."""
    others, left_out = beside(loaded, selection)
    if left_out:
        names = listing([one.system for one in left_out])
        callout(f"Left out of the comparison: {names}", " ".join(one.words for one in left_out))
    return bool(others)


def ranked_queries(pools: Pools) -> list[str]:
    """Queries for which something was retrieved."""
    return [query for query, n in zip(pools.query_ids, pools.n_retrieved, strict=True) if n]


def first_query(main: Curve, ids: Sequence[str]) -> str:
    """The first of some queries that is on the chart."""
    known: list[bool] = np.asarray(main.defined.all(axis=0)).tolist()
    on_chart = {q for q, drawn in zip(main.query_ids, known, strict=True) if drawn}
    return next((q for q in ids if q in on_chart), ids[0])


@cached
def one_query(loaded: Dataset, selection: TradeoffSettings, query: int) -> FloatArray:
    """(A, n) exposure of one query's items on the slider's grid."""
    return query_exposures(pools_of(loaded, selection), query, selection.curves())


def why_undefined(pools: Pools, k: int) -> str:
    """How many queries lack what a trade-off needs, and of which kind."""
    ranked = pools.n_retrieved > 0
    small = int((ranked & (pools.sizes <= k)).sum())
    parts = [f"{plural(len(pools.query_ids), 'judged query', 'judged queries')}"]
    if missing := int((~ranked).sum()):
        parts.append(f"{missing} not in the run")
    if small:
        parts.append(f"{small} with no more than {k} documents in the pool: try a smaller k")
    if alike := int(np.sum(ranked)) - small:
        parts.append(f"{alike} whose judged documents all have the same grade")
    return " · ".join(parts)
