"""What a server is told that others use, too: by options, or by the environment of a container.

The command checks both, an option before its variable, and hands them on in these variables, where the pages read
them. What Streamlit itself decides goes to it under the name that it knows.
"""

import argparse
import math
import os
import re
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from fairviz.errors import UsageError
from fairviz.extras import installing
from fairviz.hosts import embedder
from fairviz.io.limits import MAX_UPLOAD as LARGEST_UPLOAD

BROWSER = "fairviz-browser"
"""Cookie of the random token that tells one browser from another; it ends with the browser."""

SIGNED_IN: set[str] = set()
"""Sessions whose person has signed in: only they may send files where people sign in."""


class Option(NamedTuple):
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
        """Its attribute among the arguments."""
        return self.flag.removeprefix("--").replace("-", "_")


_PATH = re.compile(r"(/[A-Za-z0-9._~-]+)+")


def _path(text: str) -> str:
    path = f"/{text.strip('/')}"
    if not _PATH.fullmatch(path) or ".." in path:
        raise ValueError("expected a path such as /fairviz, of letters, digits and . _ ~ -")
    return path


def _whole(text: str, least: int, most: float = math.inf) -> str:
    if not (text.isdecimal() and least <= int(text) <= most):
        upper = "on" if most == math.inf else f"to {most:.0f}"
        raise ValueError(f"expected a whole number from {least} {upper}")
    return str(int(text))


def _megabytes(text: str) -> str:
    return _whole(text, 1, LARGEST_UPLOAD // 1024**2)


def _session_megabytes(text: str) -> str:
    return _whole(text, 1)


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
    known = {key: value for key, value in section.items() if key in PROVIDER_KEYS and isinstance(value, str) and value}
    if missing := [key for key in PROVIDER_KEYS if key not in known]:
        raise ValueError(f"[auth] has to give {', '.join(missing)}, each a text")
    if not known["redirect_uri"].endswith(CALLBACK):
        raise ValueError(f"redirect_uri is the dashboard's address with {CALLBACK} at the end")
    if len(known["cookie_secret"]) < SHORTEST_SECRET:
        raise ValueError(f"cookie_secret has to be random and of at least {SHORTEST_SECRET} characters")
    return known


CALLBACK = "/oauth2callback"


def _provider_file(text: str) -> str:
    provider(text)
    if missing := [name for name in ("authlib", "httpx") if find_spec(name) is None]:
        raise ValueError(f"{' and '.join(missing)} not installed: {installing(['signin'])}")
    return str(Path(text).resolve())


EMBED_FROM = Option(
    "--embed-from",
    "FAIRVIZ_EMBED_FROM",
    embedder,
    many=True,
)
BASE_PATH = Option(
    "--base-path",
    "FAIRVIZ_BASE_PATH",
    _path,
    streamlit="STREAMLIT_SERVER_BASE_URL_PATH",
)
SIGN_IN = Option(
    "--sign-in",
    "FAIRVIZ_SIGN_IN",
    _provider_file,
)
MAX_UPLOAD = Option(
    "--max-upload",
    "FAIRVIZ_MAX_UPLOAD",
    _megabytes,
    streamlit="STREAMLIT_SERVER_MAX_UPLOAD_SIZE",
)
SESSION_MEMORY = Option(
    "--session-memory",
    "FAIRVIZ_SESSION_MEMORY",
    _session_megabytes,
)
OPTIONS = (EMBED_FROM, BASE_PATH, SIGN_IN, MAX_UPLOAD, SESSION_MEMORY)


def serves_others(environment: Mapping[str, str]) -> bool:
    """Whether people of other machines may come, by what the server was told: names, frames, a path, signing in."""
    return any(environment.get(one.variable) for one in (EMBED_FROM, BASE_PATH, SIGN_IN))


def told(args: argparse.Namespace) -> dict[str, str]:
    """The variables that the server hears, for what options or the environment ask.

    Raises:
        UsageError: A value is none that its option can take, named with what was expected; or two exclude each other.
    """
    variables: dict[str, str] = {}
    for option in OPTIONS:
        given: str | list[str] | None = getattr(args, option.name)
        texts = [given] if isinstance(given, str) else given
        value = ",".join(_read(option, f"{option.flag} {text}", text) for text in texts) if texts else asked(option)
        if value:
            variables[option.variable] = value
            if option.streamlit:
                variables[option.streamlit] = value
    if EMBED_FROM.variable in variables and SIGN_IN.variable in variables:
        raise UsageError("--embed-from and --sign-in: choose one; no provider lets people sign in within a frame")
    return variables


def asked(option: Option, environment: Mapping[str, str] = os.environ) -> str:
    """What the environment says of an option, in its one form; empty where it says nothing.

    Raises:
        UsageError: It is none that the option can take.
    """
    text = environment.get(option.variable, "")
    parts = [part.strip() for part in text.split(",")] if option.many else [text.strip()]
    return ",".join(_read(option, f"{option.variable}={part}", part) for part in parts if part)


def _read(option: Option, said: str, text: str) -> str:
    try:
        return option.read(text)
    except ValueError as error:
        raise UsageError(f"{said}: {error}") from None
