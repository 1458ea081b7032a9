"""What the server does before any page runs: who the browser is, which files come in, what is made ready.

It imports nothing that a page draws with: the server answers that much sooner.
"""
