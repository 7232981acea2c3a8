"""Tournaments between agents that a verb runs: their plan, their play, and their end."""
