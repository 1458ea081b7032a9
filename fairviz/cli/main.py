"""Which command, what becomes of its errors, and how the process ends.

Exit codes: 0, 2 for what a person can mend (one line ``error: …``), 1 for a fault of fairviz.
"""

import difflib
import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from fairviz import __version__
from fairviz.cli._options import Parser, add_options, choose_format, examples
from fairviz.cli._streams import (
    close_quietly,
    occupy_closed_streams,
    one_line,
    refuse_shared_streams,
    results_to_output,
    write_any_text,
)
from fairviz.errors import DescriptionError, FairvizError, InputError, OutputError, UnreadableError, UsageError
from fairviz.extras import load_plugin, optional
from fairviz.resources import content
from fairviz.studies import STUDIES, study_of
from fairviz.studies.study import Settings

DECLARED: Mapping[str, Any] = content("commands")["commands"]
COMMANDS = {
    **{study.command: study.purpose for study in STUDIES},
    **{name: record["help"] for name, record in DECLARED.items()},
}
"""Commands in the order people read them, with what each does."""

EXIT_FAULT_OF_OURS = 1
EXIT_ERROR = 2
EXIT_INTERRUPTED = 130  # as shells count SIGINT
EXIT_PIPE_CLOSED = 141  # and SIGPIPE


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: Arguments without the program's name; None: those of the process.

    Returns:
        The exit code.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    occupy_closed_streams()
    write_any_text()
    debug = "--debug" in arguments
    try:
        code = _run([argument for argument in arguments if argument != "--debug"])
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        close_quietly()
        return EXIT_PIPE_CLOSED
    except KeyboardInterrupt as error:
        _say(f"error: interrupted{f': {error}' if error.args else ''}")
        return EXIT_INTERRUPTED
    except FairvizError as error:
        if debug:
            traceback.print_exc()
        of_ours = isinstance(error, UnreadableError)
        for mistake in error.mistakes if isinstance(error, DescriptionError) else [error]:
            _say(f"error: {_with_fix(mistake)}{_hint(debug, ' Run') if of_ours else ''}")
        return EXIT_FAULT_OF_OURS if of_ours else EXIT_ERROR
    except OSError as error:
        _say(f"error: {error.filename or 'standard output'}: {error.strerror or error}")
        if error.filename is None:
            close_quietly()  # what is left of the output cannot be written, either
        return EXIT_ERROR
    except MemoryError:
        _say("error: this does not fit into memory: ask for fewer samples, a smaller k or fewer queries")
        return EXIT_ERROR
    except Exception as error:  # the last stop: whatever escaped a command is a fault of ours
        if debug:
            traceback.print_exc()
        _say(f"error: this is a bug in fairviz: {type(error).__name__}: {error}{_hint(debug, '; run')}")
        return EXIT_FAULT_OF_OURS
    return code


def _run(arguments: list[str]) -> int:
    command = next((word for word in arguments if not word.startswith("-")), None)
    completes = "_ARGCOMPLETE" in os.environ  # a shell asks what could come next
    parser = Parser(
        prog="fairviz",
        description="See what fairness costs, and to whom, when a system ranks items.",
        epilog="fairviz COMMAND --help tells the options of a command. A file may be a pipe; - is standard input.\n"
        'Completion in bash or zsh, with fairviz[completion]: eval "$(register-python-argcomplete fairviz)"',
    )
    parser.add_argument("--version", action="version", version=f"fairviz {__version__}")
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=Parser)
    if command is not None and command not in COMMANDS:
        near = difflib.get_close_matches(command, COMMANDS, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(COMMANDS)}"
        raise UsageError(f"unknown command {command!r}; {hint}")
    own = Parser(prog="fairviz", add_help=False)  # first of all: help, limits and attention may be of it
    own.add_argument("--plugin", action="append", default=[])
    if not completes:
        for file in own.parse_known_args(arguments)[0].plugin:
            load_plugin(file)
    for name, purpose in COMMANDS.items():
        if name == command or completes:
            add_command(commands, name)
        else:
            commands.add_parser(name, help=purpose)
    if completes:
        optional("argcomplete", extra="completion", component="completion").autocomplete(parser)
    try:
        args = parser.parse_args(arguments or ["--help"])
    except SystemExit as left:  # --help and --version leave this way
        return int(left.code or 0)
    choose_format(args)
    refuse_shared_streams(args)
    with results_to_output(args):
        return int(args.run(args))


def add_command(commands: Any, name: str) -> None:
    """The parser of one command, which a function of its name follows in the module that its declaration says.

    A study's is followed by ``fairviz.cli.study.study``, and a command with actions by a function for each of them.
    """
    study = study_of(name)
    record = content("commands")["study"] if study else DECLARED[name]
    module = import_module(f"fairviz.cli.{record['module']}")
    parser = commands.add_parser(name, help=COMMANDS[name], epilog=examples(name))
    if "actions" in record:
        actions = parser.add_subparsers(metavar="ACTION", required=True, parser_class=Parser)
        for action, declared in record["actions"].items():
            own = actions.add_parser(action, help=declared["help"])
            add_options(own, declared["options"])
            own.set_defaults(run=getattr(module, action))
        return
    settings = study.settings if study else getattr(module, "SETTINGS", {}).get(name, Settings)
    add_options(parser, record["options"], settings=settings, own=getattr(module, "add_own", None))
    parser.set_defaults(run=getattr(module, "study" if study else name), study=study)


def _with_fix(error: FairvizError) -> str:
    if isinstance(error, InputError | OutputError) and error.fix:
        return f"{error}. {error.fix}"
    return str(error)


def _hint(debug: bool, run: str) -> str:
    return "" if debug else f"{run} again with --debug for the traceback"


def _say(line: str) -> None:
    """One line on standard error, if anybody still listens."""
    try:
        print(one_line(line), file=sys.stderr, flush=True)
    except OSError:
        close_quietly()
