"""A ledger as text, for people: pacts and what became of them, stabs, contradictions, and the figures in columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from parlour.press.account import pact_line, sentence
from parlour.press.findings import Status
from parlour.press.ledger import Ledger
from parlour.press.metrics import Metrics, percent
from parlour.press.stabs import Stab

_LEGEND = """\
agreed  of its own proposals        deceit      possible promised orders
yes     of those that it answered               that it did not give
void    could not be performed      stabs       breaches of peace that did harm
seconds until its answer            both sides  agreed to what cannot both hold
turns   until it broke its word     free        messages in no press language"""


def summary(ledger: Ledger, metrics: Metrics, *, every: bool = False) -> str:
    """All of it; verdicts that are kept or open only if every one is wanted."""
    tables = (
        f"Who kept his word\n{_columns(_kept(metrics))}",
        f"How they talked\n{_columns(_talked(metrics))}",
        f"Promises kept/broken towards each\n{_columns(_towards(metrics))}",
    )
    return "\n\n".join(("\n".join(_lines(ledger, every)), *tables, _LEGEND))


def _lines(ledger: Ledger, every: bool) -> Iterator[str]:
    for pact in ledger.pacts.all:
        yield pact_line(pact, ledger.lexicon)
        for verdict in ledger.verdicts:
            if verdict.pact is pact and (every or verdict.status in (Status.BROKEN, Status.VOID)):
                mark = "!" if verdict.status is Status.BROKEN else " "
                yield f"  {mark} {verdict.phase}: {sentence(verdict, ledger.lexicon)}"
    for stab in ledger.stabs.all:
        yield f"stab: {stab.by} against {stab.victim}: {', '.join(_harm(stab))}"
    for clash in ledger.pacts.contradictions:
        yield f"contradiction: {clash.power} agreed to pact {clash.earlier.number} and pact {clash.later.number}"
    if not ledger.pacts.all:
        yield "nobody agreed on anything"


def _harm(stab: Stab) -> Iterator[str]:
    for centre in sorted(stab.centres):
        yield f"takes {centre}"
    for province in sorted(stab.dislodged):
        yield f"dislodges the unit in {province}"


def _columns(rows: Sequence[Sequence[str]]) -> str:
    """Rows under their headings, the first column left, the others right; plain text of the same width anywhere."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [[row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])] for row in rows]
    return "\n".join("  ".join(line).rstrip() for line in lines)


def _kept(metrics: Metrics) -> list[tuple[str, ...]]:
    rows = [("power", "agreed", "yes", "kept", "broken", "void", "kept %", "deceit", "stabs", "stabbed")]
    return rows + [
        (
            player.power,
            f"{player.agreed}/{player.proposed}",
            f"{player.accepted}/{player.answered}",
            *map(str, (player.promises.kept, player.promises.broken, player.promises.void)),
            *map(percent, (player.promises.rate, player.deception)),
            *map(str, (player.stabs, player.stabbed)),
        )
        for player in metrics.players
    ]


def _talked(metrics: Metrics) -> list[tuple[str, ...]]:
    rows = [("power", "messages", "answered", "seconds", "turns", "both sides", "free", "HUH")]
    return rows + [
        (
            player.power,
            str(player.messages),
            f"{player.answered}/{player.received}",
            *("" if mean is None else f"{mean:.1f}" for mean in (player.response_time, player.survival)),
            *map(str, (player.contradictions, player.unread, player.huhs)),
        )
        for player in metrics.players
    ]


def _towards(metrics: Metrics) -> list[tuple[str, ...]]:
    powers = [player.power for player in metrics.players]
    found = {(pair.power, pair.towards): pair.promises for pair in metrics.pairs}

    def cell(power: str, towards: str) -> str:
        promises = found.get((power, towards))
        return f"{promises.kept}/{promises.broken}" if promises and promises.kept + promises.broken else "."

    return [("", *powers)] + [(power, *(cell(power, towards) for towards in powers)) for power in powers]
