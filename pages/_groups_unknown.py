"""What missing labels leave open: shares if the unlabelled attention were of a group, or not."""

import numpy as np

from fairviz.analysis.unknown_labels import distance_range, share_range
from fairviz.divergence import l1
from fairviz.groups import UNLABELLED
from fairviz.model import Dataset, Target
from fairviz.report.group_findings import bounds_sentence, bounds_title
from pages._groups_glyph import on_range
from pages._groups_results import unknown_of
from pages._groups_settings import Settings
from pages._shared import Column, counts_line, html_table, percent, section
from pages._target_bars import keyed


def unknown_labels(loaded: Dataset, chosen: Settings, target: Target) -> None:
    """A row per group: observed share, the least and the most it can be, the target."""
    found = unknown_of(loaded, chosen)
    named = dict(zip(target.groups, target.shares.tolist(), strict=True))
    wanted = np.array([named.get(group, 0.0) for group in found.groups])
    if UNLABELLED in named and wanted.sum() > 0:
        wanted = wanted / wanted.sum()  # what is asked of the documents that have a group
    labelled, rest = found.attention.sum(axis=0), float(found.unlabelled.sum())
    ends = share_range(labelled, rest)
    observed = found.shares
    section(
        bounds_title(ends, wanted, found.groups),
        "Bar: the share of all attention if what has no label went away from the group, or all to "
        "it. Dot: share of labelled attention. Line: target.",
    )
    rows = [
        [
            keyed(found.groups, i),
            percent(float(observed[i]), 1),
            f"{percent(float(ends.low[i]), 1)} to {percent(float(ends.high[i]), 1)}",
            percent(float(wanted[i]), 1),
            on_range(
                float(observed[i]),
                (float(ends.low[i]), float(ends.high[i])),
                span=(0, 1),
                best=float(wanted[i]),
                target=True,
            ),
        ]
        for i in range(len(found.groups))
    ]
    columns = [
        Column(label="Group"),
        Column(label="of labelled attention", align="right"),
        Column(label="of all attention, least to most", align="right"),
        Column(label="target", align="right"),
        Column(label=""),
    ]
    html_table(columns, rows, caption="Shares that the missing labels leave open", narrow="scroll")
    if float(wanted.sum()) > 0:
        now = float(l1(observed, wanted))
        said = bounds_sentence(distance_range(labelled, rest, wanted, l1), now)
        if said:
            counts_line(said)
