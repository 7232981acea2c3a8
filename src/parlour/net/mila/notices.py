"""Turns an event into notifications for each role, as the protocol's table defines it, and addresses them to listeners.

A notice is a notification without its address: the token, the game and the role are put before it for each listener,
so that it is encoded once for all who may see the same.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from functools import lru_cache
from itertools import count
from typing import Any, NamedTuple, TypeAlias

import msgspec

from parlour.core import events as ev
from parlour.core.event_base import open_to_all
from parlour.core.events import Event
from parlour.core.intents import CommStatus
from parlour.games.diplomacy.engine.state import COMPLETED as OVER
from parlour.games.diplomacy.position import Position
from parlour.net.mila import protocol_values as w
from parlour.net.mila.chronicle import PhaseParts
from parlour.net.mila.kernel.telling import frames_for
from parlour.net.mila.match_status import BoardState
from parlour.net.mila.protocol_values import GamePhase, GameStatus, PhaseKind, SeatedAs
from parlour.net.mila.role_state import Sight, messages_of
from parlour.net.sessions import Session

_encode = msgspec.json.encode
_numbers = count()


class Notice(NamedTuple):
    """A notification without its address: its JSON from the name on, and the clients that can read it."""

    tail: bytes
    fork_only: bool = False
    """True if only the fork knows the notification: clients of 1.1.2 crash on unknown notifications."""


def notice(name: str, power_name: str | None = None, *, fork_only: bool = False, **fields: Any) -> Notice:
    """Return a notice with that name and these fields."""
    return Notice(_encode({"name": name, "power_name": power_name, **fields})[1:], fork_only)


def shared_notices(event: Event, board: BoardState, was: GameStatus) -> list[Notice] | None:
    """Return the notifications about a processed event that are the same for every role; None if roles differ.

    An event that hides something from anybody is never among them. `was` is the status before it.
    """
    if type(event).seen is not open_to_all:
        return None
    match event:
        case ev.TurnBegan():
            found = [*wait_flags(board)] if board.is_fresh else []
        case ev.Retracted(seat=seat):
            found = [notice("cleared_orders", seat)]
        case ev.CommStatusSet(seat=seat, status=status):
            found = [comm_status_update(seat, status)]
        case _:
            return None
    return found + _changed(board, was)


def notices(
    event: Event, board: BoardState, sight: Sight, over: PhaseParts | None, before: Position, was: GameStatus
) -> list[Notice]:
    """Return the notifications for a role about any other event, after board and sight have processed it.

    `over` is the phase that ended with it; `before` and `was` are the position and the status before it.
    """
    found: list[Notice] = []
    match event:
        case ev.TurnEnded():
            pass  # listed first as the most frequent; the finished phase is notified below
        case ev.Said():
            count = len(messages_of(event, sight.role, "", 0))
            found += [notice("game_message_received", message=one) for one in sight.messages[-count:]]
        case ev.Proclaimed():
            found.append(notice("game_message_received", message=sight.messages[-1]))
        case ev.Joined() | ev.Left() | ev.Removed():
            found.append(controllers(board))
        case ev.Voted():
            found.append(votes(board, sight))
        case ev.PositionSet():
            found.append(_position_set(board, sight, before))
    if over is not None:
        found.append(processed(board, sight, over))
    return found + _changed(board, was)


def _changed(board: BoardState, was: GameStatus) -> list[Notice]:
    return [] if board.status is was else [notice("game_status_update", status=board.status)]


def controllers(board: BoardState) -> Notice:
    """Return the notification of all controllers."""
    places = board.places
    return notice(
        "powers_controllers",
        powers={name: place.controller for name, place in places.items()},  # clients of 1.1.2 crash on null
        timestamps={name: place.since for name, place in places.items()},
        player_types={name: SeatedAs(place.row.player_type) for name, place in places.items()},
    )


def orders_update(acted: ev.Acted) -> Notice:
    """Return the notice of a power's orders, for those who may see them."""
    return notice("power_orders_update", acted.seat, orders=acted.action)


@lru_cache(maxsize=256)
def orders_flag(seat: str, order_is_set: int) -> Notice:
    """Return the notice that a power has given orders: empty ones (1) or some (2)."""
    return notice("power_orders_flag", seat, order_is_set=order_is_set)


def comm_status_update(seat: str, status: CommStatus) -> Notice:
    """Return the notice of a power's comm status, which only the fork's clients receive."""
    return notice("power_comm_status_update", seat, comm_status=status, fork_only=True)


def votes(board: BoardState, sight: Sight) -> Notice:
    """Return the notification of the votes on a draw that the role may see."""
    if sight.role == w.OMNISCIENT:
        return notice("vote_updated", vote={name: board.ballot(name, sight.viewer) for name in board.places})
    counts: dict[str, Any] = {"count_voted": board.voted, "count_expected": board.voters}
    if sight.is_player:
        return notice("power_vote_updated", **counts, vote=board.ballot(sight.role, sight.viewer))
    return notice("vote_count_updated", **counts)


