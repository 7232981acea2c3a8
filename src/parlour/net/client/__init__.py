"""Seats a local agent at a remote table."""
