"""Memory that kernels work on: arrays that stay as long as the pointers to them."""

import cython  # noqa: F401 (marks a module that is compiled)
import numpy as np


class Memory:
    """Owns the arrays that its pointers lead to. A pointer is valid while its array is kept."""

    def __init__(self) -> None:
        self.kept: list = []

    def keep(self, array):
        """Keep an array alive, and return it."""
        self.kept.append(array)
        return array

    def room(self, count, dtype):
        """Return a new array of zeros."""
        return self.keep(np.zeros(count, dtype))
