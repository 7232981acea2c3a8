"""SQL over records: DuckDB reads the lines of record files, with the columns that this module lists.

DuckDB could guess the columns, but for many small files that takes too much memory, and the columns would change with
the files.
"""

from __future__ import annotations

import contextlib
import importlib.util
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from parlour.core.declaration import fetch
from parlour.core.events import Opened
from parlour.core.text import printable
from parlour.errors import ConfigError, MissingExtra, ParlourError
from parlour.games import declared, games
from parlour.referee.record import read_record
from parlour.tournament.storage.records import files_of

INDEX = "index"
"""The folder of Parquet files beside records."""

RAW = {
    "record": "VARCHAR",
    "event": "VARCHAR", "at": "DOUBLE", "game": "VARCHAR", "match": "VARCHAR", "seat": "VARCHAR", "name": "VARCHAR",
    "player_type": "VARCHAR", "turn": "INTEGER", "stage": "VARCHAR", "to_act": "VARCHAR[]", "to": "VARCHAR[]",
    "text": "VARCHAR", "kind": "VARCHAR", "detail": "VARCHAR", "does": "VARCHAR", "reason": "VARCHAR",
    "standing": "VARCHAR", "actions": "JSON", "happened": "JSON", "defaulted": "VARCHAR[]", "outcome": "JSON",
    "action": "JSON", "stances": "JSON", "expects": "JSON", "opens": "VARCHAR",
}  # fmt: skip
"""Fields that are read from each event, with their types."""

VIEWS = {
    "matches": """
        SELECT record, any_value(game) FILTER (event = 'opened') AS game,
               any_value("match") FILTER (event = 'opened') AS match_id,
               count(DISTINCT seat) FILTER (event = 'joined') AS players,
               coalesce(max(turn) FILTER (event = 'turn ended'), 0) AS turns,
               any_value(outcome->>'reason') FILTER (event = 'ended') AS ended,
               any_value(CAST(outcome->'places'->0 AS VARCHAR[])) FILTER (event = 'ended') AS winners
        FROM raw GROUP BY record""",
    "seats": """
        SELECT sat.record, sat.seat, sat.name AS player, sat.player_type,
               CAST(over.outcome->'scores'->>sat.seat AS DOUBLE) AS score,
               list_contains(CAST(over.outcome->'places'->0 AS VARCHAR[]), sat.seat) AS first,
               gone.reason AS removed_for
        FROM (SELECT record, seat, last(name) AS name, last(player_type) AS player_type FROM raw
              WHERE event = 'joined' GROUP BY record, seat) AS sat
        LEFT JOIN (SELECT record, any_value(outcome) AS outcome FROM raw WHERE event = 'ended' GROUP BY record) AS over
               USING (record)
        LEFT JOIN (SELECT record, seat, any_value(reason) AS reason FROM raw WHERE event = 'removed'
                   GROUP BY record, seat) AS gone ON gone.record = sat.record AND gone.seat = sat.seat""",
    "turns": """
        SELECT record, turn, any_value(stage) FILTER (event = 'turn began') AS stage,
               any_value(to_act) FILTER (event = 'turn began') AS to_act,
               any_value(happened->>'phase') FILTER (event = 'turn ended') AS phase,
               any_value("at") FILTER (event = 'turn began') AS began,
               any_value("at") FILTER (event = 'turn ended') AS ended
        FROM raw WHERE event IN ('turn began', 'turn ended') GROUP BY record, turn""",
    "orders": """
        SELECT record, turn, phase, seat, CASE WHEN json_type(one) = 'VARCHAR' THEN one->>'$' ELSE one::VARCHAR END
                   AS action,
               CASE WHEN json_type(one) = 'VARCHAR' THEN (results->seat)->>(one->>'$') END AS result,
               list_contains(defaulted, seat) AS given_by_referee
        FROM (SELECT record, turn, phase, results, defaulted, seat,
                     unnest(CASE WHEN json_type(action) = 'ARRAY' AND json_type(action->0) = 'VARCHAR'
                                 THEN CAST(action AS JSON[]) ELSE [action] END) AS one
              FROM (SELECT record, turn, happened->>'phase' AS phase, happened->'results' AS results, defaulted, seat,
                           actions->seat AS action
                    FROM (SELECT *, unnest(json_keys(actions)) AS seat FROM (SELECT * EXCLUDE (seat) FROM raw)
                          WHERE event = 'turn ended')))""",
    "said": """
        SELECT record, turn, seat AS speaker, "to" AS addressees, text FROM raw WHERE event = 'said'""",
    "seals": """
        SELECT record, turn, seat, "action", stances, expects, text, opens FROM raw WHERE event = 'sealed'""",
    "fouls": """
        SELECT record, turn, stage, seat, kind, detail, does AS consequence, standing
        FROM raw WHERE event = 'fouled'""",
}
"""Each view with its query; `at` and `to` are words of SQL, and so have other names in the views."""

PACTS = {
    "record": "VARCHAR", "pact": "INTEGER", "phase": "VARCHAR", "parties": "VARCHAR[]", "text": "VARCHAR",
    "english": "VARCHAR", "state": "VARCHAR", "kept": "INTEGER", "broken": "INTEGER", "void": "INTEGER",
    "broken_by": "VARCHAR[]",
}  # fmt: skip
"""The view `pacts`, which the ledger of promises finds."""

