"""Monte-Carlo tree search for two to four players, placements included; each seat wants its own reward.

A simulation walks down the tree by upper confidence bounds, adds the moves of the leaf it reaches, plays on at random
and hands every seat its reward: a share of the win, and a little for each fish more than the others have.

Of other seats it may be believed, with some chance, that they do not search but play in a simple manner: then they
follow it for a whole simulation, in the tree and beyond.
"""

import cython

if cython.compiled:
    from cython.cimports.libc.math import log, sqrt
else:
    from math import log, sqrt

    from parlour.games.fish.kernel.terrain import Terrain

# Both found by matches among variants: less curiosity and playouts with a second look won more.
CURIOSITY = cython.declare(cython.double, 0.35)
LOOKS = cython.declare(cython.int, 2)
# Manners: whoever grabs goes to the richest tile; whoever reckons wants most fish in two turns, and places on the first
# free tile. Equal ones by the tile it comes from, then the one it goes to.
SEARCHES = cython.declare(cython.int, 0)
GRABS = cython.declare(cython.int, 1)
RECKONS = cython.declare(cython.int, 2)
FIRST = cython.declare(cython.int, 1 << 20)
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
        self.grabs = tables.zeros("i", seats)
        self.reckons = tables.zeros("i", seats)
        self.manner = tables.zeros("i", seats)
        self.single = False
        self.unit = 1

    def believe(self, grabs: list, reckons: list) -> None:
        """For each seat the chance, in percent, that it plays in each of the simple manners."""
        seat: cython.int
        for seat in range(1, self.seats):
            self.grabs[seat] = grabs[seat]
            self.reckons[seat] = reckons[seat]

    def play_by(self, single: cython.bint, cash: cython.bint, unit: cython.int):
        """Whether penguins are placed on single fish only, the last tile counts; and what one fish counts for."""
        self.single = single
        self.cash = cash
        self.unit = unit

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

    def can_place(self, tile):
        """Whether a penguin may be placed on a tile."""
        return not self.is_blocked(tile) and (not self.single or self.fish[tile] < 2 * self.unit)

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
                if self.can_place(tile):
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

    def follow(self, node):
        """The child that the mover chooses in its simple manner."""
        seat: cython.int = self.mover[node]
        first: cython.int = self.first_child[node]
        child: cython.int
        promise: cython.longlong
        found: cython.int = first
        best: cython.longlong = -1
        for child in range(first, first + self.children[node]):
            promise = self.promise(seat, self.move_slot[child], self.move_end[child])
            if promise > best:
                best = promise
                found = child
        return found

    def promise(self, seat, slot, end):
        """How much a seat's manner likes an action, with what decides among equals."""
        start: cython.int = self.place[seat * self.slots + slot]
        liked: cython.longlong = self.fish[end]
        if self.manner[seat] == RECKONS:
            liked = 0 if start < 0 else self.fish[start] + self.next_catch(seat, slot, end)
        return liked * FIRST + FIRST - 1 - max(start, 0) * self.tiles - end

    def next_catch(self, seat, slot, end):
        """The most fish that a seat collects next if one of its penguins goes there and no other is shut in."""
        other: cython.int
        tile: cython.int
        best: cython.int = 0
        self.block(end)
        for other in range(self.slots):
            tile = end if other == slot else self.place[seat * self.slots + other]
            if tile >= 0 and self.fish[tile] > best and self.freedom(tile) > 1:
                best = self.fish[tile]
        self.unblock(end)
        return best

    def take(self, seat, node):
        """Play the action that leads to a node."""
        slot: cython.int = self.move_slot[node]
        if self.place[seat * self.slots + slot] < 0:
            self.place[seat * self.slots + slot] = self.move_end[node]
            self.block(self.move_end[node])
        else:
            self.make(seat, slot, self.move_end[node])

    def finish(self, seat):
        """Play to the end, at random or in a manner, and weigh the result."""
        other: cython.int
        simple: cython.int = 0
        for other in range(self.seats):
            simple += self.manner[other]
        if simple or self.single:
            self.place_all(seat)
        else:
            self.place_randomly(seat)
        if simple:
            self.play_on(seat)
        else:
            self.play_out(seat, LOOKS)
        self.weigh()

    def place_all(self, turn):
        """Place all penguins that are missing, one a turn, each by its seat's manner or at random."""
        seat: cython.int = turn
        slot: cython.int = self.missing_slot(seat)
        tile: cython.int
        placed: cython.int = 1
        while placed:
            placed = 0
            for seat in range(turn, turn + self.seats):
                slot = self.missing_slot(seat % self.seats)
                if slot < 0:
                    continue
                tile = self.place_for(seat % self.seats, slot)
                if tile < 0:
                    return
                self.place[(seat % self.seats) * self.slots + slot] = tile
                self.block(tile)
                placed = 1

    def place_for(self, seat, slot):
        """Where a seat places, by its manner; -1 if it cannot."""
        tile: cython.int
        found: cython.int = -1
        count: cython.int = 0
        best: cython.longlong = -1
        for tile in range(self.tiles):
            if not self.can_place(tile):
                continue
            count += 1
            if self.manner[seat] == SEARCHES:
                if self.below(count) == 0:
                    found = tile
            elif self.promise(seat, slot, tile) > best:
                best = self.promise(seat, slot, tile)
                found = tile
        return found

    def play_on(self, turn):
        """Move until nobody can, each by its seat's manner, or the better of two random moves."""
        stuck: cython.uint = 0
        left: cython.int = self.seats
        seat: cython.int = turn
        while left:
            if not (stuck >> seat) & 1:
                if self.options(seat) == 0:
                    stuck |= 1 << seat
                    left -= 1
                elif self.manner[seat] == SEARCHES:
                    self.move_by_chance(seat)
                else:
                    self.move_by_manner(seat)
            seat += 1
            if seat == self.seats:
                seat = 0

    def move_by_chance(self, seat):
        """The better of two random moves; reach must be filled in."""
        look: cython.int
        pick: cython.int
        index: cython.int
        start: cython.int
        tile: cython.int
        slot: cython.int = 0
        end: cython.int = 0
        best: cython.int = -1
        total: cython.int = 0
        for index in range(6 * self.slots):
            total += self.reach[index]
        for look in range(LOOKS):
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

    def move_by_manner(self, seat):
        """The move that the seat's manner likes best; reach must be filled in."""
        index: cython.int
        step: cython.int
        start: cython.int
        tile: cython.int
        slot: cython.int = 0
        end: cython.int = 0
        promise: cython.longlong
        best: cython.longlong = -1
        for index in range(6 * self.slots):
            start = self.place[seat * self.slots + index // 6]
            for step in range(self.reach[index]):
                tile = self.along[(start * 6 + index % 6) * self.longest + step]
                promise = self.promise(seat, index // 6, tile)
                if promise > best:
                    best = promise
                    slot = index // 6
                    end = tile
        self.make(seat, slot, end)

    def weigh(self):
        """The reward of each seat at the end of the game."""
        seat: cython.int
        if self.cash:
            for seat in range(self.seats):
                self.score[seat] += self.standing(seat, EVERY)
        self.share_out()

    def share_out(self):
        """The reward of each seat by the final scores."""
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
            margin = (self.score[seat] - second) * 0.02 / self.unit
            if margin > 0.5:
                margin = 0.5
            if margin < -0.5:
                margin = -0.5
            self.result[seat] = 0.2 * (0.5 + margin)
            if self.score[seat] == best:
                self.result[seat] += 0.8 / winners

    def simulate(self):
        """One walk from the root to the end of a game, and its rewards back to the root."""
        depth: cython.int = 0
        node: cython.int = 0
        seat: cython.int
        i: cython.int
        chance: cython.int
        for i in range(1, self.seats):
            self.manner[i] = SEARCHES
            if self.grabs[i] + self.reckons[i]:
                chance = self.below(100)
                if chance < self.grabs[i]:
                    self.manner[i] = GRABS
                elif chance < self.grabs[i] + self.reckons[i]:
                    self.manner[i] = RECKONS
        self.path[0] = 0
        while True:
            if self.mover[node] == -2:
                break
            if self.children[node] == 0 and (self.visits[node] == 0 or not self.expand(node)):
                break
            seat = self.mover[node]
            node = self.follow(node) if self.manner[seat] else self.select(node)
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