@lru_cache(maxsize=256)
def wait_flag(seat: str, wait: bool) -> Notice:
    """Return the notice of a power's wait flag."""
    return notice("power_wait_flag", seat, wait=wait)


def wait_flags(board: BoardState) -> Iterator[Notice]:
    """Yield the notifications of wait flags."""
    for name in board.places:
        yield wait_flag(name, board.waits(name))


_PROCESSED = b'"name":"game_processed","power_name":null,"previous_phase_data":%b,"current_phase_data":%b}'


def processed(board: BoardState, sight: Sight, over: PhaseParts) -> Notice:
    """Return the notice that a phase is over and the next has begun."""
    previous, current = _written(over, *sight.past(over.name)), _encode(current_phase(board, sight))
    return Notice(_PROCESSED % (previous, current))


@lru_cache(maxsize=8)
def _written(parts: PhaseParts, said: bytes, kept: bytes) -> bytes:
    """Return a finished phase as JSON; cached for all roles that received the same press in it."""
    return _encode(phase_of(parts, said, kept))


def phase_of(parts: PhaseParts, said: bytes = b"[]", kept: bytes = b"[]") -> GamePhase:
    """Return a past phase; its JSON parts are not decoded."""
    raw: Any = msgspec.Raw
    return GamePhase(
        name=parts.name,
        state=raw(parts.state),
        orders=raw(parts.orders),
        results=raw(parts.results),
        messages=raw(said),
        logs=raw(kept),
    )


def current_phase(board: BoardState, sight: Sight) -> GamePhase:
    """Return the current phase with the orders that the role may see; a player gets only its own."""
    given, acting = sight.orders, board.position.to_act()
    state: Any = msgspec.Raw(board.state_json)
    names = (sight.role,) if sight.is_player else board.places
    return GamePhase(
        name=board.phase,
        state=state,
        # A power without orders due has an empty list; after the end there is no list at all.
        orders={} if board.phase == OVER else {name: given.get(name, None if name in acting else []) for name in names},
        results={},
        messages=list(sight.messages),
        logs=list(sight.logs),
    )


def _position_set(board: BoardState, sight: Sight, before: Position) -> Notice:
    """Return the notice of a set position; removing units or centres of a power, or of all, has its own kind."""
    for kind, was, now in (
        ("cleared_units", before.units, board.position.units),
        ("cleared_centers", before.centers, board.position.centers),
    ):
        changed = [name for name in was if was[name] != now[name]]
        taken = bool(changed) and not any(now[name] for name in changed)
        all_of_them = len(changed) == sum(map(bool, was.values()))
        if taken and (len(changed) == 1 or all_of_them) and _only(kind, before, board.position):
            return notice(kind, changed[0] if len(changed) == 1 else None)
    return notice("game_phase_update", phase_data=current_phase(board, sight), phase_data_type=PhaseKind.STATE)


def _only(kind: str, before: Position, after: Position) -> bool:
    """Return True if nothing changed but units, or nothing but centres, as `kind` says."""
    if before.phase != after.phase or before.dislodged != after.dislodged:
        return False
    return before.centers == after.centers if kind == "cleared_units" else before.units == after.units


# Listeners


class Listening(NamedTuple):
    """A listener of a match in one role: a token, and its socket."""

    token: str
    session: Session
    """The session of the token, which shows if it is still valid."""
    role: str
    knows_fork: bool
    """True if the client can read notifications that only the fork has."""
    prefix: bytes
    """Beginning of each notification to this listener."""
    send: Callable[[bytes, bool], None]
    """Sends frames; quiet ones wait for the next write."""

    def tell(self, waiting: list[Waiting], *, quiet: bool = False) -> None:
        """Send the waiting notifications that the listener may read and did not cause itself."""
        if frames := frames_for(waiting, self.prefix, self.role, self.knows_fork):
            self.send(frames, quiet)


Waiting: TypeAlias = tuple[bytes, bytes, bool, bytes, Container[str] | None]
"""A waiting notification, the same for all listeners except for its prefix.

The parts are its id, the rest of its JSON, and True if only the fork can read it. Then comes the prefix of the listener
that caused it and does not receive it, or an empty text. The last part has the roles that receive it, None for all.
"""


def waiting_for(
    found: Iterable[Notice], cause: Listening | None = None, roles: Container[str] | None = None
) -> list[Waiting]:
    """Return notices as waiting notifications, each with its own id."""
    return [one_waiting(notice, cause, roles) for notice in found]


def one_waiting(found: Notice, cause: Listening | None, roles: Container[str] | None) -> Waiting:
    """Return one notice as a waiting notification."""
    known = b"" if cause is None else cause.prefix
    return b'"notification_id":"n%d",' % next(_numbers), found.tail, found.fork_only, known, roles


def prefix_of(token: str, game_id: bytes, role: bytes) -> bytes:
    """Return the beginning of each notification to a token; game and role are JSON strings."""
    return b'{"token":"%s","game_id":%s,"game_role":%s,' % (token.encode(), game_id, role)
