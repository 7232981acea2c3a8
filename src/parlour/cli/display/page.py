"""Writes the page of a tournament, and beside it the replays that it links to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from parlour.cli.display.standings import seconds_of
from parlour.cli.terminal.calling import program
from parlour.tournament.reports.page import Replay, page_of

if TYPE_CHECKING:
    from parlour.store import Store
    from parlour.tournament.reports.standings import Standings
    from parlour.tournament.results import MatchPlayed
    from parlour.tournament.results_state import ResultsState

MAX_REPLAYS = 8


def write_page(path: Path, series: ResultsState, table: Standings, store: Store) -> None:
    """Write the page and its replays: first some matches lost by a foul, then the earliest others."""
    replays = _write_replays(path, series, store) if series.plan.records else []
    where = f"{program()} records {store.url} {series.plan.tournament}" if series.plan.records else ""
    path.write_text(page_of(series.plan, table, seconds_of(series), replays, where), encoding="utf-8")
    click.echo(f"{path} has the table with plots", err=True)


def _write_replays(path: Path, series: ResultsState, store: Store) -> list[Replay]:
    from parlour.games import load_game
    from parlour.store import read_events
    from parlour.tournament.engines.playing import match_id
    from parlour.web.packing import replay_page
    from parlour.web.stories import story_of

    folder = path.with_name(f"{path.stem}-replays")
    game = load_game(series.plan.game)
    found = []
    for result in _worth_seeing(series.results()):
        name = match_id(series.plan, result.number)
        events = read_events(store, name)
        if not events:
            continue
        folder.mkdir(exist_ok=True)
        file = folder / f"{result.number}.html"
        file.write_text(replay_page(story_of(game, events, title=f"match {result.number}")), encoding="utf-8")
        found.append(Replay(result.number, f"{folder.name}/{file.name}", _told(result)))
    return found


def _worth_seeing(results: list[MatchPlayed]) -> list[MatchPlayed]:
    played = [result for result in results if not result.void]
    fouled = [result for result in played if any(seat.lost_by for seat in result.seats)]
    return (fouled[: MAX_REPLAYS // 2] + [result for result in played if result not in fouled])[:MAX_REPLAYS]


def _told(result: MatchPlayed) -> str:
    best = ", ".join(seat.player for seat in result.seats if seat.place == 0 and not seat.lost_by)
    fouls = "; ".join(f"{seat.player}: {seat.lost_by}" for seat in result.seats if seat.lost_by)
    return f"{best or 'nobody'} first; {result.reason}" + (f"; {fouls}" if fouls else "")
