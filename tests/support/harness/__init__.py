"""Harnesses for models."""
