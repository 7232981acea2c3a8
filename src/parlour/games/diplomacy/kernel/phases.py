"""Moves from phase to phase: carries moves out, retreats, builds and removals, counts centres, sets the next phase."""

import cython
import numpy as np

if not cython.compiled:
    from parlour.games.diplomacy.kernel.bits import ints, octets
    from parlour.games.diplomacy.kernel.judge import Judge
    from parlour.games.diplomacy.kernel.layout import (
        AUTUMN_MOVES,
        BOUNCED,
        BUILD_ARMY,
        BUILD_FLEET,
        BUILDS,
        COAST_SHIFT,
        CONTESTED,
        DISBAND,
        DISBANDED,
        DISLODGED,
        FLEET,
        INFLUENCE,
        LAST_YEAR,
        MARK_DEFAULT,
        MARK_DESTROYED,
        MARK_DISLODGED,
        MAX_YEAR,
        ORIGINS,
        OWNERS,
        POWER_MASK,
        REMOVE,
        RETREAT_TO,
        SEASON,
        SPRING_MOVES,
        STATUS,
        SUCCEEDED,
        UNITS,
        VERDICT_MASK,
        WAIVE,
        WINNER,
        WINTER,
        YEAR,
    )

SOLO = cython.declare(cython.int, 1)
STOPPED = cython.declare(cython.int, 2)


