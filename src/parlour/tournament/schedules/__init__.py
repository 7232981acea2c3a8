"""Schedules of tournaments, and how the tables of a block are seated."""
