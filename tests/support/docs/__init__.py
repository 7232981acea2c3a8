"""Runs the shell blocks of the documentation as a reader would type them."""
