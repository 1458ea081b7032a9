"""Files of a browser session: read once, kept across pages, private; faults with their lines.

Of an upload that was read its nouns are kept, from which the data are joined anew when a file goes, and its bytes, to
read it again in another way and to save it with the study; many bytes are kept compressed. Of a file that was refused
the lines around the fault are kept: whoever wants it read otherwise adds it again, and it is known by its digest. Files
that the dashboard was started with are read where they are.

Streamlit refuses an upload of more bytes than ``server.maxUploadSize``; here its text is held to the same number, so
that a compressed file is no way around it. Files are read one after the other, whoever sent them: their peaks do not
meet. What a session keeps is the text of its files times a factor of their kind, and is refused before it is read.
"""

import gzip
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

import streamlit as st
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile

from fairviz.cli.app import SESSION_MEMORY, environment_value
from fairviz.display.words import count
from fairviz.errors import InputError
from fairviz.io.archive import ZIP
from fairviz.io.limits import MAX_TEXT
from fairviz.io.parquet import rows_around
from fairviz.io.source import GZIP, PARQUET, Limited, Options, Role, Source
from fairviz.io.text import lines_around
from fairviz.io.workspace import KeptFile
from fairviz.model import Dataset
from fairviz.resources import content
from pages._kit.downloads import as_input_error
from pages._kit.keeping import drop_file, keep_file, keep_files, kept_files, options_of, workspace
from pages._kit.session import PAIRS, is_shipped, set_dataset, whole_dataset

if TYPE_CHECKING:
    from fairviz.io.dataset import FilePart


# Memory of the server: an upload takes some while it is read, and a session for as long as it has files.


MB = 1024**2
"""A megabyte wherever one is said, as in ``server.maxUploadSize``."""

SESSION_DEFAULT = 1024
"""MB that a session may keep."""


MEMORY: Mapping[Role, Mapping[str, float]] = content("memory")
"""Bytes of memory that a byte of a file's text takes, at its ``peak`` and ``kept``, by what the file holds."""

IN_PARQUET = 10
"""About how many times larger its text is than a Parquet file; a gzip file is looked into."""

_READING = Lock()


@contextmanager
def reading(source: Source, role: "Role | None", session_size: int) -> Generator[int]:
    """Wait for one's turn to read a file, where there is room for it; gives the bytes that are kept of it.

    Args:
        source: The file, with its bytes.
        role: What it holds; None: found out by its content.
        session_size: Bytes that the session keeps of others.

    Raises:
        InputError: There is no room, or nobody knows what the file is.
    """
    from fairviz.io.formats import sniff  # it knows every format: when the first file comes

    size, largest = text_size(source), st.get_option("server.maxUploadSize") * MB
    if size > largest:
        raise InputError(
            f"its text takes {megabytes(size)}, and a file that is added here may hold {megabytes(largest)}",
            fix="Use the command line on your own machine, or ask who runs this server for a larger --max-upload.",
        )
    kept = round(size * MEMORY[role or sniff(source).role]["kept"])
    check(session_size, kept)
    with _READING:
        yield kept


def check(session_size: int, kept: int) -> None:
    """Whether a session may keep more.

    Args:
        session_size: Bytes that it keeps.
        kept: Bytes that it would keep, too.

    Raises:
        InputError: It may not.
    """
    most = (int(environment_value(SESSION_MEMORY) or SESSION_DEFAULT)) * MB
    if session_size + kept > most:
        raise InputError(
            f"no room for it in this session: it takes {megabytes(kept)}, your files take {megabytes(session_size)}, "
            f"and a session may hold {megabytes(most)}",
            fix="Remove a file that you do not need, or ask who runs this server for a larger --session-memory.",
        )


def is_reading() -> bool:
    """Whether somebody's file is being read now, so that the next one waits."""
    return _READING.locked()


def text_size(source: Source) -> int:
    r"""Bytes of a file's text.

    Raises:
        InputError: A gzip stream is damaged, or larger than any file that is read.

    Examples:
        >>> text_size(Source("my.qrels", None, b"q1 0 d1 1\n" * 1000))
        10000
    """
    if source.content.startswith(GZIP):
        text, size = Limited(BytesIO(source.content), source.name, gzipped=True, most=MAX_TEXT), 0
        while piece := text.read(MB):
            size += len(piece)
        return size
    return len(source.content) * (IN_PARQUET if PARQUET.match(source.content) else 1)


