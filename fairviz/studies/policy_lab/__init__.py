"""What re-rankers reach, and what they cost."""
