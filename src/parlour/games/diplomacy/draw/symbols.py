"""Symbols that are defined once and used many times, and shapes that are drawn where they stand."""

from __future__ import annotations

from collections.abc import Iterable

from parlour.core.marks import Mark, group, mark
from parlour.games.diplomacy.draw.svg import Point, number, placed, spikes
from parlour.games.diplomacy.draw.theme import paint_of

UNIT_WIDTH, UNIT_HEIGHT = 30.0, 24.0
"""Room that a unit's symbol takes."""

_ARMY = (
    "M-5.5 8.1-10.6 10.4-13 9.3-7 4.3M-6.8 3-10.2 1.6-11.2-2.6-8.6-4.9 9.9-10.3 12.6-9.6 13.4-6.7 11.4-4.8 2.2-.8"
    "M5.2 4.2A6.2 6.2 0 11-7.2 4.2 6.2 6.2 0 115.2 4.2z"
)
"""A gun: the wheel hides the ends of trail and barrel. All parts turn the same way, so that they fill as one area."""

_ARMY_LINES = "M2.4 4.2A3.4 3.4 0 11-4.4 4.2 3.4 3.4 0 112.4 4.2zM-1-1.2V9.6M-6.4 4.2H4.4"
_FLEET = (
    "M-13.6 3.4H13.6C12.6 7.4 10.4 10 7.6 10H-8.2C-10.8 10-12.8 7-13.6 3.4z"
    "M1.1-11C6.8-8.4 9.6-3.4 9.2 1.8H1.1zM-1.1-8.6C-3-3.6-6.4-.2-10.2 1.8H-1.1z"
)
_FLEET_LINES = "M0-11.6V3M-10.6 6.4H10.4"
_STAR = (1.85, 4.3, 4.35, 0.35, -3.3, 2.95, 1, 4.5, -3.9, -2.4, -3.9, 2.4, 1, -4.5, -3.3, -2.95, 4.35, -0.35)
"""Relative path steps around a star, from its topmost point."""

_STAR_TOP = 6.4
_BOUNCE = (
    -3.66, 2.3, 0.96, 4.21, -4.21, -0.96, -2.3, 3.66, -2.3, -3.66, -4.21, 0.96, 0.96, -4.21, -3.66, -2.3,
    3.66, -2.3, -0.96, -4.21, 4.21, 0.96, 2.3, -3.66, 2.3, 3.66, 4.21, -0.96, -0.96, 4.21,
)  # fmt: skip
"""Relative path steps around eight spikes, from the rightmost."""

_CUT = (
    4.4, -4.4, 1.5, 0.34, 0.34, 1.5, -4.4, 4.4, 4.4, 4.4, -0.34, 1.5, -1.5, 0.34, -4.4, -4.4,
    -4.4, 4.4, -1.5, -0.34, -0.34, -1.5, 4.4, -4.4, -4.4, -4.4, 0.34, -1.5, 1.5, -0.34,
)  # fmt: skip
"""Relative path steps around a cross with blunt ends, from just above its middle."""

_SYMBOL = {"A": "army", "F": "fleet"}
_CROSS = "M-{0}-{0} {0} {0}M{0}-{0}-{0} {0}"
_WAVES = (3, -4, 6, 0, 3, 4, 6, 0)
_CASING, _BAD = "$casing", "$bad"


def definitions() -> tuple[Mark, ...]:
    """Return the symbols, for a <defs>; a unit takes its fill and the colour of its details from its <use>."""
    return (
        _unit_symbol("army", _ARMY, _ARMY_LINES),
        _unit_symbol("fleet", _FLEET, _FLEET_LINES),
        _round("path", id="burst", d=spikes(19.5, 15.5, 14), fill=_CASING, stroke=_BAD, stroke_width=2),
        _crossed("gone", _CROSS.format(11), 7, 3.8),
        _round(
            "g",
            mark("circle", r=7, fill="$good", stroke_width=1.4),
            mark("path", d="M-3.6 0H3.6M0-3.6V3.6", stroke_width=2.2),
            id="built",
            stroke=_CASING,
        ),
    )


