"""Language models behind any server that speaks OpenAI's protocol: vLLM, llama.cpp, ollama, a proxy, a service.

The key is read from the environment when asking begins and goes into one header. No file, store, message or log holds
it, no other variable of the environment reaches the server, and no redirect is followed, since it could lead the key
elsewhere.
"""

import asyncio
import json
import math
import os
import re
import time
from collections.abc import Callable, Collection, Coroutine, Generator, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from ipaddress import ip_address
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeAlias, TypeVar, cast
from urllib.parse import urlsplit

from pydantic import Field, model_validator

from fairviz.errors import UsageError, printable
from fairviz.experiments.asking import LONGEST, completed, words_of
from fairviz.experiments.description import Seed, ServerParameters, Text
from fairviz.experiments.protocols import Json, Reply
from fairviz.extras import optional

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI

T = TypeVar("T")

Body: TypeAlias = Mapping[str, Json]
"""Of a request."""

SAMPLING = ("temperature", "max_tokens", "max_completion_tokens", "seed", "top_p", "stop")
"""Parameters that stand in a request as they are."""

MOST_CHAT, MOST_COMPLETIONS = 20, 5
"""Tokens whose log-probabilities OpenAI gives, at most; other servers may give more (extra_body)."""

OPTION_LOGPROBS = "option_logprobs"
"""Fact of an answer that was chosen by log-probability: that of each option's letter."""

OPTION = re.compile(r"[A-Z]: ")
"""Begins a line of a prompt that is an option."""

HIDDEN = "[key]"
"""Stands where a server repeated the key."""

OUR_HEADERS = frozenset(
    {
        *("host", "accept", "accept-encoding", "connection", "content-type", "content-length"),
        "x-stainless-raw-response",  # by which the package knows what it was asked for
    }
)
"""Sent as they are; all others come from the environment, or tell of this machine."""


Tokens: TypeAlias = Annotated[int, Field(ge=1, le=1_000_000)]


