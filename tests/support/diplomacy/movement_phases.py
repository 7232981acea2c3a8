"""Makes movement phases at random in which units work with and against each other, for comparing judges."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from support.diplomacy.oracle import Order, Unit, Units, fleets_at_sea, ground, is_possible, province, routes

POWERS = ("AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY")
MOST_FLEETS_AT_SEA = 11
"""More would make the walk over all simple routes too long."""


@dataclass(frozen=True)
class Style:
    """The shares of a kind of phase; all but the numbers of units and powers are probabilities."""

    units: tuple[int, int]
    powers: tuple[int, int]
    sea: float
    """That a unit is put at sea."""
    sail: float
    """That an army which could be convoyed is."""
    march: float
    """That another unit moves."""
    crowd: float
    """That it moves to where another one is or goes."""
    agree: float
    """That a unit which stays supports or convoys something that is ordered; else it does anything possible."""
    knots: float = 0.0
    """That a unit in whose province an army is to land meddles with a convoy."""
    tied: float = 0.0
    """That the phase is built around convoys that wait for one another."""


STYLES = {
    "wild": Style((18, 34), (7, 7), 0.4, 0.3, 0.4, 0.2, 0.2),
    "melee": Style((12, 26), (2, 5), 0.25, 0.2, 0.55, 0.7, 0.9),
    "naval": Style((14, 26), (2, 6), 0.5, 0.8, 0.45, 0.6, 0.9, 0.3),
    "knots": Style((10, 20), (3, 7), 0.5, 0.95, 0.5, 0.8, 0.97, 0.95, 0.2),
    "tied": Style((2, 14), (3, 7), 0.5, 0.5, 0.5, 0.8, 0.9, 0.5, 1.0),
    "duel": Style((12, 22), (2, 2), 0.35, 0.5, 0.6, 0.8, 0.9, 0.3),
    "ring": Style((8, 20), (1, 4), 0.3, 0.3, 0.9, 0.9, 0.8),
}


@dataclass
class Phase:
    """Units and their orders while they are being made."""

    rng: random.Random
    style: Style
    units: dict[str, Unit]
    orders: dict[str, Order] = field(default_factory=dict)

    def give(self, place: str, order: Order) -> None:
        """Order a unit, unless it has its order or could not carry it out."""
        if place not in self.orders and is_possible(place, order, self.units):
            self.orders[place] = order

    def put(self, kind: str, area: str) -> str:
        """Place a unit of any power and give its province."""
        self.units[province(area)] = Unit(self.rng.choice(POWERS), kind, area)
        return province(area)

    def tie(self) -> None:
        """Build a ring of convoys: where one army lands, a unit takes sides in the fight for the next one's fleet."""
        rng = self.rng
        fights = next((found for found in (ring_of_fights(rng) for _ in range(20)) if found), [])
        for fight in fights:
            self.put("F", fight.sea)
            self.put("A", fight.start)
            self.put("F", fight.host)
            self.put("F", fight.attacker)
            if rng.random() < 0.5:
                self.put("F", fight.backer)
        for fight in fights:
            landing, attacker, backer = province(fight.host), province(fight.attacker), province(fight.backer)
            self.give(fight.start, Order("-", landing, via=rng.random() < 0.5))
            self.give(fight.sea, Order("C", landing, fight.start, "A"))
            self.give(attacker, Order("-", fight.following))
            attack = Order("S", fight.following, attacker, "F")
            if backer in self.units:
                self.give(backer, attack)
            self.give(landing, attack if rng.random() < 0.5 else Order("S", of=fight.following, of_kind="F"))

    def sail(self) -> None:
        """Send armies by sea, with the fleets of one route and sometimes of another."""
        fleets = fleets_at_sea(self.units)
        for place, unit in self.units.items():
            if unit.kind == "F" or self.rng.random() > self.style.sail:
                continue
            landings = routes(place, fleets)
            if not landings:
                continue
            taken = [shore for shore in sorted(landings) if shore in self.units]
            to = self.rng.choice(taken if taken and self.rng.random() < self.style.crowd else sorted(landings))
            self.give(place, Order("-", to, via=self.rng.random() < 0.5))
            ways = sorted(landings[to], key=lambda way: (len(way), sorted(way)))[:4]
            for way in self.rng.sample(ways, self.rng.randint(1, min(2, len(ways)))):
                for fleet in sorted(way):
                    if self.rng.random() < 0.93:
                        self.give(fleet, Order("C", to, place, "A"))

    def meddle(self) -> None:
        """Let units where an army is to land take sides in a fight for a fleet that convoys, that army or another."""
        ferries = [place for place, order in self.orders.items() if order.verb == "C"]
        hosts = {province(self.orders[fleet].to) for fleet in ferries} & self.units.keys()
        for host in sorted(hosts - self.orders.keys()):
            near = [fleet for fleet in ferries if self.units[host].can_enter(fleet)]
            if not near or self.rng.random() > self.style.knots:
                continue
            fleet = self.rng.choice(near)
            free = [p for p, u in self.units.items() if p not in self.orders and p not in hosts and u.can_enter(fleet)]
            self.rng.shuffle(free)
            if self.rng.random() < 0.5:
                self.give(host, Order("S", of=fleet, of_kind="F"))
            for backer in free[1:3]:
                self.give(backer, Order("S", fleet, free[0], "F"))
                if host not in self.orders:
                    break
            for attacker in free[:1]:
                self.give(attacker, Order("-", fleet))
                self.give(host, Order("S", fleet, attacker, "F"))

    def march(self) -> None:
        """Move other units, often against each other."""
        for place, unit in self.units.items():
            if place in self.orders or self.rng.random() > self.style.march:
                continue
            goals = {province(order.to) for order in self.orders.values() if order.verb == "-"} | self.units.keys()
            reach = sorted(unit.reach)
            crowded = [area for area in reach if province(area) in goals]
            choice = crowded if crowded and self.rng.random() < self.style.crowd else reach
            if choice:
                self.give(place, Order("-", self.rng.choice(choice)))

    def stay(self) -> None:
        """Let the rest support, convoy or hold."""
        for place, unit in self.units.items():
            if place not in self.orders:
                agreed = self.rng.random() < self.style.agree
                useful = [order for order in self.backings(place, unit) if is_possible(place, order, self.units)]
                if agreed and useful:
                    self.give(place, self.rng.choice(useful))
                elif not agreed:
                    self.anything(place, unit)
                self.give(place, Order("H"))

    def backings(self, place: str, unit: Unit) -> Iterator[Order]:
        """Supports and convoys of what is ordered already."""
        for other, order in self.orders.items():
            if other == place:
                continue
            kind = self.units[other].kind
            if order.verb == "-":
                if unit.can_enter(province(order.to)):
                    yield Order("S", order.to if self.rng.random() < 0.8 else province(order.to), other, kind)
                if place in ground().seas and kind == "A":
                    yield Order("C", order.to, other, "A")
            elif unit.can_enter(other):
                yield Order("S", of=other, of_kind=kind)

    def anything(self, place: str, unit: Unit) -> None:
        """Try a few orders drawn from all that might be possible."""
        for _ in range(6):
            other = self.rng.choice(list(self.units))
            near = sorted({province(area) for area in unit.reach})
            if not near:
                return
            there = self.rng.choice(near)
            kind = self.units[other].kind
            drawn = self.rng.choice(
                (
                    Order("H"),
                    Order("-", self.rng.choice(sorted(unit.reach))),
                    Order("-", self.rng.choice(sorted(ground().shores)), via=True),
                    Order("S", of=other, of_kind=kind),
                    Order("S", there, other, kind),
                    Order("C", self.rng.choice(sorted(ground().shores)), other, kind),
                )
            )
            self.give(place, drawn)


