"""Study files that somebody damaged, or made to do harm; the same ones every time."""

import copy
import json
import random
import stat
import struct
import zlib
from collections.abc import Callable, Iterator
from hashlib import sha256
from io import BytesIO
from typing import Any, NamedTuple
from zipfile import ZIP_DEFLATED, ZIP_LZMA, ZIP_STORED, ZipFile, ZipInfo

from fairviz.display.bundle import PinnedTable
from fairviz.display.paper import PrintedFigure
from fairviz.io.archive import archive
from fairviz.io.source import Options
from fairviz.reporting.request import Request
from fairviz.reporting.study_file import STUDY, PageSettings, StudyContents, StudyPart, TargetSetting, write_study
from fairviz.studies.demographic_qa.settings import VariantsSettings
from fairviz.studies.social_bias.settings import BiasSettings

RUN = b"q1 Q0 d1 1 2 one\nq1 Q0 d2 2 1 one\n"
TARGETED = (
    "printf '%s' '{\"d'\"'\"'Ivoire\": 1}' > chosen-target.json\nfairviz evaluate a.run --target chosen-target.json"
)
GOOD = StudyContents(
    name="Small",
    note="Look at the Trade-off.",
    files=(
        StudyPart("my.run", "", Options(role="run"), RUN),
        StudyPart("my.qrels", "", Options(role="qrels", generator="GPT"), b"q1 0 d1 1\n"),
    ),
    settings=PageSettings(
        pages={"Trade-off": {"system": ["one"]}},
        chosen={"k": "3"},
        pairs=[("gen", "one")],
        targets={"edited-0-region-2": TargetSetting(weights=[0.25, 0.75], locked=[1])},
    ),
    figures=(
        PrintedFigure(
            stem="curve",
            caption="A curve.",
            command="fairviz tradeoff 'a b.run' \"EU(utility='rougeL')\" --chart curve.pdf \\\n    --width 84",
            svg=b"<svg/>",
            pdf=b"%PDF",
        ),
    ),
    tables=(PinnedTable("means", "a,b\n1,2\n", "", "Compare, ?k=3", "f", (("csv", TARGETED),)),),
    request=Request(
        measures=("AP",),
        k=3,
        alpha=(0.0, 1.0),
        bias=BiasSettings(unknown=("no idea",)),
        variants=VariantsSettings(threshold=0.5),
    ),
    results={"means": "system,AP\none,0.5\n"},
    refused=("Social bias: items.csv: question 7 has no answer",),
    made_by={"fairviz": "0.0.1"},
)


class Malformed(NamedTuple):
    """A study file that is none.

    Attributes:
        fault: What was done to it.
        content: The bytes.
        said: Words of the refusal; empty where it may be opened, with all that it held.
    """

    fault: str
    content: bytes
    said: str = ""


def malformed() -> Iterator[Malformed]:
    """All of them."""
    good = write_study(GOOD)
    with ZipFile(BytesIO(good)) as packed:
        members = {name: packed.read(name) for name in packed.namelist()}
    yield from _damaged(good)
    yield from _strange_members(members)
    yield from _strange_sizes(members, good)
    yield from _parts(members)
    yield from _no_json(members)
    yield from _other_types(members)
    yield from _values(members)


