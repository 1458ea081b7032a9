"""Who answers, and what was answered already: prompts become requests, requests answers, each once.

What a language model answered is stored under the sha256 of the component, the revision of its weights and the whole
request, so that equal prompts are asked once: across values of α, the deterministic list and the oracle, and across
runs.
"""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, NamedTuple, TypeAlias, cast

from fairviz.experiments.prompts import prompt_text, read_answer
from fairviz.experiments.protocols import COUNTED, ChatModel, Generator, Json, Prompt, Reply
from fairviz.experiments.store import Store, in_parts, key_of

Answerer: TypeAlias = Generator | ChatModel

KEY_DIGITS = 16
"""Of a key, in a custom_id: enough to tell 10⁹ requests apart."""


SECONDS = "seconds"
"""Fact of an answer: from request to reply, shared among the requests that were under way at once."""


class Question(NamedTuple):
    """One use of an answer.

    Attributes:
        use: What it is asked for, such as "TASK|QUERY|POLICY|SAMPLE".
        model: Name of who answers.
        prompt: What is asked.
    """

    use: str
    model: str
    prompt: Prompt


class Request(NamedTuple):
    """One chat completion to be had.

    Attributes:
        key: Under which its answer is stored.
        custom_id: Its first use and the beginning of the key: unique, and telling in a batch file.
        model: Name of who answers.
        body: The chat completion.
        prompt: What it was made of.
    """

    key: str
    custom_id: str
    model: str
    body: Mapping[str, Json]
    prompt: Prompt


def texts_of(request: Request) -> list[str]:
    """The texts of a request's messages."""
    if "prompt" in request.body:
        return [str(request.body["prompt"])]
    messages = cast("Sequence[Mapping[str, Any]]", request.body.get("messages") or ())
    return [str(message.get("content", "")) for message in messages]


def read_as(request: Request, answer: str) -> str | None:
    """What is read out of an answer: the letter of an option, or the text itself; None = unread."""
    return read_answer(request.prompt, answer) if request.prompt.options else answer.strip() or None


class Round(NamedTuple):
    """Questions that can be asked together; the next round may depend on their answers.

    Attributes:
        what: What is done, in a word or two: "label", "answer".
        questions: Gives them from the first on, each time anew, since they may be too many to hold; those of one model
            stand together, and the same thing may be asked twice.
    """

    what: str
    questions: Callable[[], Iterable[Question]]


@dataclass(slots=True)
class Asked:
    """What came of asking.

    Attributes:
        n_calls: Requests that were sent.
        n_answers: Answers that were stored.
        n_empty: Those of them that say nothing.
        failures: Requests without an answer, by what was said.
        tokens: Prompt and completion tokens of the replies, where they are counted.
        cost: Of these tokens, where they have a price.
    """

    n_calls: int = 0
    n_answers: int = 0
    n_empty: int = 0
    failures: dict[str, int] = field(default_factory=dict[str, int])
    tokens: tuple[int, int] = (0, 0)
    cost: float = 0.0

    def take(self, reply: Reply, price: tuple[float, float] | None = None) -> None:
        """Count one reply.

        Args:
            reply: What came back.
            price: Of a million prompt tokens, and of a million answer tokens.
        """
        read, written = (int(str(reply.facts.get(name) or 0)) for name in COUNTED)
        self.tokens = self.tokens[0] + read, self.tokens[1] + written
        if price is not None:
            self.cost += (read * price[0] + written * price[1]) / 1_000_000
        if reply.error:
            self.failures[reply.error] = self.failures.get(reply.error, 0) + 1
        else:
            self.n_answers += 1
            self.n_empty += not reply.text.strip()


TOO_MANY = 20
"""Equal failures in a row: a wrong key, a server that is not there. The rest would fail as well, at a price."""


@dataclass(slots=True)
class _Row:
    """Equal failures in a row."""

    error: str = ""
    n: int = 0

    def take(self, reply: Reply) -> None:
        self.n = self.n + 1 if reply.error and reply.error == self.error else bool(reply.error)
        self.error = reply.error


