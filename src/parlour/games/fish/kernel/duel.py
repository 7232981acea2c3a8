"""Two players: alpha-beta with a transposition table, territory at the leaves, exact once the ice is divided.

Values are score differences for the side to move in units of a fish, times UNIT. The table keeps the difference still
to come, so that positions reached with different scores share an entry.
"""

import cython

from parlour.core.thinking import is_stopped

if not cython.compiled:
    from parlour.games.fish.kernel.terrain import Terrain

UNIT = cython.declare(cython.int, 16)
TERRITORY = cython.declare(cython.int, 9)
TEMPO = cython.declare(cython.int, 4)
MIX = cython.declare(cython.ulonglong, 0x94D049BB133111EB)
ALL = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
EVERY = cython.declare(cython.uint, 0xFFFFFFFF)
FAR = cython.declare(cython.int, 1 << 28)
EXACT = cython.declare(cython.int, 1)
AT_LEAST = cython.declare(cython.int, 2)
AT_MOST = cython.declare(cython.int, 3)
SOLO_NODES = cython.declare(cython.int, 400)
SLICE = cython.declare(cython.longlong, 10_000)
"""Number of searched nodes between two checkpoints."""


class Duel(Terrain):
    """Searches for seat 0, which is to move, against seat 1."""

    def __init__(self, tables, slots: cython.int, bits: cython.int = 16) -> None:
        Terrain.__init__(self, tables, 2, slots)
        # One key for "blocked" and one for a penguin of each seat, for each tile; the same on every run.
        self.keys: cython.ulonglong[::1] = tables.keys(3 * self.tiles + 1)
        self.table_mask: cython.ulonglong = (1 << bits) - 1
        self.slot_key: cython.ulonglong[::1] = tables.zeros("Q", 1 << bits)
        self.slot_value: cython.int[::1] = tables.zeros("i", 1 << bits)
        self.slot_depth: cython.short[::1] = tables.zeros("h", 1 << bits)
        self.slot_kind: cython.uchar[::1] = bytearray(1 << bits)
        self.slot_move: cython.short[::1] = tables.zeros("h", 1 << bits)
        self.order: cython.int[::1] = tables.zeros("i", self.room * self.plies)
        self.nodes: cython.longlong = 0
        self.limit: cython.longlong = 0
        self.last: cython.longlong = 0
        self.aborted: cython.bint = False
        self.root_slot: cython.int = -1
        self.root_end: cython.int = -1

    def deepen(self, depth: cython.int, limit: cython.longlong):
        """Search to a depth with at most `limit` further nodes. Return the best move as a pair of tiles and its value,
        or None.
        """
        value: cython.int
        self.last = self.nodes + limit
        self.limit = min(self.last, self.nodes + SLICE)
        self.aborted = False
        self.root_slot = -1
        with cython.nogil:
            value = self.search(0, depth, -FAR, FAR, 0)
        if self.aborted or self.root_slot < 0:
            return None
        return (self.place[self.root_slot], self.root_end), cython.cast(cython.double, value) / UNIT

    def look_up(self) -> cython.void:
        """Pass a checkpoint after a slice of nodes: abort if no nodes are left, or if the caller stops the search."""
        if self.nodes > self.last:
            self.aborted = True
            return
        with cython.gil:
            if is_stopped():
                self.aborted = True
        self.limit = min(self.last, self.nodes + SLICE)

    def hash_of(self, seat: cython.int) -> cython.ulonglong:
        """Return a key of the position without its scores."""
        key: cython.ulonglong = self.keys[3 * self.tiles] if seat else 0
        word: cython.int
        slot: cython.int
        for word in range(self.words):
            # Blocked tiles are hashed a word at a time.
            key = ((key ^ self.blocked[word]) * MIX) & ALL
            key = key ^ (key >> 29)
        for slot in range(self.slots):
            if self.place[slot] >= 0:
                key = key ^ self.keys[self.place[slot]]
            if self.place[self.slots + slot] >= 0:
                key = key ^ self.keys[self.tiles + self.place[self.slots + slot]]
        return key

    def gap(self, seat: cython.int) -> cython.int:
        """Return the score of a seat minus that of the other."""
        return self.score[seat] - self.score[1 - seat]

    def judge(self, seat: cython.int) -> cython.int:
        """Return the seat's expected gain on the other, from the tiles that it reaches first."""
        tile: cython.int
        mine: cython.int
        theirs: cython.int
        total: cython.int = 0
        shared: cython.int = 0
        for tile in range(self.tiles):
            mine = self.distance[seat * self.tiles + tile]
            theirs = self.distance[(1 - seat) * self.tiles + tile]
            if mine and (theirs == 0 or mine < theirs):
                total += self.fish[tile]
            elif theirs and (mine == 0 or theirs < mine):
                total -= self.fish[tile]
            elif mine:
                shared += self.fish[tile]
        for tile in range(self.slots):
            # A penguin that can still move collects its tile almost certainly. If last tiles count, every penguin does.
            mine = self.place[seat * self.slots + tile]
            theirs = self.place[(1 - seat) * self.slots + tile]
            if mine >= 0 and (self.cash or self.freedom(mine) > 0):
                total += self.fish[mine]
            if theirs >= 0 and (self.cash or self.freedom(theirs) > 0):
                total -= self.fish[theirs]
        return total * TERRITORY + shared * TEMPO // 4

    def sort_by_promise(self, seat: cython.int, at: cython.int, end: cython.int, first: cython.int) -> cython.void:
        """Order the moves in list: the table's move first, then those that take and find more fish."""
        i: cython.int
        j: cython.int
        slot: cython.int
        tile: cython.int
        start: cython.int
        promise: cython.int
        for i in range(at, end, 2):
            slot = self.list[i]
            tile = self.list[i + 1]
            start = self.place[seat * self.slots + slot]
            promise = 8 * self.fish[start] + 4 * self.fish[tile] + self.freedom(tile) - 2 * self.freedom(start)
            # The enemy's neighbourhood is where ice is divided.
            if self.distance[(1 - seat) * self.tiles + tile] == 1:
                promise += 6
            if slot * self.tiles + tile == first:
                promise = 1 << 20
            j = i
            while j > at and self.order[j - 2] < promise:
                self.order[j] = self.order[j - 2]
                self.list[j] = self.list[j - 2]
                self.list[j + 1] = self.list[j - 1]
                j -= 2
            self.order[j] = promise
            self.list[j] = slot
            self.list[j + 1] = tile

    def search(
        self, seat: cython.int, depth: cython.int, low: cython.int, high: cython.int, ply: cython.int
    ) -> cython.int:
        """Return the difference still to come for the seat to move; exact between low and high."""
        key: cython.ulonglong
        entry: cython.ulonglong
        at: cython.int
        end: cython.int
        slot: cython.int
        start: cython.int
        value: cython.int
        gain: cython.int
        first: cython.int = -1
        best: cython.int = -FAR
        best_move: cython.int = -1
        floor: cython.int = low
        self.nodes += 1
        if self.nodes > self.limit:
            self.look_up()
            if self.aborted:
                return 0
        key = self.hash_of(seat)
        entry = key & self.table_mask
        if self.slot_kind[entry] and self.slot_key[entry] == key:
            first = self.slot_move[entry]
            if self.slot_depth[entry] >= depth and ply > 0:
                value = self.slot_value[entry]
                if (
                    self.slot_kind[entry] == EXACT
                    or (self.slot_kind[entry] == AT_LEAST and value >= high)
                    or (self.slot_kind[entry] == AT_MOST and value <= low)
                ):
                    return value
        self.flood(0, EVERY)
        self.flood(1, EVERY)
        if ply > 0 and self.apart(seat):
            self.solo_limit = self.solo_nodes + SOLO_NODES
            self.exact = True
            value = UNIT * (self.harvest(seat, ply) - self.harvest(1 - seat, ply))
            self.nodes += (self.solo_nodes + SOLO_NODES - self.solo_limit) // 2
            # An exact harvest is valid at any depth, an estimate only at the present depth.
            self.slot_key[entry] = key
            self.slot_value[entry] = value
            self.slot_depth[entry] = 999 if self.exact else depth
            self.slot_kind[entry] = EXACT
            self.slot_move[entry] = -1
            return value
        if depth <= 0 or ply >= self.plies - 60:
            return self.judge(seat)
        at = ply * self.room
        end = self.write_moves(seat, EVERY, self.list, at)
        if end == at:
            return -self.search(1 - seat, depth, -high, -low, ply + 1)
        self.sort_by_promise(seat, at, end, first)
        while at < end:
            slot = self.list[at]
            start = self.place[seat * self.slots + slot]
            gain = UNIT * self.fish[start]
            self.make(seat, slot, self.list[at + 1])
            value = gain - self.search(1 - seat, depth - 1, gain - high, gain - floor, ply + 1)
            self.unmake(seat, slot, start)
            if self.aborted:
                return 0
            if value > best:
                best = value
                best_move = slot * self.tiles + self.list[at + 1]
                if ply == 0:
                    self.root_slot = slot
                    self.root_end = self.list[at + 1]
                if best > floor:
                    floor = best
                if best >= high:
                    break
            at += 2
        self.slot_key[entry] = key
        self.slot_value[entry] = best
        self.slot_depth[entry] = depth
        self.slot_kind[entry] = EXACT if low < best < high else (AT_LEAST if best >= high else AT_MOST)
        self.slot_move[entry] = best_move
        return best
