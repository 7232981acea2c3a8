"""A ledger as text for people: pacts and their results, stabs, contradictions, and the figures in columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from parlour.core.text import printable
from parlour.press.judging.findings import PromiseStatus
from parlour.press.judging.stabs import Stab
from parlour.press.language.english import English
from parlour.press.ledger import Ledger
from parlour.press.reports.metrics import Metrics, percent
from parlour.press.reports.report import phase_of
from parlour.press.reports.verdict_text import pact_line, sentence

_LEGEND = """\
void    could not be performed      agreed      of its own proposals
deceit  possible promised orders    yes         of those that it answered
        that it did not give        seconds     until its answer
stabs   breaches of peace           both sides  agreed to what cannot both hold
        that did harm               free        messages in no press language
turns   until it broke its word"""
_NAME = 14
"""Maximum characters of a player's name, to keep the table within a terminal's width."""


def summary(
    ledger: Ledger, metrics: Metrics, names: Mapping[str, str] = MappingProxyType({}), *, every: bool = False
) -> str:
    """Return the whole summary, with the names of the players. `every` adds the kept and open verdicts."""
    tables = (
        f"Who kept their word\n{word_table(metrics, names)}",
        f"Phase by phase\n{columns(_kept(metrics))}",
        f"How they talked\n{columns(_talked(metrics))}",
        f"Promises kept/broken towards each\n{columns(_towards(metrics))}",
    )
    return "\n\n".join(("\n".join((*_lines(ledger, every), *_stood_in(ledger))), *tables, _LEGEND))


def _lines(ledger: Ledger, every: bool) -> Iterator[str]:
    english = English(ledger.lexicon)
    for pact in ledger.pacts.all:
        yield pact_line(pact, ledger.lexicon)
        for verdict in ledger.verdicts:
            if verdict.pact is pact and (every or verdict.status in (PromiseStatus.BROKEN, PromiseStatus.VOID)):
                mark = "!" if verdict.status is PromiseStatus.BROKEN else " "
                yield f"  {mark} {verdict.phase}: {sentence(verdict, ledger.lexicon)}"
    for stab in ledger.stabs.all:
        by, victim = english.power(stab.by), english.power(stab.victim)
        yield f"{phase_of(stab, ledger)}: {by} stabbed {victim}: {_harm(stab, english)}"
    for clash in ledger.pacts.contradictions:
        yield f"contradiction: {clash.power} agreed to pact {clash.earlier.number} and pact {clash.later.number}"
    if not ledger.pacts.all:
        yield "nobody agreed on anything"


def _stood_in(ledger: Ledger) -> Iterator[str]:
    """Yield a line with the kept and broken promises of each player, for each power that had several players."""
    counts: dict[str, dict[str, list[int]]] = {}
    for verdict, players in zip(ledger.verdicts, ledger.charged, strict=True):
        own = counts.setdefault(verdict.performer, {}).setdefault(players[verdict.performer], [0, 0])
        own[0] += verdict.status is PromiseStatus.KEPT
        own[1] += verdict.status is PromiseStatus.BROKEN
    for power, shares in counts.items():
        if len(shares) > 1:
            parts = ", ".join(f"{printable(name, _NAME)} kept {k} and broke {b}" for name, (k, b) in shares.items())
            yield f"{power} had several players: {parts}"


def _harm(stab: Stab, english: English) -> str:
    """Return the harm in English: `takes Denmark and Norway, dislodges the unit in Sweden`."""
    found = []
    if stab.centres:
        found.append(f"takes {_places(stab.centres, english)}")
    if stab.dislodged:
        units = "unit" if len(stab.dislodged) == 1 else "units"
        found.append(f"dislodges the {units} in {_places(stab.dislodged, english)}")
    return ", ".join(found)


def _places(provinces: Iterable[str], english: English) -> str:
    *others, last = (english.place(province) for province in sorted(provinces))
    return f"{', '.join(others)} and {last}" if others else last


def columns(rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """Return rows as plain text; the first `left` columns are aligned left, the others right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [[*map(str.ljust, row[:left], widths), *map(str.rjust, row[left:], widths[left:])] for row in rows]
    return "\n".join("  ".join(line).rstrip() for line in lines)


def word_table(metrics: Metrics, names: Mapping[str, str]) -> str:
    """Return a table with a row for each power: pacts that it never broke, its first and its worst breach."""
    rows = [("power", "player", "pacts kept", "first breach", "worst breach")]
    rows += [
        (
            player.power,
            printable(names.get(player.power, ""), _NAME),
            f"{player.word.kept} of {player.word.pacts}" if player.word.pacts else "",
            player.word.first or "",
            player.word.worst or "",
        )
        for player in metrics.players
    ]
    return columns(rows, left=2)


def _kept(metrics: Metrics) -> list[tuple[str, ...]]:
    rows = [("power", "kept", "broken", "void", "kept %", "deceit", "turns", "stabs", "stabbed")]
    return rows + [
        (
            player.power,
            *map(str, (player.promises.kept, player.promises.broken, player.promises.void)),
            *map(percent, (player.promises.rate, player.deception)),
            _tenths(player.survival),
            *map(str, (player.stabs, player.stabbed)),
        )
        for player in metrics.players
    ]


def _talked(metrics: Metrics) -> list[tuple[str, ...]]:
    rows = [("power", "messages", "agreed", "answered", "yes", "seconds", "both sides", "free", "HUH")]
    return rows + [
        (
            player.power,
            str(player.messages),
            f"{player.agreed}/{player.proposed}",
            f"{player.answered}/{player.received}",
            f"{player.accepted}/{player.answered}",
            _tenths(player.response_time),
            *map(str, (player.contradictions, player.unread, player.huhs)),
        )
        for player in metrics.players
    ]


def _tenths(mean: float | None) -> str:
    return "" if mean is None else f"{mean:.1f}"


def _towards(metrics: Metrics) -> list[tuple[str, ...]]:
    powers = [player.power for player in metrics.players]
    found = {(pair.power, pair.towards): pair.promises for pair in metrics.pairs}

    def cell(power: str, towards: str) -> str:
        promises = found.get((power, towards))
        return f"{promises.kept}/{promises.broken}" if promises and promises.kept + promises.broken else "."

    return [("", *powers)] + [(power, *(cell(power, towards) for towards in powers)) for power in powers]
