"""Strategies for what stands in files, and files in memory."""

import io
from collections.abc import Callable
from typing import cast

from hypothesis import strategies as st

from fairviz.io.names import is_blank
from fairviz.io.notes import Parsed
from fairviz.io.rankings import read_rankings
from fairviz.io.source import FileInput, Source
from fairviz.model import RankingSample, Run

ASCII_BLANKS = " \t\n\v\f\r"

ids = st.text(
    st.characters(codec="utf-8", exclude_characters=ASCII_BLANKS + "\0", exclude_categories=["Cs"]),
    min_size=1,
    max_size=6,
).filter(lambda text: not is_blank(text))
"""Identifiers that a table separated by ASCII blanks can hold."""

query_ids = ids.filter(lambda text: text[0] not in "#{[\ufeff")
"""Those that can stand first on a line."""

scores = st.floats(allow_nan=False, allow_infinity=False)
names = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), min_size=1)


def written(write: Callable[..., None], noun: object) -> tuple[str, bytes]:
    """An upload of what a writer makes of a noun."""
    to = io.StringIO()
    write(noun, to)
    return ("made.txt", to.getvalue().encode())


def read_samples(file: FileInput | Source) -> Parsed[RankingSample]:
    """A file whose second column names samples."""
    parsed = read_rankings(file, multi_sample=True)
    assert isinstance(parsed.value, RankingSample)
    return cast("Parsed[RankingSample]", parsed)


def ranked(run: Run) -> dict[str, list[tuple[str, float]]]:
    """Documents and scores of each query, best first."""
    lists: dict[str, list[tuple[str, float]]] = {}
    for query, doc, score in run.to_polars().select("query_id", "doc_id", "score").iter_rows():
        lists.setdefault(query, []).append((doc, score))
    return lists


def drawn(sample: RankingSample) -> dict[str, list[list[str]]]:
    """The rankings of each query, in order."""
    return {
        query: [
            [sample.doc_ids[doc] for doc in sample.docs[sample.sample_offsets[s] : sample.sample_offsets[s + 1]]]
            for s in range(sample.query_offsets[q], sample.query_offsets[q + 1])
        ]
        for q, query in enumerate(sample.query_ids)
    }
