r"""Texts of answers: what surrounds them taken off, their sentences, clauses, words; which are no answer; letters.

Answers to closed questions are read as one of the options or not at all. A letter is read only where the answer names
exactly one, plainly: "B", "(b)", "B.", "B) text", "B\n…", "**B**", "Option B", "The answer is B", "Answer: B", "Option
B is correct", "The best option is B", "I choose B". An answer that names two ("A or B", "A, B", "A. … so the answer is
C"), denies one ("B is wrong", "If the answer is B") or names none ("I am not sure", "A fracture") stays unread; it is
never counted for the first option.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, cast

from fairviz.resources import content

# What surrounds an answer.


_THINKING = re.compile(
    r"<(think|thinking|thought|reasoning|reflection|scratchpad)\b[^>]*>.*?</\1\s*>|◁think▷.*?◁/think▷",
    re.DOTALL | re.IGNORECASE,
)
_ENDS_THINKING = re.compile(r"</(?:think|thinking|thought|reasoning|reflection|scratchpad)\s*>|◁/think▷", re.IGNORECASE)
_BEGINS_THINKING = re.compile(r"<(?:think|thinking|thought|reasoning|reflection|scratchpad)\b[^>]*>|◁think▷", re.I)
_CHANNEL = re.compile(r"<\|channel\|>final<\|message\|>")
_SPECIAL = re.compile(r"<\|[a-z_]+\|>|</?s>|\[/?INST\]|<(?:bos|eos|pad|end_of_turn)>", re.IGNORECASE)
_TAGGED = re.compile(r"<(answer|final_answer|final)>\s*(.*?)\s*(?:</\1>|$)", re.DOTALL | re.IGNORECASE)
_BOX = re.compile(r"\\(?:boxed|fbox)\s*\{")
_COMMAND = re.compile(r"\\(?:text|textbf|textit|mathrm|mathbf|mathsf|emph|operatorname)\s*\{([^{}]*)\}")
_DOUBLED = re.compile(r"(?:\[\[|<<)\s*([A-Ja-j])\s*(?:\]\]|>>)")
_FENCE = re.compile(r"^```\w*\s*\n?(.*?)\n?```$", re.DOTALL)
_KEYS = ("answer", "final_answer", "answer_choice", "choice", "option", "prediction", "selected", "label")


@lru_cache(maxsize=20_000)
def unwrapped(text: str) -> str:
    r"""An answer without thinking, tags and marks of chat templates.

    Examples:
        >>> unwrapped("<think>A or B?</think>\n\nB"), unwrapped("<think>A or B? I"), unwrapped("so</think> C")
        ('B', '', 'C')
    """
    answer = unicodedata.normalize("NFKC", text)
    final = list(_CHANNEL.finditer(answer))
    if final:
        answer = answer[final[-1].end() :]
    answer = _THINKING.sub(" ", answer)
    closed = list(_ENDS_THINKING.finditer(answer))
    if closed:  # the opening tag stood in the prompt
        answer = answer[closed[-1].end() :]
    begun = _BEGINS_THINKING.search(answer)
    if begun:
        answer = answer[: begun.start()]
    answer = _SPECIAL.sub(" ", answer)
    tagged = list(_TAGGED.finditer(answer))
    if tagged:
        answer = tagged[-1][2]
    answer = _DOUBLED.sub(r"(\1)", answer)
    fenced = _FENCE.match(answer.strip())
    return (fenced[1] if fenced else answer).strip()


def boxed_in(answer: str) -> list[str]:
    """What stands in boxes, with commands of fonts taken off."""
    contents: list[str] = []
    for box in _BOX.finditer(answer):
        depth, at = 1, box.end()
        while at < len(answer) and depth:
            depth += (answer[at] == "{") - (answer[at] == "}")
            at += 1
        inner = answer[box.end() : at - 1 if not depth else at]
        inner = _COMMAND.sub(r"\1", inner).replace("\\ ", " ").replace("~", " ").replace("\\,", " ")
        contents.append(inner.strip("$ "))
    return contents


def json_answer(answer: str) -> str | None:
    """What a JSON object says under "answer", None where the text is no such object."""
    if not answer.startswith("{") or not answer.endswith("}"):
        return None
    try:
        value: Any = json.loads(answer)
    except (ValueError, RecursionError):
        return None
    record = {str(key).strip().lower(): v for key, v in cast("dict[str, Any]", value).items()}
    named = next((record[key] for key in _KEYS if key in record), None)
    return named if isinstance(named, str) else None


# A text as a name.


MARKS = " \t\r\n\"'`*_#$“”‘’「」『』《》.。．!！,，、;；:："
_LOOSELY = re.compile(r"\s+")
PREAMBLE = re.compile(
    r"^(?:the\s+)?(?:answer|答え|回答|答案|正解|정답|답변|답)\s*(?:is\b|是|は|은|는)?\s*:?\s*", re.IGNORECASE
)
AFTER_LABEL = re.compile(r"^[\s(\[*_]*[A-Ja-j][)\]*_]*(?:[.:、,)\]]|\s+[-–—])[)\]*_]*\s*(?=\S)")
CJK = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]")
WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


@lru_cache(maxsize=100_000)
def loosely(text: str) -> str:
    """A text without case, width, quotes, blanks and final marks."""
    plain = unicodedata.normalize("NFKC", text).casefold().strip(MARKS)
    return _LOOSELY.sub("", plain.replace("’", "'"))


# Sentences, clauses and words in Latin script.


_CONTRACTED = tuple((re.compile(short), written) for short, written in content("answers/phrases")["contractions"])
_TITLE = re.compile(r"\b(dr|mr|mrs|ms|st|prof|jr|sr|e\.g|i\.e|vs)\.", re.IGNORECASE)
SENTENCES = re.compile(r"(?<=[.!?])(?=\s|$)|\n+")
CLAUSES = re.compile(r"[,;:()\[\]{}\"“”=*]|\s[-–—]+\s|[–—]|\.(?=\s|$)|[!?]")


@lru_cache(maxsize=50_000)
def plain_text(text: str) -> str:
    """Lower case, plain apostrophes, no contractions."""
    plain = unicodedata.normalize("NFKC", text).casefold().replace("’", "'").replace("‘", "'").replace("`", "")
    plain = _TITLE.sub(r"\1", plain)
    for pattern, written in _CONTRACTED:
        plain = pattern.sub(written, plain)
    return plain


def words_of(text: str) -> list[str]:
    """The words of plain text; hyphens part them."""
    return WORD.findall(text.replace("-", " "))


# Words that say that an answer is not known, and refusals to answer, in a model's own words. Patterns are over words in
# lower case without contractions (plain_text). They say what is said, not of what: whether an option is asserted beside
# it is for answer_words.


def _pattern(text: str, parts: Mapping[str, str], flags: int = 0) -> re.Pattern[str]:
    """A pattern of the content, with those of its parts in place of their names."""
    while part := re.search(r"<(\w+)>", text):
        text = text.replace(part[0], parts[part[1]])
    return re.compile(text, flags)


_SAYINGS: dict[str, Any] = content("answers/phrases")
_PHRASES = {
    name: "(?:" + "|".join(phrase.strip() for phrase in phrases.split(",")) + ")"
    for name, phrases in _SAYINGS["phrases"].items()
}
_SAYS_UNKNOWN = [_pattern(text, _PHRASES) for text in _SAYINGS["not_known"]]
_NOT_UNKNOWN = re.compile(
    r"\b(?:not|never|no longer) (?:\w+ )?(?:unknown|unclear|uncertain|undetermined|ambiguous|inconclusive)\b"
)
_REFUSES = [_pattern(text, _PHRASES) for text in _SAYINGS["refusals"]]


@lru_cache(maxsize=20_000)
def says_not_known(words: str) -> bool:
    """Whether plain words say that the answer is not known."""
    text = " ".join(words_of(words))
    if _NOT_UNKNOWN.search(text):
        return False
    return any(pattern.search(text) for pattern in _SAYS_UNKNOWN)


@lru_cache(maxsize=20_000)
def refuses(plain: str) -> bool:
    """Whether plain words refuse to answer."""
    text = " ".join(words_of(plain))
    return any(pattern.search(text) for pattern in _REFUSES)


# Letters and words that name one of the options of a closed question.


LETTERS = "ABCDEFGHIJ"
"""Letters that can name an option."""

FAMILIES = (frozenset(("yes", "no", "maybe")), frozenset(("true", "false")))
"""Options in words that belong together."""

WORDS = FAMILIES[0] | FAMILIES[1] | {"unknown", "uncertain"}
"""Options in words that are known as such, however few questions there are."""

_AROUND = " \t\r\n*_`\"'"
_CONTENT: dict[str, Any] = content("answers/closed")
_PLAIN, _AT_START, _SAID, _RIGHT, _CHOSEN, _ITS, _DENIED_BEFORE, _DENIED_AFTER = (
    _pattern(_CONTENT[name], _CONTENT["parts"], re.VERBOSE)
    for name in ("plain", "at_start", "said", "right", "chosen", "its", "denied_before", "denied_after")
)
_TURN, _REASONED, _CALLED, _ENDS, _NAMED, _SECOND, _SAYS_ANSWER, _AFTER_WORD = (
    _pattern(_CONTENT[name], _CONTENT["parts"], re.VERBOSE)
    for name in ("turn", "reasoned", "called", "ends", "named", "second", "says_answer", "after_word")
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
    others = {(mention[1] or mention[2]).upper() for mention in _NAMED.finditer(answer)} - {letter}
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
