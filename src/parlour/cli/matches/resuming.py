"""Resumes a stopped match: its record contains the setup, the players, the limits and the seed."""

from __future__ import annotations

import os
from pathlib import Path

import click

from parlour.cli.display.show import display
from parlour.cli.matches.browsing import browse
from parlour.cli.matches.hosting import host
from parlour.cli.options.confining import check_passed, tell_of_programs
from parlour.cli.options.models import guard_of_spec
from parlour.cli.options.trusting import check_trusted
from parlour.cli.terminal.calling import program
from parlour.core import events as ev
from parlour.errors import ConfigError
from parlour.games import load_game
from parlour.matches.spec import decoded, hiding, spec_of_record
from parlour.net.daide.declaration import DAIDE
from parlour.referee.record import RecordReader


def resume(path: Path, *, trusts_record: bool, as_json: bool, quiet: bool) -> None:
    """Play the match of a record to its end; new events are added to the record.

    Raise ConfigError if the record names programs, classes or models and is not trusted: anybody may have written it.
    """
    reader = RecordReader(path)
    past = list(reader)
    if any(isinstance(event, ev.Ended) for event in past):
        raise ConfigError(f"resume: this match is over: {program()} replay {path}", field="resume")
    if reader.spec:
        spec = decoded(reader.spec)
    else:
        spec = spec_of_record(past)
        click.echo("note: the record says only under which names players joined: programs are confined", err=True)
    if bots := [seat for seat, player in spec.players.items() if player.agent == DAIDE.name]:
        raise ConfigError(
            f"resume: a bot of DAIDE played {', '.join(bots)}, and cannot be had again: {program()} replay {path}",
            field="resume",
        )
    check_trusted(spec.untrusted, trusts_record=trusts_record)
    spec = hiding(spec, [path])
    for player in spec.players.values():
        check_passed(player.limits.passed)
        tell_of_programs(spec.game, [player.agent], player.limits)
    if reader.dropped:  # the rest of a line that a crash cut off
        os.truncate(path, path.stat().st_size - len(reader.dropped))
    if spec.browser:
        if as_json or quiet:
            raise ConfigError("resume: it continues in the browser: leave out --json and --quiet", field="resume")
        browse(spec, path, past=past)
        return
    shown = display(load_game(spec.game), as_json=as_json, quiet=quiet, person=bool(spec.people), names=spec.names)
    host(spec, path, shown, past=past, guard=guard_of_spec(spec))
    if not as_json:
        click.echo(f"went on in {path}; look at it again with: {program()} replay {path}")
