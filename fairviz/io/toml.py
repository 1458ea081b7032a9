"""Tables of TOML."""

import re
import tomllib
from typing import Any

from fairviz.io.notes import NoteBook
from fairviz.io.source import Source, reader
from fairviz.io.text import whole_text


@reader
def read_toml(source: Source) -> dict[str, Any]:
    """Read the tables of a TOML file.

    Raises:
        InputError: The file cannot be read or is no TOML.
    """
    try:
        return tomllib.loads(whole_text(source, NoteBook(source.name)))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        line = re.search(r"line (\d+)", str(error))
        raise source.wrong(f"is no TOML: {error}", line=int(line.group(1)) if line else None) from error
