"""Everything in one zip: tables, report, methods, citations, and how to get the numbers again.

Equal content by equal versions gives equal bytes, whenever and wherever it is made.
"""

import shlex
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fairviz import __version__
from fairviz.display.html import Play, Section, html_text
from fairviz.display.latex import escaped, latex_text
from fairviz.display.methods import bibliography, folder_of
from fairviz.display.paper import PrintedFigure
from fairviz.display.table import Table, csv_text
from fairviz.errors import printable
from fairviz.io.archive import archive
from fairviz.io.manifest import MANIFEST, facts_of, manifest_text
from fairviz.model import Dataset

FIGURES = "figures/figures.tex"
PINNED = "pinned"
"""Folder of pinned tables: what stands there can have the name of one that every bundle holds."""


class PinnedTable(NamedTuple):
    """A table that a person pinned, as a page hands it out.

    Attributes:
        stem: Name of its files.
        csv, latex: Their contents, empty for a file that there is not.
        page: The page and its settings, which show it again.
        fingerprint: Of the data.
        commands: (ending, command that prints the file) of those that a command makes again from the data.
    """

    stem: str
    csv: str
    latex: str
    page: str
    fingerprint: str = ""
    commands: tuple[tuple[str, str], ...] = ()


def bundle(
    loaded: Dataset,
    *,
    title: str,
    sections: Sequence[Section | Play],
    tables: Mapping[str, Table],
    methods: str,
    command: str,
    lead: str = "",
    folder: str = "",
    example: bool = False,
    plotly_js: str = "",
    figures: Sequence[PrintedFigure] = (),
    pinned: Sequence[PinnedTable] = (),
) -> bytes:
    """A zip archive; its bytes depend on the arguments and the versions in its manifest alone.

    Args:
        loaded: The data, of which only names and digests go in.
        title: Heading of the HTML report.
        sections: What the report shows.
        tables: Stem of the file -> table, as CSV for programs and as LaTeX for papers.
        methods: A paragraph for a paper.
        command: Makes report and tables again.
        lead: Sentence below the title.
        folder: Where the command looks for the files.
        example: Whether the data is the example that comes with fairviz, which its script finds by itself.
        plotly_js: For figures in the sections.
        figures: Pinned charts, at the size of a paper.
        pinned: Pinned tables.
    """
    files: dict[str, str | bytes] = {
        "report.html": html_text(title, sections, lead=lead, plotly_js=plotly_js),
        "methods.txt": methods + "\n",
        "references.bib": bibliography(),
        "reproduce.sh": _script(loaded, command, figures, pinned, folder, example),
        "data.sha256": "".join(
            f"{file.digest}  {folder_of(file.role, folder)}{printable(file.name)}\n" for file in loaded.files
        ),
    }
    data = {stem: table for stem, table in tables.items() if table.audience != "papers"}
    printed = {stem: table for stem, table in tables.items() if table.audience != "programs"}
    files |= {f"tables/{stem}.csv": csv_text(table) for stem, table in data.items()}
    files |= {f"tables/{stem}.tex": latex_text(table, label=f"tab:{stem}") for stem, table in printed.items()}
    captions = {f"tables/{stem}.csv": table.caption for stem, table in data.items()}
    captions |= {f"tables/{stem}.tex": table.caption for stem, table in printed.items()}
    for each in pinned:
        written = {f"{PINNED}/{each.stem}.csv": each.csv, f"{PINNED}/{each.stem}.tex": each.latex}
        files |= {name: text for name, text in written.items() if text}
        alone = {f"{PINNED}/{each.stem}.{ending}" for ending in _by_page_alone(each)}
        said = {name: "; no command prints it" if name in alone else "" for name in written}
        captions |= {name: f"pinned on {each.page}{said[name]}" for name, text in written.items() if text}
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
        configuration={"title": title, "fingerprint": loaded.fingerprint, "command": command},
    )
    return archive({**files, MANIFEST: manifest})


