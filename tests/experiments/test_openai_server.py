"""Asking a server that behaves, and one that does not."""

import math
import sys
from collections.abc import Callable
from threading import Barrier
from typing import Any

import pytest
from pydantic import ValidationError

from fairviz.errors import UsageError
from fairviz.experiments.openai_server import Connection, OpenAI
from fairviz.experiments.protocols import Reply
from tests.experiments.endpoint import (
    BROKEN,
    CUT_OFF,
    EMPTY,
    HTML,
    MALFORMED,
    RATE_LIMITED,
    Endpoint,
    Said,
    answered,
    completion,
    letter,
    said,
    serving,
)

KEY = "sk-test-0123456789abcdef"


def model(endpoint: Endpoint | None = None, /, **given: Any) -> OpenAI:
    url = endpoint.url if endpoint else "http://127.0.0.1:9/v1"
    return OpenAI(**{"base_url": url, "model": "tiny", "retries": 2, **given})


def asked(endpoint: Endpoint, /, *texts: str, **given: Any) -> list[Reply]:
    """The replies to some texts, in the order of the texts."""
    server = model(endpoint, **given)
    return sorted(server.replies([server.body(text) for text in texts]), key=lambda reply: reply.place)


def test_a_request_holds_what_is_set_and_nothing_else() -> None:
    assert model().body("Who?") == {"model": "tiny", "messages": [{"role": "user", "content": "Who?"}]}
    full = model(temperature=0, max_tokens=16, seed=1, top_p=0.9, stop=["\n"]).body("Who?")
    assert list(full) == ["model", "messages", "temperature", "max_tokens", "seed", "top_p", "stop"]
    assert (full["temperature"], full["stop"]) == (0.0, ["\n"])
    with serving() as endpoint:
        asked(endpoint, "Who?", temperature=0, max_tokens=16, stop=["\n"])
    assert endpoint.bodies == [model(temperature=0, max_tokens=16, stop=["\n"]).body("Who?")]
    assert model(max_completion_tokens=64).body("Who?")["max_completion_tokens"] == 64
    with pytest.raises(ValidationError, match="keep the one that the server takes"):
        model(max_completion_tokens=64, max_tokens=64)


def test_a_base_model_is_sent_the_text_alone() -> None:
    def completed(body: dict[str, Any], n: int) -> Said:
        choice = {"index": 0, "text": f" after {body['prompt']}", "finish_reason": "length"}
        return said({"choices": [choice], "model": "base-1", "usage": {"prompt_tokens": 7, "completion_tokens": 2}})

    with serving(completed) as endpoint:
        (reply,) = asked(endpoint, "Once", endpoint="completions", max_tokens=2)
    assert endpoint.paths == ["/v1/completions"]
    assert endpoint.bodies == [{"model": "tiny", "prompt": "Once", "max_tokens": 2}]
    assert (reply.text, reply.error, reply.facts["finish_reason"]) == (" after Once", "", "length")
    with pytest.raises(ValidationError, match="has system, which completions do not take"):
        model(endpoint="completions", system="Be brief.")


def test_a_system_message_stands_first_and_keys_of_ones_own_are_sent() -> None:
    settings = {"system": "Be brief.", "extra_body": {"top_k": 1, "stop_at": ["a", "b"]}}
    with serving() as endpoint:
        asked(endpoint, "Who?", **settings)
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Who?"}]
    assert endpoint.bodies == [{"model": "tiny", "messages": messages, "top_k": 1, "stop_at": ["a", "b"]}]
    assert endpoint.paths == ["/v1/chat/completions"]


OPTIONS = "Question: Who forgot?\nA: Ann\nB: Bob\nC: Unknown\nAnswer:"


def probable(tokens: list[tuple[str, float]]) -> Callable[[dict[str, Any], int], Said]:
    """Says "I do not know", with these likeliest first tokens."""

    def behave(body: dict[str, Any], n: int) -> Said:
        if "prompt" in body:
            logprobs: dict[str, Any] = {"top_logprobs": [dict(tokens), {"C": 0.0}]}
            return said({"choices": [{"text": "I do not know", "logprobs": logprobs}]})
        first = {"token": "I", "top_logprobs": [{"token": token, "logprob": value} for token, value in tokens]}
        return said({"choices": [{"message": {"content": "I do not know"}, "logprobs": {"content": [first]}}]})

    return behave


@pytest.mark.parametrize(("endpoint", "most"), [("chat", {"top_logprobs": 20}), ("completions", {})])
def test_the_likeliest_option_is_the_answer_and_its_probability_is_kept(endpoint: str, most: dict[str, int]) -> None:
    # B in two writings: 0.2 + 0.15; D is no option of this question.
    tokens = [("D", -0.1), ("A", math.log(0.3)), (" B", math.log(0.2)), ("B", math.log(0.15)), ("I", -3.0)]
    with serving(probable(tokens)) as server:
        (reply,) = asked(server, OPTIONS, endpoint=endpoint, answer="logprobs")
    assert reply.text == "B"
    assert reply.facts["option_logprobs"] == {"A": pytest.approx(-1.203973), "B": pytest.approx(-1.049822)}
    (body,) = server.bodies
    assert {name: body[name] for name in ("logprobs", *most)} == {"logprobs": 5 if endpoint != "chat" else True, **most}


