"""Questions about different people (``kind = "variants"``)."""
