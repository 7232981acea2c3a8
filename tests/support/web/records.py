"""Short matches of both games, played once, for tests of pages."""

from __future__ import annotations

from functools import cache

from parlour.agents import make_agent
from parlour.core.events import Event
from parlour.core.game import Plain
from parlour.core.terms import PressMode, PressTerms, SealMode, SealTerms, Terms
from parlour.games import load_game
from parlour.referee.conduct import DIPLOMACY, STRICT
from parlour.referee.local import play
from parlour.referee.match import Match

BOTS = ("broker", "reciprocator", "stabber", "yesman", "peace", "broker", "peace")


def _played(game: str, config: dict[str, Plain], agents: tuple[str, ...], terms: Terms) -> list[Event]:
    rules = load_game(game)
    seats = rules.seats(config)
    players = {seat: make_agent(game, agents[i % len(agents)], i) for i, seat in enumerate(seats)}
    events: list[Event] = []
    names = {seat: agents[i % len(agents)] for i, seat in enumerate(seats)}
    play(Match(rules, config, terms, 0), players, names=names, keep=events.extend)
    return events


@cache
def _diplomacy() -> tuple[Event, ...]:
    return tuple(_played("diplomacy", {"last_year": 1902}, ("random",), Terms(conduct=DIPLOMACY)))


@cache
def _long() -> tuple[Event, ...]:
    return tuple(_played("diplomacy", {"last_year": 1940}, ("hold",), Terms(conduct=DIPLOMACY)))


@cache
def _press() -> tuple[Event, ...]:
    terms = Terms(conduct=DIPLOMACY, press=PressTerms(PressMode.WINDOW))
    return tuple(_played("diplomacy", {"last_year": 1903}, BOTS, terms))


SEALERS = ("liar", "turncoat", "bungler", "misreader", "absentee", "penitent", "honest")


@cache
def _sealed() -> tuple[Event, ...]:
    terms = Terms(conduct=DIPLOMACY, press=PressTerms(PressMode.WINDOW), seals=SealTerms(SealMode.REQUIRED))
    return tuple(_played("diplomacy", {"last_year": 1901}, SEALERS, terms))


@cache
def _fish() -> tuple[Event, ...]:
    return tuple(_played("fish", {"rows": 4, "cols": 4, "players": 2}, ("greedy",), Terms(conduct=STRICT)))


def diplomacy_record() -> list[Event]:
    """Return two years of Diplomacy among random players."""
    return list(_diplomacy())


def long_record() -> list[Event]:
    """Forty years in which nobody moves."""
    return list(_long())


def press_record() -> list[Event]:
    """Three years of negotiated Diplomacy, in which promises are broken."""
    return list(_press())


def sealed_record() -> list[Event]:
    """Return a year of negotiated Diplomacy in which each of the SEALERS seals its plans."""
    return list(_sealed())


def fish_record() -> list[Event]:
    """Return a short match of Fish."""
    return list(_fish())