def megabytes(size: int) -> str:
    """A size as it is said; never less than 1 MB."""
    return f"{count(max(1, round(size / MB)))} MB"


# Files.


NAME = "Your files"
KEPT = 8 * MB
"""Largest file that is kept as it is beside what was read of it; a larger one is worth the time to compress it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A file that was read.

    Attributes:
        digest: Sha256 of its bytes.
        source: Where its bytes are; those of a large one are compressed.
        options: How it was read.
        parts: What it brought.
        memory: Bytes of memory that all of this takes.
    """

    digest: str
    source: Source
    options: Options
    parts: tuple["FilePart", ...]
    memory: int

    @property
    def nouns(self) -> tuple[object, ...]:
        """What it brought, noun by noun."""
        return tuple(noun for part in self.parts for noun in part.nouns)

    @property
    def in_this_tab(self) -> bool:
        """Whether it is nowhere else: not on a disk, and not in a study that the dashboard was started with."""
        return self.source.path is None and self.memory > 0

    @property
    def content(self) -> bytes:
        """The file's bytes, as they came.

        Raises:
            InputError: It lies on a disk and is no longer what it was.
        """
        with self.source.stored() as stored:
            content = stored.read()
        return content if sha256(content).hexdigest() == self.digest else gzip.decompress(content)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A file that could not be read, with the lines or rows around the fault; nothing else of it is kept."""

    name: str
    digest: str
    options: Options
    error: InputError
    lines: Mapping[int, str]


def receive(
    files: list[UploadedFile], show: Callable[[int, str, int], None], open_study: Callable[[Source], bool]
) -> list[bool]:
    """Read files as they came from the browser, and let Streamlit's own copy of each go.

    Args:
        files: What came.
        show: Shows which file is read now: its place from 1 on, its name, its bytes.
        open_study: Works on an archive that is a study, and says whether it is one.

    Returns:
        Whether each brought anything new, as :func:`take`.
    """
    new: list[bool] = []
    for i, file in enumerate(files, start=1):
        show(i, file.name, file.size)
        new.append(take(file.name, file.getvalue(), open_study))
        _let_go(file)
    return new


def take(name: str, content: bytes, open_study: Callable[[Source], bool]) -> bool:
    """Read one upload into the session; the first one replaces the example.

    A file that a person wants read in another way is read so, in place of what it brought before.

    Args:
        name: The file's.
        content: Its bytes.
        open_study: As :func:`receive` has it.

    Returns:
        Whether it brought anything new; False also where it could not be read, see ``refused``.
    """
    if content.startswith(ZIP) and (brought := _taken_whole(Source(name, None, content), open_study)) is not None:
        return brought
    source = Source(name, None, content)
    digest = source.digest()
    options = wishes().pop(digest, None)
    again = (
        next((earlier_name for earlier_name, upload in accepted().items() if upload.digest == digest), None)
        if options
        else None
    )
    return _read(source, digest, options or Options(), instead_of=again)


def _taken_whole(source: Source, open_study: Callable[[Source], bool]) -> bool | None:
    """Open a study instead of what is loaded; None where an archive is none."""
    dismiss(source.name)
    try:
        return True if open_study(source) else None
    except Exception as error:  # the person's files stay as they are
        refused().append(_refusal(source, source.digest(), Options(), error))
        return False


def put(name: str, content: bytes, role: Role) -> None:
    """Read a file that a page made, in place of the one of its name."""
    source = Source(name, None, content)
    _read(source, source.digest(), Options(role=role), instead_of=name if name in accepted() else None)


def read_again(name: str, options: Options) -> None:
    """Read a file in another way, or remember how until it is added again; see ``wishes``."""
    upload = accepted().get(name) or next(file for file in refused() if file.name == name)
    if isinstance(upload, Upload):
        _read(upload.source, upload.digest, options, instead_of=name)
    else:
        wishes()[upload.digest] = options


def _read(source: Source, digest: str, options: Options, *, instead_of: str | None) -> bool:
    """Read a file, perhaps instead of what it brought before: that stays where it cannot be read so."""
    loaded = Dataset(name=NAME) if is_shipped(whole_dataset()) else whole_dataset()
    gone = accepted().get(instead_of or "")
    before = _without(loaded, instead_of) if instead_of and gone else loaded
    dismiss(source.name)
    try:
        others = sum(file.memory for file in accepted().values() if file is not gone)
        with reading(source, options.role, others) as kept:
            after, upload = _added(before, source, digest, options, kept)
    except Exception as error:  # whatever a reader ends in: the person's other files are still read
        refused().append(_refusal(source, digest, options, error))
        return False
    if not upload.parts:
        return False
    called = after.files[-1].name
    if keep_file(called, upload.content, options, instead_of=instead_of):
        upload = _on_disk(called, upload)
    if instead_of:
        accepted().pop(instead_of, None)
    accepted()[called] = upload
    for replaced in accepted().keys() - {file.name for file in after.files}:  # there is one target
        accepted().pop(replaced)
        drop_file(replaced)
    set_dataset(after)
    return True


def _added(data: Dataset, source: Source, digest: str, options: Options, kept: int) -> tuple[Dataset, Upload]:
    """The data with a file, and what that brought: nothing where they have it already.

    Args:
        data: What is loaded so far.
        source: The file.
        digest: Sha256 of its bytes.
        options: How it is read.
        kept: Bytes of memory that it takes.

    Raises:
        InputError: It cannot be read.
    """
    from fairviz.io.dataset import file_parts, joined  # all readers: when the first file comes

    parts = file_parts(source, data, options)
    stored = source
    if len(source.content) > KEPT and not source.content.startswith(GZIP):
        stored = replace(source, content=gzip.compress(source.content, 1, mtime=0))
    return joined(data, parts), Upload(digest=digest, source=stored, options=options, parts=parts, memory=kept)


def _on_disk(name: str, upload: Upload) -> Upload:
    """An upload with its bytes where they are kept."""
    store = workspace()
    return upload if store is None else replace(upload, source=Source(name, store.path(upload.digest)))


class Opened(NamedTuple):
    """Several files, read."""

    dataset: Dataset
    accepted: dict[str, Upload]
    refused: list[Refused]


def opened(files: Iterable[tuple[str, Path | bytes, Options]], name: str, *, sent: bool = False) -> Opened:
    """Files read one after the other.

    Args:
        files: Name of each, where it is or its bytes, and how it is read.
        name: What to call the data.
        sent: Whether a browser sent them: there has to be room for them, which files of this machine are not asked for.
    """
    opened_files = Opened(Dataset(name=name), {}, [])
    for called, where, options in files:
        digest, source = "", Source(called)
        try:
            source = Source(called, where) if isinstance(where, Path) else Source(called, None, where)
            digest = source.digest()
            session_size = sum(file.memory for file in opened_files.accepted.values())
            with reading(source, options.role, session_size) if sent else nullcontext(0) as kept:
                after, upload = _added(opened_files.dataset, source, digest, options, kept)
        except Exception as error:  # whatever a reader ends in: the other files are still read
            opened_files.refused.append(_refusal(source, digest, options, error))
            continue
        if upload.parts:
            opened_files.accepted[after.files[-1].name] = upload
            opened_files = opened_files._replace(dataset=after)
    return opened_files


def adopt(opened_files: Opened, *, shared: bool = False) -> None:
    """Work on these files from now on, instead of what is loaded.

    Args:
        opened_files: The files.
        shared: Whether they are there for all sessions: what they take counts for none, and they are kept elsewhere.
    """
    forget()
    files = dict(opened_files.accepted)
    if shared:
        files = {name: replace(file, memory=0) for name, file in files.items()}
    elif keep_files(opened_files.dataset.name, [(name, file.content, file.options) for name, file in files.items()]):
        files = {name: _on_disk(name, file) for name, file in files.items()}
    st.session_state["uploads"] = files
    st.session_state["refused"] = list(opened_files.refused)
    set_dataset(opened_files.dataset)


def other_queries(before: Mapping[str, Upload]) -> list[str]:
    """Names of files added after these that share no query with them; none where one does, or has no queries."""
    if not before.keys() <= accepted().keys():  # a study was opened instead of them
        return []
    added = {name: _queries(file) for name, file in accepted().items() if name not in before}
    loaded_queries = {query for file in before.values() for query in _queries(file)}
    new = {query for queries in added.values() for query in queries}
    return (
        [name for name, queries in added.items() if queries]
        if loaded_queries and loaded_queries.isdisjoint(new)
        else []
    )


def _queries(file: Upload) -> set[str]:
    return {query for noun in file.nouns for query in getattr(noun, "query_ids", None) or ()}


def start_anew_with(names: Iterable[str]) -> None:
    """Work on these of the files alone; the others are kept no more."""
    files = [(name, file.content, file.options) for name, file in accepted().items() if name in set(names)]
    adopt(opened(files, NAME, sent=True))


def refusal(path: Path, error: Exception) -> Refused:
    """The card of a file that the dashboard was started with."""
    return _refusal(Source(path.name), "", Options(), error)


def refused_kept(file: KeptFile, reason: str) -> Refused:
    """The card of a kept file that is not what was kept."""
    error = InputError(reason, file=file.name, fix="Remove it from the list of files, and add it again.")
    return Refused(name=file.name, digest=file.digest, options=options_of(file), error=error, lines={})


def _refusal(source: Source, digest: str, options: Options, error: Exception) -> Refused:
    fault = as_input_error(error)
    fault.file = fault.file or source.name
    lines = lines_around(source, fault.line) if fault.line else {}
    if fault.row is not None and source.is_parquet:
        lines = rows_around(source, fault.row)
    return Refused(name=source.name, digest=digest, options=options, error=fault, lines=lines)


def _let_go(file: UploadedFile) -> None:
    """Streamlit would keep its copy until the session ends, even of an uploader that is gone."""
    context = get_script_run_ctx()
    if context is not None and isinstance(context.uploaded_file_mgr, MemoryUploadedFileManager):
        context.uploaded_file_mgr.remove_file(context.session_id, file.file_id)
    file.close()


def remove(name: str) -> None:
    """Drop one file and all that it brought; dropping the last one returns to the example."""
    left = _without(whole_dataset(), name)
    accepted().pop(name)
    drop_file(name)
    set_dataset(left if left.files else None)


def _without(loaded: Dataset, name: str) -> Dataset:
    """The data as if a file had not been read: joined anew of what the others brought."""
    from fairviz.io.dataset import joined  # all readers: when the first file comes

    read = {file.name for file in loaded.files}
    of_others = tuple(note for note in loaded.notes if note.file not in read)  # such as files that were left out
    parts = (part for other, file in accepted().items() if other != name for part in file.parts)
    data = joined(Dataset(name=loaded.name), parts)
    return replace(data, notes=(*data.notes, *of_others))


def dismiss(name: str) -> None:
    """Forget a file that could not be read."""
    st.session_state["refused"] = [file for file in refused() if file.name != name]


def remove_refused(name: str) -> None:
    """Forget a file that could not be read, and keep it no more."""
    digests = {file.digest for file in refused() if file.name == name}
    dismiss(name)
    if any(file.name == name and file.digest in digests for file in kept_files()):
        drop_file(name)
    if not accepted() and not refused():
        set_dataset(None)


def reset() -> None:
    """Back to the shipped example; nothing of the files is kept."""
    keep_files("", [])
    forget()


def forget() -> None:
    """Work on no files; what is kept stays."""
    for name in ("uploads", "refused", "wishes", PAIRS):
        st.session_state.pop(name, None)
    set_dataset(None)


def accepted() -> dict[str, Upload]:
    """Files that were read, by the name that the dataset has for them."""
    return st.session_state.setdefault("uploads", {})


def refused() -> list[Refused]:
    """Files that could not be read and have not been replaced since."""
    return st.session_state.setdefault("refused", [])


def wishes() -> dict[str, Options]:
    """How files are to be read that are not kept and that a person will add again, by digest."""
    return st.session_state.setdefault("wishes", {})
