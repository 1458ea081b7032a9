"""``python -m benchmarks [NAME …] [--json FILE] [--small]``: measure and print a table."""

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from benchmarks.measuring import Row, machine
from fairviz.io.whole import write_whole

BENCHMARKS = {
    "exposure": "exact EE-D and EE-R against drawing samples",
    "curve": "a curve of 17 exact α",
    "tradeoff": "the tables of 24 runs at 17 exact α",
    "samples": "multi-sample runs of a million and of 10 million lines",
    "collection": "runs with the ids of a real collection, beside ir_measures",
    "large": "runs of 10 and of 100 million lines, converted and measured range by range (needs 10 GB of disk)",
    "cores": "the same work on one core and on all",
    "groups": "nDKL, AWRF and FAIR of long rankings, against packages; FA*IR",
    "fairness_of_exposure": "fairness of exposure against its program over n² probabilities",
    "amortised": "the policy under ten statements about a thousand queries of a hundred documents",
    "bias": "all of BBQ under 14 models and 4 settings through the command",
    "answers": "recorded answers as JSON Lines and as CSV, and 300,000 rows of variants through the command",
    "bm25": "BM25 on 66,695 documents against rank-bm25",
    "coverage": "how often intervals hold the mean, by number of values",
    "reweighting": "how near answers re-weighted to other α come to the truth",
    "null_worlds": "how often a page claims something where there is nothing",
    "growth": "cost by queries, pool size and k",
    "scale": "cost as queries, documents, k, samples and groups grow × 10 and × 100",
    "experiments": "memory and time of experiments as documents and questions grow tenfold",
    "commands": "a command on the example, beside ir_measures",
    "memory": "memory that files take while they are read and afterwards, per byte of text",
    "start": "from start to the first chart, in a browser",
    "move": "from a move of α to the chart repainted, in a browser",
    "target_move": "from a move of a target share to the chart repainted, in a browser",
    "answers_move": "from a click on Social bias to its table repainted, in a browser",
}
"""Name of a benchmark, which is its module's, and what it measures."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmarks asked for; figures on standard output, progress on standard error."""
    listed = "\n".join(f"  {name:22}{what}" for name, what in BENCHMARKS.items())
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=f"Measure fairviz. Benchmarks:\n{listed}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="which (default: all)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there as well")
    parser.add_argument("--small", action="store_true", help="tiny sizes: shows that it works, measures nothing")
    asked = parser.parse_args(arguments)
    unknown = [name for name in asked.names if name not in BENCHMARKS]
    if unknown:
        parser.error(f"no benchmark {unknown[0]!r}; there are: {', '.join(BENCHMARKS)}")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has its bytecode, too
    where = machine()
    found: dict[str, list[Row]] = {}
    for name in asked.names or BENCHMARKS:
        start = time.perf_counter()
        print(f"{name}: {BENCHMARKS[name]} …", file=sys.stderr, flush=True)
        found[name] = []
        for row in import_module(f"benchmarks.{name}").rows(small=asked.small):
            found[name].append(row)
            print(f"  {row.what}: {_figure(row)}", file=sys.stderr, flush=True)
        print(f"{name}: {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
    print(", ".join(f"{what}: {value}" for what, value in where.items()))
    print()
    print(table(found))
    if asked.json:
        body = {"machine": where, "small": asked.small, "rows": records(found)}
        write_whole(asked.json, (json.dumps(body, indent=1, ensure_ascii=False) + "\n").encode())
    return 0


def records(found: dict[str, list[Row]]) -> list[dict[str, str | float | None]]:
    """One flat record per figure."""
    return [
        {
            "benchmark": name,
            "what": row.what,
            "value": row.value,
            "unit": row.unit,
            "goal": None if row.goal is None else str(row.goal),
            "verdict": row.verdict or None,
            "note": row.note,
        }
        for name, rows in found.items()
        for row in rows
    ]


def table(found: dict[str, list[Row]]) -> str:
    """The figures as an aligned Markdown table."""
    cells = [("what", "measured", "goal", "", "behind it")]
    for rows in found.values():
        for row in rows:
            goal = "" if row.goal is None else f"{row.goal} {row.unit}".strip()
            cells.append((row.what, _figure(row), goal, row.verdict, row.note))
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["| " + " | ".join(cell.ljust(n) for cell, n in zip(line, widths, strict=True)) + " |" for line in cells]
    lines.insert(1, "|" + "|".join("-" * (n + 2) for n in widths) + "|")
    return "\n".join(lines)


def _figure(row: Row) -> str:
    return f"{row.value:.3g} {row.unit}".strip()


if __name__ == "__main__":
    sys.exit(main())
