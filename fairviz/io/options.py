"""How a file is read where its content does not say; who asks for that needs no reader yet."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

Role: TypeAlias = Literal[
    "run",
    "qrels",
    "groups",
    "target",
    "rag",
    "references",
    "corpus",
    "queries",
    "weights",
    "popularity",
    "bias-items",
    "bias-predictions",
    "variants",
    "systems",
    "manifest",
]

FROM_SUBTOPICS = "subtopics of judgements"
"""Format of group labels that a file of judgements brought besides the judgements."""


class Options(NamedTuple):
    """How to read a file where its content does not say.

    Attributes:
        role: What the file holds; None: found out by its content.
        generator: Generator whose utility gain a file of qrels records; None for people's.
        multi_sample: Whether column 2 of a run names samples; None: found out.
        subtopics: Whether column 2 of qrels names subtopics; None: found out.
        groups: Whether subtopics of qrels are groups, too.
        labels: What two unweighted labels of an item mean, "one" refuses them.
        ties: What orders tied scores of a run.
        ranges: Which Parquet runs stay in their file, to be measured range by range; whoever reads rows of all queries
            has none.
    """

    role: Role | None = None
    generator: str | None = None
    multi_sample: bool | None = None
    subtopics: bool | None = None
    labels: Literal["one", "split"] = "one"
    groups: bool = False
    ties: Literal["id", "rank"] = "id"
    ranges: Literal["none", "large", "all"] = "none"

    def of(self, role: Role) -> dict[str, Any]:
        """Options that the reader of a role takes, by name.

        Examples:
            >>> Options(labels="split").of("groups")
            {'labels': 'split'}
        """
        return {name: getattr(self, name) for name in _OF_ROLE.get(role, ())}


_OF_ROLE: Mapping[Role, tuple[str, ...]] = {
    "run": ("multi_sample", "ties"),
    "qrels": ("subtopics", "generator"),
    "groups": ("labels",),
}


def options_said(options: Options) -> dict[str, Any]:
    """Options as JSON: those that are not as usual.

    Examples:
        >>> options_said(Options(role="qrels", generator="GPT-4"))
        {'role': 'qrels', 'generator': 'GPT-4'}
    """
    return {name: value for name, value in options._asdict().items() if value != Options._field_defaults[name]}


def options_from(record: object) -> Options:
    """The options of :func:`options_said`.

    Raises:
        ValueError: It names no option, or a value that the option cannot have.

    Examples:
        >>> options_from({"labels": "split"}).labels
        'split'
    """
    from pydantic import TypeAdapter  # only where somebody asked for something

    if not isinstance(record, dict):
        raise ValueError("expected an object")
    return TypeAdapter(Options).validate_python(record, strict=True)
