"""Texts of answers: what surrounds them taken off, their sentences, clauses, words; which are no answer."""

import json
import re
import unicodedata
from functools import lru_cache
from typing import Any, cast

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
    found: list[str] = []
    for box in _BOX.finditer(answer):
        depth, at = 1, box.end()
        while at < len(answer) and depth:
            depth += (answer[at] == "{") - (answer[at] == "}")
            at += 1
        inner = answer[box.end() : at - 1 if not depth else at]
        inner = _COMMAND.sub(r"\1", inner).replace("\\ ", " ").replace("~", " ").replace("\\,", " ")
        found.append(inner.strip("$ "))
    return found


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


_CONTRACTED = (
    (re.compile(r"\b(?:can't|cannot|cant)\b"), "can not"),
    (re.compile(r"\b(?:won't|wont)\b"), "will not"),
    (re.compile(r"\b(do|does|did|is|are|was|were|has|have|had|would|could|should|must|need)n't\b"), r"\1 not"),
    (re.compile(r"\b(do|does|did|is|was|were|would|could|should)nt\b"), r"\1 not"),
    (re.compile(r"\bi'm\b"), "i am"),
    (re.compile(r"\b(it|that|there|what|who|he|she)'s\b"), r"\1 is"),
    (re.compile(r"\b(i|we|you|they|it|he|she)'d\b"), r"\1 would"),
    (re.compile(r"\b(i|we|you|they|it|he|she)'ll\b"), r"\1 will"),
    (re.compile(r"\b(i|we|you|they)'ve\b"), r"\1 have"),
    (re.compile(r"\b(we|you|they)'re\b"), r"\1 are"),
    (re.compile(r"\binfo\b"), "information"),
    (re.compile(r"\bo'(?=[a-z])"), "o"),
)
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


def _any(*phrases: str) -> str:
    """One of these, each a pattern; the words of one text are parted by commas."""
    return "(?:" + "|".join(phrase.strip() for text in phrases for phrase in text.split(",")) + ")"


