"""What results of tournaments say, and how surely: means, comparisons, ratings, when to stop. NumPy only."""
