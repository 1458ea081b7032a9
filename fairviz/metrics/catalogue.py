"""Every measure by its name, and measure strings: ``NAME(param=literal, …)@cutoff``, the grammar of ir-measures.

``content/methods/measures.yaml`` declares fairviz's measures, family by family. Strings are parsed with Python's own
``ast``, literals only: a name in the catalogue is fairviz's; any other is looked up among ir-measures' names, which has
the effectiveness measures (nDCG, AP, …): they are not repeated here (``metrics.standard``).
"""

import ast
import difflib
import re
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache

from fairviz.errors import UsageError
from fairviz.extras import load_entry_points
from fairviz.metrics.consumption import OUTPUT_MEASURES
from fairviz.metrics.describe import Measure
from fairviz.metrics.exposure_measures import EXPOSURE_MEASURES
from fairviz.metrics.group_measures import GROUP_MEASURES
from fairviz.metrics.own import OwnMeasure
from fairviz.metrics.popularity import POPULARITY_MEASURES
from fairviz.metrics.standard import StandardMeasure, add_defined, check_standard, registry
from fairviz.model import MeasureSpec
from fairviz.remembered import forget

CATALOGUE: dict[str, Measure] = {
    measure.name: measure for measure in (*EXPOSURE_MEASURES, *GROUP_MEASURES, *POPULARITY_MEASURES, *OUTPUT_MEASURES)
}
"""All measures by the name typed in measure strings, in the order people read them."""


def add_measure(measure: OwnMeasure) -> None:
    """Put a measure of somebody's own beside the others; one of its name takes the place of an earlier own one.

    Raises:
        UsageError: A measure of fairviz or ir-measures has the name.
    """
    before = CATALOGUE.get(measure.name)
    if measure.name in registry() or (before is not None and not isinstance(before, OwnMeasure)):
        raise UsageError(f"{measure.name} is the name of another measure: choose one of your own")
    CATALOGUE[measure.name] = measure
    _by_case.cache_clear()
    forget()


def add_defined_measure(measure: StandardMeasure) -> None:
    """Put a measure that ``ir_measures.define`` made beside the others, see :func:`add_defined`.

    Raises:
        UsageError: Its name cannot be typed or is that of another measure, or it reads what is not kept.
    """
    if measure.NAME in CATALOGUE:
        raise UsageError(f"{measure.NAME} is the name of another measure: choose one of your own")
    add_defined(measure)
    _by_case.cache_clear()


def reads_groups(spec: MeasureSpec) -> bool:
    """Whether a measure needs groups of documents; those of ir-measures do not."""
    measure = CATALOGUE.get(spec.name)
    return measure is not None and "groups" in measure.needed(spec.params)


def is_judged(spec: MeasureSpec) -> bool:
    """Whether a measure reads judgements where there are any; those of ir-measures all do."""
    measure = CATALOGUE.get(spec.name)
    return measure is None or measure.is_judged(spec.params)


# Measure strings.


MAX_LENGTH = 500
"""Characters of one measure string: more is a mistake, and could exhaust Python's parser."""

_QUOTES = "'\""


def parse_measure(text: str) -> MeasureSpec:
    """Parse and check one measure string.

    Args:
        text: Such as ``EED(norm='none')@5`` or ``nDCG@10``.

    Returns:
        The measure with its parameters as typed, checked against what it accepts.

    Raises:
        UsageError: Naming what is wrong and what is accepted.

    Examples:
        >>> spec = parse_measure("EED(browsing='rbp', p=0.9)")
        >>> spec.name, spec.params, spec.cutoff
        ('EED', {'browsing': 'rbp', 'p': 0.9}, None)
    """
    typed = canonical(text.strip())
    name, params, cutoff = _split_parts(typed)
    return replace(checked_measure(name, params, cutoff), text=typed)


TREC_EVAL = {
    "map": "AP",
    "recip_rank": "RR",
    "set_P": "SetP",
    "set_recall": "SetR",
    "set_map": "SetAP",
    "ndcg_cut": "nDCG",
    "map_cut": "AP",
    "P": "P",
    "recall": "R",
    "success": "Success",
}
"""Names of trec_eval, and what ir-measures calls them; a cutoff stands behind an underscore there."""
_CUT = re.compile(r"(?P<name>[A-Za-z_]+?)(_(?P<cutoff>[1-9][0-9]*))?")
_NAME = re.compile(r"[^\W\d]\w*")