def _damaged(good: bytes) -> Iterator[Malformed]:
    """Cut off, or with other bytes in it: what a copy on its way suffers."""
    rng = random.Random(12)
    for at in range(0, len(good), len(good) // 30):
        yield Malformed(f"cut off at {at}", good[:at], "")
    for i in range(50):
        at = rng.randrange(len(good))
        yield Malformed(f"byte {at}", good[:at] + bytes([good[at] ^ (1 << (i % 8))]) + good[at + 1 :])
    yield Malformed("something before it", b"MZ" * 99 + good)
    yield Malformed("something after it", good + b"\0" * 99)
    yield Malformed("something else", b"PK\x03\x04" + rng.randbytes(999), "damaged or cut off")
    yield Malformed("nothing in it", archive({}), f"without {STUDY}")
    yield Malformed("other files in it", archive({"readme.txt": "Hello."}), f"without {STUDY}")


OUTSIDE = (
    *("/etc/passwd", "../up.run", "data/../../up.run", "..", ".", "./a", "a//b", "", "a/./b", "~/../../x", "//host/a"),
    *("C:\\windows\\x", "C:x", "..\\up", "data\\x", "a\nb", "a\x1b[31mb", "a\x7fb", "\\\\host\\share", "data/.."),
)


def _strange_members(members: dict[str, bytes]) -> Iterator[Malformed]:
    for name in OUTSIDE:
        yield Malformed(f"a member {name!r}", _zip(members, extra=[(ZipInfo("x"), b"x")], rename=name), "lies outside")
    for kind in (stat.S_IFLNK, stat.S_IFDIR, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFSOCK):
        info = ZipInfo("link")
        info.external_attr = (kind | 0o777) << 16
        yield Malformed(f"a member of kind {kind:o}", _zip(members, extra=[(info, b"/etc/passwd")]), "is no file")
    yield Malformed("a folder", _zip(members, extra=[(ZipInfo("data/more/"), b"")]), "")
    for name in (STUDY, "data/1-my.run"):
        yield Malformed(f"two of {name}", _zip(members, extra=[(ZipInfo(name), b"{}")]), "two members are called")
    yield Malformed("a locked member", _zip(members, flag=0x1), "is encrypted")
    yield Malformed("strongly locked", _zip(members, flag=0x41), "is encrypted")
    yield Malformed("another compression", _zip(members, how=ZIP_LZMA), "compressed in a way that is not read")


def _strange_sizes(members: dict[str, bytes], good: bytes) -> Iterator[Malformed]:
    bomb = ZipInfo("bomb")
    yield Malformed("a bomb", _zip(members, extra=[(bomb, b"\0" * (20 * 1024**2))]), "unpacks to more than")
    at = good.index(b"PK\x01\x02")
    for size in (2**32 - 2, 2**31, 10**6, 0, 1):
        lied = good[: at + 24] + struct.pack("<I", size) + good[at + 28 :]
        yield Malformed(f"a member that says it has {size} bytes", lied, _SAID_OF_SIZE.get(size, "is damaged"))
        lied = good[: at + 20] + struct.pack("<I", size) + good[at + 24 :]
        yield Malformed(f"a member that says it is packed to {size} bytes", lied, "")
    end = good.rindex(b"PK\x05\x06")
    for size in (2**32 - 1, 2**31, 5 * 1024**2):
        lied = good[: end + 12] + struct.pack("<I", size) + good[end + 16 :]
        yield Malformed(f"a list of members of {size} bytes", lied, "the list of its members is longer than")
        yield Malformed(f"the same with a comment, {size}", lied[:-2] + b"\3\0abc", "the list of its members is longer")
    yield Malformed("members that overlap", _overlapping(), "overlap")


_SAID_OF_SIZE = {2**32 - 2: "larger than the limit", 2**31: "larger than the limit", 10**6: "", 0: "", 1: ""}


def _overlapping() -> bytes:
    """Many names for the bytes of one member, which then count again and again."""
    n, body, crc = 20, bytes(1000), zlib.crc32(bytes(1000))
    facts = (0, 0, crc, len(body), len(body), 1)
    start = struct.pack("<4s5H3L2H", b"PK\x03\x04", 20, 0, 0, *facts, 0) + b"a" + body
    central = b"".join(
        struct.pack("<4s6H3L5H2L", b"PK\x01\x02", 20, 20, 0, 0, *facts, *[0] * 6) + bytes([97 + i]) for i in range(n)
    )
    return start + central + struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, n, n, len(central), len(start), 0)


def _parts(members: dict[str, bytes]) -> Iterator[Malformed]:
    for name in list(members)[1:]:
        yield Malformed(f"without {name}", archive({n: c for n, c in members.items() if n != name}), "is missing")
        yield Malformed(f"another {name}", archive({**members, name: b"other"}), "was changed after")
        yield Malformed(f"an empty {name}", archive({**members, name: b""}), "was changed after")
    swapped = {**members, "data/1-my.run": members["data/2-my.qrels"], "data/2-my.qrels": RUN}
    yield Malformed("two files swapped", archive(swapped), "was changed after")
    for name in ("data/3-more.run", "run.exe", ".hidden"):
        yield Malformed(f"an unknown {name}", archive({**members, name: b"x"}), "says nothing")


def _no_json(members: dict[str, bytes]) -> Iterator[Malformed]:
    texts = (
        *(b"", b" ", b"null", b"1", b"[]", b'"x"', b"{", b"{}", b"{]", b"\xff\xfe", b"\xef\xbb\xbf{}", b"[" * 99_999),
        *(b'{"format": 1}', b'{"a":' * 9_999, b'{"format": NaN}', b'{"format": 1e999}', b"\0", b"{'format': 1}"),
    )
    for text in texts:
        yield Malformed(f"{text[:20]!r} for {STUDY}", archive({**members, STUDY: text}), STUDY)
    large = b" " * (17 * 1024**2)
    yield Malformed("a very long text", _zip({**members, STUDY: members[STUDY] + large}, how=ZIP_STORED), "larger than")


