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
COMMANDS = f"{PINNED}/commands.txt"
"""List of the commands that print them, for ``fairviz tables``."""


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
    title: str,
    sections: Sequence[Section | Play],
    tables: Mapping[str, Table],
    methods: str,
    command: str,
    inputs: Sequence[SourceFile],
    lead: str = "",
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
        inputs: Files of the data, of which the bundle lists those that its commands name.
        lead: Sentence below the title.
        plotly_js: For figures in the sections.
        figures: Pinned charts, at the size of a paper.
        pinned: Pinned tables.
    """
    names = _numbered([figure.stem for figure in figures])
    figures = [_renamed(figure, name) for figure, name in zip(figures, names, strict=True)]
    names = _numbered([each.stem for each in pinned])
    pinned = [_listed(each, name) for each, name in zip(pinned, names, strict=True)]
    commands = [command, *(figure.command for figure in figures), *(own for each in pinned for _, own in each.commands)]
    read = _named(inputs, commands)
    files: dict[str, str | bytes] = {
        "report.html": html_text(title, sections, lead=lead, plotly_js=plotly_js),
        "methods.txt": methods + "\n",
        "references.bib": bibliography(),
        "reproduce.sh": _script(read, command, figures, pinned),
        "data.sha256": "".join(f"{file.digest}  {printable(file.place)}\n" for file in read),
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
        captions |= {name: f"pinned on {each.page}{_source_words(each)}" for name, text in written.items() if text}
    for figure in figures:
        named = f"figures/{figure.stem}"
        files |= {f"{named}.svg": figure.svg, f"{named}.pdf": figure.pdf}
        files |= {f"{named}.json": figure.drawing} if figure.drawing else {}
        captions |= {f"{named}.svg": figure.caption, f"{named}.pdf": figure.caption}
        captions |= {f"{named}.json": "the drawing that its command reads"} if figure.drawing else {}
    if any(each.commands for each in pinned):
        files[COMMANDS] = "".join(_printing(each) for each in pinned)
        captions[COMMANDS] = "the commands that print pinned tables, which reproduce.sh runs"
    if figures:
        files[FIGURES] = "\n".join(_figure_text(figure) for figure in figures)
        captions[FIGURES] = "the figures with captions for LaTeX, and the commands that draw them"
    files = {"README.txt": _bundle_contents(loaded, title, captions, read), **files}
    manifest = manifest_text(
        {name: facts_of(_bytes(content)) for name, content in files.items()},
        inputs=[(file.name, file.digest) for file in read],
        configuration={"title": title, "fingerprint": loaded.fingerprint, "command": command},
    )
    return archive({**files, MANIFEST: manifest})


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


def _renamed(figure: PrintedFigure, stem: str) -> PrintedFigure:
    """The figure under another name, which its command reads and writes, too."""
    command = figure.command
    for ending in ("json", "pdf"):
        command = command.replace(f"{figure.stem}.{ending}", f"{stem}.{ending}")
    return replace(figure, stem=stem, command=command)


def _named(inputs: Sequence[SourceFile], commands: Sequence[str]) -> list[SourceFile]:
    """The files that commands read, each once."""
    words = [word for text in commands for word in shlex.split(text)]
    named = {part for word in words for part in (word, word.partition("=")[2])}
    return list({file.place: file for file in inputs if {file.place, f"./{file.place}"} & named}.values())


def _bytes(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content


def _figure_text(figure: PrintedFigure) -> str:
    """A figure as LaTeX includes it, in its own size where that fits; across both columns where it is that wide."""
    found = _SVG_WIDTH.search(figure.svg)
    width = float(found[1]) if found is not None else 0.0
    star = "*" if width > WIDEST_COLUMN else ""
    command = "\n".join(f"% {printable(line)}" for line in figure.command.splitlines())
    fitted = rf"[width=\ifdim\linewidth<{width:g}bp\linewidth\else{width:g}bp\fi]" if width else ""
    return (
        f"{command}\n\\begin{{figure{star}}}\n  \\centering\n"
        f"  \\includegraphics{fitted}{{figures/{figure.stem}.pdf}}\n"
        f"  \\caption{{{escaped(figure.caption)}}}\n  \\label{{fig:{figure.stem}}}\n\\end{{figure{star}}}\n"
    )


_SVG_WIDTH = re.compile(rb'<svg[^>]* width="([0-9.]+)pt"')
WIDEST_COLUMN = 285.0
"""Points of a figure, about 100 mm, from which on it is one of a whole page."""
HERE = "$PWD"
SHIPPED = "$(python3 -c 'from fairviz.resources import example_folder; print(example_folder().parents[1])')"
"""Where the files of a bundle are, unless its script is told: for a shell."""


def _script(
    read: Sequence[SourceFile], command: str, figures: Sequence[PrintedFigure], pinned: Sequence[PinnedTable]
) -> str:
    """The commands, run beside links to the files, so that they write nothing where these are; then what differs."""
    shipped = _are_shipped(read)
    files = "".join(f"link {shlex.quote(file.place)}\n" for file in read)
    head = f"""\