@dataclass(frozen=True)
class Fight:
    """An army goes from start over sea to the host, who takes sides when the fleet in the following sea is attacked."""

    sea: str
    following: str
    host: str
    start: str
    attacker: str
    backer: str


def ring_of_fights(rng: random.Random) -> list[Fight]:
    """Up to three fights that wait for one another; none if the seas that were drawn have no room for them."""
    board = ground()
    ring = [rng.choice(sorted(board.seas))]
    for _ in range(rng.choice((0, 1, 1, 1, 2, 2))):
        beside = {sea for near in board.shores.values() if ring[-1] in near for sea in near} - set(ring)
        ring += [rng.choice(sorted(beside))] if beside else []
    taken = set(ring)
    fights = []
    for sea, following in zip(ring, [*ring[1:], ring[0]], strict=True):
        drawn: list[str] = []
        for at in (following, sea, following, following):  # host, start, attacker, backer
            near = [area for area in sorted(board.fleet[at]) if province(area) not in taken]
            if len(drawn) < 2:
                near = [area for area in near if sea in board.shores.get(province(area), ())]
            if not near:
                return []
            drawn.append(rng.choice(near))
            taken.add(province(drawn[-1]))
        host, start, attacker, backer = drawn
        fights.append(Fight(sea, following, host, province(start), attacker, backer))
    return fights


