"""How attention falls and what is useful: options that ``curve`` and ``sample`` share."""

import argparse
from typing import TYPE_CHECKING

from fairviz.cli.parser import whole_number
from fairviz.errors import UsageError

if TYPE_CHECKING:
    from fairviz.attention import Attention

BROWSING = ("topk", "rbp", "geometric", "log", "dcg")


def add_attention_options(parser: argparse.ArgumentParser) -> None:
    """``-k``, ``--attention``, ``--p`` and ``--gamma``."""
    parser.add_argument(
        "-k",
        type=whole_number(1),
        metavar="K",
        help="items shown; needed for --attention topk, else where attention is cut",
    )
    parser.add_argument(
        "--attention",
        choices=BROWSING,
        default="topk",
        help="how attention falls with rank (default topk: equal to the first k, none below)",
    )
    parser.add_argument("--p", type=float, default=0.8, help="chance of going on to the next rank, for rbp")
    parser.add_argument("--gamma", type=float, default=0.5, help="chance of stopping at each rank, for geometric")


def add_gain_options(parser: argparse.ArgumentParser) -> None:
    """``--gain`` and ``--rel``."""
    parser.add_argument(
        "--gain",
        choices=("graded", "binary"),
        default="graded",
        help="whether usefulness is the grade (default) or useful / not useful",
    )
    parser.add_argument(
        "--rel",
        type=whole_number(1),
        default=1,
        metavar="GRADE",
        help="smallest useful grade, for --gain binary (default 1)",
    )


def attention_of(args: argparse.Namespace) -> "Attention":
    """The browsing model asked for.

    Raises:
        UsageError: A parameter is out of range, or topk lacks k.
    """
    from fairviz.attention import attention

    if args.attention == "topk" and args.k is None:
        raise UsageError("--attention topk needs the number of items shown: give -k, such as -k 5")
    try:
        return attention(args.attention, cutoff=args.k, patience=args.p, stopping=args.gamma)
    except ValueError as error:
        raise UsageError(str(error)) from None
