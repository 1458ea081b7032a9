"""Writes the files of an experiment so that equal results are equal bytes."""

import gzip
import json
from collections.abc import Callable
from io import BytesIO, StringIO
from pathlib import Path
from typing import TextIO

from fairviz.model import RagOutputs


def write_text(path: Path, write: Callable[[TextIO], None]) -> None:
    """Let ``write`` fill a file; a name in ``.gz`` is compressed.

    The gzip header carries no time and no name. Builds of zlib differ in the bytes they make of
    the same text, so a compressed file that already holds the text is left as it is.
    """
    text = StringIO(newline="\n")
    write(text)
    content = text.getvalue().encode()
    if path.suffix != ".gz":
        path.write_bytes(content)
    elif _held(path) != content:
        packed = BytesIO()
        with gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=0) as file:
            file.write(content)
        path.write_bytes(packed.getvalue())


def write_outputs(outputs: RagOutputs, to: TextIO) -> None:
    """Recorded outputs as fairviz JSONL, one object per output."""
    for row, query_id in enumerate(outputs.query_ids):
        for o in range(int(outputs.offsets[row]), int(outputs.offsets[row + 1])):
            given = outputs.given[outputs.given_offsets[o] : outputs.given_offsets[o + 1]]
            used = slice(*outputs.attributed_offsets[o : o + 2].tolist())
            record: dict[str, object] = {
                "system": outputs.system,
                "task": outputs.task,
                "retriever": outputs.retriever,
                "generator": outputs.generator,
                "policy": outputs.policy,
                "alpha": outputs.alpha,
                "k": outputs.k,
                "query_id": query_id,
                "sample": outputs.samples[o],
                "ranking": [outputs.doc_ids[doc] for doc in given.tolist()],
                "text": outputs.texts[o],
                "utility": float(outputs.utilities[o]),
                "attributed": [outputs.doc_ids[doc] for doc in outputs.attributed[used].tolist()],
            }
            to.write(json.dumps(record, ensure_ascii=False) + "\n")


def _held(path: Path) -> bytes | None:
    try:
        return gzip.decompress(path.read_bytes())
    except (OSError, EOFError):
        return None
