"""Results of the attribution study as tables: every point, and each generator in a few numbers."""

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from fairviz.display.table import Column, Table, keyed, labelled
from fairviz.display.words import listing, plural
from fairviz.points.columns import ENDS, P_HOLM, QUERIES, TESTED, with_ends
from fairviz.points.outputs import MEASURES
from fairviz.points.view import SYSTEM
from fairviz.stats.bootstrap import described

POINTS = (
    *keyed("system", *SYSTEM, "policy"),
    Column("alpha", kind="number"),
    Column("query_id"),
    *(Column(name, kind="number") for name in ("n_samples", *MEASURES)),
)
SUMMARY = (
    Column("lists"),
    *with_ends("EAR"),
    *labelled("number", sources_given="sources given", sources_used="sources used"),
    *with_ends("share_change", "share change", "change"),
    P_HOLM,
    *labelled("number", EED="EE-D", EER="EE-R", EU="", n_queries="queries", n_outputs="answers"),
    Column("policy", audience="programs"),
    Column("alpha", audience="programs"),
)
DIFFERENCES = (
    *keyed("policy", "lists", "measure"),
    *with_ends("value"),
    Column("difference", kind="signed"),
    *ENDS,
    *TESTED,
    QUERIES,
)
SOURCES = (
    *keyed("lists", "attribute", "week", "group"),
    *with_ends("given"),
    *with_ends("cited"),
    *labelled("number", given_unlabelled="given, unlabelled", cited_unlabelled="cited, unlabelled"),
    *labelled("number", n_queries="queries", n_citing="queries with citations", n_answers="answers"),
)


def points_table(points: pl.DataFrame, *, relevance: str = "EE-R") -> Table:
    """One row per query under each setting of each generator."""
    caption = f"EE-D, {relevance}, EAR, EAE-D and EU of every query under every setting"
    return Table.of(points, POINTS, caption, audience="programs")


def summary_table(rows: pl.DataFrame, *, k: int, relevance: str = "EE-R") -> Table:
    """One row per system and setting of its lists; ``relevance`` is what EE-R is called."""
    columns = (replace(column, label=relevance) if column.key == "EER" else column for column in SUMMARY)
    tests = plural(rows["p_holm"].count(), "test")
    caption = (
        f"Use of the context of each generator, k = {k}; intervals: {described(seed=0)}; p: paired t-test of the "
        f"change in share, Holm over {tests}"
    )
    return Table.of(rows, [*_factors(rows), *columns], caption)


def sources_table(rows: pl.DataFrame, *, k: int) -> Table:
    """One row per system and setting, attribute, week and group: its share of documents given and of those cited."""
    caption = (
        f"Share of labelled documents given, the first {k} of each answer, and of those cited, by group and week; 95 % "
        "intervals of effective sample size over queries, one by one; none below 10 queries"
    )
    return Table.of(rows, [*_factors(rows), *SOURCES], caption)


def differences_table(compared: Sequence[pl.DataFrame], *, k: int) -> Table:
    """One row per system but the baseline of its task, under one setting, the largest difference of a task first."""
    tests = [task["p_holm"].count() for task in compared]
    family = plural(tests[0], "test") if len(tests) == 1 else f"{', '.join(map(str, tests))} tests, task by task"
    baselines, settings = (
        listing(list(dict.fromkeys(task[name][0] for task in compared))) for name in ("system", "lists")
    )
    return Table.of(
        pl.concat([task.slice(1) for task in compared]),
        [*_factors(pl.concat(compared)), *DIFFERENCES],
        f"{compared[0]['measure'][0]} of each system minus that of {baselines}, {settings}, k = {k}, paired by query;"
        f" intervals: {described(seed=0)}; paired t-test, Holm over {family}",
    )


def _factors(rows: pl.DataFrame) -> tuple[Column, ...]:
    """Factors that are columns: the generator, and what else is known of any system."""
    return keyed(*(name for name in SYSTEM if name == "generator" or (name in rows and rows[name].count())))
