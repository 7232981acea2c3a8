"""Entry points for batches of states: list, sample and check actions, and play a phase.

A desk works for one thread at a time; rules.py hands desks out. Everything runs without the GIL.
"""

import cython
import numpy as np

if not cython.compiled:
    from parlour.core.kernel.words import lowest, splitmix
    from parlour.games.diplomacy.kernel.bits import ints, longs, put_longs, put_octets, put_row, words
    from parlour.games.diplomacy.kernel.layout import (
        ATTACKER_CAME_FROM,
        AUTUMN_MOVES,
        BUILD_ARMY,
        CONTESTED,
        CONVOY,
        CONVOY_TO,
        DISBAND,
        DISLODGED,
        FINE,
        FLEET,
        IS_CONTESTED,
        MOVE_TO,
        NO_ROUTE,
        NO_TARGET,
        NO_UNIT,
        NOT_A_HOME,
        NOT_IN_TABLE,
        NOT_YOURS,
        OCCUPIED,
        OUT_OF_REACH,
        OWNERS,
        POWER_MASK,
        REMOVE,
        RETREAT_TO,
        SEASON,
        SECOND_ORDER,
        SPRING_MOVES,
        STATUS,
        SUPPORT_HOLD,
        SUPPORT_MOVE_TO,
        TOO_MANY,
        UNITS,
        UNREACHABLE_BY_THIRD,
        WAIVE,
        WINTER,
        WRONG_PHASE,
        WRONG_TYPE,
    )
    from parlour.games.diplomacy.kernel.phases import Phases


