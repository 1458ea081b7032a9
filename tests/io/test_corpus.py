"""Queries and passages as plain text: TREC's topics, and an id, a tab and the words."""

import pytest

from fairviz.io.corpus import read_corpus, read_queries
from fairviz.io.formats import sniff
from tests.refused import refused

AD_HOC = b"""<top>
<num> Number: 301
<title> International
Organized Crime

<desc> Description:
Identify organizations.
</top>

<top>
<num> Number: 302
<title> Topic: Poliomyelitis and Post-Polio
<narr> Narrative: none
</top>
"""
WEB = b"""<?xml version="1.0"?>
<topics task="round 1">
<topic number="1"><query>coronavirus origin</query><question>what is it</question></topic>
<topic number="2">
  <title>immunity</title>
</topic>
</topics>
"""


def test_topics_of_ad_hoc_tracks() -> None:
    file = ("topics.301-302.txt", AD_HOC)
    assert sniff(file).role == "queries"
    parsed = read_queries(file)
    assert parsed.value == {"301": "International Organized Crime", "302": "Poliomyelitis and Post-Polio"}
    assert parsed.lines["302"] == 10  # the line of its <top>


def test_topics_with_their_number_as_an_attribute() -> None:
    assert sniff(("topics.xml", WEB)).label == "TREC topics"
    assert read_queries(("topics.xml", WEB)).value == {"1": "coronavirus origin", "2": "immunity"}


@pytest.mark.parametrize(
    "content",
    [
        b"q1\twho was first?\nq2\tnobody\n",
        b"query_id\ttext\nq1\twho was first?\n\nq2\tnobody\n",
        b"q1\twho was first?\r\nq2\tnobody",
    ],
    ids=["plain", "header", "CRLF"],
)
def test_lines_with_a_tab(content: bytes) -> None:
    assert sniff(("queries.tsv", content)).role == "queries"
    assert read_queries(("queries.tsv", content)).value == {"q1": "who was first?", "q2": "nobody"}


def test_passages_with_a_tab() -> None:
    assert read_corpus(("collection.tsv", b"7\tfirst of all\n8\tx\n")).value == {"7": "first of all", "8": "x"}


def test_six_words_are_no_run_and_labels_no_questions() -> None:
    assert sniff(("a", b"q1\tone two three four five six\n")).role == "queries"
    assert sniff(("a", b"q1\tQ0\td1\t1\t2.5\ttag\n")).role == "run"
    assert sniff(("a", b"doc_id\tregion\nd1\tNorth America\n")).role == "groups"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"q1\ta b\nq2 c\n", ":2: no tab between an id and its words: q2 c"),
        (b"q1\ta b\nq1\tc\n", ":2: query_id q1 stands twice"),
        (b"q1\ta b\n\tc\n", ":2: query_id is empty"),
        (b"<top>\n<num> 1\n<title> a\n</top>\n<top>\n<title> b\n</top>\n", ":5: a topic has no number"),
        (b"<top>\n<num> Number: 1\n<desc> b\n</top>\n", ":1: a topic has no title"),
        (b"query_id\ttext\n", "no data rows"),
    ],
)
def test_each_fault_has_its_line(content: bytes, message: str) -> None:
    with refused(message):
        read_queries(("a", content))
