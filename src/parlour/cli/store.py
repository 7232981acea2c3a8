"""parlour store: checks a store, copies it to a file and back, and brings an old one to today's version."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from parlour.cli.options.kinds import flag
from parlour.cli.terminal.family import Family
from parlour.errors import RecordError

if TYPE_CHECKING:
    from parlour.store import RecordHead, Store


@click.group("store", cls=Family)
def command() -> None:
    """Look after a store: STORE is a file, or an address like postgresql://user@host/database.

    \b
    parlour store check parlour.db                    replay and verify every record
    parlour store export parlour.db copy.jsonl        everything in it, as lines of JSON
    parlour store import new.db copy.jsonl            and back, into an empty store of any kind
    parlour store migrate parlour.db                  bring a store of an older version to today's
    parlour store revoke parlour.db                   let no token count: everybody signs in again
    """


@command.command()
@click.argument("store", metavar="STORE")
@flag("--quiet", "Print only errors and problems.")
def check(store: str, quiet: bool) -> None:
    """Replay every record and compare it with its head. Whatever is wrong is one line each; exit 1 if anything is."""
    from parlour.store import open_store

    wrong = matches = tournaments = 0
    with open_store(store, read_only=True) as kept:
        for fault in kept.faults():
            click.echo(fault)
            wrong += 1
        for head in kept.heads():
            matches += head.kind == "match"
            tournaments += head.kind == "tournament"
            for fault in _faults(kept, head):
                click.echo(f"{head.id}: {fault}")
                wrong += 1
    if not quiet:
        click.echo(f"matches: {matches:,}, tournaments: {tournaments:,}, faults: {wrong or 'none'}")
    if wrong:
        sys.exit(1)


def _faults(store: Store, head: RecordHead) -> Iterator[str]:
    """Yield the faults of one record."""
    from parlour.referee.match import Match, opening
    from parlour.store import RecordKind, read_events
    from parlour.testing.toys import TOYS
    from parlour.tournament.knock_out.tournament import resume
    from parlour.tournament.storage.tournament_store import has_plan, read

    try:
        if head.kind is RecordKind.TOURNAMENT and has_plan(head):
            series, _ = read(store, head.id)
            # The stopping rule decides if the tournament is over; the record does not show that.
            over, name, game = head.result is not None, series.plan.tournament, series.plan.game
        elif head.kind is RecordKind.TOURNAMENT:
            course, _ = resume(store, head.id)
            over, name, game = course.closed is not None, course.announced.tournament, course.announced.game
        else:
            events = read_events(store, head.id)
            over, opened = Match.resume(events, TOYS.get(head.game)).over, opening(events)
            name, game = opened.match or head.id, opened.game
    except RecordError as error:
        yield str(error)
        return
    if (name, game) != (head.id, head.game):
        yield f"the head says {head.game} and the record is of {name}, {game}"
    if over and head.result is None:
        yield "it is over, and its head has no result"
    if not over and head.result is not None:
        yield "its head has a result, and it is not over"
    snapshot = store.snapshot(head.id)
    if snapshot is not None and snapshot.length > store.length(head.id):
        yield f"a snapshot is of {snapshot.length} entries, and there are {store.length(head.id)}"


@command.command()
@click.argument("store", metavar="STORE")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@flag("--no-accounts", "Leave out accounts, tokens, permissions, passwords and settings.")
def export(store: str, file: Path, no_accounts: bool) -> None:
    """Copy everything in STORE to FILE as lines of JSON. Digests of passwords are in it: only its owner may read it."""
    from parlour.store import open_store
    from parlour.store.copies import copy_lines

    with open_store(store, read_only=True) as kept, _new_file(file) as out:
        count = 0
        for line in copy_lines(kept, accounts=not no_accounts):
            out.write(line + b"\n")
            count += 1
        out.flush()
        os.fsync(out.fileno())
    click.echo(f"{count:,} lines in {file}", err=True)


@command.command("import")
@click.argument("store", metavar="STORE")
@click.argument("file", type=click.File("rb"))
def import_(store: str, file: BinaryIO) -> None:
    """Put a copy that export made into STORE, which must be empty or new."""
    from parlour.store import open_store
    from parlour.store.copies import restore

    with open_store(store) as kept:
        kept.claim()
        count = restore(kept, file)
        click.echo(f"{count:,} {'record' if count == 1 else 'records'} in {kept.url}", err=True)


@command.command()
@click.argument("store", metavar="STORE")
def migrate(store: str) -> None:
    """Bring STORE to today's version. Servers do that too when they start; a store that one uses is left alone."""
    from parlour.store import open_store
    from parlour.store.schema import VERSION

    with open_store(store, create=False) as kept:
        before = kept.found_version
        done = f"is of version {VERSION} already" if before == VERSION else f"was of version {before}, is of {VERSION}"
        click.echo(f"{kept.url} {done}")


@command.command()
@click.argument("store", metavar="STORE")
def revoke(store: str) -> None:
    """Revoke every token and invitation, as after a backup was restored. The server must be stopped meanwhile."""
    import asyncio

    from parlour.net.accounts.revocations import Revocations, revocations_path
    from parlour.store import open_store

    with open_store(store, create=False) as kept:
        kept.claim()
        asyncio.run(Revocations(kept, revocations_path(store)).revoke_all())
        click.echo(f"{kept.url}: no token counts any more; everybody signs in again")


def _new_file(path: Path) -> BinaryIO:
    """Return a file that only its owner can read; it must not exist."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")
