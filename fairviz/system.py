"""What systems do each in their own way: descriptors and processes.

The only place that asks which system it is; all else is the same on Linux, macOS and Windows.
"""

import os
import sys
from contextlib import suppress
from pathlib import Path

BYTES: int = getattr(os, "O_BINARY", 0)
"""Flag of an open file whose bytes are left alone; elsewhere they always are."""
LAUNCHED = "FAIRVIZ_LAUNCHED"
"""Environment variable: who started this process holds the other end of its standard input, and it is to end with that:
a dashboard with its notebook. No system closes it later than at their end."""


def wait_for_end() -> None:
    """Wait until the other end of our standard input is closed: whoever holds it lets go, or ends."""
    while os.read(0, 1):
        pass


def one_thread() -> None:
    """Have one thread of linear algebra, unless a person asks for more; before NumPy is there, which looks once.

    Matrices here are small: a second thread would wait for the first, at three times the processor time.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def memory() -> int:
    """Bytes of memory that the machine has; 8 GiB where the system does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 8 * 1024**3


if sys.platform == "win32":
    OWN_SESSION, OWN_GROUP = False, 0x00000200  # CREATE_NEW_PROCESS_GROUP
    REUSES_ADDRESS = False

    def sync_folder(folder: Path) -> None:
        """A folder cannot be opened here; a new name is brought to the disk by the system."""

    def cores() -> int:
        """Cores that this process may use."""
        return os.cpu_count() or 1

else:
    OWN_SESSION, OWN_GROUP = True, 0
    """``start_new_session`` and ``creationflags`` of a process that outlives the one that starts it."""
    REUSES_ADDRESS = True
    """Whether asking to reuse an address finds out if it is free; on Windows it would take what another one has."""

    def sync_folder(folder: Path) -> None:
        """Bring a new name to the disk; not every file system does this."""
        with suppress(OSError):
            number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(number)
            finally:
                os.close(number)

    def cores() -> int:
        """Cores that this process may use."""
        return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
