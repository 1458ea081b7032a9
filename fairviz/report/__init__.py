"""Results as text: CSV, LaTeX, HTML and plain tables."""
