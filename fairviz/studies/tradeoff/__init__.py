"""What fairness costs: quality along disparity, for policies and recorded answers."""