def placed(rng: random.Random, style: Style) -> dict[str, Unit]:
    """Units in a connected part of the map, so that they are in each other's way."""
    board = ground()
    powers = rng.sample(POWERS, rng.randint(*style.powers))
    wanted = rng.randint(*style.units)
    units: dict[str, Unit] = {}
    at_sea = 0
    edge = [rng.choice(sorted(board.seas if style.sea >= 0.5 else board.areas))]
    seen = set(edge)
    while edge and len(units) < wanted:
        place = edge.pop(rng.randrange(min(len(edge), 6)))
        near = {province(a) for area in (place, *board.areas[place]) for a in board.fleet[area]}
        near |= board.army[place]
        edge += rng.sample(sorted(near - seen), len(near - seen))
        seen |= near
        sea = place in board.seas
        if rng.random() > (style.sea + 0.35 if sea else 1.05 - style.sea / 2) or (sea and at_sea == MOST_FLEETS_AT_SEA):
            continue
        shore = rng.choice(board.areas[place])
        fleet = sea or (place in board.shores and rng.random() < style.sea)
        units[place] = Unit(rng.choice(powers), "F" if fleet else "A", shore if fleet else place)
        at_sea += sea
    return units


def make_phase(rng: random.Random, style: str) -> tuple[Units, dict[str, Order]]:
    """Units and one possible order for each."""
    phase = Phase(rng, STYLES[style], placed(rng, STYLES[style]))
    if rng.random() < phase.style.tied:
        phase.tie()
    phase.sail()
    phase.meddle()
    phase.march()
    phase.stay()
    return phase.units, phase.orders


def spoil(rng: random.Random, units: Units, orders: dict[str, Order], share: float = 0.15) -> dict[str, Order]:
    """Return the orders with some replaced by others, most of them impossible or with shores missing or wrong."""
    board = ground()
    places = sorted(board.areas)
    areas = sorted(board.fleet)
    spoilt = {}
    for place, order in orders.items():
        if rng.random() < share:
            other = rng.choice(sorted(units))
            near = sorted(a for a in areas if units[place].can_enter(province(a)))
            to = rng.choice(near if near and rng.random() < 0.7 else areas if rng.random() < 0.5 else places)
            kind = units[other].kind if rng.random() < 0.9 else rng.choice("AF")
            order = rng.choice(
                (
                    Order("-", to),
                    Order("-", to, via=True),
                    Order("S", to, other, kind),
                    Order("S", of=other, of_kind=kind),
                    Order("C", province(to), other, kind),
                )
            )
        elif order.verb == "S" and "/" in order.to and rng.random() < 0.5:
            order = Order("S", rng.choice(board.areas[province(order.to)]), order.of, order.of_kind)
        spoilt[place] = order
    return spoilt


def write_unit(unit: Unit) -> str:
    """`F STP/SC`."""
    return f"{unit.kind} {unit.area}"


def write_order(place: str, order: Order, units: Units) -> str:
    """Return the strict spelling of an order."""
    words = [write_unit(units[place]), order.verb]
    if order.of:
        words.append(f"{order.of_kind} {units[order.of].area}")
    if order.to:
        words += ["-", order.to] if order.of else [order.to]
    return " ".join([*words, "VIA"] if order.via else words)


def written(units: Units, orders: dict[str, Order]) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return a phase in the strict spelling, by power."""
    standing: dict[str, list[str]] = {}
    ordered: dict[str, list[str]] = {}
    for place, unit in units.items():
        standing.setdefault(unit.power, []).append(write_unit(unit))
        ordered.setdefault(unit.power, []).append(write_order(place, orders[place], units))
    return standing, ordered
