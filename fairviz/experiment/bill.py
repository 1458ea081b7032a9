"""What an experiment will ask, before it is asked: calls, tokens, cost; and a pilot that shows what comes back.

Distinct requests are counted exactly. Tokens are counted by who answers: until the first answer is there, a token is
taken for four characters and an answer for as long as it may be; afterwards both follow the answers that are stored.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from fairviz.errors import UsageError
from fairviz.experiment.asking import Answerer, Asked, Request
from fairviz.experiment.prompts.text import read_answer
from fairviz.experiment.protocols import ChatModel
from fairviz.experiment.runner import Experiment
from fairviz.show.table import Column, Table

CHARACTERS_PER_TOKEN = 4.0
"""Of English text, about; until a server has counted."""

MILLION = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Charge:
    """What one model is asked in one round.

    Attributes:
        what: The round.
        model: Who answers.
        n_requests: Distinct requests; uses of one answer count once.
        n_stored: Those that are answered already.
        prompt_tokens, completion_tokens: Tokens of the others, at most or as measured.
        cost: Of the others, None without a price.
        measured: Whether tokens follow answers that are stored.
        at_most: Whether the number of requests depends on answers that are missing.
    """

    what: str
    model: str
    n_requests: int
    n_stored: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    measured: bool
    at_most: bool

    @property
    def n_missing(self) -> int:
        """Calls that are still to be made."""
        return self.n_requests - self.n_stored


@dataclass(frozen=True, slots=True)
class Bill:
    """All charges, and some of the requests to read."""

    charges: tuple[Charge, ...]
    examples: tuple[Request, ...]

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
    def cost(self) -> float | None:
        """Of all calls, None where a model has no price."""
        costs = [charge.cost for charge in self.charges if charge.n_missing]
        return None if None in costs else sum(cast("list[float]", costs))


N_EXAMPLES = 3
"""Prompts printed in full."""


def bill(experiment: Experiment) -> Bill:
    """What is to be asked, and what it costs; nothing is asked for that."""
    charges: list[Charge] = []
    asked: list[Request] = []
    models = experiment.source.models
    for what, requests, at_most in experiment.planned():
        asked += requests
        charges += _charges(what, requests, experiment, models, at_most=at_most)
    return Bill(tuple(charges), _spread(asked, N_EXAMPLES))


def _charges(
    what: str, requests: Sequence[Request], experiment: Experiment, models: Mapping[str, Answerer], *, at_most: bool
) -> list[Charge]:
    by_model: dict[str, list[Request]] = {}
    for request in requests:
        by_model.setdefault(request.model, []).append(request)
    return [
        _charge(what, its, experiment.answers.facts(its), models[name], at_most=at_most)
        for name, its in by_model.items()
    ]


def _charge(
    what: str, requests: Sequence[Request], facts: Mapping[str, Mapping[str, Any]], model: Answerer, *, at_most: bool
) -> Charge:
    length = {request.key: sum(map(len, texts_of(request))) for request in requests}
    counted = {key: said for key, said in facts.items() if said.get("prompt_tokens") and "completion_tokens" in said}
    missing = [request for request in requests if request.key not in facts]
    per_token = CHARACTERS_PER_TOKEN
    completion = sum(_most_tokens(request) for request in missing)
    if counted:
        per_token = sum(length[key] for key in counted) / sum(said["prompt_tokens"] for said in counted.values())
        mean = sum(said["completion_tokens"] for said in counted.values()) / len(counted)
        completion = round(mean * len(missing))
    prompt = round(sum(length[request.key] for request in missing) / per_token)
    price = model.price if isinstance(model, ChatModel) else None
    return Charge(
        what=what,
        model=requests[0].model,
        n_requests=len(requests),
        n_stored=len(facts),
        prompt_tokens=prompt,
        completion_tokens=completion,
        cost=None if price is None else (prompt * price[0] + completion * price[1]) / MILLION,
        measured=bool(counted),
        at_most=at_most,
    )


def texts_of(request: Request) -> list[str]:
    """The texts of a request's messages."""
    messages = cast("Sequence[Mapping[str, Any]]", request.body.get("messages") or ())
    return [str(message.get("content", "")) for message in messages]


def _most_tokens(request: Request) -> int:
    return int(str(request.body.get("max_tokens") or 0))


def _spread(requests: Sequence[Request], n: int) -> tuple[Request, ...]:
    """Some requests from all over: the first, the last and others evenly between."""
    if len(requests) <= n:
        return tuple(requests)
    return tuple(requests[round(place * (len(requests) - 1) / (n - 1))] for place in range(n))


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
)


def bill_table(charges: Iterable[Charge]) -> Table:
    """A row per round and model; no cost where no price is given."""
    return Table(
        columns=COLUMNS,
        rows=tuple(
            (
                charge.what,
                charge.model,
                charge.n_requests,
                charge.n_stored,
                charge.n_missing,
                charge.prompt_tokens,
                charge.completion_tokens,
                charge.cost,
            )
            for charge in charges
        ),
        caption="What is still to be asked.",
    )


N_PILOT = 20


class Tried(NamedTuple):
    """One request of a pilot.

    Attributes:
        request: What was asked.
        answer: What came back, "" where nothing did.
        read: What is read out of it: the letter of an option, or the text itself; None = unread.
    """

    request: Request
    answer: str
    read: str | None


def pilot_requests(experiment: Experiment, n: int = N_PILOT) -> tuple[Request, ...]:
    """Requests from all over the first round that is not answered, or else of the last one."""
    chosen: tuple[Request, ...] = ()
    for _, requests, _ in experiment.planned():
        chosen = _spread(requests, n) or chosen
        if experiment.answers.missing(requests):
            break
    return chosen


def tried(experiment: Experiment, requests: Iterable[Request]) -> list[Tried]:
    """What came back for some requests, answered or not."""
    requests = list(requests)
    stored = experiment.answers.stored(requests)
    return [Tried(request, stored.get(request.key, ""), _read(request, stored)) for request in requests]


def _read(request: Request, stored: Mapping[str, str]) -> str | None:
    answer = stored.get(request.key, "")
    return read_answer(request.prompt, answer) if request.prompt.options else answer or None
