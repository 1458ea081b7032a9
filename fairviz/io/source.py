"""Where bytes come from: a path, a stream or an upload, plain or gzip'ed, never larger than the limits.

A file is opened more than once (to see what it is, to read it, to read it exactly, for its digest), and every opening
has to see the same bytes: a stream is therefore read once and kept, and a file that changes meanwhile is refused.
"""

import codecs
import gzip
import os
import re
import sys
import zlib
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cache, wraps
from hashlib import file_digest
from io import BytesIO, FileIO
from os import PathLike
from pathlib import Path
from select import select
from stat import S_ISDIR, S_ISREG
from typing import Any, BinaryIO, Concatenate, Literal, NamedTuple, ParamSpec, Protocol, TypeAlias, TypeVar, cast

from fairviz.errors import FairvizError, InputError, UnreadableError
from fairviz.io.limits import MAX_RATIO, MAX_TEXT, MAX_UPLOAD, RATIO_FREE
from fairviz.io.notes import Parsed, by_row, in_rows
from fairviz.numerals import count
from fairviz.resources import content

# Gzip, one member or more, checked while it is read: truncation, damage, decompression bombs.


GZIP = b"\x1f\x8b"
"""What a gzip stream begins with."""
PARQUET = re.compile(rb"PAR1[\x00-\x1f]")
"""What a Parquet file begins with."""


class Reader(Protocol):
    """What text is read from."""

    def read(self, size: int, /) -> bytes:
        """Up to ``size`` bytes; empty at the end."""
        ...


class Limited:
    """The text of a file, plain or gzip'ed, never larger than the limits.

    Args:
        stored: The bytes as stored, from the first.
        name: Name of the file, for messages.
        gzipped: Whether they are a gzip stream.
        most: Bytes of text that it may have.
    """

    def __init__(self, stored: BinaryIO, name: str, *, gzipped: bool, most: int) -> None:
        self._stored = stored
        self._name = name
        self._gzipped = gzipped
        self._most = most
        self._text = gzip.GzipFile(fileobj=stored, mode="rb") if gzipped else stored
        self._n_read = 0

    def read(self, size: int, /) -> bytes:
        """Up to ``size`` bytes of text; empty at the end.

        Raises:
            InputError: The stream is damaged, or its text larger than the limits.
        """
        try:
            piece = self._text.read(size)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            kind = "trailing" if str(error).startswith("Not a gzipped file") else type(error).__name__
            why = content("refused_files")["gzip"][kind]
            raise InputError(why["reason"], file=self._name, fix=why["fix"]) from error
        self._n_read += len(piece)
        if self._n_read > self._most:
            raise _too_large(self._name, what=_DECOMPRESSED) if self._gzipped else _too_large(self._name)
        if self._gzipped and self._n_read > max(RATIO_FREE, MAX_RATIO * self._stored.tell()):
            fix = "If the file is what it should be, decompress it yourself and give the plain file."
            reason = f"{_DECOMPRESSED} the limit of {MAX_RATIO} times the compressed size"
            raise InputError(reason, file=self._name, fix=fix)
        return piece


# Recognise what is not a text table, by its first bytes, and say so in one line.


_SPLIT = "Runs, judgements, outputs: fairviz convert FILE --output FILE.parquet. Split others into several files."
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")


@cache
def _refusals(kind: Literal["stored", "text"]) -> list[tuple[re.Pattern[bytes], dict[str, str]]]:
    """How files begin that are refused, and why."""
    return [(re.compile(row["begins"].encode()), row) for row in content("refused_files")[kind]]


def refuse_packed(head: bytes, name: str) -> None:
    """Refuse archives and what is compressed otherwise than by gzip.

    Args:
        head: First bytes of the file as stored, at least 16 where there are as many.
        name: Name of the file, for the message.

    Raises:
        InputError: It is an archive, or compressed with something else than gzip.
    """
    for begins, why in _refusals("stored"):
        if begins.match(head) and re.search(why.get("named", ""), name.lower()):
            raise InputError(why["reason"], file=name, fix=why["fix"])


