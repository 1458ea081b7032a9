"""What ``content/commands.yaml`` says of choices, defaults and words is what the program knows."""

import argparse
import re
import shlex
from typing import get_args

from fairviz.display.paper import COLUMN, POINTS
from fairviz.experiments.people import FORMS
from fairviz.io.join import KINDS
from fairviz.kernels.grouping import PRESETS
from fairviz.model import FACTORS, TieOrder
from fairviz.reporting.request import Request
from fairviz.resources import CONTENT
from fairviz.studies import STUDIES
from fairviz.studies.study import Option
from tests.cli.parsers import parser_of


def options(command: str) -> dict[str, argparse.Action]:
    return {action.dest: action for action in parser_of(command)._actions}


def test_choices_and_defaults_are_those_of_the_program() -> None:
    vary, of_study = options("vary"), options("evaluate")
    assert [*(vary["form"].choices or ())] == [*FORMS]
    assert vary["form"].default == FORMS[0]
    assert [*(options("validate")["kind"].choices or ())] == [*KINDS]
    assert [*(of_study["ties"].choices or ())] == [*get_args(TieOrder)]
    assert (of_study["width"].default, of_study["points"].default) == (COLUMN, POINTS)
    assert f": {', '.join(PRESETS)}, or" in str(of_study["target"].help)
    assert str(of_study["systems"].help).endswith(f" of {', '.join(FACTORS)}")


def test_examples_in_the_help_are_taken() -> None:
    """Each up to a pipe, or to what says in words what it does."""
    for file in (CONTENT / "commands").glob("*.txt"):
        for line in re.sub(r"\\\n\s*", " ", file.read_text()).splitlines():
            if line.startswith("  fairviz "):
                _, command, *words = shlex.split(re.split(r"  +| [|>] ", line.strip())[0])
                parser_of(command).parse_args(words)


def test_a_flag_names_something_or_switches_something_in_every_command() -> None:
    by_flag: dict[str, list[Option]] = {}
    for kind in (*(study.settings for study in STUDIES), Request):
        for option in kind.options().values():
            for flag in option.flags:
                by_flag.setdefault(flag, []).append(option)
    mixed = [flag for flag, all_of_it in by_flag.items() if len({option.kind is bool for option in all_of_it}) > 1]
    assert not mixed
    assert len({option.metavar for option in by_flag["--against"]}) == 1 < len(by_flag["--against"])