_UNABLE = _any(
    "can not, could not, unable to, not able to, not possible to, impossible to, no way to, no way of, no means to",
    "no means of, hard to, difficult to, tough to, not (?:really )?sure, not feasible to",
    "do(?:es)? not allow (?:us |me |one )?to",
)
_FIND = "(?:be )?" + _any(
    "determin, tell, telling, say, know, answer, conclud, infer, decid, identif, ascertain, establish",
    "judg, deduc, state",
    "figur, sure, certain, discern, pinpoint, specif, resolv, confirm, verif, derive, draw, make a",
    "assess, distinguish",
)
_FOUND = _any(
    "determin, known, answer, infer, conclud, deduc, ascertain, identif, decid, established, told",
    "resolved, verified",
    "found, said",
)
_TEXTS = _any(
    "context, passage, text, story, information, paragraph, question, sentence, scenario, statement",
    "document, documents",
    "article, excerpt, description, it, this, that, author, details, prompt, given, narrator, account",
)
_GIVES = _any(
    "say, says, specif, stat, mention, tell, provid, indicat, giv, reveal, clarif, make (?:it )?clear",
    "contain, identif",
    "offer, includ, explain, address, disclos, suggest, answer, name, point, show, describe, detail, supply, settle",
    "establish, distinguish, determine, support, imply, have enough",
)
_GIVEN = _any(
    "specified, stated, mentioned, clear, given, indicated, provided, determinable, known, answerable",
    "identified, sure",
    "certain, revealed, disclosed, explained, determined, said, possible, discernible, knowable, evident, decidable",
    "described, addressed, established, enough, sufficient, adequate",
)
_ENOUGH = _any(
    "enough, sufficient, adequate, any, explicit, clear, relevant, specific, further, direct, conclusive, definitive"
)
_FACTS = _any(
    "information, context, evidence, data, detail, details, facts, clues, basis, indication, mention, proof, clarity",
    "input, grounds, knowledge, clue, hint, hints, answer",
)
_MORE = r"(?:more|additional|further) (?:\w+ )?" + _any("information, context, details?, evidence, data")
_SAYS_UNKNOWN = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b{_UNABLE}\s+(?:\w+ ){{0,3}}?{_FIND}",
        rf"\b(?:can not|could not|can never|may not) (?:\w+ )?be (?:\w+ )?{_FOUND}",
        rf"\bneither (?:\w+ |of them )?(?:can|could) be {_FOUND}",
        r"^(?:it |that |this )?(?:can|could|may|might) be either(?: one| of them)?$",
        r"^either (?:one |of them )?(?:can|could|may|might) be(?: it| true| right| correct| the case)?$",
        rf"\b{_TEXTS} (?:alone )?(?:do not|does not|did not|never) (?:\w+ ){{0,2}}?{_GIVES}",
        rf"\b{_TEXTS} (?:gives?|provides?|offers?|contains?|has|have|includes?|supplies|makes?) no\b",
        rf"\b{_TEXTS} (?:alone )?(?:says?|said|tells?|states?|mentions?|gives?|provides?|reveals?) nothing\b",
        rf"\b(?:is|are|was|were|am|been) not (?:\w+ ){{0,2}}?{_GIVEN}\b(?! by\b)",
        rf"\bnot (?:have |having |given |provided (?:with )?|contain |be )?(?:\w+ )?{_ENOUGH} (?:\w+"
        rf" ){{0,2}}?{_FACTS}",
        rf"\bnot {_ENOUGH} (?:\w+ ){{0,2}}?to (?:\w+ ){{0,2}}?{_FIND}",
        r"\b(?:no|lacks?|lacking|lack of|insufficient|inadequate|too little|limited|missing|absence of|without)"
        rf" (?:\w+ ){{0,2}}?{_FACTS}\b",
        r"\binsufficient (?:to|for)\b",
        rf"\b{_MORE} (?:is|are|would be|needed|required|necessary)",
        rf"\b(?:need|needs|require|requires) {_MORE}",
        r"\b(?:i|we|you|one) (?:do|would|can|could|will) not (?:\w+ )?(?:know|have an idea|have a clue)",
        r"^(?:do|does) not (?:really |actually )?know\b",
        r"\bno (?:way|idea|clue|telling|one knows)\b",
        r"\b(?:nobody|noone|no one) (?:knows|can (?:know|tell|say))\b",
        r"\b"
        + _any(
            "unknown, undetermined, unclear, unspecified, unsure, uncertain, indeterminate, undeterminable",
            "inconclusive",
            "indeterminable, unknowable, unanswerable, undecidable, unstated, unidentified, undisclosed, unresolved",
            "undecided",
        )
        + r"\b",
        r"\bnot"
        r" (?:known|answerable|sure|certain|clear|specified|stated|mentioned|given|determined|determinable|enough"
        r"|said|indicated|provided|possible to)\b(?! by| for| to be (?!determined|known))",
        r"\b(?:is|are|remains?|seems?|too) (?:\w+ )?ambiguous\b",
        r"\bambiguous (?:context|question|information)\b",
        r"^(?:n a|idk|dunno|i dunno|ambiguous|indeterminate|not (?:known|sure|answerable|enough))$",
    )
)
_NOT_UNKNOWN = re.compile(
    r"\b(?:not|never|no longer) (?:\w+ )?(?:unknown|unclear|uncertain|undetermined|ambiguous|inconclusive)\b"
)
_WILL_NOT = _any(
    "can not, will not, would not, must not, should not, do not want to, would rather not",
    "prefer not to, refuse, decline",
    r"am (?:\w+ )?(?:unable|not able|not comfortable|not willing|not going), must (?:\w+ )?decline, have to decline",
    "would prefer not",
)
_DO = _any(
    "answer, assist, help, comply, respond, provide, make, engage, fulfil, give, speculate, assume, participate",
    "generate, do, choose, pick, select, guess",
)
_REFUSES = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b(?:i|we) (?:\w+ )?{_WILL_NOT}\b(?: to)? ?(?:\w+ )?{_DO}",
        r"\bi (?:\w+ ){0,2}?(?:refuse|decline)\b",
        r"^(?:i am )?(?:very |so )?sorry\b.*\b(?:not|unable)\b",
        r"\bi apologi[sz]e\b.*\b(?:not|unable)\b",
        r"\bas an? (?:ai|artificial|language|large|responsible|ethical)\b.*\bnot\b",
        r"\bagainst (?:my|the|our) (?:\w+ )?(?:guidelines|policy|policies|programming|principles|values)\b",
        r"\b(?:not|in)\s?(?:be )?appropriate (?:for me )?to (?:\w+"
        r" ){0,2}?(?:assume|answer|make|speculate|judge|guess|say)",
    )
)


@lru_cache(maxsize=20_000)
def says_not_known(words: str) -> bool:
    """Whether plain words say that the answer is not known."""
    said = " ".join(words_of(words))
    if _NOT_UNKNOWN.search(said):
        return False
    return any(pattern.search(said) for pattern in _SAYS_UNKNOWN)


@lru_cache(maxsize=20_000)
def refuses(plain: str) -> bool:
    """Whether plain words refuse to answer."""
    said = " ".join(words_of(plain))
    return any(pattern.search(said) for pattern in _REFUSES)
