"""What may be said of one gap in several models: which has the smallest and the largest, and which questions fail.

The smallest gap is called so only where it differs significantly from the next, and so is the largest (Holm over all
pairs of models); else both are named, and that they cannot be told apart.
"""

from collections.abc import Sequence

from fairviz.display.words import capital, interval, listing, number, percent, plural
from fairviz.stats.tests import Verdict, verdict
from fairviz.studies.demographic_qa.across import Across, Prompt
from fairviz.studies.demographic_qa.findings import (
    Ends,
    detectable,
    no_verdict,
    pair_people,
    pair_title,
    short_words,
    widest_ends,
)
from fairviz.studies.demographic_qa.names import points, spoken, strategy_name

APART: tuple[Verdict, Verdict] = ("higher", "lower")
"""Verdicts of two that are told apart."""


def models_words(across: Across) -> str:
    """Which model has the smallest gap and which the largest; "" of one model, or where none has a significant one."""
    n = len(across.models)
    if n < 2 or not n_apart(across):
        return ""
    by = f"by {spoken(across.ends.row['attribute'])}"
    if not _are_told_apart(across, 0, n - 1):
        return f"gaps {by} of {plural(n, 'model')} cannot be told apart ({_span(across)} points)"
    if n == 2:
        return f"smaller gap {by}: {_sized(across, 0)}; {_name(across, 1)}: {_points(across, 1)}"
    return f"smallest gap {by}: {_extreme(across, 0, 1)}; largest: {_extreme(across, n - 1, n - 2)}"


def _extreme(across: Across, at: int, beside: int) -> str:
    """The model at one end, or it and the next, where the two cannot be told apart."""
    if _are_told_apart(across, at, beside):
        return _sized(across, at)
    names = listing([_name(across, model) for model in (at, beside)])
    sizes = " and ".join(number(100 * across.models[model][1].gap["gap"], 0) for model in (at, beside))
    return f"{names} ({sizes} points, cannot be told apart)"


def _sized(across: Across, at: int) -> str:
    gap = across.models[at][1].gap
    between = interval(100 * gap["low"], 100 * gap["high"], 0)
    return f"{_name(across, at)}, {_points(across, at)} ({between}), {percent(across.models[at][1].row['score'])} right"


def _name(across: Across, at: int) -> str:
    return across.models[at][0].model


def _points(across: Across, at: int) -> str:
    gap = across.models[at][1].gap["gap"]
    return f"{points(gap)}{' the other way round' if gap < 0 else ''}"


def _span(across: Across) -> str:
    return " to ".join(number(100 * across.models[at][1].gap["gap"], 0) for at in (0, -1))


def _are_told_apart(across: Across, first: int, second: int) -> bool:
    """Whether two models' gaps differ significantly on the questions of both, as their order says, over all pairs."""
    low, high = sorted((first, second))
    row = next(row for row in across.pairs.iter_rows(named=True) if (row["first"], row["second"]) == (low, high))
    return verdict(row["difference"], row["p_holm"], int(row["n"])) == "higher"


def n_apart(across: Across) -> int:
    """In how many models the two groups differ significantly, in the direction that they have over all models."""
    way: Verdict = APART[across.together["gap"] < 0]
    return sum(verdict(ends.gap["gap"], ends.gap["p_holm"], ends.gap["n"]) == way for _, ends in across.models)


def failing_title(across: Across) -> str:
    """How many questions most models get right about one group and wrong about the other."""
    worse, better = across.people
    n_models, counts = len(across.models), across.questions["n_models"].to_list()
    about = f"right about {better} and wrong about {worse}"
    if across.ends.row["unit"] == "ROUGE-L":
        return "Choose from which ROUGE-L on open answers are right, to see which questions fail"
    if not counts:
        return f"No question is answered {about}"
    n, most = counts.count(counts[0]), counts[0]  # those that most models fail come first
    whole = "both" if n_models == 2 else f"all {n_models}"
    who = whole if most == n_models else f"{most} of {n_models}"
    models = "the model gets" if n_models == 1 else f"{who} models get"
    return capital(f"{plural(n, 'question')} that {models} {about}")


def brief_title(across: Across) -> str:
    """The gap over all models with its interval, and in how many of them it is significant."""
    rows = [ends.row for _, ends in across.models]
    if why := no_verdict(rows):
        return why
    n, n_models = n_apart(across), len(rows)
    if not n:
        least = detectable(rows)
        shown = "" if least != least else f"; one of {points(least)} would have shown"
        return f"No significant gap in {plural(n_models, 'model')}{shown}"
    together = _together(across)
    if not together.interval.low > 0:
        return f"A significant gap in {n} of {plural(n_models, 'model')}; over all together none can be told"
    title = pair_title(together)
    if n_models == 1:
        return title
    where = f"{_span(across)} in each of" if n == n_models else f"significant in {n} of"
    return f"{title}; {where} {n_models} models"


def _together(across: Across) -> Ends:
    """The gap over all models, the groups turned where the better one is the other over all models."""
    together, ends = across.together, across.ends
    if together["gap"] >= 0:
        return ends._replace(gap=ends.gap | together)
    turned = {"gap": -together["gap"], "low": -together["high"], "high": -together["low"]}
    return ends._replace(worst=ends.best, best=ends.worst, gap=ends.gap | together | turned)


def sure_words(across: Across) -> str:
    """Which answers the gap rests on: questions, answers right about one group only, models."""
    ends = _together(across)
    ahead, behind = (sum(own.gap[key] for _, own in across.models) for key in ("first_only", "second_only"))
    if ends.best is not across.ends.best:
        ahead, behind = behind, ahead
    worse, better = pair_people(ends)
    low, high = (100 * ends.gap[end] for end in ("low", "high"))
    return (
        f"{plural(ends.gap['n'], 'question')}, each asked about both. The gap is {points(ends.gap['gap'], 1)} "
        f"({interval(low, high, 1)}); the interval in the title knows that the widest of {ends.n_searched} gaps was "
        f"picked. Right only about {better}: {plural(ahead, 'answer')}, only about {worse}: {behind}. Significant in "
        f"{n_apart(across)} of {plural(len(across.models), 'model')}."
    )


def other_words(across: Across) -> str:
    """The gaps of the other attributes in the answers that are looked at."""
    attribute = across.ends.row["attribute"]
    others = [ends for ends in widest_ends(across.rows) if ends.row["attribute"] != attribute]
    significant = [short_words(ends) for ends in others if ends.significant]
    rest = [spoken(ends.row["attribute"]) for ends in others if not ends.significant]
    parts = [*([f"Also significant: {listing(significant)}"] if significant else [])]
    parts += [f"not significant: {listing(rest)}"] if rest else []
    return capital(f"{'; '.join(parts)}.") if parts else "No other attribute was asked about."


def prompts_title(prompts: Sequence[Prompt]) -> str:
    """Which remedy in the prompt makes the gap significantly smaller in most models."""
    if not prompts:
        return "Only one prompt was tried"
    first, n_tests = prompts[0], sum(prompt.n_models for prompt in prompts)
    name = strategy_name(first.strategy)
    if not first.n_smaller:
        return f"No prompt significantly narrows the gap in any of {plural(n_tests, 'test')}"
    if n_tests == 1:
        return f"{name} narrows the gap"
    return f"{name} narrows the gap in {first.n_smaller} of {plural(first.n_models, 'model')}"
