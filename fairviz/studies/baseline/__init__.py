"""Which systems differ from a baseline, query by query?"""
