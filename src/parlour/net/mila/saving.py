"""A match as the `diplomacy` package saves its games, whichever door it is asked for at."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import msgspec

from parlour.core import events as ev
from parlour.core.game import Plain
from parlour.core.player import Told
from parlour.core.viewers import SPECTATOR, Viewer
from parlour.games.diplomacy.position import Position
from parlour.net.mila import notices as nt
from parlour.net.mila.board import BoardState
from parlour.net.mila.earlier import EarlierPhases, read_earlier
from parlour.net.mila.hall_host import extras_of, played_before
from parlour.net.mila.rules import deadline_of, rules_of
from parlour.net.mila.sights import Sight
from parlour.net.mila.values import OBSERVER, OMNISCIENT, SeatedAs
from parlour.net.sessions import Session


def saved_game(
    match: str, rules: Sequence[str], board: BoardState, sight: Sight, earlier: EarlierPhases | None
) -> dict[str, Plain]:
    """A game as a role may know it, in the package's form, and besides its status, outcome, controllers and types."""
    phases = [nt.phase_of(board.chronicle.parts(name), *sight.past(name)) for name in board.chronicle.names]
    phases.append(nt.current_phase(board, sight))
    plain = [msgspec.json.decode(msgspec.json.encode(phase)) for phase in phases]
    map_name = board.position.board.name
    plain[-1]["orders"] = dict.fromkeys(board.places) | plain[-1]["orders"]  # tools look for each power there
    for phase in plain:
        phase["state"] |= {"game_id": match, "map": map_name, "rules": list(rules)}
    found: dict[str, Plain] = {
        "id": match,
        "map": map_name,
        "rules": list(rules),
        "phases": plain,
        "status": board.status.value,
        "outcome": board.result,
        "controllers": {name: place.controller for name, place in board.places.items()},
        "player_types": {name: SeatedAs(place.player_type).value for name, place in board.places.items()},
        "deadline": deadline_of(board.terms),
    }
    return found if earlier is None else found | {"continued": earlier.before(sight.role)}


async def saved_for(session: Session, match: str, wanted: Viewer | None) -> dict[str, Plain] | None:
    """The same of a match as somebody looks at it; None before it has started."""
    viewer = await session.viewer(match, wanted)
    told = await session.events(match, wanted=wanted)
    if not any(each.position is not None for each in told):
        return None
    head, before = await session.hall.head(match), await played_before(session.hall.store, match)
    extras = extras_of(head)

    def saved() -> dict[str, Plain]:
        earlier = read_earlier(before) if before else None
        board, sight = _folded(told, _role_of(viewer), earlier)
        rules = rules_of(board.terms, board.opened.config).rules if extras is None else extras.rules
        return saved_game(match, rules, board, sight, earlier)

    return await asyncio.to_thread(saved)


def _role_of(viewer: Viewer) -> str:
    """The role that looks through these eyes; who plays several powers looks as the first."""
    if viewer.seats:
        return str(viewer.seats[0])
    return OBSERVER if viewer.gaze is SPECTATOR.gaze else OMNISCIENT


def _folded(told: Sequence[Told], role: str, earlier: EarlierPhases | None) -> tuple[BoardState, Sight]:
    """What all may know of a match, and what a role knows besides, from all that it was told."""
    opened, sight = told[0].event, Sight(role)
    assert isinstance(opened, ev.Opened), "a match opens with one"
    board = BoardState(opened)
    if earlier is not None:
        for parts, ended in earlier.parts():
            board.chronicle.add(parts, ended)
        for phase, messages, logs in earlier.heard(role):
            sight.remember(phase, messages, logs)
    for each in told[1:]:
        position = each.position
        assert position is None or isinstance(position, Position)
        board.take(each.event, position, each.number)
        sight.see(each.event, board.phase_before(each.number), board.latest, board.marks.get(each.number))
    return board, sight
