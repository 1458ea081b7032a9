"""How sure one can be: intervals, paired tests, multiplicity, correlation."""
