r"""Answers to closed questions, read as one of the options or not at all.

A letter is read only where the answer names exactly one, plainly: "B", "(b)", "B.", "B) text",
"B\n…", "**B**", "Option B", "The answer is B", "Answer: B", "Option B is correct", "The best option
is B", "I choose B". An answer that names two ("A or B", "A, B", "A. … so the answer is C"), denies
one ("B is wrong", "If the answer is B") or names none ("I am not sure", "A fracture") stays unread;
it is never counted for the first option.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from fairviz.resources import content

LETTERS = "ABCDEFGHIJ"
"""Letters that can name an option."""

FAMILIES = (frozenset(("yes", "no", "maybe")), frozenset(("true", "false")))
"""Options in words that belong together."""

WORDS = FAMILIES[0] | FAMILIES[1] | {"unknown", "uncertain"}
"""Options in words that are known as such, however few questions there are."""

_AROUND = " \t\r\n*_`\"'"
_CONTENT: dict[str, Any] = content("answers/closed")


def _pattern(name: str) -> re.Pattern[str]:
    """A pattern of the content, with those of its parts in place of their names."""
    text = str(_CONTENT[name])
    while part := re.search(r"<(\w+)>", text):
        text = text.replace(part[0], _CONTENT["parts"][part[1]])
    return re.compile(text, re.VERBOSE)


_PLAIN, _AT_START, _SAID, _RIGHT, _CHOSEN, _ITS, _DENIED_BEFORE, _DENIED_AFTER = map(
    _pattern, ("plain", "at_start", "said", "right", "chosen", "its", "denied_before", "denied_after")
)
_TURN, _REASONED, _CALLED, _ENDS, _NAMED, _SECOND, _SAYS_ANSWER, _AFTER_WORD = map(
    _pattern, ("turn", "reasoned", "called", "ends", "named", "second", "says_answer", "after_word")
)


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
    if any(_SECOND.match(answer, end) or _DENIED_AFTER.match(answer, end) for _, end in claims):
        return None
    named = {letter.upper() for letter, _ in claims}
    letter = named.pop() if len(named) == 1 else None
    if letter is None or letter not in letters:
        return None
    turn = _TURN.search(answer)
    others = {(found[1] or found[2]).upper() for found in _NAMED.finditer(answer)} - {letter}
    return None if turn and others & set(letters) else letter


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
    for pattern in (_AT_START, _REASONED, _CALLED, _ITS):
        claim = pattern.match(answer)
        if claim:
            yield claim[1], claim.end(1)
    for pattern in (_SAID, _CHOSEN):
        for claim in pattern.finditer(answer):
            is_article = claim[1] in "AI" or claim[1].islower()
            if is_article and not _ENDS.match(answer, claim.end(1)):
                continue
            if not _DENIED_BEFORE.search(answer, max(0, claim.start() - 60), claim.start()):
                yield claim[1], claim.end(1)
    for claim in _RIGHT.finditer(answer):
        letter = 1 if claim[1] else 2
        if not _DENIED_BEFORE.search(answer, max(0, claim.start() - 60), claim.start(letter)):
            yield claim[letter], claim.end(letter)