def refuse_unreadable(head: bytes, name: str) -> None:
    """Refuse what is certainly no text table or JSON.

    Args:
        head: First bytes of the decompressed file, at least 512 where there are as many.
        name: Name of the file, for the message.

    Raises:
        InputError: An archive, a picture, UTF-16, an HTML page, a Git LFS pointer, a binary file.
    """
    refuse_packed(head, name)
    for begins, why in _refusals("text"):
        if begins.match(head):
            raise InputError(why["reason"], file=name, line=1, fix=why["fix"])
    if _every_other_is_nul(head):
        fix = "Save it as UTF-8 (in PowerShell: Out-File -Encoding utf8)."
        raise InputError("NUL bytes: this is not UTF-8 but looks like UTF-16", file=name, line=1, fix=fix)
    if _is_binary(head):
        fix = "Give a plain text file, or one compressed with gzip."
        raise InputError("not a text file", file=name, line=1, fix=fix)


def _every_other_is_nul(head: bytes) -> bool:
    halves = head[0::2], head[1::2]
    return len(head) >= 8 and any(
        half.count(0) > 0.4 * len(half) and other.count(0) < 0.1 * len(other) for half, other in (halves, halves[::-1])
    )


def _is_binary(head: bytes) -> bool:
    controls = len(_CONTROLS.findall(head)) - head.count(0)
    if controls <= len(head) // 50:
        return False
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)  # a character may be cut at the end
    except UnicodeDecodeError:
        return True
    return False


# Streams: what no file of the disk holds can be read once, by whoever comes first.


STANDARD_INPUT = "standard input"
"""What standard input is called in messages."""

_CONVERTED = re.compile(r"\.(?:jsonl?|csv|tsv|txt|run|trec|qrels)(?:\.gz)?\.parquet$", re.IGNORECASE)
"""How a file ends that was converted and kept its name."""
_DESCRIPTOR = re.compile(r"/dev/stdin|/(?:dev|proc/self)/fd/([0-9]{1,9})")
_CHUNK = 1024**2


def _opened_stream(path: Path) -> FileIO:
    """A stream by its path; a descriptor of this process as it is, since sockets open by no path."""
    descriptor = _DESCRIPTOR.fullmatch(path.as_posix())
    return FileIO(os.dup(int(descriptor[1] or 0)) if descriptor else path)


def _all_of(stream: FileIO, name: str) -> bytes:
    """Every byte until the writer closes.

    Raises:
        InputError: There is none, or more than the limit.
    """
    buffer = BytesIO()
    while (piece := stream.read(_CHUNK)) != b"":
        if piece is None:  # the writer is late, and the stream was set not to wait for it
            select([stream], (), ())
            continue
        buffer.write(piece)
        if buffer.tell() > MAX_TEXT:
            raise _too_large(name)
    if not buffer.tell():
        fix = "Its writer closed it without a byte, or it was read before; look at what writes it."
        raise InputError("nothing came through", file=name, fix=fix)
    return buffer.getvalue()


FileInput: TypeAlias = str | PathLike[str] | tuple[str, bytes]
"""A path, or an upload: its name and its bytes."""


LARGE = 8 * 1024**2
"""Bytes from which on a file is worth a thread beside the one that parses it."""

Stamp: TypeAlias = tuple[int, int, int, int]
"""What tells a file from another one, and from itself after a change: device, inode, bytes, time of change."""


def stamp_of(stat: os.stat_result) -> Stamp:
    """The stamp of a file by what the system says of it."""
    return stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns


