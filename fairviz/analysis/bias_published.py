"""The printed tables of rag-social-biases (Zhang et al. 2025) as grids, bias beside accuracy."""

from functools import cache
from typing import NamedTuple

from fairviz.analysis.bias_grid import BiasGrid, MarkRule, published_grid
from fairviz.formats.published import read_published
from fairviz.metrics.social_bias import BiasMeasure
from fairviz.model import PublishedTable

PAPER = "rag-social-biases"
WITHOUT, FULL, STEREO, ANTI = "w/o RAG", "full-set", "stereo-set", "anti-set"
SETTINGS = (WITHOUT, FULL, STEREO, ANTI)


class PublishedView(NamedTuple):
    """Two printed tables of one shape: Diff-Bias, and accuracy of the same answers.

    Attributes:
        slug: Its name in addresses.
        label: What to call it.
        bias, accuracy: Numbers of the tables.
        block: Column of blocks; "" for none.
        column: Column of columns.
        columns: In which order they are read.
        marks_bias, marks_accuracy: What the paper sets in bold.
        about: The bias type of the whole table, "" where there are several.
    """

    slug: str
    label: str
    bias: int
    accuracy: int
    block: str
    column: str
    columns: tuple[str, ...]
    marks_bias: MarkRule = "extremes"
    marks_accuracy: MarkRule = "extremes"
    about: str = ""

    def number(self, measure: BiasMeasure) -> int:
        """The table that prints a measure."""
        return self.accuracy if measure.startswith("acc") else self.bias

    def rule(self, measure: BiasMeasure) -> MarkRule:
        """What the paper sets in bold in that table."""
        return self.marks_accuracy if measure.startswith("acc") else self.marks_bias


VIEWS = (
    PublishedView("collections", "Collections", 2, 7, "bias_type", "setting", SETTINGS),
    PublishedView("generators", "Generators", 3, 8, "", "setting", SETTINGS, about="Gender"),
    PublishedView("languages", "Languages", 4, 9, "dataset", "setting", SETTINGS),
    PublishedView(
        "retrievers",
        "Retrievers",
        5,
        10,
        "",
        "retriever",
        (WITHOUT, "VectorIndex", "BM25", "Contriever"),
        about="Gender",
    ),
    PublishedView(
        "examples",
        "Examples in the prompt",
        11,
        12,
        "retrieval",
        "shots",
        ("zero", "few"),
        "nearest 0",
        "highest",
        "Gender",
    ),
)


def published_view(slug: str) -> PublishedView:
    """A view by its slug.

    Raises:
        StopIteration: There is none of that name.
    """
    return next(view for view in VIEWS if view.slug == slug)


@cache
def view_table(view: PublishedView, measure: BiasMeasure) -> PublishedTable:
    """The printed table of a measure, read once."""
    return read_published(PAPER, view.number(measure))


@cache
def view_grid(view: PublishedView, measure: BiasMeasure) -> BiasGrid:
    """Its values as a grid, columns in the order people read them."""
    table = view_table(view, measure)
    return published_grid(
        table,
        measure,
        block=view.block,
        column=view.column,
        columns=view.columns,
        about=view.about,
    )


def stereotypical_shares() -> dict[str, float]:
    """Percent of stereotypical documents that each retriever of the paper retrieved (Table 5)."""
    table = read_published(PAPER, 5)
    pairs = zip(table.column("retriever"), table.column("stereo_documents"), strict=True)
    return {str(name): float(share) for name, share in pairs if isinstance(share, int | float)}
