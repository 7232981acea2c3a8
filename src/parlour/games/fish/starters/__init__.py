"""Texts that a bot for Fish can be started from."""
