"""Systems × queries × measures to tidy results, with intervals and tests."""
