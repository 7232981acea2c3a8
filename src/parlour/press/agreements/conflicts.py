"""Finds arrangements that cannot both hold: a later one replaces or contradicts an earlier one."""

from __future__ import annotations

from collections.abc import Collection

from parlour.press.judging.executed_orders import aim, attacked
from parlour.press.language import message_types as v
from parlour.press.orders import clash, performer
from parlour.press.press_position import PhaseBoard


def denies(one: v.Arrangement, other: v.Arrangement) -> bool:
    """Return True if either arrangement is the negation of the other."""
    return (type(one) is v.Not and one.what == other) or (type(other) is v.Not and other.what == one)


def excludes(earlier: v.Arrangement, later: v.Arrangement) -> bool:
    """Return True if two arrangements cannot both hold on any board."""
    match earlier, later:
        case v.Execute(one), v.Execute(other):
            return clash(one, other)
        case v.Alliance(), v.Alliance():
            return _hostile_alliance(later, earlier) or _hostile_alliance(earlier, later)
        case v.Peace(), v.Alliance():
            return _hostile_alliance(later, earlier)
        case v.Alliance(), v.Peace():
            return _hostile_alliance(earlier, later)
        case ((v.Execute() | v.Not(v.Execute())), (v.Either() | v.Choice())):
            return _rules_out(earlier, later)
        case ((v.Either() | v.Choice()), (v.Execute() | v.Not(v.Execute()))):
            return _rules_out(later, earlier)
    return denies(earlier, later)


def without(what: v.Arrangement, left: Collection[str]) -> v.Arrangement:
    """Return a peace or an alliance without the powers that left it; another arrangement is returned unchanged."""
    if not left or not isinstance(what, (v.Peace, v.Alliance)):
        return what
    powers = tuple(power for power in what.powers if power not in left)
    if isinstance(what, v.Peace):
        return v.Peace(powers)
    allies = frozenset(what.powers)
    return v.Alliance(powers, tuple(enemy for enemy in what.enemies if enemy not in allies))


def _rules_out(order: v.Arrangement, what: v.Arrangement) -> bool:
    """Return True if an arrangement cannot hold beside an order, or beside the negation of an order.

    A choice cannot hold if too few of its parts can.
    """
    match what:
        case v.Every(parts):
            return any(_rules_out(order, part) for part in parts)
        case v.Either(parts) | v.Choice(_, _, parts):
            least = what.least if isinstance(what, v.Choice) else 1
            return sum(not _rules_out(order, part) for part in parts) < least
    return excludes(order, what)


def _hostile_alliance(alliance: v.Alliance, peace: v.Peace | v.Alliance) -> bool:
    """Return True if a member of the alliance is at peace, or allied, with an enemy of the alliance."""
    allies = set(alliance.powers) & set(peace.powers)
    enemies = set(alliance.enemies) & set(peace.powers) - set(alliance.powers)
    return bool(allies and enemies)


def offends(one: v.Arrangement, other: v.Arrangement, power: str, board: PhaseBoard | None) -> bool:
    """Return True if an order that the power owes under one arrangement breaks the other arrangement."""
    if isinstance(other, v.Execute):
        one, other = other, one
    if not isinstance(one, v.Execute) or performer(one.order) != power:
        return False
    match other:
        case v.Peace(powers) | v.Alliance(powers) if board is not None:
            return not set(powers).isdisjoint(attacked(one.order, board))
        case v.Demilitarized(_, places):
            to = aim(one.order)
            return bool(to) and (to in places or to[:3] in places)
    return False
