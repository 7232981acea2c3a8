"""DumbBot's orders, drawn at random from its values: moves, retreats, builds and removals of one power at a time."""

import cython
import numpy as np

if not cython.compiled:
    from parlour.agents.diplomacy.kernel.dials import GAP, ONE_DRAW, REMOVAL, STAY, STRAY
    from parlour.agents.diplomacy.kernel.values import Values
    from parlour.core.kernel.words import splitmix
    from parlour.games.diplomacy.kernel.bits import ints, longs
    from parlour.games.diplomacy.kernel.layout import (
        AUTUMN_MOVES,
        CONVOY,
        CONVOY_TO,
        DISLODGED,
        HOLD,
        MOVE_TO,
        OWNERS,
        POWER_MASK,
        RETREAT_TO,
        SEASON,
        SPRING_MOVES,
        STATUS,
        SUPPORT_HOLD,
        SUPPORT_MOVE_TO,
        UNITS,
        WINTER,
    )

WAYS = cython.declare(cython.int, 64)
HERE = cython.declare(cython.int, -1)
HALF_BITS = cython.declare(cython.ulonglong, 0xFFFFFFFF)


class Draws(Values):
    """Draws order sets. The moves of the unit in p, best first, are way[p * WAYS ...]: a move's number or HERE."""

    def __init__(self, tables, nodes, dials) -> None:
        Values.__init__(self, tables, nodes, dials)
        self.plan = ints(self.room(128, np.int32))
        self.own_first = ints(self.room(17, np.int32))
        self.own = ints(self.room(128, np.int32))
        self.way = ints(self.room(128 * WAYS, np.int32))
        self.way_worth = ints(self.room(128 * WAYS, np.int32))
        self.way_count = ints(self.room(128, np.int32))
        self.queue = ints(self.room(128, np.int32))
        self.bound = ints(self.room(128, np.int32))
        self.chosen = longs(self.room(128, np.int64))
        self.chosen_count: cython.int = 0

    @cython.final
    def roll(self) -> cython.ulonglong:
        """Return the next random word of 64 bits."""
        self.drawn += 1
        return splitmix(self.seed, self.drawn)

    @cython.final
    def goes_on(self, worth: cython.int, gap: cython.int) -> cython.bint:
        """Return True if a random draw skips an entry, given the value of the next one and the gap to it."""
        word: cython.ulonglong = self.roll()
        first: cython.int = cython.cast(cython.int, (word >> 32) * 100 >> 32)
        second: cython.int = first
        chance: cython.longlong = 0
        if first >= self.dial[STRAY]:
            return 0
        if not self.dial[ONE_DRAW]:
            second = cython.cast(cython.int, (word & HALF_BITS) * 100 >> 32)
        if worth > 0:
            chance = cython.cast(cython.longlong, gap) * self.dial[GAP] // worth
        return second >= chance

    def sort_by_power(self) -> cython.void:
        """List the units of each power: from own_first[w] to own_first[w + 1]."""
        i: cython.int
        w: cython.int
        for w in range(17):
            self.own_first[w] = 0
        for i in range(self.unit_count):
            self.own_first[self.who[self.units[i]] + 2] += 1
        for w in range(2, 17):
            self.own_first[w] += self.own_first[w - 1]
        for i in range(self.unit_count):
            w = self.who[self.units[i]]
            self.own[self.own_first[w + 1]] = self.units[i]
            self.own_first[w + 1] += 1

    @cython.final
    def add_way(self, p: cython.int, way: cython.int, worth: cython.int) -> cython.void:
        """Add a move to the list of p, after those of equal or higher value."""
        at: cython.int = p * WAYS + self.way_count[p]
        self.way_count[p] += 1
        while at > p * WAYS and self.way_worth[at - 1] < worth:
            self.way_worth[at] = self.way_worth[at - 1]
            self.way[at] = self.way[at - 1]
            at -= 1
        self.way_worth[at] = worth
        self.way[at] = way

    def rank_ways(self) -> cython.void:
        """List the moves of every unit by their value to its power."""
        i: cython.int
        k: cython.int
        p: cython.int
        site: cython.int
        offset: cython.int
        for i in range(self.unit_count):
            p = self.units[i]
            site = self.sites[p]
            self.way_count[p] = 0
            offset = self.who[p] % 8 + self.who[p] // 8 * self.block_room
            if self.node_of[site] >= 0:
                self.add_way(p, HERE, self.worth[8 * self.node_of[site] + offset] + self.dial[STAY])
            for k in range(self.move_first[site], self.move_first[site + 1]):
                self.add_way(p, k, self.worth[8 * self.move_node[k] + offset])

    @cython.final
    def pick(self, p: cython.int, gone: cython.ulonglong) -> cython.int:
        """Return a random place in the list of p, mostly near its top; gone is the set of places to skip."""
        at: cython.int = 0
        worth: cython.int
        following: cython.int
        count: cython.int = self.way_count[p]
        while at < count and gone >> at & 1:
            at += 1
        while at < count:
            following = at + 1
            while following < count and gone >> following & 1:
                following += 1
            if following >= count:
                break
            worth = self.way_worth[p * WAYS + at]
            if not self.goes_on(worth, worth - self.way_worth[p * WAYS + following]):
                break
            at = following
        return at

    def shuffle(self, first: cython.int, count: cython.int) -> cython.void:
        """Put some units of the list `own` into the queue, in random order."""
        i: cython.int
        j: cython.int
        for i in range(count):
            j = cython.cast(cython.int, (self.roll() >> 32) * (i + 1) >> 32)
            self.queue[i] = self.queue[j]
            self.queue[j] = self.own[first + i]

    def draw_moves(self, w: cython.int) -> cython.void:
        """Draw an order for each unit of a power; the ways must have been ranked."""
        i: cython.int = 0
        p: cython.int
        behind: cython.int
        delays: cython.int = 0
        first: cython.int = self.own_first[w]
        count: cython.int = self.own_first[w + 1] - first
        for p in range(self.provinces):
            self.bound[p] = 0
        for i in range(count):
            self.plan[self.own[first + i]] = 0
        self.shuffle(first, count)
        i = 0
        while i < count:
            behind = self.draw_move(self.queue[i], w, delays < 2 * count)
            if behind < 0:
                i += 1
            else:
                delays += 1
                self.put_behind(i, behind)
        for i in range(count):
            p = self.own[first + i]
            if self.plan[p] == HOLD:
                self.use_hold(p, w)

    def put_behind(self, i: cython.int, behind: cython.int) -> cython.void:
        """Move the unit at the head of the queue right behind the unit in province `behind`."""
        p: cython.int = self.queue[i]
        while True:
            self.queue[i] = self.queue[i + 1]
            i += 1
            if self.queue[i - 1] == behind:
                break
        self.queue[i] = p

    @cython.final
    def draw_move(self, p: cython.int, w: cython.int, may_wait: cython.bint) -> cython.int:
        """Order the unit in p, or return the province of the own unit that must be ordered first, if p may wait."""
        gone: cython.ulonglong = 0
        one: cython.ulonglong = 1
        at: cython.int
        k: cython.int
        to: cython.int
        while True:
            at = self.pick(p, gone)
            if at >= self.way_count[p] or self.way[p * WAYS + at] == HERE:
                self.plan[p] = HOLD
                return -1
            k = self.way[p * WAYS + at]
            to = self.move_to[k]
            if self.who_is(to) == w:
                if self.plan[to] == 0 and may_wait:
                    return to
                if self.plan[to] != 0 and self.plan[to] & 255 != MOVE_TO:
                    if self.competition(to, w) > 1:
                        self.plan[p] = SUPPORT_HOLD | to << 8
                        return -1
                    gone |= one << at
                    continue
            if self.bound[to]:
                if self.competition(to, w) > 0:
                    self.plan[p] = SUPPORT_MOVE_TO | to << 8 | (self.bound[to] - 1) << 16
                    return -1
                gone |= one << at
                continue
            self.plan[p] = MOVE_TO | to << 8 | self.move_coast[k] << 24
            self.bound[to] = p + 1
            return -1

    @cython.final
    def who_is(self, p: cython.int) -> cython.int:
        """Return the power whose unit stands in a province; -1 for none."""
        return (self.row[UNITS + p] & POWER_MASK) - 1

    def use_hold(self, p: cython.int, w: cython.int) -> cython.void:
        """Let a holding unit support the most valuable order of its power nearby that others might oppose."""
        i: cython.int
        k: cython.int
        to: cython.int
        needed: cython.int
        for i in range(self.way_count[p]):
            k = self.way[p * WAYS + i]
            if k == HERE:
                continue
            if self.way_worth[p * WAYS + i] <= 0:
                return
            to = self.move_to[k]
            needed = self.competition(to, w)
            if self.bound[to] and needed > 0:
                self.plan[p] = SUPPORT_MOVE_TO | to << 8 | (self.bound[to] - 1) << 16
                return
            if needed > 1 and self.who_is(to) == w and self.plan[to] & 255 != MOVE_TO:
                self.plan[p] = SUPPORT_HOLD | to << 8
                return

    def list_flights(self, w: cython.int) -> cython.int:
        """List the dislodged units of a power in `own`, with their retreats; return their number."""
        p: cython.int
        k: cython.int
        unit: cython.int
        site: cython.int
        count: cython.int = 0
        offset: cython.int = w % 8 + w // 8 * self.block_room
        for p in range(self.provinces):
            unit = self.row[DISLODGED + p]
            if unit & POWER_MASK != w + 1:
                continue
            self.own[count] = p
            count += 1
            self.way_count[p] = 0
            site = self.site(p, unit)
            for k in range(self.move_first[site], self.move_first[site + 1]):
                if self.free_for(p, self.move_to[k]):
                    self.add_way(p, k, self.worth[8 * self.move_node[k] + offset])
        return count

    def draw_retreats(self, w: cython.int) -> cython.int:
        """Draw retreats of a power to different places; a unit without a place is disbanded (0 in plan)."""
        i: cython.int
        p: cython.int
        k: cython.int
        at: cython.int
        gone: cython.ulonglong
        one: cython.ulonglong = 1
        count: cython.int = self.list_flights(w)
        for p in range(self.provinces):
            self.bound[p] = 0
        self.shuffle(0, count)
        for i in range(count):
            p = self.queue[i]
            self.plan[p] = 0
            gone = 0
            for at in range(self.way_count[p]):
                if self.bound[self.move_to[self.way[p * WAYS + at]]]:
                    gone |= one << at
            at = self.pick(p, gone)
            if at < self.way_count[p]:
                k = self.way[p * WAYS + at]
                self.plan[p] = RETREAT_TO | self.move_to[k] << 8 | self.move_coast[k] << 24
                self.bound[self.move_to[k]] = 1
        return count

    def draw_adjustments(self, w: cython.int) -> cython.void:
        """Draw the builds or removals that a power owes into `chosen`; builds without a place are waived."""
        self.chosen_count = 0
        if self.builds[w] > 0:
            self.draw_builds(w)
        elif self.builds[w] < 0:
            self.draw_removals(w)

    def draw_builds(self, w: cython.int) -> cython.void:
        """Choose builds among all sites of the power; the choices are listed in the row of province 0."""
        i: cython.int
        p: cython.int
        at: cython.int
        coast: cython.int
        gone: cython.ulonglong = 0
        one: cython.ulonglong = 1
        offset: cython.int = w % 8 + w // 8 * self.block_room
        self.way_count[0] = 0
        for i in range(self.site_count):
            p = self.site_list[i]
            if self.row[OWNERS + p] != w + 1 or not self.may_build(p, w + 1):
                continue
            if self.way_count[0] > WAYS - 3:
                break  # with this number of build sites, the others do not matter
            if self.node_of[p] >= 0:
                self.add_way(0, p << 2, self.worth[8 * self.node_of[p] + offset])
            for coast in range(3):
                if (coast > 0) != (self.is_split[p] > 0) or not self.is_shore[p]:
                    continue
                at = self.node_of[p + self.fleet_site[p] + coast]
                if at >= 0:
                    self.add_way(0, p << 2 | (coast + 1 if coast < 2 else 3), self.worth[8 * at + offset])
        while self.chosen_count < self.builds[w]:
            at = self.pick(0, gone)
            if at >= self.way_count[0]:
                self.chosen[self.chosen_count] = self.actions[self.waive]
                self.chosen_count += 1
                continue
            self.chosen[self.chosen_count] = self.build_at(self.way[at] >> 2, self.way[at] & 3)
            self.chosen_count += 1
            for i in range(self.way_count[0]):
                if self.way[i] >> 2 == self.way[at] >> 2:
                    gone |= one << i

    def build_at(self, p: cython.int, what: cython.int) -> cython.longlong:
        """Return the action that builds there: 0 an army, 1 a fleet, 2 and 3 a fleet on the first or second coast."""
        if what == 0:
            return self.build_army[p]
        return self.build_fleet[2 * p + (what == 3)]

    def draw_removals(self, w: cython.int) -> cython.void:
        """Choose the units to remove, those with the least value first."""
        i: cython.int
        p: cython.int
        at: cython.int
        count: cython.int = 0
        offset: cython.int = w % 8 + w // 8 * self.block_room
        self.way_count[0] = 0
        for p in range(self.provinces):
            if self.who_is(p) == w:
                at = self.node_of[self.site(p, self.row[UNITS + p])]
                self.add_way(0, p, -self.worth[8 * at + offset] if at >= 0 else 0)
        count = self.way_count[0]
        while self.chosen_count < -self.builds[w]:
            at = 0
            while at + 1 < count and self.keeps(-self.way_worth[at], self.way_worth[at] - self.way_worth[at + 1]):
                at += 1
            self.chosen[self.chosen_count] = self.remove[self.way[at]]
            self.chosen_count += 1
            count -= 1
            for i in range(at, count):
                self.way[i] = self.way[i + 1]
                self.way_worth[i] = self.way_worth[i + 1]

    def keeps(self, worth: cython.int, gap: cython.int) -> cython.bint:
        """Return True if a random draw keeps a unit and removes the next one, which is worth more."""
        # In the author's formula the difference has the wrong sign here, so that only the first draw decides.
        return self.goes_on(worth, gap if self.dial[REMOVAL] else 0)

    def draw_all(
        self,
        states: cython.const[cython.uchar][:, ::1],
        seeds: cython.const[cython.ulonglong][::1],
        powers: cython.int,
        actions: cython.longlong[:, :, ::1],
    ) -> None:
        """Draw the orders of each power of a bit set in each state; actions are [B, powers, K], padded with 0."""
        b: cython.Py_ssize_t
        w: cython.int
        with cython.nogil:
            for b in range(states.shape[0]):
                self.take(states, b)
                self.seed = seeds[b]
                self.drawn = 0
                self.look()
                self.appraise(self.season_of())
                self.sort_by_power()
                self.rank_ways()
                self.count_builds()
                for w in range(self.powers):
                    if powers >> w & 1 and not self.row[STATUS]:
                        self.draw_for(w)
                        self.write(actions, b, w)
                    else:
                        self.chosen_count = 0
                        self.write(actions, b, w)

    def draw_for(self, w: cython.int) -> cython.void:
        """Draw the actions of one power into chosen, in any phase."""
        i: cython.int
        p: cython.int
        count: cython.int
        season: cython.int = self.row[SEASON]
        self.chosen_count = 0
        if season == SPRING_MOVES or season == AUTUMN_MOVES:
            self.draw_moves(w)
            for i in range(self.own_first[w], self.own_first[w + 1]):
                p = self.own[i]
                self.chosen[self.chosen_count] = self.action_at(p, self.sites[p], self.plan[p])
                self.chosen_count += 1
        elif season == WINTER:
            self.draw_adjustments(w)
        else:
            count = self.draw_retreats(w)
            for i in range(count):
                p = self.queue[i]
                self.chosen[self.chosen_count] = self.retreat_at(p, self.plan[p])
                self.chosen_count += 1

    def write(self, actions: cython.longlong[:, :, ::1], b: cython.Py_ssize_t, w: cython.int) -> cython.void:
        """Write the chosen actions into a row of a batch."""
        k: cython.int
        for k in range(actions.shape[2]):
            actions[b, w, k] = self.chosen[k] if k < self.chosen_count else 0

    def retreat_at(self, p: cython.int, order: cython.int) -> cython.longlong:
        """Return the published action of a retreat, or of disbanding."""
        k: cython.int
        site: cython.int = self.site(p, self.row[DISLODGED + p])
        if order:
            for k in range(self.move_first[site], self.move_first[site + 1]):
                if self.move_to[k] == order >> 8 & 255 and self.move_coast[k] == order >> 24:
                    return self.retreat[k]
        return self.disband[p]

    def action_at(self, p: cython.int, site: cython.int, order: cython.int) -> cython.longlong:
        """Return the published action of the order of the unit in p; of holding if that order is not possible."""
        k: cython.int
        kind: cython.int = order & 255
        target: cython.int = order >> 8 & 255
        third: cython.int = order >> 16 & 255
        shore: cython.int
        if kind == CONVOY_TO:
            return self.actions[self.convoy_to[self.shore_number[p] * self.shores + self.shore_number[target]]]
        if kind == CONVOY:
            shore = self.shore_number[third] * self.shores + self.shore_number[target]
            return self.actions[self.convoy[shore * self.routes.count + self.sea_number[p]]]
        for k in range(self.move_first[site], self.move_first[site + 1]):
            if self.move_to[k] == target:
                if kind == MOVE_TO and self.move_coast[k] == order >> 24:
                    return self.move[k]
                if kind == SUPPORT_HOLD:
                    return self.support_hold[k]
                if kind == SUPPORT_MOVE_TO:
                    return self.actions[self.support_move[self.support_row[k] + third]]
        return self.hold[p]
