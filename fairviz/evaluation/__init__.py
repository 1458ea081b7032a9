"""Systems × measures to scores, and comparisons of systems."""
