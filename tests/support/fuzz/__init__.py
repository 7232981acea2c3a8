"""What is fuzzed."""
