"""The page's sentences in worlds with an effect of another kind; of worlds with none tell the benchmarks' claims."""

import numpy as np

from fairviz.model import BoolArray, VariantAnswers
from fairviz.studies.demographic_qa.findings import (
    change_finding,
    gap_words,
    headline,
    levels_finding,
    panels_title,
    verdict_words,
)
from tests.studies.demographic_qa.answered_variants import Said, answering, variant_answers
from tests.studies.demographic_qa.measured import variant_rows

N_QUESTIONS = 40
GROUPS = (("race", "a"), ("race", "b"), ("sex", "f"), ("sex", "m"))
STRATEGIES = ("plain", "COT")


def blank() -> VariantAnswers:
    """Every strategy's answers to every question about every group and about nobody, to be replaced."""
    return variant_answers(
        [
            Said(f"q{q}", dict([group] if group else []), "A", "B" if q else "A", by={"strategy": strategy})
            for strategy in STRATEGIES
            for group in (*GROUPS, None)
            for q in range(N_QUESTIONS)
        ]
    )


def claims(sheet: VariantAnswers, right: BoolArray) -> dict[str, bool]:
    """Which sentences claim something, of (strategy, group, question) right answers."""
    answers = answering(sheet, np.where(right.reshape(-1), "A", "B").tolist())
    rows = variant_rows(answers, by=("strategy",), n_resamples=2, n_permutations=999)
    plain = [row for row in rows if dict(row["by"])["strategy"] == "plain"]
    prompts = change_finding(rows, without="with the plain prompt")
    return {
        "headline": not headline(plain, who="m").title.startswith("No significant"),
        "panels": "a significant gap" in panels_title(plain),
        "lines": any(gap_words(row).endswith(" Significant.") for row in plain),
        "table": any(verdict_words(row) == "significant" for row in rows),
        "levels": "significant gap in 1" in levels_finding(rows, what="prompt").replace("no significant", ""),
        "change": "narrows" in prompts or "widens" in prompts,
    }


def test_sentences_claim_what_there_is() -> None:
    rng, sheet = np.random.default_rng(3), blank()
    worlds = {"levels": 15, "gap": 5, "neutral": 5}
    shares: dict[str, dict[str, float]] = {}
    for world, times in worlds.items():
        found: list[dict[str, bool]] = []
        for _ in range(times):
            chance = np.tile(rng.beta(2, 2, size=N_QUESTIONS), (len(STRATEGIES), len(GROUPS) + 1, 1))
            if world == "levels":  # one strategy is better, for every group
                chance[1] = np.minimum(chance[1] + 0.4, 1)
            if world == "gap":  # the first group is served badly, unless a strategy mends it
                chance[:, 1:], chance[0, 0], chance[1, 0] = 0.9, 0.2, 0.9
            if world == "neutral":
                chance[:, :-1], chance[:, -1] = 0.3, 0.95
            found.append(claims(sheet, rng.random(chance.shape) < chance))
        shares[world] = {name: float(np.mean([each[name] for each in found])) for name in found[0]}
    # 0.05 and about two standard errors of 15 worlds
    assert max(shares["levels"].values()) <= 0.15
    assert all(shares["gap"][name] == 1 for name in ("headline", "panels", "lines", "table", "levels", "change"))
    assert shares["neutral"]["headline"] == 1
    assert shares["neutral"]["panels"] <= 0.25
