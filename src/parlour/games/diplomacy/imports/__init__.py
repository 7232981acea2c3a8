"""Readers of map files that other programs made; each returns a draft, which becomes a map or a map file of Parlour."""
