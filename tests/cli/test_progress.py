"""A bar on standard error: drawn on request, over itself, and gone at the end."""

import pytest

from fairviz.cli._streams import Progress


def drawn(text: str) -> list[str]:
    """What stands on the line after each carriage return."""
    line, seen = "", []
    for part in text.split("\r"):
        line = part + line[len(part) :]
        seen.append(line.rstrip())
    return seen


def test_a_shorter_step_erases_a_longer_one(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress("answer (deterministic)", force=True) as bar:
        bar.expect(2)
        bar._drawn = -1.0
        bar.step()
        bar.what = "label"
        bar.step()
        seen = drawn(capsys.readouterr().err)
    assert seen[-2].startswith("answer (deterministic) [")
    assert seen[-1] == "label [" + "#" * 30 + "] 100 %"
    assert drawn(seen[-1] + capsys.readouterr().err)[-1] == ""


def test_silent_where_nobody_watches(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress("reading") as bar:
        bar.expect(1)
        bar.step()
    assert capsys.readouterr().err == ""


def test_nothing_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress("reading", force=True) as bar:
        bar.step(0)
    assert "100 %" not in capsys.readouterr().err


def test_how_many_are_done_and_how_long_the_rest_takes(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress("label", force=True, timed=True) as bar:
        bar.restart("answer", 300)
        bar._begun -= 60.0
        bar.step(100)
        seen = drawn(capsys.readouterr().err)
    assert seen[-1].startswith("answer [##########....")
    assert seen[-1].endswith(" 33 %  100 of 300, about 2 min left")
