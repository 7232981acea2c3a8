import numpy as np
import numpy.typing as npt

def multiply(
    x: npt.NDArray[np.float32], weights: npt.NDArray[np.float32], begin: int, out: npt.NDArray[np.float32]
) -> None: ...
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
