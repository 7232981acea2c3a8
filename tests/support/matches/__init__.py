"""Matches, games and intents of any kind."""
