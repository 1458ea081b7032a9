"""What does a target cost, method by method, and what does it do to a list?

``bench`` says what is measured of a re-ranking and what that is beside today's lists: how far off target it is, its
quality, how sure both are; ``stated`` holds statements for the least loss; ``strengths`` applies methods to the
candidates at every strength; ``budget`` says what a budget buys of that; ``examples`` shows one query before and after.
``columns``, ``findings``, ``charts`` and ``brief`` show all of it.
"""
