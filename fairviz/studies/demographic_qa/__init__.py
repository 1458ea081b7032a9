"""Do answers change with the person who is asked about?"""