@dataclass(frozen=True, slots=True)
class Source:
    """A named input that can be opened more than once, each time with the same bytes.

    A regular file is read where it is stored. Anything else that a path can name (a pipe, a device, a socket) is read
    when the source is made, and its bytes are kept for as long as the source is.

    Attributes:
        name: As the person gave it; used in every message.
        path: Where a regular file is stored, or None for an upload and a stream.
        content: The bytes of an upload or a stream.
        stamp: What the file at ``path`` was like when the source was made.
        most: Bytes of text that it may have, decompressed, where whoever reads it keeps a part at a time; 0: the limit.
        records: Whether its lines are those of a table in memory: messages name its rows.

    Raises:
        InputError: Nothing is at ``path``, or a stream that gives no byte or more than the limit.
    """

    name: str
    path: Path | None = None
    content: bytes = field(default=b"", repr=False)
    stamp: Stamp | None = None
    most: int = 0
    records: bool = False

    def __post_init__(self) -> None:
        if self.path is None or self.stamp is not None:
            return
        try:
            status = self.path.stat()
            if S_ISREG(status.st_mode) or S_ISDIR(status.st_mode):
                object.__setattr__(self, "stamp", stamp_of(status))
                return
            with _opened_stream(self.path) as stream:
                object.__setattr__(self, "content", _all_of(stream, self.name))
            object.__setattr__(self, "path", None)
        except (OSError, ValueError) as error:
            raise _unreadable(error, self.name) from error

    def wrong(self, reason: str, fix: str = "", line: int | None = None) -> InputError:
        """The error of this input, on a line where one can be named."""
        return InputError(reason, file=self.name, line=line, fix=fix)

    @property
    def stem(self) -> str:
        r"""File name without folder and suffixes of compression and format; of a stream a word that can be a run tag.

        Examples:
            >>> [Source(name).stem for name in ("logs/ragas.jsonl.gz", "ragas.jsonl.parquet", "bm25.v2.parquet")]
            ['ragas', 'ragas', 'bm25.v2']
            >>> [Source(name).stem for name in (r"C:\runs\bm25.txt", ".hidden", "plain", "a.GZ")]
            ['bm25', '.hidden', 'plain', 'a']
        """
        if self.name == STANDARD_INPUT:
            return "stdin"
        if (descriptor := _DESCRIPTOR.fullmatch(self.name)) and descriptor[1]:
            return f"fd{descriptor[1]}"
        base = _CONVERTED.sub(".parquet", self.name.replace("\\", "/").rsplit("/", 1)[-1])
        if base.lower().endswith(".gz"):
            base = base[:-3]
        return base.rsplit(".", 1)[0] if "." in base[1:] else base

    @contextmanager
    def open(self) -> Generator[Reader, None, None]:
        """A reader of the decompressed bytes, closed where the ``with`` block ends.

        Raises:
            InputError: A folder, not permitted, empty, too large, an archive, a broken gzip file, a file that is no
                longer what it was.
        """
        with self.stored() as stored:
            head = stored.read(16)
            if not head:
                raise self.wrong("empty file", "It has 0 bytes; produce or download it again.")
            refuse_packed(head, self.name)
            gzipped = head.startswith(GZIP)
            if self.name.lower().endswith(".gz") and not gzipped:
                raise self.wrong("not a gzip file (plain text named .gz)", "Rename it without .gz, or compress it.")
            stored.seek(0)
            yield Limited(stored, self.name, gzipped=gzipped, most=self.most or MAX_TEXT)

    def refuse_large(self) -> None:
        """Refuse, before any of it is read, what its size or its last bytes say is too large to be held.

        Of a gzip file they are the size of the text of its last member, below 4 GiB.

        Raises:
            InputError: It is larger than the limit, or as :meth:`open`.
        """
        most = self.most or MAX_TEXT
        with self.stored() as stored:
            gzipped = stored.read(2) == GZIP
            size = stored.seek(0, os.SEEK_END)
            stored.seek(-min(size, 4), os.SEEK_END)
            stated = int.from_bytes(stored.read(), "little")
        if not gzipped and size > most:
            raise _too_large(self.name, size)
        if gzipped and most < stated <= MAX_RATIO * size:
            raise _too_large(self.name, what=_DECOMPRESSED)

    @property
    def is_parquet(self) -> bool:
        """Whether it is a Parquet file."""
        with self.stored() as stored:
            return PARQUET.match(stored.read(8)) is not None

    @property
    def size(self) -> int:
        """Bytes as stored."""
        return len(self.content) if self.stamp is None else self.stamp[2]

    @property
    def is_large(self) -> bool:
        """Whether another core is worth its start: it reads ahead, or hashes, while the file is parsed."""
        return self.size > LARGE

    def digesting(self) -> Callable[[], str]:
        """A function that says the digest, which a thread computes meanwhile where the file is large."""
        if not self.is_large:
            return cache(self.digest)
        thread = ThreadPoolExecutor(1)
        hashed = thread.submit(self.digest)
        thread.shutdown(wait=False)
        return hashed.result

    def digest(self) -> str:
        """Sha256 of the bytes as stored."""
        with self.stored() as stored:
            return file_digest(cast("Any", stored), "sha256").hexdigest()

    @contextmanager
    def stored(self) -> Generator[BinaryIO, None, None]:
        """The bytes as stored; the stamp is compared before and after, whatever happens in between.

        Raises:
            InputError: As :meth:`open`.
        """
        if self.path is None:
            yield BytesIO(self.content)
            return
        try:
            with self.path.open("rb") as file:
                self._refuse_changed(file)
                try:
                    yield file
                finally:
                    self._refuse_changed(file)
        except OSError as error:
            raise _unreadable(error, self.name) from error

    def _refuse_changed(self, file: BinaryIO) -> None:
        if stamp_of(os.fstat(file.fileno())) != self.stamp:
            reason = "changed while it was read: what was read first and last need not belong together"
            raise self.wrong(reason, "Wait until its writer is done, or give a copy.")


