"""Questions become requests, each asked once and stored before it counts."""

import io
import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from fairviz.errors import InputError
from fairviz.experiments.asking import TOO_MANY, Answers, AskTally, Question, read_responses, write_requests
from fairviz.experiments.protocols import Document, Prompt
from fairviz.experiments.store import AT_ONCE, Store, canonical, key_of
from tests.experiments.answering import Oracle, digest

PROMPTS = [Prompt(f"question {number}?", (Document("d", "", "text"),)) for number in range(5)]


def answers_of(tmp_path: Path, model: Oracle) -> Answers:
    return Answers({model.name: model}, Store(tmp_path / "answers.sqlite"))


def questions(prompts: list[Prompt]) -> list[Question]:
    return [Question(f"t|q{place}|p|1", "oracle", prompt) for place, prompt in enumerate(prompts)]


def test_equal_prompts_are_asked_once_and_stored_for_one_revision(tmp_path: Path) -> None:
    model = Oracle()
    answers = answers_of(tmp_path, model)
    requests = list(answers.requests(questions([*PROMPTS, *PROMPTS])))
    assert len(requests) == 5
    assert len({request.custom_id for request in requests}) == 5
    assert requests[0].custom_id.startswith("oracle|t|q0|p|1|")
    asked = answers.ask(requests, total=AskTally())
    assert (asked.n_answers, asked.failures, len(model.asked)) == (5, {}, 5)
    again = answers_of(tmp_path, Oracle())
    assert list(again.requests(questions(PROMPTS))) == []
    assert again.of("oracle", [PROMPTS[3], PROMPTS[3]]) == [digest(model.asked[2])] * 2
    assert len(list(answers_of(tmp_path, Oracle(revision="2")).requests(questions(PROMPTS)))) == 5


def test_requests_are_made_as_they_are_sent(tmp_path: Path) -> None:
    made: list[int] = []

    def endless() -> Iterator[Question]:
        for number in count():
            made.append(number)
            yield Question("u", "oracle", Prompt(f"question {number}?", ()))

    answers = answers_of(tmp_path, Oracle())
    asked = answers.ask(answers.requests(endless()), total=AskTally(), stop=lambda asked: asked.n_calls >= 7)
    assert asked.n_answers == 7
    assert len(made) <= AT_ONCE


def test_a_limit_leaves_the_rest(tmp_path: Path) -> None:
    model = Oracle(price=(1e6, 1e6))
    answers = answers_of(tmp_path, model)
    asked = answers.ask(answers.requests(questions(PROMPTS)), total=AskTally(), stop=lambda asked: asked.n_answers >= 2)
    assert asked.n_answers == len(model.asked) == 2
    assert asked.cost == sum(asked.tokens)
    assert len(list(answers.requests(questions(PROMPTS)))) == 3


def test_a_limit_of_calls_holds_with_several_under_way(tmp_path: Path) -> None:
    model = Oracle(answer=lambda text: "" if "question 1" in text else "A")
    answers = answers_of(tmp_path, model)
    told: list[int] = []
    asked = answers.ask(
        answers.requests(questions(PROMPTS)),
        total=AskTally(),
        progress=told.append,
        stop=lambda asked: asked.n_calls >= 3,
    )
    assert asked.n_calls == len(model.asked) == 3
    assert (asked.n_answers, asked.failures) == (2, {"busy": 1})
    assert told == [0, 1, 2, 3]


def test_an_interruption_keeps_what_was_stored_and_ends_the_model(tmp_path: Path) -> None:
    ended: list[bool] = []

    class Watched(Oracle):
        def replies(self, bodies: Any) -> Any:
            try:
                yield from super().replies(bodies)
            finally:
                ended.append(True)

    answers = answers_of(tmp_path, Watched())
    requests = answers.requests(questions(PROMPTS))

    def interrupted(n: int) -> None:
        # What is counted is stored.
        assert Store(tmp_path / "answers.sqlite").n_answers() == n
        if n == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        answers.ask(requests, total=AskTally(), progress=interrupted)
    assert ended, f"while its traceback is kept: {caught.tb}"
    assert len(list(answers.requests(questions(PROMPTS)))) == 2


def test_the_same_failure_again_and_again_leaves_the_rest(tmp_path: Path) -> None:
    many = [Prompt(f"question {number}?", ()) for number in range(3 * TOO_MANY)]
    model = Oracle(answer=lambda text: "")
    answers = answers_of(tmp_path, model)
    asked = answers.ask(answers.requests(questions(many)), total=AskTally())
    assert asked.failures == {"busy": asked.n_calls}
    assert TOO_MANY <= asked.n_calls <= TOO_MANY + 1
    now_and_then = Oracle(answer=lambda text: "" if int(text.split("question ")[1].split("?")[0]) % 4 else "A")
    answers = answers_of(tmp_path, now_and_then)
    asked = answers.ask(answers.requests(questions(many)), total=AskTally())
    assert asked.n_calls == len(many)


def test_the_key_is_that_of_all_that_decides_an_answer() -> None:
    assert canonical({"b": [1, 0.5, None], "a": "é\n"}) == '{"a":"é\\n","b":[1,0.5,null]}'
    assert key_of({"a": 1, "b": 2}) == key_of({"b": 2, "a": 1}) != key_of({"a": 1, "b": 3})


def line_of(custom_id: str, content: Any, **more: Any) -> bytes:
    body = {"choices": [{"message": {"content": content}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 3}}
    return json.dumps({"custom_id": custom_id, "response": {"status_code": 200, "body": body}, **more}).encode() + b"\n"


def test_requests_are_lines_of_a_batch(tmp_path: Path) -> None:
    requests = list(answers_of(tmp_path, Oracle()).requests(questions(PROMPTS)))
    text = io.StringIO()
    write_requests(requests, text)
    first, *others = map(json.loads, text.getvalue().splitlines())
    assert len(others) == 4
    assert (first["method"], first["url"]) == ("POST", "/v1/chat/completions")
    assert first["custom_id"] == requests[0].custom_id
    assert first["body"] == requests[0].body


def test_responses_with_and_without_an_answer() -> None:
    lines = (
        line_of("a", "B")
        + line_of("b", None)
        + b'{"custom_id": "c", "response": {"status_code": 429, "body": {}}, "error": null}\n'
        + b'{"custom_id": "d", "response": null, "error": {"message": "too long"}}\n'
    )
    read = list(read_responses(("r.jsonl", lines)))
    assert [(custom_id, reply.text, reply.error) for custom_id, reply in read] == [
        ("a", "B", ""),
        ("b", "", ""),
        ("c", "", "status 429"),
        ("d", "", "too long"),
    ]
    assert read[0][1].facts == {"finish_reason": "stop", "prompt_tokens": 3}
    with pytest.raises(InputError, match=r"r\.jsonl:2: no response to b"):
        list(read_responses(("r.jsonl", line_of("a", "B") + b'{"custom_id": "b"}\n')))
