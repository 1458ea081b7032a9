"""Parts of the page Home."""
