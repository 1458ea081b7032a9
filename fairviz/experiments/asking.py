"""Who answers, and what was answered already: prompts become requests, requests answers, each once.

What a language model answered is stored under the sha256 of the component, the revision of its weights and the whole
request, so that equal prompts are asked once: across values of α, the deterministic list and the oracle, and across
runs. Any batch runner or script can answer, too: a request is a line ``{"custom_id", "method": "POST", "url":
"/v1/chat/completions", "body"}`` of OpenAI's Batch format, a response a line ``{"custom_id", "response":
{"status_code", "body": CHAT COMPLETION}, "error"}``. The custom_id ends in the beginning of the key under which the
answer is stored, so that an answer to another plan is found out, whatever the order of the lines.
"""

import json
import math
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, NamedTuple, TextIO, TypeAlias, cast

from fairviz.experiments.protocols import (
    COUNTED,
    ChatModel,
    Generator,
    Identities,
    Json,
    Prompt,
    Reply,
    Retriever,
    prompt_text,
    read_answer,
)
from fairviz.experiments.store import Store, in_parts, key_of
from fairviz.io.json import FileRow, json_records
from fairviz.io.notes import NoteBook, shown
from fairviz.io.source import FileInput, Source, as_source
from fairviz.model import Note

Answerer: TypeAlias = Generator | ChatModel

Step: TypeAlias = Callable[[str], None]
"""Told what is done next."""
Files: TypeAlias = Iterator[tuple[str, Callable[[TextIO], object]]]
"""Name and writer of each file, in the order of their making."""

KEY_DIGITS = 16
"""Of a key, in a custom_id: enough to tell 10⁹ requests apart."""


PER_TOKEN = 4.0
"""Characters of English text, about; until a server has counted."""

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


class ModelRequest(NamedTuple):
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


def texts_of(request: ModelRequest) -> list[str]:
    """The texts of a request's messages."""
    if "prompt" in request.body:
        return [str(request.body["prompt"])]
    messages = cast("Sequence[Mapping[str, Any]]", request.body.get("messages") or ())
    return [str(message.get("content", "")) for message in messages]


def read_as(request: ModelRequest, answer: str) -> str | None:
    """What is read out of an answer: the letter of an option, or the text itself; None = unread."""
    return read_answer(request.prompt, answer) if request.prompt.options else answer.strip() or None


class Round(NamedTuple):
    """Questions that can be asked together; the next round may depend on their answers.

    Attributes:
        what: What is done, in a word or two: "label", "answer".
        questions: Gives them from the first on, each time anew, since they may be too many to hold; those of one model
            stand together, and the same thing may be asked twice.
        at_most: Whether answers that are missing decide which of them will be asked.
    """

    what: str
    questions: Callable[[], Iterable[Question]]
    at_most: bool = False


class QuestionSource:
    """The questions of one experiment.

    To make one reads what the experiment starts from, so that its faults are reported before anything is written.

    Attributes:
        models: Who answers, by name.
        retrievers: Who finds documents, by label.
        n_steps: Steps that :meth:`files` announces.
        notes: What the readers repaired.
        dropped: Questions that are in the run, and in nothing else.
    """

    models: Mapping[str, Answerer]
    retrievers: dict[str, Retriever]
    n_steps: int
    notes: tuple[Note, ...] = ()
    dropped: tuple[Note, ...] = ()

    @property
    def material(self) -> Mapping[str, int]:
        """Sizes of what it starts from."""
        raise NotImplementedError

    @property
    def identities(self) -> Identities:
        """By which the weights of its components are known."""
        return {"retriever": {label: retriever.identity for label, retriever in self.retrievers.items()}}

    def rounds(self, answers: "Answers") -> Iterator[Round]:
        """What is asked; the answers to a round are there before the next is begun. Here everything at once."""
        yield Round("answer", self.questions)

    def outlook(self, answers: "Answers") -> Iterator[Round]:
        """All rounds before their answers are there, with about as many questions as there will be at most."""
        return self.rounds(answers)

    def questions(self) -> Iterable[Question]:
        """What is asked where nothing depends on an answer."""
        raise NotImplementedError

    def files(self, answers: "Answers", step: Step) -> Files:
        """Name and writer of each file, in the order of their making.

        Args:
            answers: Those that came.
            step: Told what is done next.
        """
        raise NotImplementedError


