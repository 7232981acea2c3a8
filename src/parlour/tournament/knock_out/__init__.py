"""The knock-out of players who sign up: its record, rounds, tables and result."""
