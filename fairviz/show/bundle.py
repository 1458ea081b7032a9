"""Everything in one zip: tables, report, methods, citations, and how to get the numbers again.

Equal content by equal versions gives equal bytes, whenever and wherever it is made.
"""

from collections.abc import Mapping, Sequence
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from fairviz import __version__
from fairviz.errors import printable
from fairviz.io.manifest import MANIFEST, facts_of, manifest_text
from fairviz.model import Dataset
from fairviz.show.html import Section, html_text
from fairviz.show.latex import escaped, latex_text
from fairviz.show.methods import bibliography
from fairviz.show.paper import PrintedFigure
from fairviz.show.table import Table, csv_text

FIGURES = "figures/figures.tex"
MOMENT = (2020, 1, 1, 0, 0, 0)
"""Time of every file in the archive: equal content gives equal bytes, whenever it is made."""


def bundle(
    loaded: Dataset,
    *,
    title: str,
    sections: Sequence[Section],
    tables: Mapping[str, Table],
    methods: str,
    commands: Sequence[str],
    lead: str = "",
    folder: str = "",
    plotly_js: str = "",
    figures: Sequence[PrintedFigure] = (),
) -> bytes:
    """A zip archive; its bytes depend on the arguments and the versions in its manifest alone.

    Args:
        loaded: The data, of which only names and digests go in.
        title: Heading of the HTML report.
        sections: What the report shows.
        tables: Stem of the file -> table, as CSV for programs and as LaTeX for papers.
        methods: A paragraph for a paper.
        commands: Command lines that give the numbers again.
        lead: Sentence below the title.
        folder: Where the commands look for the files.
        plotly_js: For figures in the sections.
        figures: Pinned charts, at the size of a paper.
    """
    files: dict[str, str | bytes] = {
        "report.html": html_text(title, sections, lead=lead, plotly_js=plotly_js),
        "methods.txt": methods + "\n",
        "references.bib": bibliography(),
        "reproduce.sh": _script(commands),
        "data.sha256": "".join(f"{file.digest}  {folder}{printable(file.name)}\n" for file in loaded.files),
    }
    data = {stem: table for stem, table in tables.items() if table.audience != "papers"}
    printed = {stem: table for stem, table in tables.items() if table.audience != "programs"}
    files |= {f"tables/{stem}.csv": csv_text(table) for stem, table in data.items()}
    files |= {f"tables/{stem}.tex": latex_text(table, label=f"tab:{stem}") for stem, table in printed.items()}
    captions = {f"tables/{stem}.csv": table.caption for stem, table in data.items()}
    captions |= {f"tables/{stem}.tex": table.caption for stem, table in printed.items()}
    for figure in figures:
        named = f"figures/{figure.stem}"
        files |= {f"{named}.svg": figure.svg, f"{named}.pdf": figure.pdf}
        files |= {f"{named}.json": figure.drawing} if figure.drawing else {}
        captions |= {f"{named}.svg": figure.caption, f"{named}.pdf": figure.caption}
        captions |= {f"{named}.json": "the drawing that its command reads"} if figure.drawing else {}
    if figures:
        files[FIGURES] = "\n".join(_figure_text(figure) for figure in figures)
        captions[FIGURES] = "the figures with captions for LaTeX, and the commands that draw them"
    files = {"README.txt": _bundle_contents(loaded, title, captions), **files}
    manifest = manifest_text(
        {name: facts_of(_bytes(content)) for name, content in files.items()},
        inputs=[(file.name, file.digest) for file in loaded.files],
        configuration={"title": title, "fingerprint": loaded.fingerprint, "commands": list(commands)},
    )
    return archive({**files, MANIFEST: manifest})


def archive(files: Mapping[str, str | bytes]) -> bytes:
    """Files as a zip archive, in the order given, without the time of day."""
    written = BytesIO()
    with ZipFile(written, "w", ZIP_DEFLATED, compresslevel=6) as packed:
        for name, content in files.items():
            info = ZipInfo(name, MOMENT)
            info.compress_type = ZIP_DEFLATED
            info.create_system = 3  # Unix, on every system
            info.external_attr = (0o755 if name.endswith(".sh") else 0o644) << 16
            packed.writestr(info, _bytes(content))
    return written.getvalue()


def _bytes(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content


def _figure_text(figure: PrintedFigure) -> str:
    """A figure as LaTeX includes it, in its own size."""
    command = "\n".join(f"% {printable(line)}" for line in figure.command.splitlines())
    return (
        f"{command}\n\\begin{{figure}}\n  \\centering\n  \\includegraphics{{figures/{figure.stem}.pdf}}\n"
        f"  \\caption{{{escaped(figure.caption)}}}\n  \\label{{fig:{figure.stem}}}\n\\end{{figure}}\n"
    )


def _script(commands: Sequence[str]) -> str:
    head = (
        f"#!/bin/sh\n# Reproduces the numbers, with fairviz {__version__}, where the files of "
        "data.sha256 are.\nset -e\n"
    )
    return head + "".join(f"\n{command}\n" for command in commands)


def _bundle_contents(loaded: Dataset, title: str, tables: Mapping[str, str]) -> str:
    contents = {
        "report.html": "all of it to read, in one file that needs no network",
        "methods.txt": "a paragraph for the methods section",
        "references.bib": "what to cite",
        "reproduce.sh": "the commands to reproduce the numbers",
        "data.sha256": "the files that were loaded; check them with: sha256sum -c data.sha256",
        MANIFEST: "size and sha256 of each file here, and the versions that made them",
        **tables,
    }
    width = max(map(len, contents))
    head = f"{title}\nData: {loaded.name}, fingerprint {loaded.fingerprint}\n\n"
    lines = (f"{name:<{width}}  {words}".rstrip() for name, words in contents.items())
    return (
        head
        + "\n".join(lines)
        + "\n\nTables in LaTeX need \\usepackage{booktabs}, figures \\usepackage{graphicx}; a table* spans both "
        "columns of a page.\n"
    )
