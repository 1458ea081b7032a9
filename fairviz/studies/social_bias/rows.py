"""Accuracy and Diff-Bias of answers as frames: by model, bias type and setting, and what a setting changes in them.

Answers (:mod:`.answers`) are grouped by the columns that a table asks for, counted by task instruction, template,
context and answer, and resampled by template, whose items move together. Every recorded column that varies keeps rows
apart, except the task instruction: measures are taken per instruction and averaged, as the paper does, because pooled
answers would weigh instructions by how many of them were recorded. Whatever else is not named is pooled, and said so.

Changes are paired by item. The two sides answered the same items, so the exact test flips them template by template and
convolves the distribution of the sum; flips are drawn only where it would be longer than two million cells. Holm's
family is the table in which tests are shown. Rows below 100 items or 10 templates are shown, untested.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import takewhile
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from fairviz.errors import UndefinedError, UsageError
from fairviz.model import BiasItems, FloatArray, IntArray
from fairviz.model.arrays import read_once
from fairviz.stats.bootstrap import N_RESAMPLES, Resampling, percentiles, resampled
from fairviz.stats.tests import MIN_ITEMS, MIN_UNITS, SIGNIFICANCE, OnePlace, SignFlip, holm, one_place, sign_flip
from fairviz.studies.shared import MOST_UNREAD
from fairviz.studies.social_bias.answers import FOLLOWS, INSTRUCTION, item_frame, recorded, values_in, varying
from fairviz.studies.social_bias.labels import AGAINST, TOWARDS, WITHOUT_RAG, favoured_groups, place_words, type_label
from fairviz.studies.social_bias.measures import (
    AMBIGUOUS,
    COUNTER,
    ITEM_COLUMNS,
    LEANINGS,
    MEASURES,
    NO_CONTEXT,
    OUT,
    STEREOTYPED,
    C,
    Leaning,
    OutOfChoice,
    S,
    Sort,
    bias_measures,
    bound_a,
    bounds_d,
    worst_case,
)

Row: TypeAlias = Mapping[str, Any]
"""A row of a frame by its columns' names; NaN = undefined."""

BY = ("model", "category", "setting")
MIN_TEMPLATES = MIN_UNITS
"""With fewer templates, which are what is resampled, a difference is not tested."""
MORE, LESS = "more towards the stereotype", "less towards the stereotype"
"""Verdicts of a significant change."""
ONE_LETTER = "one letter whatever is asked"

PLACES = np.array([[s, (3 - s - u) % 3, u] for s in range(3) for u in range(3)])
"""(9, 3) places of the answers along and against the stereotype and of "unknown", by order of the options; three of the
orders, which have two of them in one place, do not occur."""


def naming(row: Row) -> dict[str, str]:
    """The columns that a row is kept apart by."""
    return {name: row[name] for name in takewhile(lambda name: name != MEASURES[0], row)}


# The six measures of every combination.


