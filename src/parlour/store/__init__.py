"""Keeps records and results on disk."""
