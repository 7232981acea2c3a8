"""Monte-Carlo tree search for two to four players, placements included; each seat wants its own reward.

A simulation walks down the tree by upper confidence bounds, adds the moves of the leaf it reaches, plays on at random
and hands every seat its reward: a share of the win, and a little for each fish more than the others have.

Another seat may be assumed, with some probability, to play in a simple manner instead of searching. If a simulation
draws the manner for a seat, the seat follows it for the whole simulation, in the tree and beyond.
"""

import cython

if cython.compiled:
    from cython.cimports.libc.math import log, sqrt
else:
    from math import log, sqrt

    from parlour.games.fish.kernel.lookahead import LookAhead
    from parlour.games.fish.kernel.terrain import Terrain

# Both values were found by matches between variants: less exploration won more, and so did playouts that choose the
# better of two random moves.
CURIOSITY = cython.declare(cython.double, 0.35)
LOOKS = cython.declare(cython.int, 2)
# Manners of play. GRABS goes to the tile with the most fish. RECKONS places on the first free tile and looks two turns
# ahead; in playouts it counts only the fish of its next move. Ties go to the smallest origin, then destination.
SEARCHES = cython.declare(cython.int, 0)
GRABS = cython.declare(cython.int, 1)
RECKONS = cython.declare(cython.int, 2)
AHEAD = cython.declare(cython.int, 2)
FIRST = cython.declare(cython.int, 1 << 20)
EVERY = cython.declare(cython.uint, 0xFFFFFFFF)


