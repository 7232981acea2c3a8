"""What the rest of the package may ask of the rollouts."""

from parlour.agents.diplomacy.kernel.draws import Draws

class Rollouts(Draws):
    powers: int
    rolled: int
    def set_root(self, states: memoryview) -> None: ...
    def set_idle(self, chances: memoryview) -> None: ...
    def draw_from_root(self, seeds: memoryview, powers: int, orders: memoryview) -> None: ...
    def roll_out(
        self,
        own: memoryview,
        others: memoryview,
        seeds: memoryview,
        power: int,
        depth: int,
        values: memoryview,
        leaves: memoryview | None = None,
    ) -> None: ...
    def read_orders(self, actions: memoryview, orders: memoryview) -> None: ...
    def write_orders(self, orders: memoryview, power: int, actions: memoryview) -> int: ...
