"""What the index of a paper is made of: entries, decisions, and the pages that draw them."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

Place: TypeAlias = Literal[
    "tradeoff",
    "attribution",
    "groups",
    "policy_lab",
    "inspect",
    "social_bias",
    "demographic_qa",
    "learn",
    "data",
    "export",
    "",
]
NAMES = {
    "tradeoff": "Trade-off",
    "attribution": "Attribution",
    "groups": "Groups & targets",
    "policy_lab": "Policy lab",
    "inspect": "Inspect",
    "social_bias": "Social bias",
    "demographic_qa": "Demographic QA",
    "learn": "Learn",
    "data": "Data",
    "export": "Export",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One figure, table, equation or result of a paper.

    Attributes:
        where: Its number or section.
        what: What it shows.
        page: The page that draws it, "" for none.
        how: What to look at there, or why it cannot be reproduced from the text.
    """

    where: str
    what: str
    page: Place
    how: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """The index of one paper.

    Attributes:
        slug: Its name in the control and in the address.
        title: Heading of the index.
        cited: Authors, year, title.
        entries: In the order of the paper.
        settled: (where, what was decided) where the paper leaves two readings.
        missing: What the text at hand lacks, for the line below the table.
        published: Its slug among the published tables, "" for none.
    """

    slug: str
    title: str
    cited: str
    entries: tuple[Entry, ...]
    settled: tuple[tuple[str, str], ...]
    missing: str
    published: str = ""
