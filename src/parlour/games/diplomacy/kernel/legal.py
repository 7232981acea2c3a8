"""Legal actions of a state: marked in a bit set over the action table, then read off in ascending order."""

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
    """Knows what every unit may be ordered to do."""

    def __init__(self, tables):
        Board.__init__(self, tables)
        self.routes = Routes(tables["neighbours"].tolist())
        self.marks = memoryview(np.zeros(self.length // 64 + 1, np.uint64))
        self.found = memoryview(np.zeros(self.length + 16, np.int32))
        # The province that each action orders; the waiver goes to a place beyond all provinces.
        self.ordered = memoryview(((tables["actions"] >> 9) & 127).astype(np.uint8))
        self.ordered[self.waive] = 127
        self.counts = memoryview(np.zeros(128, np.int32))
        self.who = memoryview(np.zeros(128, np.int32))
        self.units = memoryview(np.zeros(128, np.int32))
        self.unit_count = 0
        self.seas = self.army_lo = self.army_hi = 0
        self.come_lo = memoryview(np.zeros(128, np.uint64))
        self.come_hi = memoryview(np.zeros(128, np.uint64))
        self.carried_lo = memoryview(np.zeros(128, np.uint64))
        self.carried_hi = memoryview(np.zeros(128, np.uint64))
        self.via = memoryview(np.zeros(64, np.uint64))

    @cython.final
    def mark(self, index):
        """Note that the action of that index is legal."""
        one: cython.ulonglong = 1
        self.marks[index >> 6] |= one << (index & 63)

    def mark_all(self):
        """Mark the legal actions of the state at hand; who[p] is the power that orders in province p."""
        season: cython.int = self.row[SEASON]
        if self.row[STATUS]:
            return
        if season == SPRING_MOVES or season == AUTUMN_MOVES:
            self.look()
            self.mark_moves()
            if self.seas:
                self.mark_convoys()
            self.mark_supports()
        elif season == WINTER:
            self.mark_builds()
        else:
            self.mark_retreats()

    def look(self):
        """List the units, the fleets at sea and the armies on shores."""
        one: cython.ulonglong = 1
        p: cython.int
        unit: cython.int
        self.unit_count = 0
        self.seas = self.army_lo = self.army_hi = 0
        for p in range(self.provinces):
            unit = self.row[UNITS + p]
            if not unit:
                continue
            self.units[self.unit_count] = p
            self.unit_count += 1
            self.who[p] = (unit & POWER_MASK) - 1
            if unit & FLEET:
                if self.sea_number[p] >= 0:
                    self.seas |= one << self.sea_number[p]
            elif self.is_shore[p]:
                if p < 64:
                    self.army_lo |= one << p
                else:
                    self.army_hi |= one << (p - 64)

    def mark_moves(self):
        """Holds and moves; and note for each province who could come there by its own means."""
        one: cython.ulonglong = 1
        i: cython.int
        k: cython.int
        p: cython.int
        site: cython.int
        for p in range(self.provinces):
            self.come_lo[p] = self.come_hi[p] = 0
            self.carried_lo[p] = self.carried_hi[p] = 0
        for i in range(self.unit_count):
            p = self.units[i]
            site = self.site(p, self.row[UNITS + p])
            self.mark(self.hold[p])
            for k in range(self.move_first[site], self.move_first[site + 1]):
                self.mark(self.move[k])
                if p < 64:
                    self.come_lo[self.move_to[k]] |= one << p
                else:
                    self.come_hi[self.move_to[k]] |= one << (p - 64)

    def mark_convoys(self):
        """Each group of connected fleets carries every army on its shores to every other one of its shores."""
        rest: cython.ulonglong = self.seas
        group: cython.ulonglong
        while rest:
            group = self.routes.spread(rest & (~rest + 1), rest)
            rest &= ~group
            self.gather(group)
            if (self.shore_lo & self.army_lo) | (self.shore_hi & self.army_hi):
                self.mark_carried()
                if group & (group - 1):
                    self.routes.fill(group)
                self.mark_group(group)

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

    def mark_carried(self):
        """Moves by convoy within a group's shores; and note for each shore who could come that way."""
        one: cython.ulonglong = 1
        end: cython.int
        lo: cython.ulonglong
        hi: cython.ulonglong
        to_lo: cython.ulonglong = self.shore_lo
        to_hi: cython.ulonglong = self.shore_hi
        base: cython.int
        while to_lo | to_hi:
            lo = self.shore_lo & self.army_lo
            hi = self.shore_hi & self.army_hi
            if to_lo:
                end = lowest(to_lo)
                to_lo &= to_lo - 1
                lo &= ~(one << end)
            else:
                end = 64 + lowest(to_hi)
                to_hi &= to_hi - 1
                hi &= ~(one << (end - 64))
            self.carried_lo[end] |= lo
            self.carried_hi[end] |= hi
            base = self.shore_number[end]
            while lo:
                self.mark(self.convoy_to[self.shore_number[lowest(lo)] * self.shores + base])
                lo &= lo - 1
            while hi:
                self.mark(self.convoy_to[self.shore_number[64 + lowest(hi)] * self.shores + base])
                hi &= hi - 1

    def mark_group(self, group):
        """Convoys of a group: for each army on its shores, those by fleets on a route to another shore."""
        lo: cython.ulonglong = self.shore_lo & self.army_lo
        hi: cython.ulonglong = self.shore_hi & self.army_hi
        while lo:
            self.mark_convoys_of(lowest(lo), group)
            lo &= lo - 1
        while hi:
            self.mark_convoys_of(64 + lowest(hi), group)
            hi &= hi - 1

    def mark_convoys_of(self, army, group):
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
                self.mark(
                    self.convoy[(sea * self.shores + self.shore_number[army]) * self.shores + self.shore_number[end]]
                )

    def mark_supports(self):
        """Supports: of whoever stands, or could come, where the supporter could go."""
        one: cython.ulonglong = 1
        i: cython.int
        k: cython.int
        p: cython.int
        to: cython.int
        site: cython.int
        row: cython.int
        lo: cython.ulonglong
        hi: cython.ulonglong
        for i in range(self.unit_count):
            p = self.units[i]
            site = self.site(p, self.row[UNITS + p])
            for k in range(self.reach_first[site], self.reach_first[site + 1]):
                to = self.reach_to[k]
                if self.row[UNITS + to]:
                    self.mark(self.support_hold[k])
                lo = self.carried_lo[to] & ~self.come_lo[to]
                hi = self.carried_hi[to] & ~self.come_hi[to]
                if (lo | hi) and self.sea_number[p] >= 0:
                    self.carry_without(p, to)
                    lo &= self.spare_lo
                    hi &= self.spare_hi
                lo |= self.come_lo[to]
                hi |= self.come_hi[to]
                if p < 64:
                    lo &= ~(one << p)
                else:
                    hi &= ~(one << (p - 64))
                row = self.support_row[k]
                while lo:
                    self.mark(self.support_move[row + lowest(lo)])
                    lo &= lo - 1
                while hi:
                    self.mark(self.support_move[row + 64 + lowest(hi)])
                    hi &= hi - 1

    def carry_without(self, fleet, end):
        """Set the armies that could be carried to a shore without that fleet (DATC 6.D.31)."""
        one: cython.ulonglong = 1
        others: cython.ulonglong = self.seas & ~(one << self.sea_number[fleet])
        self.gather(self.routes.spread(self.touching[end] & others, others))
        self.spare_lo = self.shore_lo & self.army_lo
        self.spare_hi = self.shore_hi & self.army_hi

    def free_for(self, dislodged, to):
        """Whether the unit dislodged from a province may retreat to another one that it can reach."""
        return not (
            self.row[UNITS + to] or self.row[DISLODGED + to] & CONTESTED or self.row[ORIGINS + dislodged] == to + 1
        )

    def mark_retreats(self):
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
            self.mark(self.disband[p])
            site = self.site(p, unit)
            for k in range(self.move_first[site], self.move_first[site + 1]):
                if self.free_for(p, self.move_to[k]):
                    self.mark(self.retreat[k])

    def mark_builds(self):
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
                    self.mark(self.remove[p])
            elif owner and owner == self.home_of[p] and self.builds[owner - 1] > 0:
                self.who[p] = owner - 1
                self.mark(self.waive)
                self.mark(self.build_army[p])
                if self.is_shore[p]:
                    self.mark(self.build_fleet[2 * p])
                    if self.is_split[p]:
                        self.mark(self.build_fleet[2 * p + 1])

    def read_marks(self):
        """Move the marks to the list of found indices, ascending, and return how many there are.

        Counts them for each ordered province; the waiver, which has none, is not counted.
        """
        count: cython.int = 0
        index: cython.int
        p: cython.int
        w: cython.int
        word: cython.ulonglong
        for p in range(128):
            self.counts[p] = 0
        for w in range(self.length // 64 + 1):
            word = self.marks[w]
            if word:
                self.marks[w] = 0
                while word:
                    index = (w << 6) + lowest(word)
                    word &= word - 1
                    self.found[count] = index
                    count += 1
                    self.counts[self.ordered[index]] += 1
        return count
