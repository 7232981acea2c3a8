"""Monte-Carlo tree search for two to four players, placements included; each seat wants its own reward.

A simulation walks down the tree by upper confidence bounds, adds the moves of the leaf it reaches, plays on at random
and hands every seat its reward: a share of the win, and a little for each fish more than the others have.
"""

import cython

if cython.compiled:
    from cython.cimports.libc.math import log, sqrt
else:
    from math import log, sqrt

    from parlour.games.fish.kernel.terrain import Terrain

# Both found by matches among variants: less curiosity and playouts with a second look won more.
CURIOSITY = cython.declare(cython.double, 0.3)
LOOKS = cython.declare(cython.int, 2)
EVERY = cython.declare(cython.uint, 0xFFFFFFFF)


class TreeSearch(Terrain):
    """Searches for seat 0, which is to act."""

    def __init__(self, tables, seats: cython.int, slots: cython.int, pool: cython.int) -> None:
        Terrain.__init__(self, tables, seats, slots)
        self.pool = pool
        self.used = 0
        self.first_child = tables.zeros("i", pool)
        self.children = tables.zeros("i", pool)
        self.visits = tables.zeros("i", pool)
        self.move_slot = tables.zeros("h", pool)
        self.move_end = tables.zeros("h", pool)
        # The seat that acts in a node; -1 before it is known, -2 at the end of the game.
        self.mover = tables.zeros("b", pool)
        self.reward = tables.zeros("d", pool * seats)
        self.kept_blocked = tables.zeros("Q", self.words)
        self.kept_place = tables.zeros("h", seats * slots)
        self.kept_score = tables.zeros("i", seats)
        self.path = tables.zeros("i", self.tiles + seats * slots + 2)
        self.result = tables.zeros("d", seats)

    def begin(self, seed: cython.ulonglong):
        """Take the position that was loaded as the root of a new tree."""
        self.seed_random(seed)
        self.keep()
        self.used = 0
        self.add(-1, -1)
        self.mover[0] = 0
        self.expand(0)

    def simulations(self, count: cython.longlong):
        """Run so many simulations more."""
        i: cython.longlong
        with cython.nogil:
            for i in range(count):
                self.simulate()
                self.restore()

    def root_actions(self) -> list:
        """For each action of the root: the tile it comes from (-1 when placing), where it goes, visits, mean reward."""
        found = []
        child: cython.int
        for child in range(self.first_child[0], self.first_child[0] + self.children[0]):
            slot = self.move_slot[child]
            mean = self.reward[child * self.seats] / max(1, self.visits[child])
            found.append((self.place[slot], self.move_end[child], self.visits[child], mean))
        return found

    def keep(self):
        """Remember the position of the root."""
        i: cython.int
        for i in range(self.words):
            self.kept_blocked[i] = self.blocked[i]
        for i in range(self.seats * self.slots):
            self.kept_place[i] = self.place[i]
        for i in range(self.seats):
            self.kept_score[i] = self.score[i]

    def restore(self):
        """Go back to the position of the root."""
        i: cython.int
        for i in range(self.words):
            self.blocked[i] = self.kept_blocked[i]
        for i in range(self.seats * self.slots):
            self.place[i] = self.kept_place[i]
        for i in range(self.seats):
            self.score[i] = self.kept_score[i]

    def missing_slot(self, seat):
        """The first penguin of a seat that is not placed; -1 if all are."""
        slot: cython.int
        for slot in range(self.slots):
            if self.place[seat * self.slots + slot] < 0:
                return slot
        return -1

    def next_mover(self, seat):
        """The first seat from this one on that is to act; -2 if the game is over."""
        i: cython.int
        for i in range(self.seats):
            if self.missing_slot((seat + i) % self.seats) >= 0:
                return (seat + i) % self.seats
        for i in range(self.seats):
            if self.can_move((seat + i) % self.seats):
                return (seat + i) % self.seats
        return -2

    def add(self, slot, end):
        """A new node for an action; returns its number."""
        node: cython.int = self.used
        seat: cython.int
        self.used += 1
        self.first_child[node] = 0
        self.children[node] = 0
        self.visits[node] = 0
        self.move_slot[node] = slot
        self.move_end[node] = end
        self.mover[node] = -1
        for seat in range(self.seats):
            self.reward[node * self.seats + seat] = 0
        return node

    def expand(self, node):
        """Add the actions of the node's mover; False if there is no room left for them."""
        seat: cython.int = self.mover[node]
        slot: cython.int = self.missing_slot(seat)
        tile: cython.int
        at: cython.int
        end: cython.int
        if self.used + self.room + self.tiles > self.pool:
            return False
        self.first_child[node] = self.used
        if slot >= 0:
            for tile in range(self.tiles):
                if not self.is_blocked(tile):
                    self.add(slot, tile)
        else:
            end = self.write_moves(seat, EVERY, self.list, 0)
            for at in range(0, end, 2):
                self.add(self.list[at], self.list[at + 1])
        self.children[node] = self.used - self.first_child[node]
        return self.children[node] > 0

    def select(self, node):
        """The child with the highest upper confidence bound for the mover; unvisited ones come first."""
        seat: cython.int = self.mover[node]
        count: cython.int = self.children[node]
        first: cython.int = self.first_child[node]
        child: cython.int
        found: cython.int = -1
        start: cython.int
        bound: cython.double
        best: cython.double = -1e9
        scale: cython.double = CURIOSITY * sqrt(log(self.visits[node] + 1.0))
        for child in range(first, first + count):
            if self.visits[child] == 0:
                # Richer tiles first; chance breaks ties.
                start = self.place[seat * self.slots + self.move_slot[child]]
                bound = 1000.0 + self.below(1000) * 0.001 + self.fish[self.move_end[child]]
                if start >= 0:
                    bound += self.fish[start]
            else:
                bound = self.reward[child * self.seats + seat] / self.visits[child]
                bound += scale / sqrt(cython.cast(cython.double, self.visits[child]))
            if bound > best:
                best = bound
                found = child
        return found

    def take(self, seat, node):
        """Play the action that leads to a node."""
        slot: cython.int = self.move_slot[node]
        if self.place[seat * self.slots + slot] < 0:
            self.place[seat * self.slots + slot] = self.move_end[node]
            self.block(self.move_end[node])
        else:
            self.make(seat, slot, self.move_end[node])

    def finish(self, seat):
        """Play to the end at random and weigh the result."""
        self.place_randomly(seat)
        self.play_out(seat, LOOKS)
        self.weigh()

    def weigh(self):
        """The reward of each seat at the end of the game."""
        seat: cython.int
        best: cython.int = 0
        second: cython.int
        winners: cython.int = 0
        other: cython.int
        margin: cython.double
        for seat in range(self.seats):
            if self.score[seat] > best:
                best = self.score[seat]
                winners = 0
            if self.score[seat] == best:
                winners += 1
        for seat in range(self.seats):
            second = 0
            for other in range(self.seats):
                if other != seat and self.score[other] > second:
                    second = self.score[other]
            margin = (self.score[seat] - second) * 0.02
            if margin > 0.5:
                margin = 0.5
            if margin < -0.5:
                margin = -0.5
            self.result[seat] = 0.4 * (0.5 + margin)
            if self.score[seat] == best:
                self.result[seat] += 0.6 / winners

    def simulate(self):
        """One walk from the root to the end of a game, and its rewards back to the root."""
        depth: cython.int = 0
        node: cython.int = 0
        seat: cython.int
        i: cython.int
        self.path[0] = 0
        while True:
            if self.mover[node] == -2:
                break
            if self.children[node] == 0 and (self.visits[node] == 0 or not self.expand(node)):
                break
            seat = self.mover[node]
            node = self.select(node)
            self.take(seat, node)
            depth += 1
            self.path[depth] = node
            if self.mover[node] == -1:
                self.mover[node] = self.next_mover((seat + 1) % self.seats)
        if self.mover[node] == -2:
            self.weigh()
        else:
            self.finish(self.mover[node])
        for i in range(depth + 1):
            node = self.path[i]
            self.visits[node] += 1
            for seat in range(self.seats):
                self.reward[node * self.seats + seat] += self.result[seat]
