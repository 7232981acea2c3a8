"""Memory that kernels work on: arrays that stay as long as the pointers to them."""

import cython  # noqa: F401 (marks a module that is compiled)
import numpy as np


class Memory:
    """Owns the arrays that its pointers lead to. A pointer is good as long as the array was kept."""

    def __init__(self) -> None:
        self.kept: list = []

    def keep(self, array):
        """The array, kept alive."""
        self.kept.append(array)
        return array

    def room(self, count, dtype):
        """Zeros to work with."""
        return self.keep(np.zeros(count, dtype))
