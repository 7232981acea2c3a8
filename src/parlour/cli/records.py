"""parlour records: lists what a store keeps, and takes records out of it for replay."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from parlour.cli.options.kinds import FILE, FOLDER, flag, option
from parlour.cli.terminal.family import Family
from parlour.errors import ConfigError
from parlour.net.game_doors import door_exports
from parlour.tournament.storage.exports import forms

if TYPE_CHECKING:
    from parlour.store import RecordHead, Store

SHOWN = (
    "id",
    "kind",
    "game",
    "parent",
    "opened",
    "owner",
    "title",
    "players",
    "status",
    "turn",
    "phase",
    "due",
    "updated",
)
"""Fields of each record in the JSON list."""


class RecordVerbs(Family):
    """The sub-verbs of `parlour records`; `parlour records STORE`, without a sub-verb, lists the records."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Read arguments that are not a sub-verb as arguments of the list."""
        if args and args[0] in self.commands and args[0] != "list":
            return super().resolve_command(ctx, args)
        return "list", self.commands["list"], args


@click.group("records", cls=RecordVerbs, context_settings={"ignore_unknown_options": True})
def command() -> None:
    """List the tournaments and matches in a store, take records out of it, index and export them.

    \b
    parlour records parlour.db                              every tournament with its matches
    parlour records parlour.db --json                       the same, one object per line
    parlour records parlour.db fish-...                     a tournament's result
    parlour records parlour.db fish-....1 --out m.jsonl     a match, for parlour replay m.jsonl
    parlour records index DIR                               Parquet files that make parlour query quick
    parlour records export STORE --format diplomacy -o out  training data, from a store, folder or file
    """


@command.command("list", hidden=True)
@click.argument("store")
@click.argument("record", required=False)
@option("--out", "Write the match to this record file.", FILE)
@flag("--json as_json", "Print one JSON object per line.")
def list_records(store: str, record: str | None, out: Path | None, as_json: bool) -> None:
    """List the tournaments and matches in STORE, or print one of them."""
    from parlour.store import RecordKind, open_store

    if Path(store).is_dir():
        raise ConfigError(f"store: {store!r:.200} is a folder; `parlour query` asks those", field="store")
    with open_store(store, read_only=True) as kept:
        head = None if record is None else kept.head(record)
        if record is not None and head is None:
            raise ConfigError(f"record: {record[:80]!r} is not in {Path(kept.url).name}", field="record")
        if out is not None and (head is None or head.kind is not RecordKind.MATCH):
            raise ConfigError("--out writes one match: name it after the store", field="out")
        if head is None:
            _list(kept, as_json)
        elif head.kind is RecordKind.MATCH:
            _print_match(kept, head.id, out)
        else:
            _print_result(kept, head, as_json)


def _list(store: Store, as_json: bool) -> None:
    from parlour.store import Filter, RecordKind

    for head in store.heads(Filter(kind=RecordKind.TOURNAMENT)):
        _line(head, as_json)
        for match in store.heads(Filter(parent=head.id)):
            _line(match, as_json)
    for match in store.heads(Filter(kind=RecordKind.MATCH, parent="")):
        _line(match, as_json)


def _line(head: RecordHead, as_json: bool) -> None:
    finished = head.result is not None
    if as_json:
        shown = {field: getattr(head, field) for field in SHOWN}
        click.echo(msgspec.json.encode(shown | {"finished": finished}))
    else:
        click.echo(f"{'  ' if head.parent else ''}{'  '.join(_told(head))}")


def _told(head: RecordHead) -> list[str]:
    """Return the row of a record for people: date, game, players, length, winner."""
    from parlour.cli.display.event_lines import shortened
    from parlour.store import RecordKind
    from parlour.tournament.results import is_drawn, winners_of

    date = time.strftime("%Y-%m-%d %H:%M", time.localtime(head.opened)) if head.opened else ""
    players = ", ".join(shortened(name) for name in dict.fromkeys(head.players.values()))
    turns = f"{head.turn} turns" if head.turn else ""
    winners = ", ".join(shortened(name) for name in winners_of(head.result, head.players))
    how = "drawn, first:" if head.kind is RecordKind.MATCH and is_drawn(head.result) else "won by"
    end = "not finished" if head.result is None else f"{how} {winners}" if winners else ""
    return [part for part in (head.id, date, f"{head.game} {head.kind}", players, turns, end) if part]


def _print_match(store: Store, record: str, out: Path | None) -> None:
    from parlour.cli.matches.hosting import spare
    from parlour.referee.record import RecordWriter
    from parlour.store import read_events

    if out is None:
        for entry in store.entries(record):
            click.echo(entry)
        return
    events = list(read_events(store, record))
    spare(out)
    with RecordWriter(out) as writer:
        writer.write(events)


def _print_result(store: Store, head: RecordHead, as_json: bool) -> None:
    from parlour.tournament.storage.tournament_store import has_plan

    if has_plan(head):
        _print_table(store, head.id, as_json)
        return
    from parlour.cli.display.results import as_plain, show_result
    from parlour.tournament.knock_out.tournament import read_result

    result = read_result(store, head.id)
    if as_json:
        click.echo(msgspec.json.encode(as_plain(result)))
    else:
        show_result(result)


def _print_table(store: Store, tournament: str, as_json: bool) -> None:
    """Print the table of a tournament between agents as it stands, finished or not."""
    from parlour.cli.display.standings import seconds_of, show
    from parlour.tournament.reports.sheets import as_json as json_of
    from parlour.tournament.reports.standings import standings
    from parlour.tournament.storage.tournament_store import read

    series, _ = read(store, tournament)
    table = standings(series)
    if as_json:
        click.echo(json_of(table))
    else:
        show(table, seconds_of(series))


@command.command("index")
@click.argument("folder", metavar="DIR", type=click.Path(exists=True, file_okay=False, path_type=Path))
def index_records(folder: Path) -> None:
    """Write Parquet files of all views of `parlour query`, with the ledger's findings, to DIR/index.

    `parlour query` reads them instead of the records until a record is newer.
    """
    from parlour.tournament.storage.query import INDEX, Records

    asked = Records(str(folder))
    try:
        count = asked.write_index(folder)
    finally:
        asked.close()
    click.echo(f"{count} records in {folder / INDEX}")


@command.command("export")
@click.argument("records", metavar="STORE|DIR|FILE")
@option("--format form", "Format of the files; jsonl means record files.", forms(door_exports()), required=True)
@option("--out -o", "Folder to write to.", FOLDER, required=True)
def export_records(records: str, form: str, out: Path) -> None:
    """Write each match as training data: a file (for trajectories a folder) of its own in the folder OUT."""
    from parlour.tournament.storage.exports import export

    out.mkdir(parents=True, exist_ok=True)
    count, skipped = export(records, form, out, door_exports())
    more = f"; {skipped} of other games, or without a start, left out" if skipped else ""
    click.echo(f"{count} match{'' if count == 1 else 'es'} in {out}{more}")
