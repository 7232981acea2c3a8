"""A game of Fish on bitboards: moves by ray tables, made and taken back, and random playouts in batches.

A board has one bit per tile, in words of 64 tiles. A bit is set where no penguin can go: at holes and penguins. A tile
that a penguin left stays blocked, so during a game bits are only ever set. Therefore a stuck player stays stuck, and no
tile ever gets more free neighbours. The searches rely on that.

Seats are numbered in turn order; tiles row by row; the rays of a tile in the order N, NE, SE, S, SW, NW.
"""

import cython

# C variables, because the compiler would make Python objects of such large literals.
MASK = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
STAR = cython.declare(cython.ulonglong, 0x2545F4914F6CDD1D)

if not cython.compiled:
    from parlour.core.kernel.words import highest, lowest, splitmix


class Play:
    """Board, penguins and scores of one game, changed in place."""

    def __init__(self, tables, seats: cython.int, slots: cython.int) -> None:
        self.tiles: cython.int = tables.tiles
        self.words: cython.int = tables.words
        self.longest: cython.int = tables.longest
        self.seats: cython.int = seats
        self.slots: cython.int = slots
        self.rays: cython.ulonglong[::1] = tables.rays
        self.along: cython.short[::1] = tables.along
        self.length: cython.short[::1] = tables.length
        self.row: cython.short[::1] = tables.row
        self.beside: cython.short[::1] = tables.beside
        self.fish: cython.uchar[::1] = bytearray(self.tiles)
        self.blocked: cython.ulonglong[::1] = tables.zeros("Q", self.words)
        self.place: cython.short[::1] = tables.zeros("h", seats * slots)
        self.score: cython.int[::1] = tables.zeros("i", seats)
        self.reach: cython.short[::1] = tables.zeros("h", 6 * slots)
        self.random_state: cython.ulonglong = 1

    def load(self, fish: cython.uchar[::1], places: cython.short[::1], scores: cython.int[::1]):
        """Load a position: the fish of each tile, the tile of each penguin (-1 if not placed), and the scores."""
        i: cython.int
        tile: cython.int
        for i in range(self.words):
            self.blocked[i] = 0
        for i in range(self.tiles):
            self.fish[i] = fish[i]
            if fish[i] == 0:
                self.block(i)
        for i in range(self.seats * self.slots):
            tile = places[i]
            self.place[i] = tile
            if tile >= 0:
                self.block(tile)
        for i in range(self.seats):
            self.score[i] = scores[i]

    def moves(self, seat: cython.int):
        """Return all moves of a seat as pairs of tiles, by origin, then by destination."""
        found = []
        slot: cython.int
        direction: cython.int
        start: cython.int
        step: cython.int
        for slot in range(self.slots):
            start = self.place[seat * self.slots + slot]
            if start < 0:
                continue
            for direction in range(6):
                for step in range(self.ray_reach(start, direction)):
                    found.append((start, self.along[(start * 6 + direction) * self.longest + step]))
        found.sort()
        return found

    def playouts(
        self,
        fish: cython.uchar[:, ::1],
        places: cython.short[:, :, ::1],
        scores: cython.int[:, ::1],
        turns: cython.uchar[::1],
        seed: cython.ulonglong,
    ):
        """Play every game of a batch to its end by random placements and moves; the arrays become final positions.

        Returns how many moves were made in all. Game b depends on its own position and on seed + b alone.
        """
        b: cython.Py_ssize_t
        i: cython.int
        j: cython.int
        total: cython.longlong = 0
        if not cython.compiled:
            # NumPy's own scalars overflow where Python's integers do not.
            fish, places, scores, turns = map(memoryview, (fish, places, scores, turns))
        with cython.nogil:
            for b in range(fish.shape[0]):
                self.seed_random(seed + b)
                for i in range(self.words):
                    self.blocked[i] = 0
                for i in range(self.tiles):
                    self.fish[i] = fish[b, i]
                    if self.fish[i] == 0:
                        self.block(i)
                for i in range(self.seats):
                    self.score[i] = scores[b, i]
                    for j in range(self.slots):
                        self.place[i * self.slots + j] = places[b, i, j]
                        if places[b, i, j] >= 0:
                            self.block(places[b, i, j])
                self.place_missing(turns[b])
                total += self.play_out(turns[b], 1)
                # A blocked tile without a penguin is a hole.
                for i in range(self.tiles):
                    if self.is_blocked(i):
                        fish[b, i] = 0
                for i in range(self.seats):
                    scores[b, i] = self.score[i]
                    for j in range(self.slots):
                        places[b, i, j] = self.place[i * self.slots + j]
                        if places[b, i, j] >= 0:
                            fish[b, places[b, i, j]] = self.fish[places[b, i, j]]
        return total

    # Bits and rays

    def is_blocked(self, tile: cython.int) -> cython.bint:
        """Return True if no penguin can go to the tile."""
        return (self.blocked[tile >> 6] >> (tile & 63)) & 1 != 0

    def block(self, tile: cython.int) -> cython.void:
        """Block a tile for penguins."""
        self.blocked[tile >> 6] |= cython.cast(cython.ulonglong, 1) << (tile & 63)

    def unblock(self, tile: cython.int) -> cython.void:
        """Unblock a tile for penguins."""
        self.blocked[tile >> 6] &= MASK ^ (cython.cast(cython.ulonglong, 1) << (tile & 63))

    def ray_reach(self, tile: cython.int, direction: cython.int) -> cython.int:
        """Return the number of tiles that a penguin can go in a direction before the first block."""
        ray: cython.int = tile * 6 + direction
        base: cython.int = ray * self.words
        word: cython.int
        first: cython.int = -1
        bits: cython.ulonglong
        if 2 <= direction <= 4:
            # Southwards tiles have higher numbers: the nearest block is the lowest bit.
            for word in range(tile >> 6, self.words):
                bits = self.rays[base + word] & self.blocked[word]
                if bits:
                    first = (word << 6) + lowest(bits)
                    break
        else:
            for word in range(tile >> 6, -1, -1):
                bits = self.rays[base + word] & self.blocked[word]
                if bits:
                    first = (word << 6) + highest(bits)
                    break
        if first < 0:
            return self.length[ray]
        if direction == 0:
            return ((self.row[tile] - self.row[first]) >> 1) - 1
        if direction == 3:
            return ((self.row[first] - self.row[tile]) >> 1) - 1
        if (direction < 3 and direction > 1) or direction == 4:
            return self.row[first] - self.row[tile] - 1
        return self.row[tile] - self.row[first] - 1

    def options(self, seat: cython.int) -> cython.int:
        """Return the number of a seat's moves; reach then has the range of each penguin in each direction."""
        slot: cython.int
        direction: cython.int
        tile: cython.int
        steps: cython.int
        total: cython.int = 0
        for slot in range(self.slots):
            tile = self.place[seat * self.slots + slot]
            for direction in range(6):
                steps = 0 if tile < 0 else self.ray_reach(tile, direction)
                self.reach[slot * 6 + direction] = steps
                total += steps
        return total

    def freedom(self, tile: cython.int) -> cython.int:
        """Return the number of free tiles beside a tile."""
        direction: cython.int
        there: cython.int
        count: cython.int = 0
        for direction in range(6):
            there = self.beside[tile * 6 + direction]
            if there >= 0 and not self.is_blocked(there):
                count += 1
        return count

    def can_move(self, seat: cython.int) -> cython.bint:
        """Return True if any penguin of the seat can move."""
        slot: cython.int
        for slot in range(self.slots):
            if self.place[seat * self.slots + slot] >= 0:
                if self.freedom(self.place[seat * self.slots + slot]) > 0:
                    return True
        return False

    def write_moves(self, seat: cython.int, members: cython.uint, out: cython.short[::1], at: cython.int) -> cython.int:
        """Write slot and end of each move to `out`, in pairs from an index on; return the end of the list.

        Only penguins whose slot is in members move.
        """
        slot: cython.int
        direction: cython.int
        step: cython.int
        tile: cython.int
        for slot in range(self.slots):
            tile = self.place[seat * self.slots + slot]
            if tile < 0 or not (members >> slot) & 1:
                continue
            for direction in range(6):
                for step in range(self.ray_reach(tile, direction)):
                    out[at] = slot
                    out[at + 1] = self.along[(tile * 6 + direction) * self.longest + step]
                    at += 2
        return at

    # Changes

    def make(self, seat: cython.int, slot: cython.int, end: cython.int) -> cython.void:
        """Move a penguin and collect the tile that it leaves."""
        index: cython.int = seat * self.slots + slot
        self.score[seat] += self.fish[self.place[index]]
        self.place[index] = end
        self.block(end)

    def unmake(self, seat: cython.int, slot: cython.int, start: cython.int) -> cython.void:
        """Undo a move from `start`."""
        index: cython.int = seat * self.slots + slot
        self.unblock(self.place[index])
        self.place[index] = start
        self.score[seat] -= self.fish[start]

    # Chance

    def seed_random(self, seed: cython.ulonglong) -> cython.void:
        """Start the generator: splitmix64 spreads neighbouring seeds, xorshift64* continues from there."""
        mixed: cython.ulonglong = splitmix(seed, 1)
        self.random_state = mixed if mixed else 1

    def below(self, bound: cython.uint) -> cython.uint:
        """Return a random number from 0 to bound - 1."""
        x: cython.ulonglong = self.random_state
        x = x ^ (x >> 12)
        x = (x ^ (x << 25)) & MASK
        x = x ^ (x >> 27)
        self.random_state = x
        return ((((x * STAR) & MASK) >> 32) * bound) >> 32

    def free_tile(self) -> cython.int:
        """Return a random tile that is not blocked; -1 if there is none."""
        tile: cython.int
        left: cython.int = 0
        tries: cython.int
        for tries in range(8):
            tile = self.below(self.tiles)
            if not self.is_blocked(tile):
                return tile
        for tile in range(self.tiles):
            if not self.is_blocked(tile):
                left += 1
        if left == 0:
            return -1
        left = self.below(left)
        for tile in range(self.tiles):
            if not self.is_blocked(tile):
                if left == 0:
                    return tile
                left -= 1
        return -1

    def place_missing(self, turn: cython.int) -> cython.void:
        """Place all missing penguins, one per turn, each where its seat wants it."""
        placed: cython.bint = True
        seat: cython.int
        slot: cython.int
        tile: cython.int
        while placed:
            placed = False
            for seat in range(turn, turn + self.seats):
                slot = self.missing_slot(seat % self.seats)
                if slot >= 0:
                    tile = self.wanted_tile(seat % self.seats, slot)
                    if tile < 0:
                        return
                    self.place[(seat % self.seats) * self.slots + slot] = tile
                    self.block(tile)
                    placed = True

    def missing_slot(self, seat: cython.int) -> cython.int:
        """Return the first penguin of a seat that is not placed; -1 if all are placed."""
        slot: cython.int
        for slot in range(self.slots):
            if self.place[seat * self.slots + slot] < 0:
                return slot
        return -1

    def wanted_tile(self, seat: cython.int, slot: cython.int) -> cython.int:
        """Return a random free tile for a seat's penguin; -1 if there is none."""
        return self.free_tile()

    def play_out(self, turn: cython.int, looks: cython.int) -> cython.int:
        """Let all seats move in turn until nobody can; return the number of moves."""
        stuck: cython.uint = 0
        left: cython.int = self.seats
        count: cython.int = 0
        seat: cython.int = turn
        total: cython.int
        while left:
            if not (stuck >> seat) & 1:
                total = self.options(seat)
                if total == 0:
                    stuck |= 1 << seat
                    left -= 1
                else:
                    self.go_on(seat, total, looks)
                    count += 1
            seat += 1
            if seat == self.seats:
                seat = 0
        return count

    def go_on(self, seat: cython.int, total: cython.int, looks: cython.int) -> cython.void:
        """Make the best of `looks` random moves of a seat: the one that takes and finds the most fish.

        The array `reach` has the number of moves by penguin and direction, `total` in all.
        """
        look: cython.int
        pick: cython.int
        index: cython.int
        start: cython.int
        tile: cython.int
        slot: cython.int = 0
        end: cython.int = 0
        best: cython.int = -1
        for look in range(looks):
            pick = self.below(total)
            index = 0
            while pick >= self.reach[index]:
                pick -= self.reach[index]
                index += 1
            start = self.place[seat * self.slots + index // 6]
            tile = self.along[(start * 6 + index % 6) * self.longest + pick]
            if 2 * self.fish[start] + self.fish[tile] > best:
                best = 2 * self.fish[start] + self.fish[tile]
                slot = index // 6
                end = tile
        self.make(seat, slot, end)