class OpenAI(ServerParameters):
    """A model behind a server that speaks OpenAI's protocol: vLLM, llama.cpp, ollama, a proxy, a service."""

    packages = ("openai",)

    name: Literal["openai"] = "openai"
    endpoint: Literal["chat", "completions"] = "chat"
    """/v1/chat/completions, or /v1/completions for a base model, which is sent the text alone."""
    system: Text | None = None
    """System message before the prompt; of a chat alone."""
    answer: Literal["text", "logprobs"] = "text"
    """The option that the text names; or the one whose letter is likeliest as the first token, where the server gives
    log-probabilities, else that of the text."""
    extra_body: Mapping[str, Any] = {}
    """Further keys of a request, as the server knows them, such as { top_k = 1 }."""
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    """0 = the likeliest answer."""
    max_tokens: Tokens | None = None
    """Tokens of an answer, at most."""
    seed: Seed | None = None
    """Of what is drawn, at a temperature over 0."""
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    """Share of the likeliest tokens that are drawn from."""
    stop: Annotated[tuple[Text, ...], Field(min_length=1, max_length=4)] | None = None
    """Texts that end an answer."""
    price_input: Annotated[float, Field(ge=0)] | None = None
    """Of a million prompt tokens, in any currency."""
    price_output: Annotated[float, Field(ge=0)] | None = None
    """Of a million answer tokens."""
    max_completion_tokens: Tokens | None = None
    """Tokens of an answer and of the thought before it, at most: what newer models of OpenAI take for max_tokens."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.max_tokens is not None and self.max_completion_tokens is not None:
            raise ValueError("has max_tokens and max_completion_tokens; keep the one that the server takes")
        if self.system is not None and self.endpoint == "completions":
            raise ValueError("has system, which completions do not take; put it into an instruction")
        return self

    # An answer is known by the revision of the weights and the whole request. Where a server stands is no part of
    # that: it may move.

    @property
    def identity(self) -> Mapping[str, Json]:
        """Component, and revision of the weights as described; a server does not tell."""
        return {"component": "openai", "revision": self.revision}

    @property
    def price(self) -> tuple[float, float] | None:
        """Prices of a million prompt tokens and of a million answer tokens, None unless both are set."""
        read, written = self.price_input, self.price_output
        return None if read is None or written is None else (read, written)

    def body(self, text: str) -> Body:
        """The request for an answer to a text: model, text and all that is set."""
        chat = self.endpoint == "chat"
        messages = [{"role": "user", "content": text}]
        if self.system is not None:
            messages = [{"role": "system", "content": self.system}, *messages]
        prompt: Body = {"messages": messages} if chat else {"prompt": text}
        probabilities: Body = {}
        if self.answer == "logprobs":
            probabilities = {"logprobs": True, "top_logprobs": MOST_CHAT} if chat else {"logprobs": MOST_COMPLETIONS}
        sampling = self.model_dump(mode="json", include=set(SAMPLING), exclude_none=True)
        extra = self.model_dump(mode="json", include={"extra_body"})["extra_body"]
        return {"model": self.model, **prompt, **sampling, **probabilities, **extra}

    def replies(self, bodies: Iterable[Body]) -> Generator[Reply, None, None]:
        """One reply per body, in the order of their coming; closing the generator cancels what is under way.

        Raises:
            UsageError: The package is missing, or the variable that should hold the key is not set.
        """
        yield from from_server(self, bodies, Connection.reply, extra=self.extra_body)


def from_server(
    server: ServerParameters,
    bodies: Iterable[Body],
    send: Callable[["Connection", int, Body], Coroutine[Any, Any, T]],
    *,
    extra: Collection[str] = (),
) -> Generator[T, None, None]:
    """What a server says to some bodies, in the order of its coming; closing the generator cancels what is under way.

    Args:
        server: Where it is and how it is asked.
        bodies: What is asked, drawn as it is sent.
        send: Method of the connection that asks for one of them, by its place.
        extra: Keys of a body that the package does not know.

    Raises:
        UsageError: The package is missing, or the variable that should hold the key is not set.
    """
    optional("openai", extra="llm", component="openai")  # it brings anyio
    from anyio.from_thread import start_blocking_portal

    # An event loop in a thread of its own: replies come in while others are stored, in a notebook too.
    with start_blocking_portal(name="fairviz-asks") as portal:
        connection = Connection(server, key_of_environment(server.key_env), extra=extra)

        def begin(index: int, body: Body) -> Future[T]:
            return portal.start_task_soon(send, connection, index, body)

        try:
            yield from in_flight(bodies, begin, server.concurrency)
        finally:
            portal.call(connection.close)


class Connection:
    """A client of the package, and what is made of its replies.

    Args:
        parameters: Where the server is.
        key: Sent with every request, "" for none.
        extra: Keys of a body that the package does not know.
    """

    def __init__(self, parameters: ServerParameters, key: str, *, extra: Collection[str] = ()) -> None:
        self._extra = frozenset(extra)
        self._server = parameters
        self._key = key
        self._share = 60 / parameters.requests_per_minute if parameters.requests_per_minute else 0.0
        self._next = 0.0
        openai = optional("openai", extra="llm", component="openai")
        http = openai.DefaultAsyncHttpxClient(
            timeout=parameters.timeout,
            follow_redirects=False,
            trust_env=not _is_local(parameters.base_url),  # a proxy of the environment stands between us and others
            event_hooks={"request": [self._before]},
        )
        self._client: AsyncOpenAI = openai.AsyncOpenAI(
            base_url=parameters.base_url,
            api_key=key or "none",
            timeout=parameters.timeout,
            max_retries=parameters.retries,
            http_client=http,
        )

    async def _before(self, request: Any) -> None:
        """Called by the client before each try."""
        for header in set(request.headers) - OUR_HEADERS:
            del request.headers[header]
        if self._key:
            request.headers["Authorization"] = f"Bearer {self._key}"
        await asyncio.sleep(self.wait(time.monotonic()))

    def wait(self, now: float) -> float:
        """Seconds until a request may begin, which takes its place: no two begin within a minute's share."""
        start = max(now, self._next)
        self._next = start + self._share
        return start - now

    async def close(self) -> None:
        """Close its connections."""
        await self._client.close()

    async def reply(self, index: int, body: Body) -> Reply:
        """A completion, asked for once, with the tries that the package makes."""
        resource = self._client.chat.completions if "messages" in body else self._client.completions
        response, error = await self._response_or_reason(resource, body)
        answer, facts, error = ("", dict[str, Json](), error) if error else completed(response)
        if "logprobs" in body and (options := option_logprobs(response, body)):
            answer, error = max(options, key=lambda option: options[option]), ""
            facts = {**facts, OPTION_LOGPROBS: options}
        shown = {name: self._hidden(fact) if isinstance(fact, str) else fact for name, fact in facts.items()}
        return Reply(index, answer, shown, self._shown(error))

    async def embeddings(self, index: int, body: Body) -> tuple[int, Any, str]:
        """Vectors of some texts, asked for in the same way: which texts, what the server said, and what went wrong."""
        response, error = await self._response_or_reason(self._client.embeddings, body)
        return index, response, self._shown(error)

    async def _response_or_reason(self, resource: Any, body: Body) -> tuple[Any, str]:
        """The JSON of a response, or why there is none."""
        from openai import APIConnectionError, APIStatusError, APITimeoutError

        try:
            usual = {name: value for name, value in body.items() if name not in self._extra}
            extra = {name: value for name, value in body.items() if name in self._extra}
            response = await resource.with_raw_response.create(**usual, extra_body=extra or None)
        except APITimeoutError:
            return None, f"no answer within {self._server.timeout:g} s"
        except APIStatusError as error:
            return None, _status(error)
        except APIConnectionError as error:
            cause = error.__cause__
            # Nobody listens there, and other requests would fail as well. Which httpx it is is the package's choice.
            if type(cause).__name__ == "ConnectError":
                fix = "start the server, or correct base_url; the answers that came are stored"
                raise UsageError(f"{self._server.base_url} cannot be reached ({cause}); {fix}") from None
            return None, f"cannot be reached ({cause or error})"
        try:
            return json.loads(response.text), ""
        except (ValueError, RecursionError):
            return None, f"no JSON came back: {response.text}"

    def _shown(self, message: str) -> str:
        """On one line and not too long; the key is hidden before it is cut, since half a key is too much of it."""
        return printable(" ".join(self._hidden(message).split()))[:LONGEST]

    def _hidden(self, text: str) -> str:
        return text.replace(self._key, HIDDEN) if self._key else text


