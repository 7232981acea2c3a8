"""Look-ahead: the move with the best own score after some own turns, every opponent playing against it.

The meaning is that of the course's player: the first seat maximises its own score over its next turns, all others
minimise it, ties go to the smallest (from, to). The search prunes, yet gives the same move as one that does not:

* the value of a position lies between two bounds that cost little. A penguin with more free neighbours than
  opponents' moves to come cannot be stopped from leaving its tile, so its fish are certain; and no penguin without
  a free neighbour will ever move again, so only the others can collect anything;
* a root move counts only if it is better than all before it, and moves are tried in the order of the tie-break.
"""

import cython

from parlour.core.thinking import is_stopped
from parlour.errors import ThinkingStopped

if not cython.compiled:
    from parlour.games.fish.kernel.play import Play

ALL = cython.declare(cython.uint, 0xFFFFFFFF)
NEVER = cython.declare(cython.int, -1)
BEYOND = cython.declare(cython.int, 1 << 28)
SLICE = cython.declare(cython.longlong, 100_000)
"""Number of searched nodes between two checkpoints."""
WHOLE = cython.declare(cython.longlong, 1 << 62)


class LookAhead(Play):
    """Searches for one seat, and plays whole games in which every seat looks ahead."""

    def __init__(self, tables, seats: cython.int, slots: cython.int, turns: cython.int) -> None:
        Play.__init__(self, tables, seats, slots)
        # The moves of one seat as pairs of slot and end; one stretch for each ply of the search.
        self.room: cython.int = 2 * slots * 6 * self.longest + 2
        self.list: cython.short[::1] = tables.zeros("h", self.room * (seats * turns + 1))
        self.most: cython.int = tables.most_fish
        self.me: cython.int = 0
        self.nodes: cython.longlong = 0
        self.limit: cython.longlong = WHOLE
        self.stopped: cython.bint = False

    def look_at(self, game: Play, most: cython.int):
        """Share the changing board of another search; no tile has more than `most` fish."""
        self.fish = game.fish
        self.blocked = game.blocked
        self.place = game.place
        self.score = game.score
        self.most = most

    def choose(self, turns: cython.int):
        """Return the best move of the first seat as a pair of tiles; None if it cannot move."""
        found: cython.int
        self.me = 0
        self.limit = self.nodes + SLICE
        self.stopped = False
        with cython.nogil:
            found = self.choice(turns)
        self.limit = WHOLE  # other users of this search need its values, and are not stopped
        if self.stopped:
            raise ThinkingStopped("nobody waits for this thought any more")
        if found < 0:
            return None
        return self.place[self.list[found]], self.list[found + 1]

    def games(
        self,
        fish: cython.uchar[:, ::1],
        scores: cython.int[:, ::1],
        records: cython.short[:, :, ::1],
        turns: cython.int,
    ):
        """Play a game on each board: penguins on the first free tiles, then every seat looks some turns ahead.

        The score arrays receive the final scores. Each record receives moves as pairs of tiles, while there is room.
        Returns the total number of moves.
        """
        b: cython.Py_ssize_t
        i: cython.int
        total: cython.longlong = 0
        if not cython.compiled:
            # NumPy's own scalars overflow where Python's integers do not.
            fish = memoryview(fish)
        with cython.nogil:
            for b in range(fish.shape[0]):
                for i in range(self.words):
                    self.blocked[i] = 0
                for i in range(self.tiles):
                    self.fish[i] = fish[b, i]
                    if self.fish[i] == 0:
                        self.block(i)
                for i in range(self.seats):
                    self.score[i] = 0
                self.place_zigzag()
                total += self.play_game(turns, records[b])
                for i in range(self.seats):
                    scores[b, i] = self.score[i]
        return total

    def place_zigzag(self) -> cython.void:
        """Place all penguins, one per turn, each on the first free tile in row-major order."""
        tile: cython.int = 0
        index: cython.int
        for index in range(self.slots * self.seats):
            while tile < self.tiles and self.is_blocked(tile):
                tile += 1
            self.place[(index % self.seats) * self.slots + index // self.seats] = tile if tile < self.tiles else -1
            if tile < self.tiles:
                self.block(tile)

    def play_game(self, turns: cython.int, record: cython.short[:, ::1]) -> cython.int:
        """Let all seats look ahead in turn until nobody can move; return the number of moves."""
        stuck: cython.int = 0
        count: cython.int = 0
        found: cython.int
        index: cython.int
        self.me = 0
        while stuck < self.seats:
            found = self.choice(turns)
            if found < 0:
                stuck += 1
            else:
                stuck = 0
                index = self.me * self.slots + self.list[found]
                if count < record.shape[0]:
                    record[count, 0] = self.place[index]
                    record[count, 1] = self.list[found + 1]
                count += 1
                self.make(self.me, self.list[found], self.list[found + 1])
            self.me = (self.me + 1) % self.seats
        return count

    def choice(self, turns: cython.int) -> cython.int:
        """Return the index in list of the searching seat's best move; -1 if there is none."""
        end: cython.int = self.sort_moves(self.me, 0)
        at: cython.int
        best: cython.int = NEVER
        found: cython.int = -1
        value: cython.int
        start: cython.int
        slot: cython.int
        for at in range(0, end, 2):
            slot = self.list[at]
            start = self.place[self.me * self.slots + slot]
            self.make(self.me, slot, self.list[at + 1])
            value = self.reply(1, turns - 1, best, BEYOND, 1)
            self.unmake(self.me, slot, start)
            if value > best:
                best = value
                found = at
        return found

    def sort_moves(self, seat: cython.int, at: cython.int) -> cython.int:
        """Write the moves of a seat by origin, then by destination; return the end of the list."""
        end: cython.int = self.write_moves(seat, ALL, self.list, at)
        i: cython.int
        j: cython.int
        slot: cython.int
        tile: cython.int
        start: cython.int
        other: cython.int
        for i in range(at + 2, end, 2):
            slot = self.list[i]
            tile = self.list[i + 1]
            start = self.place[seat * self.slots + slot]
            j = i
            while j > at:
                other = self.place[seat * self.slots + self.list[j - 2]]
                if other < start or (other == start and self.list[j - 1] < tile):
                    break
                self.list[j] = self.list[j - 2]
                self.list[j + 1] = self.list[j - 1]
                j -= 2
            self.list[j] = slot
            self.list[j + 1] = tile
        return end

    def reply(
        self, after: cython.int, turns: cython.int, low: cython.int, high: cython.int, ply: cython.int
    ) -> cython.int:
        """Return the value with seat `me + after` to move and `turns` own turns left; exact between low and high."""
        seat: cython.int = (self.me + after) % self.seats
        slot: cython.int
        tile: cython.int
        free: cython.int
        at: cython.int
        end: cython.int
        start: cython.int
        value: cython.int
        best: cython.int
        sure: cython.int = 0
        hope: cython.int = -1
        self.nodes += 1
        if self.nodes > self.limit:
            self.look_up()
            if self.stopped:
                return low
        if turns == 0:
            return self.score[self.me]
        for slot in range(self.slots):
            tile = self.place[self.me * self.slots + slot]
            if tile < 0:
                continue
            free = self.freedom(tile)
            if free > 0 and self.fish[tile] > hope:
                hope = self.fish[tile]
            if free > self.seats - after and self.fish[tile] > sure:
                sure = self.fish[tile]
        if hope < 0:
            return self.score[self.me]
        sure += self.score[self.me]
        hope += self.score[self.me] + (turns - 1) * self.most
        if sure >= high or sure == hope:
            return sure
        if hope <= low:
            return hope
        if after == self.seats:
            return self.own(turns, low, high, ply)
        at = ply * self.room
        end = self.write_moves(seat, ALL, self.list, at)
        if end == at:
            return self.reply(after + 1, turns, low, high, ply + 1)
        best = high
        while at < end:
            slot = self.list[at]
            start = self.place[seat * self.slots + slot]
            self.make(seat, slot, self.list[at + 1])
            value = self.reply(after + 1, turns, low, best, ply + 1)
            self.unmake(seat, slot, start)
            if value < best:
                best = value
                if best <= low or best <= sure:
                    break
            at += 2
        return best

    def look_up(self) -> cython.void:
        """Pass a checkpoint after a slice of nodes. If the caller stops the search, its values are invalid."""
        with cython.gil:
            self.stopped = is_stopped()
        if not self.stopped:
            self.limit = self.nodes + SLICE

    def own(self, turns: cython.int, low: cython.int, high: cython.int, ply: cython.int) -> cython.int:
        """Return the value with the searching seat to move again."""
        at: cython.int = ply * self.room
        end: cython.int = self.write_moves(self.me, ALL, self.list, at)
        start: cython.int
        slot: cython.int
        value: cython.int
        best: cython.int = self.score[self.me]
        while at < end:
            slot = self.list[at]
            start = self.place[self.me * self.slots + slot]
            self.make(self.me, slot, self.list[at + 1])
            value = self.reply(1, turns - 1, best if best > low else low, high, ply + 1)
            self.unmake(self.me, slot, start)
            if value > best:
                best = value
                if best >= high:
                    break
            at += 2
        return best
