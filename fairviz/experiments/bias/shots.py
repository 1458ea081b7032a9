"""Examples before a question, and which items they take out of scoring (Zhang et al. 2025, appendix D).

The paper draws eight at random among the items of the bias type in the language: four ambiguous ones, two whose right
answer is the biased option, two whose right answer is the other one. They stand at the beginning of the prompt.

Where it is silent, this is ours: an example shows context, question, options and the right letter, and no documents;
the eight come in the order ambiguous, stereotyped, ambiguous, counter-stereotyped, and again, which also says what any
other number is made of, so that fewer examples are the first of more; the same ones stand before every question of
their language and category, in every setting and for every model; and no item that is an example of any prompt is
scored in any setting, also not without examples, so that all settings are compared on the same items.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256

import numpy as np

from fairviz.errors import UndefinedError
from fairviz.experiments.bias.material import BiasQuestion, Case
from fairviz.experiments.protocols import Example, Prompt
from fairviz.io.closed_answers import LETTERS

CASES: tuple[Case, ...] = ("ambiguous", "stereotyped", "ambiguous", "counter-stereotyped")
"""What four examples are."""


def drawn_examples(questions: Sequence[BiasQuestion], n: int, *, seed: int) -> dict[tuple[str, str], tuple[int, ...]]:
    """Places of the items that are examples of each language and category, in the order of the prompt.

    Every language and category has its own source of chance, so that a further file changes no examples.

    Args:
        questions: All items.
        n: Examples before a question.
        seed: The one source of chance.

    Raises:
        UndefinedError: A category has too few items of a case.
    """
    places: dict[tuple[str, str], dict[Case, list[int]]] = {}
    for place, question in enumerate(questions):
        of_case = places.setdefault((question.language, question.category), {})
        of_case.setdefault(question.case, []).append(place)
    drawn: dict[tuple[str, str], tuple[int, ...]] = {}
    for (language, category), of_case in places.items():
        digest = sha256(f"{language}\t{category}".encode()).digest()
        rng = np.random.default_rng([seed, int.from_bytes(digest[:8], "big")])
        cases: list[Case] = [CASES[place % len(CASES)] for place in range(n)]
        wanted: Counter[Case] = Counter(cases)
        for case, needed in wanted.items():
            there = len(of_case.get(case, ()))
            if needed > there:
                reason = f"{n} examples need {needed} {case} items of {category} in {language}, which has {there}"
                raise UndefinedError(f"{reason}; lower shots, or give more items")
        chosen = {case: iter(_some(of_case[case], needed, rng)) for case, needed in wanted.items()}
        drawn[language, category] = tuple(next(chosen[case]) for case in cases)
    return drawn


def examples_of(
    questions: Sequence[BiasQuestion], drawn: Mapping[tuple[str, str], Sequence[int]], n: int
) -> dict[tuple[str, str], tuple[Example, ...]]:
    """The first n drawn examples of each language and category, with their right letters."""
    return {key: tuple(_example(questions[place]) for place in places[:n]) for key, places in drawn.items()}


def _example(item: BiasQuestion) -> Example:
    prompt = Prompt(item.question, (), item.context, item.options, language=item.language)
    return Example(prompt, LETTERS[item.gold])


def _some(places: Sequence[int], n: int, rng: np.random.Generator) -> list[int]:
    """At most n of some places, in random order."""
    order: list[int] = rng.permutation(len(places))[:n].tolist()
    return [places[i] for i in order]