COMMANDS = (
    *("printf '%s' 'x' > ~/.profile\nfairviz a", "printf '%s' $(x) > chosen-target.json\nfairviz a"),
    *("fairviz a\nfairviz b", "rm -rf ~", "fairviz tradeoff; rm x", "fairviz tradeoff\nrm x", "fairviz $(rm x)"),
    *("fairviz `x`", "fairviz a > b", "fairviz a | sh", "fairviz a & b", 'fairviz "$(x)"', 'fairviz "`x`"'),
    *("fairviz 'a", "FAIRVIZ", "fairviz a \\\n; x", "fairviz\tx"),
)
KEYS = ("format", "name", "note", "versions", "parts", "files", "settings", "figures", "tables", "results")


def _other_types(members: dict[str, bytes]) -> Iterator[Malformed]:
    manifest = json.loads(members[STUDY])
    assert tuple(manifest) == KEYS
    for key in KEYS:
        yield _changed(members, f"without {key}", STUDY, _dropping(key))
        for value in (7.5, True, [1], {"x": 1}, None):
            if not (key == "results" and value is None) and not (key == "versions" and value == {"x": 1}):
                yield _changed(members, f"{key} = {value}", STUDY, _setting(value, key))
    places: tuple[tuple[Any, ...], ...] = (
        *((), ("files", 0), ("files", 0, "options"), ("settings",), ("settings", "targets", "edited-0-region-2")),
        *(("figures", 0), ("tables", 0), ("results",), ("results", "request"), ("parts", "data/1-my.run")),
    )
    for place in places:
        yield _changed(members, f"an unknown key in {place}", STUDY, _setting(1, *place, "further"))
    for number in (0, 3, 99, -1):
        yield _changed(members, f"format {number}", f"in format {number}; this one reads", _setting(number, "format"))


def _values(members: dict[str, bytes]) -> Iterator[Malformed]:
    """Values of the right type that do harm, or mean nothing."""
    target = ("settings", "targets", "edited-0-region-2")
    file, pin, table = ("files", 0), ("figures", 0), ("tables", 0)
    request = ("results", "request")
    values: dict[tuple[Any, ...], tuple[object, ...]] = {
        (*file, "name"): ("", "../my.run", "/my.run", "a\\b", "a\0", "my.qrels", "..", "x" * 300, "a\nb"),
        (*file, "part"): ("", "data/9", "../x", STUDY, 1),
        (*file, "options"): ({"role": "x"}, {"role": 1}, {"labels": None}, {"groups": 1}, {"subtopics": "yes"}, [], 1),
        (*pin, "stem"): ("", "../curve", "a/b", "a\\b", "..", "a\nb"),
        (*pin, "svg"): ("pinned/9.svg", "/etc/passwd", None),
        (*pin, "command"): COMMANDS,
        (*table, "stem"): ("../means", "", "a/b"),
        (*table, "commands"): ([["csv", "sh -c x"]], [["sh", "fairviz compare"]], [["csv"]], [["csv", "fairviz", 1]]),
        ("settings", "pages"): (
            *({"Data": {name: ["1"]}} for name in ("embed", "embed_options", "a b", "", "<b>", "x" * 99)),
            *({"Data": {"k": "1"}}, {"Data": {"k": [1]}}, {"Data": ["k"]}, {"Data": None}),
        ),
        ("settings", "chosen"): ({"k": 3}, {"k": None}, {"k": ["3"]}, {"a b": "3"}, {"x" * 99: "3"}),
        ("settings", "pairs"): ([["a"]], [["a", "b", "c"]], [["a", 1]], ["ab"]),
        ("settings", "targets"): ({"edited-0-region-3": {"weights": [0.5, 0.5]}},),
        (*target, "weights"): (
            *([], [0.5], [0.5, 0.1], [0.5, 0.502], [-0.5, 1.5], ["0.5", "0.5"], [None, 1.0]),
            [0.25, 0.25, 0.5],
        ),
        (*target, "locked"): ([2], [-1], [0.5], ["a"], [None]),
        (*target, "file"): ([1.0], [0.5, -0.5], [0.0, 0.0], [1e300, 1.0], "x"),
        (*request, "k"): (0, -1, 10**9, 1.5, "5", None, True),
        (*request, "alpha"): (["a"], [None], "12", [0.0] * 10_001, [-1.0], [1e999], [float("nan")]),
        (*request, "seed"): (-1, 0.5, "0"),
        (*request, "measures"): ([1], "AP", ["AP"] * 10_001),
        (*request, "rel"): ("none", 0, []),
        (*request, "against"): ([], ["a", "b"], [0, "nowhere", False], 1),
        (*request, "bias"): ([], {"further": 1}, 1),
        (*request, "bias", "unknown"): ("no idea", [1], ["x"] * 10_001),
        (*request, "variants"): ([], {"further": 1}, 1, {"min_size": None}),
        (*request, "variants", "threshold"): (0, -1, 1.5, "0.5"),
        (*request, "variants", "min_size"): (0, -1, 1.5, "5"),
        (*request, "variants", "answerable"): ("always", 1),
        ("results", "refused"): (1, "x", [1], None),
        ("results", "tables"): ({"means": "results/9.csv"}, {"means": 1}, ["means"]),
        ("parts", "data/1-my.run", "size"): (0, -1, 10**12, "35", 35.5),
        ("parts", "data/1-my.run", "sha256"): ("", "0" * 64, "G" * 64, None),
    }
    for place, several in values.items():
        for value in several:
            yield _changed(members, f"{place} = {str(value)[:60]}", _SAID.get(place[0], STUDY), _setting(value, *place))
    for text in NO_TABLES:
        facts = _setting({"size": len(text), "sha256": sha256(text).hexdigest()}, "parts", "results/1-means.csv")
        yield _changed({**members, "results/1-means.csv": text}, f"{text[:20]!r} as a table", "a table of", facts)
    yield _changed(members, "NaN as a share", STUDY, _setting([float("nan"), 1.0], *target, "weights"))
    not_a_number = _setting(float("nan"), *request, "variants", "threshold")
    yield _changed(members, "NaN as a threshold", STUDY, not_a_number)
    yield _changed(members, "infinite shares", STUDY, _setting([float("inf"), 1.0], *target, "weights"))