def as_source(file: FileInput | Source) -> Source:
    """The input as a :class:`Source`.

    Args:
        file: A path, ``(name, bytes)``, or a source.

    Raises:
        InputError: An upload larger than the limit, or as :class:`Source`.
    """
    if isinstance(file, Source):
        return file
    if not isinstance(file, tuple):
        return Source(str(file), Path(file))
    name, content = file
    if len(content) > MAX_UPLOAD:
        reason = f"the upload is larger than the limit of {MAX_UPLOAD // 1024**2} MB"
        raise InputError(reason, file=name, fix="Compress it with gzip, or use the command line.")
    return Source(name, None, content)


def standard_input() -> Source:
    """What is left of standard input, also where that is a file.

    Raises:
        InputError: It is closed, gives no byte, or more than the limit.
    """
    if sys.stdin is None:  # so it is where it was closed from the start
        raise InputError("is closed", file=STANDARD_INPUT, fix="Give a file, or send one: … < FILE.")
    try:
        with _opened_stream(Path("/dev/stdin")) as stream:
            status = os.fstat(stream.fileno())
            left = status.st_size - stream.tell() if S_ISREG(status.st_mode) else 0
            if left > MAX_TEXT:
                raise _too_large(STANDARD_INPUT, left)
            return Source(STANDARD_INPUT, None, _all_of(stream, STANDARD_INPUT))
    except OSError as error:
        raise _unreadable(error, STANDARD_INPUT) from error


def _unreadable(error: OSError | ValueError, name: str) -> InputError:
    """What the system says of a path, with how to mend it."""
    otherwise = {"reason": f"cannot be read: {getattr(error, 'strerror', error)}", "fix": "Check the path."}
    why = content("refused_files")["read"].get(type(error).__name__, otherwise)
    return InputError(why["reason"], file=name, fix=why["fix"])


def _too_large(name: str, size: int | None = None, what: str = "the file is larger than") -> InputError:
    reason = f"{what} the limit of {MAX_TEXT // 1024**3} GiB" + ("" if size is None else f": {count(size)} bytes")
    return InputError(reason, file=name, fix=_SPLIT)


_DECOMPRESSED = "decompressed size exceeds"


# The door of the readers: behind it any exception becomes an error of the file that was given.

