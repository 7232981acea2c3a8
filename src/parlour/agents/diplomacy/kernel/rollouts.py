"""Plays candidates out: own orders against samples of the others', then DumbBot for all powers, then counts centres."""

import cython
import numpy as np

if not cython.compiled:
    from parlour.agents.diplomacy.kernel.dials import ROOM
    from parlour.agents.diplomacy.kernel.draws import Draws
    from parlour.games.diplomacy.kernel.bits import ints, octets, take_row
    from parlour.games.diplomacy.kernel.layout import (
        AUTUMN_MOVES,
        BUILD_ARMY,
        BUILD_FLEET,
        CONVOY_TO,
        DISLODGED,
        HOLD,
        MOVE_TO,
        OWNERS,
        POWER_MASK,
        REMOVE,
        RETREAT_TO,
        SEASON,
        SPRING_MOVES,
        STATE,
        STATUS,
        UNITS,
        WINNER,
        WINTER,
    )

SOLO = cython.declare(cython.int, 1)
MIX = cython.declare(cython.ulonglong, 0xD6E8FEB86659FD93)
ALL_BITS = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)


class Rollouts(Draws):
    """Rolls out from one state, the root. Random draws in sample b are the same for all candidates, power by power."""

    def __init__(self, tables, nodes, dials) -> None:
        Draws.__init__(self, tables, nodes, dials)
        self.root = octets(self.room(STATE, np.uint8))
        self.root_worth = ints(self.room(self.blocks * self.block_room, np.int32))
        self.idle = ints(self.room(16, np.int32))
        self.held = ints(self.room(16, np.int32))
        self.ordered = ints(self.room(ROOM, np.int32))
        self.hero: cython.int = -1
        self.stream: cython.ulonglong = 0
        self.phase: cython.int = 0
        self.fresh: cython.int = 0
        self.rolled: cython.longlong = 0

    def set_root(self, states: cython.const[cython.uchar][:, ::1]) -> None:
        """Make the first state of a batch the root of all following rollouts."""
        i: cython.int
        take_row(self.root, states, 0)
        self.look_at_root()
        for i in range(self.blocks * self.block_room):
            self.root_worth[i] = self.worth[i]

    def set_idle(self, chances: cython.const[cython.int][::1]) -> None:
        """Set the probability, in percent, with which each power holds a whole phase in the rollouts."""
        w: cython.int
        for w in range(self.powers):
            self.idle[w] = chances[w]

    def load_root(self) -> cython.void:
        """Copy the root to the current state."""
        i: cython.int
        for i in range(STATE):
            self.row[i] = self.root[i]

    def look_at_root(self) -> cython.void:
        """Prepare draws from the root."""
        self.load_root()
        self.look()
        self.appraise(self.season_of())
        self.sort_by_power()
        self.rank_ways()

    def draw_from_root(
        self, seeds: cython.const[cython.ulonglong][::1], powers: cython.int, orders: cython.int[:, ::1]
    ) -> None:
        """Draw the orders of each power of a bit set in the root, a movement phase: [B, ROOM]."""
        b: cython.Py_ssize_t
        i: cython.int
        w: cython.int
        with cython.nogil:
            self.look_at_root()
            for b in range(seeds.shape[0]):
                self.stream = seeds[b]
                for w in range(self.powers):
                    if powers >> w & 1:
                        self.begin_stream(255, w)
                        self.draw_moves(w)
                        for i in range(self.own_first[w], self.own_first[w + 1]):
                            orders[b, self.own[i]] = self.plan[self.own[i]]

    @cython.final
    def begin_stream(self, phase: cython.int, w: cython.int) -> cython.void:
        """Seed the random draws by sample, phase and power alone, independent of earlier draws."""
        self.seed = (self.stream ^ ((16 * phase + w + 1) * MIX)) & ALL_BITS
        self.drawn = 0

    def roll_out(
        self,
        own: cython.const[cython.int][:, ::1],
        others: cython.const[cython.int][:, ::1],
        seeds: cython.const[cython.ulonglong][::1],
        power: cython.int,
        depth: cython.int,
        values: cython.double[:, :, ::1],
        leaves: cython.uchar[:, :, ::1] = None,
    ) -> None:
        """Play each own order set c against each sample b of the others' orders.

        In retreats and builds the others' orders are drawn. Then `depth` movement phases follow. values[c, b] receives
        all powers' shares of the squared centres; leaves[c, b], if given, receives the final state.
        """
        b: cython.Py_ssize_t
        c: cython.Py_ssize_t
        p: cython.int
        wanted: cython.bint = leaves is not None
        with cython.nogil:
            for c in range(own.shape[0]):
                for p in range(ROOM):
                    self.ordered[p] = own[c, p]
                for b in range(others.shape[0]):
                    self.stream = seeds[b]
                    self.load_root()
                    self.begin(others, b, power)
                    self.play_on(depth)
                    self.weigh(values, c, b)
                    if wanted:
                        for p in range(STATE):
                            leaves[c, b, p] = self.row[p]
            self.rolled += own.shape[0] * others.shape[0]

    def begin(self, others: cython.const[cython.int][:, ::1], b: cython.Py_ssize_t, power: cython.int) -> cython.void:
        """Play the root's phase, with the given orders of one power."""
        i: cython.int
        p: cython.int
        season: cython.int = self.row[SEASON]
        self.phase = 0
        self.fresh = 0
        self.hero = power
        if season == SPRING_MOVES or season == AUTUMN_MOVES:
            self.look()
            for i in range(self.unit_count):
                p = self.units[i]
                self.plan[p] = self.ordered[p] if self.who[p] == power else others[b, p]
            self.carry_out()
        elif season == WINTER:
            self.adjust_all()
        else:
            self.retreat_all()
        self.hero = -1

    def carry_out(self) -> cython.void:
        """Adjudicate the orders in plan and continue to the next phase with orders."""
        i: cython.int
        p: cython.int
        kind: cython.int
        season: cython.int = self.row[SEASON]
        for p in range(self.provinces):
            self.kind[p] = HOLD
            self.moves[p] = 0
            self.verdict[p] = 0
            self.power[p] = self.row[UNITS + p] & POWER_MASK
        for i in range(self.unit_count):
            p = self.units[i]
            kind = self.plan[p] & 255
            self.given[p] = 1
            self.kind[p] = kind if kind else HOLD
            self.moves[p] = (kind == MOVE_TO) | (kind == CONVOY_TO)
            self.target[p] = self.plan[p] >> 8 & 255
            self.third[p] = self.plan[p] >> 16 & 255
            self.coast[p] = self.plan[p] >> 24 & 3
        self.judge()
        self.move_units()
        if self.keep_dislodged():
            self.row[SEASON] = season + 1
        else:
            self.end_season(season)

    def play_on(self, depth: cython.int) -> cython.void:
        """Play until `depth` movement phases are over, with the retreats of the last one."""
        season: cython.int
        while not self.row[STATUS]:
            season = self.row[SEASON]
            self.phase += 1
            if season == SPRING_MOVES or season == AUTUMN_MOVES:
                if depth == 0:
                    return
                depth -= 1
                self.move_all()
            elif season == WINTER:
                if depth == 0:
                    return
                self.adjust_all()
            else:
                self.retreat_all()

    def move_all(self) -> cython.void:
        """Play a movement phase in which every power plays like DumbBot, or holds."""
        i: cython.int
        w: cython.int
        self.look()
        self.appraise(self.season_of())
        self.fresh = 1
        self.sort_by_power()
        self.rank_ways()
        for w in range(self.powers):
            self.begin_stream(self.phase, w)
            if self.idle[w] and cython.cast(cython.int, (self.roll() >> 32) * 100 >> 32) < self.idle[w]:
                for i in range(self.own_first[w], self.own_first[w + 1]):
                    self.plan[self.own[i]] = HOLD
            else:
                self.draw_moves(w)
        self.carry_out()

    def have_worth(self) -> cython.void:
        """Copy the root's values to the current state, unless it has values of its own."""
        i: cython.int
        if not self.fresh:
            for i in range(self.blocks * self.block_room):
                self.worth[i] = self.root_worth[i]
            self.fresh = 1

    def retreat_all(self) -> cython.void:
        """Play a retreat phase in which every power plays like DumbBot."""
        p: cython.int
        w: cython.int
        self.have_worth()
        for w in range(self.powers):
            self.held[w] = 0
        for p in range(self.provinces):
            self.arrivals[p] = 0
            self.given[p] = 0
            if self.row[DISLODGED + p] & POWER_MASK:
                self.held[(self.row[DISLODGED + p] & POWER_MASK) - 1] = 1
        for w in range(self.powers):
            if self.held[w] and w != self.hero:
                self.begin_stream(self.phase, w)
                self.draw_retreats(w)
        for p in range(self.provinces):
            if (self.row[DISLODGED + p] & POWER_MASK) - 1 == self.hero and self.hero >= 0:
                self.plan[p] = self.ordered[p]
            if self.row[DISLODGED + p] & POWER_MASK and self.plan[p] & 255 == RETREAT_TO:
                self.given[p] = RETREAT_TO
                self.target[p] = self.plan[p] >> 8 & 255
                self.coast[p] = self.plan[p] >> 24 & 3
                self.arrivals[self.target[p]] += 1
        for p in range(self.provinces):
            if self.row[DISLODGED + p] & POWER_MASK:
                self.retreat_unit(p)
        self.clear_dislodged()
        self.end_season(self.row[SEASON] - 1)

    def adjust_all(self) -> cython.void:
        """Play a winter in which every power plays like DumbBot."""
        i: cython.int
        w: cython.int
        self.have_worth()
        self.count_builds()
        for w in range(self.powers):
            self.due[w] = self.builds[w]
            if not self.builds[w]:
                continue
            if w == self.hero:
                self.choose_ordered()
            else:
                self.begin_stream(self.phase, w)
                self.draw_adjustments(w)
            for i in range(self.chosen_count):
                self.adjust_one(w, self.chosen[i])
            while self.due[w] < 0:
                self.remove_farthest(w)
        self.begin_year()

    def choose_ordered(self) -> cython.void:
        """Choose the ordered builds or removals."""
        p: cython.int
        kind: cython.int
        self.chosen_count = 0
        for p in range(self.provinces):
            kind = self.ordered[p] & 255
            if kind == REMOVE:
                self.chosen[self.chosen_count] = self.remove[p]
            elif kind == BUILD_ARMY:
                self.chosen[self.chosen_count] = self.build_army[p]
            elif kind == BUILD_FLEET:
                self.chosen[self.chosen_count] = self.build_fleet[2 * p + (self.ordered[p] >> 24 == 2)]
            self.chosen_count += kind != 0

    def weigh(self, values: cython.double[:, :, ::1], c: cython.Py_ssize_t, b: cython.Py_ssize_t) -> cython.void:
        """Write every power's share of the squared centres to `values`; a winner has all."""
        i: cython.int
        w: cython.int
        total: cython.double = 0
        if self.row[STATUS] == SOLO:
            for w in range(self.powers):
                values[c, b, w] = 1.0 if self.row[WINNER] == w + 1 else 0.0
            return
        for w in range(self.powers + 1):
            self.held[w] = 0
        for i in range(self.centre_count):
            self.held[self.row[OWNERS + self.centre_list[i]]] += 1
        for w in range(self.powers):
            total += self.held[w + 1] * self.held[w + 1]
        for w in range(self.powers):
            values[c, b, w] = self.held[w + 1] * self.held[w + 1] / total if total > 0 else 0.0

    def read_orders(self, actions: cython.const[cython.longlong][::1], orders: cython.int[::1]) -> None:
        """Convert published actions to orders in the root."""
        i: cython.Py_ssize_t
        k: cython.int
        p: cython.int
        site: cython.int
        order: cython.int
        action: cython.longlong
        self.load_root()
        self.look()
        for i in range(actions.shape[0]):
            action = actions[i]
            p = (action >> 9) & 127
            order = cython.cast(cython.int, (action & 255) | ((action >> 17) & 127) << 8 | ((action >> 25) & 127) << 16)
            if action & 255 == MOVE_TO or action & 255 == RETREAT_TO:
                site = self.sites[p] if action & 255 == MOVE_TO else self.site(p, self.row[DISLODGED + p])
                for k in range(self.move_first[site], self.move_first[site + 1]):
                    if self.move[k] == action or self.retreat[k] == action:
                        order |= self.move_coast[k] << 24
            elif action & 255 == BUILD_FLEET:
                order |= (1 + cython.cast(cython.int, action >> 8 & 1)) << 24
            orders[i] = order

    def write_orders(
        self, orders: cython.const[cython.int][::1], power: cython.int, actions: cython.longlong[::1]
    ) -> int:
        """Write the published actions of a power's orders in the root, by province; return their number."""
        i: cython.int
        p: cython.int
        count: cython.int = 0
        self.load_root()
        self.look()
        for i in range(self.unit_count):
            p = self.units[i]
            if self.who[p] == power:
                actions[count] = self.action_at(p, self.sites[p], orders[p])
                count += 1
        return count
