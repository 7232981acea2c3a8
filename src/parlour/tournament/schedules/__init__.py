"""Schedules of tournaments, and the seating of the tables of a block."""