P = ParamSpec("P")
R = TypeVar("R")


def reader(read: Callable[Concatenate[Source, P], R]) -> Callable[Concatenate[FileInput | Source, P], R]:
    """A function that reads a file, as everybody may call it.

    Whatever it raises names the file: what a person can mend as it is, the medium's fault in words, all else as an
    :class:`~fairviz.errors.UnreadableError`. What has rows and no lines, a Parquet file or a table in memory, is told
    of by its rows.

    Args:
        read: The function; its first argument is the file as a :class:`Source`.
    """

    @wraps(read)
    def guarded(file: FileInput | Source, /, *args: P.args, **kwargs: P.kwargs) -> R:
        source = as_source(file)
        try:
            has_rows = source.records or source.is_parquet
            with by_row() if has_rows else nullcontext():
                value = read(source, *args, **kwargs)
        except FairvizError:
            raise
        except OSError as error:
            reason, fix = f"cannot be read to its end: {error.strerror or error}", "Check the disk, or copy the file."
            raise source.wrong(reason, fix) from error
        except Exception as error:  # the door: nothing else passes, nor takes the other files along
            raise UnreadableError(error, file=source.name) from error
        return cast("R", in_rows(cast("Parsed[Any]", value))) if has_rows and isinstance(value, Parsed) else value

    return guarded


# How a file is read where its content does not say.


Role: TypeAlias = Literal[
    "run",
    "qrels",
    "groups",
    "target",
    "rag",
    "references",
    "corpus",
    "queries",
    "weights",
    "popularity",
    "bias-items",
    "bias-predictions",
    "variants",
    "systems",
    "manifest",
]

FROM_SUBTOPICS = "subtopics of judgements"
"""Format of group labels that a file of judgements brought besides the judgements."""


class Options(NamedTuple):
    """How to read a file where its content does not say.

    Attributes:
        role: What the file holds; None: found out by its content.
        generator: Generator whose utility gain a file of qrels records; None for people's.
        multi_sample: Whether column 2 of a run names samples; None: found out.
        subtopics: Whether column 2 of qrels names subtopics; None: found out.
        groups: Whether subtopics of qrels are groups, too.
        labels: What two unweighted labels of an item mean, "one" refuses them.
        ties: What orders tied scores of a run.
        ranges: Which Parquet runs stay in their file, to be measured range by range; whoever reads rows of all queries
            has none.
    """

    role: Role | None = None
    generator: str | None = None
    multi_sample: bool | None = None
    subtopics: bool | None = None
    labels: Literal["one", "split"] = "one"
    groups: bool = False
    ties: Literal["id", "rank"] = "id"
    ranges: Literal["none", "large", "all"] = "none"

    def of(self, role: Role) -> dict[str, Any]:
        """Options that the reader of a role takes, by name.

        Examples:
            >>> Options(labels="split").of("groups")
            {'labels': 'split'}
        """
        return {name: getattr(self, name) for name in _OF_ROLE.get(role, ())}


_OF_ROLE: Mapping[Role, tuple[str, ...]] = {
    "run": ("multi_sample", "ties"),
    "qrels": ("subtopics", "generator"),
    "groups": ("labels",),
}


def stated_options(options: Options) -> dict[str, Any]:
    """Options as JSON: those that are not as usual.

    Examples:
        >>> stated_options(Options(role="qrels", generator="GPT-4"))
        {'role': 'qrels', 'generator': 'GPT-4'}
    """
    return {name: value for name, value in options._asdict().items() if value != Options._field_defaults[name]}


def options_from(record: object) -> Options:
    """The options of :func:`stated_options`.

    Raises:
        ValueError: It names no option, or a value that the option cannot have.

    Examples:
        >>> options_from({"labels": "split"}).labels
        'split'
    """
    from pydantic import TypeAdapter  # only where somebody asked for something

    if not isinstance(record, dict):
        raise ValueError("expected an object")
    return TypeAdapter(Options).validate_python(record, strict=True)
