"""Explanations of results: the forces of a phase and the reason for each verdict."""
