"""Damage done to files: bytes, lines, cells, JSON values, compression; every damaged file has a number."""

import gzip
import json
import random
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tests.fuzz.law import READINGS
from tests.fuzz.seeds import SEEDS, Seed

NOISE = (
    *(bytes([byte]) for byte in b"\n\r \t\0\"'#,;|+{}[]\xff\x1b\x0b\x0c\x1c-=:"),
    *(text.encode() for text in ("\u2028", "\x85", "\u00a0", "\u200b", "\ufeff", "\u202e", "é", "é", "١٢", "ſ", "İ")),
    *(b"nan", b"1e999", b"null", b"true", b"-0", b"1_000", b"0x10", b"+", b"\\u0000", b"\\ud800", b"\\r", b'""'),
    *(b"9" * 40, b"9" * 400, b"9" * 5000, b"1e400", b"-1e-400", b"x" * 2000, b"[" * 70, b'{"a":' * 2000, b"\r\n"),
)
NUMBERS = ("-0", "1e400", "NaN", "Infinity", "9" * 400, "9" * 5000, "1_000", "١٢", "1e308", "-1", "0.5", "2147483648")
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1.5, 1e308, 10**99, 2**63, "", " ", "\u00a0", "\u200b", "x", "9" * 5000, "١٢"),
    *([], {}, [[]], [None], [""], ["a", "a"], [1, "1"], {"": {}}, {"a": None}),
    *("a\tb", "a\nb", "a\rb", "a\0b", "\u2028"),
    *("neutral", "none", "unknown", "a + b", "a+b|c", "1.0", "nan", "A", "(b)", "['a', 'b']", '["a"', "[" * 200),
)
_NUMBER = re.compile(rb"-?\d+(\.\d+)?")
Damage = Callable[[bytes, random.Random], bytes]


def flip(content: bytes, rng: random.Random) -> bytes:
    """Another byte in the place of one."""
    at = rng.randrange(len(content) + 1)
    return content[:at] + bytes([rng.randrange(256)]) + content[at + 1 :]


def cut(content: bytes, rng: random.Random) -> bytes:
    """The beginning or the end is gone."""
    at = rng.randrange(len(content) + 1)
    return content[:at] if rng.random() < 0.8 else content[at:]


def put(content: bytes, rng: random.Random) -> bytes:
    """Something odd within, in the place of a few bytes."""
    at = rng.randrange(len(content) + 1)
    return content[:at] + rng.choice(NOISE) + content[at + rng.randrange(5) :]


def swap_token(content: bytes, rng: random.Random) -> bytes:
    """Something odd in the place of a word."""
    words = list(re.finditer(rb"[^\s,\"]+", content[:20_000]))
    if not words:
        return content
    word = rng.choice(words)
    return content[: word.start()] + rng.choice(NOISE) + content[word.end() :]


def blow_up(content: bytes, rng: random.Random) -> bytes:
    """Another number in the place of one."""
    numbers = list(_NUMBER.finditer(content[:20_000]))
    if not numbers:
        return content
    number = rng.choice(numbers)
    return content[: number.start()] + rng.choice(NUMBERS).encode() + content[number.end() :]


def lines(content: bytes, rng: random.Random) -> bytes:
    """A line doubled, gone, or in the place of another."""
    rows = content.split(b"\n")
    one, two = rng.randrange(len(rows)), rng.randrange(len(rows))
    what = rng.randrange(3)
    if what == 0:
        rows.insert(two, rows[one])
    elif what == 1:
        del rows[one]
    else:
        rows[one], rows[two] = rows[two], rows[one]
    return b"\n".join(rows)


def columns(content: bytes, rng: random.Random) -> bytes:
    """A column gone, doubled, or with another name."""
    separator = b"\t" if b"\t" in content else b"," if b"," in content else b" "
    rows = [row.split(separator) for row in content.split(b"\n")]
    at, what = rng.randrange(len(rows[0])), rng.randrange(4)
    for n, row in enumerate(rows):
        if at >= len(row):
            continue
        if what == 0:
            del row[at]
        elif what == 1:
            row.append(row[at])
        elif what == 2 and n == 0:
            row[at] = rng.choice((row[at].upper(), row[at] + b" ", b" " + row[at].title(), b"", b'"' + row[at] + b'"'))
        elif what == 3 and n:
            row[at] = rng.choice(NOISE)
    return b"\n".join(separator.join(row) for row in rows)


