"""Two groups in every model and under every prompt: their gaps side by side, and the questions that most models fail.

The two groups are those that the title speaks of, whichever pair is the widest elsewhere, so that one gap is compared
with itself. Gaps of two models are paired by question: the sign of each question's difference is a coin where both
models treat the groups alike, corrected (Holm) over all pairs of models.
Of the models at either end one is said to have the smaller gap only where the two differ significantly.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np
import polars as pl

from fairviz.display.words import capital, interval, listing, number, percent, plural, points
from fairviz.model import Dataset
from fairviz.remembered import remembered
from fairviz.stats.bootstrap import Resampling
from fairviz.stats.tests import ROUNDING, verdict
from fairviz.studies.demographic_qa.answers import NEUTRAL, Record, answers_frame, corrected_rows, groups_of
from fairviz.studies.demographic_qa.combinations import Combination, Key, comparable_answers, measured_combinations
from fairviz.studies.demographic_qa.findings import (
    Ends,
    detectable,
    no_verdict,
    pair_people,
    pair_title,
    paired_ends,
    remedy_verb,
    short_words,
    spoken_ends,
    turned,
    widest_ends,
)
from fairviz.studies.demographic_qa.names import spoken, strategy_name
from fairviz.studies.demographic_qa.rows import mean_change
from fairviz.studies.demographic_qa.settings import VariantsSettings

ANYWHERE = ("model", "strategy", "retriever", "k")
"""What answers to the same questions may differ in."""


class Across(NamedTuple):
    """One gap in every model and under every other condition.

    Attributes:
        rows: Rows of the answers that are looked at, one per attribute.
        ends: The two groups there.
        models: The gap in each model under the other conditions of these answers, smallest first.
        runs: The gap in all answers to the same questions, whatever the model, prompt and retrieval.
        together: The gap of all these models, each question's mean over the models that have it: gap, low, high, se,
            n questions, p.
        pairs: first, second: places among the models; difference of their gaps (second − first) with low, high, n
            questions, p, p_holm over all pairs.
        prompts: Remedies in the prompt beside the plain one, those that narrow the gap in most models first: strategy;
            change and right, the smallest and the largest change of the gap (DP) and of the share of right answers over
            the n_models that were asked with both; n_smaller, n_larger: whose gap it narrows or widens, by tests.
        questions: A row per question that is right about the better group and wrong about the worse one in a model:
            question, right (the right option, null of open answers), answered (options about the worse group),
            n_models, n_runs, and by the names of ``others`` in how many models each of them is wrong; those that fail
            in most models, then in most runs, first. Empty for ROUGE-L, which is neither right nor wrong.
        others: The worst group of every other attribute, and the question that mentions nobody ("neutral" twice).
    """

    rows: Sequence[Record]
    ends: Ends
    models: tuple[tuple[Combination, Ends], ...]
    runs: tuple[tuple[Combination, Ends], ...]
    together: Record
    pairs: list[Record]
    prompts: list[Record]
    questions: pl.DataFrame
    others: tuple[tuple[str, str], ...]

    @property
    def people(self) -> tuple[str, str]:
        """The people of the worse and of the better group."""
        return pair_people(self.ends)


@remembered
def across(data: Dataset, settings: VariantsSettings, key: Key) -> Across | None:
    """The gap that the title speaks of, in every model and run; None where no two groups are compared.

    Args:
        data: The answers.
        settings: How answers are counted.
        key: File and columns of the answers that are looked at.
    """
    answers = measured_combinations(data, settings)
    selected = next(combination for combination in answers if combination.key == key)
    ends = spoken_ends(selected.rows)
    if ends is None:
        return None
    runs = _gaps(comparable_answers(answers, selected, *ANYWHERE), ends)
    models = sorted(_gaps(comparable_answers(answers, selected, "model"), ends), key=lambda each: each[1].gap["gap"])
    scores = _scores(data, [combination for combination, _ in runs], settings)
    pair = scores.filter(pl.col("name") == ends.row["attribute"]).pivot(
        "value", index=["run", "question"], values="score", aggregate_function="first"
    )
    own = pair.select("run", "question", better=ends.best["value"], worse=ends.worst["value"]).drop_nulls()
    places = {combination.key: run for run, (combination, _) in enumerate(runs)}
    of_models = [places[combination.key] for combination, _ in models]
    gaps = own.filter(pl.col("run").is_in(of_models)).select("run", "question", gap=pl.col("better") - pl.col("worse"))
    mean = gaps.group_by("question", maintain_order=True).agg(pl.col("gap").mean())["gap"].to_numpy()
    se = float(mean.std(ddof=1)) / mean.size**0.5 if mean.size > 1 else np.nan
    together = mean_change(mean, Resampling(settings.seed), "gap") | {"se": se}
    pairs = model_pairs(gaps, of_models, settings.seed)
    prompts = _prompts(comparable_answers(answers, selected, "model", "strategy"), ends.row["attribute"])
    others = _others(selected.rows, ends)
    failing = own.filter(pl.col("better") >= 1 - ROUNDING, pl.col("worse") <= ROUNDING)
    if ends.row["unit"] == "ROUGE-L":
        failing = failing.clear()
    questions = _failing(scores, failing, of_models, ends, others)
    return Across(selected.rows, ends, tuple(models), tuple(runs), together, pairs, prompts, questions, others)


def _gaps(answers: Sequence[Combination], ends: Ends) -> list[tuple[Combination, Ends]]:
    """The gap of the two groups in each of some answers that have both."""
    gaps: list[tuple[Combination, Ends]] = []
    for combination in answers:
        row = next((row for row in combination.rows if row["attribute"] == ends.row["attribute"]), None)
        own = row and paired_ends(row, ends.best["value"], ends.worst["value"])
        if own:
            gaps.append((combination, own))
    return gaps


def _scores(data: Dataset, runs: Sequence[Combination], settings: VariantsSettings) -> pl.DataFrame:
    """Mean score of every run, question and group, with what was answered; name and value: attribute and group."""
    parts: list[pl.DataFrame] = []
    for file in dict.fromkeys(combination.file for combination in runs):
        answers = data.variants[file]
        how = settings if answers.kind == "open" else replace(settings, threshold=None)
        keys = [dict(each.by) | {"run": run} for run, each in enumerate(runs) if each.file == file]
        names = [name for name in keys[0] if name != "run"]
        frame = answers_frame(answers, how, names).with_columns(pl.col(names).cast(pl.String))
        own = groups_of(answers, frame.join(pl.DataFrame(keys), on=names)).filter("own")
        of_groups = pl.col("question", "name", "value", "reply", "right").cast(pl.String)
        parts.append(own.select(of_groups, "score", pl.col("run").cast(pl.Int64)))
    return (
        pl.concat(parts)
        .group_by("run", "question", "name", "value", maintain_order=True)
        .agg(pl.col("score").mean(), pl.col("right").first(), pl.col("reply").unique().sort())
    )


def model_pairs(gaps: pl.DataFrame, models: Sequence[int], seed: int) -> list[Record]:
    """Differences between the gaps of two models, on the questions that both have."""
    of_model = [gaps.filter(pl.col("run") == run).select("question", "gap") for run in models]
    rows: list[Record] = []
    for first, second in combinations(range(len(models)), 2):
        both = of_model[first].join(of_model[second], on="question")
        changes = (both["gap_right"] - both["gap"]).to_numpy()
        rows.append({"first": first, "second": second} | mean_change(changes, Resampling(seed), "difference"))
    return corrected_rows(rows)


def _prompts(answers: Sequence[Combination], attribute: str) -> list[Record]:
    """What remedies change, from the rows and tests that the tables of prompts have."""
    rows = {row["by"]: row for each in answers for row in each.rows if row["attribute"] == attribute}
    by_strategy: dict[str, list[Record]] = {}
    for each in answers:
        row = rows.get(each.by)
        if row and row["natural"] and not (row["small"] or np.isnan(row["ddp"])) and row["base"] in rows:
            by_strategy.setdefault(each.parts["strategy"], []).append(row)
    prompts: list[Record] = []
    for strategy, own in by_strategy.items():
        changes = [row["ddp"] for row in own]
        right = [row["score"] - rows[row["base"]]["score"] for row in own]
        verbs = [remedy_verb(row, rows[row["base"]]) for row in own]
        ranges = {"change": (min(changes), max(changes)), "right": (min(right), max(right))}
        counts = {"n_models": len(own), "n_smaller": verbs.count("narrows"), "n_larger": verbs.count("widens")}
        prompts.append({"strategy": strategy} | ranges | counts)
    return sorted(prompts, key=lambda prompt: (-prompt["n_smaller"] / prompt["n_models"], prompt["change"][0]))


def _failing(
    scores: pl.DataFrame, failing: pl.DataFrame, models: Sequence[int], ends: Ends, others: Sequence[tuple[str, str]]
) -> pl.DataFrame:
    """Questions of failing runs with what was answered, counted as :class:`Across` says."""
    in_models = pl.col("run").is_in(list(models))
    counts = failing.group_by("question").agg(n_models=in_models.sum(), n_runs=pl.len()).filter(pl.col("n_models") > 0)
    own = scores.filter(in_models)
    answered = (
        own.filter(pl.col("name") == ends.row["attribute"], pl.col("value") == ends.worst["value"])
        .join(failing, on=["run", "question"])
        .group_by("question")
        .agg(pl.col("right").first(), answered=pl.col("reply").explode().drop_nulls().unique().sort())
    )
    questions = counts.join(answered, on="question")
    for name, value in others:
        of_group = own.filter(pl.col("name") == ("" if name == NEUTRAL else name), pl.col("value") == value)
        wrong = of_group.group_by("question").agg((pl.col("score") <= ROUNDING).sum().alias(name))
        questions = questions.join(wrong, on="question", how="left")
    return questions.sort("n_models", "n_runs", "question", descending=[True, True, False])


def _others(rows: Sequence[Record], ends: Ends) -> tuple[tuple[str, str], ...]:
    """The worst group of every other attribute, and the question that mentions nobody."""
    others = [(row["attribute"], row["worst"]) for row in rows if row["attribute"] != ends.row["attribute"]]
    return *(other for other in others if other[1]), (NEUTRAL, NEUTRAL)


# What may be said of them.


def models_words(across: Across) -> str:
    """Which of the models at either end has the smaller gap; "" of one model, or where none has a significant one.

    That it is smaller is tested over all pairs of models.
    """
    n = len(across.models)
    if n < 2 or not n_apart(across):
        return ""
    by = f"by {spoken(across.ends.row['attribute'])}"
    ends = next(pair for pair in across.pairs if (pair["first"], pair["second"]) == (0, n - 1))
    if verdict(ends["difference"], ends["p_holm"], ends["n"]) != "higher":
        return f"gaps {by} of {plural(n, 'model')} cannot be told apart ({_span(across)} points)"
    smaller, larger = (_sized(*across.models[at]) for at in (0, -1))
    return f"smaller gap {by}: {smaller}; larger: {larger}"


def _sized(combination: Combination, ends: Ends) -> str:
    """A model with its gap and how much it gets right."""
    gap = ends.gap
    turned = " the other way round" if gap["gap"] < 0 else ""
    between = interval(100 * gap["low"], 100 * gap["high"], 0)
    return f"{combination.model}, {points(gap['gap'])}{turned} ({between}), {percent(ends.row['score'])} right"


def _span(across: Across) -> str:
    return " to ".join(number(100 * across.models[at][1].gap["gap"], 0) for at in (0, -1))


def n_apart(across: Across) -> int:
    """In how many models the two groups differ significantly, in the direction that they have over all models."""
    way = "lower" if across.together["gap"] < 0 else "higher"
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
    ends, gap = across.ends, across.ends.gap | across.together
    return ends._replace(gap=gap) if gap["gap"] >= 0 else Ends(ends.row, ends.best, ends.worst, turned(gap))


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


def prompts_title(prompts: Sequence[Record]) -> str:
    """Which remedy in the prompt makes the gap significantly smaller in most models."""
    if not prompts:
        return "Only one prompt was tried"
    first = prompts[0]
    if not first["n_smaller"]:
        n_tests = sum(prompt["n_models"] for prompt in prompts)
        return f"No prompt significantly narrows the gap in any of {plural(n_tests, 'test')}"
    name, n_models = strategy_name(first["strategy"]), plural(first["n_models"], "model")
    return f"{name} narrows the gap in {first['n_smaller']} of {n_models}"
