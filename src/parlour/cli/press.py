"""`parlour press`: reads, translates and judges negotiation between the powers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click
import msgspec

from parlour.cli.family import Family
from parlour.cli.plain import each_line, read_value
from parlour.errors import NotationError, ParlourError, RecordError

MAX_LEVEL = 8000
LINE = f'a JSON string, or an object with the string "text" and perhaps "level", 0 to {MAX_LEVEL}'
"""What --jsonl expects."""


@click.group(cls=Family)
def command() -> None:
    """Read, translate and judge negotiation.

    \b
    echo 'PRP (ALY (ENG FRA) VSS (GER))' | parlour press parse
    echo 'PRP (DMZ (ENG FRA) (ECH))' | parlour press gloss --from FRA --to ENG
    parlour press ledger match.jsonl
    """


_LEVEL = click.option(
    "--level",
    type=click.IntRange(0, MAX_LEVEL),
    default=60,
    show_default=True,
    help="The press level of the game: 10, 20, 30, 40, 50 or 60.",
)


@command.command()
@_LEVEL
@click.option("--jsonl", is_flag=True, help='Each line is JSON: a string, or {"text": …, "level": …}.')
def parse(level: int, jsonl: bool) -> None:
    """Read messages from stdin, one a line, and write one JSON object for each."""
    for number, line in each_line(sys.stdin.buffer, blank=not jsonl):
        try:
            text, its_level = _json_message(line, level) if jsonl else (_text(line), level)
            answer = _parsed(text, its_level)
        except ParlourError as error:
            answer = _refused(0, "HUH", "HUH ( ERR )", LINE) | {"error": str(error), "line": number}
        click.echo(msgspec.json.encode(answer))


@command.command()
@_LEVEL
@click.option("--from", "sender", default="", help="The power that says it, such as FRA.")
@click.option("--to", multiple=True, help="The powers it is for, such as ENG,GER; may be given more than once.")
def gloss(level: int, sender: str, to: tuple[str, ...]) -> None:
    """Read messages from stdin, one a line, and say in English what each means."""
    from parlour.errors import PressError
    from parlour.press.english import gloss as in_english
    from parlour.press.reader import read

    who = _power(sender, "--from") if sender else None
    whom = [_power(word, "--to") for words in to for word in words.split(",") if word]
    failed = False
    for number, line in each_line(sys.stdin.buffer):
        try:
            click.echo(in_english(read(_text(line), level), who, whom))
        except PressError as error:
            click.echo(f"line {number} is not press: {error}", err=True)
            failed = True
    sys.exit(1 if failed else 0)


@command.command()
@click.argument("record", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="One JSON object: proposals, pacts, verdicts, metrics.")
@click.option("--all", "every", is_flag=True, help="Also say what was kept and what is open.")
@click.option("--svg", type=click.Path(dir_okay=False, path_type=Path), help="Write a picture of the metrics here.")
def ledger(record: Path, as_json: bool, every: bool, svg: Path | None) -> None:
    """Judge every promise of a recorded match: who kept his word, who broke it, and by which order."""
    from parlour.core.events import Opened
    from parlour.games.diplomacy.game import Diplomacy
    from parlour.press.ledger import ledger_of
    from parlour.press.metrics import measure
    from parlour.press.plot import plot
    from parlour.press.report import players_of, report
    from parlour.press.summary import summary
    from parlour.referee.match import replay
    from parlour.referee.record import RecordReader

    reader = RecordReader(record)
    events = list(reader)
    if events and isinstance(events[0], Opened) and events[0].game == Diplomacy.name:
        replay(events, Diplomacy())  # a record that does not replay is refused, with the event that fails
    found = ledger_of(events)
    if reader.dropped is not None:
        click.echo("the record's last line is cut off and was left out", err=True)
    if found.position is None:
        raise RecordError("the match never started, so there is nothing to judge")
    metrics, names = measure(found), players_of(events, found)
    if svg is not None:
        svg.write_text(plot(metrics, found.lexicon, names), encoding="utf-8")
    if as_json:
        click.echo(msgspec.json.encode(report(found, metrics, names)))
    else:
        click.echo(summary(found, metrics, names, every=every))


def _parsed(text: str, level: int) -> dict[str, Any]:
    from parlour.errors import PressError
    from parlour.press.english import gloss as in_english
    from parlour.press.reader import complaint, read
    from parlour.press.writer import write

    try:
        message = read(text, level)
    except PressError as error:
        return _refused(error.index, error.kind, complaint(text, error), error.expected)
    return {"ok": True, "canonical": write(message), "english": in_english(message)}


def _refused(index: int, kind: str, reply: str, expected: str) -> dict[str, Any]:
    return {"ok": False, "error_index": index, "kind": kind, "reply": reply, "expected": expected}


def _text(line: bytes) -> str:
    return line.removeprefix(b"\xef\xbb\xbf").rstrip(b"\r\n").decode("utf-8", errors="replace")


def _json_message(line: bytes, level: int) -> tuple[str, int]:
    value = read_value(line.rstrip(b"\r\n"))
    if isinstance(value, str):
        return value, level
    if not isinstance(value, dict) or not isinstance(value.get("text"), str):
        raise NotationError('expected a string, or an object with the string "text"')
    its_level = value.get("level", level)
    if type(its_level) is not int or not 0 <= its_level <= MAX_LEVEL:
        raise NotationError(f"level: expected a whole number from 0 to {MAX_LEVEL}")
    return value["text"], its_level


def _power(word: str, option: str) -> str:
    from parlour.games.diplomacy.map import standard

    power = standard().find_power(word)
    if power is None:
        raise click.BadParameter(f"expected a power such as FRA, got {word!r:.40}", param_hint=option)
    return power.tag
