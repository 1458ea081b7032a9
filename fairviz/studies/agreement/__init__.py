"""Do measures of group fairness order systems alike?"""
