"""The measures that are compared where nobody names any: every one of groups, and nDCG."""

from fairviz.metrics.catalogue import GROUP_MEASURES, PREFIX_MEASURES

OF_THE_TOP = frozenset({measure.name for measure in PREFIX_MEASURES} | {"FAIR"})
"""Measures whose papers take them at a rank k."""

EXPOSURE_OF_GROUPS = "(by='group', norm='none', browsing='rbp')"
"""How expected exposure of groups is asked for, with an attention of Raj et al.'s Table 3."""


ONE_GROUP = frozenset({"PreF", "FAIRBinomial"} | {m.name for m in GROUP_MEASURES if m.binomial})
"""Measures that compare one group with the others."""


def agreement_measures(cutoff: int, *, judged: bool = True, group: str | None = None) -> tuple[str, ...]:
    """Measure strings of all group measures, those of the top at ``cutoff``.

    ``Skew`` is of one group and left to MinSkew and MaxSkew. What the data do not allow, evaluate
    refuses with a reason.

    Args:
        cutoff: k of the measures of the top, and of nDCG.
        judged: Whether there are judgements: without them nDCG is left out.
        group: The group that measures of one group look at; None: the smaller of two, and with
            more than two groups these measures are refused.

    Examples:
        >>> agreement_measures(10)[0], agreement_measures(10)[-1]
        ('AWRF', 'nDCG@10')
        >>> agreement_measures(5, group="Asia")[1]
        "PreF(group='Asia')"
    """
    names = [measure.name for measure in GROUP_MEASURES if measure.name != "Skew"]
    chosen = "" if group is None else f"(group={group!r})"
    of_groups = [f"{name}@{cutoff}" if name in OF_THE_TOP else name + chosen * (name in ONE_GROUP) for name in names]
    exposure = [f"{name}{EXPOSURE_OF_GROUPS}" for name in ("EED", "EER", "EEL")]
    return (*of_groups, *exposure, *([f"nDCG@{cutoff}"] if judged else []))
