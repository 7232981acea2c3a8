"""Connections on simulated loops."""
