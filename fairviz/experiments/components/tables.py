"""Tables of a description that choose components: one class each, with what may be set and a function that makes it.

A component is what a table names; nothing else can be named. To add one: implement its protocol, write its class here,
whose ``build`` imports it, and add the class to its kind in :mod:`fairviz.experiments.components.registry`. Paths are
relative to the description.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias
from urllib.parse import urlsplit

from pydantic import ConfigDict, Field, field_validator, model_validator

from fairviz.experiments.description import FileBeside, ModelNamed, Name, Parameters
from fairviz.experiments.protocols import Attributor, ChatModel, Document, Numbers, Retriever

Share: TypeAlias = Annotated[float, Field(ge=0, le=1)]
PositiveShare: TypeAlias = Annotated[float, Field(ge=0.01, le=1)]
Price: TypeAlias = Annotated[float, Field(ge=0)]
Temperature: TypeAlias = Annotated[float, Field(ge=0, le=2)]
Tokens: TypeAlias = Annotated[int, Field(ge=1, le=1_000_000)]
Seed: TypeAlias = Annotated[int, Field(ge=0, le=2**32 - 1)]
Text: TypeAlias = Annotated[str, Field(min_length=1)]


class Component(Parameters):
    """A component as a description chooses it."""

    packages: ClassVar[tuple[str, ...]] = ()
    """What computes for it and is no part of fairviz; the manifest names their versions."""

    name: Any
    """Which one."""
    own_label: Annotated[Name | None, Field(alias="label")] = None
    """What it is called in outputs; not set: the end of its model's name, or its own."""

    @property
    def label(self) -> str:
        """What it is called in outputs."""
        return self.own_label or model_name(getattr(self, "model", "")) or self.name

    @property
    def parameters(self) -> dict[str, Any]:
        """All that is set of it, or left at its default."""
        return {name: getattr(self, name) for name in type(self).model_fields if name not in ("name", "own_label")}


def model_name(model: str) -> str:
    """The end of a path, or of a name on a hub.

    Examples:
        >>> model_name("org/flan-t5-small"), model_name("models/flan/")
        ('flan-t5-small', 'flan')
    """
    return model.rstrip("/").rpartition("/")[2]


class Bm25(Component):
    """BM25 over title and text (Robertson & Zaragoza 2009)."""

    name: Literal["bm25"] = "bm25"
    k1: Annotated[float, Field(ge=0, le=10)] = 1.5
    """How slowly repeated words saturate."""
    b: Share = 0.75
    """How strongly long documents are held back."""
    epsilon: Share = 0.25
    """Part of the mean idf that terms of more than half of the documents get."""

    def build(self, corpus: Sequence[Document], *, numbers: Numbers | None = None) -> Retriever:
        """The retriever over a corpus."""
        from fairviz.experiments.components.retrievers import Bm25Retriever

        return Bm25Retriever(corpus, name=self.label, **self.parameters)


class Dense(Component):
    """Vectors of a model of sentence-transformers, such as all-MiniLM-L6-v2 or Contriever."""

    packages = ("sentence-transformers", "torch")

    name: Literal["dense"] = "dense"
    model: ModelNamed = "sentence-transformers/all-MiniLM-L6-v2"
    """In safetensors: a folder, or a name on the hub."""
    revision: str = ""
    """The commit on the hub; not set: the newest."""
    similarity: Literal["cosine", "dot"] = "cosine"
    """Of vectors; "dot" for models that are trained so, as Contriever is."""
    max_tokens: Annotated[int, Field(ge=8, le=8_192)] | None = None
    """Longer texts are cut; not set: as the model does."""

    def build(self, corpus: Sequence[Document], *, numbers: Numbers | None = None) -> Retriever:
        """The retriever over a corpus."""
        from fairviz.experiments.components.dense import DenseRetriever, SentenceModel

        model = SentenceModel(self.model, revision=self.revision, max_tokens=self.max_tokens)
        return DenseRetriever(
            corpus,
            model.vectors("document"),
            of_questions=model.vectors("query"),
            name=self.label,
            similarity=self.similarity,
            numbers=numbers,
        )


class Runs(Component):
    """What another system retrieved."""

    name: Literal["runs"] = "runs"
    file: FileBeside
    """A TREC run; all documents that it ranks are in the corpus."""

    def build(self, corpus: Sequence[Document], *, numbers: Numbers | None = None) -> Retriever:
        """The retriever over a corpus."""
        from fairviz.experiments.components.retrievers import RunFile

        return RunFile(corpus, name=self.label, file=self.file)


