"""Everything in one zip: tables, report, methods, citations, and how to get the numbers again.

Equal content by equal versions gives equal bytes, whenever and wherever it is made.
"""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import NamedTuple

from fairviz import __version__
from fairviz.display.html import Play, Section, html_text
from fairviz.display.latex import escaped, latex_text
from fairviz.display.markup import rendered
from fairviz.display.methods import bibliography
from fairviz.display.paper import PrintedFigure
from fairviz.display.table import Table, csv_text
from fairviz.errors import printable
from fairviz.io.archive import archive
from fairviz.io.manifest import MANIFEST, facts_of, manifest_text
from fairviz.model import Dataset, SourceFile

FIGURES = "figures/figures.tex"
PINNED = "pinned"
"""Folder of pinned tables: what stands there can have the name of one that every bundle holds."""
COMMANDS = f"{PINNED}/commands.sh"
"""The commands that print them."""


class PinnedTable(NamedTuple):
    """A table that a person pinned, as a page hands it out.

    Attributes:
        stem: Name of its files; in a bundle several of one stem get numbers.
        csv, latex: Their contents, empty for a file that there is not.
        page: The page and its settings, which show it again.
        fingerprint: Of the data.
        commands: (ending, command that prints the file from the data); none of what a paper printed.
        source: The paper, where the table is one of its own.
    """

    stem: str
    csv: str
    latex: str
    page: str
    fingerprint: str = ""
    commands: tuple[tuple[str, str], ...] = ()
    source: str = ""


def bundle(
    loaded: Dataset,
    *,
    sections: Sequence[Section | Play],
    tables: Mapping[str, Table],
    methods: str,
    command: str,
    inputs: Sequence[SourceFile],
    lead: str = "",
    figures: Sequence[PrintedFigure] = (),
    pinned: Sequence[PinnedTable] = (),
) -> bytes:
    """A zip archive; its bytes depend on the arguments and the versions in its manifest alone.

    Args:
        loaded: The data, of which only names and digests go in; the report is called after them.
        sections: What the report shows.
        tables: Stem of the file -> table, as CSV for programs and as LaTeX for papers.
        methods: A paragraph for a paper.
        command: Makes report and tables again.
        inputs: Files of the data, of which the bundle lists those that its commands name.
        lead: Sentence below the title.
        figures: Pinned charts, at the size of a paper.
        pinned: Pinned tables.
    """
    names = _numbered([figure.stem for figure in figures])
    figures = [
        replace(figure, stem=name, command=figure.command.replace(f"{figure.stem}.pdf", f"{name}.pdf"))
        for figure, name in zip(figures, names, strict=True)
    ]
    names = _numbered([each.stem for each in pinned])
    pinned = [each._replace(stem=name) for each, name in zip(pinned, names, strict=True)]
    commands = [command, *(figure.command for figure in figures), *(own for each in pinned for _, own in each.commands)]
    words = [word for text in commands for word in shlex.split(text)]
    named = {part for word in words for part in (word, word.partition("=")[2])}
    read = list({file.path: file for file in inputs if {file.path, f"./{file.path}"} & named}.values())
    whose = "recorded" if any(file.folder.startswith("data/recorded/") for file in read) else "example"
    where = {"shipped": any(file.folder for file in read), "shipped_folder": SHIPPED.format(whose)}
    files: dict[str, str | bytes] = {
        "report.html": html_text(loaded.name, sections, lead=lead),
        "methods.txt": methods + "\n",
        "references.bib": bibliography(),
        "reproduce.sh": rendered(
            "reproduce.sh",
            **where,
            version=__version__,
            read=read,
            command=command,
            pinned=[{"stem": each.stem, "shown": _shown_on(each)} for each in pinned],
            printed=[f"{PINNED}/{each.stem}.{ending}" for each in pinned for ending, _ in each.commands],
        ),
        "data.sha256": "".join(f"{file.digest}  {printable(file.path)}\n" for file in read),
    }
    data = {stem: table for stem, table in tables.items() if table.audience != "papers"}
    printed = {stem: table for stem, table in tables.items() if table.audience != "programs"}
    files |= {f"tables/{stem}.csv": csv_text(table) for stem, table in data.items()}
    files |= {f"tables/{stem}.tex": latex_text(table, label=f"tab:{stem}") for stem, table in printed.items()}
    captions = {f"tables/{stem}.csv": table.caption for stem, table in data.items()}
    captions |= {f"tables/{stem}.tex": table.caption for stem, table in printed.items()}
    for each in pinned:
        latex = each.latex.replace(_LABEL, f"{_LABEL}{_own_labels(each)}")
        written = {f"{PINNED}/{each.stem}.csv": each.csv, f"{PINNED}/{each.stem}.tex": latex}
        files |= {name: text for name, text in written.items() if text}
        captions |= {name: f"pinned on {_shown_on(each)}" for name, text in written.items() if text}
    for figure in figures:
        named = f"figures/{figure.stem}"
        files |= {f"{named}.svg": figure.svg, f"{named}.pdf": figure.pdf}
        captions |= {f"{named}.svg": figure.caption, f"{named}.pdf": figure.caption}
    if any(each.commands for each in pinned):
        files[COMMANDS] = "".join(_printing(each) for each in pinned)
        captions[COMMANDS] = "the commands that print pinned tables, which reproduce.sh runs"
    if figures:
        files[FIGURES] = "\n".join(_figure_text(figure) for figure in figures)
        captions[FIGURES] = "the figures with captions for LaTeX, and the commands that draw them where one does"
    files = {"README.txt": rendered("bundle.txt", **where, loaded=loaded, captions=captions), **files}
    manifest = manifest_text(
        {name: facts_of(text.encode() if isinstance(text, str) else text) for name, text in files.items()},
        inputs=[(file.name, file.digest) for file in read],
        configuration={"title": loaded.name, "fingerprint": loaded.fingerprint, "command": command},
    )
    return archive({**files, MANIFEST: manifest})


