"""Proposals and the pacts that come of them: their clauses, and which of them contradict each other."""
