"""The strip below a picture: the phase, and the centres and units of each power."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from parlour.core.marks import Mark, group, mark
from parlour.core.text import printable
from parlour.games.diplomacy.draw.ground import MARGIN
from parlour.games.diplomacy.draw.scene import Scene
from parlour.games.diplomacy.draw.svg import placed
from parlour.games.diplomacy.draw.theme import paint_of
from parlour.games.diplomacy.maps.map import Map

HEIGHT = 54.0
"""Height of the strip, at full width."""

_TITLE = 0.24
"""The part of the width that is reserved for the title."""
_NAME = 14
"""Maximum number of characters shown of a player's name."""


def legend(board: Map, scene: Scene, size: tuple[float, float], scale: float, names: Mapping[str, str]) -> Mark:
    """Return the strip below a picture of that size; names has the player of each power that is known."""
    width, height = size
    title = scene.title or board.title
    room = width * _TITLE
    letters = min(21.0 * scale, room / (0.66 * max(len(title), 1)))
    middle = height + MARGIN + HEIGHT * scale / 2 - 3 * scale
    heading = _words(0, middle + letters * 0.35, title, letters, fill="$ink", font_weight=700)
    powers = _ranked(board, scene)
    each = (width - room) / len(powers)
    cells = (
        _cell(power, counts, (room + i * each, middle), min(scale, each / 130), names.get(power, ""))
        for i, (power, counts) in enumerate(powers)
    )
    return group(heading, *cells, class_="legend")


def _ranked(board: Map, scene: Scene) -> list[tuple[str, tuple[int, int]]]:
    """Return each power with its numbers of centres and units, most centres first."""
    centres, units = Counter(scene.centres.values()), Counter(unit.power for unit in scene.units)
    counts = [(power.name, (centres[power.name], units[power.name])) for power in board.powers]
    return sorted(counts, key=lambda found: -found[1][0])


def _cell(power: str, counts: tuple[int, int], at: tuple[float, float], scale: float, name: str) -> Mark:
    """Return the cell of a power: its number of centres, its name, and its player or its number of units."""
    centres, units = counts
    out = centres == units == 0
    below = printable(name, _NAME) if name else "out" if out else f"{units} unit{'' if units == 1 else 's'}"
    return group(
        mark("rect", x=0, y=-17, width=34, height=34, rx=5, fill=paint_of(power, "land"), stroke="none"),
        mark("rect", x=0, y=-17, width=5, height=34, rx=2, fill=paint_of(power, "line")),
        _words(19.5, 6.5, str(centres), 18, fill="$label", font_weight=700, text_anchor="middle"),
        _words(41, -3, power.capitalize(), 13.5, fill="$ink", font_weight=700),
        _words(41, 12.5, below, 11.5, fill="$ink", opacity=0.8),
        data_power=power,
        transform=placed(at, scale),
        opacity=0.45 if out else None,
    )


def _words(x: float, y: float, text: str, size: float, **more: str | float) -> Mark:
    return mark("text", text, x=round(x, 1), y=round(y, 1), font_size=round(size, 1), **more)
