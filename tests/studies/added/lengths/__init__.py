"""How many queries does each system rank?"""
