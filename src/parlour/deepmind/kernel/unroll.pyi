import numpy as np
import numpy.typing as npt

class Unroller:
    def __init__(self, order: npt.NDArray[np.int32]) -> None: ...
    def remember(
        self,
        boards: memoryview,
        seasons: memoryview,
        actions: memoryview,
        bounds: memoryview,
        previous: memoryview,
        last: memoryview,
        acts: memoryview,
        seen: memoryview,
        shown: memoryview,
    ) -> int: ...
    def unroll(
        self,
        boards: memoryview,
        seasons: memoryview,
        builds: memoryview,
        legal: memoryview,
        offsets: memoryview,
        asked: memoryview,
        places: memoryview,
        areas: memoryview,
        indices: memoryview,
        spans: memoryview,
        lengths: memoryview,
        wrong: memoryview,
    ) -> int: ...
