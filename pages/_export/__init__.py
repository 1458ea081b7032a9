"""Parts of the page Export."""
