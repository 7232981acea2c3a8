"""Legal actions of a state: one list for each ordered province, and if need be sorted through a bit set."""

import cython
import numpy as np

if not cython.compiled:
    from parlour.games.diplomacy.kernel.bits import lowest
    from parlour.games.diplomacy.kernel.board import Board
    from parlour.games.diplomacy.kernel.layout import (
        AUTUMN_MOVES,
        CONTESTED,
        DISLODGED,
        FLEET,
        NO_ACTION,
        ORIGINS,
        OWNERS,
        POWER_MASK,
        SEASON,
        SPRING_MOVES,
        STATUS,
        UNITS,
        WINTER,
    )
    from parlour.games.diplomacy.kernel.routes import Routes


class Legal(Board):
    """Knows what every unit may be ordered to do.

    The indices of the actions that order province p are listed from first[p] to end[p], in no particular order; first
    leaves room for all that the table has. A slot with NO_ACTION is one that the next entry overwrites.
    """

    def __init__(self, tables):
        Board.__init__(self, tables)
        self.routes = Routes(tables["neighbours"].tolist())
        ordered = (tables["actions"] >> 9) & 127
        ordered[self.waive] = 127
        self.ordered = memoryview(ordered.astype(np.uint8))
        # One slot more than the table needs, for what is written and then overwritten.
        rooms = np.bincount(ordered, minlength=128) + 1
        self.first = memoryview((np.cumsum(rooms) - rooms).astype(np.int32))
        self.end = memoryview(np.zeros(128, np.int32))
        self.listed = memoryview(np.zeros(self.length + 129, np.uint16))
        self.marks = memoryview(np.zeros(self.length // 64 + 1, np.uint64))
        self.found = memoryview(np.zeros(self.length + 16, np.int32))
        self.who = memoryview(np.zeros(128, np.int32))
        self.units = memoryview(np.zeros(128, np.int32))
        self.sites = memoryview(np.zeros(128, np.int32))
        self.unit_count = self.by_sea = 0
        self.seas = self.army_lo = self.army_hi = 0
        # Who could come to province p by its own means, and the rows of their supports: come_first[p] to come_end[p].
        borders = len(tables["support_move"]) // self.provinces + self.provinces
        self.come_end = memoryview(np.zeros(128, np.int32))
        self.comers = memoryview(np.zeros(borders, np.uint8))
        self.comer_rows = memoryview(np.zeros(borders, np.int32))
        self.taken = memoryview(np.zeros(128, np.uint8))
        self.carried_lo = memoryview(np.zeros(128, np.uint64))
        self.carried_hi = memoryview(np.zeros(128, np.uint64))
        self.via = memoryview(np.zeros(64, np.uint64))

    @cython.final
    def add(self, p, index):
        """List an action that orders province p."""
        self.listed[self.end[p]] = index
        self.end[p] += 1

    def list_all(self):
        """List the legal actions of the state at hand; who[p] is the power that orders in province p."""
        p: cython.int
        season: cython.int = self.row[SEASON]
        for p in range(128):
            self.end[p] = self.first[p]
        if self.row[STATUS]:
            return
        if season == SPRING_MOVES or season == AUTUMN_MOVES:
            self.look()
            self.list_moves()
            self.by_sea = self.seas != 0 and (self.army_lo | self.army_hi) != 0
            if self.by_sea:
                self.list_convoys()
            self.list_supports()
        elif season == WINTER:
            self.list_builds()
        else:
            self.list_retreats()

    def look(self):
        """List the units, the fleets at sea and the armies on shores. Whoever is at sea is a fleet."""
        i: cython.int
        p: cython.int
        unit: cython.int
        count: cython.int = 0
        seas: cython.ulonglong = 0
        lo: cython.ulonglong = 0
        hi: cython.ulonglong = 0
        if_army: cython.ulonglong
        for p in range(self.provinces):
            self.units[count] = p
            count += self.row[UNITS + p] != 0
        for i in range(count):
            p = self.units[i]
            unit = self.row[UNITS + p]
            self.who[p] = (unit & POWER_MASK) - 1
            self.sites[p] = self.site(p, unit)
            # All bits for an army, none for a fleet: a mask is quicker here than a branch.
            if_army = cython.cast(cython.ulonglong, (unit & FLEET != 0) - 1)
            seas |= self.sea_bit[p]
            lo |= self.shore_bit_lo[p] & if_army
            hi |= self.shore_bit_hi[p] & if_army
        self.unit_count = count
        self.seas = seas
        self.army_lo = lo
        self.army_hi = hi

    def list_moves(self):
        """Holds, moves and supports of units that stand; and note for each province who could come there."""
        i: cython.int
        k: cython.int
        p: cython.int
        to: cython.int
        at: cython.int
        site: cython.int
        for p in range(self.provinces):
            self.come_end[p] = self.come_first[p]
            self.taken[p] = self.row[UNITS + p] != 0
        for i in range(self.unit_count):
            p = self.units[i]
            site = self.sites[p]
            at = self.end[p]
            self.listed[at] = self.hold[p]
            at += 1
            for k in range(self.move_first[site], self.move_first[site + 1]):
                to = self.move_to[k]
                self.listed[at] = self.move[k]
                self.listed[at + 1] = self.support_hold[k]
                at += 1 + (self.is_new[k] & self.taken[to])
                self.comers[self.come_end[to]] = p
                self.comer_rows[self.come_end[to]] = self.support_row[k]
                self.come_end[to] += self.is_new[k]
            self.end[p] = at

    def list_supports(self):
        """Supports of moves: everyone who could come to a province may support everyone else who could."""
        i: cython.int
        k: cython.int
        p: cython.int
        to: cython.int
        at: cython.int
        row: cython.int
        index: cython.int
        begin: cython.int
        end: cython.int
        for to in range(self.provinces):
            begin = self.come_first[to]
            end = self.come_end[to]
            if end - begin > 1:
                for i in range(begin, end):
                    p = self.comers[i]
                    row = self.comer_rows[i]
                    at = self.end[p]
                    for k in range(begin, end):
                        # The row has no action for the supporter itself.
                        index = self.support_move[row + self.comers[k]]
                        self.listed[at] = index
                        at += index != NO_ACTION
                    self.end[p] = at
            if self.by_sea and end > begin and (self.carried_lo[to] | self.carried_hi[to]):
                self.list_supports_by_sea(to)

    def list_supports_by_sea(self, to):
        """Supports of armies that can come to a shore only by convoy, unless each route needs the supporter."""
        one: cython.ulonglong = 1
        i: cython.int
        p: cython.int
        lo: cython.ulonglong = self.carried_lo[to]
        hi: cython.ulonglong = self.carried_hi[to]
        only_lo: cython.ulonglong
        only_hi: cython.ulonglong
        row: cython.int
        for i in range(self.come_first[to], self.come_end[to]):
            p = self.comers[i]
            if p < 64:
                lo &= ~(one << p)
            else:
                hi &= ~(one << (p - 64))
        if not lo | hi:
            return
        for i in range(self.come_first[to], self.come_end[to]):
            p = self.comers[i]
            row = self.comer_rows[i]
            only_lo = lo
            only_hi = hi
            if self.sea_number[p] >= 0:
                self.carry_without(p, to)
                only_lo &= self.spare_lo
                only_hi &= self.spare_hi
            while only_lo:
                self.add(p, self.support_move[row + lowest(only_lo)])
                only_lo &= only_lo - 1
            while only_hi:
                self.add(p, self.support_move[row + 64 + lowest(only_hi)])
                only_hi &= only_hi - 1

    def carry_without(self, fleet, end):
        """Set the armies that could be carried to a shore without that fleet (DATC 6.D.31)."""
        one: cython.ulonglong = 1
        others: cython.ulonglong = self.seas & ~(one << self.sea_number[fleet])
        self.gather(self.routes.spread(self.touching[end] & others, others))
        self.spare_lo = self.shore_lo & self.army_lo
        self.spare_hi = self.shore_hi & self.army_hi

    def list_convoys(self):
        """Each group of connected fleets carries every army on its shores to every other one of its shores."""
        p: cython.int
        rest: cython.ulonglong = self.seas
        group: cython.ulonglong
        for p in range(self.provinces):
            self.carried_lo[p] = self.carried_hi[p] = 0
        while rest:
            group = self.routes.spread(rest & (~rest + 1), rest)
            rest &= ~group
            self.gather(group)
            if (self.shore_lo & self.army_lo) | (self.shore_hi & self.army_hi):
                if group & (group - 1):
                    self.routes.fill(group)
                self.list_group(group)
        for p in range(self.provinces):
            if self.carried_lo[p] | self.carried_hi[p]:
                self.list_carried(p)

    @cython.final
    def gather(self, group):
        """Set the shores that those seas touch."""
        sea: cython.int
        self.shore_lo = self.shore_hi = 0
        while group:
            sea = lowest(group)
            group &= group - 1
            self.shore_lo |= self.touched_lo[sea]
            self.shore_hi |= self.touched_hi[sea]

    def list_carried(self, end):
        """Moves by convoy to a shore."""
        lo: cython.ulonglong = self.carried_lo[end]
        hi: cython.ulonglong = self.carried_hi[end]
        base: cython.int = self.shore_number[end]
        p: cython.int
        while lo | hi:
            if lo:
                p = lowest(lo)
                lo &= lo - 1
            else:
                p = 64 + lowest(hi)
                hi &= hi - 1
            self.add(p, self.convoy_to[self.shore_number[p] * self.shores + base])

    def list_group(self, group):
        """Convoys of a group: for each army on its shores, those by fleets on a route to another shore."""
        one: cython.ulonglong = 1
        lo: cython.ulonglong = self.shore_lo
        hi: cython.ulonglong = self.shore_hi
        army: cython.int
        while lo | hi:
            if lo:
                army = lowest(lo)
                lo &= lo - 1
                self.carried_lo[army] |= self.shore_lo & self.army_lo & ~(one << army)
                self.carried_hi[army] |= self.shore_hi & self.army_hi
                if (self.army_lo >> army) & 1:
                    self.list_convoys_of(army, group)
            else:
                army = 64 + lowest(hi)
                hi &= hi - 1
                self.carried_lo[army] |= self.shore_lo & self.army_lo
                self.carried_hi[army] |= self.shore_hi & self.army_hi & ~(one << (army - 64))
                if (self.army_hi >> (army - 64)) & 1:
                    self.list_convoys_of(army, group)

    def list_convoys_of(self, army, group):
        """Convoys of one army: via[e] is the set of fleets on routes that end with sea e."""
        seas: cython.ulonglong = group
        first: cython.ulonglong
        union: cython.ulonglong
        to_lo: cython.ulonglong = self.shore_lo
        to_hi: cython.ulonglong = self.shore_hi
        sea: cython.int
        end: cython.int
        while seas:
            sea = lowest(seas)
            seas &= seas - 1
            union = group
            if group & (group - 1):
                union = 0
                first = self.touching[army] & group
                while first:
                    union |= self.routes.unions[lowest(first) * self.routes.count + sea]
                    first &= first - 1
            self.via[sea] = union
        while to_lo | to_hi:
            if to_lo:
                end = lowest(to_lo)
                to_lo &= to_lo - 1
            else:
                end = 64 + lowest(to_hi)
                to_hi &= to_hi - 1
            if end == army:
                continue
            seas = self.touching[end] & group
            union = 0
            while seas:
                union |= self.via[lowest(seas)]
                seas &= seas - 1
            while union:
                sea = lowest(union)
                union &= union - 1
                self.add(
                    self.sea_province[sea],
                    self.convoy[(sea * self.shores + self.shore_number[army]) * self.shores + self.shore_number[end]],
                )

    def free_for(self, dislodged, to):
        """Whether the unit dislodged from a province may retreat to another one that it can reach."""
        return not (
            self.row[UNITS + to] or self.row[DISLODGED + to] & CONTESTED or self.row[ORIGINS + dislodged] == to + 1
        )

    def list_retreats(self):
        """Retreats and disbandments of dislodged units."""
        p: cython.int
        k: cython.int
        site: cython.int
        unit: cython.int
        for p in range(self.provinces):
            unit = self.row[DISLODGED + p]
            if not unit & POWER_MASK:
                continue
            self.who[p] = (unit & POWER_MASK) - 1
            self.add(p, self.disband[p])
            site = self.site(p, unit)
            for k in range(self.move_first[site], self.move_first[site + 1]):
                if self.free_for(p, self.move_to[k]):
                    self.add(p, self.retreat[k])

    def list_builds(self):
        """Builds in free owned home centres and the waiver of one, or removals."""
        p: cython.int
        owner: cython.int
        unit: cython.int
        if not self.count_builds():
            return
        for p in range(self.provinces):
            unit = self.row[UNITS + p]
            owner = self.row[OWNERS + p]
            if unit:
                owner = unit & POWER_MASK
                if self.builds[owner - 1] < 0:
                    self.who[p] = owner - 1
                    self.add(p, self.remove[p])
            elif owner and owner == self.home_of[p] and self.builds[owner - 1] > 0:
                self.who[p] = owner - 1
                self.end[127] = self.first[127]
                self.add(127, self.waive)
                self.add(p, self.build_army[p])
                if self.is_shore[p]:
                    self.add(p, self.build_fleet[2 * p])
                    if self.is_split[p]:
                        self.add(p, self.build_fleet[2 * p + 1])

    def mark_all(self):
        """Mark the listed actions in the bit set."""
        one: cython.ulonglong = 1
        i: cython.int
        p: cython.int
        for p in range(128):
            for i in range(self.first[p], self.end[p]):
                self.marks[self.listed[i] >> 6] |= one << (self.listed[i] & 63)

    def read_marks(self):
        """Move the marks to the list of found indices, ascending, and return how many there are."""
        count: cython.int = 0
        w: cython.int
        word: cython.ulonglong
        for w in range(self.length // 64 + 1):
            word = self.marks[w]
            if word:
                self.marks[w] = 0
                while word:
                    self.found[count] = (w << 6) + lowest(word)
                    count += 1
                    word &= word - 1
        return count