def canonical(text: str) -> str:
    """A measure string with the measure's own name: those of trec_eval and other upper and lower case are understood.

    Examples:
        >>> canonical("ndcg_cut_10"), canonical("map"), canonical("eed(rel=2)@5"), canonical("nDCG@10")
        ('nDCG@10', 'AP', 'EED(rel=2)@5', 'nDCG@10')
    """
    cut = _CUT.fullmatch(text)
    if cut is not None and cut["name"] in TREC_EVAL:
        return TREC_EVAL[cut["name"]] + (f"@{cut['cutoff']}" if cut["cutoff"] else "")
    name = _NAME.match(text)
    if name is None or name[0] in CATALOGUE or name[0] in registry():
        return text
    return _by_case().get(name[0].casefold(), name[0]) + text[name.end() :]


@cache
def _by_case() -> dict[str, str]:
    """Every name by its letters, whatever their case; aliases come after what they stand for."""
    spellings: dict[str, str] = {}
    for accepted in [*CATALOGUE, *filter(str.isascii, registry())]:
        spellings.setdefault(accepted.casefold(), accepted)
    return spellings


def checked_measure(name: str, params: Mapping[str, object], cutoff: object) -> MeasureSpec:
    """A measure from its parts, checked like a typed one.

    Raises:
        UsageError: For an unknown name (with the nearest ones), parameter, type or cutoff.
    """
    measure = CATALOGUE.get(name)
    if measure is not None:
        typed, depth = measure.check(params, cutoff)
        return MeasureSpec(name, typed, depth)
    if name in registry():
        return check_standard(name, params, cutoff)
    if load_entry_points("measures"):
        return checked_measure(name, params, cutoff)
    raise unknown_measure(name)


def parse_measures(texts: Iterable[str]) -> list[MeasureSpec]:
    """Parse lists of measure strings, each separated by commas or spaces; one that stands there twice is meant once.

    Raises:
        UsageError: If one is not understood, or there is none.

    Examples:
        >>> [spec.text for spec in parse_measures(["nDCG@10, EED(p=0.5, browsing='rbp')", "AP"])]
        ['nDCG@10', "EED(p=0.5, browsing='rbp')", 'AP']
    """
    parts = dict.fromkeys(canonical(part) for text in texts for part in split_measures(text))
    if not parts:
        raise UsageError("no measure given; write for example -m nDCG@10")
    return [parse_measure(part) for part in parts]


def split_measures(text: str) -> list[str]:
    """Cut a list at commas and white space outside parentheses, braces and quotes.

    Examples:
        >>> split_measures("EED(norm='a,b', rel=1)@5 AP,")
        ["EED(norm='a,b', rel=1)@5", 'AP']
    """
    parts, current, depth, quote = [""], "", 0, ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in _QUOTES:
            quote = character
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif depth == 0 and (character == "," or character.isspace()):
            parts.append(current)
            current = ""
            continue
        current += character
    return [part for part in [*parts, current] if part]


def _split_parts(text: str) -> tuple[str, dict[str, object], object]:
    """Name, parameters and what follows @."""
    node = _expression(text)
    cutoff: object = None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        cutoff = _literal(node.right, text)
        node = node.left
    params: dict[str, object] = {}
    if isinstance(node, ast.Call):
        if node.args:
            raise UsageError(f"{_shown(text)}: parameters are named, as in EED(norm='none')@5")
        for keyword in node.keywords:
            if keyword.arg is None:
                raise UsageError(f"{_shown(text)}: parameters are written name=value")
            if keyword.arg in params:
                raise UsageError(f"{_shown(text)}: parameter {keyword.arg!r} is given twice")
            params[keyword.arg] = _literal(keyword.value, text)
        node = node.func
    if not isinstance(node, ast.Name):
        raise _not_understood(text)
    return node.id, params, cutoff


def _expression(text: str) -> ast.expr:
    if len(text) > MAX_LENGTH:
        raise UsageError(f"a measure string has at most {MAX_LENGTH} characters")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # odd escapes in a string are told of by its check
            return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _not_understood(text) from None


def _literal(node: ast.expr, text: str) -> object:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError, MemoryError, SyntaxError):
        raise UsageError(f"{_shown(text)}: values are plain numbers, 'strings', True or False") from None


def _not_understood(text: str) -> UsageError:
    return UsageError(f"{_shown(text)} is not a measure; write NAME(param=value, …)@k")


def _shown(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:79] + "…")


def unknown_measure(name: str) -> UsageError:
    """The refusal of a name, with the nearest ones whatever their case."""
    spellings = _by_case()
    near = difflib.get_close_matches(name.casefold(), spellings, n=4, cutoff=0.5)
    if not near:
        return UsageError(f"unknown measure {_shown(name)}; the command 'measures' lists them")
    names = ", ".join(spellings[match] for match in near)
    return UsageError(f"unknown measure {_shown(name)}; did you mean {names}?")
