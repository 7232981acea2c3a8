"""Statistics of tournaments with their uncertainty: means, comparisons, ratings, stopping rules. NumPy only."""
