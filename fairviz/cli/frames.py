"""Tidy frames to standard output, in the format asked for."""

from collections.abc import Sequence
from typing import cast

import pandas as pd

from fairviz.cli.printing import Json, print_text


def records(frame: pd.DataFrame) -> list[dict[str, Json]]:
    """The rows of a frame as JSON objects, in column order."""
    columns = [str(name) for name in frame.columns]
    rows = zip(*(cast("list[Json]", frame[name].tolist()) for name in columns), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def print_frames(frames: Sequence[pd.DataFrame], how: str) -> None:
    """Print frames one below the other."""
    texts = [_text(frame, how) for frame in frames]
    print_text("\n\n".join(text.rstrip("\n") for text in texts))


def _text(frame: pd.DataFrame, how: str) -> str:
    if how == "csv":
        return frame.to_csv(index=False)
    return frame.to_string(index=False)
