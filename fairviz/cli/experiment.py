"""``fairviz experiment``: plan, ask and collect what the dashboard shows."""

import argparse
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from fairviz.cli._streams import DASH, Progress, name_of, one_line, print_text, source_of, terminal_text, visible, warn
from fairviz.errors import UndefinedError, UsageError
from fairviz.numerals import count, plural

if TYPE_CHECKING:
    from fairviz.experiments.asking import AskTally, ModelRequest
    from fairviz.experiments.runner import Experiment

REQUESTS = "requests.jsonl"


def check(args: argparse.Namespace) -> int:
    """Print the bill and three prompts."""
    from fairviz.experiments.bill import bill, bill_table

    if args.schema:
        import json

        from fairviz.experiments.config import config_schema

        print_text(json.dumps(config_schema(), ensure_ascii=False, indent=2))
        return 0
    if args.config is None:
        raise UsageError("experiment check: give a description, or --schema")
    experiment = _experiment(args)
    warn(experiment.source.notes)
    material = ", ".join(f"{count(n)} {what}" for what, n in experiment.source.material.items())
    print_text(f"{experiment.settings.name}: {material}")
    due = bill(experiment)
    print_text(terminal_text(bill_table(due)))
    print_text(f"{due.title}. {due.caption}" if due.n_missing else f"{due.title}.")
    for request in due.examples:
        print_text(f"\n{_prompt(request)}")
    return 0


def _prompt(request: "ModelRequest") -> str:
    """A request as people read it."""
    from fairviz.experiments.asking import texts_of

    lines = (visible(line) for text in texts_of(request) for line in text.splitlines())
    return "\n".join([f"--- {visible(request.custom_id)}", *lines])


def requests(args: argparse.Namespace) -> int:
    """Write what is missing, and say whether more will follow."""
    from fairviz.experiments.asking import write_requests
    from fairviz.io.whole import write_text

    experiment = _experiment(args)
    with experiment.writing():
        missing = experiment.missing()
        if missing is None:
            raise UndefinedError(f"{args.config}: every request is answered; collect makes the files")
        file = experiment.folder / REQUESTS
        write_text(file, lambda to: write_requests(missing.requests(), to))
    more = " More follow from their answers: collect, then write requests again." if missing.more else ""
    print_text(f"{file}: {count(missing.n)} requests ({missing.what}).{more}")
    return 0


def ask(args: argparse.Namespace) -> int:
    """Ask what is missing, or a pilot of it, and write no results yet."""
    return _ask_missing(args, results=False)


def run(args: argparse.Namespace) -> int:
    """Ask what is missing, then make every file and list what was written."""
    return _ask_missing(args, results=True)


def _ask_missing(args: argparse.Namespace, *, results: bool) -> int:
    from fairviz.experiments.bill import limit

    experiment = _experiment(args)
    stop = limit(experiment, calls=args.max_calls, cost=args.max_cost)
    if not results and args.pilot:
        return _ask_pilot(args, experiment, stop)
    with experiment.writing(), _interruptible(experiment), _progress(args) as tell:
        tally = experiment.ask(progress=tell, stop=stop)
        _print_tally(tally)
        return _finished(args, experiment, tell, tally, stopped=stop(tally), results=results)


def _ask_pilot(args: argparse.Namespace, experiment: "Experiment", stop: "Callable[[AskTally], bool]") -> int:
    """Ask twenty requests, then print prompts and answers."""
    from fairviz.experiments.asking import AskTally
    from fairviz.experiments.bill import bill

    with experiment.writing(), _interruptible(experiment), _progress(args) as tell:
        requests = bill(experiment).pilot
        missing = list(experiment.answers.missing(requests))
        tally = experiment.answers.ask(
            missing, total=AskTally(), progress=lambda n: tell("pilot", n, len(missing)), stop=stop
        )
    _print_pilot(experiment, requests)
    _print_tally(tally)
    if tally.failures:
        n = sum(tally.failures.values())
        raise UndefinedError(f"{args.config}: pilot: {count(n)} of {plural(len(requests), 'request')} got no answer")
    return 0


