"""A game's declaration of itself, read by every verb, door and tournament.

No code outside a game's folder branches on the game's name: agents, options, pictures and harnesses are read here.
Objects that live in a higher layer, or take long to import, are named as module:name and imported on demand (`fetch`),
so that reading a declaration costs nothing.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import msgspec

from parlour.core.game import Plain


class GameOption(msgspec.Struct, frozen=True, kw_only=True):
    """A value of a match's configuration that an option of a verb or a form can set."""

    name: str
    """The field of the configuration; last_year is --last-year on the command line."""
    label: str
    """The option's label in a form."""
    help: str = ""
    """The text of --help; if it is empty, verbs do not offer the option."""
    default: int | str | None = None
    """The first value in a form; if it is None, forms do not offer the option."""
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()
    """The values to choose from; if empty, the value is a whole number from low to high."""
    more: str = ""
    """The function that returns further values to choose from, such as those that the operator added."""

    @property
    def values(self) -> tuple[str, ...]:
        """Return all values to choose from."""
        return (*self.choices, *fetch(self.more)()) if self.more else self.choices


class HouseOption(msgspec.Struct, frozen=True, kw_only=True):
    """An option of an agent that strangers may set: a number within bounds, one of some words, or a switch.

    It can be nothing else, so that no stranger names a file, a program, an address or a number without end.
    """

    low: float = 0.0
    high: float = 0.0
    words: tuple[str, ...] = ()
    switch: bool = False

    @property
    def expected(self) -> str:
        """Return a sentence about the allowed values."""
        if self.switch:
            return "on or off"
        return " or ".join(self.words) if self.words else f"a number from {self.low:g} to {self.high:g}"


def up_to(high: float, low: float = 0.0) -> HouseOption:
    """Return an option that is a number within bounds."""
    return HouseOption(low=low, high=high)


SWITCHED = HouseOption(switch=True)
"""An option that is on or off."""


class Showpiece(msgspec.Struct, frozen=True, kw_only=True):
    """A match between house agents that is worth a look: for the demo, and for idle servers."""

    config: Mapping[str, Plain]
    agents: tuple[str, ...]
    """The agent of each seat."""
    next: tuple[str, ...] = ()
    """Commands to try afterwards, without the program's name."""


class GameDeclaration(msgspec.Struct, frozen=True, kw_only=True):
    """Everything about a game that code outside its folder reads."""

    name: str
    """The word for it on the command line and in records."""
    title: str
    """The game's name for people."""
    game: str
    """The game's rules: a core.game.Game."""

    # Setting up a match
    options: tuple[GameOption, ...] = ()
    counted: str = ""
    """The field of the configuration that says how many seats there are, if one does."""
    in_time: str = ""
    """Given a configuration, gives one with what is left open filled in, so that a match ends in good time."""
    conduct: str = "strict"
    """The conduct table for matches among programs."""
    lenient_conduct: str = "lenient"
    """The conduct table for matches with people."""
    trial: Mapping[str, Plain] = {}
    """The configuration of the short matches in which a player is checked."""
    talk_trial: str = ""
    """Given a configuration, gives that of a short match in which a press bot is checked."""
    talk_trial_agents: tuple[str, ...] = ()
    """The opponents of a press bot in that trial."""
    seating: str = ""
    """Given players in the order in which they were named, gives the order in which they sit down, as indexes."""
    showpiece: Showpiece | None = None

    # Players
    agents: Mapping[str, str] = {}
    """The house agents, each as a recipe (agents.specs.Recipe)."""
    house: Mapping[str, Mapping[str, HouseOption]] = {}
    """The agents that strangers may seat on a server, each with the options that they may set."""
    scripted: dict[str, str] = {}
    """Agents that follow a script, for tests of measurements: they talk, and play badly."""
    talkers: tuple[str, ...] = ()
    """The agents that negotiate."""
    tempers: Mapping[str, str] = {}
    """Strength and temper of house agents in a few words, for people who choose one."""
    model: str = ""
    """The recipe of the player that asks a language model; empty if there is none."""
    rival: str = "random"
    """The opponent if none is named."""
    talking_rival: str = ""
    """The default opponent in a match with press."""
    for_beginners: bool = False
    """True if a first bot is best written for this game."""
    adapter: str = ""
    """Given an object of a user's own class, gives a player, or ConfigError if it is none."""
    starters: Mapping[str, str] = {}
    """Texts to start a bot from, as package:file: `bot`, and `press` for one that negotiates."""

    # Display
    news: str = ""
    """Given what is said of events of any game, and whether reasons are wanted, gives what is said of this game's."""
    explains: bool = False
    """True if the game can explain why an order failed."""
    lessons: str = ""
    """Puzzles that teach the game, for a first visit."""
    pictures: str = ""
    """A core.pictures.Pictures."""
    help: Mapping[str, str] = {}
    """By verb, `play` or `tournament`, what its help says of this game; and of its `harnesses`, in a few words."""

    # Uses outside of matches
    contest: str = ""
    """A core.contest.Contest: what tournaments need; without one they have a core.contest.PlainContest."""
    exchange: str = ""
    """A core.exchange.Exchange: posted positions, and matches in the form that others read."""
    doors: Mapping[str, str] = {}
    """Protocols by which programs elsewhere may take seats of a match that is played here and now: what hosts it."""
    press_check: str = ""
    """The check of press before it is delivered; see core.game.Game."""
    promises: str = ""
    """A function from the events of a record to one row per promise and phase, with its class."""
    pacts: str = ""
    """A function from the events of a record to one row per pact: the agreement and its result."""
    exports: Mapping[str, str] = {}
    """By the name of a form: given the events of a record, a folder, a name and the record's store (None of a file),
    writes the match there."""
    saving: str = ""
    """Given a session at a door, a match and who looks, gives it as others save matches, or None before it starts."""
    environments: Mapping[str, str] = {}
    """Classes for learners, by their names."""
    harnesses: str = ""
    """A click command that answers tests of others: the verb of the game's name."""

    @property
    def talks(self) -> bool:
        """True if the game has a language to negotiate in."""
        return bool(self.press_check)


def fetch(path: str) -> Any:
    """Return the object that is named as module:name."""
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)


def declaration_of(game: object) -> GameDeclaration | None:
    """Return a game's declaration; None if it has none, like a game that exists only in a test."""
    found = getattr(game, "declaration", None)
    return found if isinstance(found, GameDeclaration) else None
