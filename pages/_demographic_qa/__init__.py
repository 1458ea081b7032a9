"""Parts of the page Demographic QA."""
