"""fairviz: what fairness costs, and to whom, in ranking and retrieval-augmented generation.

``io`` reads files into the nouns of ``model``; ``pool`` aligns them; ``policies`` and ``exposure`` say who is seen,
``metrics`` what that means, ``stats`` how sure one can be. ``evaluation`` compares systems, each of ``studies`` answers
one question, ``experiments`` makes the files that they read; ``display`` and ``cli`` present them.
"""

__version__ = "0.8.0"
