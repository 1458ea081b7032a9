"""Words and sentences, cut the same way by every lexical component."""

import re
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_FUNCTION_WORDS = """
a about after all an and any are as at be been before but by can could did do does for from had has
have he her him his how i if in into is it its me more my no not of on one or our out over s she
should so some than that the their them then there these they this to too two up us was we were
what when where which who why will with would you your
"""

STOP_WORDS = frozenset(_FUNCTION_WORDS.split())
"""English function words: they say how a question is put, not what it is about."""


def words(text: str) -> list[str]:
    """Runs of letters and digits in lower case, without the function words; no stemming.

    Examples:
        >>> words("How does a heat pump work in the cold?")
        ['heat', 'pump', 'work', 'cold']
    """
    return [word for word in _WORD.findall(text.lower()) if word not in STOP_WORDS]


def sentences(text: str) -> list[str]:
    """Sentences, cut after a full stop, question or exclamation mark that white space follows.

    Examples:
        >>> sentences("Sit down. Lean forward!  Why?")
        ['Sit down.', 'Lean forward!', 'Why?']
    """
    return [sentence for sentence in _SENTENCE_END.split(text.strip()) if sentence]


@lru_cache(maxsize=16_384)
def sentence_words(text: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """Each sentence with its distinct words."""
    return tuple((sentence, frozenset(words(sentence))) for sentence in sentences(text))
