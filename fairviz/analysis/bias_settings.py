"""Settings of retrieval: which one is without it, and in which order people read them."""

from collections.abc import Iterable

WITHOUT_RAG = "w/o RAG"
"""The name of the setting without retrieval (Zhang et al. 2025)."""

_WITHOUT = {
    "w/o rag",
    "wo rag",
    "without rag",
    "no rag",
    "norag",
    "w/o retrieval",
    "without retrieval",
    "no retrieval",
    "closed book",
    "w/o",
    "none",
    "baseline",
}
_ORDER = ("full", "stereo", "anti")


def is_without_rag(setting: str) -> bool:
    """Whether a setting's name says that nothing was retrieved.

    Examples:
        >>> is_without_rag("no_RAG"), is_without_rag("stereo-set")
        (True, False)
    """
    return setting.strip().casefold().replace("_", " ").replace("-", " ") in _WITHOUT


def reference_setting(values: Iterable[str]) -> str | None:
    """The setting without retrieval, None where there is none (or several)."""
    found = [value for value in values if is_without_rag(value)]
    return found[0] if len(found) == 1 else None


def ordered_settings(values: Iterable[str]) -> tuple[str, ...]:
    """Settings as the paper walks: without retrieval, full, stereotypical, anti, then others.

    Examples:
        >>> ordered_settings(["anti-set", "stereo-set", "w/o RAG", "mine"])
        ('w/o RAG', 'stereo-set', 'anti-set', 'mine')
    """
    return tuple(sorted(dict.fromkeys(values), key=_place))


def _place(setting: str) -> int:
    if is_without_rag(setting):
        return 0
    name = setting.casefold()
    return next((i for i, part in enumerate(_ORDER, 1) if name.startswith(part)), len(_ORDER) + 1)
