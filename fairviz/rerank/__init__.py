"""Re-rankers: one file each. They never import the measures that judge them."""
