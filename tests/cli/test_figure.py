"""``--figure`` and ``fairviz figure``: the file, and what is refused before anything is computed."""
