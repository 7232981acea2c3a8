"""A second promise ledger, written from the reference alone: plain, slow, and there only to check the real one.

All is strings, tuples and sets. It knows PCE, ALY, DMZ, XDO, NOT of one of these, NAR and AND. It does not know
ORR, CHO, SCD, OCC, DRW and SLO, nor that somebody is removed from the match.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from parlour.core.game import Seat
from parlour.games.diplomacy.position import Position
from parlour.press.language import message_types as v
from parlour.press.language.reader import read
from parlour.press.language.writer import write

WORDS = {name: name[:3] for name in ("AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY")}
SEATS = {word: Seat(name) for name, word in WORDS.items()}
SPELLINGS = {"ECH": "ENG", "GOB": "BOT", "GOL": "LYO"}
VERBS = {"Hold": "H", "SupportHold": "S", "SupportMove": "S", "Convoy": "C", "Move": "-", "ConvoyedMove": "-"}
CALENDAR = ("S M", "S R", "F M", "F R", "W A")
STAGES = {"M": "orders", "R": "retreats", "A": "adjustments"}
LATER = {"Retreat": "R", "Disband": "D", "Build": "B", "RemoveUnit": "D", "Waive": "W"}

Deed = tuple[str, ...]
"""An order, word by word: the verb, the unit, the unit it helps with its owner, and the destination."""
Line = tuple[int, str, str, str, str]
"""A verdict: the pact, the performer, the phase, the status, and the part of the pact."""


@dataclass
class Proposal:
    """A proposal to others, and the powers that said YES or refused."""

    press: v.Message
    proposer: str
    addressees: frozenset[str]
    what: v.Arrangement
    stages: set[str]
    """The stages in which parts of it can be performed: after the first of them it is too late to agree."""
    yes: set[str] = field(default_factory=set)
    closed: bool = False
    words: dict[str, int] = field(default_factory=dict)
    """The place of the message by which each gave its word."""


@dataclass
class Part:
    """A part of a pact that is judged by itself."""

    what: v.Arrangement
    """Without what is denied twice."""
    live: bool = True
    renounced: set[str] = field(default_factory=set)
    """The parties that renounced this part."""


@dataclass
class Pact:
    """An agreed proposal."""

    number: int
    what: v.Arrangement
    parties: frozenset[str]
    made: int
    parts: list[Part]
    left: set[str]
    """The parties that have not left the pact."""
    words: dict[str, int] = field(default_factory=dict)
    """The place of the last message by which each gave its word to it."""

    def performers(self, part: Part) -> list[str]:
        """Return the parties that still owe something under a part."""
        return sorted(self.bound(part) & {*_powers(part.what)}) if part.live else []

    def bound(self, part: Part) -> set[str]:
        """Return the parties that have left neither the pact nor this part."""
        return self.left - part.renounced

    def gone(self, part: Part) -> frozenset[str]:
        """Return the parties that left the pact or this part."""
        return self.parties - self.bound(part)

    def spared(self, peace: Part) -> set[str]:
        """Return the powers that a peace protects: all it names, also one that did not agree, but none that left."""
        return {*_powers(peace.what)} - self.gone(peace)


class Oracle:
    """Hears what is said, is told what was ordered, and says who kept their word."""

    def __init__(self, position: Position) -> None:
        self.position, self.turn = position, 0
        self.proposals: list[Proposal] = []
        self.pacts: list[Pact] = []
        self.told: dict[tuple[int, int, str], set[str]] = {}
        """The powers that heard of a renunciation, by pact, place of the part, and the power that renounces it."""
        self.ended: list[tuple[Pact, str, v.Arrangement]] = []
        """Return the powers released by agreement since the last phase, each with its promise."""

    def active(self) -> set[int]:
        """Return the numbers of the pacts in force."""
        return {pact.number for pact in self.pacts if any(part.live for part in pact.parts)}

    # Proposals

    def hear(self, sender: str, to: Sequence[str], text: str, at: int = 0) -> None:
        """Take a message into account, which stands at a place of the record."""
        message, others = read(text), frozenset(to)
        match message:
            case v.Propose(what) | v.Insist(what):
                if not any(p.press == message and (p.proposer, p.addressees) == (sender, others) for p in self._open()):
                    stages = {*_stages(what, self.position.stage)}
                    self.proposals.append(Proposal(message, sender, others, what, stages, words={sender: at}))
            case v.Accept(press):
                for proposal in self._answered(sender, others, press):
                    proposal.yes.add(sender)
                    proposal.words[sender] = at
                    if proposal.yes == proposal.addressees:
                        proposal.closed = True
                        self._agree(proposal.what, proposal.addressees | {proposal.proposer}, proposal.words)
            case v.Reject(press) | v.NoBusiness(press):
                for proposal in self._answered(sender, others, press):
                    proposal.closed = True
            case v.Withdraw(v.Accept(press)):
                mine = [p for p in self._open() if p.press == press and sender in p.yes and p.proposer in others]
                same = [p for p in mine if {sender, *others} == {p.proposer, *p.addressees}]
                for proposal in (same or mine)[-1:]:
                    proposal.yes.remove(sender)
                    del proposal.words[sender]
            case v.Fact(v.Not(what)) | v.Fact(v.Undo(what)):
                self._renounce(sender, what, others)
            case v.Withdraw(press):
                for proposal in self._open():
                    if proposal.press == press and (proposal.proposer, proposal.addressees) == (sender, others):
                        proposal.closed = True

    def _open(self) -> list[Proposal]:
        return [proposal for proposal in self.proposals if not proposal.closed]

    def _answered(self, sender: str, others: frozenset[str], press: v.Message) -> list[Proposal]:
        """Return the proposal that a reply is to, or nothing: first of all that of just those who hear it."""
        found = [p for p in self._open() if p.press == press and sender in p.addressees and p.proposer in others]
        # The reference does not say to which of two that are alike in all this: to the later one.
        circle = {sender, *others}
        rank = [(sender not in p.yes, circle == {p.proposer, *p.addressees}, at) for at, p in enumerate(found)]
        return [found[max(rank)[2]]] if rank else []

    # Pacts

    def _agree(self, what: v.Arrangement, parties: frozenset[str], words: dict[str, int]) -> None:
        for pact in self.pacts:
            if pact.what == what and pact.parties == parties:
                if all(part.live and pact.bound(part) == parties for part in pact.parts):
                    pact.words |= words
                    return  # the same again
                self._release(pact, pact.parts)
        parts = [*dict.fromkeys(_flat(what))]  # a list of parts is a set
        for said in map(_plain, parts):
            for pact in self.pacts:
                self._end(pact, said, parties)
        owed = [Part(part) for part in parts if not isinstance(part, v.Undo)]
        if owed:
            self.pacts.append(Pact(len(self.pacts) + 1, what, parties, self.turn, owed, {*parties}, words))

    def _renounce(self, power: str, what: v.Arrangement, others: frozenset[str]) -> None:
        """Release a power from each part that it renounced to all who are left in that part."""
        for pact in self.pacts:
            for at, part in enumerate(pact.parts):
                if not part.live or what not in (pact.what, part.what) or power not in pact.bound(part):
                    continue
                heard = self.told.setdefault((pact.number, at, power), set())
                heard |= others
                if pact.bound(part) - {power} <= heard:
                    freed = [power] if power in pact.performers(part) else []
                    part.renounced.add(power)
                    rest = pact.performers(part)
                    self._tidy(pact, {*WORDS.values()})
                    self.ended += [(pact, other, part.what) for other in freed + ([] if part.live else rest)]

    def _end(self, pact: Pact, said: v.Arrangement, parties: frozenset[str]) -> None:
        """End the parts that cannot hold beside what all who are left in them said later."""
        agreed = [part for part in pact.parts if pact.bound(part) <= parties]
        if isinstance(said, v.Undo):
            self._release(pact, [part for part in agreed if said.what == pact.what or part.what == _plain(said.what)])
        self._release(pact, [part for part in agreed if _contradict(part.what, said, pact.gone(part))])

    def _release(self, pact: Pact, parts: list[Part]) -> None:
        for part in parts:
            self.ended += [(pact, power, part.what) for power in pact.performers(part)]
            part.live = False

    def _tidy(self, pact: Pact, present: set[str]) -> None:
        """A part is over when nobody is left who owes another something under it."""
        for part in pact.parts:
            owing = pact.performers(part)
            spared = isinstance(part.what, (v.Peace, v.Alliance)) and len(pact.spared(part) & present) < 2
            part.live = part.live and bool(owing) and len(pact.bound(part)) > 1 and not spared

    # Verdicts

    def settle(self, orders: Mapping[Seat, Sequence[str]], after: Position, absent: Sequence[str] = ()) -> list[Line]:
        """Return the verdicts of a phase in which these orders were given and which led to that position.

        The orders of those who are absent are the referee's: what these break is excused, and ends as if broken.
        """
        before, lines, broke = self.position, list[Line](), list[tuple[Pact, str]]()
        over = _over(before.phase, after.phase)
        executed = {word: _deeds(before, seat, orders.get(seat, ())) for word, seat in SEATS.items()}
        lines += [(pact.number, power, before.phase, "void", write(what)) for pact, power, what in self.ended]
        for pact in self.pacts:
            for part in pact.parts:
                for power in pact.performers(part):
                    status = self._judge(pact, part, power, executed[power], after)
                    excused = status == "broken" and power in absent
                    lines.append((pact.number, power, before.phase, "absent" if excused else status, write(part.what)))
                    if status == "broken":
                        broke.append((pact, power))
        for pact, power in broke:
            pact.left.discard(power)
        for pact, _ in broke:
            # The reference does not say whether an order that was settled in this phase is still owed: it is.
            if len({power for part in pact.parts for power in pact.performers(part)}) < 2:
                for part in pact.parts:
                    part.live = False
        for pact in self.pacts:
            for part in pact.parts:
                order = _order(part.what)
                if order and _due(order, before, after) != "open":
                    part.live = False  # settled
        self.position, self.turn, self.ended = after, self.turn + 1, []
        present = {WORDS[seat] for seat in after.alive()}
        for pact in self.pacts:
            pact.left &= present
            self._tidy(pact, present)
        for proposal in self._open():
            if over & proposal.stages or not {proposal.proposer, *proposal.addressees} <= present:
                proposal.closed = True
        return lines

    def _judge(self, pact: Pact, part: Part, power: str, executed: list[Deed], after: Position) -> str:
        what = part.what
        order = _order(what)
        if order is not None:
            due = _due(order, self.position, after)
            if due != "now":
                return due
            legal = [_deed(text, self.position) for text in self.position.legal(SEATS[power])]
            if not any(_alike(_promised(order), deed) for deed in legal):
                return "void"
            gave = any(_alike(_promised(order), deed) for deed in executed)
            return "kept" if gave is not isinstance(what, v.Not) else "broken"
        if SEATS[power] not in self.position.to_act():
            return "open"  # nothing to order
        if isinstance(what, v.Demilitarized):
            return self._zone(pact, part, what, power, executed, after)
        for deed in executed:
            victims = self._attacked(deed, power) & pact.spared(part)
            if any(not self._agreed(power, deed, victim) for victim in victims):
                return "broken"
        return "kept"

    def _attacked(self, deed: Deed, power: str) -> set[str]:
        """Whose unit stood, or whose centre is, where the order sends a unit of somebody else."""
        mover, target = _sent(deed, power)
        found = {word for word, units in _by_word(self.position.units) for unit in units if unit[2:5] == target[:3]}
        found |= {word for word, centres in _by_word(self.position.centers) if target[:3] in centres}
        return found - {mover, power} if target else set()

    def _agreed(self, power: str, deed: Deed, victim: str) -> bool:
        """Return True if the victim agreed to that order for this turn."""
        return any(
            {victim, power} <= pact.parties  # the reference does not say what an order agreed without its performer is
            and isinstance(part.what, v.Execute)
            and part.live
            and _performer(part.what.order) == power
            and _stage(part.what.order) == self.position.stage
            and _alike(_promised(part.what.order), deed)
            for pact in self.pacts
            for part in pact.parts
        )

    def _zone(
        self, pact: Pact, part: Part, what: v.Demilitarized, power: str, executed: list[Deed], after: Position
    ) -> str:
        stayed = set()
        for deed in executed:
            target = _sent(deed, power)[1] or (deed[2] if deed[0] == "B" else "")
            if all(self._agreed(power, deed, victim) for victim in pact.bound(part) - {power}):
                continue  # to enter, or to do something else than to leave
            if any(_in_zone(target, _spelled(place)) for place in what.places):
                return "broken"
            if deed[0] in ("H", "S", "C"):
                stayed.add(deed[2][:3])
        units = after.units[SEATS[power]] if self.position.stage == "orders" else []
        there = {unit[2:5] for unit in units if any(_in_zone(unit[2:], _spelled(place)) for place in what.places)}
        if there & stayed and self.turn > pact.made:
            return "broken"
        return "open" if there else "kept"


# What arrangements say


def _flat(what: v.Arrangement) -> Iterator[v.Arrangement]:
    """Yield the parts of AND, also of AND inside AND; what is denied twice is said."""
    what = _plain(what)
    if isinstance(what, v.Every):
        for part in what.parts:
            yield from _flat(part)
    else:
        yield what


def _plain(what: v.Arrangement) -> v.Arrangement:
    """Without what is denied twice."""
    return _plain(what.what.what) if isinstance(what, v.Not) and isinstance(what.what, v.Not) else what


def _order(what: v.Arrangement) -> v.Order | None:
    """Return the order that XDO promises or NOT ( XDO ) rules out."""
    what = what.what if isinstance(what, v.Not) else what
    return what.order if isinstance(what, v.Execute) else None


def _ends(what: v.Arrangement) -> bool:
    """Return True if it is NOT of something persistent, which only ends it."""
    return isinstance(what, v.Not) and not isinstance(what.what, v.Execute)


def _powers(what: v.Arrangement) -> tuple[str, ...]:
    """Those who have to do something under it."""
    order = _order(what)
    return (_performer(order),) if order else getattr(what, "powers", ())


def _performer(order: v.Order) -> str:
    return order.power if isinstance(order, v.Waive) else order.unit.power


def _stage(order: v.Order | None) -> str:
    name = type(order).__name__
    return "orders" if name in VERBS else "retreats" if name in ("Retreat", "Disband") else "adjustments"


def _due(order: v.Order, before: Position, after: Position) -> str:
    """Return now, open, or void for an order; void if its phase does not come or its unit need not retreat."""
    stage = _stage(order)
    if stage == before.stage:
        return "now"
    if stage in _over(before.phase, after.phase):
        return "void"
    # The reference does not say when it is known that a unit was not dislodged: with the orders, not with the retreats.
    if stage == "retreats" == after.stage and not isinstance(order, v.Waive):
        there = [("", *unit.split()) for unit in after.dislodged[SEATS[_performer(order)]]]
        return "open" if any(_alike(("", *_promised(order)[1:3]), unit) for unit in there) else "void"
    return "open"


def _stages(what: v.Arrangement, now: str) -> Iterator[str]:
    """Yield the stages after which it is too late to agree on it."""
    for part in _flat(what):
        if isinstance(part, v.Undo):
            yield now
        elif _order(_plain(part)):
            yield _stage(_order(_plain(part)))


def _contradict(earlier: v.Arrangement, later: v.Arrangement, gone: frozenset[str]) -> bool:
    """Return True if two parts of pacts cannot hold beside one another, when these have left the earlier one."""
    one, other = _order(earlier), _order(later)
    if one and other:
        if _performer(one) != _performer(other) or _stage(one) != _stage(other):
            return False
        alike = _alike(_promised(one), _promised(other))
        if isinstance(earlier, v.Not) or isinstance(later, v.Not):
            return alike and type(earlier) is not type(later)
        return (
            not alike
            and not isinstance(one, v.Waive)
            and not isinstance(other, v.Waive)
            and one.unit.province == other.unit.province
        )
    denied = (_ends(later) and later == v.Not(earlier)) or (_ends(earlier) and earlier == v.Not(later))
    bound, peaceful = {*_powers(earlier)} - gone, {*_powers(later)}
    return denied or _against(earlier, bound, later, peaceful) or _against(later, peaceful, earlier, bound)


def _against(one: v.Arrangement, allies: set[str], other: v.Arrangement, friends: set[str]) -> bool:
    """Return True if one is an alliance against somebody with whom the other promises an ally peace."""
    if not isinstance(one, v.Alliance) or not isinstance(other, (v.Peace, v.Alliance)):
        return False
    return bool(({*one.enemies} - {*one.powers}) & friends) and bool(allies & friends)


def _over(phase: str, following: str) -> set[str]:
    """Return the stages that a phase brought to an end: its own, and those that nobody had anything to order in."""
    at, found = CALENDAR.index(f"{phase[0]} {phase[-1]}"), {STAGES[phase[-1]]}
    for step in range(1, len(CALENDAR)):
        season, stage = CALENDAR[(at + step) % len(CALENDAR)].split()
        if (season, stage) == (following[0], following[-1]):
            break
        found.add(STAGES[stage])
    return found


# What orders say


def _spelled(place: str) -> str:
    """Return a place of press in the spelling of order strings: GOB is BOT, STP SCS is STP/SC."""
    province, _, coast = place.partition(" ")
    province = SPELLINGS.get(province, province)
    return f"{province}/{coast[:2]}" if coast else province


def _promised(order: v.Order) -> Deed:
    name = type(order).__name__
    if isinstance(order, v.Waive):
        return ("W",)
    words = [{**VERBS, **LATER}[name], order.unit.kind[0], _spelled(order.unit.place)]
    if isinstance(order, (v.SupportHold, v.SupportMove, v.Convoy)):
        words += [order.other.power, order.other.kind[0], _spelled(order.other.place)]
    if isinstance(order, (v.Move, v.ConvoyedMove, v.Retreat, v.SupportMove, v.Convoy)):
        words.append(_spelled(order.to))
    return tuple(words)


def _deed(text: str, position: Position) -> Deed:
    """Return an order string in the same form; VIA makes no difference."""
    if text == "WAIVE":
        return ("W",)
    kind, place, verb, *rest = text.removesuffix(" VIA").split()
    if verb in ("S", "C"):
        owner = next(word for word, units in _by_word(position.units) for unit in units if unit[2:5] == rest[1][:3])
        rest = [owner, *(word for word in rest if word != "-")]
    return (verb, kind, place, *rest)


def _deeds(position: Position, seat: Seat, orders: Sequence[str]) -> list[Deed]:
    """Return the orders of a power; a unit without an order holds or disbands, and a missing build is waived."""
    executed = [_deed(text, position) for text in orders]
    if position.stage == "adjustments":
        return executed + [("W",)] * (position.builds[seat] - len(executed))
    units, verb = (position.units, "H") if position.stage == "orders" else (position.dislodged, "D")
    ordered = {deed[2] for deed in executed}
    return executed + [(verb, *unit.split()) for unit in units[seat] if unit[2:] not in ordered]


def _sent(deed: Deed, power: str) -> tuple[str, str]:
    """Whose unit an order sends somewhere, and where to; nowhere if it sends none."""
    if deed[0] in ("-", "R"):
        return power, deed[3]
    return (deed[3], deed[6]) if deed[0] in ("S", "C") and len(deed) == 7 else (power, "")


def _same_place(one: str, other: str) -> bool:
    return one == other or (one[:3] == other[:3] and not ("/" in one and "/" in other))


def _in_zone(place: str, listed: str) -> bool:
    """Return True if a place is a listed one; a listed coast is no more than that coast."""
    return listed in (place, place[:3])


def _alike(one: Deed, other: Deed) -> bool:
    """Return True if two orders are the same but for coasts that were left out."""
    return len(one) == len(other) and all(map(_same_place, one, other))


def _by_word(of: Mapping[str, list[str]]) -> Iterator[tuple[str, list[str]]]:
    return ((WORDS[name], found) for name, found in of.items())
