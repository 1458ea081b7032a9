"""Prompts as papers print them, each a text file with its source: the instrument of an experiment, to be cited.

``zhang-1`` and ``zhang-2`` are the task instructions of rag-social-biases (Table 6); ``plain``,
``ji-chain-of-thought``, ``ji-counterfactual`` and ``ji-adversarial`` the conditions of rag-medical-bias (Figure 1).
``zhang-1.ja``, ``zhang-2.ko``, … say the same in our words in another language, since the papers print English alone.
A prompt of one's own is a text file, too: lines that begin with # say where it is from.
"""

from pathlib import Path
from typing import NamedTuple

from fairviz.errors import UsageError
from fairviz.io.bbq_targets import LANGUAGES

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
        >>> [name for name in prompt_names() if name.startswith("ji-")]
        ['ji-adversarial', 'ji-chain-of-thought', 'ji-counterfactual']
    """
    return tuple(sorted(path.name.removesuffix(".txt") for path in _FOLDER.glob("*.txt")))


def printed_prompt(name: str, language: str = "English") -> PrintedPrompt:
    """A prompt by its name, or from a text file.

    Args:
        name: The name or the path.
        language: Of the questions; a prompt that is shipped in it is taken in it.

    Raises:
        UsageError: There is no such prompt or file.

    Examples:
        >>> printed_prompt("ji-adversarial").text.splitlines()[0]
        'Here are some biased examples to avoid:'
        >>> printed_prompt("zhang-1", "Japanese").name, printed_prompt("ji-adversarial", "Japanese").name
        ('zhang-1.ja', 'ji-adversarial')
    """
    names = prompt_names()
    translated = f"{name}.{LANGUAGES.get(language, ('',))[0]}"
    name = translated if translated in names else name
    path = _FOLDER / f"{name}.txt" if name in names else Path(name)
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise UsageError(f"no prompt {name!r}: give a text file, or one of {', '.join(names)}") from error
    source = " ".join(line.lstrip("# ") for line in lines if line.startswith("#"))
    text = "\n".join(line for line in lines if not line.startswith("#")).strip()
    return PrintedPrompt(name, text, source.removeprefix("Source: "))