PROMISES = {
    "record": "VARCHAR", "pact": "INTEGER", "turn": "INTEGER", "phase": "VARCHAR", "power": "VARCHAR",
    "player": "VARCHAR", "towards": "VARCHAR[]", "about": "VARCHAR", "english": "VARCHAR", "status": "VARCHAR",
    "class": "VARCHAR", "planned_when_promised": "BOOLEAN", "planned_when_ordered": "BOOLEAN",
}  # fmt: skip
"""The view `promises`: each promise in each phase, with the class that sealed plans give it."""

LEDGER = {"pacts": PACTS, "promises": PROMISES}
"""The views that the ledger of each match gives; a game declares the rows of each by name."""


class Records:
    """Records as tables: of a folder of record files, of one file, or of a store."""

    def __init__(self, place: str) -> None:
        if importlib.util.find_spec("duckdb") is None:
            raise MissingExtra("query", "parlour query")
        import duckdb

        self._cleaning = contextlib.ExitStack()
        try:
            self._folder = Path(self._cleaning.enter_context(tempfile.TemporaryDirectory(prefix="parlour-query")))
            self.files = files_of(place, self._folder)
            self._index = _index_of(Path(place), self.files)
        except BaseException:  # Ctrl-C too: the temporary folder must not stay
            self.close()
            raise
        self._connection = duckdb.connect()
        self._cleaning.callback(self._connection.close)
        if self._index is not None:
            self._view_index(self._index)
        else:
            self._view_files()

    def _view_index(self, index: Path) -> None:
        for name in (*VIEWS, *LEDGER):
            where = _quoted(str(index / f"{name}.parquet"))
            self._connection.execute(f"CREATE VIEW {name} AS SELECT * FROM read_parquet({where})")

    def _view_files(self) -> None:
        columns = ", ".join(f"{_quoted(name)}: {_quoted(kind)}" for name, kind in RAW.items())
        lines = _quoted(str(self._gathered()))
        self._connection.execute(
            f"CREATE TABLE raw AS SELECT * FROM read_json({lines}, format = 'newline_delimited', "
            f"columns = {{{columns}}}, ignore_errors = true, maximum_object_size = 33554432)"
        )
        for name, sql in VIEWS.items():
            self._connection.execute(f"CREATE VIEW {name} AS {sql}")

    def _gathered(self) -> Path:
        """Write all events into one file, each with its record, and return it: many small files are slow to open.

        Headers and lines that a crash cut off are left out.
        """
        target = self._folder / "events.ndjson"
        with target.open("wb") as gathered:
            for path in self.files:
                start = b'{"record":' + msgspec.json.encode(path.stem) + b","
                with path.open("rb") as file:
                    gathered.writelines(
                        start + line[1:] for line in file if line.startswith(b'{"event"') and line.endswith(b"\n")
                    )
        return target

    def run(self, sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Return the names of the columns and the rows; raise ConfigError if the query fails."""
        import duckdb

        for name in LEDGER:
            if name in sql.lower():
                self._judge(name)
        try:
            found = self._connection.execute(sql)
            return [column[0] for column in found.description or ()], found.fetchall()
        except duckdb.Error as error:
            first, _, _ = str(error).strip().partition("\n")
            raise ConfigError(f"query: {printable(first)}", field="query") from None

    def write_index(self, folder: Path) -> int:
        """Write all views as Parquet files, with the ledger's findings; return the number of records."""
        target = folder / INDEX
        target.mkdir(exist_ok=True)
        for name in LEDGER:
            self._judge(name)
        for name in (*VIEWS, *LEDGER):
            part = target / f"{name}.parquet.part"
            self._connection.execute(f"COPY (SELECT * FROM {name}) TO {_quoted(str(part))} (FORMAT parquet)")
            part.replace(target / f"{name}.parquet")
        return len(self.files)

    def close(self) -> None:
        """Close the database, and remove temporary files."""
        self._cleaning.close()

    def _judge(self, name: str) -> None:
        """Make the table of a view, once, from the ledger of each match that has one."""
        asked = f"SELECT count(*) FROM duckdb_tables() WHERE table_name = {_quoted(name)}"
        found = self._connection.execute(asked).fetchone()
        if self._index is not None or (found and found[0]):
            return
        lines = self._folder / f"{name}.jsonl"
        with lines.open("wb") as file:
            for path in self.files:
                for row in _rows_of(path, name):
                    file.write(msgspec.json.encode(row) + b"\n")
        columns = ", ".join(f"{_quoted(column)}: {_quoted(kind)}" for column, kind in LEDGER[name].items())
        self._connection.execute(
            f"CREATE TABLE {name} AS SELECT * FROM read_json({_quoted(str(lines))}, format = 'newline_delimited', "
            f"columns = {{{columns}}})"
        )


def _index_of(place: Path, files: list[Path]) -> Path | None:
    """Return the index of a folder, if it has one that is whole and no older than its records."""
    index = place / INDEX
    parts = [index / f"{name}.parquet" for name in (*VIEWS, *LEDGER)]
    if not (place.is_dir() and all(part.is_file() for part in parts)):
        return None
    made = parts[-1].stat().st_mtime  # the part that is written last
    return index if all(file.stat().st_mtime <= made for file in files) else None


def _rows_of(path: Path, name: str) -> Iterable[dict[str, Any]]:
    """Yield the rows of a view from the ledger of a match; none if its game does not declare the view."""
    events = read_record(path)
    opened = events[0] if events else None
    if not isinstance(opened, Opened) or opened.game not in games() or not getattr(declared(opened.game), name):
        return
    try:
        rows = fetch(getattr(declared(opened.game), name))(events)
    except ParlourError:  # a record that was cut off before it began
        return
    for row in rows:
        yield {"record": path.stem, **row}


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
