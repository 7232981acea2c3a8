"""Seats as tools for desktop assistants and coding agents, over the Model Context Protocol."""