class TreeSearch(Terrain):
    """Searches for the seat to act, which is number 0."""

    def __init__(self, tables, seats: cython.int, slots: cython.int, pool: cython.int) -> None:
        Terrain.__init__(self, tables, seats, slots)
        self.pool: cython.int = pool
        self.used: cython.int = 0
        self.first_child: cython.int[::1] = tables.zeros("i", pool)
        self.children: cython.int[::1] = tables.zeros("i", pool)
        self.visits: cython.int[::1] = tables.zeros("i", pool)
        self.move_slot: cython.short[::1] = tables.zeros("h", pool)
        self.move_end: cython.short[::1] = tables.zeros("h", pool)
        # The seat that acts in a node; -1 before it is known, -2 at the end of the game.
        self.mover: cython.schar[::1] = tables.zeros("b", pool)
        self.reward: cython.double[::1] = tables.zeros("d", pool * seats)
        self.kept_blocked: cython.ulonglong[::1] = tables.zeros("Q", self.words)
        self.kept_place: cython.short[::1] = tables.zeros("h", seats * slots)
        self.kept_score: cython.int[::1] = tables.zeros("i", seats)
        self.path: cython.int[::1] = tables.zeros("i", self.tiles + seats * slots + 2)
        self.result: cython.double[::1] = tables.zeros("d", seats)
        self.grabs: cython.int[::1] = tables.zeros("i", seats)
        self.reckons: cython.int[::1] = tables.zeros("i", seats)
        self.manner: cython.int[::1] = tables.zeros("i", seats)
        self.single: cython.bint = False
        self.unit: cython.int = 1
        # The child that look-ahead chooses in a node; -1 before it is known.
        self.answer: cython.int[::1] = tables.zeros("i", pool)
        self.mind: LookAhead = LookAhead(tables, seats, slots, AHEAD)
        self.mind.look_at(self, tables.most_fish)
        self.most_fish: cython.int = tables.most_fish

    def believe(self, grabs: list, reckons: list) -> None:
        """Set for each seat the probability, in percent, of each of the simple manners of play."""
        seat: cython.int
        for seat in range(1, self.seats):
            self.grabs[seat] = grabs[seat]
            self.reckons[seat] = reckons[seat]

    def play_by(self, single: cython.bint, cash: cython.bint, unit: cython.int):
        """Set the rules: penguins are placed on single fish only, the last tile counts, and the value of one fish."""
        self.single = single
        self.cash = cash
        self.unit = unit
        self.mind.look_at(self, unit * self.most_fish + (unit > 1))

    def begin(self, seed: cython.ulonglong):
        """Make the loaded position the root of a new tree."""
        self.seed_random(seed)
        self.keep()
        self.used = 0
        self.add(-1, -1)
        self.mover[0] = 0
        self.expand(0)

    def simulations(self, count: cython.longlong, looks: cython.longlong = 1 << 40):
        """Run `count` simulations, or stop after `looks` nodes of look-ahead; return the number of simulations."""
        i: cython.longlong = 0
        limit: cython.longlong = self.mind.nodes + looks
        with cython.nogil:
            while i < count and self.mind.nodes < limit:
                self.simulate()
                self.restore()
                i += 1
        return i

    def looked(self) -> int:
        """Return the number of nodes that look-ahead has searched."""
        return self.mind.nodes

    def root_actions(self) -> list:
        """Return for each action of the root: origin (-1 when placing), destination, visits, mean reward."""
        found = []
        child: cython.int
        for child in range(self.first_child[0], self.first_child[0] + self.children[0]):
            slot = self.move_slot[child]
            mean = self.reward[child * self.seats] / max(1, self.visits[child])
            found.append((self.place[slot], self.move_end[child], self.visits[child], mean))
        return found

    def keep(self) -> cython.void:
        """Save the position of the root."""
        i: cython.int
        for i in range(self.words):
            self.kept_blocked[i] = self.blocked[i]
        for i in range(self.seats * self.slots):
            self.kept_place[i] = self.place[i]
        for i in range(self.seats):
            self.kept_score[i] = self.score[i]

    def restore(self) -> cython.void:
        """Return to the position of the root."""
        i: cython.int
        for i in range(self.words):
            self.blocked[i] = self.kept_blocked[i]
        for i in range(self.seats * self.slots):
            self.place[i] = self.kept_place[i]
        for i in range(self.seats):
            self.score[i] = self.kept_score[i]

    def next_mover(self, seat: cython.int) -> cython.int:
        """Return the next seat to act, beginning with the given one; -2 if the game is over."""
        i: cython.int
        for i in range(self.seats):
            if self.missing_slot((seat + i) % self.seats) >= 0:
                return (seat + i) % self.seats
        for i in range(self.seats):
            if self.can_move((seat + i) % self.seats):
                return (seat + i) % self.seats
        return -2

    def add(self, slot: cython.int, end: cython.int) -> cython.int:
        """Add a node for an action; return its number."""
        node: cython.int = self.used
        seat: cython.int
        self.used += 1
        self.first_child[node] = 0
        self.children[node] = 0
        self.visits[node] = 0
        self.move_slot[node] = slot
        self.move_end[node] = end
        self.mover[node] = -1
        self.answer[node] = -1
        for seat in range(self.seats):
            self.reward[node * self.seats + seat] = 0
        return node

    def can_place(self, tile: cython.int) -> cython.bint:
        """Return True if a penguin may be placed on a tile."""
        return not self.is_blocked(tile) and (not self.single or self.fish[tile] < 2 * self.unit)

    def expand(self, node: cython.int) -> cython.bint:
        """Add the actions of the node's mover; return False if there is no room left for them."""
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

    def select(self, node: cython.int) -> cython.int:
        """Return the child with the highest upper confidence bound for the mover; unvisited ones come first."""
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

    def follow(self, node: cython.int) -> cython.int:
        """Return the child that the mover chooses in its simple manner."""
        seat: cython.int = self.mover[node]
        first: cython.int = self.first_child[node]
        child: cython.int
        promise: cython.longlong
        found: cython.int = first
        best: cython.longlong = -1
        if self.manner[seat] == RECKONS and self.missing_slot(seat) < 0:
            # Look-ahead is computed once per node: it depends on the position alone.
            if self.answer[node] < 0:
                self.answer[node] = self.reckoned(seat, node)
            return self.answer[node]
        for child in range(first, first + self.children[node]):
            promise = self.promise(seat, self.move_slot[child], self.move_end[child])
            if promise > best:
                best = promise
                found = child
        return found

    def reckoned(self, seat: cython.int, node: cython.int) -> cython.int:
        """Return the child of a node that is best by look-ahead."""
        at: cython.int
        child: cython.int = self.first_child[node]
        self.mind.me = seat
        at = self.mind.choice(AHEAD)
        while self.move_slot[child] != self.mind.list[at] or self.move_end[child] != self.mind.list[at + 1]:
            child += 1
        return child

    def promise(self, seat: cython.int, slot: cython.int, end: cython.int) -> cython.longlong:
        """Return the preference of a seat's manner for an action, with its tie-break."""
        start: cython.int = self.place[seat * self.slots + slot]
        liked: cython.longlong = self.fish[end]
        if self.manner[seat] == RECKONS:
            liked = 0 if start < 0 else self.fish[start] + self.next_catch(seat, slot, end)
        return liked * FIRST + FIRST - 1 - max(start, 0) * self.tiles - end

    def next_catch(self, seat: cython.int, slot: cython.int, end: cython.int) -> cython.int:
        """Return the most fish under a penguin of the seat with two free neighbours or more, after a move to `end`."""
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

    def take(self, seat: cython.int, node: cython.int) -> cython.void:
        """Play the action that leads to a node."""
        slot: cython.int = self.move_slot[node]
        if self.place[seat * self.slots + slot] < 0:
            self.place[seat * self.slots + slot] = self.move_end[node]
            self.block(self.move_end[node])
        else:
            self.make(seat, slot, self.move_end[node])

    def wanted_tile(self, seat, slot):
        """Return the tile on which a seat's manner places a penguin; -1 if there is none."""
        tile: cython.int
        found: cython.int = -1
        count: cython.int = 0
        best: cython.longlong = -1
        if self.manner[seat] == SEARCHES and not self.single:
            return self.free_tile()
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

    def go_on(self, seat, total, looks):
        """Play the move that the seat's manner prefers; a random one without a manner."""
        index: cython.int
        step: cython.int
        start: cython.int
        tile: cython.int
        slot: cython.int = 0
        end: cython.int = 0
        promise: cython.longlong
        best: cython.longlong = -1
        if self.manner[seat] == SEARCHES:
            Terrain.go_on(self, seat, total, looks)
            return
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

    def weigh(self) -> cython.void:
        """Write the reward of each seat at the end of the game."""
        seat: cython.int
        if self.cash:
            for seat in range(self.seats):
                self.score[seat] += self.standing(seat, EVERY)
        self.share_out()

    def share_out(self) -> cython.void:
        """Write the reward of each seat by the final scores."""
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

    def simulate(self) -> cython.void:
        """Walk once from the root to the end of a game, and carry the rewards back to the root."""
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
        if self.mover[node] >= 0:
            self.place_missing(self.mover[node])
            self.play_out(self.mover[node], LOOKS)
        self.weigh()
        for i in range(depth + 1):
            node = self.path[i]
            self.visits[node] += 1
            for seat in range(self.seats):
                self.reward[node * self.seats + seat] += self.result[seat]
