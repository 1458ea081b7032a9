"""Parts of the page Inspect."""
