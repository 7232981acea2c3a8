"""DumbBot's values: the value of each place to each power, after David Norman's bot of 2002.

The value of another power's supply centre is the size of that power. The value of an own centre is the size of the
largest power that could enter it. Values spread over the map in nine steps: in each, a node receives a fifth of the sum
over itself and its neighbours. The steps are added with weights that depend on the season. In the end, own units that
can enter a place raise its value, and units of other powers lower it.
"""

import cython
import numpy as np

if not cython.compiled:
    from parlour.agents.diplomacy.kernel.dials import (
        DANGER,
        DETER,
        FALL_ATTACK,
        FALL_DEFENCE,
        FALL_WEIGHTS,
        HELP,
        NEUTRAL,
        SPRING_ATTACK,
        SPRING_DEFENCE,
        SPRING_WEIGHTS,
        STANDING,
    )
    from parlour.agents.diplomacy.kernel.lanes import spread
    from parlour.games.diplomacy.kernel.bits import ints, octets
    from parlour.games.diplomacy.kernel.desk import Desk
    from parlour.games.diplomacy.kernel.layout import AUTUMN_MOVES, AUTUMN_RETREATS, OWNERS, POWER_MASK, SEASON, WINTER

LANES = cython.declare(cython.int, 8)
STEPS = cython.declare(cython.int, 10)
STRIDE = cython.declare(cython.int, 16)
SPRING = cython.declare(cython.int, 0)
FALL = cython.declare(cython.int, 1)
BUILDING = cython.declare(cython.int, 2)


