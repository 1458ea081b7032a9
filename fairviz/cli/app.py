"""``fairviz app``: start the dashboard, and say so when its first page is ready."""

import argparse
import errno
import os
import signal
import socket
import sys
import threading
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

from fairviz.cli import hosting
from fairviz.cli._files import source_of
from fairviz.errors import UsageError
from fairviz.extras import SERVES, need
from fairviz.hosts import LOCAL, Hosts
from fairviz.resources import dashboard_folder
from fairviz.system import REUSES_ADDRESS

DEFAULT_PORT = 8501
PORTS_TRIED = 20

ADDRESS = "FAIRVIZ_ADDRESS"
"""Address to listen on where ``--host`` says none; a container has its own."""

# What the command tells the pages, in environment variables.
ALLOW_HOST = "FAIRVIZ_ALLOW_HOST"
"""Further names that the server answers to, with commas between them; a person may set it, too."""
OPENED = "FAIRVIZ_OPENED"
"""The files that it opens with, as :func:`fairviz.io.manifest.as_text` writes them."""
WORKSPACE = "FAIRVIZ_WORKSPACE"
"""Folder in which files, settings and pins are kept, or "off"; a person may set it, too."""
OFF = "off"
"""A workspace that is none."""


def run(args: argparse.Namespace) -> int:
    """Look at the files to open, then serve until the server ends or is stopped."""
    need("the dashboard", SERVES)
    with TemporaryDirectory(prefix="fairviz-") as streams:
        return _serve(args, _opened(args, Path(streams)))


def _serve(args: argparse.Namespace, opened: str) -> int:
    """Serve until the server ends or is stopped, and open the browser once it answers."""
    folder = dashboard_folder()
    host: str = args.host if args.host is not None else os.environ.get(ADDRESS) or "127.0.0.1"
    told = {**_told(args, host), OPENED: opened}
    told[WORKSPACE] = _workspace(
        args, is_ours=host in LOCAL and not told[ALLOW_HOST] and not hosting.serves_others(told)
    )
    port = _port(host, args.port)
    local = "127.0.0.1" if host in {"0.0.0.0", "::"} else host
    base = told.get(hosting.BASE_PATH.variable, "")
    address = f"http://[{local}]:{port}{base}" if ":" in local else f"http://{local}:{port}{base}"
    print(f"Starting the dashboard at {address} …", file=sys.stderr, flush=True)
    browses = not (args.headless or _truthy(os.environ.get("HEADLESS", "")))
    threading.Thread(target=_say_when_ready, args=(address,), kwargs={"browses": browses}, daemon=True).start()
    _run_server(folder, host, port, told)
    return 0


def _told(args: argparse.Namespace, host: str = "127.0.0.1") -> dict[str, str]:
    """What the server hears from us: names to answer to, and what it is for others."""
    given = [*args.allow_host, os.environ.get(ALLOW_HOST, "")]
    allowed = ",".join(name for name in given if name)
    Hosts.of(asked=host, allowed=allowed)
    return {ALLOW_HOST: allowed, **hosting.told(args)}


def _workspace(args: argparse.Namespace, *, is_ours: bool) -> str:
    """Where things are kept, for the server, which runs in another folder; empty: where it keeps them by itself.

    Raises:
        UsageError: Files that stay where they are would be kept as well, or others could see what is.
    """
    if args.workspace and args.workspace != OFF:
        if args.files or args.qrels:
            raise UsageError("--workspace keeps what is added on Data; files that are named stay where they are")
        if not is_ours:
            raise UsageError("--workspace is for one person: a server that others reach keeps nothing")
    asked: str = args.workspace or os.environ.get(WORKSPACE, "")
    return asked if asked in {"", OFF} else str(Path(asked).resolve())


