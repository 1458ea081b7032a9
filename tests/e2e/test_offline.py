"""Nothing asks the network for anything: the dashboard and a command where there is none but the loopback."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.dashboard import ROOT


def alone() -> list[str]:
    """The command that runs another in a network namespace of its own."""
    if shutil.which("unshare") is None:
        pytest.skip("no unshare on this system: network namespaces are Linux's")
    why = ""
    for way in (["unshare", "-n"], ["unshare", "-r", "-n"]):
        tried = subprocess.run([*way, "true"], capture_output=True, text=True, check=False)
        if tried.returncode == 0:
            return way
        why = tried.stderr.strip()
    pytest.skip(f"no network namespace for this account: {why}")


@pytest.mark.slow
def test_nothing_beyond_this_machine_is_asked(tmp_path: Path) -> None:
    command = [*alone(), sys.executable, "-m", "tests.e2e.offline", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout.splitlines()[-1])
    assert len(set(seen["titles"])) == 2, "a page that was loaded, and moved"
    assert seen["refused"] == [403, 403]
    assert seen["command"] == 0
    assert (seen["attempts"], seen["lost"]) == ([], 0)
    # Both witnesses see a connection that is tried.
    assert seen["control"] == {"attempts": ["socket.getaddrinfo 192.0.2.1", "socket.connect 192.0.2.1"], "lost": 1}
    # It was killed, and nothing of it lives on.
    assert not seen["alive"]
    assert "Traceback" not in seen["said"]
    assert "private" not in seen["said"], "an address in the log"
