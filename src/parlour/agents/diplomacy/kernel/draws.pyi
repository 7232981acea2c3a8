"""What the rest of the package may ask of the draws."""

from collections.abc import Mapping
from typing import Any

import numpy.typing as npt

from parlour.games.diplomacy.kernel.desk import Desk

class Draws(Desk):
    node_count: int
    def __init__(
        self,
        tables: Mapping[str, npt.NDArray[Any]],
        nodes: Mapping[str, npt.NDArray[Any]],
        dials: npt.NDArray[Any],
    ) -> None: ...
    def measure(self, states: memoryview, worths: memoryview) -> None: ...
    def draw_all(self, states: memoryview, seeds: memoryview, powers: int, actions: memoryview) -> None: ...
