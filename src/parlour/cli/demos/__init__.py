"""The two parts of parlour demo: a match, and a tournament over TCP."""
