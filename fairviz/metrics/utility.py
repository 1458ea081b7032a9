"""String utility of an answer: how well it matches the best of its references.

Every function rewards the closest reference, and is NaN (undefined) where there is none. ROUGE
tokens are those of the ``rouge_score`` library without stemmer: lower-cased runs of a–z and 0–9.
The longest common subsequence is counted in machine words, where the library fills an n·m table in
Python; both give the same number, which a test checks. The library itself is for tests alone: it
brings NLTK and eight other packages for a stemmer that nobody asks for here.
"""

import re
import string
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Literal, TypeAlias

from fairviz.errors import UsageError

StringUtility: TypeAlias = Literal["accuracy", "f1", "rouge1", "rougeL", "mae"]
"""Names of the string utilities, as in ``EU(utility=…)``."""

MAX_TOKENS = 20_000
"""ROUGE-L reads this many tokens of each text and no more, so that one pair costs below 0.1 s."""

_ROUGE_TOKEN = re.compile("[a-z0-9]+")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(a|an|the)\b")


Scale: TypeAlias = tuple[float, float]
"""Smallest and largest number that a correct answer can be (LaMP-3: 1 to 5 stars)."""


def accuracy(prediction: str, references: Sequence[str]) -> float:
    """1 if the answer equals a reference, white space at the ends aside; else 0 (LaMP).

    Examples:
        >>> accuracy(" [1] ", ["[1]", "[2]"])
        1.0
    """
    return _best(lambda reference: float(prediction.strip() == reference.strip()), references)


def token_f1(prediction: str, references: Sequence[str]) -> float:
    """F1 of shared words, as SQuAD counts them (Rajpurkar et al. 2016).

    Lower case, without punctuation and the articles a, an, the; F1 = 2PR/(P+R) of the words in
    common. Two texts without words are alike (1).

    Examples:
        >>> token_f1("The cat sat.", ["a cat"])
        0.6666666666666666
    """
    return _best_f1(prediction, references, _squad_words, empty=1.0)


def rouge_1(prediction: str, references: Sequence[str]) -> float:
    """ROUGE-1 F1: unigrams in common (Lin 2004); tokens as ``rouge_score`` without stemmer.

    Examples:
        >>> rouge_1("one two three", ["three two one"])
        1.0
    """
    return _best_f1(prediction, references, _rouge_tokens)


def rouge_l(prediction: str, references: Sequence[str]) -> float:
    """ROUGE-L F1: longest common subsequence of tokens (Lin 2004).

    Texts longer than :data:`MAX_TOKENS` are compared up to that length.

    Args:
        prediction: The answer.
        references: Texts that would be right; the closest counts.

    Returns:
        A value in [0, 1]; 1 = same tokens in the same order; NaN without references.

    Examples:
        >>> rouge_l("the cat sat", ["the cat ran"])
        0.6666666666666666
    """
    return _best_f1(prediction, references, lambda text: _rouge_tokens(text)[:MAX_TOKENS], longest_common_subsequence)


def absolute_error(prediction: str, reference: str, *, scale: Scale) -> float:
    """|answer − reference|; an answer that is no number errs as far as the scale allows.

    Raises:
        ValueError: If the reference is no number.

    Examples:
        >>> absolute_error("3", "5", scale=(1, 5)), absolute_error("?", "3", scale=(1, 5))
        (2.0, 2.0)
    """
    expected, answered = float(reference), number(prediction)
    return max(abs(expected - end) for end in scale) if answered is None else abs(answered - expected)


def error_closeness(prediction: str, references: Sequence[str], *, scale: Scale) -> float:
    """Max − error, the form in which MAE enters a utility: higher is better.

    max = high − low, the widest error on the scale; errors beyond it count as max, so that the
    value lies in [0, max].

    Raises:
        ValueError: If a reference is no number.
    """
    widest = scale[1] - scale[0]

    def score(reference: str) -> float:
        return max(0.0, widest - absolute_error(prediction, reference, scale=scale))

    return _best(score, references)


def string_utility(
    utility: StringUtility, references: Mapping[str, Sequence[str]]
) -> Callable[[str, Sequence[str]], float]:
    """The utility of a name, as a function of an answer and its references.

    Args:
        utility: Its name; "mae" is max − error on the scale of all references.
        references: Right answers by query id.

    Raises:
        UsageError: A reference for "mae" is no number.

    Examples:
        >>> string_utility("mae", {"q1": ["1"], "q2": ["5"]})("4", ["5"])
        3.0
    """
    return OF_TEXTS.get(utility) or partial(error_closeness, scale=reference_scale(references))


OF_TEXTS: Mapping[StringUtility, Callable[[str, Sequence[str]], float]] = {
    "accuracy": accuracy,
    "f1": token_f1,
    "rouge1": rouge_1,
    "rougeL": rouge_l,
}
"""Utilities that an answer and its own references alone decide."""


def reference_scale(references: Mapping[str, Sequence[str]]) -> Scale:
    """Smallest and largest of all reference numbers: the scale on which MAE is taken.

    Raises:
        UsageError: If a reference is no number.
    """
    numbers: list[float] = []
    for query, answers in references.items():
        for answer in answers:
            value = number(answer)
            if value is None:
                shown = answer if len(answer) <= 40 else answer[:40] + "…"
                raise UsageError(f"utility='mae' needs numbers as references; query {query} has {shown!r}")
            numbers.append(value)
    if not numbers:
        raise UsageError("utility='mae' needs at least one reference number")
    return min(numbers), max(numbers)


def number(text: str) -> float | None:
    """The finite number that a text is, or None."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if abs(value) < float("inf") else None


def longest_common_subsequence(a: Sequence[str], b: Sequence[str]) -> int:
    """Length of the longest common subsequence, a machine word of cells at a time.

    Bit-parallel dynamic programming (Crochemore et al. 2001): the column of the table is one
    integer whose zeros mark where the length grows; n·m/64 word operations.

    Examples:
        >>> longest_common_subsequence("one two three four".split(), "two four one".split())
        2
    """
    column_of, rows = sorted((a, b), key=len)
    places: dict[str, int] = {}
    for bit, word in enumerate(column_of):
        places[word] = places.get(word, 0) | 1 << bit
    mask = (1 << len(column_of)) - 1
    column = mask
    for word in rows:
        match = column & places.get(word, 0)
        if match:
            column = (column + match | column - match) & mask
    return len(column_of) - column.bit_count()


def _best(score: Callable[[str], float], references: Sequence[str]) -> float:
    return max(map(score, references), default=float("nan"))


def _shared(a: list[str], b: list[str]) -> int:
    return (Counter(a) & Counter(b)).total()


def _best_f1(
    prediction: str,
    references: Sequence[str],
    tokens: Callable[[str], list[str]],
    shared: Callable[[list[str], list[str]], int] = _shared,
    *,
    empty: float = 0.0,
) -> float:
    """F1 = 2PR/(P+R) of the tokens in common with the closest reference; ``empty`` of two texts without tokens."""
    words = tokens(prediction)

    def score(reference: str) -> float:
        expected = tokens(reference)
        return 2 * shared(words, expected) / (len(words) + len(expected)) if words or expected else empty

    return _best(score, references)


def _rouge_tokens(text: str) -> list[str]:
    return _ROUGE_TOKEN.findall(text.lower())


def _squad_words(text: str) -> list[str]:
    return _ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split()
