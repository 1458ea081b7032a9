"""The tables of Ji et al. (2025) as shipped, in words.

Published tables are data (``data/published``): a cell that contradicts another keeps its printed value and a flag, so
that readers see what was printed. No table prints counts or intervals: titles count what is printed, no test is made.
"""

from collections.abc import Sequence
from itertools import pairwise

from fairviz.display.words import capital, number, plural
from fairviz.model import PublishedTable
from fairviz.model.published import PrintedCell
from fairviz.studies.demographic_qa.names import is_plain, strategy_name

PAPER = "rag-medical-bias"
CITED = "Ji, Zhang and Wang 2025"
TABLES = (2, 3, 4, 5, 6)
"""Those with numbers."""


def published_title(table: PublishedTable) -> str:
    """What a table prints, counted."""
    title = {2: scores_title, 3: parity_title, 4: parity_title, 5: retrievers_title, 6: ablation_words}
    return capital(title[table.number](table))


def parity_title(table: PublishedTable) -> str:
    """Table 3 or 4: how many strategies narrow DP and EO, and score below the plain one; which has the lowest DP.

    The two tables print different scores, which the title names.
    """
    score = "accuracy" if "accuracy" in table.columns else "rouge_l"
    rows = [
        (strategy_name(str(name)), _number(dp), _number(eo), _number(value))
        for name, dp, eo, value in zip(*(table.column(column) for column in ("method", "dp", "eo", score)), strict=True)
    ]
    plain = next(row for row in rows if is_plain(row[0]))
    others = [row for row in rows if row is not plain]
    narrower = sum(row[1] < plain[1] and row[2] < plain[2] for row in others)
    below = sum(row[3] < plain[3] for row in others)
    said = (
        f"{_counted(narrower, len(others), 'narrows both disparities')} and "
        f"{_counted(below, len(others), f'has a lower {SCORES[score]} than {plain[0]}')}"
    )
    least = min(others, key=lambda row: (row[1], row[2]))
    alone = sum(row[1] == least[1] for row in others) == 1 and least[1] < plain[1]
    return (
        f"{said}; {least[0]} narrows the gap between groups most, from {number(plain[1], 2)} to {number(least[1], 2)}"
        if alone
        else said
    )


SCORES = {"accuracy": "accuracy", "rouge_l": "ROUGE-L"}
"""What tables 3 and 4 score by."""


def scores_title(table: PublishedTable) -> str:
    """Table 2: how often each strategy scores best for a model and dataset, alone or with others."""
    scores: dict[tuple[str, str], dict[str, float]] = {}
    for model, dataset, strategy, score in zip(
        *(table.column(column) for column in ("model", "dataset", "strategy", "score")), strict=True
    ):
        scores.setdefault((str(model), str(dataset)), {})[strategy_name(str(strategy))] = _number(score)
    best = [{name for name, score in row.items() if score == max(row.values())} for row in scores.values()]
    won = {name: sum(name in names for names in best) for name in next(iter(scores.values()))}
    winner = max(won, key=lambda name: won[name])
    n = len(scores)
    shared = " (alone or with others)" if any(winner in names and len(names) > 1 for names in best) else ""
    where = f"all {n} rows" if won[winner] == n else f"{won[winner]} of {n} rows"
    return f"{winner} scores highest in {where}{shared}"


def table_notes(tables: Sequence[PublishedTable]) -> list[str]:
    """What contradicts itself or is not said in the tables, each once, named by its table."""
    notes: list[str] = []
    for table in tables:
        remarks = [*dict.fromkeys(flag for flag in table.flags if flag), *table.remarks]
        notes += [f"Table {table.number}: {text.rstrip('.')}." for text in remarks]
    return list(dict.fromkeys(notes))


def retrievers_title(table: PublishedTable) -> str:
    """Table 5: which way overlap, disparities and score go with k, for how many retrievers."""
    names = [str(name) for name in table.column("retriever")]
    retrievers = list(dict.fromkeys(names))

    def steady(column: str, sign: int) -> int:
        values = [_number(cell) for cell in table.column(column)]
        n_steady = 0
        for retriever in retrievers:
            line = [value for name, value in zip(names, values, strict=True) if name == retriever]
            steps = pairwise(line)
            n_steady += all(sign * (after - before) > 0 for before, after in steps)
        return n_steady

    n_retrievers = len(retrievers)
    falls = {name: steady(name, -1) for name in ("overlap", "dp", "eo")}
    if all(n == n_retrievers for n in falls.values()) and steady("score", 1) == n_retrievers:
        which = "both retrievers" if n_retrievers == 2 else plural(n_retrievers, "retriever")
        return f"with more documents, overlap and both disparities fall and the score rises, for {which}"
    parts = ", ".join(f"{name} falls for {n}" for name, n in falls.items())
    return f"{parts} of {plural(n_retrievers, 'retriever')}"


GAPS = {"DP": "gap between groups", "EO": "gap among answerable questions"}
"""What the two disparities of table 6 are, in words."""


def ablation_words(table: PublishedTable) -> str:
    """Table 6 in a line: score, DP and EO with and without the vote, by dataset."""
    rows = list(zip(*(table.column(c) for c in ("dataset", "metric", "no_mv", "with_mv")), strict=True))
    parts: list[str] = []
    for dataset in dict.fromkeys(str(row[0]) for row in rows):
        of_dataset = [row for row in rows if str(row[0]) == dataset]
        changes: list[str] = []
        for _, metric, before, after in of_dataset:
            rate = str(metric) in GAPS
            scale, decimals, unit = (100, 0, " points") if rate else (1, 1, "\u202f%")
            ends = (number(scale * _number(value), decimals) for value in (before, after))
            changes.append(f"{GAPS.get(str(metric), str(metric))} {' → '.join(ends)}{unit}")
        parts.append(f"{dataset}: {', '.join(changes)}")
    return f"Without → with the vote. {'. '.join(parts)}"


def _counted(n: int, of: int, verb: str) -> str:
    """How many: every strategy narrows …, none scores …, 2 of 4 narrow it."""
    if n == of:
        return f"every strategy {verb}"
    if n == 0:
        return f"none {verb}"
    first, _, rest = verb.partition(" ")
    many = "have" if first == "has" else first.removesuffix("s")
    return f"{n} of {of} {first if n == 1 else many} {rest}"


def _number(cell: PrintedCell) -> float:
    return float(cell) if isinstance(cell, int | float) else float("nan")
