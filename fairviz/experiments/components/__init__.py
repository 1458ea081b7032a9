"""Retrievers, generators and attributors: each module one component, or two of a kind."""
