"""``fairviz app``: start the dashboard, and say so when its first page is ready.

What a server is told that others use, too, comes from options or from the environment of a container. The command
checks both, an option before its variable, and hands them on in these variables, where the pages read them. What
Streamlit itself decides goes to it under the name that it knows.
"""

import argparse
import errno
import math
import os
import re
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Mapping
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from fairviz.cli._streams import source_of
from fairviz.errors import UsageError
from fairviz.extras import SERVES, installing, need
from fairviz.hosts import LOCAL, Hosts, embedder
from fairviz.io.limits import MAX_UPLOAD as LARGEST_UPLOAD
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


def app(args: argparse.Namespace) -> int:
    """Look at the files to open, then serve until the server ends or is stopped."""
    need("the dashboard", SERVES)
    with TemporaryDirectory(prefix="fairviz-") as streams:
        return _serve(args, _opened(args, Path(streams)))


def _serve(args: argparse.Namespace, opened: str) -> int:
    """Serve until the server ends or is stopped, and open the browser once it answers."""
    folder = dashboard_folder()
    host: str = args.host if args.host is not None else os.environ.get(ADDRESS) or "127.0.0.1"
    variables = {**_host_variables(args, host), OPENED: opened}
    variables[WORKSPACE] = _workspace(
        args, is_ours=host in LOCAL and not variables[ALLOW_HOST] and not serves_others(variables)
    )
    port = _port(host, args.port)
    local = "127.0.0.1" if host in {"0.0.0.0", "::"} else host
    base = variables.get(BASE_PATH.variable, "")
    address = f"http://[{local}]:{port}{base}" if ":" in local else f"http://{local}:{port}{base}"
    print(f"Starting the dashboard at {address} …", file=sys.stderr, flush=True)
    browses = not args.headless and os.environ.get("HEADLESS", "").lower() not in {"1", "true", "yes", "on"}
    threading.Thread(target=_say_when_ready, args=(address,), kwargs={"browses": browses}, daemon=True).start()
    _run_server(folder, host, port, variables)
    return 0


def _host_variables(args: argparse.Namespace, host: str = "127.0.0.1") -> dict[str, str]:
    """What the server hears from us: names to answer to, and what it is for others."""
    hosts = [*args.allow_host, os.environ.get(ALLOW_HOST, "")]
    allowed = ",".join(name for name in hosts if name)
    Hosts.of(address=host, allowed=allowed)
    return {ALLOW_HOST: allowed, **server_variables(args)}


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
    folder: str = args.workspace or os.environ.get(WORKSPACE, "")
    return folder if folder in {"", OFF} else str(Path(folder).resolve())


def _opened(args: argparse.Namespace, streams: Path) -> str:
    """The files to open, for the server: where they are, and those that came through a pipe in a folder of ours.

    Raises:
        InputError: One of them is not there, or nobody knows what it is.
    """
    if not args.files and not args.qrels:
        return ""
    from fairviz.cli._data import qrels_argument  # heavy, and needed by few starts
    from fairviz.io.dataset import check_paths
    from fairviz.io.manifest import DataPath, as_text
    from fairviz.io.source import Options
    from fairviz.reporting.study_file import alone, read_study

    paths: list[DataPath] = []
    judged = [(file, Options(role="qrels", generator=generator)) for generator, file in map(qrels_argument, args.qrels)]
    for i, (file, options) in enumerate([*((file, Options()) for file in args.files), *judged]):
        path = Path(file)
        if not path.is_dir():
            source = source_of(file, "qrels" if options.role == "qrels" else "scoreddocs")
            if source.path is None:
                path = streams / str(i) / source.stem.replace(":", "-")
                path.parent.mkdir()
                path.write_bytes(source.content)
        paths.append(DataPath(path.resolve(), options))
    if (study := alone(paths)) is not None:
        read_study(study)
    else:
        check_paths(paths)
    return as_text(paths)


