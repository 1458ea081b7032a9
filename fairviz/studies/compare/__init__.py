"""Which systems cost less for the same fairness: every condition of a grid beside a baseline, task by task."""
