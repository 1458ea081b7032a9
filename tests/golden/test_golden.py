"""What the documentation's commands print is what was accepted; a comparison of records tells changes."""

from pathlib import Path

import pytest

from tests.golden.accepted import RENEW, accepted, changed, entry, outputs
from tests.golden.commands import PAGE, ROOT, shown_commands
from tests.golden.compare import difference, differences
from tests.golden.text import masked, pretty, shown_html, write


def test_the_commands_print_what_was_accepted() -> None:
    kept, now = accepted(), dict(outputs())
    hint = f"If that is meant, `{RENEW}`, and say so in CHANGELOG.md."
    assert list(kept) == list(now), f"{PAGE.name} has other commands than were accepted. {hint}"
    wrong = [
        "\n  ".join([f"$ {command}", *changed(kept[command], text)])
        for command, text in now.items()
        if entry(text) != kept[command]
    ]
    assert not wrong, "\n".join(["These commands print something else:", *wrong, hint])


def test_every_command_of_the_readme_is_held() -> None:
    assert {f"fairviz {command}" for command in shown_commands(ROOT / "README.md")} <= set(accepted())


def test_changed_lines_are_shown() -> None:
    kept = entry("exit 0\na,b\n1,2\n")
    assert changed(kept, "exit 0\na,b\n1,3\n") == ["line 3: 1,3"]
    assert changed(kept, "exit 0\na,b\n") == ["it has 2 lines, fewer than before"]


def test_a_changed_number_is_found(tmp_path: Path) -> None:
    for name, value in (("old", 0.25), ("new", 0.26)):
        write(tmp_path / name / "page.json", pretty({"EE-D": value, "n": 3}))
        write(tmp_path / name / "same", "same")
    write(tmp_path / "new" / "more", "")
    more, page = differences(tmp_path / "old", tmp_path / "new")
    assert (more.item, more.what) == ("more", "is new")
    assert (page.item, page.what) == ("page.json", "differs")
    assert [line for line in page.lines if line[0] in "+-"] == ['- "EE-D": 0.25,', '+ "EE-D": 0.26,']
    assert not list(differences(tmp_path / "old", tmp_path / "old"))


@pytest.mark.parametrize(
    ("after", "what", "passes"),
    [
        ("a,low_abs\n1,2\n", "headers differ: abs_low -> low_abs; values equal", True),
        ("low_abs,a\n2,1\n", "headers differ: abs_low -> low_abs; values equal", True),
        ("abs_low,a\n2,1\n", "headers differ: another order; values equal", True),
        ("a,low_abs\n1,3\n", "headers differ: abs_low -> low_abs; values differ too", False),
        ("a\n1\n", "headers differ: abs_low is gone; values differ too", False),
        ("a,abs_low\n1,3\n", "differs", False),
    ],
)
def test_renamed_columns_are_told_from_changed_values(after: str, what: str, passes: bool) -> None:
    found = difference("table.csv", "a,abs_low\n1,2\n", after)
    assert (found.what, found.passes) == (what, passes)
    assert bool(found.lines) is not passes


def test_what_varies_is_masked() -> None:
    said = masked("/home/me/x 2026-01-02T03:04 0.12345678912 fairviz 0.3.0", {"/home/me": "ROOT"})
    assert said == "ROOT/x TIME 0.123456789 fairviz VERSION"
    assert masked("0.1 0.25 1.5e-07", {}) == "0.1 0.25 1.5e-07"
    assert "sha256" in shown_html(f"<script>{'x' * 30_000}</script>")
    assert pretty({"b": [1.0, 2.00000000001], "a": None}) == '{\n "a": null,\n "b": [1.0, 2.0]\n}\n'