def _run_server(folder: Path, host: str, port: int, variables: dict[str, str]) -> None:
    """Serve in this process, from the dashboard's folder, whose settings then hold, until somebody asks for the end."""
    os.environ.update(variables)
    os.chdir(folder)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(0))  # the server raises them again once it has ended
    from streamlit.web.cli import main  # reads the settings of the folder that is current when it is loaded

    options = {"address": host, "port": str(port), "headless": "true"}
    flags = [f"--server.{name}={value}" for name, value in options.items()]
    # Streamlit's own greeting would ask another server for this machine's address on the internet.
    flags.append("--logger.hideWelcomeMessage=true")
    main(["run", str(folder / "asgi.py"), *flags], standalone_mode=False)


def _port(host: str, number: int | None) -> int:
    """The port asked for by option or ``$PORT``, else the first free one."""
    text = os.environ.get("PORT", "")
    if number is None and text:
        if not text.isdigit():
            raise UsageError(f"PORT={text}: expected a port number")
        number = int(text)
    if number is None:
        for port in range(DEFAULT_PORT, DEFAULT_PORT + PORTS_TRIED):
            if _is_free(host, port):
                return port
        raise UsageError(f"no free port from {DEFAULT_PORT} on: choose one with --port")
    if not 1 <= number <= 65535:
        raise UsageError(f"port {number}: expected 1 to 65535")
    if not _is_free(host, number):
        raise UsageError(f"port {number} is taken: choose another with --port")
    return number


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
        except (OSError, TypeError) as error:  # TypeError: what no name of a machine can hold
            reason = getattr(error, "strerror", None) or "not the name of a machine"
            if getattr(error, "errno", None) == errno.EADDRINUSE:
                return False
            raise UsageError(
                f"--host {host}, port {port}: {reason}; 127.0.0.1 is this machine only, 0.0.0.0 all its addresses, "
                "ports below 1024 are for administrators: choose another with --port"
            ) from error
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


# What a server is told that others use, too.


BROWSER = "fairviz-browser"
"""Cookie of the random token that tells one browser from another; it ends with the browser."""

SIGNED_IN: set[str] = set()
"""Sessions whose person has signed in: only they may send files where people sign in."""


class ServerOption(NamedTuple):
    """An option of ``fairviz app``, declared in ``content/commands.yaml``, and the variable that stands for it.

    Attributes:
        flag: The option.
        variable: Of the environment.
        read: Brings a value to its one form; raises ``ValueError`` with what was expected.
        many: Whether it may be repeated; a variable has commas.
        streamlit: Streamlit's own variable for it.
    """

    flag: str
    variable: str
    read: Callable[[str], str]
    many: bool = False
    streamlit: str = ""

    @property
    def name(self) -> str:
        """The attribute of parsed arguments that holds this option."""
        return self.flag.removeprefix("--").replace("-", "_")


_PATH = re.compile(r"(/[A-Za-z0-9._~-]+)+")


def _path(text: str) -> str:
    path = f"/{text.strip('/')}"
    if not _PATH.fullmatch(path) or ".." in path:
        raise ValueError("expected a path such as /fairviz, of letters, digits and . _ ~ -")
    return path


LARGEST_MB = LARGEST_UPLOAD // 1024**2


def _whole_number(text: str, most: float = math.inf) -> str:
    if not (text.isdecimal() and 1 <= int(text) <= most):
        raise ValueError(f"expected a whole number from 1 {'on' if most == math.inf else f'to {most:.0f}'}")
    return str(int(text))


PROVIDER_KEYS = ("redirect_uri", "cookie_secret", "client_id", "client_secret", "server_metadata_url")
"""What Streamlit has to know of who signs people in, and of itself as that provider knows it."""
SHORTEST_SECRET = 32


