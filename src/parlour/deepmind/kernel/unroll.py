"""Turns observations into the network's input: the remembered past, and one step for each order due.

One call for a whole batch, without the GIL. All arrays are flat here: the board of state b begins at 81 * 35 b, its
remembered actions at 81 * 3 b, what concerns its power p at 7 b + p, and step t of that power at 17 (7 b + p) + t.
"""

import cython

AREAS = cython.declare(cython.int, 81)
COLUMNS = cython.declare(cython.int, 35)
BOARD = cython.declare(cython.int, 81 * 35)
CHANNELS = cython.declare(cython.int, 3)
POWERS = cython.declare(cython.int, 7)
ORDERS = cython.declare(cython.int, 17)
FIRST_SPLIT = cython.declare(cython.int, 72)
OWNER = cython.declare(cython.int, 3)
BUILDABLE = cython.declare(cython.int, 11)
REMOVABLE = cython.declare(cython.int, 12)
DISLODGED = cython.declare(cython.int, 13)
DISLODGED_OWNER = cython.declare(cython.int, 16)
CENTRE = cython.declare(cython.int, 27)
BUILD_ARMY = cython.declare(cython.int, 10)
BUILD_FLEET = cython.declare(cython.int, 11)
WAIVE = cython.declare(cython.int, 13)
BUILDS = cython.declare(cython.int, 4)
# The last observation.
NOTHING = cython.declare(cython.int, 0)
OTHER = cython.declare(cython.int, 1)
MOVES = cython.declare(cython.int, 2)
# Kinds of errors.
FINE = cython.declare(cython.int, 0)
TWO_UNITS = cython.declare(cython.int, 1)
TOO_MANY = cython.declare(cython.int, 2)
NOTHING_LEGAL = cython.declare(cython.int, 3)


