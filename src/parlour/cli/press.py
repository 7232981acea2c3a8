"""`parlour press`: reads, translates and judges negotiation between the powers."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import click
import msgspec

from parlour.cli.options.bounded_json import each_line, read_value
from parlour.cli.options.kinds import FILE, flag, option, whole
from parlour.cli.terminal.family import Family
from parlour.errors import ConfigError, NotationError, ParlourError, RecordError

if TYPE_CHECKING:
    from parlour.core.events import Event
    from parlour.press.deception.class_counts import ClassCounts, ValuedPhases
    from parlour.press.ledger import Ledger

PlayerCounts: TypeAlias = "list[dict[str, ClassCounts]]"
"""The counts of the players of one match, an entry per seat."""
MAX_LEVEL = 8000
LINE = f'a JSON string, or an object with the string "text" and perhaps "level", 0 to {MAX_LEVEL}'
"""Description of a line for --jsonl."""


@click.group(cls=Family)
def command() -> None:
    """Read, translate and judge negotiation.

    \b
    echo 'PRP (ALY (ENG FRA) VSS (GER))' | parlour press parse
    echo 'PRP (DMZ (ENG FRA) (ECH))' | parlour press gloss --from FRA --to ENG
    parlour press ledger match.jsonl --classes --values
    """


_LEVEL = option("--level", "The press level of the game: 10, 20, 30, 40, 50 or 60.", whole(0, MAX_LEVEL), 60)


@command.command()
@_LEVEL
@flag("--jsonl", 'Each line is JSON: a string, or {"text": …, "level": …}.')
def parse(level: int, jsonl: bool) -> None:
    """Read messages from stdin, one per line, and write one JSON object for each."""
    for number, line in each_line(sys.stdin.buffer, blank=not jsonl):
        try:
            text, its_level = _json_message(line, level) if jsonl else (_text(line), level)
            answer = _parsed(text, its_level)
        except ParlourError as error:
            answer = _refused(0, "HUH", "HUH ( ERR )", LINE) | {"error": str(error), "line": number}
        click.echo(msgspec.json.encode(answer))


@command.command()
@_LEVEL
@option("--from sender", "Power that sends the message, such as FRA.", default="")
@option("--to", "Powers that receive it, such as ENG,GER; may be repeated.", multiple=True)
def gloss(level: int, sender: str, to: tuple[str, ...]) -> None:
    """Read messages from stdin, one per line, and say in English what each means."""
    from parlour.errors import PressError
    from parlour.press.language.english import gloss as in_english
    from parlour.press.language.reader import read

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
@flag("--json as_json", "Print one JSON object: proposals, pacts, verdicts, metrics.")
@flag("--all every", "Also print promises that were kept and that are open.")
@flag("--classes", "Classify every promise by the plans that players sealed.")
@flag("--values", "With --classes: also value promises by rollouts, about 0.1 s each.")
@option("--samples", "With --values: number of rollouts per scenario.", whole(8, 4096), 256)
@option("--prose-model", "Model that also reads prose beside its core, for --classes.", metavar="llm:MODEL@ADDRESS")
@option("--svg", "File for a picture of the metrics.", FILE)
@option("--html", "File for a page about the classes.", FILE)
def ledger(
    record: Path,
    as_json: bool,
    every: bool,
    classes: bool,
    values: bool,
    samples: int,
    prose_model: str | None,
    svg: Path | None,
    html: Path | None,
) -> None:
    """Judge every promise of a recorded match: who kept their word, who broke it, and by which order."""
    from parlour.press.reports.metrics import measure
    from parlour.press.reports.plot import plot
    from parlour.press.reports.report import players_of, report
    from parlour.press.reports.summary import summary

    if values and not (classes or html):
        raise click.UsageError("--values: give --classes or --html, too")
    events, found = _judged(record)
    if prose_model is not None:
        _audit_prose(events, found, prose_model)
    metrics, names = measure(found), players_of(events, found)
    if svg is not None:
        svg.write_text(plot(metrics, found.lexicon, names), encoding="utf-8")
    told = report(found, metrics, names) if as_json else {}
    text = "" if as_json else summary(found, metrics, names, every=every)
    if classes or html is not None:
        from parlour.agents.llm.spec import short_name
        from parlour.press.deception.class_counts import class_counts
        from parlour.press.deception.class_page import class_page
        from parlour.press.deception.class_report import class_report
        from parlour.press.deception.class_text import LEGEND, class_tables, disagreement_lines, value_table

        valued = _valued(events, samples) if values else None
        counts = class_counts(found, *([valued.counted] if valued is not None else ()))
        if html is not None:
            page = class_page(found, counts, names, valued=None if valued is None else valued.counted)
            html.write_text(page, encoding="utf-8")
        if as_json:
            told["deception"] = class_report(found, counts, valued.rows if valued is not None else None)
        elif classes:
            shown = {power: short_name(name) for power, name in names.items()}
            text += f"\n\nWhat kinds of promises\n{class_tables(counts, shown, values=values)}\n\n{LEGEND}"
            if valued is not None:
                worths = value_table(found, valued.counted, every=every)
                text += f"\n\nWhat promises were worth, by the end of this year and of the next (+1)\n{worths}"
            if found.disagreements:
                text += f"\n\nProse that says otherwise than its core\n{disagreement_lines(found)}"
    click.echo(msgspec.json.encode(told) if as_json else text)


@command.command()
@click.argument("place")
@flag("--values", "Also rank by breaches per opportunity, found by rollouts.")
@option("--samples", "Number of rollouts per scenario.", whole(8, 4096), 256)
@option("--workers", "Number of processes that value matches.  [default: one per processor]", whole(1, 256))
@flag("--json as_json", "Print one JSON object, with a member per player.")
def table(place: str, values: bool, samples: int, workers: int | None, as_json: bool) -> None:
    """Classify the promises of many matches, a row per player: of a folder of records, a record, or a store.

    \b
    parlour tournament diplomacy peace stabber broker --seals required --blocks 2
    parlour press table tournaments.db --values
    """
    import tempfile

    from parlour.agents.llm.spec import short_name
    from parlour.press.deception.class_counts import added, ranked_by_rate
    from parlour.press.deception.class_report import counts_report
    from parlour.press.deception.class_text import LEGEND, class_tables
    from parlour.tournament.storage.records import files_of

    parts, matches = [], 0
    with tempfile.TemporaryDirectory(prefix="parlour-press") as folder, contextlib.ExitStack() as stack:
        every = files_of(place, Path(folder))
        files = [path for path in every if _can_be_judged(path)]
        if not files:
            raise ConfigError(f"records: no match of diplomacy in {place!r:.80} was begun", field="records")
        if len(files) < len(every):
            click.echo(f"{len(every) - len(files)} left out: not of diplomacy, or never begun", err=True)
        each: Iterable[PlayerCounts]
        if values:
            # Valuing takes seconds per match; classes alone take less than the start of a process.
            each = stack.enter_context(
                click.progressbar(_valued_side_by_side(files, samples, workers), len(files), "valuing", file=sys.stderr)
            )
        else:
            each = map(_counted, files)
        for part in each:
            parts += part
            matches += 1
    counts = added(parts)
    if values:
        counts = {player: counts[player] for player in ranked_by_rate(counts)}
    if as_json:
        told = {player: counts_report(count) for player, count in counts.items()}
        click.echo(msgspec.json.encode({"matches": matches, "players": told}))
    else:
        short = [*map(short_name, counts)]
        shown = dict(zip(short if len({*short}) == len(short) else counts, counts.values(), strict=True))
        title = "1 match" if matches == 1 else f"{matches} matches"
        click.echo(f"{title}\n{class_tables(shown, values=values)}\n\n{LEGEND}")


def _valued_side_by_side(files: Sequence[Path], samples: int, workers: int | None) -> Iterator[PlayerCounts]:
    """Yield the counts of each record's players, in order; several processes value the promises."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context
    from os import cpu_count

    processes = min(workers or cpu_count() or 1, len(files))
    if processes == 1:
        yield from map(partial(_counted, samples=samples), files)
        return
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        yield from pool.map(partial(_counted, samples=samples), files)


