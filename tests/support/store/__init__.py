"""Stores: rows, traffic and a PostgreSQL server."""
