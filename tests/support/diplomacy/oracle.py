"""Judges Diplomacy movement slowly and in another way than the product, so that the two can be compared.

From the product it takes the map's borders and nothing else. Every question is answered yes, no or not yet from what
is known so far, and the answers are refined until nothing changes. First come the convoys: whether an army crosses
depends only on which supports its like cut, never on who wins elsewhere. Then come the battles, by the strengths of
DATC chapter 5 with lower and upper bounds. What then stays open is a knot. A knot with exactly one resolution gets it;
otherwise the convoys in it fail (Szykman, DATC 4.A.2 d) or the moves in it succeed (a circle, DATC 6.C.1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product

from parlour.games.diplomacy.maps.map import Ground as Terrain
from parlour.games.diplomacy.maps.map import standard

Answer = bool | None
"""Yes, no, or not known yet."""


@dataclass(frozen=True)
class Ground:
    """Borders by name."""

    army: Mapping[str, frozenset[str]]
    fleet: Mapping[str, frozenset[str]]
    seas: frozenset[str]
    shores: Mapping[str, frozenset[str]]
    """The seas at each coastal province."""
    areas: Mapping[str, tuple[str, ...]]
    """Where a fleet may stand in each province."""


@cache
def ground() -> Ground:
    """Return the standard map's borders."""
    board = standard()
    names = [area.tag for area in board.areas]
    army = {n: frozenset(names[b] for b in board.army[a]) for a, n in enumerate(names) if "/" not in n}
    fleet = {n: frozenset(names[b] for b in board.fleet[a]) for a, n in enumerate(names)}
    seas = frozenset(p.tag for p in board.provinces if p.kind is Terrain.SEA)
    areas = {p.tag: tuple(names[a] for a in (p.areas[1:] or p.areas)) for p in board.provinces}
    shores = {
        p.tag: frozenset(s for area in areas[p.tag] for s in fleet[area] if s in seas)
        for p in board.provinces
        if p.kind is Terrain.COAST
    }
    return Ground(army, fleet, seas, shores, areas)


def province(area: str) -> str:
    """SPA for SPA/NC."""
    return area.split("/")[0]


@dataclass(frozen=True)
class Unit:
    """A unit on the board."""

    power: str
    kind: str
    area: str

    @property
    def reach(self) -> frozenset[str]:
        """The areas it enters in one step."""
        return (ground().army if self.kind == "A" else ground().fleet)[self.area]

    def can_enter(self, place: str) -> bool:
        """Return True if the order enters the province on any shore."""
        return any(province(area) == place for area in self.reach)


@dataclass(frozen=True)
class Order:
    """A readable order: H, -, S or C; of is the province of the unit supported or convoyed, to an area."""

    verb: str
    to: str = ""
    of: str = ""
    of_kind: str = ""
    via: bool = False


Units = Mapping[str, Unit]


def read_unit(power: str, text: str) -> Unit:
    """Return a unit from `F STP/SC`."""
    kind, area = text.split()
    return Unit(power, kind, area)


def read_order(text: str) -> tuple[str, str, Order]:
    """Kind and province of the ordered unit, and its order, from the strict spelling."""
    kind, area, verb, *rest = text.split()
    match verb, rest:
        case "H", []:
            order = Order("H")
        case "-", [to, *via]:
            order = Order("-", to, via=via == ["VIA"])
        case "S" | "C", [of_kind, of]:
            order = Order(verb, of=province(of), of_kind=of_kind)
        case "S" | "C", [of_kind, of, "-", to]:
            order = Order(verb, to, province(of), of_kind)
        case _:
            raise ValueError(text)
    return kind, province(area), order


def fleets_at_sea(units: Units) -> frozenset[str]:
    """Return the seas through which a convoy could pass."""
    return frozenset(place for place in units if place in ground().seas)


