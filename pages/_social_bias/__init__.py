"""Parts of the page Social bias."""
