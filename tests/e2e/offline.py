"""What the dashboard and a command ask of a network that is not there; run inside a network namespace.

``unshare -n python -m tests.e2e.offline FOLDER`` prints what it saw as JSON. Two witnesses: a hook in every
Python process names what is connected to or looked up beyond this machine, and the kernel counts what
any process sends to where no route leads.
"""

import fcntl
import json
import os
import signal
import socket
import struct
import subprocess
import sys
from pathlib import Path
from urllib.request import ProxyHandler, build_opener

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from tests.dashboard import ROOT, launched

HOOK = """
import os, sys

def heard(event, arguments):
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        address = arguments[1]
    elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
        address = arguments[:1]
    else:
        return
    host = address[0] if isinstance(address, tuple) else None
    host = host.decode() if isinstance(host, bytes) else host
    if host and host not in ("localhost", "::1", "::", "0.0.0.0") and not host.startswith("127."):
        with open(os.environ["OFFLINE_LOG"], "a") as log:
            log.write(f"{event} {host}\\n")

sys.addaudithook(heard)
"""
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1


def main(folder: Path) -> None:
    """Start, load, move, ask with a foreign origin, run a command, end the dashboard; print what was seen."""
    loopback_up()
    (folder / "sitecustomize.py").write_text(HOOK)
    log = folder / "log"
    log.touch()
    environment = {"PYTHONPATH": f"{folder}{os.pathsep}{ROOT}", "OFFLINE_LOG": str(log)}
    environment["STREAMLIT_LOGGER_HIDE_WELCOME_MESSAGE"] = "false"  # what a person may have set
    before = unrouted()
    server = launched("--host", "0.0.0.0", folder=folder, stderr=subprocess.PIPE, **environment)
    with server as address:
        place = address.removeprefix("http://")
        titles = [visited(place, "k=5"), visited(place, "k=3")]
        refused = refusals(place)
        with build_opener(ProxyHandler({})).open(f"{address}/tradeoff?system=private") as answer:
            answer.read()
        example = ROOT / "tests" / "small" / "data" / "demo"
        evaluate = [
            "evaluate",
            str(example / "bm25.run"),
            "--qrels",
            str(example / "usefulness.qrels"),
            "-m",
            "nDCG@10",
        ]
        command = [sys.executable, "-m", "fairviz", *evaluate]
        done = subprocess.run(
            command, cwd=folder, env={**os.environ, **environment}, stdout=subprocess.DEVNULL, check=False
        )
        attempts, lost = log.read_text().splitlines(), unrouted() - before
        server.process.send_signal(signal.SIGKILL)
        said = server.process.stderr.read()  # ends when the dashboard has ended
        alive = listening(place)
    subprocess.run(
        [sys.executable, "-c", "import socket; socket.create_connection(('192.0.2.1', 9))"],
        env={**os.environ, **environment},
        stderr=subprocess.DEVNULL,
        check=False,
    )
    control = {"attempts": log.read_text().splitlines()[len(attempts) :], "lost": unrouted() - before - lost}
    seen = {"titles": titles, "refused": refused, "command": done.returncode, "attempts": attempts, "lost": lost}
    sys.stdout.write(json.dumps({**seen, "said": said, "alive": alive, "control": control}))


def loopback_up() -> None:
    """A new namespace has a loopback that is down, and nothing else."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        asked = struct.pack("16sh14x", b"lo", 0)
        (flags,) = struct.unpack_from("h", fcntl.ioctl(any_socket, SIOCGIFFLAGS, asked), 16)
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | IFF_UP))


def unrouted() -> int:
    """Packets and connections of this namespace so far that no route led anywhere for."""
    names, values = (line.split() for line in Path("/proc/net/snmp").read_text().splitlines() if line.startswith("Ip:"))
    six = dict(line.split() for line in Path("/proc/net/snmp6").read_text().splitlines())
    return int(dict(zip(names, values, strict=True))["OutNoRoutes"]) + int(six["Ip6OutNoRoutes"])


def visited(place: str, query: str) -> str:
    """Load the trade-off page at a setting, as the front end does; its title once the server has drawn it."""
    with opened(place, name=place, origin=f"http://{place}") as line:
        asked = BackMsg()
        asked.rerun_script.page_name = "tradeoff"
        asked.rerun_script.query_string = query
        line.send(asked.SerializeToString())
        return drawn(line)


def opened(place: str, *, name: str, origin: str) -> ClientConnection:
    """A web socket to the server, whatever name it is called by."""
    host, _, port = place.rpartition(":")
    return connect(
        f"ws://{name}/_stcore/stream",
        origin=Origin(origin),
        sock=socket.create_connection((host, int(port))),
        max_size=None,
    )


def drawn(line: ClientConnection) -> str:
    """The last heading with which a run of the page ended well."""
    text, done = "", ForwardMsg()
    while done.WhichOneof("type") != "script_finished" or done.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN:
        done.ParseFromString(line.recv(timeout=60))
        if done.WhichOneof("type") == "delta" and "<h1" in done.delta.new_element.html.body:
            text = done.delta.new_element.html.body
    assert done.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY
    return text


def refusals(place: str) -> list[int]:
    """The status that a page of another origin gets for a web socket, and a page whose name was rebound."""
    codes: list[int] = []
    for name, origin in ((place, "http://192.0.2.9"), ("evil.example", "http://evil.example")):
        try:
            opened(place, name=name, origin=origin).close()
        except InvalidStatus as error:
            codes.append(error.response.status_code)
    return codes


def listening(place: str) -> bool:
    """Whether a server still answers there."""
    host, _, port = place.rpartition(":")
    with socket.socket() as probe:
        return probe.connect_ex((host, int(port))) == 0


if __name__ == "__main__":
    main(Path(sys.argv[1]))
