r"""Answers to closed questions, read as one of the options or not at all.

A letter is read only where the answer names exactly one, plainly: "B", "(b)", "B.", "B) text",
"B\n…", "**B**", "Option B", "The answer is B", "Answer: B", "Option B is correct", "The best option
is B", "I choose B". An answer that names two ("A or B", "A, B", "A. … so the answer is C"), denies
one ("B is wrong", "If the answer is B") or names none ("I am not sure", "A fracture") stays unread;
it is never counted for the first option.
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
_PLAIN = re.compile(rf"[(\[]?\s*({_ANY})\s*[)\].:!]*")
_AT_START = re.compile(rf"[(\[]?({_ANY})(?:\*\*|__|`)?(?:[)\].:]|[ \t]*\n|\s+[-–—]\s)")
_NOUN = r"(?:answer(?:_choice)?|option|choice|response|selection|pick|letter|ans|prediction|conclusion)"
_IS = r"(?:is|was|would\s+be|will\s+be|should\s+be|must\s+be|has\s+to\s+be|seems\s+to\s+be|appears\s+to\s+be)"
_SURELY = r"(?:(?:most\s+)?(?:likely|probably)|clearly|definitely|therefore|thus|simply|indeed)"
_SAID = re.compile(
    rf"\b(?i:{_NOUN})[\"'*_]*\s*(?:[:=]|\.\s|(?i:{_IS})\b(?:\s+(?i:{_SURELY})\b)?\s*:?|[*_#]*[ \t]*\n)"
    rf"[\s\"'*_(\[]*(?:(?i:option|choice|answer|letter)\s+)?[\"'*_(\[]*({_ANY})(?![\w'’])"
)
_RIGHT_WORD = (
    r"(?:the\s+)?(?:(?:most|more)\s+)?(?:correct|right|best|likely|appropriate|suitable|plausible"
    r"|reasonable|accurate"
    r"|proper|logical|probable|true)"
)
_RIGHT = re.compile(
    rf"(?:\b(?i:option|choice|answer|letter)\s+[\"'*_(\[]*({_ANY})"
    rf"|(?<![\w'’])[\"'*_(\[]*([{LETTERS}]))[\"'*_)\].]*\s+"
    rf"(?i:{_IS}|seems|looks|appears)\s+(?i:{_SURELY}\s+)?(?i:{_RIGHT_WORD})\b"
)
_CHOSEN = re.compile(
    r"\b(?i:choose|chose|pick|picked|select|selected|go\s+with|going\s+with|went\s+with|opt\s+for"
    r"|answer\s+with|say)"
    rf"\s+(?:(?i:option|choice|answer|letter)\s+)?[\"'*_(\[]*({_ANY})(?![\w'’])"
)
_ITS = re.compile(
    r"(?i:(?:so|therefore|thus|hence|then|final|i\s+think|i\s+believe|i\s+would\s+say|i'd\s+say"
    r"|probably|likely|most\s+likely"
    r"|it\s+is|it's|that\s+is|that's|it\s+must\s+be|definitely|clearly|sure|okay|ok)[\s,:!]*)+"
    rf"(?:(?i:option|choice|answer|letter)\s+)?[\"'*_(\[]*({_ANY})[\"'*_)\].!:]*$"
)
_DENIED_BEFORE = re.compile(
    r"(?i:\b(?:not|never|neither|nor|if|whether|unless|either|rather\s+than|instead\s+of|rule\s+out"
    r"|eliminate|exclude|could"
    r"|might|may|wrong|incorrect|except|than)\b|n['’]?t\b)[^.!?\n]{0,24}$"
)
_DENIED_AFTER = re.compile(
    r"[\"'*_)\].:,]*\s*(?:(?i:is|was|would\s+be|seems|can)\b\s*)?(?i:not\b|n['’]t\b|in(?:correct"
    r"|accurate)\b|wrong\b|false\b|cannot\b"
    r"|rather\s+than\s+[A-J]\b)"
)
_TURN = re.compile(
    r"(?i:\b(?:but|however|although|though|or|either|wait|actually|instead|alternatively|maybe"
    r"|perhaps|both|unless|also|correction)\b)"
)
_REASONED = re.compile(rf"[(\[]?([{LETTERS}])[)\]]?,?\s+(?:because|since|as\s+(?:the|he|she|it|they)|due)\b")
_CALLED = re.compile(rf"(?i:(?:option|choice|answer))\s+[(\[]?({_ANY})(?=[)\].:,;]|\s*\n|$)")
_ENDS = re.compile(r"[)\]*_`\"']*(?:$|[.,;:!)}\]\n]|\s+(?:because|since|as|due|for)\b)")
_NAMED = re.compile(rf"(?i:\b(?:option|choice|answer)\s+)[(\[]?({_ANY})(?![\w'’])|[(\[]({_ANY})[)\]]")
"""Letters that an answer speaks of, whatever it says of them."""
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
    start = _AT_START.match(answer)
    if start:
        yield start[1], start.end(1)
    reasoned = _REASONED.match(answer)
    if reasoned:
        yield reasoned[1], reasoned.end(1)
    called = _CALLED.match(answer)
    if called:
        yield called[1], called.end(1)
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
    its = _ITS.match(answer)
    if its:
        yield its[1], its.end(1)
