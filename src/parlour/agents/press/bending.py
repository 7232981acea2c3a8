"""Orders that a power would give if a further pact were agreed: its plan when it offers or accepts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from parlour.agents.press.commitments import province_of
from parlour.games.diplomacy.position import Position
from parlour.press.agreements.clauses import flat
from parlour.press.judging.executed_orders import aim, attacked
from parlour.press.language import message_types as v
from parlour.press.orders import STAGE_OF, from_text, performer, spellings
from parlour.press.press_position import PhaseBoard


def bent(
    orders: Sequence[str], agreed: Iterable[v.Arrangement], power: str, board: PhaseBoard, position: Position
) -> list[str]:
    """Return movement orders, with each order that breaks an arrangement replaced by the promised order or a hold."""
    found = {province_of(text): text for text in orders}
    tags = {province.tag: number for number, province in enumerate(position.board.provinces)}
    for part in (part for what in agreed for part in flat(what)):
        match part:
            case v.Execute(order) if performer(order) == power and STAGE_OF[type(order)] == "orders":
                for way in spellings(order, board):
                    place = province_of(way)
                    if place in found and way in position.orders_at(tags[place]):
                        found[place] = way
                        break
            case v.Peace(powers) | v.Alliance(powers) if power in powers:
                friends = set(powers) - {power}
                for place, text in found.items():
                    read = from_text(text, board, power)
                    if read is not None and not friends.isdisjoint(attacked(read, board)):
                        found[place] = _hold(text)
            case v.Demilitarized(powers, places) if power in powers:
                for place, text in found.items():
                    read = from_text(text, board, power)
                    to = "" if read is None else aim(read)
                    if to and (to in places or to[:3] in places):
                        found[place] = _hold(text)
    return list(found.values())


def _hold(order: str) -> str:
    return f"{' '.join(order.split()[:2])} H"
