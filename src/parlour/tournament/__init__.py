"""Runs many matches: formats, seat rotation, standings."""
