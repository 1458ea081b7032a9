"""``fv.show``: the command that is started, what it is given, and that it ends."""

import socket
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.request import urlopen

import pytest

import fairviz as fv
from fairviz.api import dashboard
from fairviz.io.qrels import read_qrels
from fairviz.io.rankings import read_run

READY = "print('fairviz is ready at http://127.0.0.1:8501 (stop with Ctrl+C)', flush=True); input()"


class Started(dashboard.Dashboard):
    """A dashboard whose command is looked at and not started: a program that only says that it is ready."""

    command: list[str]
    held: dict[str, bytes]

    def __init__(self, command: list[str], folder: TemporaryDirectory[str], *, framed: bool, height: int) -> None:
        self.command = command[3:]
        self.held = {path.name: path.read_bytes() for path in Path(folder.name).iterdir()}
        super().__init__([sys.executable, "-c", READY], folder, framed=framed, height=height)


def test_the_command_opens_what_is_in_memory_until_it_is_closed(example: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dashboard, "Dashboard", Started)
    run, judged = fv.run({"q": {"a": 2, "b": 1}}, name="a b"), fv.qrels({"q": {"a": 1}}, generator="llama", name="use")
    with fv.show(run, judged, example / "region.tsv", port=8600, embed_from="http://localhost:8888") as shown:
        assert isinstance(shown, Started)
        assert shown.url == "http://127.0.0.1:8501"
        assert set(shown.held) == {"a-b.run", "use.qrels"}
        assert read_run(("a", shown.held["a-b.run"])).value.system == "a_b"
        assert read_qrels(("a", shown.held["use.qrels"])).value.grades.tolist() == [1]
        action, *files, option, labels, headless, port, number, embed, origin = shown.command
        assert (action, headless, port, number) == ("app", "--headless", "--port", "8600")
        assert [Path(file).name for file in files] == ["a-b.run", "region.tsv"]
        assert (option, labels.partition("=")[0], Path(labels).name) == ("--qrels", "llama", "use.qrels")
        assert (embed, origin) == ("--embed-from", "http://localhost:8888")
        html = shown._repr_html_()
        assert 'href="http://127.0.0.1:8501"' in html
        assert "<iframe" in html
        folder = Path(files[0]).parent
        assert folder.is_dir()
    assert not folder.exists()
    assert shown._launcher.poll() == 1  # its input came to an end; it was not killed after a while
    shown.close()  # again, as at the end of the program


def test_why_it_did_not_start_is_the_launchers_last_line() -> None:
    with pytest.raises(fv.FairvizError, match=r"^port 99999: expected 1 to 65535$"):
        fv.show(port=99999)


SHOWS = """
import time, fairviz as fv
print(fv.show(fv.run({"q": {"a": 2, "b": 1}}, name="one")).url, flush=True)
time.sleep(600)
"""


@pytest.mark.slow
def test_a_killed_notebook_takes_its_dashboard_with_it() -> None:
    notebook = subprocess.Popen([sys.executable, "-c", SHOWS], stdout=subprocess.PIPE, text=True)
    with notebook.stdout as said:
        url = said.readline().strip()
        assert urlopen(f"{url}/_stcore/health").read()
        notebook.kill()
        notebook.wait()
        assert said.read() == ""
    port = int(url.rpartition(":")[2])
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)):
                return
        time.sleep(0.05)
    pytest.fail("the dashboard still answers")
