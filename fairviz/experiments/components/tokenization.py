"""Words and sentences, cut the same way by every lexical component."""

import re

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
_WORD = re.compile(rf"(?P<cjk>[{_CJK}]+)|[^\W_{_CJK}]+")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])\s*")
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

    Chinese, Japanese and Korean are cut into overlapping pairs of characters, as Lucene's CJKAnalyzer does: they are
    written without blanks, or with endings that blanks do not part.

    Examples:
        >>> words("How does a heat pump work in the cold?")
        ['heat', 'pump', 'work', 'cold']
        >>> words("谁迟到了？ BBQの質問"), words("我")
        (['谁迟', '迟到', '到了', 'bbq', 'の質', '質問'], ['我'])
    """
    found: list[str] = []
    for match in _WORD.finditer(text.lower()):
        run = match[0]
        if match["cjk"] and len(run) > 1:
            found += [run[i : i + 2] for i in range(len(run) - 1)]
        elif run not in STOP_WORDS:
            found.append(run)
    return found


def sentences(text: str) -> list[str]:
    """Sentences, cut after a full stop, question or exclamation mark that white space follows; 。！？ need none.

    Examples:
        >>> sentences("Sit down. Lean forward!  Why?"), sentences("坐下。为什么？")
        (['Sit down.', 'Lean forward!', 'Why?'], ['坐下。', '为什么？'])
    """
    return [sentence for sentence in _SENTENCE_END.split(text.strip()) if sentence]
