"""Attention by group against a target."""
