"""What the server does with a file on its way in: take it, or leave its content outside and remember why.

Streamlit holds a file in memory from its arrival on, before any page has heard of it. So that is where there has to
be room. A file that is turned away arrives empty, under its name, and its card on the page says the reason.
"""

import re
from collections import OrderedDict
from contextlib import ExitStack

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.runtime import Runtime
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager

from fairviz.errors import InputError
from fairviz.io.limits import MAX_UPLOAD

UPLOADS = re.compile(r"/_stcore/upload_file/(?P<session>[^/]+)/(?P<file>[^/]+)$")
"""Where the front end sends a file."""

REMEMBERED = 1000
"""Files that were turned away and that no page has asked for yet; older ones are forgotten."""

_TURNED_AWAY: OrderedDict[str, InputError] = OrderedDict()
_END_OF_HEAD = b"\r\n\r\n"


def why_turned_away(file_id: str) -> InputError | None:
    """Why a file has come without its content; None where it has come whole."""
    return _TURNED_AWAY.pop(file_id, None)


class Door:
    """Lets a file in where the budget has room for it.

    Args:
        app: What takes it.
        sign_in: Whether it must come from the session of somebody who has signed in.
    """

    def __init__(self, app: ASGIApp, *, sign_in: bool = False) -> None:
        self.app = app
        self.sign_in = sign_in

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, a file without room without its content."""
        upload = UPLOADS.search(scope["path"]) if scope["type"] == "http" and scope["method"] == "PUT" else None
        if upload is None:
            await self.app(scope, receive, send)
            return
        if self.sign_in and not _is_signed_in(upload["session"]):  # before a byte of it is in memory
            await PlainTextResponse("Sign in before you add files.\n", 403)(scope, receive, send)
            return
        headers = dict(scope["headers"])
        length = headers.get(b"content-length", b"")
        size = int(length) if length.isdigit() else MAX_UPLOAD
        from pages._server.budget import BUDGET  # it knows arrays and formats: when the first file comes

        with ExitStack() as room:
            _end_closed_sessions()
            try:
                room.enter_context(BUDGET.arriving(upload["session"], size))
            except InputError as error:
                _remember(upload["file"], error)
                boundary = headers.get(b"content-type", b"").partition(b"boundary=")[2].strip(b'"')
                receive = _without_content(receive, boundary)
            await self.app(scope, receive, send)


def _is_signed_in(session: str) -> bool:
    """Whether a session is open whose browser has signed in; there is no public way to ask for another session's."""
    manager = Runtime.instance()._session_mgr if Runtime.exists() else None
    info = manager.get_active_session_info(session) if manager is not None else None
    return info is not None and bool(info.session._user_info.get("is_logged_in"))


def _end_closed_sessions() -> None:
    """End sessions whose tabs were closed two minutes ago: Streamlit does so no sooner than another tab is closed."""
    manager = Runtime.instance()._session_mgr if Runtime.exists() else None
    if isinstance(manager, WebsocketSessionManager) and isinstance(manager._session_storage, MemorySessionStorage):
        len(manager._session_storage._cache)  # counting removes what is over, and there is no public way


def _remember(file_id: str, error: InputError) -> None:
    _TURNED_AWAY[file_id] = error
    while len(_TURNED_AWAY) > REMEMBERED:
        _TURNED_AWAY.popitem(last=False)


def _without_content(receive: Receive, boundary: bytes) -> Receive:
    """A form of one file, as it is sent, with the file's name and none of its bytes."""

    async def emptied() -> Message:
        head, more = b"", True
        while more:
            message = await receive()
            if message["type"] != "http.request":
                return message
            if _END_OF_HEAD not in head:
                head += message.get("body", b"")
            more = message.get("more_body", False)
        head = head[: head.find(_END_OF_HEAD) + len(_END_OF_HEAD)]
        return {"type": "http.request", "body": head + b"\r\n--" + boundary + b"--\r\n", "more_body": False}

    return emptied
