import numpy as np
import numpy.typing as npt

class Sieve:
    def __init__(
        self, first: npt.NDArray[np.int32], sets: npt.NDArray[np.uint64], seas: npt.NDArray[np.uint8]
    ) -> None: ...
    def drop_idle(self, states: memoryview, actions: memoryview, offsets: memoryview) -> int: ...
