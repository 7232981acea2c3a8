"""Proposals and pacts: their clauses, and the contradictions between them."""
