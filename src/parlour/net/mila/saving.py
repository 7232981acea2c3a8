"""Writes a match in the saved-game format of the `diplomacy` package, for every door."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from parlour.core import events as ev
from parlour.core.game import Plain
from parlour.core.player import ObservedEvent
from parlour.core.viewers import OMNISCIENT as EVERYTHING
from parlour.core.viewers import SPECTATOR, Viewer
from parlour.games.diplomacy.formats.saved import SavedPhase
from parlour.games.diplomacy.game import GAME
from parlour.games.diplomacy.maps.map import package_name
from parlour.net.fair_pool import HOUSE, Requester, using_up
from parlour.net.mila import notices as nt
from parlour.net.mila.earlier import EarlierPhases, read_earlier
from parlour.net.mila.heads import extras_of, origin_of, played_before
from parlour.net.mila.match_status import BoardState
from parlour.net.mila.protocol_values import OBSERVER, OMNISCIENT, SeatedAs
from parlour.net.mila.reused_names import AccountNames
from parlour.net.mila.role_state import Sight
from parlour.net.mila.rules import NOT_SAVED, deadline_of, rules_of
from parlour.net.sessions import Session
from parlour.referee.history import Past
from parlour.store import Store

_LISTED = ("units", "centers", "homes", "influence")
"""Parts of a saved state that are lists by power, whose order means nothing."""


def saved_game(
    match: str, rules: Sequence[str], board: BoardState, sight: Sight, earlier: EarlierPhases | None
) -> Callable[[], dict[str, Plain]]:
    """Return a function that writes a game as a role may see it now, in the package's format.

    The result also has the game's status, outcome, controllers and player types. The function reads no mutable state,
    so it can be called on another thread.
    """
    phases = [nt.phase_of(board.chronicle.parts(name), *sight.past(name)) for name in board.chronicle.names]
    phases.append(nt.current_phase(board, sight))
    map_name, role = package_name(board.position.board), sight.role
    places, shown = tuple(board.places), [rule for rule in rules if rule not in NOT_SAVED]
    found: dict[str, Plain] = {
        "id": match,
        "map": map_name,
        "rules": shown,
        "phases": [],
        "all_rules": list(rules),
        "status": board.status.value,
        "outcome": board.result,
        "controllers": {name: place.controller for name, place in board.places.items()},
        "player_types": {name: SeatedAs(place.row.player_type).value for name, place in board.places.items()},
        "deadline": deadline_of(board.terms),
    }
    if earlier is not None:
        found["continued"] = earlier.before(sight.role_before)

    def write() -> dict[str, Plain]:
        plain = [msgspec.json.decode(msgspec.json.encode(phase)) for phase in phases]
        if earlier is not None:
            plain[-1]["state"] = _kept(earlier.last, plain[-1])
        plain[-1]["orders"] = dict.fromkeys(places) | plain[-1]["orders"]  # tools expect an entry per power
        for phase in plain:
            phase["state"] |= {"game_id": match, "map": map_name, "rules": shown}
            phase["messages"] = [each for message in phase["messages"] for each in _one_by_one(message, role)]
        return found | {"phases": plain}

    return write


async def saved_for(
    session: Session, match: str, wanted: Viewer | None, asker: Requester = HOUSE
) -> dict[str, Plain] | None:
    """Return the saved game as a viewer may see it; None before it has started."""
    viewer = await session.viewer(match, wanted)
    told = await session.events(match, wanted=wanted)
    head, before = await session.hall.head(match), await played_before(session.hall.store, match)
    extras = extras_of(head)

    def saved(told: list[ObservedEvent]) -> dict[str, Plain] | None:
        if not any(each.view.position is not None for each in told):
            return None
        earlier = read_earlier(before) if before else None
        board, sight = _folded(told, Sight(_role_of(viewer), viewer), earlier, AccountNames(session.hall.store))
        rules = rules_of(board.terms, board.opened.config).rules if extras is None else extras.rules
        return saved_game(match, rules, board, sight, earlier)()

    return await session.hall.pool.run(asker, using_up(saved, told))


def export_saved(events: Iterable[ev.Event], folder: Path, name: str, store: Store | None = None) -> None:
    """Write a recorded match with all its press as a saved game, with the rules that it was played by.

    The store, if given, has the rules for taking seats, and the saved game that the match continues.
    """
    told = list(Past(GAME, list(events)).told(EVERYTHING))
    before = b"" if store is None else origin_of(store, name)
    head = None if store is None else store.head(name)
    extras = None if head is None else extras_of(head)
    earlier = read_earlier(before) if before else None
    board, sight = _folded(told, Sight(OMNISCIENT), earlier, None if store is None else AccountNames(store))
    rules = rules_of(board.terms, board.opened.config).rules if extras is None else extras.rules
    saved = saved_game(name, rules, board, sight, earlier)()
    last = -1
    for phase in saved["phases"]:
        for message in phase["messages"]:  # the package stores one message per time
            last = message["time_sent"] = max(message["time_sent"], last + 1)
    (folder / f"{name}.json").write_bytes(msgspec.json.encode(saved))


def _kept(before: SavedPhase, phase: dict[str, Plain]) -> dict[str, Plain]:
    """Return the state of a phase, with lists and hash of the saved game as long as its position stands."""
    state: dict[str, Any] = phase["state"]
    if before.name != phase["name"] or not all(
        _same(before.state.get(key), state[key]) for key in ("units", "centers")
    ):
        return state
    listed = {key: before.state[key] for key in _LISTED if _same(before.state.get(key), state[key])}
    return state | listed | {key: before.state[key] for key in ("zobrist_hash",) if key in before.state}


def _same(before: object, now: object) -> bool:
    """Return True if two objects of lists by power differ at most in the order of the lists."""
    return _ordered(before) == _ordered(now)


def _ordered(found: object) -> object:
    if not isinstance(found, dict):
        return None
    return {name: sorted(map(str, part)) if isinstance(part, list) else part for name, part in found.items()}


def _one_by_one(message: dict[str, Plain], role: str) -> list[dict[str, Plain]]:
    """Return press to several powers as one message to each, a microsecond apart; a recipient has only its own.

    The package identifies messages by their times.
    """
    message.pop("whole", None)
    named = message.pop("recipients", None)
    if named is None or role in named:
        return [message]
    first = message["time_sent"]
    return [message | {"recipient": to, "time_sent": first + number} for number, to in enumerate(named)]


def _role_of(viewer: Viewer) -> str:
    """Return the role of a viewer; a player of several powers gets the first."""
    if viewer.seats:
        return str(viewer.seats[0])
    return OBSERVER if viewer.visibility is SPECTATOR.visibility else OMNISCIENT


def _folded(
    told: Sequence[ObservedEvent], sight: Sight, earlier: EarlierPhases | None, names: AccountNames | None
) -> tuple[BoardState, Sight]:
    """Return the public state of a match and the sight of a role, folded from the events that it may see."""
    opened = told[0].event
    assert isinstance(opened, ev.Opened), "a match opens with one"
    board = BoardState(opened, str if names is None else names.shown)
    if earlier is not None:
        for parts, ended in earlier.parts():
            board.chronicle.add(parts, ended)
        for phase, messages, logs in earlier.heard(sight.role_before):
            sight.remember(phase, messages, logs)
    for each in told[1:]:
        board.take(each)
        sight.see(each.event, board.phase_before(each.number), board.latest, board.marks.get(each.number))
    return board, sight
