"""The line before the processors: who computes, who waits, what is said, and how much one session may use."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Semaphore

import pytest

from pages._kit import cache, turns
from pages._kit.turns import WINDOW, OverdrawnError, Session, Turns
from tests.app.conftest import OpenPage
from tests.app.reading import markup, words


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "LOOK", 0.01)


def nobody(before: int) -> None:
    raise AssertionError(f"told of {before} before")


def test_on_a_personal_machine_nobody_waits() -> None:
    line = Turns(None)
    with line.turn(None, nobody), line.turn(None, nobody):
        pass
    assert turns.from_environment().places is None, "the tests' server listens on this machine alone"


def test_a_server_that_others_use_has_a_place_per_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "on_this_machine", lambda: False)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    monkeypatch.setenv("FAIRVIZ_TIME_LIMIT", "60")
    shared = turns.from_environment()
    assert (shared.places, shared.limit) == (2, 60.0)


def test_who_waits_hears_how_many_are_before_and_comes_in_order() -> None:
    """Two places and five who want them: two compute, three wait with 2, 3 and 4 before them."""
    line, go, heard, order = Turns(2), Semaphore(0), [Event() for _ in range(5)], list[int]()
    told: list[list[int]] = [[] for _ in range(5)]

    def one(i: int) -> None:
        def tell(before: int) -> None:
            told[i].append(before)
            heard[i].set()

        with line.turn(None, tell):
            order.append(i)
            heard[i].set()
            go.acquire()

    with ThreadPoolExecutor(5) as threads:
        for i in range(5):
            threads.submit(one, i)
            assert heard[i].wait(20)
        assert [said[:1] for said in told] == [[], [], [2], [3], [4]]
        for _ in range(5):
            go.release()
    assert order == [0, 1, 2, 3, 4]
    assert [said[-1:] for said in told] == [[], [], [0], [0], [0]], "what was said is taken back"


def test_a_part_of_a_computation_has_its_turn() -> None:
    line = Turns(1)
    with line.turn(None, nobody), line.turn(None, nobody):
        pass
    with line.turn(None, nobody):
        pass


def test_who_presses_something_else_leaves_the_line() -> None:
    """Streamlit ends a run where it next writes to the page: where it says how many are before."""
    line, leaves, done = Turns(1), Event(), Event()

    def away(before: int) -> None:
        leaves.set()
        raise KeyboardInterrupt

    def impatient() -> None:
        with pytest.raises(KeyboardInterrupt), line.turn(None, away):
            raise AssertionError("it had no turn")

    with ThreadPoolExecutor(2) as threads:
        with line.turn(None, nobody):
            gone = threads.submit(impatient)
            gone.result(20)
        threads.submit(lambda: [None for _ in [0] if _enter(line, done)]).result(20)
    assert leaves.is_set()
    assert done.is_set()


def _enter(line: Turns, done: Event) -> None:
    with line.turn(None, nobody):
        done.set()


def test_a_session_may_use_so_much_computing_in_ten_minutes() -> None:
    """Limit 60 s: turns of 40 s and 30 s are taken; then nothing, until the first one is ten minutes ago."""
    now = [0.0]
    line, session = Turns(1, limit=60, clock=lambda: now[0]), Session()

    def compute(seconds: float) -> None:
        with line.turn(session, nobody):
            now[0] += seconds

    compute(40)
    compute(30)  # what has begun is finished
    with pytest.raises(OverdrawnError) as refused:
        compute(1)
    assert str(refused.value) == "this session has used the 60 s of computing that it may use in 10 minutes here"
    assert "Go on in about 10 minutes, or with fairviz on your own machine." in refused.value.fix
    with line.turn(Session(), nobody):  # others go on
        pass
    now[0] = 40 + WINDOW - 30
    with pytest.raises(OverdrawnError, match="60 s"):
        compute(1)
    now[0] = 40 + WINDOW
    compute(1)


def test_a_page_says_how_many_are_before(app_test: OpenPage, monkeypatch: pytest.MonkeyPatch) -> None:
    class Crowded(Turns):
        def _wait(self, places: int, tell: Callable[[int], None]) -> None:
            tell(3)
            super()._wait(places, tell)

    monkeypatch.setattr(cache, "TURNS", Crowded(1))
    cache.RESULTS.clear()
    assert "Your turn comes by itself: 3 before you." in markup(app_test("inspect"))


def test_a_session_without_computing_time_reads_it_on_the_page(
    app_test: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "TURNS", Turns(1, limit=0))
    cache.RESULTS.clear()
    at = app_test("inspect")
    assert "this session has used the 0 s of computing that it may use in 10 minutes here" in words(at)
