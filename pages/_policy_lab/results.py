"""What the Policy lab is asked, and what it knows: settings as far as they were tried, and what a budget buys."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
import streamlit as st

from fairviz.attention import Attention, Browsing, attention
from fairviz.grouping import Missing, membership, with_unlabelled
from fairviz.metrics.catalogue import CATALOGUE, GROUP_MEASURES
from fairviz.metrics.spec import parse_measure
from fairviz.model import Dataset, MeasureSpec, Target
from fairviz.pool import pool
from fairviz.rerankers.catalogue import RERANKERS
from fairviz.studies.policy_lab.axes import QualityName
from fairviz.studies.policy_lab.budget import Outcome, Setting, outcome, reaches
from fairviz.studies.policy_lab.depth import DEEPEST, GroupDepths, group_depths
from fairviz.studies.policy_lab.distances import Distance, measure_text
from fairviz.studies.policy_lab.findings import Share, silence
from fairviz.studies.policy_lab.lists import first_items
from fairviz.studies.policy_lab.price import largest_gap, mean_target, point_summary
from fairviz.studies.policy_lab.progressive import ProgressivePrices
from fairviz.studies.policy_lab.strengths import strength_of
from fairviz.studies.policy_lab.tables import LabResults
from pages._kit.cache import cached
from pages._kit.controls import (
    AS_PUBLISHED,
    ScorePolicy,
    choose_browsing,
    choose_cutoff,
    choose_judgements,
    choose_place,
    choose_policy,
    choose_unlabelled,
    following,
)
from pages._kit.target_presets import first_attribute

POINTS = "points of attention off target, all queries together"
MEASURES: dict[str, str] = {"": POINTS} | {
    measure.name: f"{measure.label}: {measure.title}" for measure in GROUP_MEASURES
}
"""Measures of distance by their name on the page; the first is half of L1 of all queries together."""

K = 10
DEPTH = 100
"""Candidates of a query that are re-ranked, unless a group asks for more."""
QUALITIES: dict[str, QualityName] = {"nDCG": "nDCG", "EE-R": "EER"}
FIRST = (
    "det-greedy",
    "det-cons",
    "det-const-sort",
    "fair-epsilon-greedy",
    "fa-ir",
    "fairness-of-exposure",
    "plackett-luce",
)
"""Methods that are compared before anything is chosen: the others repeat one of them, or look at no group."""
LABELS = {reranker.name: reranker.label for reranker in RERANKERS}
STRENGTHS = {reranker.name: strength_of(reranker) for reranker in RERANKERS}
LETTERS = {name: strength.symbol for name, strength in STRENGTHS.items()}
SEED = 0


class Settings(NamedTuple):
    """What is computed; plain values, so that it is the key of what is remembered.

    Attributes:
        system, attribute, judgements: Indices into the data.
        k: Ranks that count.
        depth: Candidates of a query that are re-ranked, unless a group asks for more.
        browsing: How attention falls with rank.
        unlabelled: Whether documents without a label are a group of their own.
        quality: What re-ranking may cost.
        judged: Whether methods that can use judgements may look at them.
        measure: Name of another distance than points off target; empty for these.
        policy: How scores become a policy, for Plackett–Luce and the optimal policy.
    """

    system: int
    attribute: int
    judgements: int
    k: int
    depth: int
    browsing: Browsing
    unlabelled: Missing
    quality: QualityName
    judged: bool
    measure: str
    policy: ScorePolicy = AS_PUBLISHED

    @property
    def attention(self) -> Attention:
        """How attention falls with rank, down to k."""
        return attention(self.browsing, cutoff=self.k)

    @property
    def quality_label(self) -> str:
        """Name of the quality measure."""
        return f"{'nDCG' if self.quality == 'nDCG' else 'EE-R'}@{self.k}"


class Aim(NamedTuple):
    """A target as plain values."""

    groups: tuple[str, ...]
    shares: tuple[float, ...]

    @classmethod
    def of(cls, target: Target) -> "Aim":
        """The target, rounded to what nobody can see, so that equal ones are found again."""
        return cls(target.groups, tuple(round(share, 6) for share in target.shares.tolist()))

    @property
    def target(self) -> Target:
        """The target again; its shares sum to 1."""
        return Target(groups=self.groups, shares=np.array(self.shares) / sum(self.shares))


# Controls: every one stands in the address.


class Choices(NamedTuple):
    """What is chosen among what was computed: nothing is re-ranked when it changes.

    Attributes:
        budget: Part of today's mean quality that may be given up.
        fixed: Whether only settings count that show every visitor the same lists.
        methods: Methods that are compared.
    """

    budget: float
    fixed: bool
    methods: tuple[str, ...]


def settings(loaded: Dataset) -> Settings:
    """The popovers of what is measured."""
    usual = next(iter(QUALITIES))
    with st.popover(f"Quality: {following('quality', usual, _one_of(QUALITIES))}", width="content"):
        quality = following(
            "quality",
            usual,
            _one_of(QUALITIES),
            lambda: st.radio(
                "What re-ranking may cost",
                list(QUALITIES),
                key="quality",
                help="nDCG: gains discounted by rank over the best list. EE-R: expected exposure of useful documents, "
                "scaled to what any order could reach.",
            ),
        )
    with st.popover("More", icon=":material/tune:", width="content"):
        return _more(loaded, QUALITIES[quality])


def _more(loaded: Dataset, quality: QualityName) -> Settings:
    system = choose_place("System", [run.system for run in loaded.runs], "system", width=260)
    names = [labels.attribute for labels in loaded.labels]
    attribute = choose_place("Groups", names, "labels", first=first_attribute(loaded), width=260)
    judgements = choose_judgements(loaded, loaded.runs[system], width=260)
    k = choose_cutoff("Cutoff k", usual=K, most=DEEPEST)
    depth = following(
        "depth",
        DEPTH,
        lambda text: int(text) if text.isdecimal() and 2 <= int(text) <= DEEPEST else None,
        lambda: st.number_input(
            "Candidates per query",
            2,
            DEEPEST,
            key="depth",
            help="The first so many documents are re-ranked, and more where no document of a group with a target is "
            "among them; the rest keeps its order below.",
        ),
    )
    browsing, unlabelled = choose_browsing(width=260), choose_unlabelled()
    measure = following(
        "distance",
        "",
        _one_of(MEASURES),
        lambda: st.selectbox(
            "Distance from the target", list(MEASURES), format_func=MEASURES.__getitem__, key="distance"
        ),
    )
    judged = _switch(
        "judged",
        "Let methods see the judgements",
        "FAIR ε-greedy, α-DCG greedy and fairness of exposure can use known usefulness. Off, they know scores and "
        "order alone, as in use.",
    )
    policy = choose_policy()
    return Settings(
        system=system,
        attribute=attribute,
        judgements=judgements,
        k=k,
        depth=max(depth, k),
        browsing=browsing,
        unlabelled=unlabelled,
        quality=quality,
        judged=judged,
        measure=measure,
        policy=policy,
    )


def choose_budget() -> tuple[float, bool]:
    """Budget, and the switch for fixed lists."""
    budget = following(
        "budget",
        3.0,
        lambda text: float(text) if text.replace(".", "", 1).isdecimal() and 0.5 <= float(text) <= 20 else None,
        lambda: st.slider("Largest acceptable loss of quality", 0.5, 20.0, step=0.5, format="%g %%", key="budget"),
    )
    return budget / 100, _switch("fixed", "Fixed lists only", "")


def choose_methods() -> tuple[str, ...]:
    """The methods that are compared, in the order of the catalogue."""
    usual = SEPARATOR.join(FIRST)
    n = sum(name in LABELS for name in following("methods", usual, _methods).split(SEPARATOR))
    with st.popover(f"Methods: {n} of {len(LABELS)}", width="content"):
        methods = following("methods", usual, _methods, _choose_methods)
    return tuple(name for name in methods.split(SEPARATOR) if name in LABELS)


SEPARATOR = "_"
"""Between the names of methods in the address."""
NO_METHOD = "none"
"""What the address has where no method is compared."""


def _choose_methods() -> str:
    """The control; as text, because the address has one."""
    if "methods_chosen" not in st.session_state:
        st.session_state["methods_chosen"] = [
            name for name in LABELS if name in str(st.session_state["methods"]).split(SEPARATOR)
        ]
    selection = st.multiselect(
        "Methods that are compared",
        list(LABELS),
        key="methods_chosen",
        format_func=LABELS.__getitem__,
        placeholder="Choose at least one",
        help="\n\n".join(f"**{reranker.label}**: {reranker.summary}" for reranker in RERANKERS),
    )
    return SEPARATOR.join(name for name in LABELS if name in selection) or NO_METHOD


def _methods(text: str) -> str | None:
    return text if text == NO_METHOD or set(text.split(SEPARATOR)) <= LABELS.keys() else None


def _switch(key: str, label: str, help: str) -> bool:
    """A switch that stands in the address as 1."""
    on = {"1": 1, "True": 1, "0": 0, "False": 0}
    return bool(following(key, 0, on.get, lambda: int(st.toggle(label, key=key, help=help or None))))


def _one_of(names: Iterable[str]) -> Callable[[str], str | None]:
    return lambda text: text if text in names else None


# What was tried, and what a budget buys.


class Results(NamedTuple):
    """All that is shown for one budget.

    Attributes:
        outcome: What the budget buys.
        distance: What off target means.
        refused: Why other methods do not apply.
        share: The group that titles speak of, with the best setting; None where all have their share.
        hidden: Methods that show lists at random, hidden by the switch.
    """

    outcome: Outcome
    distance: Distance
    refused: dict[str, str]
    share: Share | None
    hidden: int

    def table_results(self, prices: ProgressivePrices, settings: Settings) -> LabResults:
        """The same, as tables are made of it."""
        return LabResults(
            system=prices.run.system,
            quality=settings.quality_label,
            labels=LABELS,
            symbols=LETTERS,
            distance=self.distance,
            outcome=self.outcome,
            refused=self.refused,
        )


@cached
def progressive_prices(loaded: Dataset, settings: Settings, aim: Aim) -> ProgressivePrices:
    """What was tried on one run under one target; shared by all that look at it.

    Raises:
        FairvizError: The chosen distance has no value on these data.
    """
    run = first_items(loaded.runs[settings.system], depths_of(loaded, settings, aim).depths)
    return ProgressivePrices(
        run,
        loaded.qrels[settings.judgements],
        loaded.labels[settings.attribute],
        aim.target,
        attention=settings.attention,
        k=settings.k,
        quality=settings.quality,
        missing=settings.unlabelled,
        judged=settings.judged,
        measure=_measure(loaded, settings, aim),
        scores=settings.policy.scores,
        offset=settings.policy.offset,
        seed=SEED,
    )


def results(prices: ProgressivePrices, chosen: Choices, *, group: str = "") -> Results:
    """What there is by now, and what the budget buys of it; nothing is re-ranked here.

    Args:
        prices: What was tried.
        chosen: Budget, switch and methods.
        group: The group that a person moved last; else the one furthest under its target is spoken of.
    """
    today, axes = prices.today, prices.axes
    now = point_summary(today, 0, today)
    distance = _distance(prices, now.off)
    groups = axes.members.groups
    spoken = groups.index(group) if group in groups else largest_gap(now, axes.target)
    tried: dict[str, list[Setting]] = {name: prices.settings(name) for name in chosen.methods}
    found = outcome(
        now,
        tried,
        budget=chosen.budget,
        step=distance.step,
        fixed=chosen.fixed,
        spoken=-1 if spoken is None else spoken,
        silent=silence(now, prices.unlabelled_share),
    )
    share = None
    if spoken is not None and not np.isnan(now.shares).any():
        best = found.best.inside if found.best is not None else None
        after = now.shares if best is None else best.point.shares
        aims = mean_target(axes.target)
        share = Share(groups[spoken], float(now.shares[spoken]), float(after[spoken]), float(aims[spoken]))
    every = reaches(tried, budget=chosen.budget, step=distance.step)
    hidden = sum(each.shown is not None and not each.shown.is_fixed for each in every)
    return Results(found, distance, prices.refused(chosen.methods), share, hidden)


def strength_words(method: str, strength: float) -> str:
    """A strength as it is written beside a name.

    Examples:
        >>> strength_words("det-greedy", 0.5)
        'λ = 0.5'
    """
    return f"{LETTERS[method]} = {strength:g}"


@cached
def depths_of(loaded: Dataset, settings: Settings, aim: Aim) -> GroupDepths:
    """How deep each query of the run is re-ranked."""
    run, judgements = loaded.runs[settings.system], loaded.qrels[settings.judgements]
    pools = pool(run, judgements, queries="ranked")
    target = aim.target
    members = membership(pools, loaded.labels[settings.attribute], target)
    if settings.unlabelled == "group":
        members = with_unlabelled(members)
    named = dict(zip(target.groups, target.shares.tolist(), strict=True))
    judged = frozenset(judgements.query_ids)
    return group_depths(
        pools,
        members,
        np.array([named.get(group, 0.0) for group in members.groups]),
        usual=settings.depth,
        k=settings.k,
        compared=np.array([query in judged for query in run.query_ids]),
    )


def _measure(loaded: Dataset, settings: Settings, aim: Aim) -> MeasureSpec | None:
    if not settings.measure:
        return None
    labels = loaded.labels[settings.attribute]
    group = labels.groups[int(np.argmax(aim.shares[: len(labels.groups)]))]
    text = measure_text(
        settings.measure, k=settings.k, browsing=settings.browsing, missing=settings.unlabelled, group=group
    )
    return parse_measure(text)


def _distance(prices: ProgressivePrices, now: float) -> Distance:
    spec = prices.measure
    return Distance.points() if spec is None else Distance.by(CATALOGUE[spec.name], spec.cutoff, now)
