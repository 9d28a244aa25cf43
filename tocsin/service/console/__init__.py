"""What the console asks for beyond the rest of the service: its files, stored events, figures, and
what waits. It uses the public addresses only.
"""
