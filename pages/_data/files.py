"""The loaded files: adding some, what was found in each, what was repaired, what needs a fix."""

import re
from typing import Literal, get_args

import streamlit as st

from fairviz.errors import InputError
from fairviz.io.dataset import Options
from fairviz.io.limits import MAX_UPLOAD
from fairviz.io.sniff import Role
from fairviz.model import (
    BiasItems,
    BiasPredictions,
    Dataset,
    GroupLabels,
    Note,
    Qrels,
    RagOutputs,
    RankingSample,
    Run,
    Target,
    VariantAnswers,
)
from fairviz.show.words import THIN, count, listing, percent, plural
from pages._kit import (
    Cell,
    Column,
    Key,
    Toned,
    Two,
    callout,
    counts_line,
    dataset,
    el,
    error_box,
    html_table,
    is_example,
    join,
    section,
    uploads,
)


def contents(loaded: Dataset) -> dict[str, str]:
    """What is in each file, in a few words."""
    if known := uploads.accepted():
        return {name: " · ".join(_words(upload)) for name, upload in known.items()}
    queues = {
        "run": list(loaded.runs),
        "samples": list(loaded.samples),
        "qrels": list(loaded.qrels),
        "groups": list(loaded.labels),
        "target": [loaded.target],
        "rag": list(loaded.outputs),
        "bias-items": list(loaded.bias_items),
        "variants": list(loaded.variants),
        "bias-predictions": list(loaded.bias_predictions),
    }
    words = {"references": loaded.references, "corpus": loaded.passages, "queries": loaded.texts}
    words_of: dict[str, str] = {}
    for file in loaded.files:
        if queue := queues.get(file.role):
            words_of[file.name] = _content(queue.pop(0))
        elif file.role in words:
            words_of[file.name] = plural(len(words[file.role] or {}), "text")
    return words_of


def _words(upload: uploads.Upload) -> list[str]:
    """Every noun of an upload; many answers of one file in one sum."""
    answers = [noun for noun in upload.nouns if isinstance(noun, RagOutputs)]
    if answers:
        return [plural(sum(len(a.texts) for a in answers), "answer")] + (
            [plural(len(answers), "system")] if len(answers) > 1 else []
        )
    kinds = zip(uploads.WORDS, upload.words, strict=True)
    texts = [plural(len(ids), "system" if kind == "systems" else "text") for kind, ids in kinds if ids]
    return [*(_content(noun) for noun in upload.nouns), *texts]


def _content(noun: object) -> str:
    match noun:
        case Run() | Qrels():
            n = len(noun.query_ids)
            return f"{plural(n, 'query', 'queries')} · {plural(noun.docs.size, 'row')}"
        case RankingSample():
            n, n_rankings = len(noun.query_ids), noun.sample_offsets.size - 1
            return f"{plural(n, 'query', 'queries')} · {plural(n_rankings, 'ranking')}"
        case GroupLabels():
            n = len(set(noun.doc_ids))
            return f"{plural(n, 'document')} · {plural(len(noun.groups), 'group')}"
        case Target(query_ids=tuple(queries)):
            return f"{plural(len(queries), 'query', 'queries')} · {plural(len(noun.groups), 'group')}"
        case Target():
            pairs = zip(noun.groups, noun.shares.tolist(), strict=True)
            shares = [f"{group} {percent(share)}" for group, share in pairs]
            return ", ".join(shares[:4]) + (" …" if len(shares) > 4 else "")
        case RagOutputs():
            return plural(len(noun.texts), "answer")
        case BiasItems():
            n = len(noun.categories.values)
            return f"{plural(len(noun), 'item')} · {plural(n, 'category', 'categories')}"
        case BiasPredictions():
            models = next((len(f.values) for f in noun.factors if f.name == "model"), 1)
            return f"{plural(noun.choices.size, 'answer')} · {plural(models, 'model')}"
        case VariantAnswers():
            n = len(noun.question_ids)
            return f"{plural(n, 'question')} · {plural(len(noun), 'answer')}"
        case _:
            return ""


KINDS: dict[str, Role | None] = {
    "as found": None,
    "run or sampled rankings": "run",
    "judgements (qrels)": "qrels",
    "group labels": "groups",
    "target shares": "target",
    "recorded outputs": "rag",
    "reference answers": "references",
    "passages": "corpus",
    "questions": "queries",
    "bias questions": "bias-items",
    "answers to bias questions": "bias-predictions",
    "answers to demographic variants": "variants",
    "what systems are made of": "systems",
}
COLUMN_2: dict[str, bool | None] = {"as found": None, "yes": True, "no": False}
PEOPLE = "people"
NOTES_SHOWN = 12
"""Notes per file; the rest is counted."""


def add_files() -> None:
    """The uploader; it empties itself once its files are read into the session."""
    turn = st.session_state.setdefault("upload_turn", 0)
    files = st.file_uploader(
        "Add files",
        accept_multiple_files=True,
        key=f"upload-{turn}",
        help="Runs, judgements, group labels, targets, recorded outputs, bias questions, and "
        "answers to these or to demographic variants, plain or .gz. They stay in this browser "
        "session and are gone when its tab is closed.",
    )
    counts_line(
        "Runs, judgements, groups, targets, recorded outputs, questions and answers; several at "
        f"once. Plain or .gz, up to {MAX_UPLOAD // 1024**2} MB; the format is recognised."
    )
    if not files:
        return
    turn_comes = ", after those that others have sent" if uploads.BUDGET.is_reading else ""
    with st.spinner(f"Reading {plural(len(files), 'file')}{turn_comes} …", show_time=True):
        new = uploads.receive(files)
    known = new.count(False) - len({file.name for file in files} & {r.name for r in uploads.refused()})
    st.session_state["upload_said"] = f"{plural(known, 'file')} loaded before: nothing changed." if known > 0 else ""
    st.session_state["upload_turn"] = turn + 1
    st.rerun()