def provider(path: str) -> dict[str, str]:
    """Who signs people in: ``[auth]`` of a TOML file, as Streamlit has it in ``secrets.toml``; empty without a file.

    Raises:
        ValueError: It cannot be read, or something is missing.
    """
    if not path:
        return {}
    import tomllib  # where somebody signs in: every start would wait for it

    try:
        section = tomllib.loads(Path(path).read_text(encoding="utf-8")).get("auth", {})
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ValueError(getattr(error, "strerror", None) or str(error)) from None
    settings = {
        key: value for key, value in section.items() if key in PROVIDER_KEYS and isinstance(value, str) and value
    }
    if missing := [key for key in PROVIDER_KEYS if key not in settings]:
        raise ValueError(f"[auth] has to give {', '.join(missing)}, each a text")
    if not settings["redirect_uri"].endswith(CALLBACK):
        raise ValueError(f"redirect_uri is the dashboard's address with {CALLBACK} at the end")
    if len(settings["cookie_secret"]) < SHORTEST_SECRET:
        raise ValueError(f"cookie_secret has to be random and of at least {SHORTEST_SECRET} characters")
    return settings


CALLBACK = "/oauth2callback"


def _provider_file(text: str) -> str:
    provider(text)
    if missing := [name for name in ("authlib", "httpx") if find_spec(name) is None]:
        raise ValueError(f"{' and '.join(missing)} not installed: {installing(['signin'])}")
    return str(Path(text).resolve())


EMBED_FROM = ServerOption("--embed-from", "FAIRVIZ_EMBED_FROM", embedder, many=True)
BASE_PATH = ServerOption("--base-path", "FAIRVIZ_BASE_PATH", _path, streamlit="STREAMLIT_SERVER_BASE_URL_PATH")
SIGN_IN = ServerOption("--sign-in", "FAIRVIZ_SIGN_IN", _provider_file)
MAX_UPLOAD = ServerOption(
    "--max-upload",
    "FAIRVIZ_MAX_UPLOAD",
    partial(_whole_number, most=LARGEST_MB),
    streamlit="STREAMLIT_SERVER_MAX_UPLOAD_SIZE",
)
SESSION_MEMORY = ServerOption("--session-memory", "FAIRVIZ_SESSION_MEMORY", _whole_number)
OPTIONS = (EMBED_FROM, BASE_PATH, SIGN_IN, MAX_UPLOAD, SESSION_MEMORY)


def serves_others(environment: Mapping[str, str]) -> bool:
    """Whether people of other machines may come, by what the server was told: names, frames, a path, signing in."""
    return any(environment.get(option.variable) for option in (EMBED_FROM, BASE_PATH, SIGN_IN))


def server_variables(args: argparse.Namespace) -> dict[str, str]:
    """The variables that the server hears, for what options or the environment ask.

    Raises:
        UsageError: A value is none that its option can take, named with what was expected; or two exclude each other.
    """
    variables: dict[str, str] = {}
    for option in OPTIONS:
        argument: str | list[str] | None = getattr(args, option.name)
        texts = [argument] if isinstance(argument, str) else argument
        value = (
            ",".join(_read(option, f"{option.flag} {text}", text) for text in texts)
            if texts
            else environment_value(option)
        )
        if value:
            variables[option.variable] = value
            if option.streamlit:
                variables[option.streamlit] = value
    if EMBED_FROM.variable in variables and SIGN_IN.variable in variables:
        raise UsageError("--embed-from and --sign-in: choose one; no provider lets people sign in within a frame")
    return variables


def environment_value(option: ServerOption) -> str:
    """What the environment says of an option, in its one form; empty where it says nothing.

    Raises:
        UsageError: It is none that the option can take.
    """
    text = os.environ.get(option.variable, "")
    parts = [part.strip() for part in text.split(",")] if option.many else [text.strip()]
    return ",".join(_read(option, f"{option.variable}={part}", part) for part in parts if part)


def _read(option: ServerOption, setting: str, text: str) -> str:
    try:
        return option.read(text)
    except ValueError as error:
        raise UsageError(f"{setting}: {error}") from None
