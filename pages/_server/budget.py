"""How much memory uploads may take: those of one session, and those of all sessions together.

Counted is what waits in the uploader, what is kept of the files that were read, and, while a file is read, what reading
takes on top. Files are read one after the other, whoever sent them, so that their peaks do not meet. What does not fit
is refused in words before it takes the memory. A session that ended gives its share back, because its account is gone
with all else that it held.
"""

import sys
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING
from weakref import WeakSet

import numpy as np
from streamlit.runtime import Runtime
from streamlit.runtime.stats import CacheStat

from fairviz import system
from fairviz.cli.app import SERVER_MEMORY, SESSION_MEMORY, asked_megabytes
from fairviz.display.words import capital, count
from fairviz.errors import InputError
from fairviz.io.limits import MAX_TEXT
from fairviz.io.parquet import PARQUET
from fairviz.io.source import GZIP, Source

if TYPE_CHECKING:
    from fairviz.io.options import Role

MB = 1024**2
"""A megabyte wherever one is said, as in ``server.maxUploadSize``."""

SESSION_DEFAULT = 1024 * MB
SERVER_SHARE = 0.5
"""Of the machine's memory; the rest is for results, other programs, and Python itself."""

TAKEN: "dict[Role, int]" = {
    "run": 12,
    "qrels": 17,
    "groups": 32,
    "target": 6,
    "rag": 5,
    "references": 6,
    "corpus": 3,
    "queries": 6,
    "bias-items": 12,
    "bias-predictions": 6,
    "variants": 34,
    "systems": 70,
    "manifest": 6,
}
"""Bytes of memory that reading a byte of text takes at its peak: measured on a million lines of short ids."""

IN_PARQUET = 10
"""How many times larger its text is than a Parquet file, about; a gzip file says it."""


class Account:
    """What one session holds.

    Attributes:
        session: The session's id.
        held: Bytes of what was read of its files, and of the files that are kept as they are.
    """

    def __init__(self, session: str) -> None:
        self.session = session
        self.held = 0


class Budget:
    """What all sessions of a server hold, and whether there is room for more.

    Args:
        session: Bytes that one session may hold.
        server: Bytes that all of them may hold together, with what waits and what is being read.
    """

    def __init__(self, *, session: int, server: int) -> None:
        self.session = session
        self.server = server
        self._accounts: WeakSet[Account] = WeakSet()
        self._arriving = 0
        self._reading = 0
        self._counting = Lock()
        self._turn = Lock()

    def open(self, session: str) -> Account:
        """An account for a session; it ends with the last that refers to it, the session's state."""
        account = Account(session)
        with self._counting:
            self._accounts.add(account)
        return account

    @property
    def held(self) -> int:
        """Bytes that all sessions hold now."""
        return sum(account.held for account in self._accounts) + self._arriving + self._reading + waiting()

    @contextmanager
    def arriving(self, session: str, size: int) -> Generator[None]:
        """Room for a file on its way to the server, while it is.

        Raises:
            InputError: There is none.
        """
        with self._counting:
            own = sum(account.held for account in self._accounts if account.session == session)
            if own + size > self.session:
                raise self._beyond_session(own, size)
            if self.held + size > self.server:
                raise self._beyond_server(size)
            self._arriving += size
        try:
            yield
        finally:
            with self._counting:
                self._arriving -= size

    @contextmanager
    def reading(self, source: Source, role: "Role | None") -> Generator[None]:
        """Wait for one's turn to read a file, with room for what reading it takes.

        Args:
            source: The file; nothing is taken for one that lies on a disk of this machine.
            role: What it holds; None: found out by its content.

        Raises:
            InputError: There is none, or nobody knows what the file is.
        """
        from fairviz.io.sniff import sniff  # it knows every format: when the first file comes

        needed = peak(source.content, role or sniff(source).role)
        with self._turn:
            with self._counting:
                if self.held + needed > self.server:
                    raise self._beyond_server(needed)
                self._reading = needed
            try:
                yield
            finally:
                self._reading = 0

    @property
    def is_reading(self) -> bool:
        """Whether somebody's file is being read now, so that the next one waits."""
        return self._turn.locked()

    def hold(self, account: Account, size: int) -> None:
        """Add what was read to what its session holds.

        Raises:
            InputError: The session would hold too much.
        """
        if account.held + size > self.session:
            raise self._beyond_session(account.held, size)
        account.held += size

    def _beyond_session(self, own: int, size: int) -> InputError:
        reason = (
            f"no room for it in this session: it takes {megabytes(size)}, your files take {megabytes(own)}, "
            f"and a session may hold {megabytes(self.session)}"
        )
        fix = "Remove a file that you do not need, or ask who runs this server for a larger --session-memory."
        return InputError(reason, fix=fix)

    def _beyond_server(self, size: int) -> InputError:
        reason = (
            f"no room for it on the server: it takes {megabytes(size)}, the files of all sessions take "
            f"{megabytes(self.held)}, and together they may hold {megabytes(self.server)}"
        )
        ask = "ask who runs this server for a larger --server-memory, or use the command line on your own machine"
        later = "Remove a file that you do not need, try again in a few minutes, or "
        fix = f"{capital(ask)}." if size > self.server else f"{later}{ask}."
        return InputError(reason, fix=fix)


