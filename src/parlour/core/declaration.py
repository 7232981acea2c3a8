"""A game's declaration of itself, read by every verb, door and tournament.

No code outside a game's folder branches on the game's name: agents, options and pictures are read here. Objects such as
agents, which take long to import, are named as module:name and imported on demand (`fetch`), so that reading a
declaration imports nothing else. Verbs, doors and pages are never named here: a door declares which game it serves.
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

    It cannot be anything else, so that a stranger cannot name a file, a program, an address or an unbounded number.
    """

    low: float = 0.0
    high: float = 0.0
    words: tuple[str, ...] = ()
    switch: bool = False

    @property
    def expected(self) -> str:
        """Return the allowed values as a phrase for error messages."""
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
    """The game's name on the command line and in records."""
    title: str
    """The game's name for people."""
    game: str
    """The game's rules: a core.game.Game."""

    # Setting up a match
    options: tuple[GameOption, ...] = ()
    counted: str = ""
    """The configuration field that holds the number of seats; empty if there is none."""
    in_time: str = ""
    """A function that fills the open fields of a configuration with values that end a match in reasonable time."""
    conduct: str = "strict"
    """The conduct table for matches among programs."""
    lenient_conduct: str = "lenient"
    """The conduct table for matches with people."""
    trial: Mapping[str, Plain] = {}
    """The configuration of the short matches in which a player is checked."""
    talk_trial: str = ""
    """A function that changes a configuration into that of the short match in which a press bot is checked."""
    talk_trial_agents: tuple[str, ...] = ()
    """The opponents of a press bot in that trial."""
    seating: str = ""
    """A function that takes the list of players and returns the order in which they sit down, as indexes."""
    showpiece: Showpiece | None = None

    # Players
    agents: Mapping[str, str] = {}
    """The house agents, each as a recipe (agents.specs.Recipe)."""
    house: Mapping[str, Mapping[str, HouseOption]] = {}
    """The agents that strangers may seat on a server, each with the options that they may set."""
    scripted: dict[str, str] = {}
    """Agents that follow a script, for testing measurements of deception: they negotiate, and play badly."""
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
    """True if the game is proposed for a first bot."""
    adapter: str = ""
    """A function that returns a player for an object of a user's class; raises ConfigError if it cannot play."""
    starters: Mapping[str, str] = {}
    """Source files to start a bot from, as package:file: `bot`, and `press` for a bot that negotiates."""

    # Display
    news: str = ""
    """A function that takes the event lines of any game and a flag for reasons, and returns this game's event lines."""
    explains: bool = False
    """True if the game can explain why an order failed."""
    lessons: str = ""
    """Puzzles that teach the game, for a first visit."""
    pictures: str = ""
    """A core.pictures.Pictures."""
    help: Mapping[str, str] = {}
    """Help texts about this game for the verbs `play` and `tournament`."""

    # Uses outside of matches
    contest: str = ""
    """A core.contest.Contest for tournaments; a core.contest.PlainContest if empty."""
    exchange: str = ""
    """A core.exchange.Exchange, which adjudicates, lists and draws posted positions."""
    press_check: str = ""
    """The check of press before it is delivered; see core.game.Game."""
    promises: str = ""
    """A function from the events of a record to one row per promise and phase, with its class."""
    pacts: str = ""
    """A function from the events of a record to one row per pact: the agreement and its result."""
    exports: Mapping[str, str] = {}
    """By format, a function that takes a record's events, a folder, a name and the record's store (None for a file)
    and writes the match into the folder."""
    environments: Mapping[str, str] = {}
    """Classes of learning environments, by name."""

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