#!/bin/sh
# Makes report, tables and figures again with fairviz {__version__}: sh reproduce.sh [FOLDER]
# FOLDER is where the files of data.sha256 are (default: {"the example of fairviz" if shipped else "where you are"}).
# Results go to the folder "reproduced" beside this script, under the names that they have here.
set -e
CDPATH=
here=$(cd -- "$(dirname -- "$0")" && pwd)
in_a_folder_above() {{ # the commands of a virtual environment, as `make app` leaves them in the folder of fairviz
    folder=$1
    until [ -x "$folder/.venv/bin/fairviz" ]; do
        if [ "$folder" = / ]; then return 1; fi
        folder=$(dirname -- "$folder")
    done
    echo "$folder/.venv/bin"
}}
if ! command -v fairviz > /dev/null; then
    if ! bin=$(in_a_folder_above "$PWD" || in_a_folder_above "$here"); then
        echo "there is no fairviz on PATH: try PATH=/the/folder/of/fairviz/.venv/bin:\\$PATH sh $0" >&2
        exit 1
    fi
    PATH=$bin:$PATH
    export PATH
fi
data=$(cd -- "${{1:-{SHIPPED if shipped else HERE}}}" && pwd)
out=$here/reproduced
mkdir -p -- "$out"
cd -- "$out"
link() {{ # a file of the data, under the name that the commands have for it
    mkdir -p -- "$(dirname -- "$1")"
    if [ -e "$data/$1" ]; then ln -sf -- "$data/$1" "$1"; fi
}}
{files}
if command -v sha256sum > /dev/null && ! sha256sum -c --quiet -- "$here/data.sha256"; then
    echo "some files are not those of the bundle: what is made of them differs"
fi

# report.html and every file of tables/
{command} \\
    --format bundle --output bundle.zip
python3 -m zipfile -e bundle.zip .
"""
    printed = PRINTED_AGAIN if any(each.commands for each in pinned) else ""
    return head + _drawn_again(figures) + printed + _pages(pinned) + _compared(pinned)


PRINTED_AGAIN = f"""
# pinned tables
mkdir -p -- {PINNED}
fairviz tables "$here"/{COMMANDS}
"""


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


def _listed(table: PinnedTable, stem: str) -> PinnedTable:
    """The table under its name in the bundle, with the commands that a list can hold: version 0.9 kept others, too."""
    return table._replace(stem=stem, commands=tuple(one for one in table.commands if "fairviz table " in one[1]))


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
    """Where the pages are that show the pinned tables."""
    if not pinned:
        return ""
    lines = [f"#   {PINNED}/{each.stem}: {printable(each.page)}{_source_words(each)}" for each in pinned]
    return "\n".join(
        ["", "# Pinned tables are what a page of the dashboard shows with these settings in its address:", *lines, ""]
    )


def _source_words(table: PinnedTable) -> str:
    """Where the numbers are from, if a paper printed them."""
    return f"; as printed in {printable(table.source)}, not computed" if table.source else ""


def _are_shipped(read: Sequence[SourceFile]) -> bool:
    """Whether the files come with fairviz, so that a script finds them by itself."""
    return any(file.folder for file in read)


def _bundle_contents(loaded: Dataset, title: str, tables: Mapping[str, str], read: Sequence[SourceFile]) -> str:
    where = SHIPPED if _are_shipped(read) else "FOLDER OF THE FILES"
    contents = {
        "report.html": "all of it to read, in one file that needs no network; α and a target move in it",
        "methods.txt": "a paragraph for the methods section",
        "references.bib": "what to cite",
        "reproduce.sh": "makes report, tables and figures again, and says which file differs",
        "data.sha256": "the files that the commands read, which reproduce.sh checks first",
        MANIFEST: "size and sha256 of each file here, and the versions that made them",
        **tables,
    }
    width = max(map(len, contents))
    head = f"{title}\nData: {loaded.name}, fingerprint {loaded.fingerprint}\n\n"
    lines = (f"{name:<{width}}  {words}".rstrip() for name, words in contents.items())
    return (
        head
        + "\n".join(lines)
        + "\n\nThe first command of reproduce.sh makes report.html and all of tables/, one more each figure, and those "
        f"of {COMMANDS} the pinned tables; reproduce.sh names the pages and the settings that show these.\n"
        f'To check the data alone, from here: cd "{where}" && sha256sum -c "$OLDPWD/data.sha256"\n'
        "Tables in LaTeX need \\usepackage{booktabs,graphicx}, figures \\usepackage{graphicx}; a table* spans both "
        "columns of a page. Names in scripts other than Latin need XeLaTeX or LuaLaTeX, and a font that has them.\n"
    )
