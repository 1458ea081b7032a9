"""The tables of Ji et al. (2025) in words: what they show, and what contradicts itself in them."""

from collections.abc import Sequence
from itertools import pairwise

from fairviz.model import PublishedTable
from fairviz.report.variant_remedies import Disparity
from fairviz.report.variant_words import strategy_name
from fairviz.report.words import number, plural

PAPER = "rag-medical-bias"
CITED = "Ji, Zhang and Wang 2025"


def published_rows(table: PublishedTable) -> list[Disparity]:
    """Table 3 or 4 as disparities by strategy."""
    score = "accuracy" if "accuracy" in table.columns else "rouge_l"
    return [
        Disparity(
            name=strategy_name(str(name)),
            plain=str(name).lower() == "plain",
            dp=_float(dp),
            eo=_float(eo),
            score=_float(value) / 100,
        )
        for name, dp, eo, value in zip(*(table.column(column) for column in ("method", "dp", "eo", score)), strict=True)
    ]


def table_notes(tables: Sequence[PublishedTable]) -> list[str]:
    """What contradicts itself or is not said in the tables, each once, named by its table."""
    notes: list[str] = []
    for table in tables:
        said = [*dict.fromkeys(flag for flag in table.flags if flag), *table.remarks]
        notes += [f"Table {table.number}: {text.rstrip('.')}." for text in said]
    return list(dict.fromkeys(notes))


def retrievers_title(table: PublishedTable) -> str:
    """Table 5: which way overlap, disparities and score go with k, for how many retrievers."""
    names = [str(name) for name in table.column("retriever")]
    retrievers = list(dict.fromkeys(names))

    def steady(column: str, sign: int) -> int:
        values = [_float(cell) for cell in table.column(column)]
        found = 0
        for retriever in retrievers:
            line = [value for name, value in zip(names, values, strict=True) if name == retriever]
            pairs = pairwise(line)
            found += all(sign * (after - before) > 0 for before, after in pairs)
        return found

    every = len(retrievers)
    falls = {name: steady(name, -1) for name in ("overlap", "dp", "eo")}
    if all(n == every for n in falls.values()) and steady("score", 1) == every:
        return f"Published: with more documents, overlap, DP and EO fall and the score rises, for {_all(every)}"
    parts = ", ".join(f"{name} falls for {n}" for name, n in falls.items())
    return f"Published: {parts} of {plural(every, 'retriever')}"


def ablation_words(table: PublishedTable) -> str:
    """Table 6 in a line: score, DP and EO with and without the vote, by dataset."""
    rows = list(zip(*(table.column(c) for c in ("dataset", "metric", "no_mv", "with_mv")), strict=True))
    parts: list[str] = []
    for dataset in dict.fromkeys(str(row[0]) for row in rows):
        own = [row for row in rows if str(row[0]) == dataset]
        said: list[str] = []
        for _, metric, before, after in own:
            rate = str(metric) in {"DP", "EO"}
            scale, decimals, unit = (100, 0, " points") if rate else (1, 1, "\u202f%")
            said.append(
                f"{metric} {number(scale * _float(before), decimals)} → {number(scale * _float(after), decimals)}{unit}"
            )
        parts.append(f"{dataset}: {', '.join(said)}")
    return f"Published ablation (Table 6), without → with the vote. {'. '.join(parts)}."


def _all(n: int) -> str:
    return "both retrievers" if n == 2 else plural(n, "retriever")


def _float(cell: object) -> float:
    return float(cell) if isinstance(cell, int | float) else float("nan")