@dataclass(slots=True)
class AskTally:
    """What came of asking.

    Attributes:
        n_calls: Requests that were sent.
        n_answers: Answers that were stored.
        n_empty: Those of them that say nothing.
        failures: Requests without an answer, by what was said.
        tokens: Prompt and completion tokens of the replies, where they are counted.
        cost: Of the replies, where tokens have a price; those that are not counted are taken for :data:`PER_TOKEN`
            characters each.
        dearest: Cost of the dearest of them.
    """

    n_calls: int = 0
    n_answers: int = 0
    n_empty: int = 0
    failures: dict[str, int] = field(default_factory=dict[str, int])
    tokens: tuple[int, int] = (0, 0)
    cost: float = 0.0
    dearest: float = 0.0

    def take(self, reply: Reply, price: tuple[float, float] | None = None, n_characters: int = 0) -> None:
        """Count one reply.

        Args:
            reply: What came back.
            price: Of a million prompt tokens, and of a million answer tokens.
            n_characters: Of its prompt.
        """
        read, written = (int(str(reply.facts.get(name) or 0)) for name in COUNTED)
        self.tokens = self.tokens[0] + read, self.tokens[1] + written
        if price is not None and not reply.error:
            read = read or math.ceil(n_characters / PER_TOKEN)
            written = written or math.ceil(len(reply.text) / PER_TOKEN)
            cost = (read * price[0] + written * price[1]) / 1_000_000
            self.cost, self.dearest = self.cost + cost, max(self.dearest, cost)
        if reply.error:
            self.failures[reply.error] = self.failures.get(reply.error, 0) + 1
        else:
            self.n_answers += 1
            self.n_empty += not reply.text.strip()


TOO_MANY = 20
"""Equal failures in a row: a wrong key, a server that is not there. The rest would fail as well, at a price."""


class Answers:
    """The answers of some models.

    Args:
        models: Who answers, by name.
        store: Where the answers of language models are.
    """

    def __init__(self, models: Mapping[str, Answerer], store: Store) -> None:
        self._models = models
        self.store = store
        self._used: dict[str, dict[str, None]] = {}

    def of(self, model: str, prompts: Sequence[Prompt]) -> list[str | None]:
        """One answer per prompt, in order; None where it is missing."""
        answerer = self._models[model]
        if not isinstance(answerer, ChatModel):
            distinct = list(dict.fromkeys(prompts))
            answered = dict(zip(distinct, answerer.generate(distinct), strict=True))
            return [answered[prompt] for prompt in prompts]
        keys = [request_key(answerer, answerer.body(prompt_text(prompt))) for prompt in prompts]
        stored = self.store.answers(keys)
        self._used.setdefault(model, {}).update(dict.fromkeys(keys))
        return [stored.get(key) for key in keys]

    def provenance(self) -> dict[str, dict[str, Json]]:
        """Whose answers :meth:`of` gave, by name: identity, what it called itself, numbers of answers and tokens."""
        return {
            model: {**answerer.identity, **self._facts_of(self._used[model])}
            for model, answerer in self._models.items()
            if isinstance(answerer, ChatModel) and model in self._used
        }

    def _facts_of(self, keys: Iterable[str]) -> dict[str, Json]:
        """What was said of the answers to some requests, put together; tokens where they were counted."""
        n_answers = n_missing = 0
        called: set[str] = set()
        tokens: dict[str, int] = {}
        for part in in_parts(keys):
            facts = self.store.facts(part)
            n_answers, n_missing = n_answers + len(facts), n_missing + len(part) - len(facts)
            for answer_facts in facts.values():
                called |= {answer_facts["model"]} if "model" in answer_facts else set()
                for name in COUNTED:
                    if name in answer_facts:
                        tokens[name] = tokens.get(name, 0) + answer_facts[name]
        missing = {"missing_answers": n_missing} if n_missing else {}
        return {"reported": sorted(called), "answers": n_answers, **missing, **tokens}

    def requests(self, questions: Iterable[Question]) -> Iterator[ModelRequest]:
        """What is to be asked: each distinct request without a stored answer, under its first use."""
        return self.missing(self.distinct(questions))

    def missing(self, requests: Iterable[ModelRequest]) -> Iterator[ModelRequest]:
        """Questions without a stored answer."""
        for part in in_parts(requests):
            stored = self.store.answers(request.key for request in part)
            yield from (request for request in part if request.key not in stored)

    def distinct(self, questions: Iterable[Question]) -> Iterator[ModelRequest]:
        """Each distinct request under its first use, answered or not; none for who answers at once."""
        met: set[str] = set()
        for use, model, prompt in questions:
            answerer = self._models[model]
            if isinstance(answerer, ChatModel):
                body = answerer.body(prompt_text(prompt))
                key = request_key(answerer, body)
                if key not in met:
                    met.add(key)
                    yield ModelRequest(key, f"{model}|{use}|{key[:KEY_DIGITS]}", model, body, prompt)

    def ask(
        self,
        requests: Iterable[ModelRequest],
        *,
        total: AskTally,
        progress: Callable[[int], object] = lambda n: None,
        stop: Callable[[AskTally], bool] = lambda tally: False,
    ) -> AskTally:
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
            errors: deque[str] = deque(maxlen=TOO_MANY)
            under_way: dict[int, tuple[ModelRequest, float]] = {}

            def over(errors: deque[str] = errors) -> bool:
                """Whether to leave the rest; the last requests may have failed in the same way."""
                return stop(total) or (len(errors) == TOO_MANY and errors[0] != "" and len(set(errors)) == 1)

            bodies = _until(over, its, total, under_way)
            with closing(answerer.replies(bodies)) as replies:
                for reply in replies:
                    n_at_once = len(under_way)
                    request, begun = under_way.pop(reply.place)
                    if not reply.error:
                        timed = {**reply.facts, SECONDS: round((time.monotonic() - begun) / n_at_once, 3)}
                        self.store.put(request.key, request.model, reply.text, timed)
                    total.take(reply, answerer.price, sum(map(len, texts_of(request))))
                    errors.append(reply.error)
                    n_replies += 1
                    progress(n_replies)
            if stop(total):
                break
        return total