class Answers:
    """The answers of some models.

    Args:
        models: Who answers, by name.
        store: Where the answers of language models are.
    """

    def __init__(self, models: Mapping[str, Answerer], store: Store) -> None:
        self._models = models
        self._store = store
        self._used: dict[str, _Used] = {}

    def of(self, model: str, prompts: Sequence[Prompt]) -> list[str | None]:
        """One answer per prompt, in order; None where it is missing."""
        answerer = self._models[model]
        if not isinstance(answerer, ChatModel):
            distinct = list(dict.fromkeys(prompts))
            answered = dict(zip(distinct, answerer.generate(distinct), strict=True))
            return [answered[prompt] for prompt in prompts]
        keys = [request_key(answerer, answerer.body(prompt_text(prompt))) for prompt in prompts]
        stored = self._store.answers(keys)
        self._used.setdefault(model, _Used()).take(keys, self._store)
        return [stored.get(key) for key in keys]

    def provenance(self) -> dict[str, dict[str, Json]]:
        """Whose answers :meth:`of` gave, by name: identity, what it called itself, numbers of answers and tokens."""
        return {
            model: {**answerer.identity, **self._used[model].told()}
            for model, answerer in self._models.items()
            if isinstance(answerer, ChatModel) and model in self._used
        }

    def requests(self, questions: Iterable[Question]) -> Iterator[Request]:
        """What is to be asked: each distinct request without a stored answer, under its first use."""
        return self.missing(self.distinct(questions))

    def missing(self, requests: Iterable[Request]) -> Iterator[Request]:
        """Those without a stored answer."""
        for part in in_parts(requests):
            stored = self.stored(part)
            yield from (request for request in part if request.key not in stored)

    def stored(self, requests: Iterable[Request]) -> dict[str, str]:
        """The stored answers by key."""
        return self._store.answers(request.key for request in requests)

    @property
    def n_stored(self) -> int:
        """Answers that are stored, whatever asked for them."""
        return self._store.n_answers()

    def facts(self, requests: Iterable[Request]) -> dict[str, dict[str, Any]]:
        """What was said of the stored answers, by key."""
        return self._store.facts(request.key for request in requests)

    def distinct(self, questions: Iterable[Question]) -> Iterator[Request]:
        """Each distinct request under its first use, answered or not; none for who answers at once."""
        met: set[str] = set()
        for use, model, prompt in questions:
            answerer = self._models[model]
            if isinstance(answerer, ChatModel):
                body = answerer.body(prompt_text(prompt))
                key = request_key(answerer, body)
                if key not in met:
                    met.add(key)
                    yield Request(key, f"{model}|{use}|{key[:KEY_DIGITS]}", model, body, prompt)

    def ask(
        self,
        requests: Iterable[Request],
        *,
        total: Asked,
        progress: Callable[[int], object] = lambda n: None,
        stop: Callable[[Asked], bool] = lambda asked: False,
    ) -> Asked:
        """Ask and store, model by model; requests are drawn as they are sent.

        A stop sends nothing more; what is under way is paid for, and awaited. An exception, such as that of Ctrl-C,
        leaves it at once. After :data:`TOO_MANY` equal failures in a row the rest of a model's requests is left.

        Args:
            requests: What is missing, those of one model together.
            total: What was asked before, counted on.
            progress: Told before the first request and after each reply how many replies there were.
            stop: Asked before each request whether to leave the rest.
        """
        n_replies = 0
        progress(n_replies)
        for model, its in groupby(requests, key=lambda request: request.model):
            answerer = self._models[model]
            if not isinstance(answerer, ChatModel):
                raise ValueError(f"{model} answers at once")
            failures = _Row()
            under_way: dict[int, tuple[Request, float]] = {}
            bodies = _until(lambda: stop(total) or failures.n >= TOO_MANY, its, total, under_way)  # noqa: B023, used in this turn
            with closing(answerer.replies(bodies)) as replies:
                for reply in replies:
                    n_at_once = len(under_way)
                    request, begun = under_way.pop(reply.place)
                    if not reply.error:
                        timed = {**reply.facts, SECONDS: round((time.monotonic() - begun) / n_at_once, 3)}
                        self.put(request.key, request.model, reply.text, timed)
                    total.take(reply, answerer.price)
                    failures.take(reply)
                    n_replies += 1
                    progress(n_replies)
            if stop(total):
                break
        return total

    def put(self, key: str, model: str, answer: str, facts: Mapping[str, Json]) -> None:
        """Store an answer by the key of its request, wherever it was had."""
        self._store.put(key, model=model, answer=answer, facts=facts)


@dataclass(slots=True)
class _Used:
    """What was said of the answers that were used, put together; tokens where they were counted."""

    keys: set[str] = field(default_factory=set[str])
    missing: set[str] = field(default_factory=set[str])
    called: set[str] = field(default_factory=set[str])
    tokens: dict[str, int] = field(default_factory=dict[str, int])

    def take(self, keys: Collection[str], store: Store) -> None:
        new = set(keys) - self.keys
        facts = store.facts(new)
        self.keys.update(facts)
        self.missing.update(new)
        self.missing.difference_update(facts)
        for said in facts.values():
            self.called |= {said["model"]} if "model" in said else set()
            for name in COUNTED:
                if name in said:
                    self.tokens[name] = self.tokens.get(name, 0) + said[name]

    def told(self) -> dict[str, Json]:
        missing = {"missing_answers": len(self.missing)} if self.missing else {}
        return {"reported": sorted(self.called), "answers": len(self.keys), **missing, **self.tokens}


def request_key(model: ChatModel, body: Mapping[str, Json]) -> str:
    """Under which an answer is stored: component, revision, prompt, parameters and seed."""
    return key_of({**model.identity, "body": body})


def _until(
    over: Callable[[], bool], requests: Iterable[Request], total: Asked, under_way: dict[int, tuple[Request, float]]
) -> Iterator[Mapping[str, Json]]:
    """The bodies of requests, each counted and noted by its place when it is drawn, until it is over."""
    numbered = enumerate(requests)
    while not over() and (drawn := next(numbered, None)):
        place, request = drawn
        total.n_calls += 1
        under_way[place] = request, time.monotonic()
        yield request.body
