"""Do answers lean towards a stereotype, and does retrieval amplify it?"""