def _bytes(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content


def _figure_text(figure: PrintedFigure) -> str:
    """A figure as LaTeX includes it, in its own size."""
    command = "\n".join(f"% {printable(line)}" for line in figure.command.splitlines())
    return (
        f"{command}\n\\begin{{figure}}\n  \\centering\n  \\includegraphics{{figures/{figure.stem}.pdf}}\n"
        f"  \\caption{{{escaped(figure.caption)}}}\n  \\label{{fig:{figure.stem}}}\n\\end{{figure}}\n"
    )


HERE = "$PWD"
SHIPPED = "$(python3 -c 'from fairviz.resources import example_folder; print(example_folder().parents[1])')"
"""Where the files of a bundle are, unless its script is told: for a shell."""


def _script(
    loaded: Dataset,
    command: str,
    figures: Sequence[PrintedFigure],
    pinned: Sequence[PinnedTable],
    folder: str,
    example: bool,
) -> str:
    """The commands, run beside links to the files, so that they write nothing where these are; then what differs."""
    where = SHIPPED if example else HERE
    names = dict.fromkeys(f"{folder_of(file.role, folder)}{file.name}" for file in loaded.files)
    files = "".join(f"link {shlex.quote(name)}\n" for name in names)
    head = f"""\
#!/bin/sh
# Makes report, tables and figures again with fairviz {__version__}: sh reproduce.sh [FOLDER]
# FOLDER is where the files of data.sha256 are (default: {"the example of fairviz" if example else "where you are"}).
# Results go to the folder "reproduced" beside this script, under the names that they have here.
set -e
CDPATH=
data=$(cd -- "${{1:-{where}}}" && pwd)
here=$(cd -- "$(dirname -- "$0")" && pwd)
out=$here/reproduced
mkdir -p -- "$out"
cd -- "$out"
link() {{ # a file of the data, under the name that the commands have for it
    mkdir -p -- "$(dirname -- "$1")"
    if [ -e "$data/$1" ]; then ln -sf -- "$data/$1" "$1"; fi
}}
{files}
# report.html and every file of tables/
{command} \\
    --format bundle --output bundle.zip
python3 -m zipfile -e bundle.zip .
"""
    return head + _drawn_again(figures) + _printed_again(pinned) + _pages(pinned) + _compared(pinned)


def _compared(pinned: Sequence[PinnedTable]) -> str:
    """End of a script: what is not as it was."""
    again = [f"{PINNED}/{each.stem}.{ending}" for each in pinned for ending, _ in each.commands]
    files = " ".join(["report.html", "tables/*", *map(shlex.quote, again), "figures/*.svg", "figures/*.pdf"])
    return f"""
cd -- "$here"
same=0
differ=0
for file in {files}; do
    if [ ! -e "$file" ]; then
        continue
    elif cmp -s -- "$file" "reproduced/$file"; then
        same=$((same + 1))
    else
        differ=$((differ + 1))
        echo "differs: $file"
    fi
done
echo "$same files are the same, $differ differ"
"""


def _printed_again(pinned: Sequence[PinnedTable]) -> str:
    """The commands of pinned tables."""
    lines = [
        f"{command} > {shlex.quote(f'{PINNED}/{each.stem}.{ending}')}"
        for each in pinned
        for ending, command in each.commands
    ]
    return "\n".join(["", "# pinned tables", f"mkdir -p -- {PINNED}", *lines, ""]) if lines else ""


def _drawn_again(figures: Sequence[PrintedFigure]) -> str:
    """The commands of figures, which need Matplotlib."""
    if not figures:
        return ""
    lines = ["", "# figures", "if python3 -c 'import matplotlib' 2> /dev/null; then", "mkdir -p -- figures"]
    for figure in figures:
        pdf, svg = (f"{figure.stem}.{kind}" for kind in ("pdf", "svg"))
        if figure.drawing:
            lines.append(f'cp -- "$here"/figures/{shlex.quote(figure.stem)}.json .')
        lines += [f"{figure.command.replace(pdf, name)} > /dev/null" for name in (pdf, svg)]
        lines.append(f"mv -- {shlex.quote(pdf)} {shlex.quote(svg)} figures/")
    return "\n".join([*lines, "else", "echo 'figures are not drawn again: Matplotlib is not installed'", "fi", ""])


def _pages(pinned: Sequence[PinnedTable]) -> str:
    """Pinned tables are those of a page as it was set: it shows them again, also what no command prints."""
    if not pinned:
        return ""
    lines: list[str] = []
    for each in pinned:
        lines.append(f"#   {PINNED}/{each.stem}: {printable(each.page)}")
        if by_hand := ", ".join(f"{each.stem}.{ending}" for ending in _by_page_alone(each)):
            lines.append(f"#     no command prints {by_hand}")
    return "\n".join(
        ["", "# Pinned tables are what a page of the dashboard shows with these settings in its address:", *lines, ""]
    )


def _by_page_alone(table: PinnedTable) -> list[str]:
    """Endings of its files that no command prints."""
    written = {"csv": table.csv, "tex": table.latex}
    return [ending for ending, text in written.items() if text and ending not in dict(table.commands)]


def _bundle_contents(loaded: Dataset, title: str, tables: Mapping[str, str]) -> str:
    contents = {
        "report.html": "all of it to read, in one file that needs no network; α and a target move in it",
        "methods.txt": "a paragraph for the methods section",
        "references.bib": "what to cite",
        "reproduce.sh": "makes report, tables and figures again, and says which file differs",
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
        + "\n\nThe first command of reproduce.sh makes report.html and all of tables/, one more each figure and each "
        "pinned table that a command prints; all of these name the page and the settings that show them.\n"
        "Tables in LaTeX need \\usepackage{booktabs}, figures \\usepackage{graphicx}; a table* spans both "
        "columns of a page.\n"
    )