@pytest.mark.parametrize("text", [OPTIONS, "Who forgot?"], ids=["no letter is likely", "no options"])
def test_without_probabilities_of_options_the_text_is_the_answer(text: str) -> None:
    with serving(probable([("I", -0.1)])) as server:
        (reply,) = asked(server, text, answer="logprobs")
    assert (reply.text, "option_logprobs" in reply.facts) == ("I do not know", False)
    with serving(lambda body, n: answered(body)) as server:  # a server that gives none
        (reply,) = asked(server, text, answer="logprobs")
    assert reply.text == letter({"messages": [{"content": text}]})


def test_a_server_may_move_but_its_weights_may_not_change() -> None:
    here, there = model(), model(base_url="https://elsewhere.example/v1", key_env="KEY", concurrency=9)
    assert here.identity == there.identity == {"component": "openai", "revision": ""}
    assert model(revision="2").identity != here.identity
    assert (here.price, model(price_input=1, price_output=2).price) == (None, (1, 2))


@pytest.mark.parametrize("first", [RATE_LIMITED, BROKEN, HTML], ids=["429", "500", "html"])
def test_what_may_pass_is_tried_again_and_answers_come_with_what_is_said_of_them(first: Said) -> None:
    with serving(lambda body, n: first if n == 1 else answered(body)) as endpoint:
        (reply,) = asked(endpoint, "Who?")
    facts = {"finish_reason": "stop", "model": "tiny-1", "prompt_tokens": 7, "completion_tokens": 2}
    assert reply == Reply(0, letter({"messages": [{"content": "Who?"}]}), facts)
    assert endpoint.calls["Who?"] == 2


@pytest.mark.parametrize(
    ("answer", "error", "calls"),
    [
        (RATE_LIMITED, "status 429: slow down", 3),
        (BROKEN, "status 500: out of memory", 3),
        (HTML, "status 502: <html><body> <h1>Bad Gateway</h1></body></html>", 3),
        (said({"error": {"message": "unknown model"}}, 404), "status 404: unknown model", 1),
        (Said(401, b""), "status 401: Unauthorized", 1),
        (MALFORMED, 'no JSON came back: {"choices": [{"message"', 1),
        (Said(200, b"[" * 100_000), "no JSON came back: [[[", 1),
        (Said(200, b"<html>\xff</html>"), "no JSON came back: <html>", 1),
        (said([1]), "no chat completion came back", 1),
        (said({"choices": [], "usage": 3}), "no answer came back", 1),
        (said({"error": {"message": "the model is loading"}}), "the model is loading", 1),
        (said({"error": {"message": "a\nb\x1b[31m" + "c" * 500}}, 400), r"status 400: a b\x1b[31mccc", 1),
    ],
)
def test_what_does_not_pass_is_one_line(answer: Said, error: str, calls: int) -> None:
    with serving(lambda body, n: answer) as endpoint:
        (reply,) = asked(endpoint, "Who?")
    assert reply.text == ""
    assert reply.error.startswith(error)
    assert len(reply.error) <= 200
    assert reply.error.isprintable()
    assert endpoint.calls["Who?"] == calls


def test_a_broken_connection_and_silence_are_said() -> None:
    with serving(lambda body, n: CUT_OFF) as endpoint:
        (cut,) = asked(endpoint, "Who?", retries=0)
    assert cut.error.startswith("cannot be reached (peer closed connection")
    with serving(lambda body, n: None) as endpoint:
        (silent,) = asked(endpoint, "Who?", retries=0, timeout=0.05)
    assert silent.error == "no answer within 0.05 s"


def test_a_refused_connection_ends_at_the_first_request() -> None:
    gone = model(retries=0, concurrency=1)
    sent: list[str] = []
    bodies = (sent.append(text) or gone.body(text) for text in ("one", "two", "three"))
    with pytest.raises(
        UsageError, match=r"^http\S+/v1 cannot be reached \(.*\); start the server, or correct base_url"
    ):
        list(gone.replies(bodies))
    assert sent == ["one"]


@pytest.mark.parametrize("answer", [EMPTY, said(completion(None, finish_reason="content_filter"))])
def test_an_empty_answer_is_an_answer(answer: Said) -> None:
    with serving(lambda body, n: answer) as endpoint:
        (reply,) = asked(endpoint, "Who?")
    assert (reply.text, reply.error, endpoint.calls["Who?"]) == ("", "", 1)


