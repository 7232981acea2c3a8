"""A match as a value: game, terms, seed and players; and the functions that play and resume it."""
