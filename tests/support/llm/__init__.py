"""Language models that answer from a script."""
