"""Questions that test for social bias, answers to them, and answers to demographic variants of questions."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

import polars as pl

OUT_OF_CHOICE = -1
"""A recorded answer that names none of the three options."""

UNREAD = -2
"""A recorded answer in words, whose option is found once its item is known."""

NO_TARGET = -1
"""The biased answer of an item is undefined: such items are excluded and counted."""


ITEM_SCHEMA = pl.Schema(
    {
        **dict.fromkeys(("category", "language", "id", "template"), pl.String()),
        **dict.fromkeys(("ambiguous", "nonnegative"), pl.Boolean()),
        **dict.fromkeys(("gold", "unknown", "target"), pl.Int8()),
        **dict.fromkeys(("stereotyped", "context", "question"), pl.String()),
        **dict.fromkeys(("options", "groups"), pl.List(pl.String)),
    }
)
"""Columns of questions that test for social bias."""


class InFrame:
    """What stands in a ``frame``, a row each.

    Attributes:
        SCHEMA: Columns of any; others say who answered how.
    """

    __slots__ = ()
    SCHEMA: ClassVar[Collection[str]] = ()

    @property
    def frame(self) -> pl.DataFrame:
        """The rows."""
        raise NotImplementedError

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.frame)

    @property
    def factors(self) -> list[str]:
        """Columns that say who answered how."""
        return [name for name in self.frame.columns if name not in self.SCHEMA]

    def has(self, column: str) -> bool:
        """Whether a column is recorded."""
        return column in self.frame.columns

    def names(self, column: str) -> list[str]:
        """Values of a column, in the order of the file; [] where it is not recorded."""
        kind = self.frame.schema.get(column)
        if isinstance(kind, pl.Enum):
            return kind.categories.to_list()
        return self.frame[column].unique(maintain_order=True).to_list() if kind else []


@dataclass(frozen=True, slots=True, eq=False)
class BiasItems(InFrame):
    """N questions with three options, in the design of BBQ (Parrish et al. 2022).

    Each template (question) is filled with several pairs of groups, asked with an ambiguous context
    (right answer: unknown) and with a disambiguated one (right answer: one of the groups).

    Attributes:
        frame: (N) :data:`ITEM_SCHEMA`:
            ``category``, the bias type, such as "Age"; ``language``, such as "English"; ``id``, unique within both;
            ``template``: its items move together in resamples; unique over categories ("Age 12");
            ``ambiguous``: whether the context leaves the answer open;
            ``nonnegative``: whether the question is the non-negative one of its pair;
            ``gold``: the right option, 0–2;
            ``unknown``: the option that says "unknown";
            ``target``: the biased option, already swapped for non-negative questions; :data:`NO_TARGET` where it is
            undefined;
            ``stereotyped``: the groups that the stereotype is about, joined by " + "; "" if the file does not say;
            ``context``, ``question``, and words of the three ``options``;
            ``groups`` of the options as the file labels them ("nonOld"); null where it does not say.
    """

    frame: pl.DataFrame

    def __post_init__(self) -> None:
        if self.frame.schema != ITEM_SCHEMA:
            raise ValueError(f"items: columns must be {', '.join(ITEM_SCHEMA)}")
        gold, unknown, target = (self.frame[name] for name in ("gold", "unknown", "target"))
        if not gold.is_between(0, 2).all():
            raise ValueError("items: the right option must be 0, 1 or 2")
        if not unknown.is_between(0, 2).all():
            raise ValueError("items: the unknown option must be 0, 1 or 2")
        if not target.is_between(NO_TARGET, 2).all():
            raise ValueError("items: the biased option must be 0, 1, 2 or undefined (-1)")
        if (target == unknown).any():
            raise ValueError("items: the biased option cannot be the unknown one")

    @property
    def say_groups(self) -> bool:
        """Whether the groups of any options are known."""
        return self.frame["groups"].is_not_null().any()


@dataclass(frozen=True, slots=True, eq=False)
class BiasPredictions(InFrame):
    """R recorded answers as a file has them, before they are matched with items.

    Attributes:
        name: What to call the file.
        frame: (R) those of ``model``, ``setting``, ``retriever``, ``k``, ``language``, ``instruction``, ``shots``,
            ``size``, ``tuned`` that are recorded, then
            ``category``, the bias type, where the file has such a column;
            ``example_id``;
            ``asked``: what was asked, as letters and digits of context, question and options, where ids do not say it;
            ``choice``: option 0–2, :data:`OUT_OF_CHOICE`, or :data:`UNREAD`: words only;
            ``words``: the answer as recorded, where the file has more than options.
            All but ``choice`` are enums, whose names are in the order of the file.
    """

    name: str
    frame: pl.DataFrame
    SCHEMA = ("category", "example_id", "asked", "choice", "words")

    def __post_init__(self) -> None:
        names = self.frame.drop("choice")
        if not all(isinstance(kind, pl.Enum) for kind in names.dtypes):
            raise ValueError("answers: all columns but choice must be enums")
        if "words" not in self.frame.columns and (self.frame["choice"] == UNREAD).any():
            raise ValueError("answers: an unread answer needs its words")

    @property
    def of_items(self) -> list[str]:
        """Columns that say which item is answered: ids are numbered within categories."""
        return ["category", "example_id"] if self.has("category") else ["example_id"]


AnswerKind: TypeAlias = Literal["closed", "open"]
"""One of a few options, or free text that is compared with a reference."""


_OF_VARIANTS = {
    **dict.fromkeys(("question", "condition", "right", "choice"), pl.Enum),
    **dict.fromkeys(("attributes", "values", "retrieved", "offered"), pl.List),
    **dict.fromkeys(("gold", "words"), pl.String),
    **dict.fromkeys(("answerable", "evidence"), pl.Boolean),
}
"""Columns of answers to variants beside those that say who answered how, which are enums."""


@dataclass(frozen=True, slots=True, eq=False)
class VariantAnswers(InFrame):
    """R answers to variants of questions, in the design of Ji et al. (2025).

    A variant mentions a value of some attributes ("race": "Asian"), of several at once (an intersectional variant:
    "race+gender": "Asian+female"), or of none: a condition of reference such as "neutral" or "original".

    Attributes:
        name: What to call the file.
        kind: "closed" (options) or "open" (free text).
        frame: (R) those of ``model``, ``dataset``, ``strategy``, ``retriever``, ``k`` that are recorded, then
            ``question``, an id that one data set has;
            ``attributes`` that are mentioned, in the order in which the file first names them, and their ``values``;
            ``condition`` of reference, "neutral" first where it exists; null where attributes are mentioned;
            ``gold``, ``words``: the right answer, and the answer, as recorded ("" if none);
            ``right``, ``choice``: the same as options of closed questions; null if not recorded, or not readable;
            ``answerable``, ``evidence``: whether the question is, and whether the evidence given was right; null where
            nothing says it;
            ``retrieved``: ids of the documents retrieved for the answer, best first; null where none were;
            ``offered``: the options of the question in words, in the order of their letters; null where they are not
            recorded.
            Names are enums, in the order of the file, options in that of the alphabet.
    """

    name: str
    kind: AnswerKind
    frame: pl.DataFrame
    SCHEMA = _OF_VARIANTS

    def __post_init__(self) -> None:
        kinds = dict.fromkeys(self.factors, pl.Enum) | _OF_VARIANTS
        if {name: dtype.base_type() for name, dtype in self.frame.schema.items()} != kinds:
            raise ValueError(f"variants: columns must be those of who answered how, then {', '.join(_OF_VARIANTS)}")
        n_mentioned = self.frame["attributes"].list.len()
        if not (n_mentioned == self.frame["values"].list.len()).all():
            raise ValueError("variants: every attribute that is mentioned needs a value")
        if ((n_mentioned > 0) == self.frame["condition"].is_not_null()).any():
            raise ValueError("variants: a row mentions attributes or is a condition of reference")

    @property
    def groups(self) -> dict[str, list[str]]:
        """Values of each attribute, in the order in which they appear."""
        mentioned = self.frame.select("attributes", "values").filter(pl.col("attributes").list.len() > 0)
        pairs = mentioned.unique(maintain_order=True).explode("attributes", "values").unique(maintain_order=True)
        values = pairs.group_by("attributes").agg("values").sort("attributes")
        return dict(values.cast({"attributes": pl.String}).iter_rows())

    @property
    def n_unread(self) -> int:
        """Recorded answers to closed questions that name no option."""
        recorded = self.kind == "closed" and bool((self.frame["words"] != "").any())
        return self.frame["choice"].null_count() if recorded else 0
