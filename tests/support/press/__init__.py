"""Press: an oracle, stories and tables."""