@lru_cache(maxsize=4096)
def routes(start: str, fleets: frozenset[str]) -> Mapping[str, tuple[frozenset[str], ...]]:
    """For each other shore, the fleets of every simple route to it, by walking them all."""
    found: dict[str, set[frozenset[str]]] = {}
    board = ground()
    landings = {sea: [s for s, near in board.shores.items() if sea in near and s != start] for sea in fleets}

    def sail(sea: str, passed: frozenset[str]) -> None:
        for shore in landings[sea]:
            found.setdefault(shore, set()).add(passed)
        for following in (board.fleet[sea] & fleets) - passed:
            sail(following, passed | {following})

    for first in board.shores.get(start, frozenset()) & fleets:
        sail(first, frozenset({first}))
    return {shore: tuple(ways) for shore, ways in found.items()}


def connected(start: str, end: str, fleets: Iterable[str]) -> bool:
    """Return True if these fleets make a chain from shore to shore."""
    board, left = ground(), set(fleets)
    edge = board.shores.get(start, frozenset()) & left
    while edge:
        if edge & board.shores.get(end, frozenset()):
            return True
        left -= edge
        edge = frozenset(sea for near in edge for sea in board.fleet[near] if sea in left)
    return False


def destination(unit: Unit, to: str) -> str | None:
    """Return the area a one-step move to this spelling enters; None if it cannot, or if the shore is left open."""
    if unit.kind == "A":
        return province(to) if province(to) in unit.reach else None  # DATC 4.B.6
    if to in unit.reach:
        return to
    fits = [area for area in unit.reach if province(area) == to]
    return fits[0] if len(fits) == 1 else None  # DATC 4.B.1, 4.B.2


def is_possible(place: str, order: Order, units: Units) -> bool:
    """Return True if the unit in this place could be given that order; otherwise it is void and the unit holds."""
    unit, to, fleets = units[place], province(order.to), fleets_at_sea(units)
    if order.verb == "H":
        return True
    if order.verb == "-":
        walks = not order.via and destination(unit, order.to) is not None
        return walks or (unit.kind == "A" and to in routes(place, fleets))
    other = units.get(order.of)
    if other is None or other.kind != order.of_kind or order.of == place or place == to:
        return False
    if order.verb == "C":
        ways = routes(order.of, fleets).get(to, ())
        return unit.kind == "F" and other.kind == "A" and any(place in way for way in ways)
    if not order.to:
        return unit.can_enter(order.of)
    if not unit.can_enter(to):
        return False
    if other.kind == "A":  # DATC 6.D.31
        return other.can_enter(to) or any(place not in way for way in routes(order.of, fleets).get(to, ()))
    return order.to in other.reach or (order.to == to and other.can_enter(to))


def possible_orders(place: str, units: Units) -> Iterator[Order]:
    """Return everything is_possible allows, found by trying; shores of supported moves are left out."""
    board, unit = ground(), units[place]
    provinces = list(board.areas)
    areas = [area for shores in board.areas.values() for area in shores] if unit.kind == "F" else provinces
    tries = [Order("H")]
    tries += [Order("-", to) for to in areas if to in unit.reach]
    tries += [Order("-", to, via=True) for to in provinces]
    for of, other in units.items():
        tries.append(Order("S", of=of, of_kind=other.kind))
        tries += [Order("S", to, of, other.kind) for to in provinces if to != of and unit.can_enter(to)]
        tries += [Order("C", to, of, other.kind) for to in board.shores if to != of and place in board.seas]
    return (order for order in tries if is_possible(place, order, units))


@dataclass(frozen=True)
class Move:
    """A unit on its way."""

    power: str
    start: str
    area: str
    end: str
    asked: bool
    """Return True if the army was ordered to go by convoy; without a route it walks if it can."""
    convoyed: bool
    ferries: tuple[str, ...]
    """The fleets ordered to convoy it."""


