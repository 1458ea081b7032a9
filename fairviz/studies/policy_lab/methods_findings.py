"""What other methods achieve within the budget, in titles, rows and notes, computed from what is shown.

Title, row, chart and brief say of a setting what its ``verdict`` says; a cost is always said with the low end of its
interval.
"""

import math
from collections import Counter

import numpy as np

from fairviz.display.words import Finding, capital, count, count_word, listing, noun, number, percent, plural, quoted
from fairviz.kernels.grouping import UNLABELLED, off_target_share
from fairviz.metrics.catalogue import parse_measure
from fairviz.metrics.effectiveness import standard_values
from fairviz.model import Dataset
from fairviz.points.columns import spacing_note
from fairviz.points.shares import next_step
from fairviz.points.targets import WORTH_SAYING, exposure_of
from fairviz.reranking.catalogue import find_reranker
from fairviz.stats.tests import MIN_UNITS
from fairviz.studies.policy_lab.bench import Bench, Row
from fairviz.studies.policy_lab.budget import Outcome
from fairviz.studies.policy_lab.examples import BeforeAfter
from fairviz.studies.policy_lab.findings import (
    budget_words,
    change_interval,
    change_words,
    depth_words,
    without_quality,
)
from fairviz.studies.policy_lab.settings import PolicyLabSettings
from fairviz.studies.policy_lab.strengths import Prices, setting_words

ON_TARGET = 0.5
"""Points off target below which lists are on it, as far as a sentence goes."""


def points(value: float) -> str:
    """Points of attention as sentences have them.

    Examples:
        >>> points(9.3), points(0.64)
        ('9', '0.6')
    """
    return number(value, 1 if 0.05 <= abs(value) < 1.95 else 0)


def methods_finding(outcome: Outcome) -> Finding:
    """How many methods move and stay in budget, which of them gets closest, what that costs and how sure it is."""
    now, inside = outcome.now, budget_words(outcome.budget)
    today = f"{points(now['off'])} points {outcome.off}"
    if not now["n_queries"] or math.isnan(now["off"]):
        reason = f"{outcome.quality} or the distance from {outcome.aim} is undefined for every query."
        return Finding("No query can be compared", reason)
    if now["n_queries"] == 1:
        return Finding("One list: nothing is tested", "The table has what each method leads to on it, and no more.")
    if outcome.silent:
        few = now["n_queries"] < MIN_UNITS or now["n_labelled"] < MIN_UNITS
        what = "Too few queries" if few else f"Too many {outcome.unit} have no label"
        step = next_step(now["n_queries"], now["n_labelled"], outcome.unlabelled, outcome.unit)
        return Finding(f"{what} to say what this costs", f"{capital(outcome.silent)}. {step}")
    if now["off"] < ON_TARGET:
        are, it = ("are on target", "it") if outcome.is_set else ("give equal shares", "them")
        reason = f"They are {number(now['off'], 1)} points of attention away from {it}; nothing needs to change."
        return Finding(f"Today's lists {are}", reason)
    if outcome.best is None:
        dearer = any(reach["over"] for reach in outcome.reaches)
        why = f"by estimate every setting that gets nearer costs more than {inside} of quality ({outcome.quality})"
        nothing = why if dearer else "no setting that was tried gets nearer at any price"
        return Finding(_title(outcome), f"Today's lists are {today}; {nothing}.")
    best, name = outcome.best["inside"], find_reranker(outcome.best["method"]).full_name
    lists = "every visitor the same lists" if best["is_fixed"] else "each visitor one of several lists at random"
    return Finding(
        _title(outcome),
        f"Closest within {inside} of quality is {name}: {points(now['off'])} → "
        f"{points(best['off'])} points {outcome.off}, quality {change_words(best['change'])}{change_interval(best)}: "
        f"{best['verdict']}; it shows {lists}.",
    )


def _title(outcome: Outcome) -> str:
    """How many methods move and stay in budget, and what may be said of the others."""
    n, states = len(outcome.reaches), Counter(reach["state"] for reach in outcome.reaches)
    if not n:
        return "No method is compared"
    certain, estimate, over, none = (states[state] for state in ("certain", "estimate", "over", "none"))
    first = f"No method is sure to move towards {outcome.aim} and stay in budget"
    if certain:
        move, stay = ("moves", "stays") if certain == 1 else ("move", "stay")
        methods = f"{count_word(n)} {noun('methods', n)}"
        first = f"{capital(count_word(certain))} of {methods} {move} towards {outcome.aim} and {stay} in budget"
    rest = [f"for {count_word(estimate)} we cannot tell"] if estimate else []
    rest += [f"{count_word(over)} {'are' if over > 1 else 'is'} over budget by estimate"] if over else []
    rest += [f"{count_word(none)} {'do' if none > 1 else 'does'} not move"] if none else []
    return "; ".join(filter(None, (first, listing(rest))))


def reach_words(reach: Row, outcome: Outcome) -> str:
    """How far a method gets, and what may be said of it, in a few words."""
    shown, sure = reach["shown"], reach["sure"]
    if shown is None:
        return LACKS[reach["lack"]].format(aim=outcome.aim, unit=outcome.unit)
    if reach["over"]:
        unsure = f" ({shown['unsure']})" if shown["unsure"] else ""
        return f"{shown['over']}; to come within {points(shown['off'])} points: {change_words(shown['change'])}{unsure}"
    also = f"; {points(sure['off'])}: {sure['verdict']}" if sure and sure is not shown else ""
    return f"{points(shown['off'])} points {outcome.off}: {shown['verdict']}{also}"