SHIPPED = "$(python3 -c 'from fairviz.resources import {0}_folder; print({0}_folder().parents[1])')"
"""Where the files of a bundle are if they come with fairviz, unless its script is told: for a shell."""
_LABEL = r"\label{tab:"


def _own_labels(table: PinnedTable) -> str:
    """What labels of a pinned table begin with: a paper can include it beside the same table of every bundle."""
    return f"{PINNED}-{re.sub('[^A-Za-z0-9_.-]', '-', table.stem)}-"


def _numbered(stems: Sequence[str]) -> list[str]:
    """A name of its own for each, as the stem is or with the first number that is free."""
    names: list[str] = []
    for stem in stems:
        tried = (f"{stem}-{i}" if i > 1 else stem for i in count(1))
        names.append(next(name for name in tried if name not in names))
    return names


def _figure_text(figure: PrintedFigure) -> str:
    """A figure as LaTeX includes it, in its own size where that fits; across both columns where it is that wide."""
    match = _SVG_WIDTH.search(figure.svg)
    width = 0.75 * float(match[1]) if match is not None else 0.0
    star = "*" if width > WIDEST_COLUMN else ""
    command = "\n".join(f"% {printable(line)}" for line in figure.command.splitlines())
    fitted = rf"[width=\ifdim\linewidth<{width:g}bp\linewidth\else{width:g}bp\fi]" if width else ""
    return (
        f"{command}\n\\begin{{figure{star}}}\n  \\centering\n"
        f"  \\includegraphics{fitted}{{figures/{figure.stem}.pdf}}\n"
        f"  \\caption{{{escaped(figure.caption)}}}\n  \\label{{fig:{figure.stem}}}\n\\end{{figure{star}}}\n"
    )


_SVG_WIDTH = re.compile(rb'<svg[^>]* width="([0-9.]+)"')  # px, three quarters of a point
WIDEST_COLUMN = 285.0
"""Points of a figure, about 100 mm, from which on it is one of a whole page."""


def _printing(table: PinnedTable) -> str:
    """The commands, a line each, with the file that each writes."""
    files = {ending: shlex.quote(f"{PINNED}/{table.stem}.{ending}") for ending, _ in table.commands}
    labels = {"tex": f" --label {shlex.quote(_own_labels(table))}"}
    return "".join(
        f"{command.replace(CONTINUED, ' ')}{labels.get(ending, '')} --output {files[ending]}\n"
        for ending, command in table.commands
    )


CONTINUED = " \\\n    "
"""Where a command goes on on the next line."""


def _shown_on(table: PinnedTable) -> str:
    """The page that shows it, and where the numbers are from, if a paper printed them."""
    source = f"; as printed in {printable(table.source)}, not computed" if table.source else ""
    return f"{printable(table.page)}{source}"
