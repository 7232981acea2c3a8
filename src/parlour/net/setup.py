"""Setup of a new match, and the limits of a server."""

from __future__ import annotations

import os
import re

import msgspec

from parlour.core.game import Plain, Seat, Seed
from parlour.core.intents import Intent
from parlour.core.terms import Terms
from parlour.net.permission_errors import bad_value
from parlour.net.settings import USUAL
from parlour.store import RecordHead

CONTROL = frozenset(map(chr, (*range(32), *range(127, 160), 0x2028, 0x2029)))
"""Characters that a title may not have: stores may drop them, terminals obey them, and mail headers break."""
_MATCH_ID = re.compile(r"\w[\w .:@+',!()#&=~-]{0,79}")
MAX_EXTRAS = 16 << 10
"""Maximum bytes of a door's own values for a match, because every list includes them."""
SHORTEST = 0.01
"""Minimum seconds of a turn or a press window: shorter ones could follow one another within a tick of the clock."""
LONGEST_DELAY = 86_400.0
"""Maximum seconds by which spectators see events later than the players."""
_MOST_BYTES = 240
"""Maximum bytes of a match id, because exporters use it as a file name."""


def is_match_id(name: str) -> bool:
    """Return True if a text may be the id of a match.

    It has letters and digits of any language, and signs that do no harm in paths.
    """
    return _MATCH_ID.fullmatch(name) is not None and len(name.encode()) <= _MOST_BYTES


class Admission(msgspec.Struct, frozen=True, omit_defaults=True):
    """Rules on taking seats and watching, besides the password. Moderators may do both."""

    seats_each: int | None = None
    """Number of seats that one account may have; None for any number."""
    at_once: bool = False
    """True if an account that asks for several seats at once receives them all."""
    seats: int | None = None
    """Number of seats that may be taken, if fewer than there are; None for all."""
    by_lot: bool = False
    """True if each player gets a random free seat."""
    watched: bool = True
    """True if callers without a seat may watch."""
    guarded: bool = False
    """True if watchers need the password, too."""
    anonymous: bool = False
    """True if players' names are hidden until the match is over; the record does not hold them."""
    playing_moderator: bool = False
    """True if a moderator may play in the match. Otherwise all other players must agree first."""


class MatchSetup(msgspec.Struct, frozen=True, kw_only=True):
    """The setup of a match that is to be hosted."""

    game: str
    terms: Terms
    config: dict[str, Plain] = {}
    seed: Seed | None = None
    """Seed of the match; None for a random one."""
    match: str = ""
    """Id of the match; empty for a new one."""
    title: str = ""
    password: str = ""
    """The digest of the password that is needed to take a seat; empty if none is. Sessions compute it."""
    delay: float = 0.0
    """Seconds by which spectators see events later than the players."""
    listed: bool = True
    """True if the match appears in everybody's lists."""
    agents: dict[Seat, str] = {}
    """Seats that house agents take at once, with their options: {"FRANCE": "dumbbot"}."""
    stand_in: str = ""
    """House agent that plays for players who leave; empty for none."""
    admission: Admission = Admission()
    paced: bool = False
    """True if house agents leave wait flags up, so that every turn lasts its whole time and people can follow."""
    unveiled: bool = False
    """True if watchers see everything, also private press and pending orders, while only house agents play."""
    extras: dict[str, Plain] = {}
    """Values that a door stores with the match: rules by their protocol names, the name of a map."""
    intents: tuple[Intent, ...] = ()
    """Intents of the owner that are stored with the opening."""

    def check(self) -> None:
        """Raise Denied if a value of the setup is not allowed in any match."""
        if self.match and not is_match_id(self.match):
            raise bad_value("match: expected 1 to 80 letters, digits, spaces, signs of . _ : @ + - ' , ! ( ) # & = ~")
        if len(self.title) > 200:
            raise bad_value("title: expected at most 200 characters")
        if not CONTROL.isdisjoint(self.title):
            raise bad_value("title: expected no control characters")
        if not 0 <= self.delay <= LONGEST_DELAY:
            raise bad_value(f"delay: expected 0 to {LONGEST_DELAY:,.0f} seconds")
        if (size := len(msgspec.json.encode((self.extras, self.stand_in)))) > MAX_EXTRAS:
            raise bad_value(f"extras: expected at most {MAX_EXTRAS:,} bytes, got {size:,}")


class About(msgspec.Struct, frozen=True, omit_defaults=True):
    """Fields in the head of a hosted match besides those of the store."""

    delay: float = 0.0
    listed: bool = True
    extras: dict[str, Plain] = {}
    admission: Admission = Admission()
    stand_in: str = ""
    paced: bool = False
    unveiled: bool = False
    brief: str = ""
    """The terms in a few words."""
    seats: int = 0
    """Number of seats, taken or not; 0 in matches of earlier versions."""


def check_terms(terms: Terms, limits: HallLimits) -> None:
    """Raise Denied if the terms of a match allow more than this server does."""
    press = terms.press
    bounds = {
        "press.max_length": (press.max_length, limits.message_length),
        "press.max_per_turn": (press.max_per_turn, limits.messages_per_turn),
    }
    for field, (wanted, most) in bounds.items():
        if wanted > most:
            raise bad_value(f"{field}: expected at most {most:,} on this server, got {wanted:,}")
    clock = terms.clock
    times = {"clock.per_turn": clock.per_turn, "clock.first_turn": clock.first_turn, "press.window": press.window}
    times |= {f"clock.per_stage.{stage}": time for stage, time in clock.per_stage.items()}
    for field, time in times.items():
        if time is not None and 0 < time < SHORTEST:  # Terms.check refuses all other invalid times
            raise bad_value(f"{field}: expected at least {SHORTEST:g} seconds on this server, got {time:g}")


def about_of(head: RecordHead) -> About:
    """Return the fields in the head of a match besides those of the store."""
    return msgspec.json.decode(head.about, type=About) if head.about else About()


THINKING = max(2, min(8, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1) - 1)


class HallLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of a hall."""

    matches: int = USUAL.matches
    """Maximum number of unfinished matches."""
    matches_of_one: int = USUAL.matches_per_account
    """Maximum number of unfinished matches per account that opened them."""
    match_bytes: int = USUAL.bytes_per_match
    """Maximum stored bytes per match; each of its seats has an equal share."""
    account_bytes: int = USUAL.bytes_per_account
    """Maximum stored bytes per account and day."""
    message_length: int = USUAL.message_length
    """Maximum characters of a message that terms may allow."""
    messages_per_turn: int = USUAL.messages_per_turn
    """Maximum messages per seat and turn that terms may allow."""
    awake: int = 5_000
    """Number of matches in memory; beyond it the least recently used is put to sleep at once."""
    watchers: int = 10_000
    """Maximum number of watchers per match."""
    thinking: int = THINKING
    """Number of house agents that may think at the same time: two, or more on machines with many processors."""
    thinking_of_one: int = (THINKING + 1) // 2
    """Maximum number of house agents that think at the same time in matches of one account."""
    idle: float = 60.0
    """Seconds after which a match that nobody uses is put to sleep."""
    snapshot_every: int = 100
    """Number of events after which a snapshot is stored, so that at most these are read when the match wakes."""