def encoding(content: bytes, rng: random.Random) -> bytes:
    """The same text as another program saves it."""
    text = content.decode(errors="replace")
    name = rng.choice(("utf-16", "utf-16-le", "utf-32", "latin-1", "utf-8-sig", "cp037"))
    return text.encode(name, errors="replace")


def line_ends(content: bytes, rng: random.Random) -> bytes:
    """Line ends of another system."""
    return content.replace(b"\n", rng.choice((b"\r\n", b"\r", b"\n\n", b"\x0b\n", "\u2028".encode(), b"\0")))


def values(content: bytes, rng: random.Random) -> bytes:
    """JSON in which a value has another type, or a name is written otherwise, doubled or gone."""
    rows = content.split(b"\n")
    at = rng.randrange(len(rows))
    try:
        record = json.loads(rows[at])
        whole = False
    except (ValueError, RecursionError):
        try:
            record = json.loads(content)
            whole = True
        except (ValueError, RecursionError):
            return put(content, rng)
    for _ in range(rng.randrange(1, 4)):
        record = _other(record, rng)
    try:
        text = json.dumps(record, ensure_ascii=rng.random() < 0.3).encode(errors="replace")
    except (ValueError, RecursionError):
        return content
    if whole:
        return text
    rows[at] = text
    return b"\n".join(rows)


def _other(value: Any, rng: random.Random) -> Any:
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = rng.choice(list(value))
        what = rng.randrange(8)
        if what == 0:
            value[rng.choice((key.upper(), key + " ", " " + key, key.title(), key + "\u00a0"))] = value[key]
        elif what == 1:
            value[rng.choice((key.upper(), key + " "))] = value.pop(key)
        elif what == 2:
            del value[key]
        elif what == 3:
            value[rng.choice(("", " ", "\u200b", "id", "example_id", "text", "a\tb"))] = value[key]
        else:
            value[key] = _other(value[key], rng)
        return value
    if isinstance(value, list) and value and rng.random() < 0.8:
        at = rng.randrange(len(value))
        value[at] = _other(value[at], rng)
        return value * 2 if rng.random() < 0.1 else value
    if rng.random() < 0.1:
        return {"a": value}
    return [value] if rng.random() < 0.1 else rng.choice(VALUES)


def compressed(content: bytes, rng: random.Random) -> bytes:
    """A gzip stream of the file, damaged half of the time."""
    packed = gzip.compress(content, 1, mtime=0)
    return packed if rng.random() < 0.5 else rng.choice((flip, cut, put))(packed, rng)


PLAIN: tuple[Damage, ...] = (flip, cut, put, put, swap_token, blow_up, lines, columns, values, values, values)
RARE: tuple[Damage, ...] = (encoding, line_ends, compressed)


def mutant(content: bytes, rng: random.Random) -> bytes:
    """A file with a few faults."""
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 5))):
        content = rng.choice(RARE if rng.random() < 0.04 else PLAIN)(content, rng)
    return content


class Mutant(NamedTuple):
    """A damaged file, of which format it was, and the readings that it is given to."""

    format: str
    content: bytes
    readings: tuple[str, ...]


def numbered(number: int, more: Sequence[Seed] = ()) -> Mutant:
    """The mutant of that number; the same number and seeds give the same file.

    Args:
        number: Which.
        more: Seeds besides those of :data:`tests.fuzz.seeds.SEEDS`, taken for two mutants of five.
    """
    rng = random.Random(number)
    seed = rng.choice(SEEDS if rng.random() < 0.6 or not more else more)
    content = mutant(seed.content, rng)
    every = rng.random() < 0.05
    return Mutant(seed.format, content, tuple(READINGS) if every else tuple(dict.fromkeys((*seed.readings, "dataset"))))
