"""How often a page claims something where there is nothing to find, and where there is: claim by claim.

A world is the result that a sentence is made from, drawn at random: groups, policies, systems or generators are alike
in it, or one of them is not. At most 5 % of worlds without effect may have a claim, whatever was searched to make it.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, lru_cache, partial
from itertools import product
from json import dumps
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csr_array

from benchmarks.measuring import Goal, Row
from fairviz.display.methods import AgainstTarget
from fairviz.display.words import Finding
from fairviz.evaluation.compare import compare_all
from fairviz.io.limit_statements import Limit, limit_of
from fairviz.io.variants import read_variants
from fairviz.metrics.catalogue import parse_measures
from fairviz.model import (
    BiasItems,
    Curve,
    Dataset,
    Factors,
    FloatArray,
    GroupLabels,
    IntArray,
    Run,
    Scores,
    SystemScore,
)
from fairviz.model.answers import ITEM_SCHEMA, VariantAnswers
from fairviz.model.results import Counts
from fairviz.points.columns import change_title
from fairviz.points.conditions import Condition as GridCondition
from fairviz.points.intervals import alpha_tests, quality_by_interval
from fairviz.points.limits import QUERIES, LimitValue, judge
from fairviz.points.shares import GroupExposure, corrected_intervals
from fairviz.points.sources import counted_documents
from fairviz.points.summary import compared_areas
from fairviz.stats.bootstrap import (
    Interval,
    Intervals,
    Resampling,
    bootstrap_counts,
    bootstrap_interval,
    data_and_resamples,
    paired_bootstrap,
    resampled_p,
    widened,
)
from fairviz.stats.tests import SIGNIFICANCE, holm
from fairviz.studies.agreement.correlations import Agreement, agreement_of, consistent_pairs, values_of
from fairviz.studies.agreement.findings import agreement_title, consistent_title, orders_finding
from fairviz.studies.agreement.orders import orders_of
from fairviz.studies.attribution.findings import rank_title, sources_finding
from fairviz.studies.check.measured import share_measured
from fairviz.studies.compare import findings as compare
from fairviz.studies.compare.grid import chosen_alpha, compare_grid, point_differences
from fairviz.studies.demographic_qa import findings as answers_findings
from fairviz.studies.demographic_qa.across import model_pairs
from fairviz.studies.demographic_qa.answers import Record
from fairviz.studies.demographic_qa.combinations import COUNTING, measured_combinations
from fairviz.studies.demographic_qa.findings import cells_finding, gap_words, headline, panels_title, quality_title
from fairviz.studies.demographic_qa.retrieval import quality_of
from fairviz.studies.demographic_qa.rows import BOTH, counts_of, rows_of, with_votes
from fairviz.studies.demographic_qa.settings import USUAL, VariantsSettings
from fairviz.studies.demographic_qa.since import since as version_changes
from fairviz.studies.demographic_qa.since import since_finding as version_finding
from fairviz.studies.demographic_qa.since import versions
from fairviz.studies.groups.findings import by_rank_title, per_item_title
from fairviz.studies.groups.findings import headline as target_title
from fairviz.studies.groups.system import rank_bins
from fairviz.studies.policy_lab.bench import TODAY, PricePoint, Resampled, setting_beside, settings_frame
from fairviz.studies.policy_lab.budget import Outcome, moved_shares, searched
from fairviz.studies.policy_lab.findings import moves_title
from fairviz.studies.policy_lab.methods_findings import methods_finding
from fairviz.studies.policy_lab.proposals import Proposal, proposals_finding
from fairviz.studies.policy_lab.settings import PolicyLabSettings
from fairviz.studies.policy_lab.since import since, since_finding
from fairviz.studies.policy_lab.stated import Stated
from fairviz.studies.social_bias.answers import answer_frame
from fairviz.studies.social_bias.documents import clustered_slope
from fairviz.studies.social_bias.findings import change_finding, dose_finding, levels_finding
from fairviz.studies.social_bias.rows import LESS, MORE, bias_changes, bias_rows, levels
from fairviz.studies.tradeoff.findings import alpha_title, area_title, areas_title

NAN = float("nan")
RESAMPLES = 300
"""Enough for a spread; a p from it is as good as one of 2,000 to a few per cent of itself."""


class Claim(NamedTuple):
    """A sentence of a page.

    Attributes:
        says: What it claims.
        page: Where.
        rule: What keeps it from claiming chance.
        made: (rng, effect) -> whether it is made in a world drawn with, or without, an effect.
    """

    says: str
    page: str
    rule: str
    made: Callable[[np.random.Generator, bool], bool]


def rows(*, small: bool) -> Iterator[Row]:
    """Share of worlds without effect that have the claim; in the note those with one."""
    n, n_effect = (20, 5) if small else (2_000, 100)
    for claim in CLAIMS:
        rate = claim_rate(claim, effect=False, n_worlds=n)
        power = claim_rate(claim, effect=True, n_worlds=n_effect)
        yield Row(
            what=f"{claim.page}: {claim.says}",
            value=100 * rate,
            unit="%",
            goal=Goal(5 + 150 * (0.05 * 0.95 / n) ** 0.5),
            note=f"{claim.rule}; where there is an effect {power:.0%}",
        )


def claim_rate(claim: Claim, *, effect: bool, n_worlds: int, seed: int = 0) -> float:
    """Share of the worlds in which the claim is made."""
    rng = np.random.default_rng([seed, int(effect)])
    return sum(claim.made(rng, effect) for _ in range(n_worlds)) / n_worlds


# Demographic QA: 40 questions, race of three values and sex of two, two strategies.

QUESTIONS, GROUPS = 40, (("race", "white"), ("race", "black"), ("race", "Asian"), ("sex", "male"), ("sex", "female"))
STRATEGIES = ("plain", "cot")


@cache
def _answer_sheet() -> VariantAnswers:
    lines = [
        dumps(
            {"qid": f"q{q}", "attribute": attribute, "value": value, "gold": "A", "prediction": "AB"[q % 2]}
            | {"model": "m", "strategy": strategy}
        )
        for strategy in STRATEGIES
        for attribute, value in (*GROUPS, ("none", "neutral"))
        for q in range(QUESTIONS)
    ]
    return read_variants(("null.jsonl", "\n".join(lines).encode())).value


def _answers(rng: np.random.Generator, effect: bool) -> VariantAnswers:
    """Right with a chance of its question; with an effect, a tenth as often about the first group."""
    chance = rng.beta(2, 2, size=QUESTIONS)
    table = np.tile(chance, (len(STRATEGIES), len(GROUPS) + 1, 1))
    if effect:
        table[:, 0] *= 0.1
    right = rng.random(table.shape) < table
    return _answered(np.where(right.ravel(), "A", "B"))


def _answered(choices: NDArray[np.str_]) -> VariantAnswers:
    sheet = _answer_sheet()
    return replace(sheet, frame=sheet.frame.with_columns(choice=pl.Series(choices).cast(sheet.frame.schema["choice"])))


def _variants(rng: np.random.Generator, effect: bool) -> list[Record]:
    return _rows(_answers(rng, effect))


def _rows(answers: VariantAnswers) -> list[Record]:
    """Rows of a world: several sentences are made from the same one, which is measured once."""
    return _measured("".join(answers.frame["choice"].cast(pl.String)))


@lru_cache(2_000)
def _measured(choices: str) -> list[Record]:
    return rows_of(counts_of(_answered(np.array(list(choices))), by=("strategy",), resampling=Resampling(0, 2, 999)))


def _levels(rng: np.random.Generator, effect: bool) -> bool:
    """Significant in so many of all conditions, by attribute."""
    return ": significant gap in" in answers_findings.levels_finding(_variants(rng, effect), what="prompt")


def _prompts(rng: np.random.Generator, effect: bool) -> bool:
    """What the second prompt changes; with an effect it serves the first group as the others."""
    answers = _answers(rng, effect)
    if effect:
        n = len(GROUPS) + 1
        choices = answers.frame["choice"].cast(pl.String).to_numpy().reshape(len(STRATEGIES), n, QUESTIONS).copy()
        choices[1, 0] = choices[1, 1]
        answers = _answered(choices.reshape(-1))
    sentence = answers_findings.change_finding(_rows(answers), without="with the plain prompt")
    return "narrows" in sentence or "widens" in sentence


def _models(rng: np.random.Generator, effect: bool) -> bool:
    """Which of three models has the smallest or the largest gap; with an effect one has none, else all are alike."""
    chance = rng.beta(2, 2, size=QUESTIONS)
    better, worse = np.tile(chance, (3, 1)), np.tile(0.3 * chance, (3, 1))
    if effect:
        worse[0] = chance
    gap = (rng.random(better.shape) < better).astype(float) - (rng.random(worse.shape) < worse)
    gap = gap[gap.mean(axis=1).argsort()]
    names = [f"q{question}" for question in range(QUESTIONS)]
    gaps = pl.concat(pl.DataFrame({"run": [run] * QUESTIONS, "question": names, "gap": gap[run]}) for run in range(3))
    return any(row["p_holm"] < SIGNIFICANCE for row in model_pairs(gaps, range(3), 0))


def _version(rng: np.random.Generator, effect: bool) -> Finding:
    """What changed since the version that answers with the plain prompt; with an effect it was worse about a group."""
    answers = _answers(rng, effect=False)
    if effect:
        choices = answers.frame["choice"].cast(pl.String).to_numpy().reshape(len(STRATEGIES), -1, QUESTIONS).copy()
        choices[0, 0] = "B"
        answers = _answered(choices.reshape(-1))
    data, settings = Dataset(variants=(answers,)), VariantsSettings(against="strategy=plain")
    combinations = measured_combinations(data, settings.restricted_to(*COUNTING, "seed"))
    ((now, then),) = versions(combinations, combinations, settings.against)
    return version_finding(version_changes(data, settings, now, then))


def _gap_since(rng: np.random.Generator, effect: bool) -> bool:
    return "no gap changed" not in _version(rng, effect).title


def _group_since(rng: np.random.Generator, effect: bool) -> bool:
    return not _version(rng, effect).sentence.startswith("No group")


def _gap_lines(rng: np.random.Generator, effect: bool) -> bool:
    return any(gap_words(row).endswith(" Significant.") for row in _variants(rng, effect))


def _widest(rng: np.random.Generator, effect: bool) -> bool:
    plain = _variants(rng, effect)[:2]
    found = headline(plain, who="m").title.startswith("No significant")
    return not found or "a significant gap by" in panels_title(plain)


def _cells(rng: np.random.Generator, effect: bool) -> bool:
    race = _variants(rng, effect)[0]
    return not cells_finding(race).title.startswith("No significant")


def _vote(rng: np.random.Generator, effect: bool) -> bool:
    """Every question is right with one half: a vote is as good as one answer, but for what ties do."""
    chance = np.full(QUESTIONS, 0.85 if effect else 0.5)
    right = rng.random((len(STRATEGIES), len(GROUPS) + 1, QUESTIONS)) < chance
    answers = _answered(np.where(right.ravel(), "A", "B"))
    counts = counts_of(answers, USUAL, ("strategy",), voters=BOTH, resampling=Resampling(0, 2))
    rows = rows_of(counts, wanted=lambda name: name == "race")
    gains = with_votes(counts, rows)
    return not answers_findings.vote_title(gains).startswith("no")


def _scores(rng: np.random.Generator, names: list[str], effect: bool, n: int = 40) -> list[Scores]:
    """Values of systems on the same queries; with an effect the last is 0.2 lower."""
    base = rng.beta(1, 1, size=n)
    values = np.clip(base + rng.normal(0, 0.15, size=(len(names), n)), 0, 1)
    if effect:
        values[-1] = np.clip(values[-1] - 0.2, 0, 1)
    ids = tuple(f"q{q}" for q in range(n))
    return [
        Scores(system=name, measure="nDCG@10", query_ids=ids, values=row)
        for name, row in zip(names, values, strict=True)
    ]


def _quality(rng: np.random.Generator, effect: bool) -> bool:
    names = ["white", "black", "Asian", "Hispanic", "mixed"]
    scores = _scores(rng, names, effect)
    rows, gaps = quality_of({("race", name): [own] for name, own in zip(names, scores, strict=True)})
    return not quality_title(rows, gaps).startswith("No")


# Social bias: 2 models, 4 types of 14 templates, two collections against no retrieval.

TYPES, MODELS = ("Age", "Race", "Religion", "SES"), ("a", "b")
SETTINGS = (("w/o RAG", "", ""), ("full-set", "", ""), ("anti-set", "", ""))
GRID = (("w/o RAG", "", ""), *(("full-set", retriever, k) for retriever in ("bm25", "dense") for k in ("3", "10")))
"""Setting, retriever and k under which models answer: as the page holds them, and as the command prints them."""
TEMPLATES, IN_TEMPLATE = 14, 24


@cache
def _bias_items() -> BiasItems:
    cells = list(product(TYPES, range(TEMPLATES), range(IN_TEMPLATE)))
    n = len(cells)
    of_template = np.arange(n) % IN_TEMPLATE  # half ambiguous, the rest stereotyped or against it by turns
    return BiasItems(
        pl.DataFrame(
            {
                "category": [kind for kind, _, _ in cells],
                "language": ["English"] * n,
                "id": list(map(str, range(n))),
                "template": [f"{kind} {template}" for kind, template, _ in cells],
                "ambiguous": of_template < IN_TEMPLATE // 2,
                "nonnegative": [False] * n,
                "gold": np.where(of_template < IN_TEMPLATE // 2, 2, of_template % 2),
                "unknown": [2] * n,
                "target": [0] * n,
                **dict.fromkeys(("stereotyped", "context", "question"), [""] * n),
                "options": [["a", "b", "unknown"]] * n,
                "groups": [None] * n,
            },
            schema=ITEM_SCHEMA,
        )
    )


@cache
def _bias_sheet(settings: tuple[tuple[str, str, str], ...]) -> pl.DataFrame:
    """Who answers which item."""
    n, producers = len(_bias_items()), [(model, *setting) for model, setting in product(MODELS, settings)]
    names = ("model", "setting", "retriever", "k")
    columns = [[whose[i] for whose in producers for _ in range(n)] for i in range(len(names))]
    items = pl.Series(np.tile(np.arange(n, dtype=np.int32), len(producers)))
    return pl.DataFrame(
        [pl.Series(name, own, dtype=pl.Enum([*dict.fromkeys(own)])) for name, own in zip(names, columns, strict=True)]
    ).with_columns(item=items)


def _bias(rng: np.random.Generator, lean: float, settings: tuple[tuple[str, str, str], ...] = SETTINGS) -> pl.DataFrame:
    """Templates lean, along or against the stereotype; the full collection adds ``lean``."""
    own = rng.normal(0, 0.15, size=(len(TYPES), TEMPLATES, 1))
    added = lean * np.array([setting == "full-set" for setting, *_ in settings])[None, :, None, None, None]
    along = np.broadcast_to(
        np.clip(0.35 + own + added, 0, 0.7), (len(MODELS), len(settings), *own.shape[:2], IN_TEMPLATE)
    )
    chance = rng.random(along.shape)
    choices = np.where(chance < along, 0, np.where(chance < 0.7, 1, 2))
    return _chosen(_bias_sheet(settings), choices.ravel())


def _chosen(sheet: pl.DataFrame, choices: IntArray, items: BiasItems | None = None) -> pl.DataFrame:
    return answer_frame(items or _bias_items(), sheet.with_columns(choice=pl.Series(choices, dtype=pl.Int8)))


def _changes(rng: np.random.Generator, effect: bool) -> bool:
    answers = _bias(rng, 0.35 if effect else 0.0)
    changes = bias_changes(answers, by=("model", "category"), n_resamples=2)
    shown = changes.filter(measure="diffbias_a", setting="full-set").rows(named=True)
    said = change_finding(shown, column="setting", value="full-set", reference="w/o RAG", names={})
    return "no significant change" not in said.title


def _changes_of_a_grid(rng: np.random.Generator, effect: bool) -> bool:
    """Any row of the table that the command prints: 2 models, 4 types, 2 retrievers × 2 k, both contexts."""
    answers = _bias(rng, 0.35 if effect else 0.0, GRID)
    changes = bias_changes(answers, by=("model", "category", "setting", "retriever", "k"), n_resamples=2)
    return changes["verdict"].is_in([MORE, LESS]).any()


def _leaning_answers(rng: np.random.Generator, effect: bool, items: BiasItems | None = None) -> pl.DataFrame:
    """Without retrieval; with an effect half of the answers follow the stereotype whatever else they would say."""
    answers = _bias(rng, 0.0).filter(setting="w/o RAG")
    along = rng.random(len(answers)) < 0.5 * effect
    choices = np.where(along, 0, answers["choice"].to_numpy())
    return _chosen(answers.select("model", "setting", "retriever", "k", "item"), choices, items)


def _leans(rng: np.random.Generator, effect: bool) -> bool:
    rows = bias_rows(_bias_items(), _leaning_answers(rng, effect), by=("model", "category"), n_resamples=RESAMPLES)
    title = levels_finding(levels(rows, "diffbias_a").rows(named=True), "diffbias_a", names={}).title
    return not title.startswith("No significant lean")


def _leans_about(rng: np.random.Generator, effect: bool) -> bool:
    """The same answers, their types being four groups of one type."""
    items = _bias_items()
    of_one_type = BiasItems(items.frame.with_columns(category=pl.lit("Age"), stereotyped=pl.col("category")))
    answers = _leaning_answers(rng, effect, of_one_type)
    rows = bias_rows(of_one_type, answers, by=("model", "category", "stereotyped"), n_resamples=2)
    shown = levels(rows, "diffbias_a").rows(named=True)
    return "no significant lean" not in levels_finding(shown, "diffbias_a", names={}, by_group=True).title.casefold()


def _dose(rng: np.random.Generator, effect: bool) -> bool:
    """Templates lean, and are given 0 to 3 stereotypical documents; with an effect each adds 20 points."""
    doses = np.arange(4)
    responses: list[dict[str, Any]] = []
    for model in MODELS:
        lean = rng.normal(0, 0.3, size=(TEMPLATES, 1)) + 0.2 * effect * doses
        trials = rng.multinomial(IN_TEMPLATE, [0.1, 0.3, 0.4, 0.2], TEMPLATES)
        along = rng.binomial(trials, np.clip(0.5 + lean / 2, 0, 1))
        leaning = (100 * (2 * along - trials)).astype(np.float64)
        fit = clustered_slope(doses.astype(np.float64), leaning, trials.astype(np.float64))
        responses.append({"model": model, "small": False, **fit})
    adjusted = holm(np.array([response["p"] for response in responses]))
    tested = [response | {"p_holm": float(p)} for response, p in zip(responses, adjusted, strict=True)]
    return not dose_finding(tested, {}).title.startswith("No significant")


# Groups & targets: 20 queries, 4 groups whose shares are the target.

TARGET = np.array([0.4, 0.3, 0.2, 0.1])


def _exposure(rng: np.random.Generator, effect: bool) -> GroupExposure:
    """Five of 20 candidates are seen, at random; with an effect the first group is seen twice as often."""
    n = 20
    candidates = rng.multinomial(20, TARGET, size=n).astype(np.float64)
    weights = candidates * np.array([3.0 if effect else 1.0, 1.0, 1.0, 1.0])
    seen = np.stack([rng.multinomial(5, row / row.sum()) for row in weights]).astype(np.float64)
    nothing = np.zeros(n)
    return GroupExposure(
        groups=("a", "b", "c", "d"),
        query_ids=tuple(f"q{q}" for q in range(n)),
        attention=seen,
        unlabelled=nothing,
        places=seen,
        unlabelled_places=nothing,
        candidates=candidates,
        unlabelled_candidates=nothing,
    )


def _leaning(rng: np.random.Generator, n_groups: int, effect: bool) -> GroupExposure:
    """14 to 60 queries that lean towards groups of their own, each with 1 to 10 labelled places among its first ten.

    With an effect half of what the others get goes to the first group.
    """
    n, places, target = int(rng.integers(14, 61)), 10, _uneven(n_groups)
    seen = (target + np.eye(n_groups)[0]) / 2 if effect else target
    shown = rng.dirichlet(rng.choice([1.5, 6, 30]) * seen, size=n)
    docs = np.stack([rng.choice(n_groups, size=places, p=row) for row in shown])
    labelled = rng.random((n, places)).argsort(axis=1) < rng.integers(1, places + 1, size=(n, 1))
    each = np.eye(n_groups)[docs] * labelled[..., None]
    nothing = np.zeros(n)
    return GroupExposure(
        groups=tuple(f"g{group}" for group in range(n_groups)),
        query_ids=tuple(f"q{q}" for q in range(n)),
        attention=np.tensordot(1 / np.log2(np.arange(2, places + 2)), each, axes=(0, 1)),
        unlabelled=nothing,
        places=each.sum(axis=1),
        unlabelled_places=nothing,
        candidates=each.sum(axis=1) + rng.multinomial(20, target if effect else shown, size=n),
        unlabelled_candidates=nothing,
    )


def _uneven(n_groups: int) -> FloatArray:
    """(G) target shares, the first group the largest."""
    sizes = 1 / np.arange(1, n_groups + 1) ** 0.8
    return sizes / sizes.sum()


def _off_target(rng: np.random.Generator, effect: bool) -> bool:
    exposure = _exposure(rng, effect)
    return " get " in target_title(exposure, TARGET).title


def _off_target_of(n_groups: int) -> Callable[[np.random.Generator, bool], bool]:
    def made(rng: np.random.Generator, effect: bool) -> bool:
        exposure = _leaning(rng, n_groups, effect)
        return "significantly off" not in target_title(exposure, _uneven(n_groups)).title

    return made


def _limits(rng: np.random.Generator, effect: bool) -> set[str]:
    """Outcomes of seven limits, each at the true value: means of three skewed measures, shares of four leaning groups.

    With an effect values are far beyond them.
    """
    exposure = _leaning(rng, 5, effect)
    n = len(exposure.query_ids)
    means = rng.uniform(0.2, 0.9, size=3)
    concentration = rng.choice([2.0, 5.0], size=3)
    limits = [(f"AP >= {mean + 0.25 * effect:.9f}", mean) for mean in means.tolist()]
    values: list[tuple[Limit, LimitValue]] = []
    for (text, mean), spread in zip(limits, concentration.tolist(), strict=True):
        drawn = rng.beta(mean * spread, (1 - mean) * spread, size=n)
        ends = bootstrap_interval(drawn, rng=rng, n_resamples=RESAMPLES)
        own = float(drawn.mean())
        values.append((limit_of(text), LimitValue("s", own, n, QUERIES, partial(widened, own, ends, n))))
    for group in range(1, 5):

        def ends_of(n_tests: int, group: int = group) -> Interval:
            low, high = corrected_intervals(exposure, n_tests=n_tests)[0]
            return Interval(float(low[group]), float(high[group]))

        share = LimitValue("s", float(exposure.shares[group]), exposure.n_labelled, QUERIES, ends_of)
        values.append((limit_of(f"share.a.g{group} >= {_uneven(5)[group]:.9f}"), share))
    return {judge(limit, value, len(values)).outcome for limit, value in values}


def _limit_broken(rng: np.random.Generator, effect: bool) -> bool:
    return "broken" in _limits(rng, effect)


def _limit_holds(rng: np.random.Generator, effect: bool) -> bool:
    """Whether one is said to hold that lies at its end; with an effect none is asked for."""
    return effect or "holds" in _limits(rng, effect)


def _source_limit_broken(rng: np.random.Generator, effect: bool) -> bool:
    """Sixteen limits at the true shares of four groups in documents given and cited: questions lean, some come often.

    With an effect they lie a quarter beyond.
    """
    n, shares = int(rng.integers(12, 61)), _uneven(5)
    leaning = rng.dirichlet(rng.choice([1.5, 6, 30]) * shares, size=n)
    contexts = rng.multinomial(5 * rng.geometric(0.5, size=n), leaning)
    citations = rng.binomial(contexts, rng.beta(2, 2, size=(n, 1)))
    limits: list[tuple[Limit, LimitValue]] = []
    for part, counts in (("given", contexts), ("cited", citations)):
        exposure = counted_documents(
            tuple(f"g{g}" for g in range(5)), tuple(map(str, range(n))), counts.astype(np.float64), np.zeros(n)
        )
        for group, share in enumerate(shares[:4].tolist()):
            for sign, beyond in ((">=", 0.25), ("<=", -0.25)):
                limit = limit_of(f"{part}.a.g{group} {sign} {share + beyond * effect:.9f}")
                limits.append((limit, share_measured("s", exposure, group)))
    return any(judge(limit, value, len(limits)).outcome == "broken" for limit, value in limits)


def _per_document(rng: np.random.Generator, effect: bool) -> bool:
    return _is_uneven(_exposure(rng, effect))


def _per_document_of(n_groups: int) -> Callable[[np.random.Generator, bool], bool]:
    return lambda rng, effect: _is_uneven(_leaning(rng, n_groups, effect))


def _is_uneven(exposure: GroupExposure) -> bool:
    said = per_item_title(exposure, corrected_intervals(exposure)[1])
    return " the attention of " in said or "no attention at all" in said


def _by_rank(rng: np.random.Generator, effect: bool) -> bool:
    """40 places at the top, 200 below, of 20 queries with shares of their own."""
    own = rng.dirichlet(8 * TARGET, size=20)
    top = own * np.array([6.0, 1, 1, 1]) if effect else own
    return _differs_by_rank(rng, top, own)


def _by_rank_deep(rng: np.random.Generator, effect: bool) -> bool:
    """60 queries that lean, of which 20 have lists below the top."""
    own = rng.dirichlet(4 * TARGET, size=60)
    return _differs_by_rank(rng, own * np.array([0.1, 1, 1, 4]) if effect else own, own, n_deep=20)


def _differs_by_rank(rng: np.random.Generator, top: FloatArray, own: FloatArray, n_deep: int | None = None) -> bool:
    below = np.stack([rng.multinomial(10, row) for row in own])
    below[n_deep:] = 0 if n_deep else below[n_deep:]
    counts = np.stack([np.stack([rng.multinomial(2, row / row.sum()) for row in top]), below]).astype(np.float64)
    bins = rank_bins(counts, first=np.array([1, 3]), last=np.array([2, 12]))
    return "No group" not in by_rank_title(bins, ("a", "b", "c", "d"))


# Policy lab: 30 queries, five re-rankers with six strengths each.

METHODS = "det-greedy", "det-cons", "fa-ir", "plackett-luce", "optimal"
_Tried: TypeAlias = dict[str, list[PricePoint]]


def _tried(rng: np.random.Generator, change: Callable[[], FloatArray] | None = None, *, effect: bool) -> _Tried:
    """Every strength shows two groups anew at random, a third too often the first; with an effect evenly.

    Quality is 1 today, and changes at each strength by what ``change`` draws for the queries; without it by nothing.
    """
    return {method: [_point(rng, change, effect=effect) for _ in range(6)] for method in METHODS}


def _point(rng: np.random.Generator, change: Callable[[], FloatArray] | None = None, *, effect: bool) -> PricePoint:
    first = rng.beta(3 if effect else 6, 3, size=30)
    return PricePoint(0.0, np.stack([first, 1 - first], axis=1), np.ones(30) + (change() if change else 0.0))


def _closer(rng: np.random.Generator, effect: bool) -> bool:
    return ": moves" in _priced(rng, _tried(rng, effect=effect)).sentence


def _affordable(rng: np.random.Generator, effect: bool) -> bool:
    """Whether "stays in budget" is said although every setting truly costs 3.5 %, by large or by rare losses."""
    losses: list[Callable[[], FloatArray]] = [
        lambda: rng.normal(-0.035, 0.08, size=30),
        lambda: np.where(rng.random(30) < 0.07, -0.5, 0.0),
    ]
    cost = (lambda: rng.normal(-0.002, 0.01, size=30)) if effect else losses[int(rng.integers(2))]
    title, sentence, *_ = _priced(rng, _tried(rng, cost, effect=True))
    return " of five methods " in title or ", stays in budget" in sentence


def _pays(rng: np.random.Generator, effect: bool) -> bool:
    """A policy moves attention from the first group to the second; of the third at random, or truly a fifth."""
    now = PricePoint(0.0, rng.dirichlet([12, 2, 6], size=30), np.ones(30))
    first, third = rng.normal(0.12, 0.05, size=30), rng.normal(0.06 if effect else 0.0, 0.06, size=30)
    groups, _ = _moved(rng, now, np.stack([-first, first + third, -third], axis=1))
    return "Third" in moves_title(groups)


def _moved(rng: np.random.Generator, now: PricePoint, change: FloatArray) -> tuple[pl.DataFrame, dict[str, Any]]:
    """What may be said of three groups whose attention changes query by query, and of the cost."""
    then = now._replace(attention=now.attention + change)
    resampled = Resampled(now, np.zeros(3), bootstrap_counts(len(change), rng=rng, n_resamples=RESAMPLES))
    cost = searched(settings_frame([resampled.setting("amortised", then)]), 0.03).row(0, named=True)
    ends = Intervals(np.array(cost["gain_low"]), np.array(cost["gain_high"]))
    shares = (point.attention.mean(axis=0) for point in (now, then))
    return moved_shares(("First", "Second", "Third"), *shares, ends), cost


def _outcome(rng: np.random.Generator, now: PricePoint, tried: _Tried, target: FloatArray) -> Outcome:
    """What a budget of 3 % buys of five re-rankers."""
    resampled = Resampled(now, target, bootstrap_counts(30, rng=rng, n_resamples=RESAMPLES))
    settings = settings_frame([resampled.setting(name, point) for name, points in tried.items() for point in points])
    return Outcome(setting_beside(TODAY, now, now, target), settings, budget=0.03, quality="nDCG@10")


def _priced(rng: np.random.Generator, tried: _Tried) -> Finding:
    """What Policy lab says of five re-rankers under a budget of 3 %."""
    return methods_finding(_outcome(rng, _point(rng, effect=False), tried, np.full(2, 0.5)))


def _agreed(rng: np.random.Generator, effect: bool) -> bool:
    """Two proposals give the second group more; the first one the third, too, the other one by chance, or truly."""
    n = 30
    now = PricePoint(0.0, rng.dirichlet([12, 2, 6], size=n), np.ones(n))

    def proposal(gain: float) -> Proposal:
        second, third = rng.normal(0.12, 0.05, size=n), rng.normal(gain, 0.06, size=n)
        groups, cost = _moved(rng, now, np.stack([-second - third, second, third], axis=1))
        stated = {"is_stated": pl.lit(value=True), "has_statement": pl.lit(value=True), "holds": pl.lit(value=True)}
        return Proposal("p", groups.with_columns(attribute=pl.lit("kind"), **stated), cost, n, n, "")

    title = proposals_finding([proposal(0.06), proposal(0.06 if effect else 0.0)]).title
    return title.startswith("Two proposals agree on at least") and "Third" in title


def _changed(rng: np.random.Generator, effect: bool) -> bool:
    """Policy lab: two runs of 20 queries at random; with an effect the later one has the first group on top."""
    n_queries, n_docs = 20, 8
    size = n_queries * n_docs
    names, codes = tuple(f"d{at:03}" for at in range(size)), rng.integers(0, 4, size=size)
    own = np.repeat(np.arange(n_queries), n_docs)

    def run(name: str, lead: FloatArray) -> Run:
        scores = rng.random(size) + lead
        docs = np.lexsort((-scores, own)).astype(np.int32)
        queries = tuple(f"q{query:02}" for query in range(n_queries))
        offsets = np.arange(0, size + 1, n_docs)
        return Run(system=name, query_ids=queries, doc_ids=names, offsets=offsets, docs=docs, scores=scores[docs])

    runs = run("a;date=2026-01", np.zeros(size)), run("a;date=2026-02", np.where(codes == 0, 1.0 * effect, 0.0))
    labels = GroupLabels(attribute="kind", groups=tuple("ABCD"), doc_ids=names, weights=csr_array(np.eye(4)[codes]))
    data = Dataset(runs=runs, labels=(labels,))
    stated = Stated(data, PolicyLabSettings(k=4, quality="scores", against=AgainstTarget(0, "uniform")))
    compared = since(data, stated, "")
    return compared is not None and since_finding(compared).title.startswith("Since")


# Agreement of 8 measures on 10 systems, in two data sets.


def _agreement(rng: np.random.Generator, effect: bool) -> Agreement:
    measures, queries = [f"P@{k}" for k in range(1, 9)], tuple(f"q{q}" for q in range(10))
    values = rng.normal(size=(10, len(measures)))
    if effect:
        values[:, 0] = np.arange(10)
        values[:, 1] = -np.arange(10)
    scored = [
        Scores(system=f"s{s}", measure=name, query_ids=queries, values=np.full(len(queries), values[s, m]))
        for s in range(10)
        for m, name in enumerate(measures)
    ]
    return agreement_of(values_of(scored, parse_measures(measures)), name="d")


def _agree(rng: np.random.Generator, effect: bool) -> bool:
    title = agreement_title(_agreement(rng, effect))
    return "disagree on the order" in title or (
        "significantly on the order" in title and not title.startswith("No two")
    )


def _consistent(rng: np.random.Generator, effect: bool) -> bool:
    both = [_agreement(rng, effect) for _ in range(2)]
    return not consistent_title(consistent_pairs(both), ("one", "two")).startswith("No pair")


def _orders(rng: np.random.Generator, effect: bool) -> bool:
    """Few systems: five of them by six measures, the orders of which are contradicted or agree by chance alone."""
    measures = [f"P@{k}" for k in range(1, 7)]
    scored = [replace(one, measure=name) for name in measures for one in _scores(rng, [*"abcde"], effect)]
    orders = orders_of("d", scored, values_of(scored, parse_measures(measures)))
    return not orders_finding(orders).title.startswith("No measure tells")


def _orders_of_groups(rng: np.random.Generator, effect: bool) -> bool:
    """The same systems by EE-D of four groups at six cutoffs: one value per system, which resampled queries test.

    Shares of the groups are uneven: at even ones EE-D is at its least, and resamples spread more than it does.
    """
    measures, queries = [f"EED(by='group', over='system')@{k}" for k in range(1, 7)], tuple(f"q{q}" for q in range(40))

    def statistic(exposure: FloatArray, counts: Counts) -> FloatArray:
        means = (counts @ exposure) / (counts @ np.ones(len(queries)))[:, None]
        return (means**2).sum(axis=1)

    scored: list[SystemScore] = []
    for measure, name in product(measures, "abcde"):
        first = 9.0 if effect and name == "a" else 3.0
        of_system = partial(statistic, rng.dirichlet([first, 1, 1, 1], len(queries)))
        defined = np.ones(len(queries), dtype=np.bool_)
        scored.append(
            SystemScore(system=name, measure=measure, query_ids=queries, defined=defined, statistic=of_system)
        )
    orders = orders_of("d", scored, values_of(scored, parse_measures(measures)))
    return not orders_finding(orders).title.startswith("No measure tells")


# Trade-off: 20 queries, 9 α, 6 systems.


def _curve(rng: np.random.Generator, lift: float = 0.0, name: str = "s") -> Curve:
    n, alphas = 20, np.linspace(0, 8, 9)
    x = np.clip(np.linspace(0.05, 0.95, 9)[:, None] + rng.normal(0, 0.02, size=(9, n)), 0, 0.999)
    level = rng.normal(0, 0.1, size=n)
    return Curve(
        system=name,
        policy="plackett-luce",
        query_ids=tuple(f"q{q}" for q in range(n)),
        alphas=alphas,
        disparity=x,
        quality=0.5 + 0.2 * x + level + lift + rng.normal(0, 0.05, size=(9, n)),
        score=np.full((9, n), np.nan),
    )


def _areas(rng: np.random.Generator, effect: bool) -> bool:
    curves = [_curve(rng), *(_curve(rng, 0.2 * effect, f"s{i}") for i in range(5))]
    areas = compared_areas(curves, rng=rng, n_resamples=RESAMPLES)
    return not areas_title(areas.gaps, "s").startswith("No significant")


def _compared(rng: np.random.Generator, effect: bool) -> bool:
    """Compare: two retrievers and three generators beside the first; with an effect the others are 0.2 above it."""
    names = [Factors("t", retriever, generator) for generator in ("g", "h", "i") for retriever in ("r", "s")]
    lifts = [0.2 * effect * (i > 0) for i in range(len(names))]
    grid = [
        GridCondition(factors=own, curves={"EER": _curve(rng, lift)}) for own, lift in zip(names, lifts, strict=True)
    ]
    (task,) = compare_grid(grid, quality="EER").tasks
    area = task.differences[0]
    by = ("retriever", "generator")
    titles = (
        compare.compare_finding(task, [], by=by, quality="EER").title,
        compare.panels_title(task, rows="generator", columns="retriever", by=by),
        compare.forest_title(area, task.baseline, by=by),
    )
    claims = ("significantly more", "significantly less", "largest", " than ")
    return any(claim in title for title in titles for claim in claims)


def _choice(rng: np.random.Generator, effect: bool) -> bool:
    """Compare: the first two of six systems, searched for among all pairs; with an effect one leads."""
    grid = [
        GridCondition(factors=Factors("t", f"r{i}"), curves={"EER": _curve(rng, 0.2 * effect * (i == 3))})
        for i in range(6)
    ]
    (task,) = compare_grid(grid, quality="EER").tasks
    choice = compare.choice_finding(task, by=("retriever",), quality="EER")
    return choice is not None and "it gives" in choice.title


def _compared_points(rng: np.random.Generator, effect: bool) -> bool:
    """Compare: the same systems at one α, the largest difference searched for among them."""
    systems = [Factors("t", f"r{i}") for i in range(6)]
    grid = [
        GridCondition(factors=own, curves={"EER": _curve(rng, 0.2 * effect * (i > 0))}) for i, own in enumerate(systems)
    ]
    differences = point_differences(grid, "EER", chosen_alpha(grid) or 0.0)
    assert differences is not None
    return "no significant" not in compare.forest_title(differences, systems[0], by=("retriever",))


def _area(rng: np.random.Generator, effect: bool) -> bool:
    areas = compared_areas([_curve(rng), _curve(rng, 0.2 * effect)], rng=rng, n_resamples=RESAMPLES)
    return "ahead" in area_title(areas.gaps[0], better="a", other="b", quality="EE-R")


def _against_baseline(rng: np.random.Generator, effect: bool) -> bool:
    """Noise around the level of the query, which its deterministic list has, too."""
    line = _curve(rng)
    level = rng.normal(0.5, 0.1, size=20)
    noise = rng.normal(0, 0.05, size=line.quality.shape)
    base = Curve(
        system="s",
        policy="deterministic",
        query_ids=line.query_ids,
        alphas=np.array([NAN]),
        disparity=np.ones((1, 20)),
        quality=level[None],
        score=np.full((1, 20), NAN),
    )
    line = replace(line, quality=level + noise - 0.1 * effect)
    changes = quality_by_interval(line, base, rng=rng)
    return not change_title(changes, "EU").startswith("No significant difference")


def _alphas(rng: np.random.Generator, effect: bool) -> bool:
    line = _curve(rng)
    flat = line if effect else replace(line, disparity=0.5 + rng.normal(0, 0.05, size=line.disparity.shape))
    return not alpha_title(alpha_tests(flat)).startswith("No significant difference")


def _tables(rng: np.random.Generator, effect: bool) -> bool:
    """compare: five systems against a base."""
    base, *others = _scores(rng, [f"s{i}" for i in range(6)], effect)
    found = compare_all([(other, base) for other in others], seed=0, n_resamples=2)
    return any(row.verdict in ("higher", "lower") for row in found)


# Attribution: 96 sets of answers to 30 queries.


def _concentration(rng: np.random.Generator, effect: bool) -> bool:
    sets = 24
    gaps = rng.normal(0.1 * effect, 0.15, size=(sets, 30))
    changes = [paired_bootstrap(row, np.zeros(30), rng=rng, n_resamples=2) for row in gaps]
    rows = pl.DataFrame(
        {
            "name": "s",
            "single": False,
            "tested": True,
            "share_change": [change.difference for change in changes],
            "share_change_low": [change.interval.low for change in changes],
            "share_change_high": [change.interval.high for change in changes],
            "p_holm": holm(np.array([change.p for change in changes])),
            "n_compared": 30,
            "sources_given": 2.0,
            "sources_used": 1.0,
            "sources_used_low": None,
            "sources_used_high": None,
        }
    )
    return sources_finding(rows, Finding("", "")).title.endswith("used")


def _rank(rng: np.random.Generator, effect: bool) -> bool:
    """Eight generators: share of rank 1 among the citations of rank 1 and of the last, over 30 queries."""
    counts = data_and_resamples(30, rng=rng, n_resamples=RESAMPLES)
    declines: list[dict[str, float]] = []
    for _ in range(8):
        used = rng.binomial(5, [0.6 if effect else 0.3, 0.3], size=(30, 2)).astype(np.float64)
        totals = counts @ used
        part: FloatArray = totals[:, 0] / totals.sum(axis=1)
        ratio = float(totals[0, 0] / totals[0, 1])
        p = float(resampled_p(part, 30, null=0.5))
        declines.append({"last_rank": 10, "first": 0.5, "last": 0.5, "ratio": ratio, "p": p})
    p_holm = holm(np.array([decline["p"] for decline in declines]))
    titles = [rank_title(decline | {"p_holm": p}) for decline, p in zip(declines, p_holm, strict=True)]
    return any("Citations fall" in title or "Citations rise" in title for title in titles)


EFFECTIVE = "exact binomial of effective draws, Holm over the groups"

CLAIMS = (
    Claim("a significant gap in k of n", "Demographic QA", "permutation, Holm over all DP, EO and changes", _levels),
    Claim("a prompt narrows the gap", "Demographic QA", "swaps, Holm over all DP, EO and changes", _prompts),
    Claim("a model has the smallest gap", "Demographic QA", "exact sign flips, Holm over all pairs", _models),
    Claim("since v1, the gap changed", "Demographic QA", "swaps, Holm over the attributes", _gap_since),
    Claim("since v1, G has fewer right answers", "Demographic QA", "exact sign flips, Holm over groups", _group_since),
    Claim("the line under a panel", "Demographic QA", "permutation, Holm over all DP, EO and changes", _gap_lines),
    Claim("the widest gap; a gap by race", "Demographic QA", "permutation, Holm over all DP, EO and changes", _widest),
    Claim("the widest gap of combinations", "Demographic QA", "permutation, Holm over all DP, EO and changes", _cells),
    Claim("a majority vote adds", "Demographic QA", "exact sign flips, Holm over the conditions", _vote),
    Claim("nDCG differs between A and B", "Demographic QA", "paired t, Holm over all pairs", _quality),
    Claim("documents move answers", "Social bias", "exact sign flips, Holm over the table", _changes),
    Claim("any row changes", "fairviz bias", "exact sign flips, Holm over the table", _changes_of_a_grid),
    Claim("k models answer along the stereotype", "Social bias", "exact sign flips, Holm over the table", _leans),
    Claim("stereotypes about a group are followed", "Social bias", "exact sign flips, Holm over groups", _leans_about),
    Claim("one more stereotypical document", "Social bias", "CR3 over templates, Holm over the slopes", _dose),
    Claim("a group's share is off target", "Groups, Home", EFFECTIVE, _off_target),
    *(Claim(f"one of {n} is off target, queries lean", "Groups", EFFECTIVE, _off_target_of(n)) for n in (3, 5, 8, 20)),
    Claim("x times the attention of", "Groups", EFFECTIVE, _per_document),
    *(Claim(f"one of {n} has x times the attention", "Groups", EFFECTIVE, _per_document_of(n)) for n in (5, 20)),
    Claim("a limit is broken", "fairviz check", "intervals at 1 − .05 / limits", _limit_broken),
    Claim("a limit on sources is broken", "fairviz check", EFFECTIVE, _source_limit_broken),
    Claim("a limit holds", "fairviz check", "intervals at 1 − .05 / limits", _limit_holds),
    Claim("hold x % at the top, y % below", "Groups", "t over queries, corrected over the groups", _by_rank),
    Claim("the same, few deep lists", "Groups", "t over queries, corrected over the groups", _by_rank_deep),
    Claim("closest is a method that moves", "Policy lab", "max statistic over strengths and re-rankers", _closer),
    Claim("n points move from G", "Policy lab", "max statistic over groups", _pays),
    Claim("a method stays in budget", "Policy lab", "intervals for all settings that were tried", _affordable),
    Claim("all proposals give G at least a", "Policy lab", "max statistic over groups, under every proposal", _agreed),
    Claim("since last time G gets b instead of a", "Policy lab", "t of resamples, Holm over the groups", _changed),
    Claim("k of n pairs agree; A and B disagree", "Agreement", "exact tau, Bonferroni over the pairs", _agree),
    Claim("A and B disagree; X is first in a of b", "Agreement", "paired t, Holm over pairs and measures", _orders),
    Claim("A and B disagree, by groups", "Agreement", "paired bootstrap, Holm over all", _orders_of_groups),
    Claim("pairs agree in all data sets", "Agreement", "the same in every data set", _consistent),
    Claim("k of n systems have a higher AUC", "Trade-off", "t of resamples, Holm over the curves", _areas),
    Claim("k of n systems give more than the baseline", "Compare", "t of resamples, Holm over the task", _compared),
    Claim("optimal is ahead", "Trade-off, Home", "t of resamples, one test", _area),
    Claim("quality is lower in k intervals", "Trade-off", "paired t, Holm over the intervals", _against_baseline),
    Claim("EE-D differs between all alpha", "Trade-off", "paired t, Holm over the pairs", _alphas),
    Claim("X gives more than the second", "Compare, what to choose", "t of resamples, Bonferroni over pairs", _choice),
    Claim("k systems have more; the largest", "Compare, at an α", "paired t, Holm over the task", _compared_points),
    Claim("higher, lower (a table)", "compare, Export", "paired t, Holm over the table", _tables),
    Claim("a sources given, b used", "Attribution", "paired t, Holm over the sets", _concentration),
    Claim("citations fall with rank", "Attribution", "t of resamples, Holm over settings", _rank),
)
