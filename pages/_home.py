"""The small pictures of Home: each says what the sentence beside it says."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from fairviz.model import FloatArray
from fairviz.stats.tests import SIGNIFICANCE
from fairviz.studies.demographic_qa.charts import shared_span
from fairviz.studies.demographic_qa.findings import widest_pair
from fairviz.studies.social_bias.charts import levels_span
from fairviz.studies.social_bias.labels import type_label
from pages._kit.html import Cell, Html, Span, Tone, glyph, on_range, small_picture
from pages._social_bias_sections import SIGNS

DRAWN = 4
"""Rows of a small picture."""


def shares_picture(groups: Sequence[str], shares: FloatArray, target: FloatArray) -> Html | None:
    """Shares of the groups furthest off beside lines of their targets; None without attention on labelled documents."""
    if np.isnan(shares).any():
        return None
    furthest = sorted(np.argsort(-np.abs(shares - target), kind="stable")[:DRAWN])
    span = (0.0, float(max(shares.max(), target.max())))
    none = (np.nan, np.nan)
    return small_picture(
        (groups[at], on_range(float(shares[at]), none, span=span, best=float(target[at]), target=True))
        for at in furthest
    )


def rates_picture(rows: Sequence[dict[str, Any]]) -> Html | None:
    """Right answers about each group of the attribute whose groups are furthest apart, with intervals."""
    apart = {row["attribute"]: widest_pair(row) for row in rows}
    widest = max(rows, key=lambda row: abs(ends.gap["gap"]) if (ends := apart[row["attribute"]]) else -1, default=None)
    ends = widest and apart[widest["attribute"]]
    if not widest or not ends:
        return None
    span, tone = shared_span([widest]), "ink" if ends.significant else ""
    return small_picture(
        (group["value"], glyph(group["rate"], group["low"], group["high"], span=span, tone=tone, zero=span[0]))
        for group in widest["groups"][:DRAWN]
    )


def leans_picture(levels: pl.DataFrame, name: Callable[[str], str]) -> Html | None:
    """The first leans of the page's table: towards the stereotype to the right of the line, filled if significant."""
    first = levels.head(DRAWN)
    if first["value"].count() == 0:
        return None
    span = levels_span(first)
    return small_picture((_lean_name(row, name), _lean(row, span)) for row in first.iter_rows(named=True))


def _lean_name(row: Mapping[str, Any], name: Callable[[str], str]) -> str:
    return f"{type_label(row['category'])}, {name(row['model'])}"


def _lean(row: Mapping[str, Any], span: Span) -> Cell:
    significant = row["p_holm"] is not None and row["p_holm"] < SIGNIFICANCE
    tone = SIGNS[row["value"] > 0] if significant else ""
    return glyph(row["value"], row["low"], row["high"], span=span, tone=tone)


def differences_picture(rows: Sequence[Mapping[str, Any]]) -> Html | None:
    """Differences from the baseline: better to the right of the line, filled if significant."""
    drawn = [row for row in rows if row["low"] is not None][:DRAWN]
    if not drawn:
        return None
    low, high = min(0.0, *(row["low"] for row in drawn)), max(0.0, *(row["high"] for row in drawn))
    air = 0.05 * (high - low)
    tones: dict[str, Tone] = {"higher": "gain", "lower": "loss"}
    return small_picture(
        (
            row["system"],
            glyph(
                row["difference"],
                row["low"],
                row["high"],
                span=(low - air, high + air),
                tone=tones.get(row["verdict"], ""),
            ),
        )
        for row in drawn
    )
