"""Converted files that come as bytes, or that nobody said the role of: uploads, and what a folder holds.

Readers of ranges need a path, from which every process reads. Bytes are therefore put in a folder of their own while
they are read. They are somebody else's, so that their size is looked at first, batch by batch, as that of any upload.
"""

import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
import pyarrow.parquet as pq

from fairviz.errors import InputError
from fairviz.io.answers_by_item import stored_answers
from fairviz.io.by_output import stored_outputs
from fairviz.io.by_query import stored_lists
from fairviz.io.limits import MAX_RATIO, MAX_TEXT, RATIO_FREE
from fairviz.io.options import Role
from fairviz.io.source import Source
from fairviz.io.variants_by_question import stored_variants

_BATCH = 1024


@contextmanager
def on_disk(source: Source) -> Generator[Source]:
    """The file where readers of ranges find it.

    Raises:
        InputError: It is larger than an upload may be; or what is wrong with it, by the name that a person knows.
    """
    if source.path is not None:
        yield source
        return
    _refuse_large(source)
    with tempfile.TemporaryDirectory(prefix="fairviz-") as folder:
        path = Path(folder) / "upload.parquet"
        path.write_bytes(source.content)
        try:
            yield Source(source.name, path)
        except InputError as error:
            if error.file != str(path):
                raise
            raise InputError(error.reason, file=source.name, line=error.line, fix=error.fix) from error


def converted_role(source: Source) -> tuple[Role, str] | None:
    """What a converted file holds, and its name for people; None where it is another Parquet file.

    Raises:
        InputError: It is damaged, or was written by another version.
    """
    with on_disk(source) as stored:
        path = cast("Path", stored.path)
        if lists := stored_lists(path):
            if lists.about.kind == "qrels":
                return "qrels", "converted judgements"
            return "run", "converted run" if lists.about.kind == "run" else "converted multi-sample run"
        if stored_outputs(path):
            return "rag", "converted RAG outputs"
        if stored_answers(path):
            return "bias-predictions", "converted answers to bias questions"
        if stored_variants(path):
            return "variants", "converted answers to demographic variants"
    return None


def _refuse_large(source: Source) -> None:
    most = min(MAX_TEXT, max(RATIO_FREE, MAX_RATIO * len(source.content)))
    try:
        table = cast(Any, pq.ParquetFile(BytesIO(source.content)))  # its methods are untyped
        n_bytes = 0
        for batch in table.iter_batches(batch_size=_BATCH):
            n_bytes += batch.nbytes
            if n_bytes > most:
                raise InputError(
                    f"decompressed size exceeds the limit of {most // 1024**2} MiB",
                    file=source.name,
                    fix="Give it in parts, or start with it: fairviz app FILE.",
                )
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        fix = "Copy or download it again, or convert the original again."
        raise InputError("this Parquet file cannot be read", file=source.name, fix=fix) from error
