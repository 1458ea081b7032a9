"""Who gets attention, by group, and how far that is from a target?

``shares`` (attention by group, its distance from a target, what missing labels leave open), ``reach`` (what re-ranking
could reach) and ``by_rank`` (who stands where) are results; ``measures`` computes each measure and says it in words,
``tables`` makes rows, ``figures`` and ``findings`` show them. ``chooser`` answers which measure fits a question.
``target_shares`` are targets that sum to 100, and ``report`` tells them all at a grid of one group's target.
"""
