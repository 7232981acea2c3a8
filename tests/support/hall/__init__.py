"""Halls, the people in them, traffic and a simulated world."""
