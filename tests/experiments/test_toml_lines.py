import tomllib

import pytest

from fairviz.experiments.toml_lines import KeyPath, lines_of

TEXT = '''\
# a comment with [brackets]
a = "[no.table]"  # b = 1
"quoted key" = 1979-05-27 07:32:00

list = [
  "x", # y = 1
  [1, 2],
  { b = 1, c.d = "}" },
]
text = """
[not.a.table]
"quotes" \\"""
e = 1"""
literal = \'\'\'
f = 1\'\'\'\'
p.q = 1

[table . "with.dot"]
r = { s = [1] }

[[many]]
[[many.more]]
[many.more.inner]
t = 1
[[many.more]]
[[many]]
u = -1e3
'''


def paths_of(value: object, path: KeyPath = ()) -> set[KeyPath]:
    """All paths of a value as the standard library reads it."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return {path, *(found for key, entry in entries for found in paths_of(entry, (*path, key)))}


def test_lines_by_hand() -> None:
    lines = lines_of(TEXT)
    assert lines["a",] == 2
    assert (lines["list",], lines["list", 1, 1], lines["list", 2, "c", "d"]) == (5, 7, 8)
    assert (lines["text",], lines["literal",], lines["p", "q"]) == (10, 14, 16)
    assert (lines["table", "with.dot"], lines["table", "with.dot", "r", "s", 0]) == (18, 19)
    assert (lines["many", 0, "more", 0, "inner", "t"], lines["many", 0, "more", 1], lines["many", 1, "u"]) == (
        24,
        25,
        27,
    )


@pytest.mark.parametrize("text", [TEXT, TEXT.replace("\n", "\r\n"), "", "a=1", "a=[]", "a = {}", "[a]\n[a.b]"])
def test_every_key_of_the_standard_library_has_a_line(text: str) -> None:
    assert set(lines_of(text)) == paths_of(tomllib.loads(text)) - {()}