def megabytes(size: int) -> str:
    """A size as it is said; never less than 1 MB."""
    return f"{count(max(1, round(size / MB)))} MB"


def waiting() -> int:
    """Bytes of files that have arrived at the server and have not been read yet."""
    if not Runtime.exists():
        return 0
    stats = Runtime.instance().uploaded_file_mgr.get_stats()
    return sum(stat.byte_length for family in stats.values() for stat in family if isinstance(stat, CacheStat))


def peak(content: bytes, role: "Role") -> int:
    r"""Bytes that reading a file takes beside its own, estimated by its kind and the size of its text.

    Examples:
        >>> peak(b"q1 0 d1 1\n" * 1000, "qrels")
        170000
    """
    size = len(content)
    if content.startswith(GZIP):
        text = int.from_bytes(content[-4:], "little")  # so the format says, modulo 4 GiB
        size = min(max(size, text), MAX_TEXT)
    elif PARQUET.match(content):
        size *= IN_PARQUET
    return size * TAKEN[role]


def weight(*things: object, apart_from: Iterable[object] = ()) -> int:
    """Bytes of arrays, texts and containers that nouns hold; what is shared counts once.

    Args:
        things: What is weighed.
        apart_from: Counts nothing, wherever it is met: it is counted elsewhere.

    Examples:
        >>> weight(np.zeros(1000)) >= 8000
        True
        >>> shared = np.zeros(1000)
        >>> weight(shared, shared) == weight(shared)
        True
    """
    total, seen, open_ = 0, {id(thing) for thing in apart_from}, list(things)
    while open_:
        thing = open_.pop()
        if isinstance(thing, str | int | float | bytes | None):
            total += sys.getsizeof(thing)
            continue
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        if isinstance(thing, np.ndarray):
            total += thing.nbytes
            continue
        total += sys.getsizeof(thing)
        open_ += _inside(thing)
    return total


def _inside(thing: object) -> Iterable[object]:
    if is_dataclass(thing):
        return [getattr(thing, field.name) for field in fields(thing)]
    if isinstance(thing, Mapping):
        return [*thing.keys(), *thing.values()]
    if isinstance(thing, tuple | list | set | frozenset):
        return thing
    return vars(thing).values() if type(thing).__module__.startswith("fairviz.") and hasattr(thing, "__dict__") else ()


def memory_of_machine() -> int:
    """Bytes of memory that this process may use: the machine's, or the limit of its control group."""
    said = (file.read_text(encoding="ascii").strip() for file in _limit_files() if file.is_file())
    limits = (int(text) for text in said if text.isdigit())  # else "max"
    return min([system.memory_of_machine(), *limits])


def _limit_files() -> list[Path]:
    """Where Linux says the limits of the control groups, of version 1 and 2, that this process is in."""
    groups, root = Path("/proc/self/cgroup"), Path("/sys/fs/cgroup")
    files: list[Path] = []
    for line in groups.read_text(encoding="utf-8", errors="surrogateescape").splitlines() if groups.is_file() else []:
        _, controllers, path = line.split(":", 2)
        top, name = (root, "memory.max") if not controllers else (root / "memory", "memory.limit_in_bytes")
        if controllers in {"", "memory"}:
            own = top / path.lstrip("/")
            files += [folder / name for folder in (own, *own.parents) if folder.is_relative_to(top)]
    return files


def from_environment() -> Budget:
    """The budgets that the environment sets, else the defaults.

    Raises:
        UsageError: A variable is no number of MB.
    """
    server = (asked_megabytes(SERVER_MEMORY) or 0) * MB or int(memory_of_machine() * SERVER_SHARE)
    session = (asked_megabytes(SESSION_MEMORY) or 0) * MB or min(SESSION_DEFAULT, server)
    return Budget(session=session, server=server)


BUDGET = from_environment()
"""That of this server: one process, one budget."""
