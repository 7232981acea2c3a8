"""Runs one match: the pure Match, conduct, records, and the drivers that wait and call."""
