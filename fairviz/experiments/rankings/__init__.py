"""Questions over sampled rankings (``kind = "rankings"``)."""