def needs_fix() -> None:
    """Files that could not be read: place, neighbours of the line, remedy."""
    refused = uploads.refused()
    if message := st.session_state.pop("upload_said", ""):
        counts_line(message)
    if not refused:
        return
    section(
        "1 file needs a fix" if len(refused) == 1 else f"{len(refused)} files need a fix",
        "Nothing of it is loaded; the other files are unchanged.",
    )
    for file in refused:
        error_box(file.error, file.lines)
        if file.name in uploads.accepted():
            counts_line(f"{file.name} stays loaded as it was read before.")


def loaded_files(loaded: Dataset) -> None:
    """Every file with the format found and what is in it; what was repaired below."""
    refused = [file for file in uploads.refused() if file.name not in uploads.accepted()]
    title = f"{plural(len(loaded.files), 'file')} loaded"
    title += f", {len(refused)} not" if refused else ""
    section(title if not is_example() else f"The example: {plural(len(loaded.files), 'file')}")
    inside = contents(loaded)
    notes = {file.name: _of(loaded.notes, file.name) for file in loaded.files}
    rows: list[list[Cell]] = [
        [
            Key(text=file.name, mark="✓", tone="gain", code=True),
            file.format,
            Two(top=inside.get(file.name, ""), below=plural(len(notes[file.name]), "note"))
            if notes[file.name]
            else inside.get(file.name, ""),
        ]
        for file in loaded.files
    ]
    rows += [
        [
            Key(text=unread.name, mark="✕", tone="loss", code=True),
            "not read",
            Toned(
                text=f"line {count(unread.error.line)}" if unread.error.line else "whole file", tone="loss", bold=False
            ),
        ]
        for unread in refused
    ]
    columns = [
        Column(label="File"),
        Column(label="Format found", short=True),
        Column(label="Content", align="right"),
    ]
    html_table(columns, rows, caption="Loaded files", tall=True)
    for name, file_notes in notes.items():
        if file_notes:
            _notes(name, file_notes)


def _place(error: InputError) -> str:
    return f"line {count(error.line)}" if error.line else "whole file"


def _of(notes: tuple[Note, ...], name: str) -> list[Note]:
    return [note for note in notes if note.file == name]


_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")


def spaced(message: str) -> str:
    """A message with thousands as pages write them: the terminal has commas.

    Examples:
        >>> spaced("276 of 6,408 answers, 3 empty") == "276 of 6\u202f408 answers, 3 empty"
        True
    """
    return _THOUSANDS.sub(THIN, message)


def _notes(name: str, notes: list[Note]) -> None:
    """What reading one file left to say, shut until asked for."""
    lines = (
        el("li", f"line {count(note.line)}: " if note.line else "", spaced(note.message))
        for note in notes[:NOTES_SHOWN]
    )
    more = len(notes) - NOTES_SHOWN
    rest = el("p", f"and {more} more", cls="fv-mute") if more > 0 else None
    head = join(el("code", name), f": {plural(len(notes), 'note')} from reading")
    st.html(el("details", el("summary", head), el("ul", *lines), rest, cls="fv-notes"))


def correct() -> None:
    """Read a file as something else, or remove it."""
    files = {file.name: file.digest for file in uploads.refused()}
    files |= {name: file.digest for name, file in uploads.accepted().items()}
    names = list(files)
    if not names:
        return
    awaited = [name for name, digest in files.items() if digest in uploads.wishes()]
    if awaited:
        callout(
            f"Add {listing(awaited)} again",
            "Only what was read of a large file is kept, and nothing of one that was not read. "
            "It is known by its content, and read as you chose.",
            calm=True,
        )
    with st.expander("Change type / remove file"):
        name = st.selectbox("File", names, key="corrected")
        read = {file.name: file.role for file in dataset().files}
        known_role = {"samples": "run"}.get(read.get(name, ""), read.get(name, ""))
        kind = st.selectbox("It holds", list(KINDS), key=f"kind-{name}")
        role = KINDS[kind]
        options = _details(role or known_role, name)._replace(role=role)
        with st.container(horizontal=True):
            st.button("Read again", on_click=uploads.read_again, args=(name, options), icon=":material/refresh:")
            drop = uploads.remove if name in uploads.accepted() else uploads.dismiss
            st.button("Remove", on_click=drop, args=(name,), icon=":material/delete:")


def _details(role: str, name: str) -> Options:
    """What a kind of file leaves open."""
    match role:
        case "run":
            column = st.selectbox("Column 2 names samples", list(COLUMN_2), key=f"samples-{name}")
            return Options(multi_sample=COLUMN_2[column])
        case "qrels":
            column = st.selectbox("Column 2 names subtopics", list(COLUMN_2), key=f"topics-{name}")
            known = sorted({outputs.generator or outputs.system for outputs in dataset().outputs})
            judge = st.selectbox(
                "Judged by",
                [PEOPLE, *known],
                key=f"judge-{name}",
                help="Labels made from a generator's utility gain belong to that generator.",
            )
            known_as = uploads.accepted().get(name)
            return Options(
                subtopics=COLUMN_2[column],
                generator=None if judge == PEOPLE else judge,
                groups=known_as is not None and known_as.options.groups,
            )
        case "groups":
            ways: tuple[Literal["one", "split"], ...] = get_args(Literal["one", "split"])
            words = {"one": "is an error", "split": "counts half for each"}
            way = st.selectbox("A document with two labels", ways, key=f"labels-{name}", format_func=words.__getitem__)
            return Options(labels=way)
        case _:
            return Options()
