"""Do systems keep within the limits that a team has set?"""
