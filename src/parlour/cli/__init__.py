"""The command line: one thin file per verb, imported only when its verb is used."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Sequence

import click

from parlour import __version__
from parlour.agents.aside import prints_aside
from parlour.cli.terminal.family import Lazy
from parlour.errors import CassetteMiss, ParlourError, PortTaken, RecordError, StoreError, Unreachable

VERBS = {
    "serve": "hosts matches and tournaments for browsers, programs and bots",
    "join": "plays with an agent in a tournament or a match on a server",
    "mcp": "lets assistants take seats, as tools of the Model Context Protocol",
    "match": "opens matches of Diplomacy on a server and moderates them",
    "tournament": "lets agents play a tournament here and now",
    "eval": "compares language models or prompts against a panel of agents",
    "watch": "shows a tournament on a server as it is played",
    "query": "answers SQL queries over records",
    "fish": "answers the Fish course's test harnesses",
    "records": "lists what a store keeps, takes records out of it, indexes and exports them",
    "store": "checks a store, copies it to a file and back, migrates an old one",
    "draw": "draws a position of Diplomacy, with orders if given, as SVG",
    "map": "lists, checks, converts and draws maps of Diplomacy",
    "perft": "counts the positions that follow, to check rules",
    "orders": "lists the possible orders of a Diplomacy position",
    "adjudicate": "adjudicates one phase of Diplomacy from JSON, with reasons",
    "check": "checks that a player behaves, a published trajectory replays, a network works",
    "deepmind": "fetches the published agents' files and converts parameters",
    "train": "trains networks of Diplomacy: imitation, best responses, a small one",
    "press": "reads, translates and judges negotiation",
    "play": "plays one match here, between agents, programs and you",
    "new": "writes a bot to start from",
    "demo": "plays a small match and shows it as it goes",
    "replay": "shows a recorded match, whole or at one point",
}
"""Each verb with its one-line help; parlour.cli.<verb> has it as `command`. Listing them imports nothing."""


@click.group(
    cls=Lazy, package=__name__, heading="Verbs", lines=VERBS, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, prog_name="parlour")
def parlour() -> None:
    """Programs, models and people play Diplomacy and Fish under one fair referee.

    Try `parlour demo` first. Each verb teaches itself: `parlour VERB --help`.

    Exit codes: 0 done; 1 failed, such as a check, a replay, writing a file or reaching a server; 2 bad usage or bad
    input.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; a ParlourError or an OSError becomes one line on stderr and an exit code."""
    sys.stdin = sys.stdin or io.TextIOWrapper(io.BytesIO())  # closed by the parent process: there is nothing to read
    try:
        with prints_aside():
            parlour.main(args=None if arguments is None else list(arguments), prog_name="parlour")
    except ParlourError as error:
        click.echo(f"parlour: {error}", err=True)
        sys.exit(1 if _has_failed(error) else 2)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        click.echo(f"parlour: {where}{error.strerror or error}", err=True)
        _give_up_stdout()
        sys.exit(1)


def _has_failed(error: ParlourError) -> bool:
    """Return True if a valid request failed; False for bad input.

    A record that does not replay has failed; a file that is not a record is bad input. A store on a full disk has
    failed; a file that is not a store is bad input.
    """
    if isinstance(error, RecordError):
        return error.number is not None
    if isinstance(error, StoreError) and not isinstance(error, CassetteMiss):
        # Without a cause, Parlour itself refused. SQLite raises a plain DatabaseError for a file that is not its own.
        return error.__cause__ is not None and type(error.__cause__).__name__ != "DatabaseError"
    return isinstance(error, CassetteMiss | PortTaken | Unreachable)


def _give_up_stdout() -> None:
    """Drop unwritten output; otherwise the interpreter tries to write it again at exit and reports an error."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        with contextlib.suppress(OSError, ValueError):  # stdout may not be a file at all
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
