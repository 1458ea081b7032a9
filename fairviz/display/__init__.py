"""What is shown: theme, labels, words, tables and their writers."""
