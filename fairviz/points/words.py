"""How policies, relevance, tests and what is missing are said of points, on every surface alike."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import ceil

import numpy as np
import polars as pl

from fairviz.display.table import Table, keyed
from fairviz.display.words import listing, number, percent
from fairviz.kernels.exposure import Gain
from fairviz.model import FloatArray
from fairviz.points.estimates import LEAST_EFFECTIVE, Estimates
from fairviz.points.summary import NARROWS
from fairviz.policies import ScoreScale
from fairviz.stats.bootstrap import Interval, detectable
from fairviz.stats.tests import Verdict


def gain_words(gain: Gain, rel: int = 1) -> str:
    """How usefulness was counted; it stands wherever a saving is stated."""
    return "graded gain" if gain == "graded" else f"binary gain, grade ≥ {rel}"


SCALES: dict[ScoreScale, str] = {
    "given": "min–max of the scores, as in the papers",
    "ranks": "min–max of the ranks: the order alone",
    "zscore": "two standard deviations about the mean fill 0 to 1: the same spread in every query",
}
"""How scores become s, the choice of the page, in a few words."""


def policy_words(scores: ScoreScale, offset: float) -> str:
    """How scores became a policy, where it is not as in the published code; else empty.

    Examples:
        >>> policy_words("zscore", 0.0)
        'Plackett–Luce with scores=zscore, offset=0'
    """
    named = [f"scores={scores}"] if scores != "given" else []
    named += [f"offset={offset:g}"] if offset != 1 else []
    return f"Plackett–Luce with {', '.join(named)}" if named else ""


def with_policy(table: Table, scores: ScoreScale, offset: float) -> Table:
    """The table with how scores became a policy, for people and programs; unchanged where it is as published."""
    words = policy_words(scores, offset)
    if not words:
        return table
    return replace(
        table,
        columns=(*table.columns, *keyed("scores", "offset")),
        rows=tuple((*row, scores, offset) for row in table.rows),
        caption=f"{table.caption}; {words}",
    )


def counted(verdicts: Iterable[Verdict]) -> tuple[int, int, int]:
    """How many of some differences are lower, and higher, of those that were tested.

    Examples:
        >>> counted(["lower", "too few to test", "no significant difference"])
        (1, 0, 2)
    """
    known = list(verdicts)
    return known.count("lower"), known.count("higher"), len(known) - known.count("too few to test")


def detectable_words(gaps: pl.DataFrame, n_tests: int | None = None) -> str:
    """Beside "no significant difference", the smallest one that these data could have shown; else nothing.

    Args:
        gaps: The differences that are spoken of, with the ends of their intervals, p_holm and verdict.
        n_tests: Tests of their table; None: these are all of it.
    """
    tested = gaps.filter(pl.col("verdict") != "too few to test")
    if tested.is_empty() or (tested["verdict"] != "no significant difference").any():
        return ""
    known = tested.select("difference", "low", "high").drop_nulls().rows()
    least = detectable([(gap, Interval(low, high)) for gap, low, high in known], n_tests or gaps["p_holm"].count())
    if least != least:
        return ""
    where = " in at least one" if tested.height > 1 else ""
    return f"A difference of about {number(ceil(1000 * least) / 1000)} or more would have been significant{where}."


def left_out_words(systems: Sequence[str]) -> str:
    """Who has no area, and why; "" where all have one.

    Examples:
        >>> left_out_words(["short"])
        'short has no area: with it the others would share less than 80 % of their common range of EE-D'
    """
    has, them = ("has", "it") if len(systems) == 1 else ("have", "them")
    shared = f"with {them} the others would share less than {percent(NARROWS)} of their common range of EE-D"
    return f"{listing(list(systems))} {has} no area: {shared}" if systems else ""


def change_title(rows: pl.DataFrame, quality: str) -> str:
    """Title of the interval table: where quality changes against the deterministic list."""
    filled = rows.filter(pl.col("n_queries") > 0)
    tested = filled.filter(pl.col("verdict") != "too few to test")
    name = "utility" if quality.startswith("EU") else "quality"
    if tested.is_empty():
        return f"Too few queries to test a change in {name}"
    lower, higher = (tested.filter(pl.col("verdict") == way) for way in ("lower", "higher"))
    if lower.is_empty() and higher.is_empty():
        return f"No significant difference in {name} from the deterministic ranking at any level of disparity"
    every = _every_level(tested.height, filled.height)
    if lower.height == tested.height:
        return f"{name.capitalize()} is lower at {every}"
    if higher.height == tested.height:
        return f"{name.capitalize()} is higher at {every}"
    if higher.height:
        where = listing([f"{low:g}–{high:g}" for low, high in higher.select("disparity_low", "disparity_high").rows()])
        tail = f", lower in {lower.height} of {tested.height} intervals" if lower.height else ""
        return f"{name.capitalize()} is higher at disparity (EE-D) {where}{tail}"
    top = lower["disparity_high"].to_numpy().max()
    above = tested.filter(pl.col("disparity_low") >= top - 1e-9)
    if above.height and lower.height == tested.height - above.height:
        from_there = f"for disparity (EE-D) of {number(top, 1)} or more"
        return f"No significant difference in {name} from the deterministic ranking {from_there}"
    return f"{name.capitalize()} is lower in {lower.height} of {tested.height} intervals of disparity"


def _every_level(n_tested: int, n_filled: int) -> str:
    if n_tested == n_filled:
        return "every level of disparity"
    levels = {1: "the one level", 2: "both levels"}.get(n_tested, f"all {n_tested} levels")
    return f"{levels} of disparity that could be tested"


def refusal(estimates: Estimates) -> str:
    """Where nothing is estimated, since the recorded answers say too little of that α; empty where there is no such."""
    sizes = estimates.n_effective
    refused = sizes < LEAST_EFFECTIVE
    if not refused.any():
        return ""
    alphas = listing([f"{alpha:g}" for alpha in estimates.alphas[refused]])
    return (
        f"not estimated at α = {alphas}: effective size {sizes_words(sizes[refused])}, at least "
        f"{number(LEAST_EFFECTIVE, 0)} is needed"
    )


def sizes_words(sizes: FloatArray) -> str:
    """Effective sizes from the smallest to the largest."""
    low, high = (number(float(end), 0) for end in (np.floor(sizes.min()), np.floor(sizes.max())))
    return low if low == high else f"{low}–{high}"


def spacing_note(scores: ScoreScale, offset: float = 1.0) -> str:
    """What stands under what a policy made of scores shows: what of the scores it depends on."""
    words = policy_words(scores, offset)
    named = f" ({words.removeprefix('Plackett–Luce with ')})" if words else ""
    if scores == "ranks":
        return f"Plackett–Luce uses the ranks here: only the order of the scores counts, not their spacing{named}."
    how = "scaled by min–max" if scores == "given" else "scaled as z-scores"
    spacing = "Plackett–Luce depends on how scores are spaced, not only on their order"
    return f"{spacing}; here they are {how} per query{named}."
