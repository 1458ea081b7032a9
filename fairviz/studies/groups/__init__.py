"""Who gets attention, by group, and how far that is from a target?

``system`` holds what no target moves: attention by group, what re-ranking could reach, who stands at which rank;
``measures`` computes each measure and says it in words, answers five questions by some of them, and says which measure
fits a question. ``columns`` makes rows, ``charts`` and ``findings`` show them.
"""
