"""The Policy lab with fewer re-rankers than it begins with: each has to be paid for."""

import pytest

from fairviz.studies.policy_lab.settings import PolicyLabSettings


def compare(patch: pytest.MonkeyPatch, *methods: str) -> None:
    """Compare these where nobody chose others."""
    patch.setitem(PolicyLabSettings.__init__.__kwdefaults__, "methods", methods)