@dataclass(frozen=True)
class Result:
    """The results of a movement phase; places are provinces."""

    verdicts: Mapping[str, str]
    """Of each unit's order: succeeded, bounced, cut, void, no convoy, disrupted (a move or a convoy)."""
    standing: Mapping[str, Unit]
    dislodged: Mapping[str, tuple[str, ...]]
    """Where each dislodged unit may retreat to, sorted."""
    paradox: frozenset[str] = frozenset()
    """The armies whose convoys are in a paradox."""


class Undecidable(Exception):
    """A knot that the rules here do not untie."""


class Judge:
    """One movement phase; orders has those that are possible, other units hold."""

    def __init__(self, units: Units, orders: Mapping[str, Order], *, intent: bool = True) -> None:
        self.units, self.orders = units, orders
        self.moves = {place: self._move(place, intent) for place, order in orders.items() if order.verb == "-"}
        self.into: dict[str, list[Move]] = {}
        for move in self.moves.values():
            self.into.setdefault(move.end, []).append(move)
        self.backers: dict[str, list[str]] = {}
        """For each unit, those whose support matches its order."""
        for place, order in orders.items():
            if order.verb == "S" and self.matches(order):
                self.backers.setdefault(order.of, []).append(place)
        self.arrives: dict[str, Answer] = {}
        self.wins: dict[str, Answer] = dict.fromkeys(self.moves)
        self.paradox: set[str] = set()
        self._read: set[str] = set()
        self._decide()

    def _move(self, place: str, intent: bool) -> Move:
        unit, order = self.units[place], self.orders[place]
        overland = destination(unit, order.to)
        end = province(order.to)
        ferries = tuple(
            fleet
            for fleet, other in self.orders.items()
            if other.verb == "C" and other.of == place and province(other.to) == end
        )
        # DATC 4.A.3 d: between neighbours a fleet of the army's own power shows the wish to be convoyed.
        wished = order.via or (intent and any(self.units[fleet].power == unit.power for fleet in ferries))
        sails = overland is None or (wished and connected(place, end, ferries))  # DATC 6.G.8
        return Move(unit.power, place, overland or end, end, wished or overland is None, sails, ferries)

    def matches(self, support: Order) -> bool:
        """Return True if the supported unit does what it is supported in."""
        move = self.moves.get(support.of)
        if move is None or not support.to:
            return move is None and not support.to
        exact = "/" not in support.to or self.units[support.of].kind == "A" or support.to == move.area  # DATC 4.B.4
        return move.end == province(support.to) and exact

    def _decide(self) -> None:
        sailing = [place for place, move in self.moves.items() if move.convoyed]
        self.arrives = {place: None if move.convoyed else True for place, move in self.moves.items()}
        settle(self.arrives, sailing, self.crosses, self._read, self.sink)
        settle(self.wins, list(self.moves), self.beats, self._read, circle)

    def sink(self, knot: list[str], _: list[dict[str, bool]]) -> dict[str, bool]:
        """Let the convoys of a paradox fail."""
        self.paradox.update(knot)
        return dict.fromkeys(knot, False)

    def crosses(self, place: str) -> Answer:
        """Return True if the army's convoy holds."""
        move = self.moves[place]
        sunk = {fleet: self.is_beaten(fleet) for fleet in move.ferries}
        if connected(place, move.end, [fleet for fleet, answer in sunk.items() if answer is False]):
            return True
        if not connected(place, move.end, [fleet for fleet, answer in sunk.items() if answer is not True]):
            return False
        return None

    def is_beaten(self, place: str) -> Answer:
        """Return True if a unit that stays is dislodged."""
        answers = [self.beats(move.start) for move in self.into.get(place, ())]
        return True if True in answers else None if None in answers else False

    def arrival(self, place: str) -> Answer:
        """Return True if a move reaches the border of its destination; note the caller if this is undecided."""
        if self.arrives[place] is None:
            self._read.add(place)
        return self.arrives[place]

    def win(self, place: str) -> Answer:
        """Return True if a move succeeds; note the caller if this is undecided."""
        if self.wins[place] is None:
            self._read.add(place)
        return self.wins[place]

    def is_given(self, place: str) -> Answer:
        """Return True if a support is not cut."""
        order = self.orders[place]
        answer: Answer = True
        target = province(order.to) or order.of
        for move in self.into.get(place, ()):
            if move.power == self.units[place].power:
                continue  # DATC 6.D.20
            # Who is attacked with this support cuts it only by dislodging, DATC 6.D.15 and 6.D.17, also by sea, 4.A.4.
            cut = self.win(move.start) if move.start == target else self.arrival(move.start)
            if cut:
                return False
            answer = answer if cut is False else None
        return answer

    def strength(self, place: str, without: str = "") -> tuple[int, int]:
        """Fewest and most that a unit musters with its supports, except those of one power."""
        answers = [self.is_given(b) for b in self.backers.get(place, ()) if self.units[b].power != without]
        return 1 + answers.count(True), 1 + len(answers) - answers.count(False)

    def meets(self, move: Move) -> bool:
        """Return True if the move is one side of a head-to-head battle."""
        other = self.moves.get(move.end)
        return other is not None and other.end == move.start and not move.convoyed and not other.convoyed

    def attack(self, move: Move) -> tuple[int, int]:
        """Return the strength of the move against its destination."""
        low, high = self.strength(move.start)
        holder = self.units.get(move.end)
        gone: Answer = holder is None
        if holder is not None and move.end in self.moves and not self.meets(move):
            gone = self.win(move.end)
        if holder is not None and gone is not True:  # DATC 6.D.10 to 6.D.14
            own = holder.power == move.power
            less, more = (0, 0) if own else self.strength(move.start, holder.power)
            low, high = less, (more if gone is False else high)
        arrival = self.arrival(move.start)
        return (low if arrival else 0), (high if arrival is not False else 0)

    def resistance(self, move: Move) -> tuple[int, int]:
        """Return the strength of the destination against the move."""
        if move.end not in self.units:
            return 0, 0
        if move.end not in self.moves or self.meets(move):
            return self.strength(move.end)
        gone = self.win(move.end)
        return (1 if gone is False else 0), (0 if gone else 1)

    def prevention(self, rival: Move) -> tuple[int, int]:
        """Return the strength of another move into the same province."""
        low, high = self.strength(rival.start)
        beaten = self.win(rival.end) if self.meets(rival) else False  # DATC 6.E.1
        arrival = self.arrival(rival.start)
        sure = arrival and beaten is False
        return (low if sure else 0), (0 if arrival is False or beaten else high)

    def beats(self, place: str) -> Answer:
        """Return True if the move is stronger than all that stands against it."""
        move = self.moves[place]
        low, high = self.attack(move)
        against = [self.resistance(move)]
        against += [self.prevention(rival) for rival in self.into[move.end] if rival is not move]
        if all(low > most for _, most in against):
            return True
        return False if any(high <= fewest for fewest, _ in against) else None

    def result(self, void: Iterable[str] = ()) -> Result:
        """Return the units, the dislodged units, and the result of each order; void are impossible orders."""
        standing = {place: unit for place, unit in self.units.items() if not self.wins.get(place)}
        beaten = {}
        for place, move in self.moves.items():
            if self.wins[place]:
                if move.end in standing:
                    beaten[move.end] = move
                unit = self.units[place]
                standing[move.end] = Unit(unit.power, unit.kind, move.area)
        contested = {m.end for m in self.moves.values() if self.prevention(m)[0] and not self.wins[m.start]}
        dislodged = {}
        for place, move in beaten.items():
            closed = contested | standing.keys() | (set() if move.convoyed else {move.start})  # DATC 4.A.5 b
            dislodged[place] = tuple(sorted(a for a in self.units[place].reach if province(a) not in closed))
        verdicts = {place: self.verdict(place, place in beaten) for place in self.units} | dict.fromkeys(void, "void")
        return Result(verdicts, standing, dislodged, frozenset(self.paradox))

    def verdict(self, place: str, beaten: bool) -> str:
        """Return the result of one order."""
        order = self.orders.get(place, Order("H"))
        if order.verb == "-":
            move = self.moves[place]
            if not self.arrives[place]:
                return "disrupted" if connected(place, move.end, move.ferries) else "no convoy"
            return "succeeded" if self.wins[place] else "bounced"
        if order.verb == "S":
            return "void" if not self.matches(order) else "succeeded" if self.is_given(place) else "cut"
        if order.verb == "C":
            carried = self.moves.get(order.of)
            if carried is None or not carried.asked or carried.end != province(order.to):
                return "void"
            return "disrupted" if beaten else "succeeded"
        return "succeeded"


