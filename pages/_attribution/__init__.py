"""Parts of the page Attribution."""
