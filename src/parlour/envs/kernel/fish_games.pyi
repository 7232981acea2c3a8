from parlour.games.fish.tables import Tables

class FishGames:
    def __init__(self, tables: Tables, seats: int, slots: int) -> None: ...
    def legal(
        self, fish: memoryview, places: memoryview, turns: memoryview, choices: memoryview, offsets: memoryview
    ) -> int: ...
    def sample(
        self, fish: memoryview, places: memoryview, turns: memoryview, seeds: memoryview, choices: memoryview
    ) -> None: ...
    def check(
        self, fish: memoryview, places: memoryview, turns: memoryview, choices: memoryview, reasons: memoryview
    ) -> None: ...
    def step(
        self,
        fish: memoryview,
        places: memoryview,
        scores: memoryview,
        turns: memoryview,
        choices: memoryview,
        done: memoryview,
    ) -> None: ...
    def begin(
        self,
        fish: memoryview,
        places: memoryview,
        scores: memoryview,
        turns: memoryview,
        which: memoryview,
        seeds: memoryview,
        holes: int,
    ) -> None: ...
