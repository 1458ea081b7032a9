"""What was set on the pages, as a study file and a workspace say it; who keeps settings needs no report."""

import re
from math import fsum, isclose
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from fairviz.model.judgements import WEIGHT_TOLERANCE


class Said(BaseModel):
    """A part of ``study.json``; keys that it does not have are refused."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


def _named(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}", name) or name.startswith("embed"):
        raise ValueError(f"{name[:80]!r} is no name of a setting")
    return name


_Param = Annotated[str, AfterValidator(_named)]


class TargetSetting(Said):
    """A target that a person set.

    Attributes:
        weights: Share of each group.
        locked: Places of groups whose shares are held.
        preset: The preset that was chosen last.
        file: Shares of a loaded file.
    """

    weights: list[Annotated[float, Field(ge=0)]]
    locked: list[int] = []
    preset: str = ""
    file: list[Annotated[float, Field(ge=0)]] | None = None

    @model_validator(mode="after")
    def _fits(self) -> "TargetSetting":
        n = len(self.weights)
        every = [self.weights, *([] if self.file is None else [self.file])]
        if any(len(shares) != n or not isclose(fsum(shares), 1, abs_tol=WEIGHT_TOLERANCE) for shares in every):
            raise ValueError("the shares of a target sum to 1")
        if not all(0 <= place < n for place in self.locked):
            raise ValueError("a group that is held is none")
        return self


class Settings(Said):
    """What was set on the pages.

    Attributes:
        pages: Parameters of the address, by page.
        chosen: What follows from page to page, by control.
        pairs: (system of outputs, run that fed it), as a person said.
        targets: Targets by the groups that they are of.
    """

    pages: dict[str, dict[_Param, list[str]]] = {}
    chosen: dict[_Param, str] = {}
    pairs: list[tuple[str, str]] = []
    targets: dict[str, TargetSetting] = {}

    @model_validator(mode="after")
    def _has_places(self) -> "Settings":
        for where, target in self.targets.items():
            if not where.endswith(f"-{len(target.weights)}"):
                raise ValueError(f"the target {where[:80]!r} has another number of groups")
        return self
