"""The image's start line as it stands, behind a proxy below a path, in frames of another site."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser

from tests.app.reading import QRELS, RUN
from tests.dashboard import ROOT, command_of, free_port, served, variables_of_image
from tests.e2e.proxy import Proxy
from tests.e2e.tab import Tab
from tests.e2e.test_server import ask

PATH = "/lab/fairviz"

pytestmark = pytest.mark.slow


class Hosted(NamedTuple):
    """A server as others use it.

    Attributes:
        address: Where the proxy answers for it.
        proxy: The proxy.
        allowed, other: Origins of pages that show it in a frame; the first one may.
        environment: What the image's commands run in.
    """

    address: str
    proxy: Proxy
    allowed: str
    other: str
    environment: dict[str, str]


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """The image's command in the image's environment and nothing else, but for what ``docker run -e`` would say."""
    port = free_port()
    with ExitStack() as stack:
        proxy = stack.enter_context(served(Proxy(port, PATH)))
        pages = [stack.enter_context(served(ThreadingHTTPServer(("127.0.0.1", 0), _FramingPage))) for _ in range(2)]
        allowed, other = (f"http://localhost:{page.server_port}" for page in pages)
        environment = {
            **variables_of_image(),
            "PATH": os.defpath,
            "HOME": str(tmp_path_factory.mktemp("home")),
            "NUMBA_CPU_NAME": "",  # kernels of this checkout are compiled for its own processor
            "FAIRVIZ_ADDRESS": "127.0.0.1",
            "PORT": str(port),
            "FAIRVIZ_ALLOW_HOST": f"127.0.0.1:{proxy.port}",
            "FAIRVIZ_BASE_PATH": PATH,
            "FAIRVIZ_EMBED_FROM": allowed,
        }
        for page in pages:
            page.address = f"http://127.0.0.1:{proxy.port}{PATH}/data"  # type: ignore[attr-defined]
        with subprocess.Popen(
            command_of("CMD"), cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
        ) as server:
            assert f"fairviz is ready at http://127.0.0.1:{port}{PATH}" in server.stdout.readline()
            yield Hosted(f"http://127.0.0.1:{proxy.port}{PATH}", proxy, allowed, other, environment)
            server.terminate()


class _FramingPage(BaseHTTPRequestHandler):
    """A page of a learning platform that shows the dashboard."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        address = self.server.address  # type: ignore[attr-defined]
        self.wfile.write(f'<iframe name="frame" width="1200" height="900" src="{address}"></iframe>'.encode())

    def log_message(self, format: str, *args: object) -> None:
        pass


def test_the_image_says_whether_it_is_well(hosted: Hosted) -> None:
    check = command_of("HEALTHCHECK")
    for port, code in ((hosted.environment["PORT"], 0), (str(free_port()), 1)):
        done = subprocess.run(check, cwd=ROOT, env={**hosted.environment, "PORT": port}, stderr=subprocess.PIPE)
        assert done.returncode == code, done.stderr


def test_nothing_answers_beside_the_path(hosted: Hosted) -> None:
    server = f"http://127.0.0.1:{hosted.environment['PORT']}"
    for path in ("/", "/data", "/_stcore/health", "/static/favicon.png"):
        assert ask(server, path).status == 404, path


def test_behind_a_proxy_a_page_finds_all_that_is_its_own(hosted: Hosted, browser: Browser) -> None:
    context = browser.new_context()
    tab = Tab(context, hosted.address)
    tab.go("tradeoff?alpha=2")
    assert tab.page.locator(".stPlotlyChart").count() > 0
    name, content = tab.download("CSV")
    assert name.endswith(".csv")
    assert content
    tab.follow("Groups & targets")  # its rows are a component of its own, with files
    tab.page.locator(".fv-targets").wait_for()
    assert tab.page.url.startswith(f"{hosted.address}/groups")
    assert {cookie["path"] for cookie in context.cookies()} <= {PATH, "/"}
    assert (tab.errors, tab.outside, hosted.proxy.beside) == ([], [], [])
    context.close()


def test_a_frame_works_on_pages_of_an_allowed_origin_and_is_refused_to_others(
    hosted: Hosted, browser: Browser, tmp_path: Path
) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(hosted.allowed)
    frame = page.frame_locator("iframe")
    frame.get_by_role("heading", level=1).wait_for()  # it came by the web socket
    files = {"small.run": RUN, "small.qrels": QRELS}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    frame.locator('input[type="file"]').first.set_input_files([tmp_path / name for name in files])
    frame.locator(".fv-loaded.fv-unsaved", has_text="The 2 files live in this tab only").wait_for()
    kept = {cookie["name"]: cookie for cookie in context.cookies(hosted.address)}
    assert {"_streamlit_xsrf", "fairviz-browser"} <= kept.keys()
    assert all(one["sameSite"] == "None" and one["secure"] for one in kept.values())
    elsewhere = context.new_page()
    with elsewhere.expect_console_message(lambda message: "frame-ancestors" in message.text):
        elsewhere.goto(hosted.other)
    context.close()
