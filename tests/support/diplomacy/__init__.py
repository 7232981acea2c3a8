"""Diplomacy: oracles, cases and orders."""
