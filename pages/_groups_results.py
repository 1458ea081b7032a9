"""What the Groups & targets page shows, computed once: nothing here depends on the target."""

from typing import NamedTuple

import numpy as np

from fairviz.analysis.attainable_shares import Attainable, attainable_shares
from fairviz.analysis.group_by_rank import RankBins, share_by_rank
from fairviz.analysis.group_exposure import (
    GroupExposure,
    ShareIntervals,
    group_exposure,
    share_intervals,
)
from fairviz.attention import Browsing, attention
from fairviz.figures.group_shares import SharesView
from fairviz.groups import Missing
from fairviz.model import Dataset, FloatArray
from fairviz.report.group_findings import gap_words, unit
from pages._groups_settings import Settings, systems
from pages._kept import kept
from pages._target_presets import align, labelled_pools


class Seen(NamedTuple):
    """One system: attention by group, what re-ranking could make of it, groups by rank."""

    exposure: GroupExposure
    ends: ShareIntervals
    reach: Attainable
    bins: RankBins


@kept
def exposure_of(
    loaded: Dataset,
    attribute: int,
    system: int,
    judgements: int | None,
    unlabelled: Missing,
    browsing: Browsing,
    k: int,
) -> GroupExposure:
    """Attention by group of the chosen system."""
    pools, members = labelled_pools(loaded, attribute, system, judgements, unlabelled)
    return group_exposure(systems(loaded)[system], pools, members, attention(browsing, cutoff=k))


@kept
def every_share(
    loaded: Dataset,
    attribute: int,
    judgements: int | None,
    unlabelled: Missing,
    browsing: Browsing,
    k: int,
) -> FloatArray:
    """(S, G) shares of attention of all systems; their pools are not kept."""
    rows: list[FloatArray] = []
    for i, ranked in enumerate(systems(loaded)):
        pools, members = align(loaded, attribute, i, judgements, unlabelled)
        found = group_exposure(ranked, pools, members, attention(browsing, cutoff=k))
        rows.append(found.shares)
    return np.array(rows)


@kept
def seen(loaded: Dataset, chosen: Settings) -> Seen:
    """All of the chosen system that no target moves."""
    system, attribute, judgements, unlabelled, browsing, k = chosen
    pools, members = labelled_pools(loaded, attribute, system, judgements, unlabelled)
    exposure = exposure_of(loaded, attribute, system, judgements, unlabelled, browsing, k)
    ranked = systems(loaded)[system]
    return Seen(
        exposure,
        share_intervals(exposure),
        attainable_shares(pools, members, chosen.attention),
        share_by_rank(ranked, pools, members, depth=k),
    )


def unknown_of(loaded: Dataset, chosen: Settings) -> GroupExposure:
    """Attention with what has no label kept apart, whatever the control says."""
    system, attribute, judgements, _, browsing, k = chosen
    return exposure_of(loaded, attribute, system, judgements, "drop", browsing, k)


def shares_view(loaded: Dataset, chosen: Settings, target: FloatArray) -> SharesView:
    """Shares of the chosen system, of the others, and the target."""
    found = seen(loaded, chosen)
    every = every_share(loaded, chosen.attribute, chosen.judgements, chosen.unlabelled, chosen.browsing, chosen.k)
    names = [ranked.system for ranked in systems(loaded)]
    shares, ends = found.exposure.shares, found.ends.shares
    rows = zip(shares.tolist(), ends.low.tolist(), ends.high.tolist(), target.tolist(), strict=True)
    return SharesView(
        groups=found.exposure.groups,
        shares=shares,
        low=ends.low,
        high=ends.high,
        target=target,
        reach_low=found.reach.low,
        reach_high=found.reach.high,
        others=np.delete(every, chosen.system, axis=0),
        other_names=(*names[: chosen.system], *names[chosen.system + 1 :]),
        words=tuple(gap_words(*row) for row in rows),
        unit=unit(found.exposure.groups),
    )
