"""The ice as each seat sees it: distances of tiles, isolated seats, and the most that an isolated seat can collect.

A seat whose penguins share no reachable tile with others plays alone from then on. Its best collection is a puzzle
for one player: branch and bound solves it, separately for each group of penguins on its own piece of ice. If the rules
say so (cash), the fish under its penguins at the end are its own too.
"""

import cython

if not cython.compiled:
    from parlour.games.fish.kernel.play import Play

ALL = cython.declare(cython.uint, 0xFFFFFFFF)
SOLO_TILES = cython.declare(cython.int, 40)


class Terrain(Play):
    """A game with distances, and puzzles of one seat alone."""

    def __init__(self, tables, seats: cython.int, slots: cython.int) -> None:
        Play.__init__(self, tables, seats, slots)
        # The moves of one ply as pairs of slot and end.
        self.room: cython.int = 2 * slots * 6 * self.longest + 2
        self.plies: cython.int = 160
        self.list: cython.short[::1] = tables.zeros("h", self.room * self.plies)
        self.distance: cython.uchar[::1] = bytearray(seats * self.tiles)
        self.queue: cython.short[::1] = tables.zeros("h", self.tiles)
        self.groups: cython.uint[::1] = tables.zeros("I", slots)
        self.solo_best: cython.int = 0
        self.solo_nodes: cython.longlong = 0
        self.solo_limit: cython.longlong = 0
        self.exact: cython.bint = True
        self.cash: cython.bint = False

    def count_last_tiles(self, cash: cython.bint):
        """Return True if the fish under penguins count at the end."""
        self.cash = cash

    def distances(self, seat: cython.int):
        """Return the steps from the nearest penguin of a seat to each tile; 0 for tiles out of reach."""
        self.flood(seat, ALL)
        return list(self.distance[seat * self.tiles : (seat + 1) * self.tiles])

    def cut_off(self, seat: cython.int):
        """Return True if the seat shares no reachable tile with any other."""
        other: cython.int
        for other in range(self.seats):
            self.flood(other, ALL)
        return bool(self.apart(seat))

    def best_harvest(self, seat: cython.int, limit: cython.longlong):
        """Return the most fish that the seat collects if all others stand still, and if that is proved within `limit`
        nodes.
        """
        found: cython.int
        self.solo_nodes = 0
        self.solo_limit = limit
        self.exact = True
        with cython.nogil:
            found = self.harvest(seat, 0)
        return found, bool(self.exact)

    def harvest_move(self, seat: cython.int, limit: cython.longlong):
        """Return the first move of a best harvest as a pair of tiles; None if the seat cannot move."""
        at: cython.int
        slot: cython.int
        start: cython.int
        value: cython.int
        best: cython.int = -1
        found = None
        end: cython.int = self.write_moves(seat, ALL, self.list, 0)
        self.exact = True
        self.solo_nodes = 0
        for at in range(0, end, 2):
            # Every move gets its share of the nodes, so that the last ones are judged as well as the first.
            self.solo_limit = self.solo_nodes + limit // (end // 2) + 1
            slot = self.list[at]
            start = self.place[seat * self.slots + slot]
            self.make(seat, slot, self.list[at + 1])
            with cython.nogil:
                value = self.harvest(seat, 1)
            value += self.fish[start]
            self.unmake(seat, slot, start)
            if value > best:
                best = value
                found = (start, self.list[at + 1])
        return found

    def flood(self, seat: cython.int, members: cython.uint) -> cython.void:
        """Write the distances of a seat's penguins in `members` to all tiles."""
        base: cython.int = seat * self.tiles
        head: cython.int = 0
        tail: cython.int = 0
        slot: cython.int
        tile: cython.int
        there: cython.int
        direction: cython.int
        steps: cython.int
        for tile in range(self.tiles):
            self.distance[base + tile] = 0
        for slot in range(self.slots):
            tile = self.place[seat * self.slots + slot]
            if tile < 0 or not (members >> slot) & 1:
                continue
            for direction in range(6):
                there = self.beside[tile * 6 + direction]
                if there >= 0 and self.distance[base + there] == 0 and not self.is_blocked(there):
                    self.distance[base + there] = 1
                    self.queue[tail] = there
                    tail += 1
        while head < tail:
            tile = self.queue[head]
            head += 1
            steps = self.distance[base + tile] + 1
            if steps > 250:
                steps = 250
            for direction in range(6):
                there = self.beside[tile * 6 + direction]
                if there >= 0 and self.distance[base + there] == 0 and not self.is_blocked(there):
                    self.distance[base + there] = steps
                    self.queue[tail] = there
                    tail += 1

    def apart(self, seat: cython.int) -> cython.bint:
        """Return True if no tile that the seat reaches is reached by another; all distances must be filled in."""
        tile: cython.int
        other: cython.int
        for tile in range(self.tiles):
            if self.distance[seat * self.tiles + tile]:
                for other in range(self.seats):
                    if other != seat and self.distance[other * self.tiles + tile]:
                        return False
        return True

    def group_slots(self, seat: cython.int) -> cython.int:
        """Group the penguins of a seat that share ice, as bits of slots; return the number of groups."""
        count: cython.int = 0
        slot: cython.int
        other: cython.int
        tile: cython.int
        direction: cython.int
        there: cython.int
        members: cython.uint
        seen: cython.uint = 0
        for slot in range(self.slots):
            tile = self.place[seat * self.slots + slot]
            if tile < 0 or (seen >> slot) & 1 or self.freedom(tile) == 0:
                continue
            members = cython.cast(cython.uint, 1) << slot
            # A penguin may bridge two pieces of ice, so a group grows until nothing more touches it.
            while True:
                self.flood(seat, members)
                count_before: cython.uint = members
                for other in range(self.slots):
                    tile = self.place[seat * self.slots + other]
                    if tile < 0 or (members >> other) & 1:
                        continue
                    for direction in range(6):
                        there = self.beside[tile * 6 + direction]
                        if there >= 0 and self.distance[seat * self.tiles + there]:
                            members |= cython.cast(cython.uint, 1) << other
                            break
                if members == count_before:
                    break
            seen |= members
            self.groups[count] = members
            count += 1
        return count

    def harvest(self, seat: cython.int, ply: cython.int) -> cython.int:
        """Return the most fish that a seat collects from here if all others stand still."""
        count: cython.int = self.group_slots(seat)
        total: cython.int = 0
        index: cython.int
        members: cython.uint
        seen: cython.uint = 0
        for index in range(count):
            members = self.groups[index]
            seen |= members
            total += self.harvest_group(seat, members, ply)
        if self.cash:
            total += self.standing(seat, ALL & ~seen)
        return total

    def standing(self, seat: cython.int, members: cython.uint) -> cython.int:
        """Return the number of fish under some penguins of a seat."""
        slot: cython.int
        total: cython.int = 0
        for slot in range(self.slots):
            if (members >> slot) & 1 and self.place[seat * self.slots + slot] >= 0:
                total += self.fish[self.place[seat * self.slots + slot]]
        return total

    def harvest_group(self, seat: cython.int, members: cython.uint, ply: cython.int) -> cython.int:
        """Return the most fish that penguins on one piece of ice collect; for large pieces an estimate, not `exact`."""
        bound: cython.int = self.most_to_come(seat, members)
        size: cython.int = 0
        tile: cython.int
        for tile in range(self.tiles):
            if self.distance[seat * self.tiles + tile]:
                size += 1
        if size > SOLO_TILES or self.solo_nodes >= self.solo_limit:
            self.exact = False
            return bound * 3 // 4
        self.solo_best = 0
        self.solo(seat, members, 0, ply)
        return self.solo_best

    def most_to_come(self, seat: cython.int, members: cython.uint) -> cython.int:
        """Return an upper bound of the fish that a group of penguins can still collect.

        It counts all tiles that the group reaches or can leave. If fish under penguins do not count at the end, the
        tile in reach with the fewest fish is left out, because a penguin ends on one of them.
        """
        tile: cython.int
        slot: cython.int
        total: cython.int = 0
        least: cython.int = 255
        self.flood(seat, members)
        for tile in range(self.tiles):
            if self.distance[seat * self.tiles + tile]:
                total += self.fish[tile]
                if self.fish[tile] < least:
                    least = self.fish[tile]
        if self.cash:
            return total + self.standing(seat, members)
        if total == 0:
            return 0
        for slot in range(self.slots):
            if (members >> slot) & 1:
                tile = self.place[seat * self.slots + slot]
                if self.freedom(tile) > 0:
                    total += self.fish[tile]
        return total - least

    def solo(self, seat: cython.int, members: cython.uint, gained: cython.int, ply: cython.int) -> cython.void:
        """Search all continuations by branch and bound; the best goes to solo_best."""
        at: cython.int
        end: cython.int
        slot: cython.int
        start: cython.int
        self.solo_nodes += 1
        if gained + (self.standing(seat, members) if self.cash else 0) > self.solo_best:
            self.solo_best = gained + (self.standing(seat, members) if self.cash else 0)
        if self.solo_nodes >= self.solo_limit or ply >= self.plies:
            self.exact = False
            return
        if gained + self.most_to_come(seat, members) <= self.solo_best:
            return
        at = ply * self.room
        end = self.write_moves(seat, members, self.list, at)
        while at < end:
            slot = self.list[at]
            start = self.place[seat * self.slots + slot]
            self.make(seat, slot, self.list[at + 1])
            self.solo(seat, members, gained + self.fish[start], ply + 1)
            self.unmake(seat, slot, start)
            at += 2
