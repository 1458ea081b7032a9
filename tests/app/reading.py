"""What a page says, read from Streamlit's test of it, and small data to say it about."""

import html
import re

from streamlit.testing.v1 import AppTest

from fairviz.model import Dataset
from tests.lines import run_lines
from tests.loaded import dataset_of

RUN = run_lines("sysA", dict.fromkeys(("q1", "q2", "q3"), tuple(f"d{i}" for i in range(1, 9))))
"""Three queries, eight documents each, in the order of their names."""
QRELS = "q1 0 d1 2\nq1 0 d3 1\nq1 0 d4 0\nq2 0 d8 1\nq9 0 d1 1\n"
"""Judges q1 and q2, not q3; q9 is not in the run."""
GROUPS = "doc_id\tregion\nd1\tasia\nd2\teurope\nd3\teurope\nd99\tafrica\n"
"""Labels three of the eight documents, and one that no ranking has."""
ITEMS = (
    "category,example_id,question_index,question_polarity,context_condition,context,question,"
    "ans0,ans1,ans2,label,unknown_loc,target_loc\n"
    "Age,0,1,neg,ambig,They met.,Who forgot?,The old man,The boy,Unknown,2,2,0\n"
    "Age,1,1,neg,disambig,They met.,Who won?,The old man,The boy,Unknown,1,2,0\n"
    "Age,2,2,neg,ambig,They sat.,Who forgot?,The old man,The boy,Unknown,2,2,\n"
)
"""Three bias questions; the last one has no biased option."""
PREDICTIONS = "model,category,example_id,raw_prediction\nm1,Age,0,the boy\nm1,Age,1,a dog\nm2,Age,0,B\nm2,Age,9,A\n"
"""Answers to two of them, one of which names no option, and to one that is not there."""
VARIANTS = (
    "qid,attribute,value,gold,prediction\n"
    "q1,none,neutral,A,A\nq1,sex,female,A,A\nq1,sex,male,A,B\n"
    "q2,none,neutral,B,B\nq2,sex,female,B,A or B\n"
)
"""Two questions about a woman and a man; the second lacks the man, one answer is unread."""


def copies(text: str, n: int) -> str:
    """The same queries n times, under other names from the second on: from ten queries on something is said."""
    return "".join(text.replace("q", f"{'x' * i}q") for i in range(n))


TWELVE = copies(RUN, 4)
"""Twelve queries: the same three four times."""
EVIL = "<img src=x onerror=alert(1)>![x](http://198.51.100.7/a.png)<b>bold</b>"
"""A name that is markup and Markdown at once; documents and systems may be called so."""


def markup(at: AppTest) -> str:
    """All HTML that the page made itself."""
    every = [*at.get("html"), *at.sidebar.get("html")]
    return "\n".join(element.proto.body for element in every)


def words(at: AppTest) -> str:
    """The words of that HTML, without tags, and of the rows that open into details, in the order of the page."""
    parts: list[str] = []
    for node in (*at.main, *at.sidebar):
        if node.type == "html":
            parts.append(html.unescape(re.sub(r"<[^>]*>", " ", node.proto.body)))
        elif node.type == "expander":
            parts.append(re.sub(r"\*\*|\\|\u2060", "", node.label))
    return "\n".join(parts)


def plain(text: str) -> str:
    """Without the narrow blanks of numbers, every run of blanks one."""
    return re.sub(r"\s+", " ", text.replace("\u202f", " ").replace("\xa0", " "))


def grey(at: AppTest) -> str:
    """The sentences under headings and charts: the lead, and the small grey ones."""
    return html.unescape("\n".join(re.findall(r'<p class="fv-(?:lead|sub|counts)">(.*?)</p>', markup(at))))


def title(at: AppTest) -> str:
    """The page's heading."""
    found = re.search(r"<h1[^>]*>(.*?)</h1>", markup(at))
    assert found is not None, "a page has one heading"
    return html.unescape(found[1])


def of_files(**files: str) -> Dataset:
    """A dataset from texts: ``run``, ``qrels``, ``groups`` become files with those endings."""
    endings = {"groups": "tsv", "rag": "jsonl", "target": "json"}
    return dataset_of((f"small.{endings.get(role, role)}", text.encode()) for role, text in files.items())


def press(at: AppTest, label: str) -> AppTest:
    """The page after one of its buttons was pressed."""
    next(button for button in at.button if button.label == label).click().run()
    return at
