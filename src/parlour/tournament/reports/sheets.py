"""The table of a tournament for programs: one JSON object, or CSV with one row per agent."""

from __future__ import annotations

import csv
import io
from typing import Any

import msgspec

from parlour.core.game import Plain
from parlour.tournament.reports.standings import Line, Standings
from parlour.tournament.statistics.means import Estimate

DIGITS = 9
"""Digits after the point, so that numbers are the same on every machine."""


def as_plain(table: Standings) -> dict[str, Plain]:
    """Return the table as plain values, without the tournament's name: two runs of one plan give the same."""
    found: dict[str, Plain] = _rounded(msgspec.to_builtins(table))
    del found["tournament"]
    return {"winners": table.winners, **found}


def as_json(table: Standings) -> bytes:
    """Return the table as JSON."""
    return msgspec.json.encode(as_plain(table))


def as_csv(table: Standings) -> str:
    """Return CSV with one row per agent, the best first."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    seats = list(table.lines[0].seats) if table.lines else []
    writer.writerow(
        ["place", "name", "agent", "score", "score_half", "rating", "rating_half", "rating_played", "moved", "played",
         "lost_by_foul", "void", "fouls", *(f"score_{seat}" for seat in seats), "kept", "broken", "stabs"]
    )  # fmt: skip
    for line in table.lines:
        writer.writerow(_row(line))
    return text.getvalue()


def _row(line: Line) -> list[Any]:
    press: list[Any] = ["", "", ""]
    if line.press is not None:
        press = [line.press.kept, line.press.broken, line.press.stabs]
    return [
        line.place,
        line.name,
        line.agent,
        *_pair(line.score),
        *(_number(value) for value in (line.rating.points, line.rating.half, line.rating_played.points)),
        line.moved,
        line.played,
        line.lost_by_foul,
        line.void,
        line.fouls,
        *(_pair(seat)[0] for seat in line.seats.values()),
        *press,
    ]


def _pair(estimate: Estimate | None) -> tuple[Any, Any]:
    if estimate is None:
        return "", ""
    return _number(estimate.mean), "" if estimate.half is None else _number(estimate.half)


def _number(value: float) -> float:
    return round(value, DIGITS) + 0.0  # without a negative zero


def _rounded(value: Any) -> Any:
    match value:
        case float():
            return _number(value)
        case dict():
            return {key: _rounded(each) for key, each in value.items()}
        case list() | tuple():
            return [_rounded(each) for each in value]
        case _:
            return value
