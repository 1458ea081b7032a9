"""Measured speed: one module per claim, as ratios within one run (``python -m benchmarks``)."""
