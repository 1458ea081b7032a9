"""Work by ranges of queries, in this process, in several, or on a cluster: the same numbers to the last bit."""