def _opened(args: argparse.Namespace, streams: Path) -> str:
    """The files to open, for the server: where they are, and those that came through a pipe in a folder of ours.

    Raises:
        InputError: One of them is not there, or nobody knows what it is.
    """
    if not args.files and not args.qrels:
        return ""
    from fairviz.cli._data import qrels_argument  # heavy, and needed by few starts
    from fairviz.io.manifest import DataPath, as_text, check
    from fairviz.io.options import Options
    from fairviz.reporting.study_file import alone, read_study

    given: list[DataPath] = []
    judged = [(file, Options(role="qrels", generator=generator)) for generator, file in map(qrels_argument, args.qrels)]
    for i, (file, options) in enumerate([*((file, Options()) for file in args.files), *judged]):
        path = Path(file)
        if not path.is_dir():
            source = source_of(file, "qrels" if options.role == "qrels" else "scoreddocs")
            if source.path is None:
                path = streams / str(i) / source.stem.replace(":", "-")
                path.parent.mkdir()
                path.write_bytes(source.content)
        given.append(DataPath(path.resolve(), options))
    if (study := alone(given)) is not None:
        read_study(study)
    else:
        check(given)
    return as_text(given)


def _run_server(folder: Path, host: str, port: int, told: dict[str, str]) -> None:
    """Serve in this process, from the dashboard's folder, whose settings then hold, until somebody asks for the end."""
    os.environ.update(told)
    os.chdir(folder)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _leave)  # the server raises them again once it has ended
    from streamlit.web.cli import main  # reads the settings of the folder that is current when it is loaded

    options = {"address": host, "port": str(port), "headless": "true"}
    flags = [f"--server.{name}={value}" for name, value in options.items()]
    # Streamlit's own greeting would ask another server for this machine's address on the internet.
    flags.append("--logger.hideWelcomeMessage=true")
    main(["run", str(folder / "asgi.py"), *flags], standalone_mode=False)


def _leave(number: int, frame: FrameType | None) -> None:
    del number, frame
    sys.exit(0)


def _port(host: str, asked: int | None) -> int:
    """The port asked for by option or ``$PORT``, else the first free one."""
    text = os.environ.get("PORT", "")
    if asked is None and text:
        if not text.isdigit():
            raise UsageError(f"PORT={text}: expected a port number")
        asked = int(text)
    if asked is None:
        for port in range(DEFAULT_PORT, DEFAULT_PORT + PORTS_TRIED):
            if _is_free(host, port):
                return port
        raise UsageError(f"no free port from {DEFAULT_PORT} on: choose one with --port")
    if not 1 <= asked <= 65535:
        raise UsageError(f"port {asked}: expected 1 to 65535")
    if not _is_free(host, asked):
        raise UsageError(f"port {asked} is taken: choose another with --port")
    return asked


def _is_free(host: str, port: int) -> bool:
    """Whether this machine can listen there; a host that can never be, or a port that is not ours, is said."""
    if not host:
        raise UsageError("--host is empty: expected an address of this machine, or 0.0.0.0 for all of them")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        if REUSES_ADDRESS:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except socket.gaierror as error:
            raise UsageError(f"--host {host}: {error.strerror}") from error
        except TypeError as error:
            raise UsageError(f"--host {host}: not the name of a machine") from error
        except PermissionError as error:
            raise UsageError(
                f"port {port}: this account may not listen there (ports below 1024 are for administrators); "
                "choose another with --port"
            ) from error
        except OSError as error:
            if error.errno in {errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT}:
                raise UsageError(
                    f"--host {host}: not an address of this machine; "
                    "127.0.0.1 is this machine only, 0.0.0.0 all its addresses"
                ) from error
            return False
    return True


def _say_when_ready(address: str, *, browses: bool) -> None:
    """Wait until the server answers (never through a proxy), say so, and open the browser."""
    import webbrowser  # loaded while the server starts
    from urllib.error import URLError
    from urllib.request import ProxyHandler, build_opener

    ours = build_opener(ProxyHandler({}))
    while True:
        try:
            ours.open(f"{address}/_stcore/health", timeout=2).close()
            break
        except (URLError, ConnectionError, TimeoutError):
            time.sleep(0.02)
    print(f"fairviz is ready at {address} (stop with Ctrl+C)", flush=True)
    if browses:
        webbrowser.open(address)


def _truthy(text: str) -> bool:
    return text.strip().lower() in {"1", "true", "yes", "on"}