def _print_pilot(experiment: "Experiment", requests: "Sequence[ModelRequest]") -> None:
    from fairviz.experiments.bill import tried

    answers = tried(experiment, requests)
    for request, answer, read in answers:
        print_text(_prompt(request))
        reply = "(no answer)" if answer is None else one_line(answer) or "(an empty answer)"
        print_text(f"=> {reply}\n   read as: {'unread' if read is None else one_line(read)}\n")
    answered = [read for _, answer, read in answers if answer is not None]
    n_unread = sum(read is None for read in answered)
    print_text(f"{len(answered)} of {len(answers)} answered, {n_unread} of them unread")


def collect(args: argparse.Namespace) -> int:
    """Take responses, then write the results if nothing is missing."""
    from fairviz.experiments.asking import read_responses

    experiment = _experiment(args)
    with experiment.writing(), _progress(args) as tell:
        for file in args.responses:
            tally = experiment.take(partial(read_responses, source_of(file)), file=name_of(file))
            _print_tally(tally)
        return _finished(args, experiment, tell)


def _finished(
    args: argparse.Namespace,
    experiment: "Experiment",
    tell: Callable[[str, int, int], None],
    tally: "AskTally | None" = None,
    *,
    stopped: bool = False,
    results: bool = True,
) -> int:
    """Make the results where the answers are enough, else say what is missing.

    Too many missing answers are an error. A limit that was reached is none, if any answer came: it leaves the results
    to the next run.
    """
    missing = experiment.missing()
    if results and (missing is None or (missing.tolerable and not stopped)):
        report = experiment.write(progress=tell)
        warn(report.notes)
        print_text("\n".join(str(path) for path in (*report.files, report.manifest)))
    elif missing is not None:
        how = "run it again to ask for the rest" if tally else "ask for them, or collect their responses"
        message = f"{missing.words}; what came is stored; {how}"
        is_answered = tally is None or tally.n_answers or not tally.failures
        if not ((stopped and is_answered) or missing.tolerable):
            raise UndefinedError(f"{args.config}: {message}")
        print_text(message)
    return 0


def _experiment(args: argparse.Namespace) -> "Experiment":
    from fairviz.experiments.runner import Experiment

    if args.config == DASH:
        raise UsageError("experiment: give the description as a file; what it names is looked for beside it")
    return Experiment(Path(args.config), output=args.output)


@contextmanager
def _interruptible(experiment: "Experiment") -> Generator[None]:
    """Let Ctrl-C end with what is kept and how to go on."""
    try:
        yield
    except KeyboardInterrupt:
        kept = plural(experiment.answers.store.n_answers(), "answer is", "answers are")
        raise KeyboardInterrupt(f"{kept} stored in {experiment.folder}; run the command again to go on") from None


@contextmanager
def _progress(args: argparse.Namespace) -> Generator[Callable[[str, int, int], None]]:
    with Progress("experiment", force=args.progress, timed=True) as bar:

        def tell(what: str, done: int, total: int) -> None:
            if done < bar.done or total != bar.total:  # of the next round, or of the files
                bar.restart(what, total)
            bar.what = what
            bar.step(done - bar.done)

        yield tell


def _print_tally(tally: "AskTally") -> None:
    if tally.n_answers or tally.failures:
        cost = f", cost {count(tally.cost, 4)}" if tally.cost else ""
        read, written = tally.tokens
        empty = f", {count(tally.n_empty)} of them empty" if tally.n_empty else ""
        print_text(f"{plural(tally.n_answers, 'answer')} stored{empty} ({count(read)} + {count(written)} tokens{cost})")
    for reason, n in tally.failures.items():
        print_text(f"{count(n)} without an answer: {one_line(reason)}")
