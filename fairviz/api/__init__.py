"""The library as notebooks call it: what people hold goes in, frames and charts come out.

Numbers come from the functions that the command line and the pages call; here is only what a notebook needs besides:
frames and dicts become nouns, tables become frames, notes become warnings. The public names are those of ``fairviz``.
"""
