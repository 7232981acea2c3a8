"""Tournaments: plans, results, tables and workers."""
