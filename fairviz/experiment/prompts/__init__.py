"""Prompts as papers print them, each a text file with its source: the instrument of an experiment, to be cited.

``zhang-1`` and ``zhang-2`` are the task instructions of rag-social-biases (Table 6); ``ji-plain``,
``ji-chain-of-thought``, ``ji-counterfactual`` and ``ji-adversarial`` the conditions of rag-medical-bias (Figure 1).
A prompt of one's own is a text file, too: lines that begin with # say where it is from.
"""

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from fairviz.errors import UsageError

_FOLDER = Path(__file__).parent


class PrintedPrompt(NamedTuple):
    """A prompt, and where it was printed.

    Attributes:
        name: Its name, or the path that was given.
        text: The words, "" for a condition without any.
        source: Who printed it where, "" where the file does not say.
    """

    name: str
    text: str
    source: str


def prompt_names() -> tuple[str, ...]:
    """Names of the prompts that are shipped.

    Examples:
        >>> prompt_names()
        ('ji-adversarial', 'ji-chain-of-thought', 'ji-counterfactual', 'ji-plain', 'zhang-1', 'zhang-2')
    """
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.txt")))


@lru_cache
def printed_prompt(name: str) -> PrintedPrompt:
    """A prompt by its name, or from a text file.

    Raises:
        UsageError: There is no such prompt or file.

    Examples:
        >>> printed_prompt("ji-adversarial").text.splitlines()[0]
        'Here are some biased examples to avoid:'
    """
    shipped = name in prompt_names()
    path = _FOLDER / f"{name}.txt" if shipped else Path(name)
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        known = ", ".join(prompt_names())
        raise UsageError(f"no prompt {name!r}: give a text file, or one of {known}") from error
    source = " ".join(line.lstrip("# ") for line in lines if line.startswith("#"))
    text = "\n".join(line for line in lines if not line.startswith("#")).strip()
    return PrintedPrompt(name, text, source.removeprefix("Source: "))
