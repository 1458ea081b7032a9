"""The rows of targets on a page, as a test reads and moves them."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
from streamlit.testing.v1 import AppTest


def component(at: AppTest) -> dict[str, Any]:
    """What the rows were given."""
    (found,) = at.get("bidi_component")
    given: dict[str, Any] = json.loads(found.proto.json)
    return given


def rows(at: AppTest) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in component(at)["rows"]}


def shares(at: AppTest) -> list[int]:
    """Targets in percent, in the order of the labels."""
    return [round(100 * share) for share in component(at)["weights"]]


def move(at: AppTest, group: int, weights: list[float], locked: tuple[int, ...] = ()) -> None:
    """What the rows send when a person has moved one, as their callback hears it."""
    where = component(at)["revision"].rpartition(" ")[0]
    at.session_state[where] = replace(
        at.session_state[where], weights=np.array(weights), locked=frozenset(locked), preset="", is_set=True
    )
    at.session_state["group"] = component(at)["rows"][[r["group"] for r in component(at)["rows"]].index(group)]["name"]
    at.run()
