"""What does a target cost, method by method, and what does it do to a list?

``bench`` says what is measured of a re-ranking: how far off target it is, its quality, how deep candidates go;
``strengths`` applies a method to the candidates; ``price`` tries methods at every strength beside today's lists;
``budget`` says what a budget buys of that; ``examples`` shows one query before and after. ``columns``, ``findings``,
``charts`` and ``brief`` show all of it.
"""
