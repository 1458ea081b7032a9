"""Parts of the page Policy lab."""
