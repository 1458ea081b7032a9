"""The command that prints the tables of a page again from the loaded files."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fairviz.display.methods import AgainstTarget
from fairviz.model import Dataset, Target
from pages._kit import uploads
from pages._kit.recorded_outputs import pairs_of
from pages._kit.session import dataset

if TYPE_CHECKING:
    from fairviz.report.page_tables import PageSettings


def page_commands(page: str, settings: "PageSettings", *, csv: str = "", latex: Sequence[str] = ()) -> dict[str, str]:
    """``fairviz table`` for each file of a download.

    Args:
        page: Name of the page's script.
        settings: What it is set to.
        csv: The table of the CSV, empty without one.
        latex: Tables of the LaTeX.
    """
    from fairviz.report.page_command import table_command  # all studies: when somebody takes a table away
    from fairviz.report.systems import said_pairs

    loaded = dataset()
    pairs = said_pairs(loaded, pairs_of(loaded))
    made: dict[str, str] = {}
    if csv:
        made["csv"] = table_command(loaded, page, settings, [csv], how="csv", pairs=pairs)
    if latex:
        made["tex"] = table_command(loaded, page, settings, latex, how="latex", pairs=pairs)
    return made


def held_against(loaded: Dataset, attribute: int, target: Target | None) -> AgainstTarget:
    """Groups and a target under the hand, as a command is told them: by their shares, unrounded; None: equal shares."""
    if target is None:
        return AgainstTarget(attribute, "uniform", read_split(loaded, attribute))
    shares = tuple(zip(target.groups, target.shares.tolist(), strict=True))
    return AgainstTarget(attribute, shares, read_split(loaded, attribute))


def read_split(loaded: Dataset, attribute: int) -> bool:
    """Whether the file of these labels was read with labels shared in halves."""
    file = [file.name for file in loaded.files if file.role == "groups"][attribute]
    known = uploads.accepted().get(file)
    return known is not None and known.options.labels == "split"
