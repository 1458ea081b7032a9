"""The loaded files: adding some, what was found in each, what was repaired, what needs a fix."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from fairviz.display.words import listing, percent, plural
from fairviz.io.source import Options
from fairviz.model import Dataset, GroupLabels, Qrels, RagOutputs, RankingSample, Run, SourceFile, Target
from fairviz.resources import content
from pages._kit import callout, counts_line, section, uploads
from pages._kit.analysis import show_notes
from pages._kit.downloads import error_box
from pages._kit.html import el, escaped
from pages._kit.opening import open_saved
from pages._kit.session import is_example, whole_dataset
from pages._kit.uploads import is_reading, megabytes


def contents(loaded: Dataset) -> dict[str, str]:
    """What is in each file, in a few words, where its format does not say it."""
    if accepted := uploads.accepted():
        return {name: _words(upload.nouns) for name, upload in accepted.items()}
    queues = {
        "run": list(loaded.runs),
        "samples": list(loaded.samples),
        "qrels": list(loaded.qrels),
        "groups": list(loaded.labels),
        "target": [loaded.target],
        "rag": list(loaded.outputs),
    }
    return {file.name: _words((queues[file.role].pop(0),)) for file in loaded.files if queues.get(file.role)}


def _words(nouns: Sequence[object]) -> str:
    """Every noun of a file; many answers of one file, and rankings of several systems, in one sum."""
    runs = [noun for noun in nouns if isinstance(noun, Run | RankingSample)]
    if len(runs) > 1:
        return f"{plural(len(runs), 'system')} · {plural(sum(run.docs.size for run in runs), 'row')}"
    answers = [noun for noun in nouns if isinstance(noun, RagOutputs)]
    several = [plural(len(answers), "system")] if len(answers) > 1 else []
    total = [plural(sum(len(noun.texts) for noun in answers), "answer")] if answers else []
    return " · ".join([*filter(None, map(_content, nouns)), *total, *several])


def _content(noun: object) -> str:
    match noun:
        case Run() | Qrels():
            n = len(noun.query_ids)
            return f"{plural(n, 'query', 'queries')} · {plural(noun.docs.size, 'row')}"
        case RankingSample():
            n, n_rankings = len(noun.query_ids), noun.sample_offsets.size - 1
            return f"{plural(n, 'query', 'queries')} · {plural(n_rankings, 'ranking')}"
        case GroupLabels():
            return f"{plural(len(set(noun.doc_ids)), 'document')} by {noun.attribute}"
        case Target(query_ids=tuple(queries)):
            return plural(len(queries), "query", "queries")
        case Target():
            pairs = zip(noun.groups, noun.shares.tolist(), strict=True)
            shares = [f"{group} {percent(share)}" for group, share in pairs]
            return ", ".join(shares[:4]) + (" …" if len(shares) > 4 else "")
        case _:
            return ""


READING = content("reading")
"""What a file can hold, and what each kind of file leaves open."""
PEOPLE = "people"


def add_files(*, then: str = "") -> None:
    """The drop zone; it empties itself once its files are read into the session.

    Args:
        then: The page to go to once they are; this one again unless given.
    """
    _ask_about_other_queries()
    turn = st.session_state.setdefault("upload_turn", 0)
    with st.container(key="drop"):
        files = st.file_uploader(
            "Add files",
            accept_multiple_files=True,
            key=f"upload-{turn}",
            help="Runs, judgements, group labels, targets, recorded answers, bias questions, demographic variants: "
            "recognised by what is in them; plain, .gz or Parquet. A saved study or a bundle opens in place of what "
            "is loaded. Data says where files are kept.",
        )
    counts_line(
        "Drop everything at once: search results, ratings, labels, answers. File names do not matter. "
        f"Up to {st.get_option('server.maxUploadSize')} MB each; "
        "fairviz app FILE opens larger ones."
    )
    if not files:
        return
    n = len(files)
    progress = st.progress(0.0, "Waiting for files that others have sent" if is_reading() else "Reading")

    def show(i: int, name: str, size: int) -> None:
        of = f"file {i} of {n}, " if n > 1 else ""
        progress.progress((i - 1) / n, f"Reading {escaped(name)}: {of}{megabytes(size)}")  # a name may hold Markdown

    before = dict(uploads.accepted())
    new = uploads.receive(files, show, open_saved)
    st.session_state[OTHERS] = uploads.other_queries(before)
    n_unchanged = new.count(False) - len({file.name for file in files} & {r.name for r in uploads.refused()})
    st.session_state["upload_said"] = (
        f"{plural(n_unchanged, 'file')} loaded before: nothing changed." if n_unchanged > 0 else ""
    )
    st.session_state["upload_turn"] = turn + 1
    if then:
        st.switch_page(then)
    st.rerun()


OTHERS = "other_queries"
"""Where a session remembers which files, just added, are of other queries than those before."""


def _ask_about_other_queries() -> None:
    names = [name for name in st.session_state.get(OTHERS, ()) if name in uploads.accepted()]
    if not names:
        return
    title = f"{listing(names)} {'has' if len(names) == 1 else 'have'} none of the queries of the files before"
    callout(title, "Keep all of them, as collections of their own, or start anew with what you added?", calm=True)
    with st.container(horizontal=True, key="other_queries_asked"):
        st.button("Add to what is loaded", type="tertiary", on_click=_answered)
        st.button("Start anew with them", type="tertiary", on_click=_answered, args=(names,))


def _answered(names: Sequence[str] = ()) -> None:
    st.session_state.pop(OTHERS, None)
    if names:
        uploads.start_anew_with(names)


def needs_fix() -> None:
    """Files that could not be read: place, neighbours of the line, remedy."""
    refused = uploads.refused()
    if message := st.session_state.pop("upload_said", ""):
        counts_line(message)
    if not refused:
        return
    section(
        "1 file needs a fix" if len(refused) == 1 else f"{len(refused)} files need a fix",
        f"Nothing of {'it' if len(refused) == 1 else 'them'} is loaded; the other files are unchanged.",
    )
    for file in refused:
        error_box(file.error, file.lines)
        if file.name in uploads.accepted():
            counts_line(f"{file.name} stays loaded as it was read before.")


def loaded_files(loaded: Dataset) -> None:
    """Every file: its name, what was found in it, and at its side what changes its type and what removes it."""
    refused = [file for file in uploads.refused() if file.name not in uploads.accepted()]
    by_name: dict[str, list[SourceFile]] = {}
    for file in loaded.files:  # a file may hold two things: questions with answers, judgements with subtopics
        by_name.setdefault(file.folder + file.name, []).append(file)
    n_files = plural(len(by_name), "file")
    title = f"{n_files} loaded"
    title += f", {len(refused)} not" if refused else ""
    section(title if not is_example() else f"The example: {n_files}")
    inside = contents(loaded)
    with st.container(key="files", gap=None):
        for i, roles in enumerate(by_name.values()):
            name = roles[0].name
            n_notes = sum(note.file == name for note in loaded.notes)
            first, *more = dict.fromkeys(file.format for file in roles)
            kind = f"{first.partition(': ')[0]}: "
            formats = listing([first, *(text.removeprefix(kind) for text in more)])
            details = [formats, inside.get(name, ""), plural(n_notes, "note") if n_notes else ""]
            _row(i, name, " · ".join(filter(None, details)), own=name in uploads.accepted())
        for i, unread in enumerate(refused, start=len(by_name)):
            line, row = unread.error.line, unread.error.row
            location = f"line {line}" if line else "whole file" if row is None else f"row {row}"
            _row(i, unread.name, f"not read: {location}", own=True, refused=True)
    show_notes(loaded.notes, "from reading")


def _row(i: int, name: str, details: str, *, own: bool, refused: bool = False) -> None:
    """One file; of the shipped example none can be changed."""
    mark = el("span", "!" if refused else "✓", cls=f"fv-tone-{'loss' if refused else 'gain'}", aria_hidden="true")
    line = el("p", mark, el("code", name), el("span", details, cls="fv-below"), cls="fv-file")
    if not own:
        st.html(line)
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", wrap=False, key=f"file-{i}"):
        st.html(line)
        shown = escaped(name)
        changing = st.session_state.get(CHANGING) == name
        label = f"Change type of {shown}" if not changing else f"Keep {shown} as it is"
        st.button(label, key=f"change-{name}", icon=":material/tune:", type="tertiary", on_click=_change, args=(name,))
        drop = uploads.remove_refused if refused else uploads.remove
        remove = f"Remove {shown}"
        st.button(remove, key=f"remove-{name}", icon=":material/close:", type="tertiary", on_click=drop, args=(name,))
    if changing:
        _change_type(name)


CHANGING = "changing_file"
"""Where a session remembers the file whose type is being changed."""


def _change(name: str) -> None:
    st.session_state[CHANGING] = None if st.session_state.get(CHANGING) == name else name


def _change_type(name: str) -> None:
    """Read one file as something else than what was found in it."""

    def read_again(options: Options) -> None:
        uploads.read_again(name, options)
        st.session_state[CHANGING] = None

    read = {file.name: file.role for file in whole_dataset().files}
    known_role = {"samples": "run"}.get(read.get(name, ""), read.get(name, ""))
    with st.container(border=True):
        kind = st.selectbox("It holds", list(READING["kinds"]), key=f"kind-{name}")
        role = READING["kinds"][kind]
        options = _details(role or known_role, name)._replace(role=role)
        st.button("Read again", on_click=read_again, args=(options,), icon=":material/refresh:")


def awaited() -> None:
    """Files that were not read, and are read otherwise as soon as they are added again."""
    names = [file.name for file in uploads.refused() if file.digest in uploads.wishes()]
    if names:
        text = "A file that could not be read is not kept. Added again, it is recognised and read as you chose."
        callout(f"Add {listing(names)} again", text, calm=True)


def _details(role: str, name: str) -> Options:
    """What a kind of file leaves open."""
    chosen: dict[str, Any] = {}
    for each in READING["options"].get(role, ()):
        value = st.selectbox(each["label"], list(each["values"]), key=f"{each['key']}-{name}")
        chosen[each["option"]] = each["values"][value]
    if role == "qrels":
        judges = sorted({outputs.generator or outputs.system for outputs in whole_dataset().outputs})
        judge = st.selectbox(
            "Judged by",
            [PEOPLE, *judges],
            key=f"judge-{name}",
            help="Labels made from a generator's utility gain belong to that generator.",
        )
        upload = uploads.accepted().get(name)
        chosen["generator"] = None if judge == PEOPLE else judge
        chosen["groups"] = upload is not None and upload.options.groups
    return Options(**chosen)
