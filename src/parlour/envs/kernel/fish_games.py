"""Many games of Fish in flat arrays: legal choices, random choices, steps, new boards; batches without the GIL.

Game b has fish[b, tile], places[b, seat, penguin] (-1: not placed), scores[b, seat] and turns[b], the seat to act.
With T tiles, choice t < T places a penguin on tile t, and choice T + T * from + to moves one.
"""

import cython

if not cython.compiled:
    from parlour.games.fish.kernel.play import Play

FINE = cython.declare(cython.int, 0)
NO_CHOICE = cython.declare(cython.int, 1)
WRONG_STAGE = cython.declare(cython.int, 2)
NOT_FREE = cython.declare(cython.int, 3)
NOT_YOURS = cython.declare(cython.int, 4)
OUT_OF_REACH = cython.declare(cython.int, 5)


class FishGames(Play):
    """Works on the games of a batch, one after the other."""

    def __init__(self, tables, seats, slots) -> None:
        Play.__init__(self, tables, seats, slots)

    def take(self, fish: cython.uchar[:, ::1], places: cython.short[:, :, ::1], b: cython.Py_ssize_t) -> cython.void:
        """Load game b; its scores are used in place."""
        i: cython.int
        for i in range(self.words):
            self.blocked[i] = 0
        for i in range(self.tiles):
            self.fish[i] = fish[b, i]
            if fish[b, i] == 0:
                self.block(i)
        for i in range(self.seats * self.slots):
            self.place[i] = places[b, i // self.slots, i % self.slots]
            if self.place[i] >= 0:
                self.block(self.place[i])

    def placing(self) -> cython.bint:
        """Return True if a penguin is still to be placed."""
        i: cython.int
        for i in range(self.seats * self.slots):
            if self.place[i] < 0:
                return True
        return False

    def legal(
        self,
        fish: cython.uchar[:, ::1],
        places: cython.short[:, :, ::1],
        turns: cython.uchar[::1],
        choices: cython.int[::1],
        offsets: cython.longlong[::1],
    ) -> int:
        """List the legal choices of each game, ascending; return the number of games that fitted."""
        b: cython.Py_ssize_t = 0
        total: cython.Py_ssize_t = 0
        with cython.nogil:
            offsets[0] = 0
            while b < fish.shape[0]:
                if total + self.tiles * self.slots > choices.shape[0]:
                    break
                self.take(fish, places, b)
                total = self.list_one(turns[b], choices, total)
                b += 1
                offsets[b] = total
        return b

    def list_one(self, seat: cython.int, choices: cython.int[::1], total: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Write the choices of the current game from index `total` on, ascending; return the end of the list."""
        first: cython.Py_ssize_t = total
        at: cython.Py_ssize_t
        slot: cython.int
        direction: cython.int
        step: cython.int
        tile: cython.int
        choice: cython.int
        if self.placing():
            for tile in range(self.tiles):
                if not self.is_blocked(tile):
                    choices[total] = tile
                    total += 1
            return total
        for slot in range(self.slots):
            tile = self.place[seat * self.slots + slot]
            for direction in range(6):
                for step in range(self.ray_reach(tile, direction)):
                    choice = self.tiles + self.tiles * tile + self.along[(tile * 6 + direction) * self.longest + step]
                    at = total
                    while at > first and choices[at - 1] > choice:
                        choices[at] = choices[at - 1]
                        at -= 1
                    choices[at] = choice
                    total += 1
        return total

    def sample(
        self,
        fish: cython.uchar[:, ::1],
        places: cython.short[:, :, ::1],
        turns: cython.uchar[::1],
        seeds: cython.ulonglong[::1],
        choices: cython.int[::1],
    ) -> None:
        """Choose a random legal choice for each game, by its seed."""
        b: cython.Py_ssize_t
        with cython.nogil:
            for b in range(fish.shape[0]):
                self.take(fish, places, b)
                self.seed_random(seeds[b])
                choices[b] = self.free_tile() if self.placing() else self.random_move(turns[b])

    def random_move(self, seat: cython.int) -> cython.int:
        """Return a random move of a seat that can move."""
        pick: cython.int = self.below(self.options(seat))
        index: cython.int = 0
        tile: cython.int
        while pick >= self.reach[index]:
            pick -= self.reach[index]
            index += 1
        tile = self.place[seat * self.slots + index // 6]
        return self.tiles + self.tiles * tile + self.along[(tile * 6 + index % 6) * self.longest + pick]

    def check(
        self,
        fish: cython.uchar[:, ::1],
        places: cython.short[:, :, ::1],
        turns: cython.uchar[::1],
        choices: cython.const[cython.int][::1],
        reasons: cython.uchar[::1],
    ) -> None:
        """Write for each game the reason why its choice is not legal, or FINE."""
        b: cython.Py_ssize_t
        with cython.nogil:
            for b in range(fish.shape[0]):
                self.take(fish, places, b)
                reasons[b] = self.reason(turns[b], choices[b])

    def reason(self, seat: cython.int, choice: cython.int) -> cython.int:
        """Return the reason why a choice is not legal in the present game."""
        start: cython.int
        end: cython.int
        slot: cython.int
        direction: cython.int
        step: cython.int
        if choice < 0 or choice >= self.tiles + self.tiles * self.tiles:
            return NO_CHOICE
        if (choice < self.tiles) != self.placing():
            return WRONG_STAGE
        if choice < self.tiles:
            return NOT_FREE if self.is_blocked(choice) else FINE
        start = (choice - self.tiles) // self.tiles
        end = (choice - self.tiles) % self.tiles
        for slot in range(self.slots):
            if self.place[seat * self.slots + slot] == start:
                for direction in range(6):
                    for step in range(self.ray_reach(start, direction)):
                        if self.along[(start * 6 + direction) * self.longest + step] == end:
                            return FINE
                return OUT_OF_REACH
        return NOT_YOURS

    def step(
        self,
        fish: cython.uchar[:, ::1],
        places: cython.short[:, :, ::1],
        scores: cython.int[:, ::1],
        turns: cython.uchar[::1],
        choices: cython.const[cython.int][::1],
        done: cython.uchar[::1],
    ) -> None:
        """Carry out a legal choice in each game and hand the turn on; done is set where nobody can move."""
        b: cython.Py_ssize_t
        with cython.nogil:
            for b in range(fish.shape[0]):
                self.carry_out(fish, places, scores, b, turns[b], choices[b])
                self.take(fish, places, b)
                done[b] = self.hand_on(turns, b)

    def carry_out(
        self,
        fish: cython.uchar[:, ::1],
        places: cython.short[:, :, ::1],
        scores: cython.int[:, ::1],
        b: cython.Py_ssize_t,
        seat: cython.int,
        choice: cython.int,
    ) -> cython.void:
        """Place a penguin, or move one and collect the tile that it leaves."""
        slot: cython.int
        tile: cython.int = choice
        wanted: cython.int = -1
        if choice >= self.tiles:
            wanted = (choice - self.tiles) // self.tiles
            tile = (choice - self.tiles) % self.tiles
        for slot in range(self.slots):
            if places[b, seat, slot] == wanted:
                places[b, seat, slot] = tile
                if wanted >= 0:
                    scores[b, seat] += fish[b, wanted]
                    fish[b, wanted] = 0
                return

    def hand_on(self, turns: cython.uchar[::1], b: cython.Py_ssize_t) -> cython.bint:
        """Give the turn to the next seat that can act; return True if there is none."""
        i: cython.int
        seat: cython.int
        placing: cython.bint = self.placing()
        for i in range(1, self.seats + 1):
            seat = (turns[b] + i) % self.seats
            if self.misses_penguin(seat) if placing else self.can_move(seat):
                turns[b] = seat
                return False
        return True

    def misses_penguin(self, seat: cython.int) -> cython.bint:
        """Return True if a seat has a penguin to place."""
        return self.place[seat * self.slots + self.slots - 1] < 0

    def begin(
        self,
        fish: cython.uchar[:, ::1],
        places: cython.short[:, :, ::1],
        scores: cython.int[:, ::1],
        turns: cython.uchar[::1],
        which: cython.const[cython.longlong][::1],
        seeds: cython.ulonglong[::1],
        holes: cython.int,
    ) -> None:
        """Make fresh boards of one to five fish, with holes, for the games named in which."""
        k: cython.Py_ssize_t
        b: cython.Py_ssize_t
        i: cython.int
        tile: cython.int
        with cython.nogil:
            for k in range(which.shape[0]):
                b = which[k]
                self.seed_random(seeds[k])
                for i in range(self.tiles):
                    fish[b, i] = 1 + self.below(5)
                i = 0
                while i < holes:
                    tile = self.below(self.tiles)
                    if fish[b, tile]:
                        fish[b, tile] = 0
                        i += 1
                for i in range(self.seats * self.slots):
                    places[b, i // self.slots, i % self.slots] = -1
                for i in range(self.seats):
                    scores[b, i] = 0
                turns[b] = 0
