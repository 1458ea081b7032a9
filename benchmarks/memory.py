"""What reading a file takes of memory at its peak and afterwards, per byte of its text: Linux counts it.

The table in :mod:`pages._kit.uploads` holds these figures, rounded up. Lines are short: the factors are largest then.
"""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks.measuring import Goal, Row, child
from fairviz.io.source import Role
from pages._kit.uploads import MEMORY

MEGABYTES = 24
"""Of text: an upload of a class, large beside what one more module takes."""


class Kind(NamedTuple):
    """A kind of file.

    Attributes:
        name: Of the file.
        role: What it holds.
        line: Its line of a number from 0 on.
        first, last: What stands before the lines and after them.
    """

    name: str
    role: Role
    line: Callable[[int], str]
    first: str = ""
    last: str = ""

    def text(self, size: int) -> str:
        """About ``size`` bytes of it, two lines at least."""
        n = max(2, size // len(self.line(1_000_000)))
        return "".join([self.first, *map(self.line, range(n)), self.last])


KINDS = (
    Kind("a.run", "run", lambda i: f"q{i // 100} Q0 d{i % 9973} {i % 100 + 1} {100 - i % 100} s\n"),
    Kind("samples.run", "run", lambda i: f"q{i // 500} {i // 5 % 100} d{i % 9973} {i % 5 + 1} {5 - i % 5} s\n"),
    Kind("a.qrels", "qrels", lambda i: f"q{i // 100} 0 d{i % 9973} {i % 3}\n"),
    Kind("groups.tsv", "groups", lambda i: f"d{i}\tg{i % 5}\n", "doc_id\tgroup\n"),
    Kind("target.json", "target", lambda i: f'"g{i}": 0,\n', "{", '"g": 1}'),
    Kind("outputs.jsonl", "rag", lambda i: (
        f'{{"system": "s", "query_id": "q{i // 20}", "sample": "{i % 20}", "ranking": ["d{i % 97}", "d{i % 89 + 97}"], '
        f'"attributed": ["d{i % 97}"], "text": "It is {i}.", "utility": 0.5}}\n'
    )),
    Kind("references.jsonl", "references", lambda i: f'{{"query_id": "q{i}", "answers": ["It is {i}."]}}\n'),
    Kind("corpus.jsonl", "corpus", lambda i: f'{{"doc_id": "d{i}", "text": "This is the text of document {i}."}}\n'),
    Kind("queries.jsonl", "queries", lambda i: f'{{"query_id": "q{i}", "text": "What is {i}?"}}\n'),
    Kind("items.csv", "bias-items", lambda i: (
        f"Age,{i},{i // 4},{'neg' if i % 2 else 'nonneg'},{'ambig' if i % 4 < 2 else 'disambig'},Two met.,Who fell?,"
        f"The old,Unknown,The young,old,unknown,nonOld,{1 if i % 4 < 2 else 2 * (i % 2)},1,0\n"
    ), "category,example_id,question_index,question_polarity,context_condition,context,question,"
       "ans0,ans1,ans2,group0,group1,group2,label,unknown_loc,target_loc\n"),
    Kind("words.csv", "bias-predictions", lambda i: (
        f"m{i // 10_000},Age,{i % 10_000},The answer is {'ABC'[i % 3]}.\n"
    ), "model,category,example_id,raw_prediction\n"),
    Kind("predictions.csv", "bias-predictions", lambda i: (
        f"m{i // 10_000},Age,{i % 10_000},{i % 3}\n"
    ), "model,category,example_id,pred\n"),
    Kind("settings.csv", "bias-predictions", lambda i: (
        f"m{i // 40_000},{('w/o RAG', 'bm25')[i // 20_000 % 2]},bm25,5,{i // 10_000 % 2},Age,{i % 10_000},B,1\n"
    ), "model,setting,retriever,k,instruction,category,example_id,raw_prediction,pred\n"),
    Kind("answers.csv", "variants", lambda i: (
        f"v{i // 3},race,{('White', 'Black', 'Asian')[i % 3]},A,A\n"
    ), "qid,attribute,value,prediction,gold\n"),
    Kind("retrieved.csv", "variants", lambda i: (
        f"v{i // 3},race,{('White', 'Black', 'Asian')[i % 3]},A,m,plain,A,1,d{i % 97} d{i % 89 + 97} d{i % 83 + 200}\n"
    ), "qid,attribute,value,prediction,model,strategy,gold,answerable,retrieved\n"),
    Kind("open.csv", "variants", lambda i: (
        f"v{i // 3},race,{('White', 'Black', 'Asian')[i % 3]},It is {i}.,It is 7.\n"
    ), "qid,attribute,value,prediction,gold\n"),
    Kind("answers.jsonl", "variants", lambda i: (
        f'{{"qid": "v{i // 3}", "attribute": "race", "value": "{("White", "Black", "Asian")[i % 3]}", '
        f'"prediction": "A", "gold": "A"}}\n'
    )),
    Kind("systems.tsv", "systems", lambda i: f"s{i}\tr{i % 5}\tg{i % 7}\n", "system\tretriever\tgenerator\n"),
    Kind("popularity.tsv", "popularity", lambda i: f"d{i}\t{i % 97}\n", "doc_id\tcount\n"),
    Kind("weights.tsv", "weights", lambda i: f"q{i}\t{i % 97 + 1}\n", "query_id\tweight\n"),
    Kind("manifest.json", "manifest", lambda i: (
        f'"f{i}.run": {{"size": {i}, "sha256": "{i:064x}"}},\n'
    ), '{"schema": 1, "files": {', f'"f": {{"size": 1, "sha256": "{0:064x}"}}}}, "configuration": {{}}}}'),
)  # fmt: skip

# A small reading before loads what reads. Linux begins its peak anew where "5" is written. What is kept is what three
# further files add: what the allocators hold back after the first is used again by the next.
PROGRAM = """
import ctypes, gc, sys
from pathlib import Path
from fairviz.io.dataset import add_file
from fairviz.io.source import Options
from fairviz.io.source import Source
from fairviz.model import Dataset

def memory(what):
    lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(lines[what].split()[0]) * 1024

def read(path):
    source = Source(path.name, None, path.read_bytes())
    return source, add_file(Dataset(name="x"), source, Options(role=sys.argv[1]))

small, large = map(Path, sys.argv[2:])
read(small)
gc.collect()
ctypes.CDLL(None).malloc_trim(0)
before = memory("VmRSS")
Path("/proc/self/clear_refs").write_text("5")
held = [read(large)]
peak = memory("VmHWM") - before
gc.collect()
ctypes.CDLL(None).malloc_trim(0)
once = memory("VmRSS")
held += [read(large) for _ in range(3)]
gc.collect()
ctypes.CDLL(None).malloc_trim(0)
print(peak, (memory("VmRSS") - once) / 3)
"""


def rows(*, small: bool) -> Iterator[Row]:
    """Bytes of memory per byte of text, each with the factor that counts for its kind as the goal."""
    for kind in KINDS:
        peak, kept = factors(kind, 20_000 if small else MEGABYTES * 1024**2)
        goal = MEMORY[kind.role]
        yield Row(what=f"{kind.name}: peak / text", value=peak, unit="×", goal=Goal(goal["peak"]))
        yield Row(what=f"{kind.name}: kept / text", value=kept, unit="×", goal=Goal(goal["kept"]))


def factors(kind: Kind, size: int) -> tuple[float, float]:
    """Bytes per byte of text, at the peak of reading and as long as the file and what was read of it are held."""
    with TemporaryDirectory() as folder:
        room = Path(folder)
        paths = [room / name / kind.name for name in ("small", "large")]
        for path, bytes_ in zip(paths, (200, size), strict=True):
            path.parent.mkdir()
            path.write_text(kind.text(bytes_), encoding="utf-8")
        done = child([sys.executable, "-c", PROGRAM, kind.role, *map(str, paths)], folder=room)
        text = paths[1].stat().st_size
    peak, kept = (max(0.0, float(figure)) / text for figure in done.printed.split())
    return peak, kept