def request_key(model: ChatModel, body: Mapping[str, Json]) -> str:
    """Under which an answer is stored: component, revision, prompt, parameters and seed."""
    return key_of({**model.identity, "body": body})


def _until(
    over: Callable[[], bool],
    requests: Iterable[ModelRequest],
    total: AskTally,
    under_way: dict[int, tuple[ModelRequest, float]],
) -> Iterator[Mapping[str, Json]]:
    """The bodies of requests, each counted and noted by its place when it is drawn, until it is over."""
    numbered = enumerate(requests)
    while not over() and (drawn := next(numbered, None)):
        index, request = drawn
        total.n_calls += 1
        under_way[index] = request, time.monotonic()
        yield request.body


# Requests and responses as lines of OpenAI's Batch format, so that any batch runner or script can answer.


LONGEST = 200
"""Characters of an error that are kept."""


def write_requests(requests: Iterable[ModelRequest], to: TextIO) -> None:
    """Write one line per request."""
    for request in requests:
        url = "/v1/chat/completions" if "messages" in request.body else "/v1/completions"
        line = {"custom_id": request.custom_id, "method": "POST", "url": url, "body": request.body}
        to.write(json.dumps(line, ensure_ascii=False) + "\n")


def read_responses(file: FileInput | Source) -> Iterator[tuple[str, Reply]]:
    """Responses in the order of their lines: the custom_id of a request, and what came back on which line.

    Raises:
        InputError: A line is no response.
    """
    source = as_source(file)
    notes = NoteBook(source.name)
    for line, record in json_records(source, notes):
        custom_id = FileRow(record, line, notes).identifier("custom_id")
        response = record.get("response")
        error = record.get("error")
        if not isinstance(response, dict) and not error:
            raise source.wrong(
                f"no response to {shown(custom_id)}",
                'Give the lines of a batch\'s output: "custom_id", "response" with "body", "error".',
                line,
            )
        of_server = cast("Mapping[str, Any]", response or {})
        status = of_server.get("status_code", 200)
        answer, facts, missing = completed(of_server.get("body"))
        if error or status != 200:
            answer, facts, missing = "", dict[str, Json](), words_of(error) if error else f"status {status}"
        yield custom_id, Reply(line, answer, facts, missing[:LONGEST])


def completed(body: object) -> tuple[str, dict[str, Json], str]:
    """Answer, facts and error of what came back: an answer, which may be empty, or why there is none.

    Half a surrogate pair, which JSON can hold and no file, becomes "?".

    Examples:
        >>> completed({"choices": [{"message": {"content": "A"}, "finish_reason": "stop"}], "model": "m"})
        ('A', {'finish_reason': 'stop', 'model': 'm'}, '')
        >>> completed({"choices": [{"message": {"content": None}, "finish_reason": "length"}]})
        ('', {'finish_reason': 'length'}, '')
        >>> completed({"choices": []})
        ('', {}, 'no answer came back')
        >>> completed({"error": {"message": "no such model"}})
        ('', {}, 'no such model')
    """
    fields = cast("Mapping[str, Any]", body if isinstance(body, Mapping) else {})
    if "choices" not in fields:
        return "", {}, words_of(fields["error"]) if fields.get("error") else "no chat completion came back"
    try:
        first = fields["choices"][0]
        text = first["message"]["content"] if "message" in first else first["text"]
    except (KeyError, IndexError, TypeError):
        return "", {}, "no answer came back"
    usage = fields.get("usage")
    counted = cast("Mapping[str, object]", usage if isinstance(usage, Mapping) else {})
    raw_facts = {"finish_reason": first.get("finish_reason"), **{name: fields.get(name) for name in SERVER_FACTS}}
    facts: dict[str, Json] = {name: _writable(fact) for name, fact in raw_facts.items() if isinstance(fact, str)}
    for name in COUNTED:
        n = counted.get(name)
        if isinstance(n, int) and not isinstance(n, bool) and n >= 0:
            facts[name] = n
    return _writable(text) if isinstance(text, str) else "", facts, ""


SERVER_FACTS = ("model", "system_fingerprint")
"""What a server says of itself, among the facts of an answer."""


def _writable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def words_of(error: object) -> str:
    """What an error of a server says."""
    if isinstance(error, Mapping):
        fields = cast("Mapping[str, object]", error)
        error = fields.get("message") or fields
    return str(error)