UNRECORDED = frozenset({"base_url", "key_env"})
"""Where a server is and who pays are no part of what it answers, and stand in no output."""


class ServerParameters(Component):
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


class Endpoint(ServerParameters):
    """Vectors of a server that speaks OpenAI's /v1/embeddings."""

    packages = ("openai",)

    name: Literal["endpoint"] = "endpoint"
    batch: Annotated[int, Field(ge=1, le=2048)] = 64
    """Texts in one request."""
    similarity: Literal["cosine", "dot"] = "cosine"
    """Of vectors."""

    def build(self, corpus: Sequence[Document], *, numbers: Numbers | None = None) -> Retriever:
        """The retriever over a corpus."""
        from fairviz.experiments.components.dense import DenseRetriever, EndpointEncoder

        encoder = EndpointEncoder(self)
        return DenseRetriever(corpus, encoder, name=self.label, similarity=self.similarity, numbers=numbers)


RankerTable: TypeAlias = Annotated[Bm25 | Dense | Endpoint | Runs, Field(discriminator="name")]
"""Retrievers that stand alone."""


class Fusion(Component):
    """Reciprocal rank fusion of other retrievers (Cormack et al. 2009)."""

    name: Literal["rrf"] = "rrf"
    of: Annotated[tuple[RankerTable, ...], Field(min_length=1)]
    """The others: tables of their own, or labels of retrievers of the description."""
    k0: Annotated[float, Field(ge=0, le=10_000)] = 60
    """How little the first ranks stand out."""
    depth: Annotated[int, Field(ge=1, le=10_000)] = 100
    """The last rank of each that counts."""

    def build(self, corpus: Sequence[Document], *, numbers: Numbers | None = None) -> Retriever:
        """The retriever over a corpus."""
        from fairviz.experiments.components.retrievers import FusedRetriever

        others = [one.build(corpus, numbers=numbers) for one in self.of]
        return FusedRetriever(corpus, others, name=self.label, k0=self.k0, depth=self.depth)


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

    def build(self) -> ChatModel:
        """The model."""
        from fairviz.experiments.components.openai_server import OpenAIServer

        return OpenAIServer(self, name=self.label)


class Lexical(Component):
    """A document supports an answer if it holds enough words of one of its sentences."""

    name: Literal["lexical"] = "lexical"
    threshold: PositiveShare = 0.6
    """Share of a sentence's distinct words that a document must hold."""

    def build(self, *, numbers: Numbers | None = None) -> Attributor:
        """The attributor."""
        from fairviz.experiments.components.attributors import LexicalAttributor

        return LexicalAttributor(name=self.label, threshold=self.threshold)


class Citations(Component):
    """A document supports an answer that cites its number: [1], [2, 3], [2-4]."""

    name: Literal["citations"] = "citations"

    def build(self, *, numbers: Numbers | None = None) -> Attributor:
        """The attributor."""
        from fairviz.experiments.components.attributors import CitationAttributor

        return CitationAttributor(name=self.label)


class Nli(Component):
    """A document supports an answer that it entails (Kim & Diaz 2025, 3.3.3)."""

    packages = ("transformers", "torch")

    name: Literal["nli"] = "nli"
    model: ModelNamed
    """A classifier of pairs with a label "entailment", in safetensors: a folder, or a name on the hub."""
    revision: str = ""
    """The commit on the hub; not set: the newest."""
    hypothesis: Literal["answer", "sentences"] = "answer"
    """The whole answer, or each of its sentences, of which one entailed is enough."""
    threshold: PositiveShare = 0.5
    """The probability of entailment that is enough."""
    max_tokens: Annotated[int, Field(ge=16, le=8_192)] = 512
    """Of premise and hypothesis together; the longer one is cut."""

    def build(self, *, numbers: Numbers | None = None) -> Attributor:
        """The attributor."""
        from fairviz.experiments.components.nli import NliAttributor

        return NliAttributor(name=self.label, numbers=numbers, **self.parameters)


class Scores(Component):
    """A document supports an answer if their recorded score reaches a threshold."""

    name: Literal["scores"] = "scores"
    file: FileBeside
    """JSONL {doc_id, answer, score}."""
    threshold: float = 0.5
    """The score that is enough."""

    def build(self, *, numbers: Numbers | None = None) -> Attributor:
        """The attributor."""
        from fairviz.experiments.components.attributors import RecordedScores

        return RecordedScores(name=self.label, file=self.file, threshold=self.threshold)
