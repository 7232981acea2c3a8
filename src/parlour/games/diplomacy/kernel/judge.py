"""Adjudicates the orders of a movement phase: guess and check, after Kruijswijk, with the Szykman rule.

A decision is made for each order: a move arrives or not, a support is cut or not, a convoying fleet is dislodged or
not. Decisions that depend on each other in a circle are guessed both ways. If exactly one guess agrees with its own
consequences, it is right. Otherwise all orders of the circle are moves, which succeed, or it is a convoy paradox, in
which every convoy concerned is disrupted (DATC 4.A.2 d). For circles within circles, one guess for each circle is tried
in all combinations. A convoyed army arrives if any of its routes holds (4.A.1 b).
"""

import cython
import numpy as np

if not cython.compiled:
    from parlour.core.kernel.words import lowest
    from parlour.games.diplomacy.kernel.bits import ints, octets, words
    from parlour.games.diplomacy.kernel.layout import (
        BOUNCED,
        CONVOY,
        CONVOY_TO,
        CUT,
        DISRUPTED,
        HOLD,
        MARK_DEFAULT,
        MARK_PARADOX,
        NO_CONVOY,
        SUCCEEDED,
        SUPPORT_HOLD,
        SUPPORT_MOVE_TO,
        VOID,
    )
    from parlour.games.diplomacy.kernel.moves import MoveOrders

OPEN = cython.declare(cython.int, 0)
GUESSED = cython.declare(cython.int, 1)
DECIDED = cython.declare(cython.int, 2)
ROOM = cython.declare(cython.int, 1 << 14)
OWN = cython.declare(cython.int, 1)
OTHERS = cython.declare(cython.int, 2)
MOST_PINS = cython.declare(cython.int, 10)