NO_TABLES = (
    *(b"", b"\n\n", b"a,b\n1,2,3\n", b"a,b\n1\n", b"a,a\n1,2\n", b'a,b\n"x,1\n', b'a,b\n"x"y,1\n'),
    *(b"a\n" + b"x" * 200_000, b"\xff\xff", b"\xff\xfea\0,\0b\0", b"a\r1\r\xe9"),
)
"""What stands where a table of the results is, and is none."""
_SAID = {"parts": ""}
Change = Callable[[Any], None]


def _changed(members: dict[str, bytes], fault: str, said: str, change: Change) -> Malformed:
    manifest = copy.deepcopy(json.loads(members[STUDY]))
    change(manifest)
    return Malformed(fault, archive({**members, STUDY: json.dumps(manifest)}), said or "x.fairviz")


def _setting(value: object, *place: Any) -> Change:
    def change(manifest: Any) -> None:
        for key in place[:-1]:
            manifest = manifest[key]
        manifest[place[-1]] = value

    return change


def _dropping(key: str) -> Change:
    return lambda manifest: manifest.pop(key)


def _zip(
    members: dict[str, bytes],
    *,
    extra: list[tuple[ZipInfo, bytes]] | None = None,
    rename: str | None = None,
    flag: int = 0,
    how: int = ZIP_DEFLATED,
) -> bytes:
    """The members, with others as the last of them; what ``zipfile`` would not write is put into its bytes."""
    to = BytesIO()
    with ZipFile(to, "w", how) as packed:
        for name, content in members.items():
            packed.writestr(name, content)
        for info, content in extra or ():
            if rename is not None:
                info.filename = "x" * len(rename.encode()) or "x"
            info.compress_type = how
            packed.writestr(info, content) if info.filename not in packed.NameToInfo else _again(packed, info, content)
    written = to.getvalue()
    if rename is not None:
        kept = "x" * len(rename.encode())
        written = written.replace(kept.encode(), rename.encode()) if kept else _nameless(written)
    if flag:
        written = _flagged(written, flag)
    return written


def _again(packed: ZipFile, info: ZipInfo, content: bytes) -> None:
    """A second member of one name, of which Python would warn."""
    known = packed.NameToInfo.pop(info.filename)
    packed.writestr(info, content)
    packed.NameToInfo[info.filename] = known


def _flagged(written: bytes, flag: int) -> bytes:
    content = bytearray(written)
    for magic, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = content.find(magic)
        while at >= 0:
            content[at + place] |= flag
            at = content.find(magic, at + 4)
    return bytes(content)


def _nameless(written: bytes) -> bytes:
    """The last member without a name: its central header is shorter by a letter."""
    at = written.rindex(b"PK\x01\x02")
    local, end = written.rindex(b"PK\x03\x04"), written.rindex(b"PK\x05\x06")
    header = bytearray(written[at:end])
    header[28:30] = b"\0\0"
    head = bytearray(written[local : local + 30])
    head[26:28] = b"\0\0"
    body = written[local + 31 : written.index(b"PK\x01\x02")]
    before, central = written[:local] + bytes(head) + body, written[written.index(b"PK\x01\x02") : at]
    central += bytes(header[:46]) + bytes(header[47:])
    n = written[end + 8 : end + 12]
    return before + central + b"PK\x05\x06\0\0\0\0" + n + struct.pack("<2LH", len(central), len(before), 0)
