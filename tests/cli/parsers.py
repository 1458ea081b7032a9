"""What argparse knows of each command."""

import argparse
from collections.abc import Iterator

from fairviz.cli._options import Parser
from fairviz.cli.main import COMMANDS, add_command


def parser_of(command: str) -> argparse.ArgumentParser:
    """The parser of a command."""
    commands = Parser().add_subparsers(parser_class=Parser)
    add_command(commands, command)
    return commands.choices[command]


def parsers() -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Each command's parser; of one with actions, theirs."""
    for name in COMMANDS:
        parser = parser_of(name)
        deeper = [action.choices for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
        if deeper:
            yield from ((f"{name} {action}", own) for action, own in deeper[0].items())
        else:
            yield name, parser
