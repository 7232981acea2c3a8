"""Positions for people: text, pictures, pages."""
