"""Numbers from arrays: who is seen, what that is worth, item by item and query by query; no files, no randomness."""
