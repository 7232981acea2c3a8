"""The published network: board encoders, an order decoder, a value head; one source for NumPy and JAX."""
