"""Metrics of systems at every rank, and whether FAIR goes with the others (Gao et al. 2022)."""
