"""Words with which files of bias questions say the same things, in four languages.

Conditions, polarities, languages, options, and options that say "unknown".
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from fairviz.formats.strict_json import Json

_AMBIGUOUS = {"ambig", "ambiguous", "amb"}
_DISAMBIGUATED = {"disambig", "disambiguated", "disambiguous", "dis", "unambiguous"}
_NEGATIVE = {"neg", "negative", "bsd", "biased"}
_NONNEGATIVE = {"nonneg", "nonnegative", "cnt", "counter", "counterbiased"}

LANGUAGES = {
    "English": ("en", "eng", "english"),
    "Japanese": ("ja", "jp", "jpn", "japanese", "日本語"),
    "Chinese": ("zh", "cn", "zho", "chinese", "中文"),
    "Korean": ("ko", "kr", "kor", "korean", "한국어"),
}
_LANGUAGE = {code: name for name, codes in LANGUAGES.items() for code in codes}
_KANA = re.compile(r"[\u3040-\u30ff]")
_HANGUL = re.compile(r"[\uac00-\ud7a3]")
_HAN = re.compile(r"[\u4e00-\u9fff]")

_UNKNOWN = {
    *("unknown", "cannotbedetermined", "can'tbedetermined", "notanswerable", "notknown"),
    *("notenoughinfo", "notenoughinformation", "cannotanswer", "can'tanswer", "undetermined"),
    *("알수없음", "답을알수없음", "알수없다", "알수없습니다", "판단할수없음", "정답없음"),
    *("不知道", "不确定", "没有足够信息", "无法确定", "不能确定", "无法判断", "未知", "不清楚"),
    *("不明确", "信息不足", "无法回答", "无法得知", "不能判断", "答案不确定"),
    *("不明", "未定", "わからない", "分からない", "判断できない", "判別できない", "答えられない"),
    *("特定できない", "決められない", "知らない", "情報不足", "情報が足りない", "情報が不十分"),
}
_OPTION = re.compile(r"(?:ans)?([0-2])(?:\.0+)?")
_LETTER = re.compile(r"[(\[]?\s*([A-Ca-c])\s*[)\].:。]*")
_LOOSE = re.compile(r"[\s_/&\-–]+")


@lru_cache(maxsize=100_000)
def folded(text: str) -> str:
    """A name without case, blanks, hyphens and underscores.

    Examples:
        >>> folded("low SES") == folded("lowSES"), folded("Gender_identity")
        (True, 'genderidentity')
    """
    return _LOOSE.sub("", unicodedata.normalize("NFKC", text)).casefold()


def is_ambiguous(text: str) -> bool | None:
    """Whether a context is ambiguous, as files say it; None for other words."""
    word = folded(text)
    return word in _AMBIGUOUS if word in _AMBIGUOUS | _DISAMBIGUATED else None


def is_nonnegative(text: str) -> bool | None:
    """Whether a question is the non-negative one of its pair, None for other words."""
    word = folded(text)
    return word in _NONNEGATIVE if word in _NEGATIVE | _NONNEGATIVE else None


def language_named(text: str) -> str:
    """The language with that name or code; an unknown name stays as it is written.

    Examples:
        >>> language_named("ja"), language_named("French")
        ('Japanese', 'French')
    """
    return _LANGUAGE.get(text.strip().casefold(), text.strip())


def language_of(text: str) -> str:
    """The language of a text by its script, English for Latin letters.

    Examples:
        >>> [language_of(text) for text in ("誰ですか", "谁？", "누구입니까?", "Who?")]
        ['Japanese', 'Chinese', 'Korean', 'English']
    """
    if text.isascii():
        return "English"
    for name, script in (("Japanese", _KANA), ("Korean", _HANGUL), ("Chinese", _HAN)):
        if script.search(text):
            return name
    return "English"


def says_unknown(option: str, more: Iterable[str] = ()) -> bool:
    """Whether an option says that the answer is not known.

    Args:
        option: Words of the option.
        more: Other folded phrases that say so.

    Examples:
        >>> says_unknown("Can't be determined."), says_unknown("不确定"), says_unknown("The man")
        (True, True, False)
    """
    word = folded(option).rstrip(".。").replace("’", "'")
    return word in _UNKNOWN or word in more


@lru_cache(maxsize=100_000)
def option_named(text: str) -> int | None:
    """The option that "1", "1.0", "ans1" or a lone letter "B", "(b)", "Ｂ" names, else None.

    Examples:
        >>> [option_named(text) for text in ("ans2", "(b)", "Ａ", "1.0", "A man", "3")]
        [2, 1, 0, 1, None, None]
    """
    plain = unicodedata.normalize("NFKC", text).strip()
    found = _OPTION.fullmatch(plain.lower())
    if found:
        return int(found[1])
    letter = _LETTER.fullmatch(plain)
    return "abc".index(letter[1].lower()) if letter else None


def as_text(value: Json) -> str | None:
    """A cell or a JSON value as text: numbers as written, null as "", objects and arrays None."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    return None