def bias_rows(
    items: BiasItems,
    answers: pl.DataFrame,
    *,
    by: Sequence[str] = BY,
    ooc: OutOfChoice = "drop",
    seed: int = 0,
    n_resamples: int = N_RESAMPLES,
) -> pl.DataFrame:
    """Measure answers, row by row; what rows are not kept apart by is pooled (micro).

    Task instructions are the exception: measures are taken for each and averaged, unless ``by`` names ``instruction``.

    Args:
        items: The questions.
        answers: Answers to them (:func:`fairviz.studies.social_bias.answers.answer_frame`).
        by: Columns of the answers or of the items ("category", "language", "stereotyped", "template").
        ooc: What becomes of answers out of choice.
        seed: Of the resamples.
        n_resamples: Resamples of the templates.

    Returns:
        A row per combination, in the order of the columns' values: ``by``; the measures in percent, a mean over
        instructions, each with ``_low`` and ``_high`` (95 % expanded percentile bootstrap over templates) and with
        ``_worst_low`` and ``_worst_high`` (over what unread answers may have been); answers by context and answer,
        summed over instructions (``n_as``: ambiguous context, stereotyped answer; ``n_a``, ``n_s`` and ``n_c`` are the
        denominators in use); ``skipped_no_target`` answers to items without a biased option; ``n_items`` distinct items
        answered, ``n_missing`` not answered; ``bound_a``, ``bound_d_low`` and ``bound_d_high``, the Diff-Bias that
        accuracy allows; ``small``; ``unread`` in percent; ``letter``, ``n_letter`` and ``n_read``, in words
        ``one_letter``: the option named whatever is asked; ``_p`` of no lean by sign flips of templates, ``_p_holm``
        corrected over the table's ``n_tests``; ``above`` and ``below``, whom answers towards and against the stereotype
        favour (of rows by stereotyped group nobody is named).

    Raises:
        UsageError: A column that is not there, or one twice.
    """
    _check_columns(answers, by)
    rows, cells = _counted(answers.lazy(), by)
    tables = _counts_by_template(cells, len(rows), "kind")
    n_templates = np.array([table.shape[-1] for table in tables])
    n_clusters = dict.fromkeys(map(str, MEASURES), n_templates)
    measured = bootstrap(tables, partial(_measures, ooc=ooc), n_clusters, Resampling(seed, n_resamples))
    letters = _one_places(cells, len(rows), "kind")
    one_letter = [letter is not None for letter in letters]
    leaning = [np.stack([table, np.zeros_like(table)]) for table in tables]  # against no lean
    p = {
        f"{name}_p": np.array([flip.p for flip in map(partial(_tested, name, ooc, seed), leaning, one_letter)])
        for name in LEANINGS
    }
    p_holm = holm(np.concatenate([*p.values()]))
    p |= {f"{name}_p_holm": own for name, own in zip(LEANINGS, np.split(p_holm, len(LEANINGS)), strict=True)}
    named = [(None, None, None, "") if letter is None else (*letter, place_words(letter)) for letter in letters]
    parts = (
        rows,
        measured,
        _worst_cases(tables),
        _numbers(tables, ooc),
        pl.DataFrame(p),
        pl.DataFrame(named, schema=LETTER, orient="row"),
        pl.DataFrame({"n_templates": n_templates, "n_instructions": [len(table) for table in tables]}),
    )
    table = pl.concat(parts, how="horizontal").with_columns(n_tests=pl.lit(int((~np.isnan(p_holm)).sum())))
    skipped = pl.col("n").filter(pl.col("context") == NO_CONTEXT).sum().cast(pl.Int64)
    skipped_answers = cells.group_by("row").agg(skipped_no_target=skipped)
    table = table.join(skipped_answers, on="row", how="left", maintain_order="left")
    table = table.join(_coverage(items, answers, by), on=by, how="left", maintain_order="left", nulls_equal=True)
    if "category" in by and "stereotyped" not in by:
        table = table.join(favoured_groups(items, answers), on="category", how="left", maintain_order="left")
    else:
        table = table.with_columns(above=pl.lit(TOWARDS), below=pl.lit(AGAINST))
    low, high = bounds_d(*table.select(pl.col("acc_d", "n_s", "n_c").cast(pl.Float64)).to_numpy().T)
    few = pl.min_horizontal("n_a", pl.col("n_s") + pl.col("n_c")) / pl.col("n_instructions") < MIN_ITEMS
    return table.drop("row").with_columns(
        bound_a=pl.Series(bound_a(table["acc_a"].to_numpy())),
        bound_d_low=pl.Series(low),
        bound_d_high=pl.Series(high),
        small=few | (pl.col("n_templates") < MIN_TEMPLATES),
    )


LETTER = {"letter": pl.Int64, "n_letter": pl.Int64, "n_read": pl.Int64, "one_letter": pl.String}
"""Columns of the option that is named whatever is asked."""


def bootstrap(
    tables: Sequence[FloatArray],
    statistic: Callable[[FloatArray], Mapping[str, FloatArray]],
    n_clusters: Mapping[str, IntArray],
    resampling: Resampling,
) -> pl.DataFrame:
    """Statistics of tables with ``_low`` and ``_high``, 95 % over clusters; NaN where undefined, or below two clusters.

    Args:
        tables: G tables (…, T) of sums by cluster.
        statistic: By name (N, 1+B) values of (N, …, 1+B) totals of N tables of one shape, the data's own first.
        n_clusters: By name (G) clusters that have anything to say of it.
        resampling: How clusters are drawn.

    Returns:
        A row per table.
    """
    columns: dict[str, FloatArray] = {}
    for places, totals in resampled(tables, resampling):
        for name, values in statistic(totals).items():
            ends = percentiles(values[:, 1:], np.where(np.isnan(values[:, 0]), 0, n_clusters[name][places]))
            for key, column in ((name, values[:, 0]), (f"{name}_low", ends.low), (f"{name}_high", ends.high)):
                columns.setdefault(key, np.full(len(tables), np.nan))[places] = column
    return pl.DataFrame(columns)


