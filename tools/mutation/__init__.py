"""The parts of the mutation check: changes, the tests that reach them, and trials of changes."""
