"""Counted costs of requests."""
