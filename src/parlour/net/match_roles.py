"""Roles of accounts in one match, and the rule that players do not moderate."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import msgspec

from parlour.core import intents as it
from parlour.core.game import Seat
from parlour.net.accounts.principals import Principal
from parlour.referee.state import MatchState


class MatchRole(StrEnum):
    """The role of an account in a match, besides having a seat."""

    MODERATOR = "moderator"
    OMNISCIENT = "omniscient"
    PLAYS = "plays"
    """Took a seat instead of moderating."""
    AGREES = "agrees"
    """Plays, and agrees that another player moderates."""
    SEEKS = "seeks replacement"
    """Plays until another player takes over the seat."""


SEES_ALL = (MatchRole.MODERATOR, MatchRole.OMNISCIENT)
PLAYING = (MatchRole.PLAYS, MatchRole.AGREES, MatchRole.SEEKS)
HARMLESS = (it.Start, it.Pause, it.Resume, it.Extend, it.ForceTurn, it.Cancel)
"""Intents of a moderator who plays, allowed while only house agents play against them or before the start."""


class Rights(msgspec.Struct, frozen=True):
    """Rights of a session in one match."""

    seats: tuple[Seat, ...] = ()
    moderator: bool = False
    omniscient: bool = False
    vacant: tuple[Seat, ...] = ()
    """Vacant seats for which the session may act, as a proxy."""
    manages: bool = False
    """True for a player with a moderator's role, before the start or while no other person plays."""


def vacant_seats(state: MatchState) -> tuple[Seat, ...]:
    """Return the seats without a player that are not removed."""
    return tuple(seat for seat, place in state.places.items() if not (place.present or place.removed))


def all_agree(roles: Mapping[Principal, str], others: set[Principal]) -> bool:
    """Return True if all these players agree that another player moderates; False if there are none."""
    return bool(others) and all(roles.get(who) == MatchRole.AGREES for who in others)
