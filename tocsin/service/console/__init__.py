"""Data for the console beyond the rest of the API: its files, stored events, statistics, and
partial matches. The console uses the public routes only.
"""
