"""What a description may set of a component: one class of fields each, checked before anything is loaded."""

from pydantic import BaseModel, ConfigDict


class Parameters(BaseModel):
    """Base of the parameters of every component: what is not listed is refused, and nothing changes afterwards."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
