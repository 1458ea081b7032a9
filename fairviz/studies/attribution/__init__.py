"""Does the reader of a ranking use what it exposes? Exposure against attribution."""
