"""Notices: people learn by push or by mail that a match waits for them, if they asked for that."""
