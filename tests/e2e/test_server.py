"""What every answer of the server carries."""

import urllib.request

from asgi import HEADERS


def test_every_answer_of_the_server_has_the_headers(server: str) -> None:
    for path in ("/", "/data", "/_stcore/health", "/no/such/thing.js"):
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _Quiet())
        with opener.open(server + path, timeout=20) as answer:
            for name, value in HEADERS:
                assert answer.headers[name.decode()] == value.decode(), path


class _Quiet(urllib.request.HTTPErrorProcessor):
    """Answers with an error status are looked at, too."""

    def http_response(self, request, response):  # type: ignore[no-untyped-def]
        return response


def test_the_page_tells_the_front_end_where_the_server_is(server: str) -> None:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(f"{server}/data", timeout=20) as answer:
        body = answer.read()
        assert len(body) == int(answer.headers["content-length"])
    assert b"<head><script>window.__streamlit=" in body