class Desk(Phases):
    """Lists, checks and plays actions for batches of states."""

    def __init__(self, tables) -> None:
        Phases.__init__(self, tables)
        self.picks = ints(self.room(128, np.int32))
        self.place = longs(self.room(128, np.int64))
        self.filled = ints(self.room(16, np.int32))
        self.seed: cython.ulonglong = 0
        self.drawn: cython.ulonglong = 0
        self.marks = words(self.room(self.length // 64 + 1, np.uint64))
        # One bit for each word of `marks`: 1 if the word is not 0.
        self.marked = words(self.room(self.length // 4096 + 1, np.uint64))
        self.found = ints(self.room(self.length + 16, np.int32))

    def list_legal(
        self,
        states: cython.const[cython.uchar][:, ::1],
        actions: cython.longlong[::1],
        offsets: cython.longlong[:, ::1],
        by_power: cython.bint,
    ) -> int:
        """List the legal actions of each state, by power (ascending) or by province, while there is room.

        Returns the number of the first state that did not fit. offsets[b] are the bounds of state b's lists.
        """
        b: cython.Py_ssize_t
        total: cython.longlong = 0
        with cython.nogil:
            b = 0
            while b < states.shape[0]:
                self.take(states, b)
                self.list_all()
                if by_power:
                    total = self.deal_to_powers(actions, offsets, b, total)
                else:
                    total = self.deal_to_provinces(actions, offsets, b, total)
                if total < 0:
                    break
                b += 1
        return b

    def deal_to_provinces(
        self,
        actions: cython.longlong[::1],
        offsets: cython.longlong[:, ::1],
        b: cython.Py_ssize_t,
        total: cython.longlong,
    ) -> cython.longlong:
        """Write one list per province; return the new total, or -1 if the space is too small."""
        i: cython.int
        p: cython.int
        count: cython.int = 0
        at: cython.longlong = total
        for p in range(self.provinces):
            offsets[b, p] = total
            total += self.end[p] - self.first[p]
            self.picks[count] = p
            count += self.end[p] > self.first[p]
        offsets[b, self.provinces] = total
        if total > actions.shape[0]:
            return -1
        for i in range(count):
            p = self.picks[i]
            put_longs(actions, at, self.listed, self.first[p], self.end[p] - self.first[p])
            at += self.end[p] - self.first[p]
        return total

    def mark_all(self) -> cython.void:
        """Mark the listed actions in the bit set."""
        one: cython.ulonglong = 1
        i: cython.int
        p: cython.int
        index: cython.int
        for p in range(128):
            for i in range(self.first[p], self.end[p]):
                index = cython.cast(cython.int, self.listed[i] >> 48)
                self.marks[index >> 6] |= one << (index & 63)
                self.marked[index >> 12] |= one << (index >> 6 & 63)

    def read_marks(self) -> cython.int:
        """Move the marks to the list of found indices, ascending, and return their number."""
        count: cython.int = 0
        i: cython.int
        w: cython.int
        rest: cython.ulonglong
        word: cython.ulonglong
        for i in range(self.length // 4096 + 1):
            rest = self.marked[i]
            self.marked[i] = 0
            while rest:
                w = (i << 6) + lowest(rest)
                rest &= rest - 1
                word = self.marks[w]
                self.marks[w] = 0
                while word:
                    self.found[count] = (w << 6) + lowest(word)
                    count += 1
                    word &= word - 1
        return count

    def deal_to_powers(
        self,
        actions: cython.longlong[::1],
        offsets: cython.longlong[:, ::1],
        b: cython.Py_ssize_t,
        total: cython.longlong,
    ) -> cython.longlong:
        """Write one ascending list per power, with a waiver for each that may build; return the new total, or -1."""
        i: cython.int
        p: cython.int
        w: cython.int
        count: cython.int
        action: cython.longlong
        waivers: cython.int = self.end[127] - self.first[127]
        for w in range(self.powers):
            self.picks[w] = waivers and self.builds[w] > 0
        for p in range(self.provinces):
            if self.end[p] > self.first[p]:
                self.picks[self.who[p]] += self.end[p] - self.first[p]
        for w in range(self.powers):
            offsets[b, w] = self.place[w] = total
            total += self.picks[w]
        offsets[b, self.powers] = total
        if total > actions.shape[0]:
            return -1
        self.mark_all()
        count = self.read_marks()
        for i in range(count):
            action = self.actions[self.found[i]]
            if action & 255 != WAIVE:
                w = self.who[(action >> 9) & 127]
                actions[self.place[w]] = action
                self.place[w] += 1
            else:
                for w in range(self.powers):
                    if self.builds[w] > 0:
                        actions[self.place[w]] = action
                        self.place[w] += 1
        return total

    def below(self, count: cython.int) -> cython.int:
        """Return the next random number from 0 to count - 1: a hash of the seed and of the number of earlier draws."""
        word: cython.ulonglong
        self.drawn += 1
        word = splitmix(self.seed, self.drawn) >> 32
        return cython.cast(cython.int, (word * count) >> 32)

    def sample(
        self,
        states: cython.const[cython.uchar][:, ::1],
        seeds: cython.const[cython.ulonglong][::1],
        actions: cython.longlong[:, :, ::1],
    ) -> None:
        """Sample a legal action for each orderable location; in winter as many as are due, never a waiver."""
        b: cython.Py_ssize_t
        w: cython.int
        k: cython.int
        with cython.nogil:
            for b in range(states.shape[0]):
                self.take(states, b)
                self.seed = seeds[b]
                self.drawn = 0
                for w in range(self.powers):
                    self.filled[w] = 0
                    for k in range(actions.shape[2]):
                        actions[b, w, k] = 0
                self.list_all()
                self.draw(actions, b)

    def draw(self, actions: cython.longlong[:, :, ::1], b: cython.Py_ssize_t) -> cython.void:
        """Pick one of the listed actions in each province, or in as many provinces as are due."""
        p: cython.int
        w: cython.int
        pick: cython.int
        if self.row[SEASON] == WINTER:
            self.pick_due()
        for p in range(self.provinces):
            if self.end[p] > self.first[p]:
                pick = self.first[p] + self.below(self.end[p] - self.first[p])
                w = self.who[p]
                if self.filled[w] < actions.shape[2]:
                    actions[b, w, self.filled[w]] = self.listed[pick]
                    self.filled[w] += 1

    def pick_due(self) -> cython.void:
        """Keep a random choice of each power's places to build or remove, as many as are due."""
        p: cython.int
        w: cython.int
        for w in range(self.powers):
            self.due[w] = abs(self.builds[w])
            self.picks[w] = 0
        for p in range(self.provinces):
            if self.end[p] > self.first[p]:
                self.picks[self.who[p]] += 1
        for p in range(self.provinces):
            if self.end[p] > self.first[p]:
                w = self.who[p]
                if self.below(self.picks[w]) < self.due[w]:
                    self.due[w] -= 1
                else:
                    self.end[p] = self.first[p]
                self.picks[w] -= 1

    def step(
        self,
        states: cython.const[cython.uchar][:, ::1],
        actions: cython.const[cython.longlong][:, :, ::1],
        after: cython.uchar[:, ::1],
        verdicts: cython.uchar[:, ::1],
    ) -> None:
        """Play one phase of every state."""
        b: cython.Py_ssize_t
        with cython.nogil:
            for b in range(states.shape[0]):
                self.take(states, b)
                self.play(actions, b)
                put_row(after, b, self.row)
                put_octets(verdicts, b, self.verdict, self.provinces)

    def due_builds(self, states: cython.const[cython.uchar][:, ::1], numbers: cython.schar[:, ::1]) -> None:
        """Count the builds, or negative removals, that are due in each state in winter."""
        b: cython.Py_ssize_t
        w: cython.int
        with cython.nogil:
            for b in range(states.shape[0]):
                self.take(states, b)
                self.count_builds()
                for w in range(self.powers):
                    numbers[b, w] = self.builds[w] if self.row[SEASON] == WINTER and not self.row[STATUS] else 0

    def check(
        self,
        states: cython.const[cython.uchar][:, ::1],
        actions: cython.const[cython.longlong][:, :, ::1],
        reasons: cython.uchar[:, :, ::1],
    ) -> None:
        """Write for each action the reason why it would be ignored, or 0."""
        b: cython.Py_ssize_t
        with cython.nogil:
            for b in range(states.shape[0]):
                self.take(states, b)
                self.list_all()
                self.mark_all()
                self.check_one(actions, reasons, b)
                self.read_marks()

    def check_one(
        self, actions: cython.const[cython.longlong][:, :, ::1], reasons: cython.uchar[:, :, ::1], b: cython.Py_ssize_t
    ) -> cython.void:
        """Write the reasons for the actions of one state, whose legal actions are marked."""
        w: cython.int
        k: cython.int
        p: cython.int
        action: cython.longlong
        index: cython.longlong
        for p in range(self.provinces):
            self.given[p] = 0
        if self.row[SEASON] == WINTER:
            self.count_builds()
        for w in range(self.powers):
            self.due[w] = self.builds[w]
            for k in range(actions.shape[2]):
                action = actions[b, w, k]
                index = action >> 48
                if action <= 0:
                    # Padding is allowed; anything else below zero is not an action.
                    reasons[b, w, k] = FINE if action >= -1 else NOT_IN_TABLE
                elif index >= self.length or self.actions[index] != action:
                    reasons[b, w, k] = NOT_IN_TABLE
                else:
                    reasons[b, w, k] = self.reason(w, action, cython.cast(cython.int, index))

    def reason(self, w: cython.int, action: cython.longlong, index: cython.int) -> cython.int:
        """Return the reason why an action of the table is ignored, 0 if it is not; note an accepted order."""
        p: cython.int = (action >> 9) & 127
        kind: cython.int = action & 255
        legal: cython.int = (self.marks[index >> 6] >> (index & 63)) & 1
        if not self.in_season(kind):
            return WRONG_PHASE
        if kind >= BUILD_ARMY:
            return self.reason_to_adjust(w, action)
        if kind <= SUPPORT_MOVE_TO:
            if not self.row[UNITS + p]:
                return NO_UNIT
        elif not self.row[DISLODGED + p] & POWER_MASK:
            return NO_UNIT
        if self.who[p] != w:
            return NOT_YOURS
        if not legal:
            return self.reason_to_retreat(action) if kind == RETREAT_TO else self.reason_to_move(action)
        if self.given[p]:
            return SECOND_ORDER
        self.given[p] = 1
        return FINE

    def in_season(self, kind: cython.int) -> cython.bint:
        """Return True if orders of that kind are given in this phase."""
        season: cython.int = self.row[SEASON]
        if self.row[STATUS]:
            return 0
        if kind <= SUPPORT_MOVE_TO:
            return season == SPRING_MOVES or season == AUTUMN_MOVES
        if kind == DISBAND or kind == RETREAT_TO:
            return not (season == SPRING_MOVES or season == AUTUMN_MOVES or season == WINTER)
        return season == WINTER

    def reason_to_move(self, action: cython.longlong) -> cython.int:
        """Return the reason why an order of a movement phase is not legal, given that the unit is there."""
        kind: cython.int = action & 255
        p: cython.int = (action >> 9) & 127
        target: cython.int = (action >> 17) & 127
        third: cython.int = (action >> 25) & 127
        unit: cython.int = self.row[UNITS + p]
        if kind == CONVOY_TO:
            return WRONG_TYPE if unit & FLEET else NO_ROUTE
        if kind == CONVOY:
            if not unit & FLEET:
                return WRONG_TYPE
            return NO_ROUTE if self.is_army(third) else NO_TARGET
        if not self.reaches(self.site(p, unit), target) or kind == MOVE_TO:
            return OUT_OF_REACH
        if not self.row[UNITS + (target if kind == SUPPORT_HOLD else third)]:
            return NO_TARGET
        return UNREACHABLE_BY_THIRD

    def reason_to_retreat(self, action: cython.longlong) -> cython.int:
        """Return the reason why a retreat is not legal, given that the unit is there."""
        k: cython.int
        p: cython.int = (action >> 9) & 127
        target: cython.int = (action >> 17) & 127
        site: cython.int = self.site(p, self.row[DISLODGED + p])
        for k in range(self.move_first[site], self.move_first[site + 1]):
            if self.retreat[k] == action:
                if self.row[UNITS + target]:
                    return OCCUPIED
                return IS_CONTESTED if self.row[DISLODGED + target] & CONTESTED else ATTACKER_CAME_FROM
        return OUT_OF_REACH

    def reason_to_adjust(self, w: cython.int, action: cython.longlong) -> cython.int:
        """Return the reason why a build, waiver or removal is ignored, 0 if it is not; count accepted ones."""
        kind: cython.int = action & 255
        p: cython.int = (action >> 9) & 127
        if kind == REMOVE:
            if not self.row[UNITS + p]:
                return NO_UNIT
            if self.row[UNITS + p] & POWER_MASK != w + 1:
                return NOT_YOURS
            if self.given[p]:
                return SECOND_ORDER
            if self.due[w] >= 0:
                return TOO_MANY
            self.due[w] += 1
            self.given[p] = 1
            return FINE
        if kind != WAIVE:
            if not ((self.site_of[p] & ~self.barred) >> (w + 1)) & 1 or self.row[OWNERS + p] != w + 1:
                return NOT_A_HOME
            if self.row[UNITS + p]:
                return OCCUPIED
            if self.given[p]:
                return SECOND_ORDER
        if self.due[w] <= 0:
            return TOO_MANY
        self.due[w] -= 1
        if kind != WAIVE:
            self.given[p] = 1
        return FINE
