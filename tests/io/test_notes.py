"""Notes whose counts add up over the parts of a file."""

from fairviz.io.notes import NoteBook, literal


def part(n: int, of: int, *, line: int | None = None) -> NoteBook:
    book = NoteBook("a.run")
    book.add("blank line skipped", line, count=n)
    book.tally("{n} tied scores", n, of, line=line)
    book.tally("{queries} of {of_queries} are short", n, of, kind="short")
    book.tally("{n} of {of} places are unlabelled", n, of, kind="labels", shown="many")
    book.tally("all undefined", n, of, shown="all")
    return book


def messages(book: NoteBook) -> list[str]:
    return [note.message for note in book.collected]


def test_counts_of_parts_add_up() -> None:
    whole = part(1, 10, line=3)
    whole.add_all(part(2, 10, line=1))
    assert messages(whole) == [
        "blank line skipped (and 2 more)",  # 1 + 2, the first is named
        "3 tied scores",
        "3 queries of 20 queries are short",
        "3 of 20 places are unlabelled",  # 3 of 20 is more than a tenth; 1 of 10 alone is not
    ]
    assert [note.line for note in whole.collected] == [3, 3, None, None]  # the first part stands first
    assert "1 of 10 places are unlabelled" not in messages(part(1, 10))


def test_what_holds_of_everything_holds_of_every_part() -> None:
    whole = part(10, 10)
    assert "all undefined" in messages(whole)
    whole.add_all(part(9, 10))
    assert "all undefined" not in messages(whole)


def test_a_part_without_problems_leaves_the_words_and_the_line_to_another() -> None:
    whole = part(0, 10)
    assert messages(whole) == []
    whole.add_all(part(1, 10, line=7))
    assert [(note.message, note.line) for note in whole.collected] == [
        ("blank line skipped", 7),
        ("1 tied scores", 7),
        ("1 query of 20 queries are short", None),
    ]


def test_the_same_words_of_two_kinds_are_one_note() -> None:
    book = NoteBook("a.run")
    for kind in ("judged", "ranked"):
        book.tally("{n} places", 2, 4, kind=kind)
    assert messages(book) == ["2 places"]


def test_names_may_hold_braces() -> None:
    book = NoteBook("a.run")
    book.tally(f"{literal('nDCG(gains={0: 1})')}: {{queries}}", 1)
    assert messages(book) == ["nDCG(gains={0: 1}): 1 query"]
