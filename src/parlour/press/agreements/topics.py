"""Files arrangements by topic, so that a new one is compared only with those that it can conflict with."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import TypeAlias

from parlour.press.judging.executed_orders import aim
from parlour.press.language import message_types as v
from parlour.press.orders import performer

Topic: TypeAlias = tuple[str, Hashable]


def filed_under(what: v.Arrangement) -> Iterator[Topic]:
    """Yield the topics under which an arrangement is filed."""
    yield "said", what
    match what:
        case v.Not(inner):
            yield "denied", inner
        case v.Execute(order):
            yield "ordered by", performer(order)
            if not isinstance(order, v.Waive):
                yield "ordered in", order.unit.province
            for place in _aims(order):
                yield "ordered into", place
        case v.Peace(powers) | v.Alliance(powers):
            for power in _concerned(what, powers):
                yield "peace", power
        case v.Demilitarized(_, places):
            for place in places:
                yield "zone", place
        case v.Either(parts) | v.Choice(_, _, parts):
            for chosen in _chosen(parts):
                yield from (topic for topic in filed_under(chosen) if topic[0] in _OF_CHOICES)


def looked_up(what: v.Arrangement) -> Iterator[Topic]:
    """Yield the topics under which all conflicting arrangements are filed."""
    yield "denied", what
    match what:
        case v.Not(inner):
            yield "said", inner
        case v.Execute(order):
            yield "peace", performer(order)
            if not isinstance(order, v.Waive):
                yield "ordered in", order.unit.province
            for place in _aims(order):
                yield "zone", place
        case v.Peace(powers) | v.Alliance(powers):
            for power in _concerned(what, powers):
                yield "peace", power
                yield "ordered by", power
        case v.Demilitarized(_, places):
            for place in places:
                yield "ordered into", place
        case v.Either(parts) | v.Choice(_, _, parts):
            for chosen in _chosen(parts):
                yield from (topic for topic in looked_up(chosen) if topic[0] in _OF_CHOICES)


_OF_CHOICES = frozenset(("said", "denied", "ordered in"))
"""Topics of choices. Choices conflict only with orders, not with a peace or a zone that another choice may keep."""


def _chosen(parts: Iterable[v.Arrangement]) -> Iterator[v.Arrangement]:
    """Yield the orders and negated orders that are choices or parts of a choice."""
    for part in parts:
        match part:
            case v.Execute() | v.Not(v.Execute()):
                yield part
            case v.Every(inner) | v.Either(inner) | v.Choice(_, _, inner):
                yield from _chosen(inner)


def _aims(order: v.Order) -> Iterable[str]:
    """Return the destination of an order, with the coast and without."""
    to = aim(order)
    return {to, to[:3]} if to else ()


def _concerned(what: v.Peace | v.Alliance, powers: Iterable[str]) -> Iterable[str]:
    """Return all powers that a peace or an alliance names, enemies included."""
    return {*powers, *what.enemies} if isinstance(what, v.Alliance) else powers
