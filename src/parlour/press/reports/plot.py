"""Draws the metrics of a match as an SVG: promises kept and broken by each player, and between each pair.

A pair is green only if no promise was broken: readers see colour before figures, and most promises are easy to keep.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from parlour.core.markup import SVG, Attribute, Html, joined, tag
from parlour.core.text import printable
from parlour.press.language.tokens import Lexicon, standard_lexicon
from parlour.press.reports.metrics import Metrics, PairMetrics, Promises, percent

KEPT, AMBER, BROKEN, VOID, EMPTY, INK, PAPER = (
    "#2f7d5b",
    "#a8701a",
    "#b5382e",
    "#b9b4a7",
    "#ece8dd",
    "#2b2a27",
    "#fbf9f4",
)
_LEFT, _BAR, _CELL, _NAME = 150, 260, 46, 20


def plot(metrics: Metrics, lexicon: Lexicon | None = None, players: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return the picture as the text of an SVG file, with the names of the players."""
    names = (lexicon or standard_lexicon()).powers
    rows = len(metrics.players)
    matrix_left = _LEFT + _BAR + 230
    width = matrix_left + rows * _CELL + 20
    height = 74 + rows * _CELL + 20
    parts = [
        tag("title", "Promises kept and broken"),
        tag("rect", width=width, height=height, fill=PAPER),
        *_bars(metrics, names, players),
        *_matrix(metrics, names, matrix_left),
    ]
    size: dict[str, Attribute] = {"viewBox": f"0 0 {width} {height}", "width": width, "height": height}
    font: dict[str, Attribute] = {"font_family": "Georgia, serif", "font_size": 13, "fill": INK}
    picture = tag("svg", joined(parts, "\n"), xmlns=SVG, **size, **font, role="img")
    return f"{picture}\n"


def _bars(metrics: Metrics, names: Mapping[str, str], players: Mapping[str, str]) -> Iterator[Html]:
    yield _text(_LEFT, 30, "Promises", size=16)
    for at, (colour, word) in enumerate(((KEPT, "kept"), (BROKEN, "broken"), (VOID, "void"))):
        x = _LEFT + 90 * at
        yield tag("rect", x=x, y=42, width=12, height=12, fill=colour)
        yield _text(x + 18, 53, word)
    largest = max((_total(player.promises) for player in metrics.players), default=0) or 1
    for row, player in enumerate(metrics.players):
        y, end = 74 + row * _CELL, float(_LEFT)
        yield _text(_LEFT - 10, y + 14, names[player.power], anchor="end")
        yield _text(_LEFT - 10, y + 29, printable(players.get(player.power, ""), _NAME), size=11, anchor="end")
        promises = player.promises
        for count, colour in ((promises.kept, KEPT), (promises.broken, BROKEN), (promises.void, VOID)):
            width = _BAR * count / largest
            if count:
                yield tag("rect", x=f"{end:.1f}", y=y + 6, width=f"{width:.1f}", height=20, fill=colour)
            end += width
        stabs = f", {player.stabs} stab{'s' * (player.stabs != 1)}" if player.stabs else ""
        if player.word.pacts:
            yield _text(end + 8, y + 14, f"{player.word.kept} of {player.word.pacts} pacts kept{stabs}")
            yield _text(end + 8, y + 29, f"{percent(promises.rate)} by phases", size=11)


def _matrix(metrics: Metrics, names: Mapping[str, str], left: int) -> Iterator[Html]:
    yield _text(left, 30, "Kept towards", size=16)
    places = {player.power: at for at, player in enumerate(metrics.players)}
    for power, at in places.items():
        yield _text(left + at * _CELL + _CELL / 2, 60, power, anchor="middle")
    for pair in metrics.pairs:
        x, y = left + places[pair.towards] * _CELL, 74 + places[pair.power] * _CELL
        yield _cell(pair, x, y, f"{names[pair.power]} towards {names[pair.towards]}")


def _cell(pair: PairMetrics, x: int, y: int, title: str) -> Html:
    rate = pair.promises.rate
    fill = EMPTY if rate is None else KEPT if rate == 1 else _mix(BROKEN, AMBER, rate)
    ink = INK if rate is None else "#ffffff"
    counts = f"{pair.promises.kept} kept, {pair.promises.broken} broken"
    square = tag("rect", x=x + 1, y=y + 1, width=_CELL - 2, height=_CELL - 2, fill=fill)
    share = _text(x + _CELL / 2, y + _CELL / 2 + 5, percent(rate), anchor="middle", fill=ink)
    return tag("g", tag("title", f"{title}: {counts}"), square, share)


def _text(x: float, y: float, words: str, *, size: int = 13, anchor: str = "start", fill: str = INK) -> Html:
    return tag("text", words, x=f"{x:.1f}", y=f"{y:.1f}", font_size=size, text_anchor=anchor, fill=fill)


def _total(promises: Promises) -> int:
    return promises.kept + promises.broken + promises.void


def _mix(low: str, high: str, share: float) -> str:
    """Return a colour between two others, at a share of the way from `low` to `high`."""
    pairs = ((int(low[at : at + 2], 16), int(high[at : at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)
