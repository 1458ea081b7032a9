"""What Windows lacks or does otherwise stands in one module, which asks where it is: nothing else names it."""

import ast
import re
from collections.abc import Iterator

import pytest

from tests.test_direction import ROOT, dotted, modules

SYSTEM = ROOT / "fairviz" / "system.py"
MODULES = {"crypt", "fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}
ONLY_POSIX = {
    *(
        "fork",
        "forkpty",
        "wait",
        "waitpid",
        "wait3",
        "wait4",
        "killpg",
        "setsid",
        "setpgid",
        "getpgid",
        "getsid",
        "nice",
    ),
    *("getuid", "geteuid", "getgid", "getegid", "getgroups", "setuid", "setgid", "getlogin", "uname", "ctermid"),
    *("chown", "fchown", "lchown", "fchmod", "lchmod", "chroot", "mkfifo", "mknod", "sync", "statvfs", "fstatvfs"),
    *("pread", "pwrite", "readv", "writev", "sendfile", "pipe2", "openpty", "ttyname", "tcgetpgrp", "lockf"),
    *(
        "nice",
        "sysconf",
        "confstr",
        "getloadavg",
        "sched_getaffinity",
        "sched_setaffinity",
        "posix_fadvise",
        "posix_fallocate",
    ),
    *("O_DIRECTORY", "O_NOFOLLOW", "O_CLOEXEC", "O_NONBLOCK", "O_SYNC", "O_DSYNC", "WNOHANG", "WEXITSTATUS", "EX_OK"),
}
"""Of ``os``."""
SIGNALS = {"SIGTERM", "SIGINT", "SIGABRT", "SIGFPE", "SIGILL", "SIGSEGV", "SIG_IGN", "SIG_DFL"}
"""That Windows knows."""
NOT_OF_SIGNAL = {"alarm", "pause", "setitimer", "pthread_kill", "pthread_sigmask", "sigwait", "siginterrupt", "SIGALRM"}
OTHERWISE = {
    ("os", "rename"): "fails over an existing file: os.replace",
    ("socket", "SO_REUSEADDR"): "takes a port that another one has: ask system.REUSES_ADDRESS",
}
GUARDED = {("fairviz.cli.app", "SO_REUSEADDR")}
ABSOLUTE = re.compile(r"/(tmp|dev|proc|etc|bin|usr|var|sys|home)\b")
MATCHED = {"fairviz.io.source", "fairviz.io.whole", "pages._kit.budget"}
"""Modules that look whether a path is one of Linux, and do otherwise where it is not."""
TEXTS = {"read_text": 0, "write_text": 1}
"""Methods that take an encoding, and how many arguments come before it."""


LOOKED_AT = (ast.Import, ast.ImportFrom, ast.Attribute, ast.Constant, ast.keyword, ast.Call)
"""Kinds of nodes that can be at fault: most are of another."""


def _found(tree: ast.AST, module: str) -> Iterator[str]:
    for node in ast.walk(tree):
        match node if isinstance(node, LOOKED_AT) else None:
            case ast.Import(names=names):
                yield from (alias.name for alias in names if alias.name.split(".")[0] in MODULES)
            case ast.ImportFrom(module=str(name)) if name.split(".")[0] in MODULES:
                yield name
            case ast.Attribute(value=ast.Name(id="os"), attr=attr) if attr in ONLY_POSIX:
                yield f"os.{attr}"
            case ast.Attribute(value=ast.Name(id="signal"), attr=attr) if attr in NOT_OF_SIGNAL or (
                attr.startswith("SIG") and attr not in SIGNALS
            ):
                yield f"signal.{attr}"
            case ast.Attribute(value=ast.Name(id=of), attr=attr) if (of, attr) in OTHERWISE:
                if (module, attr) not in GUARDED:
                    yield f"{of}.{attr} {OTHERWISE[of, attr]}"
            case ast.Constant(value=str(text)) if ABSOLUTE.match(text) and module not in MATCHED:
                yield f"{text!r} is a path of Linux"
            case ast.keyword(arg="start_new_session" | "preexec_fn" | "pass_fds" as option, value=ast.Constant()):
                yield f"{option}=: system.OWN_SESSION"
            case ast.Call(func=ast.Attribute(attr=attr), args=given, keywords=named) if attr in TEXTS:
                if len(given) <= TEXTS[attr] and all(one.arg != "encoding" for one in named):
                    yield f"{attr}() without an encoding"
            case ast.Call(func=ast.Name(id="open") | ast.Attribute(attr="open"), args=given, keywords=named):
                modes = [one.value for one in given if isinstance(one, ast.Constant) and isinstance(one.value, str)]
                text = any(re.fullmatch(r"[rwax]\+?t?", mode) for mode in modes)
                if text and all(one.arg != "encoding" for one in named):
                    yield "open() of a text without an encoding"
            case ast.Call(func=ast.Attribute(attr="connect"), args=[ast.JoinedStr(), *_]):
                yield "a database by a path in a text: Path.as_uri()"
            case ast.Call(func=ast.Attribute(attr="strftime"), args=[*_, ast.Constant(value=str(form))]) if ":" in form:
                yield f"{form!r} may come into the name of a file"
            case _:
                pass


def test_nothing_is_called_that_windows_lacks() -> None:
    sources = [ROOT / "app.py", ROOT / "asgi.py", *modules("fairviz", "pages")]
    wrong = [
        f"{dotted(path)}: {what}"
        for path in sources
        if path != SYSTEM
        for what in _found(ast.parse(path.read_text(encoding="utf-8")), dotted(path))
    ]
    assert not wrong
    assert len(sources) > 250


@pytest.mark.parametrize(
    "line",
    [
        "import fcntl",
        "from resource import getrusage",
        "os.killpg(1, 9)",
        "os.open('x', os.O_NOFOLLOW)",
        "os.rename('a', 'b')",
        "signal.signal(signal.SIGUSR1, f)",
        "signal.alarm(1)",
        "Path('/tmp/x')",
        "Popen(line, start_new_session=True)",
        "path.read_text()",
        "path.write_text(text)",
        "open('x', 'w')",
        "path.open('r')",
        "sqlite3.connect(f'file:{path}?mode=ro', uri=True)",
        "now.strftime('%H:%M')",
        "probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)",
    ],
)
def test_the_test_sees_what_it_looks_for(line: str) -> None:
    assert list(_found(ast.parse(line), "fairviz.x"))


def test_both_sides_of_the_module_that_asks_offer_the_same() -> None:
    (choice,) = [node for node in ast.parse(SYSTEM.read_text(encoding="utf-8")).body if isinstance(node, ast.If)]
    windows, others = ([*map(_signature, side)] for side in (choice.body, choice.orelse))
    assert {one for one in windows if one} == {one for one in others if one} > {"sync_folder(folder: Path) -> None"}


def _signature(node: ast.stmt) -> str:
    if isinstance(node, ast.FunctionDef):
        return f"{node.name}({ast.unparse(node.args)}) -> {ast.unparse(node.returns) if node.returns else ''}"
    if isinstance(node, ast.Assign | ast.AnnAssign):
        name = ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target)
        return "" if name.startswith("_") else name  # what is private may differ
    return ""
