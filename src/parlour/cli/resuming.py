"""Goes on with a match that was stopped: its record says what was played, by whom, and under which terms."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import click

from parlour.agents.loading import make_player
from parlour.cli.calling import program
from parlour.cli.hosting import host, notes_of
from parlour.cli.show import display
from parlour.core import events as ev
from parlour.core.game import Seat
from parlour.errors import ConfigError
from parlour.referee.clocks import RealClock
from parlour.referee.match import Match
from parlour.referee.record import RecordReader


def go_on(path: Path, *, as_json: bool, quiet: bool) -> None:
    """Play the match of a record to its end; what is played is added to it."""
    reader = RecordReader(path)
    events = list(reader)
    match = Match.resume(events)
    if any(isinstance(event, ev.Ended) for event in events):
        raise ConfigError(f"resume: this match is over: {program()} replay {path}", field="resume")
    names = _names(events)
    notes = {seat: notes_of(name, private="human" in names.values()) for seat, name in names.items()}
    players = {
        seat: make_player(match.game.name, name, match.state.opened.seed * 1000 + number, notes[seat])
        for number, (seat, name) in enumerate(names.items())
    }
    people = [seat for seat, name in names.items() if name == "human"]
    shown = display(match.game, as_json=as_json, quiet=quiet, person=bool(people), names=names)
    if reader.dropped:  # what a crash left of a line that was never whole
        os.truncate(path, path.stat().st_size - len(reader.dropped))
    clock = RealClock() if match.terms.clock.per_turn is not None else None
    host(match, players, names, path, shown, people, clock=clock, append=True)
    if not as_json:
        click.echo(f"went on in {path}; look at it again with: {program()} replay {path}")


def _names(events: Sequence[ev.Event]) -> dict[Seat, str]:
    """Who sits where at the end of a record, by the names that were typed when it began."""
    names: dict[Seat, str] = {}
    for event in events:
        if isinstance(event, ev.Joined):
            names[event.seat] = event.name
        elif isinstance(event, ev.Removed | ev.Left):
            names.pop(event.seat, None)
    return names
