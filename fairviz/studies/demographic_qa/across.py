"""Two groups in every model and under every prompt: their gaps side by side, and the questions that most models fail.

The two groups are those that the title speaks of, whichever pair is the widest elsewhere, so that one gap is compared
with itself. Gaps of two models are paired by question: the sign of each question's difference is a coin where both
models treat the groups alike, corrected (Holm) over all pairs of models.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np
import polars as pl

from fairviz.model import Dataset, FloatArray
from fairviz.remembered import remembered
from fairviz.stats.disaggregation import Resampling, mean_intervals
from fairviz.stats.tests import ROUNDING, holm, sign_flip, verdict
from fairviz.studies.demographic_qa.answers import NEUTRAL, Record, answers_frame, groups_of
from fairviz.studies.demographic_qa.combinations import Combination, Key, comparable_answers, measured_combinations
from fairviz.studies.demographic_qa.findings import Ends, pair_people, paired_ends, spoken_ends
from fairviz.studies.demographic_qa.rows import FINEST
from fairviz.studies.demographic_qa.settings import VariantsSettings

ANYWHERE = ("model", "strategy", "retriever", "k")
"""What answers to the same questions may differ in."""


class Prompt(NamedTuple):
    """A remedy in the prompt beside the plain prompt, over the models that were asked with both.

    Attributes:
        strategy: Its name.
        change: Smallest and largest change of the attribute's widest gap (DP).
        right: Smallest and largest change of the share of right answers.
        n_models: Models.
        n_smaller, n_larger: Those in which the gap is significantly smaller, or larger.
    """

    strategy: str
    change: tuple[float, float]
    right: tuple[float, float]
    n_models: int
    n_smaller: int
    n_larger: int


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
        prompts: Remedies in the prompt, the one that is smaller in most models first.
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
    pairs: pl.DataFrame
    prompts: tuple[Prompt, ...]
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
    together = _tested(mean, settings.seed, of="gap") | {"se": se}
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
        own = frame.join(pl.DataFrame(keys), on=names) if names else frame.with_columns(run=pl.lit(keys[0]["run"]))
        parts.append(
            groups_of(answers, own)
            .filter("own")
            .select(
                pl.col("question", "name", "value", "reply").cast(pl.String),
                "score",
                run=pl.col("run").cast(pl.Int64),
                right=pl.col("right").cast(pl.String) if "right" in own.columns else pl.lit(None, pl.String),
            )
        )
    return (
        pl.concat(parts)
        .group_by("run", "question", "name", "value", maintain_order=True)
        .agg(pl.col("score").mean(), pl.col("right").first(), pl.col("reply").unique().sort())
    )


def model_pairs(gaps: pl.DataFrame, models: Sequence[int], seed: int) -> pl.DataFrame:
    """Differences between the gaps of two models, on the questions that both have."""
    of_model = [gaps.filter(pl.col("run") == run).select("question", "gap") for run in models]
    rows: list[Record] = []
    for first, second in combinations(range(len(models)), 2):
        both = of_model[first].join(of_model[second], on="question")
        change = (both["gap_right"] - both["gap"]).to_numpy()
        rows.append({"first": first, "second": second} | _tested(change, seed))
    frame = pl.DataFrame(
        rows, schema=dict.fromkeys(("first", "second"), pl.Int64) | dict.fromkeys(MEASURED, pl.Float64)
    )
    return frame.with_columns(p_holm=pl.Series(holm(frame["p"].to_numpy())))


MEASURED = ("difference", "low", "high", "n", "p")


def _tested(change: FloatArray, seed: int, of: str = "difference") -> Record:
    """The mean of questions' differences with interval and p; undefined without a question."""
    if not change.size:
        return {of: np.nan, "low": np.nan, "high": np.nan, "n": 0, "p": np.nan}
    whole = np.abs(np.rint(change) - change).max() <= ROUNDING
    steps = 1 if whole else FINEST
    (ends,) = mean_intervals([np.stack([change, np.ones_like(change)])], Resampling(seed))
    p = sign_flip(np.rint(steps * change).astype(np.int64)[None], np.array([steps]), seed=seed).p
    return {of: float(change.mean()), **ends._asdict(), "n": change.size, "p": p}


def _prompts(answers: Sequence[Combination], attribute: str) -> tuple[Prompt, ...]:
    """What remedies change, from the rows and tests that the tables of prompts have."""
    rows = {row["by"]: row for each in answers for row in each.rows if row["attribute"] == attribute}
    by_strategy: dict[str, list[Record]] = {}
    for each in answers:
        row = rows.get(each.by)
        if row and row["natural"] and not (row["small"] or np.isnan(row["ddp"])) and row["base"] in rows:
            by_strategy.setdefault(each.parts["strategy"], []).append(row)
    prompts: list[Prompt] = []
    for strategy, own in by_strategy.items():
        changes = [row["ddp"] for row in own]
        right = [row["score"] - rows[row["base"]]["score"] for row in own]
        verdicts = [verdict(row["ddp"], row["ddp_p_holm"], row["ddp_n"]) for row in own]
        ranges = (min(changes), max(changes)), (min(right), max(right))
        prompts.append(Prompt(strategy, *ranges, len(own), verdicts.count("lower"), verdicts.count("higher")))
    return tuple(sorted(prompts, key=lambda prompt: (-prompt.n_smaller / prompt.n_models, prompt.change[0])))


def _failing(
    scores: pl.DataFrame,
    failing: pl.DataFrame,
    models: Sequence[int],
    ends: Ends,
    others: Sequence[tuple[str, str]],
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
