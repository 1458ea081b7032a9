"""One folder per question: its analysis, its tables, its figures, its sentences."""