def _numbers(tables: Sequence[FloatArray], ooc: OutOfChoice) -> pl.DataFrame:
    """Answers of each row by context and answer, the denominators in use, and the unread ones in percent."""
    counts = np.stack([table.sum(axis=(0, -1)) for table in tables]).astype(np.int64)
    used, unread = counts[..., : OUT + (ooc == "count")].sum(axis=-1), counts[..., OUT]
    numbers = {f"n_{context}": n for context, n in zip("asc", used.T, strict=True)}
    for context, of_context in zip("asc", counts.transpose(1, 2, 0), strict=True):
        numbers |= {f"n_{context}{kind}": n for kind, n in zip("scu", of_context, strict=False)}
    numbers |= {"n_ooc_a": unread[:, AMBIGUOUS], "n_ooc_d": unread[:, STEREOTYPED:].sum(axis=1)}
    return pl.DataFrame(numbers | {"unread": 100 * unread.sum(axis=1) / np.maximum(counts.sum(axis=(1, 2)), 1)})


def _check_columns(answers: pl.DataFrame, by: Sequence[str]) -> None:
    if len(set(by)) < len(by):
        raise UsageError(f"a column is named twice in {', '.join(by)}")
    columns = list(dict.fromkeys([*recorded(answers), *ITEM_COLUMNS]))
    for name in by:
        if name not in columns:
            raise UsageError(f"answers have no column {name!r}; there are: {', '.join(columns)}")


