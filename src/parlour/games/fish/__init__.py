"""Fish: penguins on a melting hex board."""
