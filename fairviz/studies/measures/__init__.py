"""How good and how fair is each system: every measure of every system, with intervals."""