def unit(kind: str, point: Point, power: str, *, scale: float = 1.12, faded: bool = False) -> Mark:
    """Return an army (A) or fleet (F) at a point."""
    return mark(
        "use",
        href=f"#{_SYMBOL[kind]}",
        transform=placed(point, scale),
        fill=paint_of(power, "unit"),
        color=paint_of(power, "detail"),
        opacity=0.5 if faded else None,
    )


def stars(points: Iterable[Point], scale: float) -> str:
    """Return the path data of several stars, so that all stars of one colour are a single element on a page."""
    steps = _steps(_STAR, scale)
    return "".join(f"M{number(x)} {number(y - _STAR_TOP * scale)}l{steps}z" for x, y in points)


def waves(point: Point, scale: float) -> str:
    """Return the path data of the water below a fleet that carries an army."""
    x, y = point
    return f"M{number(x - 18 * scale)} {number(y + 14 * scale)}q{_steps(_WAVES * 3, scale)}"


def circle(point: Point, radius: float) -> str:
    """Return the path data of a circle, so that a page can turn this path into the path of another order."""
    x, y, r = round(point[0], 1), round(point[1], 1), round(radius, 1)
    arc = f"a{r:g} {r:g} 0 11"
    return f"M{round(x + r, 1):g} {y:g}{arc}{-2 * r:g} 0{arc}{2 * r:g} 0z"


def sign(name: str, point: Point, scale: float = 1.0) -> Mark:
    """Return one of the defined marks at a point."""
    return mark("use", href=f"#{name}", transform=placed(point, scale))


def bounce(point: Point, scale: float) -> Mark:
    """Return the sign of a bounced move.

    A bounce is one path, as a cut and an arrow head are. A page that replaces one order by another then only changes
    a path.
    """
    x, y = point
    away, down, up, back = (_steps(step, scale) for step in ((-11.8, -2.6), (5.2, 5.2), (0, -5.2), (-5.2, 5.2)))
    cross = f"m{away}l{down}m{up}l{back}"
    d = f"M{number(x + 9.2 * scale)} {number(y)}l{_steps(_BOUNCE, scale)}z{cross}"
    width = round(1.6 * scale, 2)
    return mark("path", d=d, fill=_BAD, stroke=_CASING, stroke_width=width, data_sign="bounce")


def cut(point: Point, scale: float) -> Mark:
    """Return the sign of an order without effect."""
    x, y = point
    d = f"M{number(x)} {number(y - 1.84 * scale)}l{_steps(_CUT, scale)}z"
    width = round(2.6 * scale, 2)
    return mark("path", d=d, fill=_BAD, stroke=_CASING, stroke_width=width, paint_order="stroke", data_sign="cut")


def _steps(values: Iterable[float], scale: float) -> str:
    return " ".join(f"{round(value * scale, 2):g}" for value in values).replace(" -", "-")


def _round(tag: str, *inside: Mark, **attributes: str | float) -> Mark:
    return mark(tag, *inside, **attributes, stroke_linecap="round", stroke_linejoin="round")


def _unit_symbol(name: str, shape: str, lines: str) -> Mark:
    """Return a symbol of few elements and strokes: a browser copies them per unit and paints all when one moves."""
    halo = mark("path", d=shape, fill="none", stroke="$unit-halo", stroke_width=3.8)
    body = mark("path", d=shape, stroke="$unit-ink", stroke_width=1.5)
    details = mark("path", d=lines, fill="none", stroke="currentColor")
    return group(halo, body, details, id=name, stroke_linejoin="round")


def _crossed(name: str, path: str, outer: float, inner: float) -> Mark:
    strokes = ((_CASING, outer), (_BAD, inner))
    return _round("g", *(mark("path", d=path, stroke=s, stroke_width=w) for s, w in strokes), id=name, fill="none")