class Judge(MoveOrders):
    """Decides which orders of a movement phase succeed. Arrays are indexed by the province of the ordered unit."""

    def __init__(self, tables) -> None:
        MoveOrders.__init__(self, tables)
        # For each move: 1 if it goes by convoy, and the fleets that are ordered to carry it.
        self.carried = ints(self.room(128, np.int32))
        self.carriers = words(self.room(128, np.uint64))
        # Linked lists, -1 at the end: moves into a province; supports of a unit's order.
        self.comer = ints(self.room(128, np.int32))
        self.next_comer = ints(self.room(128, np.int32))
        self.supporter = ints(self.room(128, np.int32))
        self.next_supporter = ints(self.room(128, np.int32))
        self.progress = ints(self.room(128, np.int32))
        self.answer = ints(self.room(128, np.int32))
        self.paradox = ints(self.room(128, np.int32))
        self.guesses = ints(self.room(ROOM, np.int32))
        self.guess_count: cython.int = 0
        # Flags of orders under evaluation, the times of their latest answers (by `clock`), and the kept guesses.
        self.active = ints(self.room(128, np.int32))
        self.finished = ints(self.room(128, np.int32))
        self.pinned = ints(self.room(256, np.int32))
        self.member = ints(self.room(128, np.int32))
        self.pin_count: cython.int = 0
        self.clock: cython.int = 0
        self.movers = ints(self.room(128, np.int32))
        self.supports = ints(self.room(128, np.int32))
        self.convoys = ints(self.room(128, np.int32))
        self.unsettled = ints(self.room(128, np.int32))
        self.verdict = octets(self.room(128, np.uint8))

    def link(self) -> cython.void:
        """Match supports and convoys with the orders that they are for, and list the moves by destination."""
        one: cython.ulonglong = 1
        i: cython.int
        p: cython.int
        other: cython.int
        moves: cython.int = 0
        supports: cython.int = 0
        convoys: cython.int = 0
        for p in range(self.provinces):
            self.comer[p] = self.supporter[p] = -1
        for i in range(self.unit_count):
            p = self.units[i]
            self.progress[p] = OPEN
            self.answer[p] = 0
            self.active[p] = 0
            self.finished[p] = 0
            self.paradox[p] = 0
            self.carried[p] = self.kind[p] == CONVOY_TO
            self.carriers[p] = 0
            self.verdict[p] = SUCCEEDED
        # Lists by kind of order: which kind comes next cannot be foreseen, so a branch for each would cost more.
        for i in range(self.unit_count):
            p = self.units[i]
            self.movers[moves] = p
            moves += self.moves[p]
            self.supports[supports] = p
            supports += (self.kind[p] == SUPPORT_HOLD) | (self.kind[p] == SUPPORT_MOVE_TO)
            self.convoys[convoys] = p
            convoys += self.kind[p] == CONVOY
        for i in range(convoys):
            p = self.convoys[i]
            other = self.third[p]
            if self.kind[other] == CONVOY_TO and self.target[other] == self.target[p]:
                self.carriers[other] |= one << self.sea_number[p]
            else:
                self.verdict[p] = VOID
        for i in range(supports):
            self.link_support(self.supports[i])
        for i in range(moves):
            self.link_move(self.movers[i])

    @cython.final
    def link_support(self, p: cython.int) -> cython.void:
        """Link a support to its unit, if that unit has the supported order."""
        other: cython.int = self.target[p]
        matches: cython.int
        if self.kind[p] == SUPPORT_HOLD:
            matches = not self.moves[other]
        else:
            other = self.third[p]
            matches = self.moves[other] and self.target[other] == self.target[p]
        if matches:
            self.next_supporter[p] = self.supporter[other]
            self.supporter[other] = p
        else:
            self.verdict[p] = VOID

    @cython.final
    def link_move(self, p: cython.int) -> cython.void:
        """List a move at its destination. Without an ordered route, a move by convoy goes by land or fails."""
        to: cython.int = self.target[p]
        if self.carried[p] and not self.joined(p, to, self.carriers[p]):
            self.carried[p] = not self.reaches(p, to)
            if self.carried[p]:
                self.progress[p] = DECIDED
                self.verdict[p] = NO_CONVOY
                return
        self.next_comer[p] = self.comer[to]
        self.comer[to] = p

    def judge(self) -> cython.void:
        """Decide every order, and write its result."""
        i: cython.int
        p: cython.int
        count: cython.int
        self.link()
        self.guess_count = self.pin_count = self.clock = 0
        count = self.decide_unopposed()
        for i in range(count):
            self.decide(self.unsettled[i])
        count = 0
        for i in range(self.unit_count):
            p = self.units[i]
            self.unsettled[count] = p
            count += (self.verdict[p] == SUCCEEDED) & (self.kind[p] != HOLD) & (self.answer[p] == 0)
        for i in range(count):
            p = self.unsettled[i]
            if self.moves[p]:
                self.verdict[p] = BOUNCED if self.arrives(p) else DISRUPTED
            else:
                self.verdict[p] = DISRUPTED if self.kind[p] == CONVOY else CUT
        for i in range(self.unit_count):
            p = self.units[i]
            self.verdict[p] |= self.paradox[p] * MARK_PARADOX | (self.given[p] == 0) * MARK_DEFAULT

    def decide_unopposed(self) -> cython.int:
        """Decide simple successes: nobody else comes, or the move is the only one to an empty province.

        Lists the other orders as unsettled and returns how many there are.
        """
        i: cython.int
        p: cython.int
        to: cython.int
        alone: cython.int
        count: cython.int = 0
        for i in range(self.unit_count):
            p = self.units[i]
            to = self.target[p]
            alone = (self.comer[to] == p) & (self.next_comer[p] < 0) & (self.power[to] == 0) & (self.carried[p] == 0)
            alone = (alone & self.moves[p]) | ((self.comer[p] < 0) & (self.moves[p] == 0))
            self.progress[p] |= alone * DECIDED
            self.answer[p] = alone
            self.unsettled[count] = p
            count += (self.kind[p] != HOLD) & (self.progress[p] != DECIDED) & (self.verdict[p] != VOID)
        return count

    @cython.final
    def decide(self, p: cython.int) -> cython.int:
        """Return True if the order of the unit in p succeeds; may depend on guesses that are on the list."""
        before: cython.int = self.guess_count
        pins: cython.int = self.pin_count
        began: cython.int = self.clock
        first: cython.int
        uses: cython.int
        if self.progress[p] == DECIDED:
            return self.answer[p]
        if self.progress[p] == GUESSED:
            self.depend_on(p)
            return self.answer[p]
        self.clock += 1
        first = self.guess(p, 0)
        if self.guess_count == before:
            # No guess was used. The resolution of a circle may have decided p itself meanwhile.
            if self.progress[p] != DECIDED:
                self.progress[p] = DECIDED
                self.answer[p] = first
            return self.answer[p]
        uses = self.uses(p, before, began)
        if uses == OWN:
            return self.untie(p, before, pins, first)
        if uses == OWN | OTHERS:
            # A circle within a circle: the guess is kept until the outermost circle is resolved.
            self.pin(p)
            return 0
        self.depend_on(p)
        self.answer[p] = first
        self.finish(p)
        return first

    def finish(self, p: cython.int) -> cython.void:
        """Store the time of the latest answer for p, and advance the clock."""
        self.finished[p] = self.clock
        self.clock += 1

    @cython.final
    def guess(self, p: cython.int, answer: cython.int) -> cython.int:
        """Return the result of p that follows from a guessed answer."""
        self.progress[p] = GUESSED
        self.answer[p] = answer
        self.active[p] = 1
        answer = self.evaluate(p)
        self.active[p] = 0
        return answer

    def uses(self, p: cython.int, before: cython.int, began: cython.int) -> cython.int:
        """Return the guesses that p's answer has used since `before`: OWN for that of p, OTHERS for earlier ones."""
        i: cython.int
        other: cython.int
        found: cython.int = 0
        for i in range(before, self.guess_count):
            other = self.guesses[i]
            if other == p:
                found |= OWN
            elif self.active[other] or self.finished[other] < began:
                found |= OTHERS
        return found

    def pin(self, p: cython.int) -> cython.void:
        """Keep the guess of p as one of those that are tried in all combinations."""
        self.progress[p] = GUESSED
        self.answer[p] = 0
        self.finish(p)
        self.pinned[self.pin_count] = p
        self.pin_count += 1

    def untie(self, p: cython.int, before: cython.int, pins: cython.int, first: cython.int) -> cython.int:
        """Decide p, whose answer has used its own guess and no earlier one."""
        second: cython.int
        if self.pin_count == pins:
            self.reopen(before)
            second = self.guess(p, 1)
            if self.pin_count == pins:
                if first != second:
                    self.settle(before)
                    return self.decide(p)
                self.reopen(before)
                self.progress[p] = DECIDED
                self.answer[p] = first
                return first
        self.pin(p)
        self.try_all(before, pins)
        return self.decide(p)

    def try_all(self, before: cython.int, pins: cython.int) -> cython.void:
        """Try all combinations of the pinned guesses; a single consistent combination is the answer."""
        i: cython.int
        p: cython.int
        count: cython.int = self.pin_count - pins
        combination: cython.int = 0
        agreeing: cython.int = 0
        right: cython.int = 0
        for p in range(self.provinces):
            self.member[p] = 0
        while combination < 1 << count and count <= MOST_PINS:
            self.reopen(before)
            if self.agrees(pins, count, combination):
                agreeing += 1
                right = combination
            for i in range(before, self.guess_count):
                self.member[self.guesses[i]] = 1
            combination += 1
            if self.pin_count - pins > count:
                count = self.pin_count - pins
                combination = agreeing = 0
        self.reopen(before)
        while self.pin_count > pins:
            self.pin_count -= 1
            p = self.pinned[self.pin_count]
            self.progress[p] = OPEN
            if agreeing == 1 and count <= MOST_PINS:
                self.progress[p] = DECIDED
                self.answer[p] = (right >> (self.pin_count - pins)) & 1
        if agreeing != 1 or count > MOST_PINS:
            for p in range(self.provinces):
                if self.member[p]:
                    self.depend_on(p)
            self.settle(before)

    def agrees(self, pins: cython.int, count: cython.int, combination: cython.int) -> cython.int:
        """Return True if the pinned guesses, taken as the bits of a number, are what follows from them."""
        i: cython.int
        p: cython.int
        same: cython.int = 1
        for i in range(count):
            p = self.pinned[pins + i]
            self.progress[p] = GUESSED
            self.answer[p] = (combination >> i) & 1
        for i in range(count):
            p = self.pinned[pins + i]
            if self.evaluate(p) != (combination >> i) & 1:
                same = 0
        return same

    @cython.final
    def depend_on(self, p: cython.int) -> cython.void:
        """List p as a guess that was used; repeated on each use, so that no answer counts as settled too early."""
        if self.guess_count < ROOM:
            self.guesses[self.guess_count] = p
            self.guess_count += 1

    def reopen(self, before: cython.int) -> cython.void:
        """Drop all answers on the list of used guesses from index `before` on."""
        while self.guess_count > before:
            self.guess_count -= 1
            self.progress[self.guesses[self.guess_count]] = OPEN

    def settle(self, before: cython.int) -> cython.void:
        """Resolve a circle without one consistent answer: disrupt its convoys, or else let its moves succeed."""
        i: cython.int
        p: cython.int
        convoys: cython.int = 0
        for i in range(before, self.guess_count):
            if self.kind[self.guesses[i]] == CONVOY:
                convoys = 1
        while self.guess_count > before:
            self.guess_count -= 1
            p = self.guesses[self.guess_count]
            self.progress[p] = OPEN
            if convoys and self.kind[p] == CONVOY:
                self.progress[p] = DECIDED
                self.answer[p] = 0
                self.paradox[p] = 1
            elif not convoys and self.moves[p]:
                self.progress[p] = DECIDED
                self.answer[p] = 1

    @cython.final
    def evaluate(self, p: cython.int) -> cython.int:
        """Return the result of p that follows from decisions and guesses about others."""
        kind: cython.int = self.kind[p]
        if self.moves[p]:
            return self.gets_there(p)
        if kind == CONVOY:
            return self.stays(p)
        return self.not_cut(p)

    @cython.final
    def stays(self, p: cython.int) -> cython.int:
        """Return True if nobody dislodges the unit, which does not move."""
        comer: cython.int = self.comer[p]
        while comer >= 0:
            if self.decide(comer):
                return 0
            comer = self.next_comer[comer]
        return 1

    @cython.final
    def not_cut(self, p: cython.int) -> cython.int:
        """Return True if no attack cuts the support: none from outside the target, no dislodging one from there."""
        comer: cython.int = self.comer[p]
        while comer >= 0:
            if self.power[comer] != self.power[p] and self.arrives(comer):
                if self.kind[p] != SUPPORT_MOVE_TO or self.target[p] != comer or self.decide(comer):
                    return 0
            comer = self.next_comer[comer]
        return 1

    @cython.final
    def arrives(self, p: cython.int) -> cython.int:
        """Return True if a move gets as far as its destination: it walks, or some route of its convoy holds."""
        seas: cython.ulonglong
        rest: cython.ulonglong
        sea: cython.int
        if not self.carried[p]:
            return 1
        seas = rest = self.carriers[p]
        while rest:
            sea = lowest(rest)
            rest &= rest - 1
            if self.comer[self.sea_province[sea]] >= 0:
                seas &= ~(cython.cast(cython.ulonglong, 1) << sea)
        if self.joined(p, self.target[p], seas):
            return 1
        rest = self.carriers[p] & ~seas
        while rest:
            sea = lowest(rest)
            rest &= rest - 1
            if self.decide(self.sea_province[sea]):
                seas |= cython.cast(cython.ulonglong, 1) << sea
        return self.joined(p, self.target[p], seas)

    @cython.final
    def strength(self, p: cython.int, against: cython.int) -> cython.int:
        """Return 1 plus the number of uncut supports that are not of the attacked power."""
        total: cython.int = 1
        supporter: cython.int = self.supporter[p]
        while supporter >= 0:
            if self.power[supporter] != against and self.decide(supporter):
                total += 1
            supporter = self.next_supporter[supporter]
        return total

    @cython.final
    def head_to_head(self, p: cython.int) -> cython.bint:
        """Return True if the unit at the destination moves here, both overland."""
        to: cython.int = self.target[p]
        return self.moves[to] and self.target[to] == p and not self.carried[p] and not self.carried[to]

    @cython.final
    def gets_there(self, p: cython.int) -> cython.int:
        """Return True if a move beats the defender of the destination and all other moves there."""
        to: cython.int = self.target[p]
        against: cython.int = 0
        resist: cython.int = 0
        other: cython.int
        attack: cython.int
        if not self.arrives(p):
            return 0
        if self.power[to]:
            if self.head_to_head(p):
                against = self.power[to]
            elif not self.moves[to] or not self.decide(to):
                against = self.power[to]
        if against:
            if against == self.power[p]:
                return 0
            # A unit that tried to leave defends alone, unless it meets the attacker on its way.
            resist = 1
            if not self.moves[to] or self.head_to_head(p):
                resist = self.strength(to, 0)
        attack = self.strength(p, against)
        if attack <= resist:
            return 0
        other = self.comer[to]
        while other >= 0:
            if other != p and attack <= self.hindrance(other):
                return 0
            other = self.next_comer[other]
        return 1

    @cython.final
    def hindrance(self, p: cython.int) -> cython.int:
        """Return the strength with which a move keeps others out of its destination."""
        if not self.arrives(p):
            return 0
        if self.head_to_head(p) and self.decide(self.target[p]):
            return 0
        return self.strength(p, 0)
