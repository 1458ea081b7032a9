"""What an experiment will ask, before it is asked: calls, tokens, cost; and a pilot that shows what comes back.

Distinct requests are counted exactly. Tokens are counted by who answers: until the first answer is there, a token is
taken for four characters and an answer for as long as it may be, which is unknown without ``max_tokens``; afterwards
both follow the answers that are stored.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any, NamedTuple

from fairviz.display.table import Column, Table
from fairviz.errors import UsageError
from fairviz.experiments.asking import SECONDS, Answerer, Asked, Request, read_as, texts_of
from fairviz.experiments.protocols import ChatModel
from fairviz.experiments.runner import Experiment
from fairviz.experiments.store import in_parts

CHARACTERS_PER_TOKEN = 4.0
"""Of English text, about; until a server has counted."""

MILLION = 1_000_000


class Charge(NamedTuple):
    """What one model is asked in one round.

    Attributes:
        what: The round.
        model: Who answers.
        n_requests: Distinct requests; uses of one answer count once.
        n_stored: Those that are answered already.
        prompt_tokens: Tokens of the others' prompts, as estimated or measured.
        completion_tokens: Tokens of their answers, at most or as measured; None = unknown: no limit is set.
        cost: Of the others, None without a price or where the tokens of answers are unknown.
        seconds: Until the others are answered, None before the first answer was timed.
        measured: Whether tokens follow answers that are stored.
        at_most: Whether the number of requests depends on answers that are missing.
    """

    what: str
    model: str
    n_requests: int
    n_stored: int
    prompt_tokens: int
    completion_tokens: int | None
    cost: float | None
    seconds: float | None
    measured: bool
    at_most: bool

    @property
    def n_missing(self) -> int:
        """Calls that are still to be made."""
        return self.n_requests - self.n_stored


class Bill(NamedTuple):
    """All charges, and some of the requests to read.

    Attributes:
        charges: By round and model.
        examples: Requests from all over.
        pilot: Requests from all over the first round that is not answered, or else of the last one.
    """

    charges: tuple[Charge, ...]
    examples: tuple[Request, ...]
    pilot: tuple[Request, ...]

    @property
    def n_missing(self) -> int:
        """Calls that are still to be made."""
        return sum(charge.n_missing for charge in self.charges)

    @property
    def measured(self) -> bool:
        """Whether all tokens follow stored answers."""
        return all(charge.measured for charge in self.charges if charge.n_missing)

    @property
    def at_most(self) -> bool:
        """Whether the number of some calls depends on answers that are missing."""
        return any(charge.at_most and charge.n_missing for charge in self.charges)

    @property
    def prompt_tokens(self) -> int:
        """Of all calls."""
        return sum(charge.prompt_tokens for charge in self.charges)

    @property
    def completion_tokens(self) -> int | None:
        """Of all answers; None = unknown: a model has no ``max_tokens`` and no answer was measured."""
        tokens = _total([charge.completion_tokens for charge in self.charges if charge.n_missing])
        return None if tokens is None else round(tokens)

    @property
    def cost(self) -> float | None:
        """Of all calls, None where a model has no price or its answers may be of any length."""
        return _total([charge.cost for charge in self.charges if charge.n_missing])

    @property
    def seconds(self) -> float | None:
        """Until all calls are answered, None where a model was not timed yet."""
        return _total([charge.seconds for charge in self.charges if charge.n_missing])


def _total(parts: Sequence[float | None]) -> float | None:
    """The sum; None where a part is not known."""
    known = [part for part in parts if part is not None]
    return sum(known) if len(known) == len(parts) else None


N_EXAMPLES = 3
"""Prompts printed in full."""

N_PILOT = 20


def bill(experiment: Experiment, *, n_pilot: int = N_PILOT) -> Bill:
    """What is to be asked, and what it costs; nothing is asked for that."""
    tallies: dict[tuple[str, str], _Tally] = {}
    examples, pilot = _Spread(), _Spread()
    for what, questions, at_most in experiment.planned():
        answered = not any(tally.n_missing for tally in tallies.values())
        of_round = _Spread()
        for part in in_parts(experiment.answers.distinct(questions())):
            facts = experiment.answers.store.facts(request.key for request in part)
            for request in part:
                tally = tallies.setdefault((what, request.model), _Tally(at_most))
                tally.take(request, facts.get(request.key))
                examples.take(request)
                of_round.take(request)
        if of_round.n and answered:
            pilot = of_round
    charges: list[Charge] = []
    for (what, model), tally in tallies.items():
        others = [other for (_, name), other in tallies.items() if name == model]
        known = [tally] if tally.measured["n"] else others
        charges.append(tally.charge(what, model, experiment.source.models[model], known))
    return Bill(tuple(charges), examples.chosen(N_EXAMPLES), pilot.chosen(n_pilot))


@dataclass(slots=True)
class _Tally:
    """What one model is asked in one round, counted request by request.

    Attributes:
        at_most: Whether answers that are missing decide how many requests there are.
        n: Requests.
        n_missing: Those without an answer.
        characters: Of their prompts.
        most: Tokens of their answers, None where a request sets no limit.
        measured: Where tokens were counted: answers (n), characters of their prompts, prompt tokens (read) and answer
            tokens (written).
        seconds: Of each answer that was timed, beside those under way with it.
    """

    at_most: bool
    n: int = 0
    n_missing: int = 0
    characters: int = 0
    most: int | None = 0
    measured: Counter[str] = field(default_factory=Counter[str])
    seconds: list[float] = field(default_factory=list[float])

    def take(self, request: Request, facts: Mapping[str, Any] | None) -> None:
        length = sum(map(len, texts_of(request)))
        self.n += 1
        if facts is None:
            limit = request.body.get("max_tokens") or request.body.get("max_completion_tokens")
            self.n_missing += 1
            self.characters += length
            self.most = None if self.most is None or limit is None else self.most + int(str(limit))
            return
        if facts.get("prompt_tokens") and "completion_tokens" in facts:
            read, written = facts["prompt_tokens"], facts["completion_tokens"]
            self.measured.update(n=1, characters=length, read=read, written=written)
        if SECONDS in facts:
            self.seconds.append(facts[SECONDS])

    def charge(self, what: str, name: str, model: Answerer, known: Sequence["_Tally"]) -> Charge:
        """What is missing, by what is known of the model's answers; a slow start or a pause moves no median."""
        measured = {key: sum(tally.measured[key] for tally in known) for key in ("n", "characters", "read", "written")}
        seconds = [second for tally in known for second in tally.seconds]
        prompt, completion = round(self.characters / CHARACTERS_PER_TOKEN), self.most
        if measured["n"]:
            prompt = round(self.characters * measured["read"] / measured["characters"])
            completion = round(self.n_missing * measured["written"] / measured["n"])
        price = model.price if isinstance(model, ChatModel) else None
        cost = None
        if price is not None and completion is not None:
            cost = (prompt * price[0] + completion * price[1]) / MILLION
        return Charge(
            what=what,
            model=name,
            n_requests=self.n,
            n_stored=self.n - self.n_missing,
            prompt_tokens=prompt,
            completion_tokens=completion,
            cost=cost,
            seconds=self.n_missing * median(seconds) if seconds else None,
            measured=measured["n"] > 0,
            at_most=self.at_most,
        )


