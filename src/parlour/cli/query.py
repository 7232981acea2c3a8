"""parlour query: queries records with SQL: winners, fouls, failed orders, broken pacts."""

from __future__ import annotations

import csv
import io
from typing import Any

import click
import msgspec

from parlour.cli.options.kinds import flag
from parlour.core.text import printable

MAX_CELL = 60


@click.command()
@click.argument("sql", metavar="SQL")
@click.argument("records", metavar="[DIR|FILE|STORE]", default=".")
@flag("--json as_json", "Print one JSON object per row.")
@flag("--csv as_csv", "Print rows as CSV.")
def command(sql: str, records: str, as_json: bool, as_csv: bool) -> None:
    """Ask records by SQL: those of a folder (the one you are in), of one file, or of a store.

    \b
    parlour query "SELECT player, count(*), avg(score) FROM seats GROUP BY player" tournaments.db
    parlour query "SELECT result, count(*) FROM orders GROUP BY result" matches/
    parlour query "SELECT * FROM pacts WHERE broken > 0"

    Views: matches, seats, turns, orders, said, pacts, seals, promises, fouls. DESCRIBE seats lists the columns of
    one. `parlour records index DIR` speeds up queries of a folder with many records. Needs the extra `query`.
    """
    from parlour.tournament.storage.query import Records

    asked = Records(records)
    try:
        names, rows = asked.run(sql)
    finally:
        asked.close()
    if as_json:
        for row in rows:
            click.echo(msgspec.json.encode(dict(zip(names, row, strict=True)), enc_hook=str))
    elif as_csv:
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([names, *rows])
        click.echo(text.getvalue(), nl=False)
    else:
        click.echo(_columns(names, rows))


def _columns(names: list[str], rows: list[tuple[Any, ...]]) -> str:
    cells = [[_cell(value) for value in row] for row in (names, *rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in cells)
    return "\n".join(line.rstrip() for line in lines)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return printable(", ".join(map(str, value)) if isinstance(value, list) else value, MAX_CELL)
