"""Who gets attention, by group, and how far that is from a target?

``shares`` (attention by group), ``attainable`` (what re-ranking could reach), ``by_rank`` (who stands where),
``off_target`` (distances, and what missing labels leave open) and ``moving_target`` (measures while a target moves) are
results; ``measures`` says each measure in words, ``tables`` makes rows, ``figures`` and ``findings`` show them.
``chooser`` answers which measure fits a question. ``target_shares`` are targets that sum to 100, and ``report`` tells
them all at a grid of one group's target.
"""