def circle(knot: list[str], found: list[dict[str, bool]]) -> dict[str, bool]:
    """Of several resolutions of a knot of moves, the one in which all that can go round do."""
    best = max(found, key=lambda answers: sum(answers.values()), default=None)
    if best is None or any(answers[place] > best[place] for answers in found for place in knot):
        raise Undecidable(f"{knot}: {found}")
    return best


Untie = Callable[[list[str], list[dict[str, bool]]], dict[str, bool]]


def settle(
    table: dict[str, Answer], places: list[str], rule: Callable[[str], Answer], read: set[str], untie: Untie
) -> None:
    """Answer the rule for all places; read collects which open answers the rule asked for."""
    while True:
        changed = True
        while changed:
            changed = False
            for place in places:
                if table[place] is None:
                    table[place] = rule(place)
                    changed = changed or table[place] is not None
        if all(table[place] is not None for place in places):
            return
        knot = innermost(places, table, rule, read)
        found = resolutions(knot, table, rule)
        table.update(found[0] if len(found) == 1 else untie(knot, found))


def innermost(
    places: list[str], table: Mapping[str, Answer], rule: Callable[[str], Answer], read: set[str]
) -> list[str]:
    """Return a smallest set of open places that wait for one another and for nobody else."""
    waits: dict[str, set[str]] = {}
    for place in places:
        if table[place] is None:
            read.clear()
            rule(place)
            waits[place] = read & set(places)
    return min((sorted(after(place, waits) | {place}) for place in waits), key=len)