@cython.final  # calls are direct, so the compiler may put them in place
@cython.cclass
class Unroller:
    """Writes the steps of turns in the order of a power's units. It never changes, so several threads may share it."""

    def __init__(self, order) -> None:
        self.order: cython.const[cython.int][::1] = order.data

    def remember(
        self,
        boards: cython.const[cython.uchar][::1],
        seasons: cython.const[cython.int][::1],
        actions: cython.const[cython.longlong][::1],
        bounds: cython.const[cython.longlong][::1],
        previous: cython.uchar[::1],
        last: cython.uchar[::1],
        acts: cython.int[::1],
        seen: cython.uchar[::1],
        shown: cython.uchar[::1],
    ) -> int:
        """Bring previous, last, acts and seen up to date and write what is shown of the last moves phase.

        Returns -1, or which of the actions fits neither the board before nor the actions beside it.
        """
        b: cython.Py_ssize_t
        i: cython.Py_ssize_t
        at: cython.Py_ssize_t
        bad: cython.longlong = -1
        with cython.nogil:
            for b in range(seasons.shape[0]):
                at = b * BOARD
                for i in range(BOARD):
                    shown[at + i] = boards[at + i] if seen[b] == NOTHING else previous[at + i]
                self.shift(acts, b * AREAS * CHANNELS, seen[b] == MOVES)
                for i in range(bounds[b], bounds[b + 1]):
                    if not self.enter(actions[i], last, at, acts, b * AREAS * CHANNELS) and bad < 0:
                        bad = i
                if seasons[b] == 0 or seasons[b] == 2:
                    for i in range(BOARD):
                        previous[at + i] = boards[at + i]
                    seen[b] = MOVES
                else:
                    seen[b] = OTHER
                for i in range(BOARD):
                    last[at + i] = boards[at + i]
        return bad

    def shift(self, acts: cython.int[::1], at: cython.Py_ssize_t, clear: cython.bint) -> cython.void:
        """Move the columns on for the last phase's actions; after the next moves phase nothing is kept."""
        area: cython.Py_ssize_t
        for area in range(AREAS):
            acts[at] = -1 if clear else acts[at + 1]
            acts[at + 1] = -1 if clear else acts[at + 2]
            acts[at + 2] = -1
            at += CHANNELS

    def enter(
        self,
        action: cython.longlong,
        last: cython.uchar[::1],
        at: cython.Py_ssize_t,
        acts: cython.int[::1],
        cell: cython.Py_ssize_t,
    ) -> cython.bint:
        """File an action under the area of its unit; return False without a unit, or if it has another action."""
        kind: cython.int = action & 255
        province: cython.int = action >> 9 & 127
        area: cython.int = province
        if kind == WAIVE:
            return True
        if province >= FIRST_SPLIT:
            area = FIRST_SPLIT + 3 * (province - FIRST_SPLIT)
        if kind == BUILD_FLEET:
            if province >= FIRST_SPLIT:
                area += 1 + (action >> 8 & 1)
        elif kind != BUILD_ARMY:
            if not last[at + area * COLUMNS]:
                if not last[at + area * COLUMNS + 1]:
                    return False
                if province >= FIRST_SPLIT:
                    area += 1 if self.stands(last, at + (area + 1) * COLUMNS) else 2
        cell += area * CHANNELS + CHANNELS - 1
        if acts[cell] != -1:
            return False
        acts[cell] = action >> 48
        return True

    def stands(self, boards: cython.uchar[::1], row: cython.Py_ssize_t) -> cython.bint:
        """Return True if a row shows a unit."""
        return boards[row] != 0 or boards[row + 1] != 0

    def unroll(
        self,
        boards: cython.const[cython.uchar][::1],
        seasons: cython.const[cython.int][::1],
        builds: cython.const[cython.int][::1],
        legal: cython.const[cython.longlong][::1],
        offsets: cython.const[cython.longlong][::1],
        asked: cython.const[cython.uchar][::1],
        places: cython.int[::1],
        areas: cython.uchar[::1],
        indices: cython.int[::1],
        spans: cython.int[::1],
        lengths: cython.int[::1],
        wrong: cython.int[::1],
    ) -> int:
        """Write the steps of every power that is asked, areas and spans being zero before.

        Step t acts in places[t] (an area, or -2 in builds), may be given the actions indices[spans[2 t] :
        spans[2 t + 1]], and reads the areas marked. If something is wrong, what, whose and where are written to wrong.
        """
        b: cython.Py_ssize_t
        p: cython.Py_ssize_t
        row: cython.Py_ssize_t
        used: cython.Py_ssize_t = 0
        with cython.nogil:
            for b in range(seasons.shape[0]):
                for p in range(POWERS):
                    row = b * POWERS + p
                    lengths[row] = 0
                    if not asked[row] or wrong[0]:
                        continue
                    if seasons[b] == BUILDS:
                        used = self.adjust(
                            boards, b * BOARD, builds[row], p, legal, offsets[b * (POWERS + 1) + p],
                            offsets[b * (POWERS + 1) + p + 1], places, areas, indices, spans, lengths, row, used, wrong,
                        )  # fmt: skip
                    else:
                        used = self.order_units(
                            boards, b * BOARD, seasons[b] & 1, p, legal, offsets[b * (POWERS + 1) + p],
                            offsets[b * (POWERS + 1) + p + 1], places, areas, indices, spans, lengths, row, used, wrong,
                        )  # fmt: skip
        return used

    def order_units(
        self,
        boards: cython.const[cython.uchar][::1],
        at: cython.Py_ssize_t,
        retreats: cython.bint,
        p: cython.Py_ssize_t,
        legal: cython.const[cython.longlong][::1],
        start: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
        places: cython.int[::1],
        areas: cython.uchar[::1],
        indices: cython.int[::1],
        spans: cython.int[::1],
        lengths: cython.int[::1],
        row: cython.Py_ssize_t,
        used: cython.Py_ssize_t,
        wrong: cython.int[::1],
    ) -> cython.Py_ssize_t:
        """Write one step for each unit, or dislodged unit, of power p."""
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        area: cython.int
        main: cython.int
        province: cython.int
        step: cython.Py_ssize_t
        first: cython.Py_ssize_t
        unit: cython.int = DISLODGED if retreats else 0
        owner: cython.int = DISLODGED_OWNER if retreats else OWNER
        for i in range(AREAS):
            area = self.order[i]
            if not boards[at + area * COLUMNS + owner + p]:
                continue
            province = area if area < FIRST_SPLIT else FIRST_SPLIT + (area - FIRST_SPLIT) // 3
            main = area if area < FIRST_SPLIT else area - (area - FIRST_SPLIT) % 3
            # A fleet on a coast is shown in the main row too; it is asked by its coast.
            if area == main and area >= FIRST_SPLIT:
                if not boards[at + area * COLUMNS + unit] and boards[at + area * COLUMNS + unit + 1]:
                    continue
            if lengths[row] == ORDERS:
                return self.report(wrong, TOO_MANY, row, area, used)
            for k in range(lengths[row]):
                step = row * ORDERS + k
                if places[step] >= FIRST_SPLIT and main == places[step] - (places[step] - FIRST_SPLIT) % 3:
                    return self.report(wrong, TWO_UNITS, row, area, used)
            step = row * ORDERS + lengths[row]
            first = used
            for k in range(start, end):
                if legal[k] != 0 and (legal[k] >> 9 & 127) == province:
                    indices[used] = legal[k] >> 48
                    used += 1
            if used == first:
                return self.report(wrong, NOTHING_LEGAL, row, area, used)
            places[step] = area
            areas[step * AREAS + area] = 1
            spans[2 * step] = first
            spans[2 * step + 1] = used
            lengths[row] += 1
        return used

    def adjust(
        self,
        boards: cython.const[cython.uchar][::1],
        at: cython.Py_ssize_t,
        number: cython.int,
        p: cython.Py_ssize_t,
        legal: cython.const[cython.longlong][::1],
        start: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
        places: cython.int[::1],
        areas: cython.uchar[::1],
        indices: cython.int[::1],
        spans: cython.int[::1],
        lengths: cython.int[::1],
        row: cython.Py_ssize_t,
        used: cython.Py_ssize_t,
        wrong: cython.int[::1],
    ) -> cython.Py_ssize_t:
        """Write as many steps as builds or removals are due, each with all legal choices."""
        k: cython.Py_ssize_t
        area: cython.Py_ssize_t
        step: cython.Py_ssize_t
        first: cython.Py_ssize_t = used
        count: cython.int = number if number > 0 else -number
        owner: cython.int = CENTRE if number > 0 else OWNER
        allowed: cython.int = BUILDABLE if number > 0 else REMOVABLE
        if count == 0:
            return used
        if count > ORDERS:
            return self.report(wrong, TOO_MANY, row, -2, used)
        for k in range(start, end):
            if legal[k] != 0:
                indices[used] = legal[k] >> 48
                used += 1
        if used == first:
            return self.report(wrong, NOTHING_LEGAL, row, -2, used)
        for step in range(row * ORDERS, row * ORDERS + count):
            places[step] = -2
            spans[2 * step] = first
            spans[2 * step + 1] = used
            for area in range(AREAS):
                if boards[at + area * COLUMNS + owner + p] and boards[at + area * COLUMNS + allowed]:
                    areas[step * AREAS + area] = 1
        lengths[row] = count
        return used

    def report(
        self,
        wrong: cython.int[::1],
        what: cython.int,
        row: cython.Py_ssize_t,
        area: cython.int,
        used: cython.Py_ssize_t,
    ) -> cython.Py_ssize_t:
        """Record an error: its kind, its power and its place."""
        wrong[0] = what
        wrong[1] = row
        wrong[2] = area
        return used
