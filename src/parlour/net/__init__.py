"""Matches over a wire."""
