"""Questions that test for social bias (``kind = "bias"``)."""