def option_logprobs(response: Any, body: Body) -> dict[str, float]:
    r"""Log-probability of each option's letter as the first token of an answer; nothing where the server gives none.

    The options are the lettered lines at the end of the prompt. Tokens that differ in blanks alone, " B" and "B", are
    one letter, whose probabilities are added. An option that is not among the tokens listed has no entry.

    Examples:
        >>> body = {"prompt": "Question: Who forgot?\nA: Ann\nB: Unknown\nAnswer:"}
        >>> first = {"top_logprobs": [{" B": -0.25, "A": -1.75, "The": -3.0}]}
        >>> option_logprobs({"choices": [{"logprobs": first}]}, body)
        {'A': -1.75, 'B': -0.25}
    """
    letters = _letters(body)
    sums: dict[str, float] = {}
    for token, value in _first_tokens(response):
        if token.strip() in letters:
            sums[token.strip()] = sums.get(token.strip(), 0.0) + math.exp(value)
    return {letter: round(math.log(sums[letter]), 6) for letter in letters if sums.get(letter)}


def _letters(body: Body) -> list[str]:
    """The letters of the options that a prompt ends with."""
    text = str(body["prompt"]) if "prompt" in body else str(cast("Any", body["messages"])[-1]["content"])
    letters: list[str] = []
    for line in reversed(text.rstrip().splitlines()[:-1]):  # the last one asks for the answer
        if not OPTION.match(line):
            break
        letters.insert(0, line[0])
    return letters


def _first_tokens(response: Any) -> list[tuple[str, float]]:
    """The likeliest first tokens of a completion, with their log-probabilities."""
    try:
        logprobs = response["choices"][0]["logprobs"]
        if "content" in logprobs:
            return [
                (str(candidate["token"]), float(candidate["logprob"]))
                for candidate in logprobs["content"][0]["top_logprobs"]
            ]
        return [(str(token), float(value)) for token, value in logprobs["top_logprobs"][0].items()]
    except (KeyError, IndexError, TypeError, ValueError, AttributeError):
        return []


def in_flight(bodies: Iterable[Body], begin: Callable[[int, Body], "Future[T]"], n: int) -> Generator[T, None, None]:
    """Keep up to n requests under way, and give replies as they come.

    A body is drawn when it is to be sent, after every reply that came before was taken: whoever gives the bodies can
    end them. Closing the generator cancels what is under way.

    Args:
        bodies: What is asked.
        begin: Sends one; what it gives can be cancelled.
        n: Requests under way, at most.
    """
    numbered = enumerate(bodies)
    under_way: set[Future[T]] = set()
    try:
        while True:
            under_way |= {begin(index, body) for index, body in islice(numbered, n - len(under_way))}
            if not under_way:
                return
            came = wait(under_way, return_when=FIRST_COMPLETED).done.pop()
            under_way.remove(came)
            yield came.result()
    finally:
        for future in under_way:
            future.cancel()


def _status(error: "APIStatusError") -> str:
    status = error.status_code
    if 300 <= status < 400:
        where = urlsplit(error.response.headers.get("location", ""))
        target = f"{where.scheme}://{where.netloc}{where.path}" if where.netloc else where.path
        return (
            f"status {status}: it redirects to {target}, which is not followed; if that is right, name it in base_url"
        )
    message = words_of(error.body) if error.body else ""
    return f"status {status}: {message or error.response.reason_phrase}"


def key_of_environment(variable: str) -> str:
    """The key that a variable of the environment holds, "" where none is named."""
    if not variable:
        return ""
    key = os.environ.get(variable, "").strip()
    if not key:
        raise UsageError(f"key_env: {variable} is not set; export {variable}=… in the shell that starts fairviz")
    if not (key.isascii() and key.isprintable()):
        raise UsageError(f"key_env: what {variable} holds is no key: letters, digits and signs of ASCII only")
    return key


def _is_local(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