class _Spread:
    """Some of many requests, from all over, without holding them all."""

    HELD = 2_048

    def __init__(self) -> None:
        self.n = 0
        self._step = 1
        self._held: list[Request] = []
        self._last: list[Request] = []

    def take(self, request: Request) -> None:
        """Every one, then every second one, then every fourth one is held."""
        if self.n % self._step == 0:
            self._held.append(request)
        self._last = [request]
        self.n += 1
        if len(self._held) > self.HELD:
            self._held, self._step = self._held[::2], 2 * self._step

    def chosen(self, n: int) -> tuple[Request, ...]:
        """The first, the last and others evenly between."""
        some = self._held if self._held[-1:] == self._last else [*self._held, *self._last]
        if len(some) <= n:
            return tuple(some)
        return tuple(some[round(place * (len(some) - 1) / (n - 1))] for place in range(n))


def limit(experiment: Experiment, *, calls: int | None, cost: float | None) -> Callable[[Asked], bool]:
    """When to stop asking: after so many calls, or where the answers have cost as much.

    Raises:
        UsageError: A cost is to be held, and a model has no price.
    """
    for name, model in experiment.source.models.items():
        if cost is not None and isinstance(model, ChatModel) and model.price is None:
            fix = "set price_input and price_output (of a million tokens) in its table, or leave --max-cost away"
            raise UsageError(f"{name} has no price; {fix}")

    def reached(asked: Asked) -> bool:
        return (calls is not None and asked.n_calls >= calls) or (cost is not None and asked.cost >= cost)

    return reached


COLUMNS = (
    Column("round"),
    Column("model"),
    Column("requests", "distinct requests", kind="number"),
    Column("stored", "answered", kind="number"),
    Column("calls", "calls to make", kind="number"),
    Column("prompt_tokens", "prompt tokens", kind="number"),
    Column("completion_tokens", "answer tokens", kind="number"),
    Column("cost", kind="number"),
    Column("seconds", kind="number"),
)


def bill_table(charges: Iterable[Charge]) -> Table:
    """A row per round and model; what is unknown is undefined: cost without a price, time before an answer came."""
    return Table(
        columns=COLUMNS,
        rows=tuple(
            (
                *charge[:4],
                charge.n_missing,
                *charge[4:7],
                None if charge.seconds is None else round(charge.seconds),
            )
            for charge in charges
        ),
        caption="What is still to be asked.",
    )


def tried(experiment: Experiment, requests: Iterable[Request]) -> list[tuple[Request, str | None, str | None]]:
    """Some requests with what came back, which may be empty or nothing (None), and what is read out of it."""
    requests = list(requests)
    stored = experiment.answers.store.answers(request.key for request in requests)
    return [(request, stored.get(request.key), read_as(request, stored.get(request.key, ""))) for request in requests]
