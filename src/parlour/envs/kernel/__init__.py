"""The hot part of batched environments."""
