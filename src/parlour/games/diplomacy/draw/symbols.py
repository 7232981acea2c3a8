"""Symbols that are defined once and used many times: army, fleet, star, and the marks of results."""

from __future__ import annotations

from parlour.core.marks import Mark, group, mark
from parlour.games.diplomacy.draw.svg import Point, placed, spikes
from parlour.games.diplomacy.draw.theme import paint_of

UNIT_WIDTH, UNIT_HEIGHT = 30.0, 24.0
"""Room that a unit's symbol takes."""

_WHEEL = "M5.2 4.2A6.2 6.2 0 11-7.2 4.2 6.2 6.2 0 115.2 4.2z"
_ARMY = (
    "M-13 9.3-3.2 1.2 1 5.2-10.6 10.4zM-11.2-2.6-8.6-4.9 9.9-10.3 12.6-9.6 13.4-6.7 11.4-4.8-6.6 3.1-10.2 1.6z",
    _WHEEL,
)
_ARMY_LINES = "M2.4 4.2A3.4 3.4 0 11-4.4 4.2 3.4 3.4 0 112.4 4.2zM-1-1.2V9.6M-6.4 4.2H4.4"
_FLEET = (
    "M-13.6 3.4H13.6C12.6 7.4 10.4 10 7.6 10H-8.2C-10.8 10-12.8 7-13.6 3.4z"
    "M1.1-11C6.8-8.4 9.6-3.4 9.2 1.8H1.1zM-1.1-8.6C-3-3.6-6.4-.2-10.2 1.8H-1.1z",
)
_FLEET_LINES = "M0-11.6V3M-10.6 6.4H10.4"
_STAR = "M0-6.4 1.85-2.1 6.2-1.75 2.9 1.2 3.9 5.7 0 3.3-3.9 5.7-2.9 1.2-6.2-1.75-1.85-2.1z"
_SYMBOL = {"A": "army", "F": "fleet"}
_CROSS = "M-{0}-{0} {0} {0}M{0}-{0}-{0} {0}"
_WAVES = "M-18 14" + "q3-4 6 0q3 4 6 0" * 3
_CASING, _BAD = "$casing", "$bad"


def definitions() -> tuple[Mark, ...]:
    """The symbols, for a <defs>; a unit takes its fill and the colour of its details from its use."""
    return (
        _unit_symbol("army", _ARMY, _ARMY_LINES),
        _unit_symbol("fleet", _FLEET, _FLEET_LINES),
        mark("path", id="star", d=_STAR, stroke="$centre-ink", stroke_width=1.1, stroke_linejoin="round"),
        _round("path", id="burst", d=spikes(19.5, 15.5, 14), fill=_CASING, stroke=_BAD, stroke_width=2),
        _round(
            "g",
            mark("path", d=spikes(9.2, 6, 8), fill=_BAD, stroke_width=1.4),
            mark("path", d=_CROSS.format(2.6), stroke_width=1.9),
            id="bounce",
            stroke=_CASING,
        ),
        _crossed("cut", _CROSS.format(5), 5.2, 2.6),
        _crossed("gone", _CROSS.format(11), 7, 3.8),
        _round(
            "g",
            mark("circle", r=7, fill="$good", stroke_width=1.4),
            mark("path", d="M-3.6 0H3.6M0-3.6V3.6", stroke_width=2.2),
            id="built",
            stroke=_CASING,
        ),
        _round("path", id="waves", d=_WAVES, fill="none"),
    )


def unit(kind: str, point: Point, power: str, *, scale: float = 1.12, faded: bool = False) -> Mark:
    """An army (A) or fleet (F) at a point."""
    return mark(
        "use",
        href=f"#{_SYMBOL[kind]}",
        transform=placed(point, scale),
        fill=paint_of(power, "unit"),
        color=paint_of(power, "detail"),
        opacity=0.5 if faded else None,
    )


def sign(name: str, point: Point, scale: float = 1.0) -> Mark:
    """One of the defined marks at a point."""
    return mark("use", href=f"#{name}", transform=placed(point, scale))


def _round(tag: str, *inside: Mark, **attributes: str | float) -> Mark:
    return mark(tag, *inside, **attributes, stroke_linecap="round", stroke_linejoin="round")


def _unit_symbol(name: str, shape: tuple[str, ...], lines: str) -> Mark:
    """Few elements: a browser makes all of them again for each unit, and styles and lays out each."""
    halo = mark("path", d="".join(shape), fill="$unit-halo", stroke="$unit-halo", stroke_width=3.8)
    body = (mark("path", d=part, stroke="$unit-ink", stroke_width=1.5) for part in shape)
    details = mark("path", d=lines, fill="none", stroke="currentColor")
    return group(halo, *body, details, id=name, stroke_linejoin="round")


def _crossed(name: str, path: str, outer: float, inner: float) -> Mark:
    strokes = ((_CASING, outer), (_BAD, inner))
    return _round("g", *(mark("path", d=path, stroke=s, stroke_width=w) for s, w in strokes), id=name, fill="none")
