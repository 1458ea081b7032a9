"""Parts of the page Agreement of measures."""
