"""What every test may ask for."""

from pathlib import Path

import pytest
from hypothesis import settings

# Times vary on shared machines; a law either holds or does not.
settings.register_profile("fairviz", deadline=None, max_examples=50)
settings.load_profile("fairviz")

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The conformance data beside the checkout; tests that need it skip where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("conformance data (../shared) is not beside this checkout")
    return SHARED
