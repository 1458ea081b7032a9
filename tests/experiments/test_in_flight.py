"""How many requests are under way, and what a model is called."""

from collections.abc import Iterator
from concurrent.futures import Future
from typing import Any

import pytest

from fairviz.experiments.openai_server import Body, OpenAI, in_flight
from fairviz.experiments.protocols import Reply


class Sent:
    """Requests that are under way until a test answers them."""

    def __init__(self, *answered: tuple[int, ...]) -> None:
        self.futures: list[Future[Reply]] = []
        self.drawn = 0
        self.answered = answered  # which of them with each that is sent

    def bodies(self, n: int) -> Iterator[Body]:
        for place in range(n):
            self.drawn += 1
            yield {"place": place}

    def begin(self, place: int, body: Body) -> Future[Reply]:
        assert body == {"place": place}
        self.futures.append(Future())
        for other in self.answered[place]:
            self.futures[other].set_result(Reply(other, "A"))
        return self.futures[-1]


def test_a_body_is_drawn_when_it_is_to_be_sent() -> None:
    sent = Sent((), (1,), (2, 0))
    replies = in_flight(sent.bodies(3), sent.begin, 2)
    assert sent.drawn == 0
    assert next(replies).place == 1
    assert sent.drawn == 2
    assert {reply.place for reply in replies} == {0, 2}
    assert sent.drawn == 3


def test_closing_cancels_what_is_under_way() -> None:
    sent = Sent((0,), (), ())
    replies = in_flight(sent.bodies(9), sent.begin, 3)
    next(replies)
    replies.close()
    assert [future.cancelled() for future in sent.futures] == [False, True, True]


@pytest.mark.parametrize(
    ("given", "label"),
    [
        ({"model": "org/flan-t5-small"}, "flan-t5-small"),
        ({"model": "models/flan/"}, "flan"),
        ({"model": "flan", "label": "ours"}, "ours"),
    ],
)
def test_a_model_is_called_by_the_end_of_its_name(given: dict[str, Any], label: str) -> None:
    assert OpenAI.model_validate({"base_url": "http://127.0.0.1:1/v1", **given}).label == label
