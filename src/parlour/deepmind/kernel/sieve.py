"""Removes convoys by fleets that no route needs from lists of legal actions; in place, for a whole batch."""

import cython

if not cython.compiled:
    from parlour.games.diplomacy.kernel.layout import AUTUMN_MOVES, CONVOY, FLEET, SEASON, SPRING_MOVES, UNITS


class Sieve:
    """Finds idle convoys by the minimal routes of each convoy. It never changes, so several threads may share it."""

    def __init__(self, first, sets, seas) -> None:
        self.first: cython.const[cython.int][::1] = memoryview(first)
        self.sets: cython.const[cython.ulonglong][::1] = memoryview(sets)
        self.seas: cython.const[cython.uchar][::1] = memoryview(seas)

    def drop_idle(
        self,
        states: cython.const[cython.uchar][:, ::1],
        actions: cython.longlong[::1],
        offsets: cython.longlong[:, ::1],
    ) -> int:
        """Close the gaps that idle convoys leave in actions, and adjust offsets [B, lists + 1]; return the rest."""
        b: cython.Py_ssize_t
        k: cython.Py_ssize_t
        i: cython.longlong
        start: cython.longlong
        end: cython.longlong
        kept: cython.longlong = 0
        present: cython.ulonglong
        moves: cython.bint
        with cython.nogil:
            for b in range(states.shape[0]):
                present = self.fleets(states, b)
                moves = states[b, SEASON] == SPRING_MOVES or states[b, SEASON] == AUTUMN_MOVES
                end = offsets[b, 0]
                for k in range(offsets.shape[1] - 1):
                    start = end
                    end = offsets[b, k + 1]
                    offsets[b, k] = kept
                    for i in range(start, end):
                        if not moves or actions[i] & 255 != CONVOY or self.is_needed(actions[i] >> 48, present):
                            actions[kept] = actions[i]
                            kept += 1
                offsets[b, offsets.shape[1] - 1] = kept
        return kept

    def fleets(self, states: cython.const[cython.uchar][:, ::1], b: cython.Py_ssize_t) -> cython.ulonglong:
        """Return the seas with fleets, as bits."""
        one: cython.ulonglong = 1
        sea: cython.int
        found: cython.ulonglong = 0
        for sea in range(self.seas.shape[0]):
            if states[b, UNITS + self.seas[sea]] & FLEET:
                found |= one << sea
        return found

    def is_needed(self, index: cython.longlong, present: cython.ulonglong) -> cython.bint:
        """Return True if all fleets of some minimal route of that convoy are present."""
        i: cython.int
        for i in range(self.first[index], self.first[index + 1]):
            if not self.sets[i] & ~present:
                return True
        return False
