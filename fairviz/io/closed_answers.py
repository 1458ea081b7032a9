r"""Answers to closed questions, read as one of the options or not at all.

A letter is read only where the answer names exactly one, plainly: "B", "(b)", "B.", "B) text",
"B\n…", "**B**", "Option B", "The answer is B", "Answer: B". An answer that names two ("A or B",
"A, B", "A. … so the answer is C") or none ("I am not sure", "A fracture") stays unread; it is never
counted for the first option.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

LETTERS = "ABCDEFGHIJ"
"""Letters that can name an option."""

FAMILIES = (frozenset(("yes", "no", "maybe")), frozenset(("true", "false")))
"""Options in words that belong together."""

WORDS = FAMILIES[0] | FAMILIES[1] | {"unknown", "uncertain"}
"""Options in words that are known as such, however few questions there are."""

_ANY = f"[{LETTERS}{LETTERS.lower()}]"
_AROUND = " \t\r\n*_`\"'"
_PLAIN = re.compile(rf"[(\[]?\s*({_ANY})\s*[)\].:]*")
_AT_START = re.compile(rf"[(\[]?({_ANY})(?:\*\*|__|`)?(?:[)\].:]|[ \t]*\n|\s+[-–—]\s)")
_SAID = re.compile(
    r"\b(?i:answer(?:_choice)?)[\"'*_]*\s*(?:[:=]|(?i:is)\b\s*:?)"
    rf"[\s\"'*_(\[]*(?:(?i:option|choice)\s+)?[(\[]?({_ANY})(?![\w'’])"
)
_CALLED = re.compile(rf"(?i:(?:option|choice|answer))\s+[(\[]?({_ANY})(?=[)\].:,;]|\s*\n|$)")
_ENDS = re.compile(r"[)\]*_`\"']*(?:$|[.,;:)}\]\n]|\s+(?:because|since|as|due|for)\b)")
_AND = r"(?:/|&|\b(?i:or|and|and/or)\b)"
_CLOSING = r"[)\]*_`\"'.:\s]*"
_SECOND = re.compile(
    rf"{_CLOSING}(?:{_AND}[\s(\[*]*{_ANY}(?![\w'’])"  # "A or B", "A. and B …"
    rf"|(?:[,;+]\s*)?[(\[*]*{_ANY}[)\].:*]*\s*(?:\n|$))"  # "A, B", "A.B", "A\nB"
)
"""What follows a letter where a second one is named with it."""

_SAYS_ANSWER = re.compile(r"(?:the\s+)?(?:final\s+|correct\s+)?answer(?:\s+is\b|\s*[:=])[\s:*_\"']*")
_AFTER_WORD = re.compile(r"[*_\"']*\s*[.,:;!)\]\n]")


def is_letter(text: str) -> bool:
    """Whether a recorded right answer is a letter, such as "B" or "(b)"."""
    return _PLAIN.fullmatch(text.strip()) is not None


def as_letter(text: str) -> str:
    """The letter of a recorded right answer for which :func:`is_letter` holds."""
    letter = _PLAIN.fullmatch(text.strip())
    return letter[1].upper() if letter else text


def as_word(text: str) -> str:
    """An option in words without case, blanks around it and final period."""
    return " ".join(text.strip(_AROUND).removesuffix(".").split()).casefold()


def read_letter(text: str, letters: Iterable[str]) -> str | None:
    r"""The one letter that an answer names, None where it names none or several.

    Args:
        text: The answer.
        letters: Upper-case letters that are options.

    Examples:
        >>> [read_letter(text, "ABCD") for text in ("(b)", "B. Cross-linking", "Answer: B")]
        ['B', 'B', 'B']
        >>> [read_letter(text, "ABCD") for text in ("A or B", "I am not sure", "A fracture", "")]
        [None, None, None, None]
    """
    answer = text.strip(_AROUND)
    plain = _PLAIN.fullmatch(answer)
    if plain:
        return plain[1].upper() if plain[1].upper() in letters else None
    claims = list(_claims(answer))
    if any(_SECOND.match(answer, end) for _, end in claims):
        return None
    named = {letter.upper() for letter, _ in claims}
    letter = named.pop() if len(named) == 1 else None
    return letter if letter is not None and letter in letters else None


def read_word(text: str, words: Sequence[str]) -> str | None:
    """The option in words that an answer is, or begins with before punctuation.

    Args:
        text: The answer.
        words: The options as :func:`as_word` gives them.

    Examples:
        >>> [read_word(text, ("yes", "no")) for text in ("Yes.", "No, because", "yes or no", "")]
        ['yes', 'no', None, None]
    """
    answer = text.strip(_AROUND).casefold()
    preamble = _SAYS_ANSWER.match(answer)
    answer = answer[preamble.end() :] if preamble else answer
    if as_word(answer) in words:
        return as_word(answer)
    for word in sorted(words, key=len, reverse=True):
        after = _AFTER_WORD.match(answer, len(word)) if answer.startswith(word) else None
        if after:
            return None if as_word(answer[after.end() :]) in words else word
    return None


def _claims(answer: str) -> Iterator[tuple[str, int]]:
    """Letters that an answer says are its answer, each with where it ends."""
    start = _AT_START.match(answer)
    if start:
        yield start[1], start.end(1)
    called = _CALLED.match(answer)
    if called:
        yield called[1], called.end(1)
    for claim in _SAID.finditer(answer):
        is_article = claim[1] in "AI" or claim[1].islower()
        if not is_article or _ENDS.match(answer, claim.end(1)):
            yield claim[1], claim.end(1)
