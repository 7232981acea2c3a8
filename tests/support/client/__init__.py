"""Clients: scripted servers and tables."""
