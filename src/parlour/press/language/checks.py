"""Objections to press that is well-formed but makes no sense: duplicate powers, fleets inland, moves too far.

Facts that need no position come from the map. The caller passes the powers that are out or in civil disorder. A fatal
objection means that the message should not be delivered, and may name an answer. The others are remarks.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum
from functools import cache
from itertools import pairwise

import msgspec

from parlour.games.diplomacy.maps.map import Ground, Map, standard
from parlour.press.language import message_types as v
from parlour.press.language.writer import write, write_order, write_unit
from parlour.press.press_position import Names, names


class Kind(StrEnum):
    """Kinds of objections to a message that the reader accepts."""

    DUPLICATE = "duplicate power"
    OVERLAP = "ally and enemy"
    OUT = "power is out"
    IMPOSSIBLE_UNIT = "impossible unit"
    ARMY_WITH_COAST = "army with a coast"
    AMBIGUOUS_COAST = "ambiguous coast"
    FAR = "out of reach"
    NOT_HOME = "not a home centre"
    BAD_CHOICE = "impossible choice"
    TO_ITSELF = "sent to oneself"
    DISORDER = "civil disorder"


REMARKS = frozenset({Kind.OVERLAP, Kind.ARMY_WITH_COAST})
"""Kinds that do not stop a message. Some bots list an ally as enemy to write an alliance without a target."""


class Objection(msgspec.Struct, frozen=True):
    """An objection to a message."""

    kind: Kind
    part: str
    message: str
    answer: str = ""
    """Answer of a DAIDE server; empty if DAIDE has no special answer."""

    @property
    def fatal(self) -> bool:
        """True if the message should be refused."""
        return self.kind not in REMARKS


class Findings(msgspec.Struct, frozen=True):
    """A message with corrected or completed coasts, and the objections to it."""

    message: v.Message
    objections: tuple[Objection, ...] = ()

    @property
    def refused(self) -> Objection | None:
        """The first objection that stops the message."""
        return next((objection for objection in self.objections if objection.fatal), None)


def examine(
    message: v.Message,
    *,
    sender: str = "",
    to: Sequence[str] = (),
    out: Collection[str] = (),
    disordered: Collection[str] = (),
    board: Map | None = None,
) -> Findings:
    """Return the objections to a message; `sender`, `to`, `out` and `disordered` are power words."""
    examiner = _Examiner(names(board or standard()), frozenset(out))
    found = list(_addressing(message, sender, to, out, disordered))
    what = arrangement_of(message)
    if what is None:
        return Findings(message, tuple(found))
    mended = examiner.arrangement(what)
    if mended is not what:
        message = _with(message, mended)
    return Findings(message, (*found, *examiner.objections))


def arrangement_of(message: v.Message | v.NotSo) -> v.Arrangement | None:
    """Return the arrangement of a message at any depth of quotation; None for HUH and TRY."""
    inner: object = message
    while isinstance(inner, _QUOTING):
        inner = inner.what
    return None if isinstance(inner, (v.Huh, v.Try)) else inner  # type: ignore[return-value]  # nothing else is left


_QUOTING = (
    *(v.Propose, v.Insist, v.Suggest, v.Query, v.Fact, v.Think, v.NotSo),
    *(v.Accept, v.Reject, v.NoBusiness, v.Unknown, v.Withdraw),
)


def _with(message: v.Message, what: v.Arrangement) -> v.Message:
    """Return the message with its arrangement replaced."""
    inner = message.what if isinstance(message, _QUOTING) else None
    replaced = _with(inner, what) if isinstance(inner, _QUOTING) else what  # type: ignore[arg-type]
    return msgspec.structs.replace(message, what=replaced)


def _addressing(
    message: v.Message, sender: str, to: Sequence[str], out: Collection[str], disordered: Collection[str]
) -> Iterator[Objection]:
    if sender and sender in to:
        quoted = f"SND ( {' '.join(to)} ) ( {write(message)} )"
        yield Objection(Kind.TO_ITSELF, sender, f"{sender} sends press to itself", f"REJ ( {quoted} )")
    for power in to:
        if power in out:
            yield Objection(Kind.OUT, power, f"{power} is out of the game", f"OUT ( {power} )")
        elif power in disordered:
            yield Objection(Kind.DISORDER, power, f"{power} is in civil disorder", f"CCD ( {power} )")


class _Examiner:
    """A walk over one arrangement that fills in coasts with only one possibility and collects objections."""

    def __init__(self, known: Names, out: frozenset[str]) -> None:
        self._names, self._out = known, out
        self.objections: list[Objection] = []

    def arrangement(self, what: v.Arrangement) -> v.Arrangement:
        """Return the arrangement, with coasts filled in where only one is possible."""
        match what:
            case v.Execute(order):
                mended = self._order(order)
                return what if mended is order else v.Execute(mended)
            case v.Every(parts) | v.Either(parts) | v.Choice(_, _, parts):
                mended_parts = tuple([self.arrangement(part) for part in parts])
                if isinstance(what, v.Choice) and not what.least <= what.most <= len(parts):
                    self._object(Kind.BAD_CHOICE, write(what), f"no {what.least} to {what.most} of {len(parts)} parts")
                if all(new is old for new, old in zip(mended_parts, parts, strict=True)):
                    return what
                return msgspec.structs.replace(what, parts=mended_parts)
            case v.Not(inner) | v.Undo(inner):
                mended_inner = self.arrangement(inner)
                return what if mended_inner is inner else msgspec.structs.replace(what, what=mended_inner)
            case v.Peace(powers) | v.Draw(powers) | v.Demilitarized(powers):
                self._powers(powers)
            case v.Alliance(powers, enemies):
                self._powers(powers)
                self._powers(enemies)
                for power in sorted(set(powers) & set(enemies)):
                    self._object(Kind.OVERLAP, power, f"{power} is both ally and enemy")
            case v.Solo(power):
                self._powers((power,))
            case v.Centres(shares):
                self._powers([share.power for share in shares])
            case v.Occupied(units):
                for unit in units:
                    self._unit(unit)
        return what

    def _order(self, order: v.Order) -> v.Order:
        if isinstance(order, v.Waive):
            self._powers((order.power,))
            return order
        unit = self._unit(order.unit)
        if unit is not order.unit:
            order = msgspec.structs.replace(order, unit=unit)
        match order:
            case v.Move(_, to) | v.Retreat(_, to):
                place = self._reached(order, to)
                return order if place == to else msgspec.structs.replace(order, to=place)
            case v.SupportHold(_, other) | v.SupportMove(_, other) | v.Convoy(_, other):
                mended = self._unit(other)
                if mended is not other:
                    order = msgspec.structs.replace(order, other=mended)
                self._check_help(order)
            case v.ConvoyedMove(_, to, via):
                self._check_route(order, to, via)
            case v.Build(built):
                self._check_build(order, built)
            case _:
                pass
        return order

    def _unit(self, unit: v.Unit) -> v.Unit:
        """Return the unit; the coast of an army is removed."""
        self._powers((unit.power,))
        ground = self._names.map.provinces[self._names.province_id[unit.province]].kind
        wrong = Ground.LAND if unit.kind == "FLT" else Ground.SEA if unit.kind == "AMY" else None
        if ground is wrong:
            what = "a fleet cannot stand inland" if unit.kind == "FLT" else "an army cannot stand at sea"
            self._object(Kind.IMPOSSIBLE_UNIT, write_unit(unit), f"{what}: {unit.place}")
        elif unit.kind == "AMY" and " " in unit.place:
            self._object(Kind.ARMY_WITH_COAST, write_unit(unit), f"an army has no coast: {unit.place}")
            return v.Unit(unit.power, unit.kind, unit.province)
        return unit

    def _reached(self, order: v.Move | v.Retreat, to: str) -> str:
        """Return the destination of a move, with its coast if only one is possible."""
        unit = order.unit
        if unit.kind == "AMY" and " " in to:
            self._object(Kind.ARMY_WITH_COAST, write_order(order), f"an army goes to no coast: {to}")
            to = to[:3]
        fits = self._names.reach[unit.kind][unit.place].get(to, ())
        if len(fits) == 1:
            return fits[0]
        if fits:
            self._object(Kind.AMBIGUOUS_COAST, write_order(order), f"{to} has two coasts in reach: {' or '.join(fits)}")
        else:
            self._object(Kind.FAR, write_order(order), f"{unit.place} is not next to {to}")
        return to

    def _check_help(self, order: v.SupportHold | v.SupportMove | v.Convoy) -> None:
        unit, other, known = order.unit, order.other, self._names
        if isinstance(order, v.Convoy):
            if unit.province not in known.lexicon.carriers or other.kind == "FLT":
                self._object(Kind.IMPOSSIBLE_UNIT, write_order(order), "only a fleet at sea carries, only an army is")
            elif not self._by_sea(other.province, order.to, unit.province):
                wrong = f"a fleet in {unit.province} carries no army from {other.province} to {order.to}"
                self._object(Kind.FAR, write_order(order), wrong)
            return
        to = other.province if isinstance(order, v.SupportHold) else order.to
        if unit.province == other.province:
            self._object(Kind.FAR, write_order(order), f"{unit.place} does not support itself")
        elif to not in known.reach[unit.kind][unit.place]:
            self._object(Kind.FAR, write_order(order), f"{unit.place} is not next to {to}")
        elif isinstance(order, v.SupportMove) and not self._could_go(other, to):
            self._object(Kind.FAR, write_order(order), f"what is supported cannot go from {other.place} to {to}")

    def _could_go(self, unit: v.Unit, to: str) -> bool:
        """Return True if a unit can be ordered to a province on some board.

        Also True for a unit in an impossible place, because that unit already has an objection.
        """
        ground = self._names.map.provinces[self._names.province_id[unit.province]].kind
        if ground is (Ground.LAND if unit.kind == "FLT" else Ground.SEA):
            return True
        if to in self._names.reach[unit.kind][unit.place]:
            return True
        return unit.kind == "AMY" and self._by_sea(unit.province, to)

    def _by_sea(self, start: str, end: str, through: str = "") -> bool:
        """Return True if fleets could carry an army from one shore to another, through a sea if one is given."""
        if start == end or start in self._names.lexicon.seas or end in self._names.lexicon.seas:
            return False
        if through in (start, end):
            return False
        waters = _waters(self._names)
        return any(start in shores and end in shores and (not through or through in seas) for seas, shores in waters)

    def _check_route(self, order: v.ConvoyedMove, to: str, via: tuple[str, ...]) -> None:
        known, start = self._names, order.unit.province
        if order.unit.kind == "FLT":
            self._object(Kind.IMPOSSIBLE_UNIT, write_order(order), "a fleet is not convoyed")
            return
        chain = (start, *via, to)
        far = next((f"{a} is not next to {b}" for a, b in pairwise(chain) if b not in known.reach["FLT"][a]), "")
        if to == start or to in known.lexicon.seas:
            far = f"an army goes by sea to another shore, not to {to}"
        if far:
            self._object(Kind.FAR, write_order(order), far)

    def _check_build(self, order: v.Build, unit: v.Unit) -> None:
        known = self._names
        sites = known.map.sites[known.power_words.index(unit.power)] if unit.power in known.power_words else ()
        if known.province_id[unit.province] not in sites:
            self._object(Kind.NOT_HOME, write_order(order), f"{unit.province} is no home centre of {unit.power}")
        elif unit.kind == "FLT" and unit.place in known.coasts:
            coasts = " or ".join(known.coasts[unit.place])
            self._object(Kind.AMBIGUOUS_COAST, write_order(order), f"{unit.place} has two coasts: {coasts}")

    def _powers(self, powers: Sequence[str]) -> None:
        if len(set(powers)) < len(powers):
            twice = next(power for power in powers if powers.count(power) > 1)
            self._object(Kind.DUPLICATE, twice, f"{twice} is listed twice")
        if self._out:
            for power in powers:
                if power in self._out:
                    self.objections.append(
                        Objection(Kind.OUT, power, f"{power} is out of the game", f"OUT ( {power} )")
                    )

    def _object(self, kind: Kind, part: str, message: str) -> None:
        self.objections.append(Objection(kind, part, message))


@cache
def _waters(known: Names) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    """Return the convoy provinces of each body of water, with the provinces on their shores."""
    found: list[tuple[frozenset[str], frozenset[str]]] = []
    left = set(known.lexicon.carriers)
    while left:
        body, new = set[str](), {min(left)}
        while new:
            body |= new
            new = set().union(*(known.waters[sea] for sea in new)) - body
        left -= body
        found.append((frozenset(body), frozenset(here for here, seas in known.waters.items() if seas & body)))
    return tuple(found)
