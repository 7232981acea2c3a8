"""Boards: provinces, borders and calendar of a map, and the reader of its file."""