LACKS = {
    "none": "does not move towards {aim}",
    "few": f"too few queries still show labelled {{unit}} (under {MIN_UNITS})",
}
"""Why no setting of a method counts."""


def counted(setting: Row) -> str:
    """What happens to the quality of queries, in a few words."""
    worse, same, better = (count(setting[f"n_{kind}"]) for kind in ("worse", "unchanged", "better"))
    return f"{worse} worse · {same} same · {better} better"


# What is compared, and what the files hold.


def comparison_words(outcome: Outcome, prices: Prices, settings: PolicyLabSettings) -> str:
    """What was left out, over which queries, how sure, which of several settings."""
    refused = prices.refused(settings.methods)
    left = [f"{find_reranker(name).full_name} is left out: {reason}." for name, reason in refused.items()]
    now, pools = outcome.now, prices.bench.pools
    missing = len(pools.missing_queries)
    queries = f"{plural(now['n_queries'], 'query', 'queries')} in every mean"
    if now["n_labelled"] < now["n_queries"]:
        queries += f", {count(now['n_labelled'])} of them with labelled {outcome.unit} today"
    if without := without_quality(prices.stated):
        queries += f"; {without}"
    if missing:
        queries += f"; {plural(missing, 'judged query is', 'judged queries are')} not among these lists"
    unlabelled = percent(outcome.unlabelled)
    lacks = f"{unlabelled} of attention goes to unlabelled {outcome.unit}." if outcome.unlabelled > WORTH_SAYING else ""
    alike = "Near ties: the safer setting is shown, then the cheaper."
    how = "intervals by resampling queries, paired with today (bootstrap)."
    policy, usual = ((each.scores, each.offset) for each in (settings, PolicyLabSettings))
    spaced = policy != usual and {"plackett-luce", "optimal"} & {reach["method"] for reach in outcome.reaches}
    scores = spacing_note(*policy) if spaced else ""
    return " ".join(part for part in (*left, f"{queries}; {how}", lacks, alike, scores) if part)


def provenance_words(data: Dataset, settings: PolicyLabSettings, prices: Prices) -> str:
    """Run, candidates, and today's distance over all queries of the run where that is another, as Groups has it."""
    stated = prices.stated
    words = f"{stated.run.system}, ranks 1 to {settings.k}. {depth_words(stated.depths, settings.unit)}".strip()
    exposure = exposure_of(data, *prices.targeted.key, settings.browsing, settings.k)
    if exposure.n_labelled == prices.now["n_labelled"] or exposure.is_few:
        return words
    off = 100 * float(off_target_share(exposure.shares, prices.targeted.target.shares))
    return (
        f"{words} Over all {plural(exposure.n_labelled, 'query', 'queries')} with labelled {settings.unit}, judged or "
        f"not, {number(off, 1)} points of attention would have to move today, as on Groups & targets."
    )


def below_words(lists: BeforeAfter, bench: Bench, *, unlabelled: str, most: int) -> str:
    """How many ranks of a query are drawn, and which groups with a target none of its candidates is labelled.

    Args:
        lists: The query, before and after.
        bench: Its candidates.
        unlabelled: What documents without a label are called.
        most: Ranks that are drawn at most.
    """
    pools, at = bench.pools, bench.pools.query_ids.index(lists.query_id)
    words = [f"The first {most} of {lists.k} ranks are drawn."] if lists.k > most else []
    weights = bench.members.weights[bench.rows(at)].sum(axis=0)
    sides = zip(bench.members.groups, weights, bench.target, strict=True)
    names = [unlabelled if group == UNLABELLED else group for group, weight, aim in sides if weight <= 0 and aim > 1e-6]
    if names:
        depth = plural(int(pools.n_retrieved[at]), "candidate")
        words.append(f"None of this query's {depth} is labelled {listing([quoted(name) for name in names], 'or')}.")
    return " ".join(words)


def run_file_words(prices: Prices, settings: PolicyLabSettings, selection: tuple[str, float], *, n_samples: int) -> str:
    """What the file of re-ranked lists holds, and the number that another tool will give for it."""
    point = prices.point(*selection)
    about = f"{setting_words(*selection)}: {plural(len(prices.stated.run.query_ids), 'query', 'queries')} of the run"
    if find_reranker(selection[0]).is_policy:
        return (
            f"{about}. It shows each visitor one of several lists, drawn at random: the file holds {n_samples} drawn "
            f"rankings of each query, seed {prices.settings.seed}, their number in column 2."
        )
    qrels = prices.stated.qrels
    if point is None or qrels is None or settings.quality != "nDCG":
        return f"{about}."
    spec = parse_measure(f"nDCG@{settings.k}")
    today = standard_values(prices.stated.run, qrels, [spec])[0].values
    qualities = point.qualities[~np.isnan(point.qualities)]
    # ir-measures counts a judged query without a value as 0
    mean = float(qualities.sum() / max(today.size, 1))
    repeats = (
        " (mean of the repeats; its lists are drawn at random, and the file holds one of them)"
        if prices.is_random(*selection)
        else ""
    )
    return (
        f"{about}. ir-measures gives it nDCG@{settings.k} = {number(mean, 4)}{repeats} over all "
        f"{today.size} judged queries, those without anything useful counted as 0; today's file: "
        f"{number(float(today.mean()), 4)}."
    )
