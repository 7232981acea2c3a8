"""parlour replay: shows a recorded match, whole, at one point, or as pictures."""

from __future__ import annotations

import sys
from pathlib import Path

import click
import msgspec

from parlour.cli.display.event_lines import line_of
from parlour.cli.display.show import LineDisplay
from parlour.cli.options import models
from parlour.cli.options.kinds import FILE, FOLDER, flag, option, whole
from parlour.core import events as ev
from parlour.core.events import Event
from parlour.core.game import Game, Position
from parlour.core.pictures import pictures_of
from parlour.core.player import ObservedEvent
from parlour.core.text import printable
from parlour.errors import ConfigError
from parlour.referee.audit import audit
from parlour.referee.match import game_of, opening, replay
from parlour.referee.record import RecordReader
from parlour.referee.state import MatchState
from parlour.testing.toys import TOYS


@click.command("replay")
@click.argument("record", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@option("--at", "Show only the position after this event.", whole(0), default=None)
@flag("--explain", "Explain why each order failed, in games that can.")
@flag("--model-calls consulted", "Show each model call: prompt, answer and cost.")
@flag("--json as_json", "Print positions as JSON, one object per new position.")
@option("--svg", "Write one picture per turn into this folder.", FOLDER)
@option("--html", "Write one page that shows the match in a browser.", FILE)
@option("--theme", "Colours of the pictures.", ["light", "dark"], "light")
@option("--width", "Width of the pictures, in pixels.", whole(100, 20_000))
def command(
    record: Path,
    at: int | None,
    explain: bool,
    consulted: bool,
    as_json: bool,
    svg: Path | None,
    html: Path | None,
    theme: str,
    width: int | None,
) -> None:
    """Show the match that RECORD holds, checking each step against the rules.

    \b
    parlour replay demo.jsonl             every turn
    parlour replay demo.jsonl --at 5      the position after event 5
    parlour replay match.jsonl --svg pictures
    parlour replay match.jsonl --html match.html
    parlour replay match.jsonl --model-calls
    """
    if svg is not None and (as_json or at is not None):
        raise ConfigError("--svg draws every turn: give it without --json and --at", field="svg")
    if html is not None and (as_json or at is not None or svg is not None):
        raise ConfigError("--html shows the whole match: give it without --json, --at and --svg", field="html")
    reader = RecordReader(record)
    events = list(reader)
    if reader.dropped is not None:
        click.echo(f"parlour: the last line of {record} was cut off and is left out", err=True)
    game = find_game(events)
    if consulted:
        _show_consulted(game, events, as_json)
    elif at is not None:
        _show_at(game, events, at, as_json)
    elif html is not None:
        _write_page(game, events, html, record.stem)
    elif svg is not None:
        _draw(game, events, svg, theme, width)
    else:
        _show_all(game, events, as_json, explain)


def find_game(events: list[Event]) -> Game:
    """Return the game of a record: one that ships, or a toy."""
    opened = opening(events)
    return TOYS.get(opened.game) or game_of(opened)


def _show_at(game: Game, events: list[Event], at: int, as_json: bool) -> None:
    if at >= len(events):
        raise ConfigError(f"the record has events 0 to {len(events) - 1}, so there is no event {at}", field="at")
    state = replay(events, game, at)
    position = state.position or _to_come(game, state)
    if as_json:
        click.echo(msgspec.json.encode({"event": at, "turn": state.turn, "position": position.encode()}))
        return
    click.echo(f"after event {at}: {printable(line_of(events[at]) or _in_short(events[at]))}")
    if state.position is None:
        click.echo("not started; it will start from")
    click.echo(str(position))


def _in_short(event: Event) -> str:
    """Return the kind and the seat of an event that has no line of its own."""
    kind = str(event.__struct_config__.tag)
    seat = getattr(event, "seat", None)
    return kind if seat is None else f"{kind}, {seat}"


def _to_come(game: Game, state: MatchState) -> Position:
    """Return the start position of a match that has not started yet."""
    return game.start(state.opened.config, game.seats(state.opened.config), state.opened.seed)


def _show_all(game: Game, events: list[Event], as_json: bool, explain: bool) -> None:
    if not as_json:
        replay(events, game)  # a record that does not replay fails before anything is shown
        display, shown = LineDisplay(game, explain=explain), MatchState(game)
        for number, event in enumerate(events):
            shown.fold(event)
            display.on_event(ObservedEvent(number, number, event, shown.view))
        return
    state = MatchState(game)
    for number, event in enumerate(events):
        audit(state, event)
        if event.changes_position and state.position is not None:
            value = {"event": number, "turn": state.turn, "position": state.position.encode()}
            if isinstance(event, ev.TurnEnded):
                value |= {"actions": event.actions, "happened": event.happened}
            click.echo(msgspec.json.encode(value))


def _show_consulted(game: Game, events: list[Event], as_json: bool) -> None:
    """Print every model call, and totals by seat; with JSON the events themselves."""
    replay(events, game)
    if as_json:
        for event in events:
            if isinstance(event, ev.Consulted):
                click.echo(msgspec.json.encode(event))
        return
    for line in (*models.consulted(events), *models.summary(events)):
        click.echo(line)


def _draw(game: Game, events: list[Event], folder: Path, theme: str, width: int | None) -> None:
    pictures = pictures_of(game)
    if pictures is None:
        raise ConfigError(f"{game.name} has no pictures", field="svg")
    folder.mkdir(parents=True, exist_ok=True)
    state = MatchState(game)
    count = 0
    with click.progressbar(events, label="drawing", file=sys.stderr) as shown:
        for event in shown:
            before = state.position
            audit(state, event)
            if isinstance(event, ev.TurnEnded) and before is not None and state.position is not None:
                names = {str(seat): place.name for seat, place in state.places.items() if place.name}
                svg = pictures.picture(state.position, event, theme=theme, width=width, names=names)
                (folder / f"{pictures.name(before, event.turn)}.svg").write_text(svg, encoding="utf-8")
                count += 1
    click.echo(f"{count} pictures in {folder}")


def _write_page(game: Game, events: list[Event], path: Path, title: str) -> None:
    from parlour.web.packing import replay_page
    from parlour.web.stories import story_of

    page = replay_page(story_of(game, events, title=title))
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise click.FileError(str(path), error.strerror) from None
    click.echo(f"{path} shows the match in a browser ({len(page.encode()) / 1000:.0f} kB, nothing else is needed)")
