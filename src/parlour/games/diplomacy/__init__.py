"""Diplomacy: map, orders, adjudication, notation, explanation."""
