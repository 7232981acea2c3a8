import numpy as np
import numpy.typing as npt

def mix(
    messages: npt.NDArray[np.float32],
    first: npt.NDArray[np.int32],
    neighbours: npt.NDArray[np.int32],
    shares: npt.NDArray[np.float32],
    multiplier: npt.NDArray[np.float32],
    shift: npt.NDArray[np.float32],
    out: npt.NDArray[np.float32],
    add: bool,
) -> None: ...
