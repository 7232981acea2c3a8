"""What a game says of itself to all outside its folder: one declaration, read by verbs, doors and tournaments.

Nobody asks for a game by its name: whoever wants its agents, options, pictures or harnesses reads them here. What lives
in a higher layer, or takes long to import, is named as module:name and fetched when it is wanted (`fetch`), so reading
a declaration costs nothing.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import msgspec

from parlour.core.game import Plain


class GameOption(msgspec.Struct, frozen=True, kw_only=True):
    """Something of a match's configuration that may be set by an option of a verb or in a form."""

    name: str
    """The field of the configuration; last_year is --last-year on the command line."""
    label: str
    """What a form calls it."""
    help: str = ""
    """What --help says of it; verbs do not offer it if there is nothing to say."""
    default: int | str | None = None
    """What a form begins with; forms do not offer it if there is nothing to begin with."""
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()
    """What there is to choose from; otherwise it is a whole number from low to high."""


class Showpiece(msgspec.Struct, frozen=True, kw_only=True):
    """A match between agents of the house that is worth a look: the demo, and what an idle server shows."""

    config: Mapping[str, Plain]
    agents: tuple[str, ...]
    """One for each seat."""
    next: tuple[str, ...] = ()
    """What to type afterwards, without the name of the program."""


class GameDeclaration(msgspec.Struct, frozen=True, kw_only=True):
    """All that is said of a game outside its folder."""

    name: str
    """The word for it on the command line and in records."""
    title: str
    """What people call it."""
    game: str
    """Its rules: a core.game.Game."""

    # How a match is set up
    options: tuple[GameOption, ...] = ()
    counted: str = ""
    """The field of the configuration that says how many seats there are, if one does."""
    in_time: str = ""
    """Given a configuration, gives one with what is left open filled in, so that a match ends in good time."""
    conduct: str = "strict"
    """What fouls cost among programs."""
    lenient_conduct: str = "lenient"
    """What they cost where people play."""
    trial: Mapping[str, Plain] = {}
    """The configuration of the short matches in which a player is checked."""
    talk_trial: str = ""
    """Given a configuration, gives that of a short match in which a press bot is checked."""
    talk_trial_agents: tuple[str, ...] = ()
    """Whom a press bot meets there."""
    seating: str = ""
    """Given players in the order in which they were named, gives the order in which they sit down, as indexes."""
    showpiece: Showpiece | None = None

    # Who plays
    agents: Mapping[str, str] = {}
    """The agents of the house, each as a recipe (agents.specs.Recipe)."""
    talkers: tuple[str, ...] = ()
    """Those of them that negotiate."""
    model: str = ""
    """How a language model plays it, as a recipe; nothing if none can."""
    rival: str = "random"
    """Whom to play against if nobody else is named."""
    talking_rival: str = ""
    """The same where they negotiate."""
    for_beginners: bool = False
    """Whether it is the game to write a first bot for."""
    adapter: str = ""
    """Given an object of a user's own class, gives a player, or ConfigError if it is none."""
    starters: Mapping[str, str] = {}
    """Texts to start a bot from, as package:file: `bot`, and `press` for one that negotiates."""

    # What is seen of it
    news: str = ""
    """Given what is said of events of any game, and whether reasons are wanted, gives what is said of this game's."""
    explains: bool = False
    """Whether it can say why what was ordered failed."""
    pictures: str = ""
    """A core.pictures.Pictures."""
    help: Mapping[str, str] = {}
    """By verb, `play` or `tournament`, what its help says of this game; and of its `harnesses`, in a few words."""

    # What is done with it elsewhere
    contest: str = ""
    """A core.contest.Contest: what tournaments need; without one they have a core.contest.PlainContest."""
    exchange: str = ""
    """A core.exchange.Exchange: posted positions, and matches in the form that others read."""
    doors: Mapping[str, str] = {}
    """Protocols by which programs elsewhere may take seats of a match that is played here and now: what hosts it."""
    press_check: str = ""
    """What looks at press before it is delivered; see core.game.Game."""
    pacts: str = ""
    """Given the events of a record, gives what was agreed in it and what became of that, a row for each pact."""
    exports: Mapping[str, str] = {}
    """By the name of a form: given the events of a record, a folder and a name, writes the match there."""
    saving: str = ""
    """Given a session at a door, a match and who looks, gives it as others save matches, or None before it starts."""
    environments: Mapping[str, str] = {}
    """Classes for learners, by their names."""
    harnesses: str = ""
    """A click command that answers tests of others: the verb of the game's name."""

    @property
    def talks(self) -> bool:
        """Whether there is a language to negotiate in."""
        return bool(self.press_check)


def fetch(path: str) -> Any:
    """What is named as module:name."""
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)


def declaration_of(game: object) -> GameDeclaration | None:
    """What a game says of itself; None if it says nothing, as a game that exists in a test only."""
    found = getattr(game, "declaration", None)
    return found if isinstance(found, GameDeclaration) else None
