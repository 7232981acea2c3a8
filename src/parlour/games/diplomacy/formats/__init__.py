"""Positions and games in the spellings of others: FEN, JSON, states and saved games."""
