"""Texts that a bot for Diplomacy can be started from."""
