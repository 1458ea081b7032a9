"""Results in, plotly figure out: one file per figure, nothing computed here."""
