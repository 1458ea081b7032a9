"""What attention by group can be set to."""

from dataclasses import dataclass

from fairviz.display.methods import AgainstTarget
from fairviz.kernels.attention import Browsing, is_attention
from fairviz.kernels.grouping import Missing
from fairviz.studies.shared import OWN_TOO, Naming
from fairviz.studies.study import of_files, option


@dataclass(frozen=True, kw_only=True)
class GroupsSettings(Naming):
    """Attention of one system by group, beside a target.

    Attributes:
        judgements: Place of those that quality is measured by.
        against: Groups and target.
    """

    k: int = option(10, "ranks that count", low=1)
    system: str = option("", "run or sample that is looked at (default: the first)")
    group: str = option("", "group of interest (default: the one that titles speak of)")
    browsing: Browsing | str = option("dcg", f"how attention falls with rank{OWN_TOO}", own=is_attention)
    unlabelled: Missing = option("drop", "documents without a label: drop, or a group of their own")
    judgements: int = of_files(0)
    against: AgainstTarget | None = of_files()


SETTINGS = GroupsSettings
