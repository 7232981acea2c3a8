"""Positions and games in other notations: FEN, JSON, states and saved games."""