def after(place: str, waits: Mapping[str, set[str]]) -> set[str]:
    """Return all that a place waits for, directly or not."""
    seen: set[str] = set()
    edge = [place]
    while edge:
        for other in waits[edge.pop()] - seen:
            seen.add(other)
            edge.append(other)
    return seen


def resolutions(knot: list[str], table: dict[str, Answer], rule: Callable[[str], Answer]) -> list[dict[str, bool]]:
    """Return every set of answers in which each follows from the others."""
    found = []
    for answers in product((False, True), repeat=len(knot)):
        guess = dict(zip(knot, answers, strict=True))
        table.update(guess)
        if all(rule(place) is answer for place, answer in guess.items()):
            found.append(guess)
    table.update(dict.fromkeys(knot))
    return found


def judge(units: Mapping[str, Iterable[str]], orders: Mapping[str, Iterable[str]], *, intent: bool = True) -> Result:
    """Judge a movement phase given in the strict spelling, by power; a later order for the same unit is ignored."""
    board: dict[str, Unit] = {}
    for power, texts in units.items():
        for text in texts:
            unit = read_unit(power, text)
            board[province(unit.area)] = unit
    legal: dict[str, Order] = {}
    void: set[str] = set()
    for power, texts in orders.items():
        for text in texts:
            kind, place, order = read_order(text)
            unit_there = board.get(place)
            if unit_there is None or unit_there.power != power or place in legal or place in void:
                continue
            if order.via and kind == "A" and not is_possible(place, order, board):
                order = Order("-", order.to)  # DATC 6.G.8: without a route it walks
            if unit_there.kind == kind and is_possible(place, order, board):
                legal[place] = order
            else:
                void.add(place)
    return Judge(board, legal, intent=intent).result(void)
