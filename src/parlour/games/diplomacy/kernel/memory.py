"""Memory that kernels work on: arrays, reached by bare pointers when compiled, which saves loads in every loop."""

import cython
import numpy as np

if not cython.compiled:
    # As pointers, views give Python's own numbers and are not checked for their length.
    octets = signed_octets = shorts = ints = longs = words = memoryview


class Memory:
    """Owns the arrays that its pointers lead to. A pointer is good as long as the array was kept."""

    def __init__(self):
        self.kept = []

    def keep(self, array):
        """The array, kept alive."""
        self.kept.append(array)
        return array

    def room(self, count, dtype):
        """Zeros to work with."""
        return self.keep(np.zeros(count, dtype))