def test_no_redirect_is_followed() -> None:
    with serving() as other:
        moved = Said(307, b"", (("Location", f"{other.url}/chat/completions?token=1"),))
        with serving(lambda body, n: moved) as endpoint:
            (reply,) = asked(endpoint, "Who?")
    assert not other.calls
    assert reply.error == (
        f"status 307: it redirects to {other.url}/chat/completions, which is not followed; "
        "if that is right, name it in base_url"
    )


def test_so_many_are_under_way_at_once_and_no_more() -> None:
    together = Barrier(3)

    def behave(body: dict[str, Any], n: int) -> Said:
        together.wait(30)
        return answered(body)

    with serving(behave) as endpoint:
        assert not any(reply.error for reply in asked(endpoint, *"012345", concurrency=3))
    assert endpoint.most == 3


# The key.


def test_the_key_goes_into_one_header_and_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        **{"MY_KEY": KEY, "OPENAI_API_KEY": "sk-other", "OPENAI_ORG_ID": "org-secret"},
        **{"OPENAI_PROJECT_ID": "project-secret", "OPENAI_CUSTOM_HEADERS": "X-Custom: secret"},
    }.items():
        monkeypatch.setenv(name, value)
    with serving() as endpoint:
        asked(endpoint, "Who?", key_env="MY_KEY")
        asked(endpoint, "Who?")
    with_key, without = endpoint.headers
    assert with_key.pop("Authorization") == f"Bearer {KEY}"
    assert with_key == without
    assert {name.lower() for name in without} <= {
        *("host", "accept", "accept-encoding", "connection", "content-type", "content-length"),
        "x-stainless-raw-response",
    }
    server = model(key_env="MY_KEY")
    written = repr([server, vars(server), server.identity, server.body("Who?")])
    assert KEY not in written


@pytest.mark.parametrize(
    "answer",
    [
        said({"error": {"message": f"{'x' * 150} wrong key: {KEY} is not known"}}, 401),
        Said(400, f"<p>{KEY}</p>".encode()),
        Said(200, f"{KEY}".encode()),
        said({"error": KEY}),
        Said(302, b"", (("Location", f"http://elsewhere.example/{KEY}"),)),
        said(completion("A", model=f"tiny of {KEY}")),
    ],
)
def test_a_server_that_repeats_the_key_does_not_spread_it(answer: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    with serving(lambda body, n: answer) as endpoint:
        (reply,) = asked(endpoint, "Who?", key_env="MY_KEY")
    assert "[key]" in reply.error or len(reply.error) == 200 or reply.facts["model"] == "tiny of [key]"
    assert KEY[:6] not in repr(reply)


def test_a_key_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    server = model(key_env="MY_KEY")
    monkeypatch.delenv("MY_KEY", raising=False)
    with pytest.raises(UsageError, match="key_env: MY_KEY is not set; export MY_KEY="):
        next(server.replies([server.body("Who?")]))
    monkeypatch.setenv("MY_KEY", "clé-0")
    with pytest.raises(UsageError, match="what MY_KEY holds is no key") as caught:
        next(server.replies([server.body("Who?")]))
    assert "clé" not in str(caught.value)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"base_url": "ftp://x"}, "must be an address such as"),
        ({"base_url": "http://"}, "must be an address such as"),
        ({"base_url": f"http://{KEY}@x/v1"}, "a key is read from the variable"),
        ({"base_url": f"http://x/v1?key={KEY}"}, "a key is read from the variable"),
        ({"base_url": "http://x:99999/v1"}, "is no address .Port out of range"),
        ({"base_url": f"http://[{KEY}"}, "is no address"),
        ({"key_env": KEY}, "must name a variable of the environment"),
        ({"concurrency": 0}, "greater than or equal to 1"),
        ({"temperature": float("nan")}, "finite number"),
        ({"api_key": KEY}, "Extra inputs are not permitted"),
    ],
)
def test_mistakes_are_told_without_the_key(given: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValidationError, match=reason) as caught:
        model(**given)
    assert KEY not in str(caught.value)


def test_a_proxy_of_the_environment_does_not_stand_before_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(lambda body, n: said(completion("proxy"))) as proxy, serving() as endpoint:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url)
        (reply,) = asked(endpoint, "Who?")
        assert not proxy.calls
        assert reply.text in "ABC"


def test_without_the_package_the_way_to_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    server = model()
    with pytest.raises(UsageError, match=r'-m pip install .*\[llm\]"'):
        next(server.replies([server.body("Who?")]))


def test_requests_are_spread_over_the_minute() -> None:
    paced, free = (Connection(model(requests_per_minute=n), "") for n in (120, None))  # half a second each
    assert [paced.wait(now) for now in (0.0, 0.0, 0.1, 5.0, 5.2)] == pytest.approx([0, 0.5, 0.9, 0, 0.3])
    assert [free.wait(1.0), free.wait(1.0)] == [0, 0]
