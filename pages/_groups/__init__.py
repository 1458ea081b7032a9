"""Parts of the page Groups & targets."""
