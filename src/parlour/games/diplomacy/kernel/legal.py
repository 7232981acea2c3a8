"""Legal actions of a state: one list for each ordered province."""

import cython
import numpy as np

if not cython.compiled:
    from parlour.core.kernel.words import lowest
    from parlour.games.diplomacy.kernel.bits import ints, longs, octets, site_at, words
    from parlour.games.diplomacy.kernel.board import KernelBoard
    from parlour.games.diplomacy.kernel.layout import (
        AUTUMN_MOVES,
        CONTESTED,
        CONVOY,
        CONVOY_TO,
        DISLODGED,
        FLEET,
        ORIGINS,
        OWNERS,
        POWER_MASK,
        SEASON,
        SPRING_MOVES,
        STATUS,
        SUPPORT_MOVE_TO,
        UNITS,
        WINTER,
    )
    from parlour.games.diplomacy.kernel.routes import Routes


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def composed(
    kind: cython.longlong,
    ordered: cython.longlong,
    target: cython.longlong,
    third: cython.longlong,
    index: cython.longlong,
) -> cython.longlong:
    """Return the action of an index: composing it is faster than reading a large table."""
    return kind | ordered << 9 | target << 17 | third << 25 | index << 48


class Legal(KernelBoard):
    """Lists the legal orders of every unit.

    The actions that order province p are listed from first[p] to end[p], in no particular order; first
    leaves room for all that the table has. A slot with 0 is one that the next entry overwrites.
    """

    def __init__(self, tables) -> None:
        KernelBoard.__init__(self, tables)
        self.routes: Routes = Routes(tables["neighbours"].tolist())
        ordered = (tables["actions"] >> 9) & 127
        ordered[self.waive] = 127
        # One slot more than the table needs, for a value that is written and then overwritten.
        rooms = np.bincount(ordered, minlength=128) + 1
        self.first = ints(self.keep((np.cumsum(rooms) - rooms).astype(np.int32)))
        self.end = ints(self.room(128, np.int32))
        self.listed = longs(self.room(self.length + 129 + 24, np.int64))
        self.who = ints(self.room(128, np.int32))
        self.units = ints(self.room(128, np.int32))
        self.sites = ints(self.room(128, np.int32))
        self.unit_count: cython.int = 0
        self.seas: cython.ulonglong = 0
        self.army_lo: cython.ulonglong = 0
        self.army_hi: cython.ulonglong = 0
        self.shore_lo: cython.ulonglong = 0
        self.shore_hi: cython.ulonglong = 0
        self.once_lo: cython.ulonglong = 0
        self.once_hi: cython.ulonglong = 0
        self.twice_lo: cython.ulonglong = 0
        self.twice_hi: cython.ulonglong = 0
        self.landing_lo: cython.ulonglong = 0
        self.landing_hi: cython.ulonglong = 0
        # The moves by which a unit could enter province p: from come_first[p] to come_end[p].
        borders = len(tables["support_move"]) // self.provinces + self.provinces
        self.come_end = ints(self.room(128, np.int32))
        self.comers = ints(self.room(borders, np.int32))
        self.taken = octets(self.room(128, np.uint8))
        self.carried_lo = words(self.room(128, np.uint64))
        self.carried_hi = words(self.room(128, np.uint64))
        self.due_to_go = ints(self.room(16, np.int32))
        self.spare = words(self.room(2, np.uint64))
        self.via = words(self.room(64, np.uint64))
        self.armies = ints(self.room(128, np.int32))

    @cython.final
    def add(self, p: cython.int, action: cython.longlong) -> cython.void:
        """List an action for province p."""
        self.listed[self.end[p]] = action
        self.end[p] += 1

    def list_all(self) -> cython.void:
        """List the legal actions of the current state; who[p] is the power that orders in province p."""
        p: cython.int
        season: cython.int = self.row[SEASON]
        for p in range(128):
            self.end[p] = self.first[p]
        if self.row[STATUS]:
            return
        if season == SPRING_MOVES or season == AUTUMN_MOVES:
            self.look()
            self.list_moves()
            self.landing_lo = self.landing_hi = 0
            if self.seas and (self.army_lo | self.army_hi):
                self.list_convoys()
            self.list_supports()
        elif season == WINTER:
            self.list_builds()
        else:
            self.list_retreats()

    def look(self) -> cython.void:
        """List the units, the fleets that could convoy and the armies on shores."""
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
            self.sites[p] = site_at(p, unit, self.fleet_site, self.is_split)
            # All bits for an army, none for a fleet: a mask is quicker here than a branch.
            if_army = cython.cast(cython.ulonglong, (unit & FLEET != 0) - 1)
            seas |= self.sea_bit[p] & ~if_army
            lo |= self.shore_bit_lo[p] & if_army
            hi |= self.shore_bit_hi[p] & if_army
        self.unit_count = count
        self.seas = seas
        self.army_lo = lo
        self.army_hi = hi

    def list_moves(self) -> cython.void:
        """List holds, moves and supports of units that stay, and the units that could enter each province."""
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        p: cython.Py_ssize_t
        to: cython.Py_ssize_t
        at: cython.Py_ssize_t
        site: cython.Py_ssize_t
        once_lo: cython.ulonglong = 0
        once_hi: cython.ulonglong = 0
        twice_lo: cython.ulonglong = 0
        twice_hi: cython.ulonglong = 0
        for p in range(self.provinces):
            self.come_end[p] = self.come_first[p]
            self.taken[p] = self.row[UNITS + p] != 0
        for i in range(self.unit_count):
            p = self.units[i]
            site = self.sites[p]
            twice_lo |= once_lo & self.reach_lo[site]
            twice_hi |= once_hi & self.reach_hi[site]
            once_lo |= self.reach_lo[site]
            once_hi |= self.reach_hi[site]
            at = self.end[p]
            self.listed[at] = self.hold[p]
            at += 1
            for k in range(self.move_first[site], self.move_first[site + 1]):
                to = self.move_to[k]
                self.listed[at] = self.move[k]
                self.listed[at + 1] = self.support_hold[k]
                at += 1 + (self.is_new[k] & self.taken[to])
                self.comers[self.come_end[to]] = k
                self.come_end[to] += self.is_new[k]
            self.end[p] = at
        self.once_lo = once_lo
        self.once_hi = once_hi
        self.twice_lo = twice_lo
        self.twice_hi = twice_hi

    def list_supports(self) -> cython.void:
        """List supports of moves: units that could enter a province may support one another there."""
        to: cython.Py_ssize_t
        lo: cython.ulonglong = self.twice_lo | (self.once_lo & self.landing_lo)
        hi: cython.ulonglong = self.twice_hi | (self.once_hi & self.landing_hi)
        while lo:
            to = lowest(lo)
            lo &= lo - 1
            self.list_pairs(self.come_first[to], self.come_end[to], to)
            if (self.landing_lo >> to) & 1:
                self.list_supports_by_sea(to)
        while hi:
            to = 64 + lowest(hi)
            hi &= hi - 1
            self.list_pairs(self.come_first[to], self.come_end[to], to)
            if (self.landing_hi >> (to - 64)) & 1:
                self.list_supports_by_sea(to)

    @cython.final
    def list_pairs(self, begin: cython.int, end: cython.int, to: cython.int) -> cython.void:
        """List supports among units that could enter one province without a convoy, pair by pair."""
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        p: cython.Py_ssize_t
        q: cython.Py_ssize_t
        at: cython.Py_ssize_t
        row: cython.Py_ssize_t
        column: cython.Py_ssize_t
        comers: cython.p_int = self.comers
        listed: cython.p_longlong = self.listed
        pair: cython.p_ushort = self.support_pair
        for k in range(begin + 1, end):
            p = self.mover[comers[k]]
            row = self.pair_row[comers[k]]
            column = self.pair_column[comers[k]]
            at = self.end[p]
            for i in range(begin, k):
                q = self.mover[comers[i]]
                listed[at] = composed(SUPPORT_MOVE_TO, p, to, q, pair[row + self.pair_column[comers[i]]])
                at += 1
                listed[self.end[q]] = composed(SUPPORT_MOVE_TO, q, to, p, pair[self.pair_row[comers[i]] + column])
                self.end[q] += 1
            self.end[p] = at

    def list_supports_by_sea(self, to: cython.int) -> cython.void:
        """List supports of armies that reach a coast only by convoy, unless each route needs the supporter."""
        one: cython.ulonglong = 1
        i: cython.int
        k: cython.int
        p: cython.int
        at: cython.int
        row: cython.int
        army: cython.int
        count: cython.int = 0
        lo: cython.ulonglong
        hi: cython.ulonglong
        self.spare[0] = self.carried_lo[to]
        self.spare[1] = self.carried_hi[to]
        for i in range(self.come_first[to], self.come_end[to]):
            p = self.mover[self.comers[i]]
            self.spare[p >> 6] &= ~(one << (p & 63))
        lo = self.spare[0]
        hi = self.spare[1]
        while lo:
            self.armies[count] = lowest(lo)
            count += 1
            lo &= lo - 1
        while hi:
            self.armies[count] = 64 + lowest(hi)
            count += 1
            hi &= hi - 1
        for i in range(self.come_first[to], self.come_end[to] if count else 0):
            p = self.mover[self.comers[i]]
            self.spare[0] = self.army_lo
            self.spare[1] = self.army_hi
            if self.sea_number[p] >= 0:
                self.carry_without(p, to)
            row = self.support_row[self.comers[i]]
            at = self.end[p]
            for k in range(count):
                army = self.armies[k]
                self.listed[at] = composed(SUPPORT_MOVE_TO, p, to, army, self.support_move[row + army])
                at += (self.spare[army >> 6] >> (army & 63)) & 1
            self.end[p] = at

    def carry_without(self, fleet: cython.int, end: cython.int) -> cython.void:
        """Set the armies that could be carried to a coast without that fleet (DATC 6.D.31)."""
        one: cython.ulonglong = 1
        others: cython.ulonglong = self.seas & ~(one << self.sea_number[fleet]) & ~self.sea_bit[end]
        self.gather(self.routes.spread(self.touching[end] & others, others))
        self.spare[0] = self.shore_lo & self.army_lo
        self.spare[1] = self.shore_hi & self.army_hi

    def list_convoys(self) -> cython.void:
        """List convoys: connected fleets carry every army on their coasts to every other of their coasts."""
        one: cython.ulonglong = 1
        p: cython.int
        sea: cython.int
        ports: cython.ulonglong
        rest: cython.ulonglong = self.seas
        group: cython.ulonglong
        lo: cython.ulonglong
        hi: cython.ulonglong
        for p in range(self.provinces):
            self.carried_lo[p] = self.carried_hi[p] = 0
        while rest:
            group = self.routes.spread(rest & (~rest + 1), rest)
            rest &= ~group
            self.gather(group)
            self.leave_out(group & self.ports)
            if (self.shore_lo & self.army_lo) | (self.shore_hi & self.army_hi):
                if group & (group - 1):
                    self.routes.fill(group)
                self.landing_lo |= self.shore_lo
                self.landing_hi |= self.shore_hi
                self.list_group(group)
            ports = group & self.ports
            while ports:
                sea = lowest(ports)
                ports &= ports - 1
                self.list_to_port(self.sea_province[sea], group & ~(one << sea))
        lo = self.landing_lo
        while lo:
            self.list_carried(lowest(lo))
            lo &= lo - 1
        hi = self.landing_hi
        while hi:
            self.list_carried(64 + lowest(hi))
            hi &= hi - 1

    @cython.final
    def gather(self, group: cython.ulonglong) -> cython.void:
        """Set the shores to the coasts that a group of seas touches."""
        sea: cython.int
        self.shore_lo = self.shore_hi = 0
        while group:
            sea = lowest(group)
            group &= group - 1
            self.shore_lo |= self.touched_lo[sea]
            self.shore_hi |= self.touched_hi[sea]

    def leave_out(self, ports: cython.ulonglong) -> cython.void:
        """Remove ports from the set of shores, because their fleets are parts of routes to other shores."""
        one: cython.ulonglong = 1
        p: cython.int
        while ports:
            p = self.sea_province[lowest(ports)]
            ports &= ports - 1
            if p < 64:
                self.shore_lo &= ~(one << p)
            else:
                self.shore_hi &= ~(one << (p - 64))

    def list_to_port(self, port: cython.int, others: cython.ulonglong) -> cython.void:
        """List convoys to a port in which a fleet stands, by other fleets of its group that still connect."""
        one: cython.ulonglong = 1
        army: cython.int
        part: cython.ulonglong
        lo: cython.ulonglong
        hi: cython.ulonglong
        while others:
            part = self.routes.spread(others & (~others + 1), others)
            others &= ~part
            if not self.touching[port] & part:
                continue
            self.gather(part)
            self.leave_out(part & self.ports)
            lo = self.shore_lo & self.army_lo
            hi = self.shore_hi & self.army_hi
            self.carried_lo[port] |= lo
            self.carried_hi[port] |= hi
            if lo | hi and part & (part - 1):
                self.routes.fill(part)
            self.shore_lo = self.shore_hi = 0
            if port < 64:
                self.shore_lo = one << port
            else:
                self.shore_hi = one << (port - 64)
            self.landing_lo |= self.shore_lo
            self.landing_hi |= self.shore_hi
            while lo | hi:
                if lo:
                    army = lowest(lo)
                    lo &= lo - 1
                else:
                    army = 64 + lowest(hi)
                    hi &= hi - 1
                self.list_convoys_of(army, part)

    def list_carried(self, end: cython.int) -> cython.void:
        """List moves by convoy to a coast."""
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
            self.add(p, composed(CONVOY_TO, p, end, 0, self.convoy_to[self.shore_number[p] * self.shores + base]))

    def list_group(self, group: cython.ulonglong) -> cython.void:
        """List a group's convoys: for each army on its coasts, those by fleets on a route to another coast."""
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

    def list_convoys_of(self, army: cython.int, group: cython.ulonglong) -> cython.void:
        """List the convoys of one army: via[e] is the set of fleets on routes that end with sea e."""
        seas: cython.ulonglong = group
        first: cython.ulonglong
        union: cython.ulonglong
        to_lo: cython.ulonglong = self.shore_lo
        to_hi: cython.ulonglong = self.shore_hi
        sea: cython.int
        end: cython.int
        row: cython.int
        p: cython.int
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
            row = (self.shore_number[army] * self.shores + self.shore_number[end]) * self.routes.count
            seas = self.touching[end] & group
            union = 0
            while seas:
                union |= self.via[lowest(seas)]
                seas &= seas - 1
            while union:
                sea = lowest(union)
                union &= union - 1
                p = self.sea_province[sea]
                self.add(p, composed(CONVOY, p, end, army, self.convoy[row + sea]))

    def free_for(self, dislodged: cython.int, to: cython.int) -> cython.int:
        """Return True if the unit dislodged from a province may retreat to another one that it can reach."""
        return not (
            self.row[UNITS + to] or self.row[DISLODGED + to] & CONTESTED or self.row[ORIGINS + dislodged] == to + 1
        )

    def list_retreats(self) -> cython.void:
        """List retreats and disbandments of dislodged units."""
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

    def list_builds(self) -> cython.void:
        """List builds in free owned centres where the power may build, with the waiver of a build; or list removals."""
        i: cython.int
        p: cython.int
        owner: cython.int
        if not self.count_builds():
            return
        # By power + 1: 1 if the power has too many units; 0 for the entry that stands for nobody.
        self.due_to_go[0] = 0
        for i in range(self.powers):
            self.due_to_go[i + 1] = self.builds[i] < 0
        for p in range(self.provinces):
            owner = self.row[UNITS + p] & POWER_MASK
            self.who[p] = owner - 1
            self.listed[self.end[p]] = self.remove[p]
            self.end[p] += self.due_to_go[owner]
        for i in range(self.site_count):
            p = self.site_list[i]
            owner = self.row[OWNERS + p]
            if owner and self.may_build(p, owner) and self.builds[owner - 1] > 0:
                self.who[p] = owner - 1
                self.end[127] = self.first[127]
                self.add(127, self.actions[self.waive])
                self.add(p, self.build_army[p])
                if self.is_shore[p]:
                    self.add(p, self.build_fleet[2 * p])
                    if self.is_split[p]:
                        self.add(p, self.build_fleet[2 * p + 1])
