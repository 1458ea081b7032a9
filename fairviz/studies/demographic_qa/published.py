"""The tables of Ji et al. (2025) as shipped, in words.

Published tables are data (``data/published``): a cell that contradicts another keeps its printed value and a flag, so
that readers see what was printed. No table prints counts or intervals: titles count what is printed, no test is made;
they stand in ``content/answers/printed.yaml``, where a test counts again.
"""

from collections.abc import Sequence

from fairviz.model import PublishedTable
from fairviz.resources import content

PAPER = "rag-medical-bias"
CITED = "Ji, Zhang and Wang 2025"
TABLES = (2, 3, 4, 5, 6)
"""Those with numbers."""


def published_title(number: int) -> str:
    """What a table prints, counted."""
    return content("answers/printed")[PAPER][number]


def table_notes(tables: Sequence[PublishedTable]) -> list[str]:
    """What contradicts itself or is not said in the tables, each once, named by its table."""
    notes: list[str] = []
    for table in tables:
        remarks = [*dict.fromkeys(flag for flag in table.flags if flag), *table.remarks]
        notes += [f"Table {table.number}: {text.rstrip('.')}." for text in remarks]
    return list(dict.fromkeys(notes))
