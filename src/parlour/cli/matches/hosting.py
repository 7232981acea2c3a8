"""Hosts one match for a verb: players from the command line, the record on disk, the display in step with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import click

from parlour.agents.watched import Crash, Mishap, Note, Undelivered
from parlour.cli.display.show import MAX_LINE, Display
from parlour.cli.terminal.calling import program
from parlour.cli.terminal.stopping import stoppable
from parlour.core.events import Event
from parlour.core.game import Game, Seat
from parlour.core.player import Player
from parlour.core.text import printable
from parlour.core.viewers import MODERATOR, OMNISCIENT, Viewer, seated_on
from parlour.errors import ConfigError
from parlour.games import games
from parlour.matches.playing import MatchListeners, play_match, resume_match
from parlour.matches.spec import MatchSpec, encoded
from parlour.referee.match import Match
from parlour.referee.record import RecordWriter, is_record
from parlour.referee.spectators import Watcher

record_option = click.option(
    "--record",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File to write the record to; an earlier one becomes FILE~.  [default: GAME.jsonl]",
)
seed_option = click.option(
    "--seed",
    type=click.IntRange(0, 2**63 - 1),
    default=0,
    show_default=True,
    help="Seed of all random numbers in the match.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object per event instead.")
traceback_option = click.option(
    "--traceback", "whole", is_flag=True, help="Show the full traceback when your own class crashes."
)
MAX_NOTES = 20
"""Maximum number of a bot's crashes and refusals that are reported to its author."""


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

    With its past it is resumed, and the record is added to. If people play in front of the display, it shows only what
    they may see. A guard is called after each event; if it raises, the match ends there.
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
        again = f"; go on with: {program()} play --resume {record}" if spec.game in games() else ""
        click.echo(f"stopped; what was played is in {record}{again}", err=True)
        raise


def notes_of(bot: str, *, private: bool = False, whole: bool = False) -> Note:
    """Report errors of a bot to its author on stderr: each once, and a limited number of them.

    If people play in front of the same screen, what the bot wanted to say is private. A whole note of a crash has every
    line of its traceback.
    """
    told: set[Mishap] = set()

    def note(mishap: Mishap) -> None:
        if mishap in told or len(told) > MAX_NOTES or (private and isinstance(mishap, Undelivered)):
            return
        told.add(mishap)
        seat = "" if mishap.seat is None else f" as {mishap.seat}"
        line = str(mishap) if len(told) <= MAX_NOTES else "there is more of this, which is not shown"
        click.echo(printable(f"{bot}{seat}: {line}", MAX_LINE), err=True)
        for trace in mishap.trace.splitlines() if whole and isinstance(mishap, Crash) else ():
            click.echo(printable(f"  {trace}", MAX_LINE), err=True)

    return note


def spare(record: Path) -> None:
    """Make room for a new record: an earlier one is kept with a ~ after its name, any other file is not touched."""
    if not record.exists():
        return
    if not is_record(record):
        raise ConfigError(f"{str(record)!r} exists and is no record: choose another name", field="record")
    record.replace(record.with_name(f"{record.name}~"))
