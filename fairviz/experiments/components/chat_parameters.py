"""What a description may set of a server, and of the language model behind it."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self, TypeAlias
from urllib.parse import urlsplit

from pydantic import ConfigDict, Field, field_validator, model_validator

from fairviz.experiments.components.parameters import Parameters

Price: TypeAlias = Annotated[float, Field(ge=0)]
Temperature: TypeAlias = Annotated[float, Field(ge=0, le=2)]
Tokens: TypeAlias = Annotated[int, Field(ge=1, le=1_000_000)]
Seed: TypeAlias = Annotated[int, Field(ge=0, le=2**32 - 1)]
Text: TypeAlias = Annotated[str, Field(min_length=1)]


UNRECORDED = frozenset({"base_url", "key_env"})
"""Where a server is and who pays are no part of what it answers, and stand in no output."""


class ServerParameters(Parameters):
    """Where a server is and how it is asked, whatever for."""

    model_config = ConfigDict(hide_input_in_errors=True)  # it could be a key in the wrong place

    base_url: str
    """Where it is, up to and with the version: "http://127.0.0.1:8000/v1"."""
    model: Text
    """Its name there."""
    revision: str = ""
    """Of its weights, where one is known; another one is another model."""
    key_env: str = ""
    """Variable of the environment that holds the key; not set: no key is sent."""
    concurrency: Annotated[int, Field(ge=1, le=256)] = 4
    """Requests under way at once, at most."""
    timeout: Annotated[float, Field(gt=0, le=3600)] = 60.0
    """Seconds without a sign of the server."""
    retries: Annotated[int, Field(ge=0, le=20)] = 4
    """Further tries after 408, 409, 429, 5xx, a timeout or a broken connection; when, the server may say."""
    requests_per_minute: Annotated[float, Field(gt=0, le=1_000_000)] | None = None
    """Requests that begin, at most and evenly; tries count."""

    @field_validator("base_url")
    @classmethod
    def _is_an_address(cls, url: str) -> str:
        try:
            parts = urlsplit(url)
            _ = parts.port  # refuses what is no port
        except ValueError as error:
            raise ValueError(f"is no address ({error})") from None
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError('must be an address such as "http://127.0.0.1:8000/v1"')
        if parts.username or parts.password or parts.query or parts.fragment:
            raise ValueError("must be an address alone; a key is read from the variable that key_env names")
        return url

    @field_validator("key_env")
    @classmethod
    def _is_a_variable(cls, name: str) -> str:
        if name and not (name.isidentifier() and name.isascii()):
            raise ValueError("must name a variable of the environment; the key itself stands in no file")
        return name


class OpenAIParameters(ServerParameters):
    """A model behind a server that speaks OpenAI's protocol: vLLM, llama.cpp, ollama, a proxy, a service."""

    endpoint: Literal["chat", "completions"] = "chat"
    """/v1/chat/completions, or /v1/completions for a base model, which is sent the text alone."""
    system: Text | None = None
    """System message before the prompt; of a chat alone."""
    answer: Literal["text", "logprobs"] = "text"
    """The option that the text names; or the one whose letter is likeliest as the first token, where the server gives
    log-probabilities, else that of the text."""
    extra_body: Mapping[str, Any] = {}
    """Further keys of a request, as the server knows them, such as { top_k = 1 }."""
    temperature: Temperature | None = None
    """0 = the likeliest answer."""
    max_tokens: Tokens | None = None
    """Tokens of an answer, at most."""
    seed: Seed | None = None
    """Of what is drawn, at a temperature over 0."""
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    """Share of the likeliest tokens that are drawn from."""
    stop: Annotated[tuple[Text, ...], Field(min_length=1, max_length=4)] | None = None
    """Texts that end an answer."""
    price_input: Price | None = None
    """Of a million prompt tokens, in any currency."""
    price_output: Price | None = None
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
