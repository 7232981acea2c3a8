"""Assistants at tables, for tests."""