def _counted(answers: pl.LazyFrame, by: Sequence[str], *also: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The rows of a table in the order of their columns' values, and cells: how often each has each kind of answer."""
    apart = INSTRUCTION in answers.collect_schema() and INSTRUCTION not in by
    instruction = pl.col(INSTRUCTION).to_physical() if apart else pl.lit(0)
    cells = (
        answers.group_by(
            *(*by, "context", "kind", "order", *also),
            instruction_code=instruction,
            template_code=pl.col("template").to_physical(),
        )
        .agg(n=pl.len())
        .collect(engine="streaming")  # so that no frame of pairs is made
    )
    rows = cells.select(by).unique().sort(by).with_row_index("row")
    return rows, cells.join(rows, on=by)


def _counts_by_template(cells: pl.DataFrame, n_rows: int, kind: str) -> list[FloatArray]:
    """(G) tables (J, 3, 4, T): answers by the J instructions and T templates that a row has, context and kind.

    Answers to items without a biased option are left out; J = 1 and T = 0 where there are no others.
    """
    with_target = cells.filter(pl.col("context") != NO_CONTEXT)
    row, template, instruction, context, kinds, n = (
        with_target[name].to_numpy().astype(np.int64)
        for name in ("row", "template_code", "instruction_code", "context", kind, "n")
    )
    width = int(template.max(initial=0)) + 1
    pairs, at = np.unique(row * width + template, return_inverse=True)
    shape = (pairs.size, int(instruction.max(initial=0)) + 1, 3, 4)
    counts = _summed(n, (at, instruction, context, kinds), shape)
    tables: list[FloatArray] = []
    for own in np.split(counts, np.searchsorted(pairs // width, np.arange(1, n_rows))):
        is_answered = own.any(axis=(0, 2, 3))
        tables.append(np.moveaxis(own[:, is_answered] if is_answered.any() else own[:, :1], 0, -1))
    return tables


def _summed(n: IntArray, axes: Sequence[IntArray], shape: tuple[int, ...]) -> FloatArray:
    """(…) numbers summed by their places along each axis."""
    places = np.ravel_multi_index(tuple(axes), shape)
    sums: FloatArray = np.bincount(places, weights=n, minlength=math.prod(shape)).astype(np.float64, copy=False)
    return sums.reshape(shape)


def _one_places(cells: pl.DataFrame, n_rows: int, kind: str) -> list[OnePlace | None]:
    """(G) the place of the options that a row's answers name whatever is asked; None where they follow contents.

    By contents alone, answers in a context would be along the stereotype, against it and "unknown" as often as they
    are, wherever these options stand.
    """
    read = cells.filter(pl.col("context") != NO_CONTEXT, pl.col(kind) != OUT)
    axes = [read[name].to_numpy().astype(np.int64) for name in ("row", "context", "order", kind)]
    counts = _summed(read["n"].to_numpy(), axes, (n_rows, 3, len(PLACES), OUT))
    stands = np.eye(3)[PLACES]  # (order, kind, place)
    of_place = np.einsum("gcok,okp->gp", counts, stands)
    per_context = counts.sum(axis=(2, 3), keepdims=True)
    totals = np.einsum("gco,okp->gckp", counts.sum(axis=3), stands)
    kind_share = counts.sum(axis=2) / np.maximum(per_context[:, :, 0], 1)
    by_contents = np.einsum("gck,gckp->gp", kind_share, totals) / np.maximum(of_place.sum(axis=1, keepdims=True), 1)
    return [one_place(*row) for row in zip(of_place, by_contents, strict=True)]


def _coverage(items: BiasItems, answers: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """Distinct items answered, and items that are not, of the row's bias types.

    Or of its values of the item columns that rows are kept apart by.
    """
    parts = [name for name in ITEM_COLUMNS if name in by and name not in recorded(answers)] or ["category"]
    sizes = item_frame(items).group_by(parts).agg(n_asked=pl.len().cast(pl.Int64))
    own = answers.group_by(by).agg(n_items=pl.col("item").n_unique().cast(pl.Int64))
    rows = (own if {*parts} <= {*by} else answers).select(list(dict.fromkeys([*by, *parts]))).unique()
    totals = rows.join(sizes, on=parts)
    whole = own.join(totals.group_by(by).agg(pl.col("n_asked").sum()), on=by)
    return whole.select(*by, "n_items", n_missing=pl.col("n_asked") - pl.col("n_items"))


def _measures(totals: FloatArray, ooc: OutOfChoice) -> dict[str, FloatArray]:
    """(N, 1+B) values of each measure of (N, J, 3, 4, 1+B) counts by instruction, context and answer.

    Per instruction, then their mean, which is undefined where one of them is.
    """
    measured = bias_measures(np.moveaxis(totals, -1, 1), ooc)
    return {name: values.mean(axis=-1) for name, values in measured.items()}


def _means(
    totals: Sequence[FloatArray], measures: Callable[[FloatArray], Mapping[Any, FloatArray]]
) -> dict[str, FloatArray]:
    """(G) each measure of G tables (J, 3, 4) of counts, a mean over the instructions of each."""
    n_instructions = np.array([*map(len, totals)])
    starts = np.cumsum(n_instructions) - n_instructions
    measured = measures(np.concatenate(totals))
    return {name: np.add.reduceat(values, starts) / n_instructions for name, values in measured.items()}


def _worst_cases(tables: Sequence[FloatArray]) -> pl.DataFrame:
    """The ends of every measure over what unread answers may have been, a row per table; NaN without any."""
    totals = [table.sum(axis=-1) for table in tables]
    is_unread = [total[:, :, OUT].any() for total in totals]
    return pl.DataFrame({name: np.where(is_unread, ends, np.nan) for name, ends in _means(totals, worst_case).items()})


def _sizes(counts: FloatArray, measure: Leaning) -> tuple[int, int]:
    """Answers of the measure's contexts (a mean over instructions), and their templates, of (J, 3, 4, T) counts."""
    per_template = counts[:, CONTEXTS[measure]].sum(axis=(0, 1, 2))
    return int(per_template.sum()) // counts.shape[0], int((per_template > 0).sum())


def _tested(measure: Leaning, ooc: OutOfChoice, seed: int, sides: FloatArray, is_one_letter: bool) -> SignFlip:
    """Sign flips of each template's share in a difference of Diff-Bias, all instructions together.

    Args:
        measure: In which context.
        ooc: Whether unread answers count.
        seed: Of flips, where they are drawn.
        sides: (2, J, 3, 4, T) counts over the same answers; zeros of the other side test the level of the one.
        is_one_letter: Whether a side gives one letter whatever is asked.

    Returns:
        p is NaN where one letter is given, too many answers are unread, items or templates are too few, or an
        instruction has none of the measure's contexts.
    """
    unread, whole = sides[:, :, :, OUT].sum(axis=(1, 2, 3)), sides.sum(axis=(1, 2, 3, 4))
    used = np.rint(sides[:, :, :, : OUT + (ooc == "count")]).astype(np.int64)
    n_items, n_templates = _sizes(used[0], measure)
    sizes = used[0].sum(axis=(2, 3))[:, CONTEXTS[measure]]  # the same on both sides
    few = n_items < MIN_ITEMS or n_templates < MIN_TEMPLATES or not sizes.all()
    if is_one_letter or few or (100 * unread > MOST_UNREAD * whole).any():
        return SignFlip(math.nan, True)
    moved = used[0] - used[1]
    differences = {
        "diffbias_a": [moved[:, AMBIGUOUS, S] - moved[:, AMBIGUOUS, C]],
        "diffbias_d": [moved[:, STEREOTYPED, S], -moved[:, COUNTER, C]],
    }
    return sign_flip(np.concatenate(differences[measure]), sizes.T.ravel(), seed=seed)


# Rows as people read them.


def levels(rows: pl.DataFrame, measure: Leaning, sort: Sort = "as in the file") -> pl.DataFrame:
    """Rows by model and bias type as people read them in the context of a measure, and what may be said of each.

    Args:
        rows: Some of :func:`bias_rows`.
        measure: Diff-Bias in one of the contexts.
        sort: Of the bias types. "widest lean first": the widest significant lean comes first, then the widest that is
            tested, then what is too small to be tested.

    Returns:
        Their columns, and ``value``, ``low``, ``high``, ``p`` and ``p_holm`` of the measure; ``n_questions`` that are
        answered, a mean over instructions; ``against``, ``unknown``, ``right`` and ``towards``, percent of the answers
        that count, null without any (in ambiguous contexts "unknown" is right; in disambiguated ones it is wrong, as
        are answers either way); ``tested``, whether there are questions, templates and read answers enough; ``way``, 1
        where answers lean towards the stereotype, −1 against it, 0 where that cannot be said; ``verdict`` in words,
        with whom it favours.
    """
    whole, ways = pl.col("n_a"), {"against": pl.col("n_ac"), "unknown": pl.col("n_au"), "towards": pl.col("n_as")}
    if measure == "diffbias_d":
        whole, right = pl.sum_horizontal("n_s", "n_c"), pl.sum_horizontal("n_ss", "n_cc")
        unknown = pl.sum_horizontal("n_su", "n_cu")
        ways = {"against": pl.col("n_sc"), "unknown": unknown, "right": right, "towards": pl.col("n_cs")}
    value, p_holm, tested = pl.col("value"), pl.col("p_holm"), pl.col("tested")
    verdict = (
        pl.when(value.is_nan())
        .then(pl.lit("no such question"))
        .when(pl.col("one_letter") != "")
        .then("one_letter")
        .when(~tested & (pl.col("unread") > MOST_UNREAD))
        .then(pl.lit("too many unread"))
        .when(~tested)
        .then(pl.lit("too few to say"))
        .when(pl.col("way") == 0)
        .then(pl.lit("not significant"))
        .when(pl.col("way") > 0)
        .then(_favouring("towards", "above", TOWARDS))
        .otherwise(_favouring("against", "below", AGAINST))
    )
    shown = rows.with_columns(
        value=pl.col(measure),
        **{name: pl.col(f"{measure}_{name}") for name in ("low", "high", "p", "p_holm")},
        **{kind: 100 * n / pl.when(whole > 0).then(whole) for kind, n in ways.items()},
        n_questions=whole // pl.col("n_instructions"),
    )
    shown = shown.with_columns(tested=p_holm.is_not_nan()).with_columns(
        way=pl.when(tested & (p_holm < SIGNIFICANCE)).then(value.sign()).otherwise(0).cast(pl.Int8)
    )
    return _sorted_types(shown.with_columns(verdict=verdict), sort)


def _favouring(word: str, side: str, nobody: str) -> pl.Expr:
    """Which way a row leans, and whom that favours where a group is named."""
    return pl.when(pl.col(side) == nobody).then(pl.lit(word)).otherwise(pl.format(f"{word}: {{}}", side))


def _sorted_types(rows: pl.DataFrame, sort: Sort) -> pl.DataFrame:
    """Levels with those of one bias type beside each other, in an order of the types; others as they stand."""
    if "category" not in rows.columns:
        return rows
    first = first_rows(rows, "category")
    if sort == "by name":
        labels = read_once(rows.select("category"), type_label)
        return rows.sort(pl.lit(labels).str.to_lowercase(), first, maintain_order=True)
    width = pl.col("value").abs().fill_nan(None)
    widths = (width.filter(pl.col("way") != 0), width.filter("tested"), width)
    widest = [-own.max().fill_null(-1.0).over("category") for own in widths] if sort == "widest lean first" else []
    return rows.sort(*widest, first, maintain_order=True)


def first_rows(rows: pl.DataFrame, column: str) -> pl.Expr:
    """The first row with the value of each row: sorted by it, rows of one value stand beside each other."""
    return pl.lit(rows.with_row_index("first").select(pl.col("first").min().over(column)).to_series())


# What a setting does to Diff-Bias.


def bias_changes(
    answers: pl.DataFrame,
    *,
    by: Sequence[str] = BY,
    against: tuple[str, str] = ("setting", WITHOUT_RAG),
    ooc: OutOfChoice = "drop",
    groups: bool = False,
    seed: int = 0,
    n_resamples: int = N_RESAMPLES,
) -> pl.DataFrame:
    """Compare every row with the reference, pair by pair.

    Args:
        answers: Answers to the questions.
        by: Columns that rows are kept apart by; the compared column is added.
        against: Column and value of the reference.
        ooc: "drop" leaves out a pair with either answer out of choice, "count" keeps it.
        groups: Also one row per group that the stereotype is about (column "stereotyped"), in the
            same table and Holm family.
        seed: Of resamples, and of drawn flips.
        n_resamples: Resamples of the templates.

    Returns:
        For each row, one change per ``measure`` that has pairs, ``against`` what: ``value`` and ``reference`` are
        Diff-Bias of either side on the ``n_items`` that both answered (of ``n_templates``), ``change`` their difference
        (amplification where the reference is without RAG) from ``low`` to ``high``, ``change_abs`` that of their
        distances from 0; ``n_towards`` and ``n_away`` pairs moved towards the stereotype and away from it, ``n_unused``
        are left out; whether it is ``tested``, ``p`` (``exact`` unless flips were drawn), ``p_holm`` corrected over the
        table's ``n_tests``, and the ``verdict``.

    Raises:
        UsageError: A column or value that is not there; several reference answers to an item.
        UndefinedError: Nothing can be paired.
    """
    columns = list(dict.fromkeys([*by, against[0]]))
    pairs = _pairs(answers, against)
    _check_columns(answers, columns)
    resampling = Resampling(seed, n_resamples)
    changes = [_changes(pairs, columns, against, ooc, resampling)]
    if groups and "stereotyped" not in columns:
        of_groups = _changes(pairs, [*columns, "stereotyped"], against, ooc, resampling)
        named = pl.col("stereotyped") != ""
        pooled = changes[0].with_columns(stereotyped=pl.lit("")).select(of_groups.columns)
        changes = [pooled, of_groups.filter(named).cast({"stereotyped": pl.String})]
    return corrected(pl.concat(changes))


def corrected(changes: pl.DataFrame) -> pl.DataFrame:
    """Changes that stand in one table, with p corrected over its tested rows (Holm)."""
    p_holm, tested = pl.col("p_holm"), pl.col("tested")
    return changes.with_columns(
        p_holm=pl.Series(holm(changes["p"].to_numpy())), n_tests=pl.col("tested").sum().cast(pl.Int64)
    ).with_columns(
        verdict=pl.when(~tested)
        .then(pl.col("verdict"))
        .when(p_holm.is_nan() | (p_holm < SIGNIFICANCE))
        .then(pl.when(pl.col("change") > 0).then(pl.lit(MORE)).otherwise(pl.lit(LESS)))
        .otherwise(pl.lit("no significant difference"))
    )


def _pairs(answers: pl.DataFrame, against: tuple[str, str]) -> pl.LazyFrame:
    """Every answer that is not the reference's and has a partner, with what the partner is (``other``).

    Two answers belong together if they answer the same item and agree in every recorded column but the one compared,
    and those that change along with it (:data:`.answers.FOLLOWS`).
    """
    column, value = against
    _check_columns(answers, [column])
    if value not in values_in(answers, column):
        values = ", ".join(values_in(answers, column))
        raise UsageError(f"{column} has no value {value!r} to compare with; there are: {values}")
    follows = FOLLOWS.get(column, ())
    reference, others = (answers.filter(side) for side in (pl.col(column) == value, pl.col(column) != value))
    same = [name for name in varying(answers) if name not in (column, *follows)]
    partners = reference.select("item", *same, other="kind")
    if partners.select("item", *same).n_unique() < len(partners):
        apart = ", ".join(name for name in varying(reference) if name in follows)
        raise UsageError(
            f"{column} = {value} answers an item more than once: keep answers apart by {apart or 'another column'}"
        )
    return others.lazy().join(partners.lazy(), on=["item", *same])


def _changes(
    pairs: pl.LazyFrame, by: Sequence[str], against: tuple[str, str], ooc: OutOfChoice, resampling: Resampling
) -> pl.DataFrame:
    """Changes of the rows of pairs, in the order of the rows; those without a usable pair are left out."""
    rows, cells = _counted(pairs, by, "other")
    if rows.is_empty():
        raise UndefinedError(f"no answer has a partner with {against[0]} = {against[1]}")
    usable = pl.lit(True) if ooc == "count" else (pl.col("kind") != OUT) & (pl.col("other") != OUT)
    counts = (_counts_by_template(cells.filter(usable), len(rows), side) for side in ("kind", "other"))
    tables = [np.stack(sides) for sides in zip(*counts, strict=True)]
    letters = (_one_places(cells, len(rows), side) for side in ("kind", "other"))
    one_letter = [any(sides) for sides in zip(*letters, strict=True)]
    totals = [table.sum(axis=-1) for table in tables]
    value, reference = (_means([own[side] for own in totals], partial(bias_measures, ooc=ooc)) for side in range(2))
    of_measures: list[pl.DataFrame] = []
    sizes = {measure: np.array([_sizes(table[0], measure) for table in tables]) for measure in LEANINGS}
    n_clusters = {f"{measure}_{what}": own[:, 1] for measure, own in sizes.items() for what in ("change", "change_abs")}
    values = bootstrap(tables, partial(_differences, ooc=ooc), n_clusters, resampling)
    for measure, contexts in CONTEXTS.items():
        flips = [*map(partial(_tested, measure, ooc, resampling.seed), tables, one_letter)]
        parts = (
            rows,
            values.select(pl.col(f"^{measure}_.*$").name.replace(f"^{measure}_", "")),
            pl.DataFrame({"value": value[measure], "reference": reference[measure]}),
            pl.DataFrame(sizes[measure], schema=["n_items", "n_templates"]),
            pl.DataFrame(flips, schema=["p", "exact"], orient="row"),
        )
        own = pl.concat(parts, how="horizontal").with_columns(
            measure=pl.lit(measure),
            tested=pl.col("p").is_not_nan(),
            verdict=pl.Series([ONE_LETTER if letter else "too few to say" for letter in one_letter]),
        )
        counted = cells.filter(pl.col("context").is_in(contexts)).group_by("row").agg(_moves(usable))
        of_measures.append(own.filter(pl.col("n_items") > 0).join(counted, on="row"))
    changes = pl.concat(of_measures).sort("row", "measure").rename({"change_low": "low", "change_high": "high"})
    changes = changes.rename({"change_abs_low": "abs_low", "change_abs_high": "abs_high"})
    changes = changes.with_columns(against=pl.lit("=".join(against)), p_holm=math.nan, n_tests=0)
    return changes.select(*by, "measure", pl.exclude(*by, "measure", "row"))


def _differences(totals: FloatArray, ooc: OutOfChoice) -> dict[str, FloatArray]:
    """(N, 1+B) changes of Diff-Bias, and of its distance from 0, of (N, 2, J, 3, 4, 1+B) counts of both sides."""
    value, reference = (_measures(totals[:, side], ooc) for side in range(2))
    changes = {f"{name}_change": value[name] - reference[name] for name in LEANINGS}
    return changes | {f"{name}_change_abs": np.abs(value[name]) - np.abs(reference[name]) for name in LEANINGS}


CONTEXTS: Mapping[Leaning, list[int]] = {"diffbias_a": [AMBIGUOUS], "diffbias_d": [STEREOTYPED, COUNTER]}
"""Contexts that a measure is of."""


def _moves(usable: pl.Expr) -> list[pl.Expr]:
    """Pairs that moved towards the stereotype, away from it, or are left out."""
    after, before = (
        (pl.col(kind) == S).cast(pl.Int8) - (pl.col(kind) == C).cast(pl.Int8) for kind in ("kind", "other")
    )
    moved = {"n_towards": usable & (after > before), "n_away": usable & (after < before), "n_unused": ~usable}
    return [pl.col("n").filter(is_such).sum().cast(pl.Int64).alias(name) for name, is_such in moved.items()]