def _counted(record: Path, samples: int | None = None) -> PlayerCounts:
    """Return the counts of each player of a record; with samples, its promises are valued."""
    from parlour.press.deception.class_counts import class_counts
    from parlour.press.reports.report import players_of

    events, found = _judged(record)
    valued = [] if samples is None else [_valued(events, samples).counted]
    names = players_of(events, found)
    return [{names.get(power, power): count} for power, count in class_counts(found, *valued).items()]


def _can_be_judged(record: Path) -> bool:
    """Return True if a record is of a match of Diplomacy that was begun."""
    from parlour.core.events import Opened, Started
    from parlour.games.diplomacy.game import Diplomacy
    from parlour.referee.record import RecordReader

    events = iter(RecordReader(record))
    opened = next(events, None)
    of_diplomacy = isinstance(opened, Opened) and opened.game == Diplomacy.name
    return of_diplomacy and any(isinstance(event, Started) for event in events)


def _judged(record: Path) -> tuple[list[Event], Ledger]:
    """Return the events of a record that replays, and its ledger."""
    from parlour.core.events import Opened
    from parlour.games.diplomacy.game import Diplomacy
    from parlour.press.ledger import ledger_of
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
    return events, found


def _audit_prose(events: list[Event], found: Ledger, model: str) -> None:
    """Add a model's findings about prose that contradicts its core, and print the number of unanswered messages."""
    from parlour.agents.llm.prose_audit import audit_prose

    audit = audit_prose(events, found, model)
    found.disagreements += audit.findings
    if audit.unanswered:
        click.echo(f"the model gave no usable answer about {audit.unanswered} of {audit.asked} messages", err=True)


class _Valued(NamedTuple):
    """The values of promises, judged by rollouts: as input for the counts of classes, and as plain rows for JSON."""

    counted: ValuedPhases
    rows: dict[str, Any]


def _valued(events: list[Event], samples: int) -> _Valued:
    from parlour.agents.press.motives import motives
    from parlour.press.deception.class_counts import ValuedPhase, ValuedPhases

    found = motives(events, samples=samples)
    phases = tuple(ValuedPhase(phase.power, phase.tempting, phase.broke) for phase in found.phases)
    worths = {
        worth.verdict: (msgspec.structs.astuple(worth.year), msgspec.structs.astuple(worth.next_year))
        for worth in found.promises
    }
    return _Valued(ValuedPhases(phases, worths), msgspec.to_builtins(found))


def _parsed(text: str, level: int) -> dict[str, Any]:
    from parlour.errors import PressError
    from parlour.press.language.english import gloss as in_english
    from parlour.press.language.reader import complaint, read
    from parlour.press.language.writer import write

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
    from parlour.games.diplomacy.maps.map import standard

    power = standard().find_power(word)
    if power is None:
        raise click.BadParameter(f"expected a power such as FRA, got {word!r:.40}", param_hint=option)
    return power.tag
