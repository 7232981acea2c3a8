"""Readers of map files that other programs made; each gives a draft, which becomes a map or a file of ours."""