class Values(Desk):
    """Computes the values of all nodes for all powers in the current state.

    The value of node n for power w is worth[n * 8 + w % 8 + (w // 8) * room]. move_node has the destination node
    of each move of a site. The dials are constants in the order of dials.py.
    """

    def __init__(self, tables, nodes, dials) -> None:
        Desk.__init__(self, tables)
        self.keep(list(nodes.values()))
        self.node_count: cython.int = len(nodes["province_of"])
        self.group_count: cython.int = len(nodes["group_first"]) - 1
        self.node_of = ints(nodes["node_of"])
        self.province_of = ints(nodes["province_of"])
        self.move_node = ints(nodes["move_node"])
        self.near_first = ints(nodes["near_first"])
        self.near = ints(nodes["near"])
        self.group_first = ints(nodes["group_first"])
        self.group = ints(nodes["group"])
        self.dial = ints(self.keep(dials))
        room = LANES * (self.node_count + self.group_count)
        self.blocks: cython.int = (self.powers + LANES - 1) // LANES
        self.block_room: cython.int = LANES * self.node_count
        self.near_by = ints(self.room(room, np.int32))
        self.spare_by = ints(self.room(room, np.int32))
        self.worth = ints(self.room(self.blocks * self.block_room, np.int32))
        self.size = ints(self.room(STRIDE, np.int32))
        self.lure = ints(self.room(128 * LANES, np.int32))
        self.threat = ints(self.room(128, np.int32))
        # By province: the number of units of each power that could enter it; these powers, as bits; the largest
        # number, its power, and the second largest number.
        self.beside = octets(self.room(128 * STRIDE, np.uint8))
        self.may_come = ints(self.room(128, np.int32))
        self.most = ints(self.room(128, np.int32))
        self.whose = ints(self.room(128, np.int32))
        self.second = ints(self.room(128, np.int32))

    @cython.final
    def competition(self, p: cython.int, w: cython.int) -> cython.int:
        """Return the largest number of units that a single other power could bring to a province."""
        return self.second[p] if self.whose[p] == w else self.most[p]

    def appraise(self, when: cython.int) -> cython.void:
        """Compute the values of all nodes for all powers; requires `look` before."""
        block: cython.int
        self.count_sizes()
        self.count_units()
        for block in range(self.blocks):
            self.lay_lures(when, block)
            self.spread_lures(when, block)
            self.add_units(when, block)

    def measure(self, states: cython.const[cython.uchar][:, ::1], worths: cython.int[:, :, ::1]) -> None:
        """Write the values of all nodes for all powers in each state: [B, powers, nodes]."""
        b: cython.Py_ssize_t
        w: cython.int
        n: cython.int
        with cython.nogil:
            for b in range(states.shape[0]):
                self.take(states, b)
                self.look()
                self.appraise(self.season_of())
                for w in range(self.powers):
                    for n in range(self.node_count):
                        worths[b, w, n] = self.worth[n * LANES + w % LANES + w // LANES * self.block_room]

    def season_of(self) -> cython.int:
        """Return the kind of season whose weights apply to the current state."""
        season: cython.int = self.row[SEASON]
        if season == WINTER:
            return BUILDING
        return FALL if season == AUTUMN_MOVES or season == AUTUMN_RETREATS else SPRING

    def count_sizes(self) -> cython.void:
        """Count the centres of each power, those without an owner first."""
        i: cython.int
        n: cython.int
        for i in range(STRIDE):
            self.size[i] = 0
        for i in range(self.centre_count):
            self.size[self.row[OWNERS + self.centre_list[i]] & POWER_MASK] += 1
        for i in range(STRIDE):
            n = self.size[i]
            self.size[i] = n * n + 4 * n + 16
        if self.dial[NEUTRAL] >= 0:
            self.size[0] = self.dial[NEUTRAL]

    def count_units(self) -> cython.void:
        """Count the units that could enter each province, by power; a way to each of two shores counts twice."""
        i: cython.int
        k: cython.int
        p: cython.int
        w: cython.int
        n: cython.int
        site: cython.int
        for i in range(self.provinces * STRIDE):
            self.beside[i] = 0
        for p in range(self.provinces):
            self.may_come[p] = 0
        for i in range(self.unit_count):
            p = self.units[i]
            w = self.who[p]
            site = self.sites[p]
            for k in range(self.move_first[site], self.move_first[site + 1]):
                self.beside[self.move_to[k] * STRIDE + w] += 1
                self.may_come[self.move_to[k]] |= 1 << w
            self.beside[p * STRIDE + w] += self.dial[STANDING]
        for p in range(self.provinces):
            self.most[p] = self.second[p] = 0
            self.whose[p] = -1
            for w in range(self.powers):
                n = self.beside[p * STRIDE + w]
                if n > self.most[p]:
                    self.second[p] = self.most[p]
                    self.most[p] = n
                    self.whose[p] = w
                elif n > self.second[p]:
                    self.second[p] = n

    def lay_lures(self, when: cython.int, block: cython.int) -> cython.void:
        """Set the value of each centre: the size of its owner, or of the largest power that threatens an own centre."""
        i: cython.int
        p: cython.int
        w: cython.int
        lane: cython.int
        owner: cython.int
        threat: cython.int
        attack: cython.int = self.dial[FALL_ATTACK if when == FALL else SPRING_ATTACK]
        defence: cython.int = self.dial[FALL_DEFENCE if when == FALL else SPRING_DEFENCE]
        for i in range(self.centre_count):
            p = self.centre_list[i]
            owner = self.row[OWNERS + p] & POWER_MASK
            threat = 0
            for w in range(self.powers):
                if self.may_come[p] >> w & 1 and w + 1 != owner and self.size[w + 1] > threat:
                    threat = self.size[w + 1]
            self.threat[p] = threat
            for lane in range(LANES):
                self.lure[p * LANES + lane] = self.size[owner] * attack
            lane = owner - 1 - block * LANES
            if owner and 0 <= lane < LANES:
                self.lure[p * LANES + lane] = threat * defence

    def spread_lures(self, when: cython.int, block: cython.int) -> cython.void:
        """Spread the values of the centres, step by step, from one of two arrays to the other and back."""
        n: cython.int
        lane: cython.int
        k: cython.int
        base: cython.int = block * self.block_room
        weights: cython.int = SPRING_WEIGHTS if when == SPRING else FALL_WEIGHTS
        weight: cython.int = self.dial[weights]
        for n in range(self.node_count):
            for lane in range(LANES):
                self.near_by[n * LANES + lane] = self.lure[self.province_of[n] * LANES + lane]
                self.worth[base + n * LANES + lane] = self.near_by[n * LANES + lane] * weight
        for k in range(1, STEPS):
            weight = self.dial[weights + k]
            if k % 2:
                self.lift_groups(self.near_by)
                spread(
                    self.spare_by, self.worth, base, self.near_by, self.near_first, self.near, self.node_count, weight
                )
            else:
                self.lift_groups(self.spare_by)
                spread(
                    self.near_by, self.worth, base, self.spare_by, self.near_first, self.near, self.node_count, weight
                )

    def lift_groups(self, by: cython.p_int) -> cython.void:
        """Give each group of nodes the value of its best member."""
        i: cython.int
        lane: cython.int
        group: cython.int
        at: cython.int
        for group in range(self.group_count):
            at = (self.node_count + group) * LANES
            for lane in range(LANES):
                by[at + lane] = by[self.group[self.group_first[group]] * LANES + lane]
            for i in range(self.group_first[group] + 1, self.group_first[group + 1]):
                for lane in range(LANES):
                    if by[self.group[i] * LANES + lane] > by[at + lane]:
                        by[at + lane] = by[self.group[i] * LANES + lane]

    def add_units(self, when: cython.int, block: cython.int) -> cython.void:
        """Add the effect of units next to a node: own ones help, others' deter; for builds and removals only danger
        counts.
        """
        n: cython.int
        p: cython.int
        w: cython.int
        at: cython.int
        top: cython.int = min(self.powers, (block + 1) * LANES)
        helps: cython.int = self.dial[HELP]
        deters: cython.int = self.dial[DETER]
        for n in range(self.node_count):
            p = self.province_of[n]
            at = block * self.block_room + n * LANES
            if when == BUILDING:
                w = (self.row[OWNERS + p] & POWER_MASK) - 1 - block * LANES
                if 0 <= w < LANES:
                    self.worth[at + w] += self.dial[DANGER] * self.threat[p]
                continue
            for w in range(block * LANES, top):
                self.worth[at + w % LANES] += helps * self.beside[p * STRIDE + w] - deters * (
                    self.second[p] if self.whose[p] == w else self.most[p]
                )
