"""Fish over JSON messages with a type and a value, one per line: sign-up, tournament, games, spectators."""
