"""Hosts one match for a verb: players from the command line, the record on disk, the display in step with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import click

from parlour.cli.display.notes import notes_of
from parlour.cli.display.show import Display
from parlour.cli.options.kinds import FILE, flag, option, whole
from parlour.cli.options.trusting import TRUST
from parlour.cli.terminal.calling import program
from parlour.cli.terminal.stopping import stoppable
from parlour.core.events import Event
from parlour.core.game import Game, Seat
from parlour.core.player import Player
from parlour.core.viewers import MODERATOR, OMNISCIENT, Viewer, seated_on
from parlour.errors import ConfigError
from parlour.games import games
from parlour.matches.playing import MatchListeners, play_match, resume_match
from parlour.matches.spec import MatchSpec, encoded
from parlour.referee.match import Match
from parlour.referee.record import RecordWriter, is_record
from parlour.referee.spectators import Watcher

record_option = option(
    "--record", "File to write the record to; an earlier one becomes FILE~.  [default: GAME.jsonl]", FILE
)
seed_option = option("--seed", "Seed of all random numbers in the match.", whole(0, 2**63 - 1), 0)
json_option = flag("--json as_json", "Print one JSON object per event, and nothing else.")


def host(
    spec: MatchSpec,
    record: Path,
    display: Display,
    players: Mapping[Seat, Player] | None = None,
    *,
    rules: Game | None = None,
    guard: Callable[[], None] | None = None,
    whole: bool = False,
    past: Sequence[Event] | None = None,
) -> Match:
    """Play the match to its end; each event is in the record before it is shown or sent.

    With its past, the match resumes, and its new events are added to the record. If people play in front of the
    display, it shows only what they may see. A guard is called after each event; its error ends the match.
    """
    if past is None:
        spare(record)
    people = spec.people
    shown: dict[Viewer, Watcher] = {seated_on(*people) if people else MODERATOR: display.on_event}
    if guard is not None:
        shown[OMNISCIENT] = lambda told: guard()
    try:
        with RecordWriter(record, spec=encoded(spec)) as writer, display, stoppable():
            listeners = MatchListeners(writer.write, shown, partial(notes_of, private=bool(people), whole=whole))
            if past is None:
                match, _ = play_match(spec, players, listeners, rules=rules)
            else:
                match, _ = resume_match(spec, past, listeners, lambda text: click.echo(f"note: {text}", err=True))
            return match
    except KeyboardInterrupt:
        click.echo(f"stopped; what was played is in {record}{how_to_resume(spec, record)}", err=True)
        raise


def how_to_resume(spec: MatchSpec, record: Path) -> str:
    """Return the command that resumes an interrupted match, as the end of a sentence; empty if there is none."""
    trust = f" {TRUST}" if spec.untrusted else ""
    return f"; continue with: {program()} play --resume {record}{trust}" if spec.game in games() else ""


def spare(record: Path) -> None:
    """Rename an earlier record to its name with a ~ at the end; raise ConfigError if the file is not a record."""
    if not record.exists():
        return
    if not is_record(record):
        raise ConfigError(f"{str(record)!r} exists and is not a record: choose another name", field="record")
    record.replace(record.with_name(f"{record.name}~"))
