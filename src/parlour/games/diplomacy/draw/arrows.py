"""Draws orders: lines below the labels, heads and marks above the units."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from parlour.games.diplomacy.draw import curves
from parlour.games.diplomacy.draw.curves import Box, Curve
from parlour.games.diplomacy.draw.scene import Order, OrderKind, Result, Scene, province_of
from parlour.games.diplomacy.draw.shapes import Geometry
from parlour.games.diplomacy.draw.svg import Point, attribute, body, number, place, through
from parlour.games.diplomacy.draw.symbols import UNIT_HEIGHT, UNIT_WIDTH, mark, unit
from parlour.games.diplomacy.draw.theme import Paint, Theme

RING = 17.0
"""Radius of the ring round a unit that holds."""

_FIRST_BELOW = (
    OrderKind.CONVOY,
    OrderKind.SUPPORT,
    OrderKind.HOLD,
    OrderKind.MOVE,
    OrderKind.RETREAT,
    OrderKind.BUILD,
    OrderKind.REMOVE,
)
_SUPPORT_DASH, _FAILED_DASH = "5 4", "9 4"


@dataclass
class Arrows:
    """Collects what the orders of a scene look like, in three layers."""

    geometry: Geometry
    scene: Scene
    paints: Mapping[str, Paint]
    theme: Theme
    scale: float
    taken: list[Box]
    """What marks should not cover; grows with every mark."""
    below: list[str] = field(default_factory=list)
    above: list[str] = field(default_factory=list)
    moves: dict[str, Curve] = field(default_factory=dict)

    def draw(self, shown: Iterable[Order]) -> None:
        """Draw the orders that are shown; others of the scene still say how a supported unit moves."""
        self.taken.extend(
            Box(*self._berth(u.area, u.dislodged), UNIT_WIDTH / 2, UNIT_HEIGHT / 2) for u in self.scene.units
        )
        for order in self.scene.orders:
            # A unit may have got a second, void order.
            if order.kind is OrderKind.MOVE and order.result is not Result.VOID:
                path = self.moves[province_of(order.area)] = self._path(order)
                if not order.result.failed:
                    self.taken.append(Box(*path[-1], 7 * self.scale, 7 * self.scale))
        for order in sorted(shown, key=lambda order: _FIRST_BELOW.index(order.kind)):
            below, above = self._one(order)
            faint = ' opacity=".6"' if order.result is Result.VOID else ""
            group = (
                f'<g class="order" data-power={attribute(order.power)} data-kind="{order.kind}" '
                f'data-result="{order.result}"{faint}>'
            )
            verdict = "" if order.result is Result.PENDING else f": {order.result}"
            self.below.append(f"{group}<title>{body(f'{order}{verdict}')}</title>{below}</g>")
            if above:
                self.above.append(f"<g{faint}>{above}</g>" if faint else above)

    def _one(self, order: Order) -> tuple[str, str]:
        """The parts of one order below labels and above units."""
        match order.kind:
            case OrderKind.MOVE | OrderKind.RETREAT:
                below, above = self._move(order)
            case OrderKind.SUPPORT:
                below, above = self._support(order)
            case OrderKind.CONVOY:
                below, above = self._convoy(order)
            case OrderKind.HOLD:
                below, above = self._ring(self._berth(order.area), self._colour(order)) if order.given else "", ""
                if order.result is Result.VOID:
                    above = self._mark("cut", self._beside(order.area))
            case OrderKind.BUILD:
                below, above = self._build(order)
            case OrderKind.REMOVE if order.result is Result.VOID:
                below, above = "", self._mark("cut", self._beside(order.area))
            case OrderKind.REMOVE:
                gone = any(u.dislodged and province_of(u.area) == province_of(order.area) for u in self.scene.units)
                below, above = "", self._mark("gone", self._berth(order.area, gone))
        if order.result is Result.DISLODGED:
            below += mark("burst", self._berth(order.area), 1.15 * self.scale)
        return below, above

    def _move(self, order: Order) -> tuple[str, str]:
        retreat = order.kind is OrderKind.RETREAT
        curve = self._path(order)
        colour = self._colour(order)
        dash = "1 5.5" if retreat else _FAILED_DASH if order.result.failed else ""
        width = 3.4 if retreat else 2.7
        if order.result in (Result.BOUNCED, Result.DISLODGED):
            tail = [1 - i / 40 for i in range(24)]
            part = curves.clear_part(curve, tail, 9 * self.scale, self.taken)
            stopped = curves.up_to(curve, part)
            return self._line(stopped, colour, width, dash), self._mark("bounce", stopped[-1])
        below, head = self._arrow(curve, colour, width, dash, hollow=retreat)
        if order.result.failed:
            head += self._crossed(curve)
        return below, head

    def _support(self, order: Order) -> tuple[str, str]:
        start, colour = self._berth(order.area), self._colour(order)
        if order.supports_move:
            moved, below = self._supported(order, colour)
            end = curves.spot(moved, 0.58)
            line = self._tether(start, end, 0)
            above = self._dot(end, 3.8, colour, self.theme.casing)
        else:
            end = self._berth(order.target_area)
            line = self._tether(start, end, RING * self.scale)
            below = self._ring(end, colour, _SUPPORT_DASH)
            # Two units side by side leave little room for a line, so its end at the ring is dotted as well.
            above = self._dot(line[-1], 3.2, colour, self.theme.casing)
        below += self._line(line, colour, 2.4, _SUPPORT_DASH)
        if order.result.failed:
            above += self._crossed(line)
        return below, above

    def _convoy(self, order: Order) -> tuple[str, str]:
        start, colour = self._berth(order.area), self._colour(order)
        moved, below = self._supported(order, colour)
        end = curves.nearest(moved, start)
        waves = place(start, self.scale)
        below += (
            f'<use href="#waves"{waves} stroke="{self.theme.casing}" stroke-width="5.4"/>'
            f'<use href="#waves"{waves} stroke="{colour}" stroke-width="2.4"/>'
        )
        if math.dist(start, end) > 26:
            below += self._line(curves.trimmed([start, end], 14, 0), colour, 2.6, "1 5")
        above = self._dot(end, 3.4, self.theme.casing, colour, 2)
        if order.result.failed:
            above += self._mark("cut", self._beside(order.area))
        return below, above

    def _build(self, order: Order) -> tuple[str, str]:
        at = self._berth(order.area)
        ring = self._ring(at, self.theme.good)
        x, y = at
        sign = self._mark("cut" if order.result.failed else "built", (x + 14 * self.scale, y - 13 * self.scale))
        if any(province_of(u.area) == province_of(order.area) for u in self.scene.units):
            return ring, sign
        return ring, unit(order.unit, at, self.paints[order.power], self.theme, scale=1.12 * self.scale) + sign

    def _supported(self, order: Order, colour: str) -> tuple[Curve, str]:
        """The way of the unit that is supported or convoyed; drawn faintly if it was not ordered to go it."""
        curve = self.moves.get(province_of(order.target_area))
        matching = (
            q.kind is OrderKind.MOVE
            and province_of(q.area) == province_of(order.target_area)
            and province_of(q.to) == province_of(order.to)
            for q in self.scene.orders
        )
        if curve and any(matching):
            return curve, ""
        ends = self._berth(order.target_area), self._berth(order.to)
        curve = curves.trimmed(curves.arc(*ends), 13, 15)
        return curve, (
            f'<path fill="none" d="{through(curve)}" stroke="{colour}" stroke-width="1.4" stroke-dasharray="2 4" '
            f'stroke-opacity=".8"/>'
        )

    def _path(self, order: Order) -> Curve:
        """The way of a move or retreat, from unit to unit; convoyed armies pass just below their fleets."""
        start = self._berth(order.area, order.kind is OrderKind.RETREAT)
        end = self._berth(order.to)
        fleets = [(x, y + 13) for x, y in map(self._berth, order.via)]
        far = math.dist(start, end) > 50
        busy = any(province_of(u.area) == province_of(order.to) for u in self.scene.units)
        room = (15 if far else 11) if busy else 3
        return curves.trimmed(curves.route([start, *fleets, end]), 13 if far else 9, room * self.scale)

    def _tether(self, start: Point, end: Point, room: float) -> Curve:
        """The line of a support; a short one is bent more and trimmed less, to be seen between two units."""
        near = math.dist(start, end) < 60
        return curves.trimmed(curves.arc(start, end, 0.3 if near else 0.07), 7 if near else 12, room)

    def _arrow(self, curve: Curve, colour: str, width: float, dash: str, *, hollow: bool) -> tuple[str, str]:
        shaft = curves.trimmed(curve, 0, 8)
        (bx, by), (tx, ty) = shaft[-1], curve[-1]
        size = math.dist(shaft[-1], curve[-1]) or 1
        ux, uy = (tx - bx) / size, (ty - by) / size
        hx, hy = tx - ux * 11, ty - uy * 11
        corners = (
            (tx, ty),
            (hx - uy * 5.4, hy + ux * 5.4),
            (hx + ux * 2.6, hy + uy * 2.6),
            (hx + uy * 5.4, hy - ux * 5.4),
        )
        d = through(corners) + "z"
        casing = self.theme.casing
        head = (
            f'<g stroke-linejoin="round"><path d="{d}" fill="{casing}" stroke="{casing}" stroke-width="4"/>'
            f'<path d="{d}" fill="{casing if hollow else colour}" stroke="{colour}" stroke-width="1.4"/></g>'
        )
        return self._line(shaft, colour, width, dash), head

    def _line(self, curve: Curve, colour: str, width: float, dash: str = "") -> str:
        d, thick = through(curve), round(width * self.scale, 2)
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        return (
            f'<g fill="none" stroke-linecap="round" stroke-linejoin="round"><path d="{d}" '
            f'stroke="{self.theme.casing}" stroke-width="{thick + 2.8:g}" stroke-opacity=".9"/>'
            f'<path d="{d}" stroke="{colour}" stroke-width="{thick:g}"{dashed}/></g>'
        )

    def _ring(self, at: Point, colour: str, dash: str = "") -> str:
        circle = f'<circle cx="{number(at[0])}" cy="{number(at[1])}" r="{number(RING * self.scale)}"'
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        return (
            f'<g fill="none">{circle} stroke="{self.theme.casing}" stroke-width="5"/>'
            f'{circle} stroke="{colour}" stroke-width="2.4"{dashed}/></g>'
        )

    def _dot(self, at: Point, radius: float, fill: str, stroke: str, width: float = 1.3) -> str:
        return (
            f'<circle cx="{number(at[0])}" cy="{number(at[1])}" r="{radius:g}" fill="{fill}" stroke="{stroke}" '
            f'stroke-width="{width:g}"/>'
        )

    def _crossed(self, curve: Curve) -> str:
        middle = [0.5 + sign * i / 40 for i in range(10) for sign in (1, -1)]
        part = curves.clear_part(curve, middle, 5 * self.scale, self.taken)
        return self._mark("cut", curves.spot(curve, part))

    def _mark(self, name: str, at: Point) -> str:
        self.taken.append(Box(*at, 8 * self.scale, 8 * self.scale))
        return mark(name, at, self.scale)

    def _beside(self, area: str) -> Point:
        x, y = self._berth(area)
        return x + 13 * self.scale, y - 11 * self.scale

    def _berth(self, area: str, dislodged: bool = False) -> Point:
        return self.geometry.berth(area, dislodged=dislodged)

    def _colour(self, order: Order) -> str:
        return self.paints[order.power].line
