"""Prints press in its canonical form: every token separated by one blank."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from parlour.press.language import message_types as v

WRAPPERS: Mapping[type, str] = {
    v.Propose: "PRP",
    v.Insist: "INS",
    v.Suggest: "SUG",
    v.Query: "QRY",
    v.Fact: "FCT",
    v.Think: "THK",
    v.Accept: "YES",
    v.Reject: "REJ",
    v.NoBusiness: "BWX",
    v.Withdraw: "CCL",
    v.Unknown: "IDK",
    v.NotSo: "NOT",
    v.Not: "NOT",
    v.Undo: "NAR",
}
"""The word of each value that holds exactly one other value."""
ORDERS: Mapping[type, str] = {
    v.Hold: "HLD",
    v.Move: "MTO",
    v.Retreat: "RTO",
    v.Disband: "DSB",
    v.Build: "BLD",
    v.RemoveUnit: "REM",
}
"""The word of each order that consists of a unit, a word and an optional place."""


def write(value: v.Message | v.Arrangement | v.NotSo) -> str:
    """Return the canonical text of a message or an arrangement."""
    word = WRAPPERS.get(type(value))
    if word is not None:
        return f"{word} ( {write(value.what)} )"  # type: ignore[union-attr]  # every type in the table has it
    match value:
        case v.Execute(order):
            return f"XDO ( {write_order(order)} )"
        case v.Every(parts):
            return f"AND {_parts(parts)}"
        case v.Either(parts):
            return f"ORR {_parts(parts)}"
        case v.Choice(least, most, parts):
            return f"CHO ( {least} {most} ) {_parts(parts)}"
        case v.Peace(powers):
            return f"PCE {_list(powers)}"
        case v.Alliance(powers, enemies):
            return f"ALY {_list(powers)} VSS {_list(enemies)}"
        case v.Demilitarized(powers, places):
            return f"DMZ {_list(powers)} {_list(write_place(place) for place in places)}"
        case v.Draw(powers):
            return f"DRW {_list(powers)}" if powers else "DRW"
        case v.Solo(power):
            return f"SLO ( {power} )"
        case v.Centres(shares):
            return "SCD " + " ".join(_list((share.power, *share.centres)) for share in shares)
        case v.Occupied(units):
            return "OCC " + " ".join(write_unit(unit) for unit in units)
        case v.Huh(tokens):
            return f"HUH {_list(tokens)}"
        case v.Try(words):
            return f"TRY {_list(words)}"
    raise TypeError(f"not press: {value!r:.80}")


def write_order(order: v.Order) -> str:
    """Return the canonical text of an order, without the brackets of XDO."""
    match order:
        case v.Waive(power):
            return f"{power} WVE"
        case v.Move(unit, to) | v.Retreat(unit, to):
            return f"{write_unit(unit)} {ORDERS[type(order)]} {write_place(to)}"
        case v.SupportHold(unit, other):
            return f"{write_unit(unit)} SUP {write_unit(other)}"
        case v.SupportMove(unit, other, to):
            return f"{write_unit(unit)} SUP {write_unit(other)} MTO {to}"
        case v.Convoy(unit, other, to):
            return f"{write_unit(unit)} CVY {write_unit(other)} CTO {to}"
        case v.ConvoyedMove(unit, to, via):
            return f"{write_unit(unit)} CTO {to} VIA {_list(via)}"
        case _:
            return f"{write_unit(order.unit)} {ORDERS[type(order)]}"


def write_unit(unit: v.Unit) -> str:
    """Return a unit with its brackets."""
    return f"( {unit.power} {unit.kind} {write_place(unit.place)} )"


def write_place(place: str) -> str:
    """Return a province, or a province and its coast in brackets."""
    return f"( {place} )" if " " in place else place


def _list(words: Iterable[str]) -> str:
    return " ".join(("(", *words, ")"))


def _parts(parts: Iterable[v.Arrangement]) -> str:
    return " ".join(f"( {write(part)} )" for part in parts)
