"""What the documentation's commands print is what was accepted."""

from tests.golden.accepted import RENEW, accepted, changed, entry, outputs
from tests.golden.commands import PAGE, ROOT, shown_commands
from tests.golden.text import masked, pretty, shown_html


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


def test_what_varies_is_masked() -> None:
    said = masked("/home/me/x 2026-01-02T03:04 0.12345678912 fairviz 0.3.0", {"/home/me": "ROOT"})
    assert said == "ROOT/x TIME 0.123456789 fairviz VERSION"
    assert masked("0.1 0.25 1.5e-07", {}) == "0.1 0.25 1.5e-07"
    assert "sha256" in shown_html(f"<script>{'x' * 30_000}</script>")
    assert pretty({"b": [1.0, 2.00000000001], "a": None}) == '{\n "a": null,\n "b": [1.0, 2.0]\n}\n'
