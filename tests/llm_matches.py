"""Matches in which models play, and the cassettes that ship with the tests.

`python tests/llm_matches.py` records the cassettes anew, from an endpoint that answers by a script; do that when a
prompt has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from llm_models import FakeEndpoint, plain_angler, plain_player
from parlour.agents import make_agent
from parlour.agents.llm.angler import Angler
from parlour.agents.llm.diplomat import Diplomat
from parlour.agents.llm.spec import read_spec
from parlour.core.events import Event
from parlour.core.player import Player
from parlour.core.terms import Clock, PressMode, PressTerms, Terms
from parlour.games import load_game
from parlour.referee.conduct import preset
from parlour.referee.local import play
from parlour.referee.match import Match
from parlour.referee.record import RecordWriter, read_record

CASSETTES = Path(__file__).with_name("cassettes")
TALK = PressTerms(PressMode.WINDOW)
SILENT = PressTerms(PressMode.NONE)


def fish_match(
    make: Callable[[int], Player],
    clock: Clock = Clock(),  # noqa: B008
    *,
    conduct: str = "strict",
    rows: int = 4,
    cols: int = 4,
) -> Match:
    """Two players on a small board."""
    config = {"players": 2, "rows": rows, "cols": cols}
    match = Match(load_game("fish"), config, Terms(preset(conduct), clock), 1)
    play(match, {seat: make(number) for number, seat in enumerate(match.game.seats(config))})
    return match


def diplomacy_match(
    players: Mapping[str, Player] | Callable[[int], Player],
    *,
    press: PressTerms = TALK,
    clock: Clock = Clock(),  # noqa: B008
    last_year: int = 1901,
    others: str = "peace",
    conduct: str = "diplomacy",
) -> Match:
    """Some players, or one for each seat; the other seats are agents'."""
    config = {"last_year": last_year}
    match = Match(load_game("diplomacy"), config, Terms(preset(conduct), clock, press), 1)
    seats = match.game.seats(config)
    if callable(players):
        table = {seat: players(number) for number, seat in enumerate(seats)}
    else:
        table = {seat: players.get(seat) or make_agent("diplomacy", others, i) for i, seat in enumerate(seats)}
    play(match, table)
    return match


def record_of(name: str) -> list[Event]:
    """A record that ships beside its cassette."""
    return read_record(CASSETTES / f"{name}.record.jsonl")


def record_all() -> None:
    """Record the cassettes, and then the matches that are played from them."""
    CASSETTES.mkdir(exist_ok=True)
    for old in CASSETTES.glob("*.jsonl*"):
        old.unlink()
    with FakeEndpoint(plain_angler) as fake:
        _fish(fake.url, "record")
    with FakeEndpoint(plain_player) as fake:
        _diplomacy(fake.url, "record")
    played = {"fish": _fish("example.com/v1", "replay"), "diplomacy": _diplomacy("example.com/v1", "replay")}
    for name, match in played.items():
        with RecordWriter(CASSETTES / f"{name}.record.jsonl") as writer:
            writer.write(match.record)


def _fish(url: str, tape: str) -> Match:
    spec = read_spec(f"fish-model@{url}?cassette={CASSETTES / 'fish.jsonl'}&tape={tape}")
    return fish_match(lambda number: Angler(spec, number))


def _diplomacy(url: str, tape: str) -> Match:
    spec = read_spec(f"envoy@{url}?rounds=2&cassette={CASSETTES / 'diplomacy.jsonl'}&tape={tape}")
    return diplomacy_match({"FRANCE": Diplomat(spec, 2), "GERMANY": Diplomat(spec, 3)}, others="hold")


if __name__ == "__main__":
    record_all()