class Phases(Judge):
    """Plays the current state by one phase."""

    def __init__(self, tables) -> None:
        Judge.__init__(self, tables)
        self.moving = octets(self.room(128, np.uint8))
        self.arrivals = ints(self.room(128, np.int32))
        self.due = ints(self.room(16, np.int32))
        # Under held_win the centres of each power before those of this autumn changed hands.
        self.held = ints(self.room(16, np.int32))

    def play(self, actions: cython.const[cython.longlong][:, :, ::1], number: cython.Py_ssize_t) -> cython.void:
        """Carry out the actions of one state of a batch, and continue to the next phase with orders."""
        p: cython.int
        season: cython.int = self.row[SEASON]
        for p in range(self.provinces):
            self.verdict[p] = 0
        if self.row[STATUS]:
            return
        if season == SPRING_MOVES or season == AUTUMN_MOVES:
            self.read_moves(actions, number)
            self.judge()
            self.move_units()
            if self.keep_dislodged() or self.every_phase:
                self.row[SEASON] = season + 1
            else:
                self.end_season(season)
        elif season == WINTER:
            self.adjust(actions, number)
            self.begin_year()
        else:
            self.retreat_units(actions, number)
            self.end_season(season - 1)

    def move_units(self) -> cython.void:
        """Move units that succeeded; set dislodged ones aside, with the attacker's origin if it came overland."""
        i: cython.int
        p: cython.int
        to: cython.int
        unit: cython.int
        count: cython.int = 0
        for i in range(self.unit_count):
            p = self.units[i]
            self.movers[count] = p
            count += self.moves[p] & self.answer[p]
        for i in range(count):
            p = self.movers[i]
            unit = self.row[UNITS + p]
            self.moving[p] = unit & (POWER_MASK | FLEET) | self.coast[p] << COAST_SHIFT
            self.row[UNITS + p] = 0
        for i in range(count):
            p = self.movers[i]
            to = self.target[p]
            if self.row[UNITS + to]:
                self.row[DISLODGED + to] = self.row[UNITS + to]
                self.row[ORIGINS + to] = 0 if self.carried[p] else p + 1
                self.verdict[to] |= MARK_DISLODGED
            self.row[UNITS + to] = self.moving[p]
            self.row[INFLUENCE + to] = self.power[p]

    def keep_dislodged(self) -> cython.int:
        """Destroy dislodged units without a retreat; return True if others are left."""
        i: cython.int
        p: cython.int
        to: cython.int
        kept: cython.int = 0
        for i in range(self.unit_count):
            kept += self.verdict[self.units[i]] & MARK_DISLODGED
        if not kept:
            return 0
        for i in range(self.unit_count):
            p = self.units[i]
            to = self.target[p]
            # A unit beaten head to head does not contest the province that its opponent left.
            if self.moves[p] and self.verdict[p] & VERDICT_MASK == BOUNCED and not self.row[UNITS + to]:
                if not (self.head_to_head(p) and self.answer[to]):
                    self.row[DISLODGED + to] = CONTESTED
        kept = 0
        for i in range(self.unit_count):
            p = self.units[i]
            if self.verdict[p] & MARK_DISLODGED:
                if self.can_retreat(p):
                    kept = 1
                else:
                    self.row[DISLODGED + p] = self.row[ORIGINS + p] = 0
                    self.verdict[p] |= MARK_DESTROYED
        if not kept:
            self.clear_dislodged()
        return kept

    def can_retreat(self, p: cython.int) -> cython.int:
        """Return True if the unit dislodged from p has anywhere to go."""
        k: cython.int
        site: cython.int = self.site(p, self.row[DISLODGED + p])
        for k in range(self.move_first[site], self.move_first[site + 1]):
            if self.free_for(p, self.move_to[k]):
                return 1
        return 0

    def clear_dislodged(self) -> cython.void:
        """Clear the parts of a state that only a retreat phase needs."""
        p: cython.int
        for p in range(self.provinces):
            self.row[DISLODGED + p] = self.row[ORIGINS + p] = 0

    def retreat_units(
        self, actions: cython.const[cython.longlong][:, :, ::1], number: cython.Py_ssize_t
    ) -> cython.void:
        """Carry out retreats: two to one province destroy each other, and a unit without an order is disbanded."""
        w: cython.int
        k: cython.int
        p: cython.int
        index: cython.longlong
        action: cython.longlong
        for p in range(self.provinces):
            self.given[p] = 0
            self.arrivals[p] = 0
        for w in range(self.powers):
            for k in range(actions.shape[2]):
                action = actions[number, w, k]
                index = action >> 48
                if action <= 0 or index >= self.length or self.actions[index] != action:
                    continue
                p = (action >> 9) & 127
                if self.row[DISLODGED + p] & POWER_MASK == w + 1 and not self.given[p]:
                    self.read_retreat(p, action)
        for p in range(self.provinces):
            if self.row[DISLODGED + p] & POWER_MASK:
                self.retreat_unit(p)
        self.clear_dislodged()

    def read_retreat(self, p: cython.int, action: cython.longlong) -> cython.void:
        """Read one retreat order if it is legal."""
        k: cython.int
        kind: cython.int = action & 255
        site: cython.int
        if kind == DISBAND:
            self.given[p] = DISBAND
        elif kind == RETREAT_TO:
            site = self.site(p, self.row[DISLODGED + p])
            for k in range(self.move_first[site], self.move_first[site + 1]):
                if self.retreat[k] == action and self.free_for(p, self.move_to[k]):
                    self.given[p] = RETREAT_TO
                    self.target[p] = self.move_to[k]
                    self.coast[p] = self.move_coast[k]
                    self.arrivals[self.target[p]] += 1

    def retreat_unit(self, p: cython.int) -> cython.void:
        """Carry out the order of the unit dislodged from p."""
        unit: cython.int = self.row[DISLODGED + p]
        if self.given[p] == RETREAT_TO:
            if self.arrivals[self.target[p]] == 1:
                self.row[UNITS + self.target[p]] = unit & (POWER_MASK | FLEET) | self.coast[p] << COAST_SHIFT
                self.row[INFLUENCE + self.target[p]] = unit & POWER_MASK
                self.verdict[p] = SUCCEEDED
            else:
                self.verdict[p] = BOUNCED
        elif self.given[p] == DISBAND:
            self.verdict[p] = SUCCEEDED
        else:
            self.verdict[p] = DISBANDED | MARK_DEFAULT

    def adjust(self, actions: cython.const[cython.longlong][:, :, ::1], number: cython.Py_ssize_t) -> cython.void:
        """Carry out builds and removals in the given order, as many as are due; civil disorder decides missing
        removals.
        """
        w: cython.int
        k: cython.int
        index: cython.longlong
        action: cython.longlong
        self.count_builds()
        for w in range(self.powers):
            self.due[w] = self.builds[w]
            for k in range(actions.shape[2]):
                action = actions[number, w, k]
                index = action >> 48
                if action > 0 and index < self.length and self.actions[index] == action:
                    self.adjust_one(w, action)
            while self.due[w] < 0:
                self.remove_farthest(w)

    def adjust_one(self, w: cython.int, action: cython.longlong) -> cython.int:
        """Carry out one build, waiver or removal if it is legal now; return True if it was."""
        kind: cython.int = action & 255
        p: cython.int = (action >> 9) & 127
        unit: cython.int
        if kind == WAIVE and self.due[w] > 0:
            self.due[w] -= 1
            return 1
        if kind == REMOVE and self.due[w] < 0 and self.row[UNITS + p] & POWER_MASK == w + 1:
            self.row[UNITS + p] = 0
            self.verdict[p] = SUCCEEDED
            self.due[w] += 1
            return 1
        if (kind == BUILD_ARMY or kind == BUILD_FLEET) and self.due[w] > 0:
            if self.row[OWNERS + p] == w + 1 and self.may_build(p, w + 1):
                unit = w + 1
                if kind == BUILD_FLEET:
                    unit |= FLEET
                    if self.is_split[p]:
                        unit |= (1 + ((action >> 8) & 1)) << COAST_SHIFT
                self.row[UNITS + p] = unit
                self.verdict[p] = SUCCEEDED
                self.due[w] -= 1
                return 1
        return 0

    def remove_farthest(self, w: cython.int) -> cython.void:
        """Remove a unit by civil disorder: farthest from home, fleets before armies, then by tag (DATC 4.D.8)."""
        p: cython.int
        unit: cython.int
        area: cython.int
        score: cython.int
        best: cython.int = -1
        gone: cython.int = -1
        for p in range(self.provinces):
            unit = self.row[UNITS + p]
            if unit & POWER_MASK == w + 1:
                area = self.area_of[p] + ((unit >> COAST_SHIFT) & 3)
                score = self.distance[(2 * w + (unit & FLEET != 0)) * self.area_room + area] << 9
                score |= (unit & FLEET) << 4 | (255 - self.rank[p])
                if score > best:
                    best = score
                    gone = p
        self.row[UNITS + gone] = 0
        self.verdict[gone] = DISBANDED | MARK_DEFAULT
        self.due[w] += 1

    def any_unit(self) -> cython.int:
        """Return True if anybody has a unit."""
        p: cython.int
        for p in range(self.provinces):
            if self.row[UNITS + p]:
                return 1
        return 0

    def end_season(self, season: cython.int) -> cython.void:
        """End a season, after the moves and retreats of spring or autumn."""
        if season == SPRING_MOVES:
            self.row[SEASON] = AUTUMN_MOVES
            if self.any_unit():
                return
        self.end_autumn()

    def end_autumn(self) -> cython.void:
        """Transfer centres, check for a winner, and continue with builds if any are due."""
        i: cython.int
        p: cython.int
        holder: cython.int
        self.row[SEASON] = WINTER
        if self.held_win:
            self.count_builds()
            for p in range(self.powers):
                self.held[p] = self.centres[p]
        for i in range(self.centre_count):
            p = self.centre_list[i]
            holder = self.row[UNITS + p] & POWER_MASK
            self.row[OWNERS + p] = holder if holder else self.row[OWNERS + p]
        if self.count_builds() or self.every_phase:
            if not self.solo():
                for p in range(self.powers):
                    self.row[BUILDS + p] = self.builds[p] & 255
        elif not self.solo():
            self.begin_year()

    def solo(self) -> cython.int:
        """End the game if one power alone has enough centres and, under held_win, had enough before."""
        w: cython.int
        best: cython.int = 0
        alone: cython.int = 0
        for w in range(self.powers):
            if self.centres[w] == self.centres[best]:
                alone = w == best
            elif self.centres[w] > self.centres[best]:
                best = w
                alone = 1
        if alone and self.centres[best] >= self.victory and not (self.held_win and self.held[best] < self.victory):
            self.row[STATUS] = SOLO
            self.row[WINNER] = best + 1
            return 1
        return 0

    def begin_year(self) -> cython.void:
        """Begin the next spring, unless the last year is over or no power can ever act again."""
        year: cython.int = self.row[YEAR] + 256 * self.row[YEAR + 1] + self.year_step
        last: cython.int = self.row[LAST_YEAR] + 256 * self.row[LAST_YEAR + 1]
        self.row[SEASON] = SPRING_MOVES
        self.row[YEAR] = year & 255
        self.row[YEAR + 1] = year >> 8
        if year > MAX_YEAR or (last and year > last):
            self.row[STATUS] = STOPPED
        elif not self.any_unit():
            if self.count_builds():
                self.end_autumn()
            else:
                self.row[STATUS] = STOPPED
