"""What a new match on a server is to be, and the limits that a server sets to what it hosts."""

from __future__ import annotations

import re

import msgspec

from parlour.core.game import Plain, Seat, Seed
from parlour.core.terms import Terms
from parlour.net.denials import bad_value
from parlour.net.settings import USUAL
from parlour.store import RecordHead

CONTROL = frozenset(map(chr, (*range(32), 127)))
"""Characters that no title has: a store keeps not all of them, and terminals obey some."""
_MATCH_ID = re.compile(r"\w[\w .:@+',!()#&=~-]{0,79}")
_MOST_BYTES = 240
"""Of a name: some of those who export matches make it one of a file."""


def is_match_id(name: str) -> bool:
    """Whether a match may be called that: letters and digits of any language, and signs that do no harm in paths."""
    return _MATCH_ID.fullmatch(name) is not None and len(name.encode()) <= _MOST_BYTES


class Admission(msgspec.Struct, frozen=True, omit_defaults=True):
    """Who may sit down and who may watch, besides what a password decides. Moderators may do both."""

    seats_each: int | None = None
    """How many seats one account may have; None: as many as it likes."""
    at_once: bool = False
    """Whether who asks for several at once, and so says openly that they are one's own, gets them all the same."""
    seats: int | None = None
    """How many seats may be taken, though there are more; None: all."""
    by_lot: bool = False
    """Whether chance decides which of the free seats somebody gets."""
    watched: bool = True
    """Whether those who have no seat may watch."""


class MatchSetup(msgspec.Struct, frozen=True, kw_only=True):
    """A match that somebody wants to be hosted."""

    game: str
    terms: Terms
    config: dict[str, Plain] = {}
    seed: Seed | None = None
    """None: by chance."""
    match: str = ""
    """What it is to be called; empty: a name that nobody has."""
    title: str = ""
    password: str = ""
    """The digest of what one must say to take a seat; empty if nothing. Sessions make it from the password."""
    delay: float = 0.0
    """Seconds by which spectators hear of everything later than the players."""
    listed: bool = True
    """Whether it is in lists for those who have nothing to do with it."""
    agents: dict[Seat, str] = {}
    """Seats that agents of the house take at once, with their options: {"FRANCE": "dumbbot"}."""
    stand_in: str = ""
    """The agent of the house that plays for whoever leaves; empty: nobody does."""
    admission: Admission = Admission()
    paced: bool = False
    """Agents of the house leave wait flags up, so that every turn lasts its whole time and people can follow."""
    unveiled: bool = False
    """Whoever watches sees all, even press among some and orders in advance, while the house alone plays."""
    extras: dict[str, Plain] = {}
    """What a door wants to know of it again: rules by their names in some protocol, a map's name."""

    def check(self) -> None:
        """Denied if something here can be for no match."""
        if self.match and not is_match_id(self.match):
            raise bad_value("match: expected 1 to 80 letters, digits, spaces, signs of . _ : @ + - ' , ! ( ) # & = ~")
        if len(self.title) > 200:
            raise bad_value("title: expected at most 200 characters")
        if not CONTROL.isdisjoint(self.title):
            raise bad_value("title: expected no control characters")
        if not 0 <= self.delay <= 86_400:
            raise bad_value("delay: expected 0 to 86,400 seconds")


class About(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the head of a hosted match says of it besides its own fields."""

    delay: float = 0.0
    listed: bool = True
    extras: dict[str, Plain] = {}
    admission: Admission = Admission()
    stand_in: str = ""
    paced: bool = False
    unveiled: bool = False


def about_of(head: RecordHead) -> About:
    """What the head of a match says of it besides its own fields."""
    return msgspec.json.decode(head.about, type=About) if head.about else About()


class HallLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How much a hall takes on."""

    matches: int = USUAL.matches
    """Matches that are not over."""
    matches_of_one: int = USUAL.matches_per_account
    """Of these, matches that one account opened."""
    awake: int = 5_000
    """Matches in memory; beyond that those that nobody has used for longest are put to sleep at once."""
    watchers: int = 10_000
    """Who watch one match."""
    thinking: int = 2
    """Agents of the house that think at the same time."""
    idle: float = 60.0
    """Seconds after which a match that nobody uses is put to sleep."""
    models: bool = False
    """Whether language models may be seated as agents of the house: they call out, and cost what is the host's."""
    snapshot_every: int = 100
    """Events after which a match is kept as it stands, so that waking it takes no longer than these."""
