"""What an experiment will ask, before it is asked: calls, tokens, cost; and a pilot that shows what comes back.

Distinct requests are counted exactly. Tokens are counted by who answers: until the first answer is there, a token is
taken for four characters and an answer for as long as it may be, which is unknown without ``max_tokens``; afterwards
both follow the answers that are stored.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from fairviz.display.table import Table, keyed, labelled
from fairviz.display.words import count, duration, plural
from fairviz.errors import UsageError
from fairviz.experiments.asking import PER_TOKEN, SECONDS, Answerer, AskTally, ModelRequest, read_as, texts_of
from fairviz.experiments.protocols import ChatModel
from fairviz.experiments.runner import Experiment
from fairviz.experiments.store import in_parts

MILLION = 1_000_000

REQUESTS = {
    **dict.fromkeys(("round", "model"), pl.String),
    **dict.fromkeys(("at_most", "answered"), pl.Boolean),
    **dict.fromkeys(("characters", "limit", "read", "written"), pl.Int64),
    "seconds": pl.Float64,
}
"""A row per distinct request: whether answers that are missing decide how many there are, the length of its prompt, the
tokens that its answer may have (null: any number); of one that is answered tokens of prompt and answer, where they were
counted, and the time that it took."""

COLUMNS = (
    *keyed("round", "model"),
    *labelled("number", requests="distinct requests", stored="answered", calls="calls to make"),
    *labelled("number", prompt_tokens="prompt tokens", completion_tokens="answer tokens", cost="", seconds=""),
)
CHARGES = {
    **dict.fromkeys(("round", "model"), pl.String),
    **dict.fromkeys(("requests", "stored", "calls", "prompt_tokens", "completion_tokens"), pl.Int64),
    **dict.fromkeys(("cost", "seconds"), pl.Float64),
    **dict.fromkeys(("measured", "at_most"), pl.Boolean),
}
"""Types of these columns, and of what the numbers rest on."""


@dataclass(frozen=True, slots=True)
class Bill:
    """What is to be asked of whom, and some of the requests to read.

    Attributes:
        charges: A row per round and model, with the columns of :data:`COLUMNS`, and whether tokens follow answers that
            are stored (``measured``) and missing answers decide on the number of requests (``at_most``). Tokens, cost
            and seconds are those of the calls; null = unknown: the tokens of answers without a limit, the cost without
            them or a price, the seconds before an answer was timed.
        examples: Requests from all over.
        pilot: Requests from all over the first round that is not answered, or else of the last one.
    """

    charges: pl.DataFrame
    examples: tuple[ModelRequest, ...]
    pilot: tuple[ModelRequest, ...]

    @property
    def n_requests(self) -> int:
        """Distinct requests; uses of one answer count once."""
        return int(self.charges["requests"].sum())

    @property
    def n_stored(self) -> int:
        """Calls whose answers are stored already."""
        return int(self.charges["stored"].sum())

    @property
    def n_missing(self) -> int:
        """Calls that are still to be made."""
        return int(self.charges["calls"].sum())

    @property
    def cost(self) -> float | None:
        """Cost of all calls, None where a model has no price or its answers may be of any length."""
        return self._total("cost")

    @property
    def seconds(self) -> float | None:
        """Until all calls are answered, None where a model was not timed yet."""
        return self._total("seconds")

    @property
    def title(self) -> str:
        """Calls that are to be made, with their cost and time where they are known."""
        if not self.n_missing:
            return "Nothing is left to ask"
        cost = "" if self.cost is None else f", cost {count(self.cost, 2)}"
        time = "" if self.seconds is None else f", about {duration(self.seconds)}"
        return f"{plural(self.n_missing, 'call')} to make{cost}{time}"

    @property
    def caption(self) -> str:
        """Tokens, how they were counted, and what is not known."""
        written, measured = self._total("completion_tokens"), self._due["measured"].all()
        answers = "an unknown number of answer tokens" if written is None else f"{count(written)} answer tokens"
        how = (
            "projected from the stored answers"
            if measured
            else "estimated at four characters each, answers as long as they may be"
        )
        sentences = [f"{count(int(self._due['prompt_tokens'].sum()))} prompt tokens and {answers}, {how}."]
        if self.cost is None:
            sentences.append("Cost unknown: no price_input and price_output, or no max_tokens, is set.")
        if self.seconds is None:
            sentences.append("The time is known after the pilot.")
        if self._due["at_most"].any():
            sentences.append("Rounds that depend on missing answers are counted at most.")
        return " ".join(sentences)

    @property
    def _due(self) -> pl.DataFrame:
        return self.charges.filter(pl.col("calls") > 0)

    def _total(self, column: str) -> float | None:
        """The sum; None where a part is not known."""
        parts = self._due[column]
        return None if parts.null_count() else float(parts.to_numpy().sum())


N_EXAMPLES = 3
"""Prompts printed in full."""

N_PILOT = 20


def bill(experiment: Experiment, *, n_pilot: int = N_PILOT) -> Bill:
    """What is to be asked, and what it costs; nothing is asked for that."""
    requests = [pl.DataFrame(schema=REQUESTS)]
    examples, pilot = _Spread(), _Spread()
    all_answered = True
    for what, questions, at_most in experiment.planned():
        of_round = _Spread()
        n_missing = 0
        for part in in_parts(experiment.answers.distinct(questions())):
            facts = experiment.answers.store.facts(request.key for request in part)
            n_missing += len(part) - len(facts)
            rows = [(what, request.model, at_most, *_counted(request, facts.get(request.key))) for request in part]
            requests.append(pl.DataFrame(rows, REQUESTS, orient="row"))
            for request in part:
                examples.take(request)
                of_round.take(request)
        if of_round.n and all_answered:
            pilot = of_round
        all_answered = all_answered and not n_missing
    charges = charges_of(pl.concat(requests), experiment.source.models)
    return Bill(charges, examples.chosen(N_EXAMPLES), pilot.chosen(n_pilot))


def _counted(request: ModelRequest, facts: Mapping[str, Any] | None) -> tuple[object, ...]:
    """The cells of a request from ``answered`` on."""
    limit = request.body.get("max_tokens") or request.body.get("max_completion_tokens")
    facts, answered = facts or {}, facts is not None
    counts = (facts.get("prompt_tokens"), facts.get("completion_tokens"), facts.get(SECONDS))
    return answered, sum(map(len, texts_of(request))), limit, *counts


def charges_of(requests: pl.DataFrame, models: Mapping[str, Answerer]) -> pl.DataFrame:
    """What is missing, by what is known of the model's answers; a slow start or a pause moves no median.

    What is known is that of the round, or of all rounds where nothing was counted in this one.

    Args:
        requests: A row each, as :data:`REQUESTS` says.
        models: Who answers, by name.
    """
    is_missing, is_counted = ~pl.col("answered"), (pl.col("read") > 0) & pl.col("written").is_not_null()
    limits = pl.col("limit").filter(is_missing)
    facts = {
        "n_counted": is_counted.sum(),
        **{f"of_{name}": pl.col(name).filter(is_counted).sum() for name in ("characters", "read", "written")},
        "median": pl.col("seconds").median(),
    }
    of_rounds = requests.group_by("round", "model", maintain_order=True).agg(
        pl.len().alias("requests"),
        pl.col("answered").sum().alias("stored"),
        pl.col("at_most").first(),
        pl.col("characters").filter(is_missing).sum(),
        pl.when(limits.null_count() == 0).then(limits.sum()).alias("limit"),
        **facts,
    )
    of_models = {row["model"]: row for row in requests.group_by("model").agg(**facts).iter_rows(named=True)}
    charges: list[tuple[object, ...]] = []
    for row in of_rounds.iter_rows(named=True):
        own = row if row["n_counted"] else of_models[row["model"]]
        calls, n, median = row["requests"] - row["stored"], own["n_counted"], own["median"]
        read = round(row["characters"] * own["of_read"] / own["of_characters"] if n else row["characters"] / PER_TOKEN)
        written = round(calls * own["of_written"] / n) if n else row["limit"]
        model = models.get(row["model"])
        price = model.price if isinstance(model, ChatModel) else None
        cost = None if price is None or written is None else (read * price[0] + written * price[1]) / MILLION
        counts = (row["requests"], row["stored"], calls, read, written)
        seconds = None if median is None else calls * median
        charges.append((row["round"], row["model"], *counts, cost, seconds, n > 0, row["at_most"]))
    return pl.DataFrame(charges, CHARGES, orient="row")


class _Spread:
    """Some of many requests, from all over, without holding them all."""

    HELD = 2_048

    def __init__(self) -> None:
        self.n = 0
        self._step = 1
        self._held: list[ModelRequest] = []
        self._last: list[ModelRequest] = []

    def take(self, request: ModelRequest) -> None:
        """Every one, then every second one, then every fourth one is held."""
        if self.n % self._step == 0:
            self._held.append(request)
        self._last = [request]
        self.n += 1
        if len(self._held) > self.HELD:
            self._held, self._step = self._held[::2], 2 * self._step

    def chosen(self, n: int) -> tuple[ModelRequest, ...]:
        """The first, the last and others evenly between."""
        some = self._held if self._held[-1:] == self._last else [*self._held, *self._last]
        if len(some) <= n:
            return tuple(some)
        return tuple(some[round(index * (len(some) - 1) / (n - 1))] for index in range(n))


def limit(experiment: Experiment, *, calls: int | None, cost: float | None) -> Callable[[AskTally], bool]:
    """When to stop asking: after so many calls, or where the next could cost more; stopped once, it stays so.

    The next call, and those under way, are taken for as dear as the dearest that came: before the first reply nothing
    is known, and as many are asked as may be at once.

    Raises:
        UsageError: A cost is to be held, and a model has no price.
    """
    for name, model in experiment.source.models.items():
        if cost is not None and isinstance(model, ChatModel) and model.price is None:
            fix = "set price_input and price_output (of a million tokens) in its table, or leave --max-cost away"
            raise UsageError(f"{name} has no price; {fix}")

    over = False

    def reached(total: AskTally) -> bool:
        nonlocal over
        n_open = total.n_calls - total.n_answers - sum(total.failures.values())
        over = over or (calls is not None and total.n_calls >= calls)
        over = over or (cost is not None and total.cost + (n_open + 1) * total.dearest > cost)
        return over

    return reached


def bill_table(due: Bill) -> Table:
    """A row per round and model; what is unknown is undefined: cost without a price, time before an answer came."""
    charges = due.charges.with_columns(pl.col("seconds").round().cast(pl.Int64))
    return Table(
        columns=COLUMNS,
        rows=tuple(charges.select(column.key for column in COLUMNS).iter_rows()),
        caption="What is still to be asked.",
    )


def tried(
    experiment: Experiment, requests: Iterable[ModelRequest]
) -> list[tuple[ModelRequest, str | None, str | None]]:
    """Some requests with what came back, which may be empty or nothing (None), and what is read out of it."""
    requests = list(requests)
    stored = experiment.answers.store.answers(request.key for request in requests)
    return [(request, stored.get(request.key), read_as(request, stored.get(request.key, ""))) for request in requests]
