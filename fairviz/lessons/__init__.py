"""A class of fifty minutes: twelve questions that are guessed first, on examples small enough to count by hand."""
