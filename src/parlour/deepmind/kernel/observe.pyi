import numpy as np
import numpy.typing as npt

class ObservationWriter:
    def __init__(
        self,
        template: npt.NDArray[np.uint8],
        area_of: npt.NDArray[np.int32],
        last_area: npt.NDArray[np.int32],
        home_of: npt.NDArray[np.uint8],
        centres: npt.NDArray[np.int32],
        flags: int,
    ) -> None: ...
    def observe(self, states: memoryview, boards: memoryview, builds: memoryview, seasons: memoryview) -> None: ...
