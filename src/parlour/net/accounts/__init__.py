"""Accounts of a server: passwords, tokens, roles and rate limits."""
