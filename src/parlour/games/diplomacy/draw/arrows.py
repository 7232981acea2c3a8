"""Draws orders: lines below the labels, heads and marks above the units."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial

from parlour.core.marks import Mark, group, mark
from parlour.games.diplomacy.draw import curves
from parlour.games.diplomacy.draw.curves import Box, Curve
from parlour.games.diplomacy.draw.scene import DrawnKind, DrawnOrder, Result, Scene, province_of
from parlour.games.diplomacy.draw.shapes import Geometry
from parlour.games.diplomacy.draw.svg import Point, through
from parlour.games.diplomacy.draw.symbols import UNIT_HEIGHT, UNIT_WIDTH, bounce, circle, cut, sign, unit, waves
from parlour.games.diplomacy.draw.theme import paint_of

RING = 17.0
"""Radius of the ring round a unit that holds."""

MOST_OF_ONE = 3
"""Maximum number of drawn orders of one power for one province. At most one of them is valid."""

_FIRST_BELOW = (
    DrawnKind.CONVOY,
    DrawnKind.SUPPORT,
    DrawnKind.HOLD,
    DrawnKind.MOVE,
    DrawnKind.RETREAT,
    DrawnKind.BUILD,
    DrawnKind.REMOVE,
)
_SUPPORT_DASH, _FAILED_DASH = "5 4", "9 4"
_CASING = "$casing"
_ROUND = {"stroke_linecap": "round", "stroke_linejoin": "round"}
"""Ends and joins of an order's lines, set once on the group: a page makes an element of each mark."""


Layers = tuple[list[Mark], list[Mark]]
"""Marks below labels and units, and marks above them."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """An order as it is drawn."""

    order: DrawnOrder
    below: Mark
    above: Mark | None


@dataclass
class Arrows:
    """A drawer of the orders of a scene; each mark avoids the boxes that are taken."""

    geometry: Geometry
    scene: Scene
    scale: float
    taken: list[Box]
    """Boxes that marks should not cover; every mark adds its own."""
    moves: dict[str, Curve] = field(default_factory=dict)
    ways: set[tuple[str, str]] = field(default_factory=set)
    """Start and end of each ordered move in the scene."""

    def draw(self, shown: Iterable[DrawnOrder]) -> list[Drawn]:
        """Return the orders that are shown, lowest first; the scene's other moves still decide how supports are drawn.

        Each mark is checked against all earlier ones, so the number of orders for one place is bounded.
        """
        self.taken.extend(
            Box(*self._berth(u.area, u.dislodged), UNIT_WIDTH / 2, UNIT_HEIGHT / 2) for u in self.scene.units
        )
        for order in few_of_each(self.scene.orders):
            # A unit may have got a second, void order.
            if order.kind is DrawnKind.MOVE and order.result is not Result.VOID:
                path = self.moves[province_of(order.area)] = self._path(order)
                if not order.result.failed:
                    self.taken.append(Box(*path[-1], 7 * self.scale, 7 * self.scale))
        moves = (order for order in self.scene.orders if order.kind is DrawnKind.MOVE)
        self.ways.update((province_of(order.area), province_of(order.to)) for order in moves)
        bounded = few_of_each(shown)
        return [self._drawn(order) for order in sorted(bounded, key=lambda order: _FIRST_BELOW.index(order.kind))]

    def _drawn(self, order: DrawnOrder) -> Drawn:
        below, above = self._one(order)
        faint = 0.6 if order.result is Result.VOID else None
        verdict = "" if order.result is Result.PENDING else f": {order.result}"
        lines = group(
            mark("title", f"{order}{verdict}"),
            *below,
            **_ROUND,
            fill="none",
            class_="order",
            data_power=order.power,
            data_kind=order.kind.value,
            data_result=order.result.value,
            opacity=faint,
        )
        return Drawn(order, lines, group(*above, **_ROUND, opacity=faint) if above else None)

    def _one(self, order: DrawnOrder) -> Layers:
        """Return the parts of one order."""
        below: list[Mark]
        above: list[Mark]
        match order.kind:
            case DrawnKind.MOVE | DrawnKind.RETREAT:
                below, above = self._move(order)
            case DrawnKind.SUPPORT:
                below, above = self._support(order)
            case DrawnKind.CONVOY:
                below, above = self._convoy(order)
            case DrawnKind.HOLD:
                below, above = self._ring(self._berth(order.area), self._colour(order)) if order.given else [], []
                if order.result is Result.VOID:
                    above = [self._sign(cut, self._beside(order.area))]
            case DrawnKind.BUILD:
                below, above = self._build(order)
            case DrawnKind.REMOVE if order.result is Result.VOID:
                below, above = [], [self._sign(cut, self._beside(order.area))]
            case DrawnKind.REMOVE:
                gone = any(u.dislodged and province_of(u.area) == province_of(order.area) for u in self.scene.units)
                below, above = [], [self._sign(partial(sign, "gone"), self._berth(order.area, gone))]
        if order.result is Result.DISLODGED:
            below.append(sign("burst", self._berth(order.area), 1.15 * self.scale))
        return below, above

    def _move(self, order: DrawnOrder) -> Layers:
        retreat = order.kind is DrawnKind.RETREAT
        curve = self._path(order)
        colour = self._colour(order)
        dash = "1 5.5" if retreat else _FAILED_DASH if order.result.failed else None
        width = 3.4 if retreat else 2.7
        if order.result in (Result.BOUNCED, Result.DISLODGED):
            tail = [1 - i / 40 for i in range(24)]
            part = curves.clear_part(curve, tail, 9 * self.scale, self.taken)
            stopped = curves.up_to(curve, part)
            return self._line(stopped, colour, width, dash), [self._sign(bounce, stopped[-1])]
        shaft, head = self._arrow(curve, colour, width, dash, hollow=retreat)
        return shaft, [*head, self._crossed(curve)] if order.result.failed else head

    def _support(self, order: DrawnOrder) -> Layers:
        start, colour = self._berth(order.area), self._colour(order)
        if order.supports_move:
            moved, below = self._supported(order, colour)
            end = curves.spot(moved, 0.58)
            line = self._tether(start, end, 0)
            above = [self._dot(end, 3.8, colour, _CASING)]
        else:
            end = self._berth(order.target_area)
            line = self._tether(start, end, RING * self.scale)
            below = self._ring(end, colour, _SUPPORT_DASH)
            # Two units side by side leave little room for a line, so its end at the ring is dotted as well.
            above = [self._dot(line[-1], 3.2, colour, _CASING)]
        below.extend(self._line(line, colour, 2.4, _SUPPORT_DASH))
        if order.result.failed:
            above.append(self._crossed(line))
        return below, above

    def _convoy(self, order: DrawnOrder) -> Layers:
        start, colour = self._berth(order.area), self._colour(order)
        moved, below = self._supported(order, colour)
        end = curves.nearest(moved, start)
        water = waves(start, self.scale)
        for stroke, width in ((_CASING, 5.4), (colour, 2.4)):
            below.append(mark("path", d=water, stroke=stroke, stroke_width=width * self.scale))
        if math.dist(start, end) > 26:
            below.extend(self._line(curves.trimmed([start, end], 14, 0), colour, 2.6, "1 5"))
        above = [self._dot(end, 3.4, _CASING, colour, 2)]
        if order.result.failed:
            above.append(self._sign(cut, self._beside(order.area)))
        return below, above

    def _build(self, order: DrawnOrder) -> Layers:
        at = self._berth(order.area)
        x, y = at
        seal = self._sign(
            cut if order.result.failed else partial(sign, "built"), (x + 14 * self.scale, y - 13 * self.scale)
        )
        above = [seal]
        if not any(province_of(u.area) == province_of(order.area) for u in self.scene.units):
            above = [unit(order.unit, at, order.power, scale=1.12 * self.scale), seal]
        return self._ring(at, "$good"), above

    def _supported(self, order: DrawnOrder, colour: str) -> tuple[Curve, list[Mark]]:
        """Return the way of the supported or convoyed unit, with a faint line if it was not ordered to go there."""
        curve = self.moves.get(province_of(order.target_area))
        if curve and (province_of(order.target_area), province_of(order.to)) in self.ways:
            return curve, []
        ends = self._berth(order.target_area), self._berth(order.to)
        curve = curves.trimmed(curves.arc(*ends), 13, 15)
        faint = mark(
            "path",
            d=curves.drawn(curve),
            stroke=colour,
            stroke_width=1.4,
            stroke_dasharray="2 4",
            stroke_opacity=0.8,
            stroke_linecap="butt",
        )
        return curve, [faint]

    def _path(self, order: DrawnOrder) -> Curve:
        """Return the way of a move or retreat, from unit to unit; convoyed armies pass just below their fleets."""
        start = self._berth(order.area, order.kind is DrawnKind.RETREAT)
        end = self._berth(order.to)
        fleets = [(x, y + 13) for x, y in map(self._berth, order.via)]
        far = math.dist(start, end) > 50
        busy = any(province_of(u.area) == province_of(order.to) for u in self.scene.units)
        room = (15 if far else 11) if busy else 3
        return curves.trimmed(curves.route([start, *fleets, end]), 13 if far else 9, room * self.scale)

    def _tether(self, start: Point, end: Point, room: float) -> Curve:
        """Return the line of a support; a short one is bent more and trimmed less, to be seen between two units."""
        near = math.dist(start, end) < 60
        return curves.trimmed(curves.arc(start, end, 0.3 if near else 0.07), 7 if near else 12, room)

    def _arrow(self, curve: Curve, colour: str, width: float, dash: str | None, *, hollow: bool) -> Layers:
        shaft = curves.trimmed(curve, 0, 8)
        (bx, by), (tx, ty) = shaft[-1], curve[-1]
        size = math.dist(shaft[-1], curve[-1]) or 1
        ux, uy = (tx - bx) / size, (ty - by) / size
        hx, hy = tx - ux * 11, ty - uy * 11
        # A hollow head is drawn twice, its casing and its edge; a filled one needs one mark, larger by half that edge.
        edge = 0 if hollow else 0.7
        corners = (
            (tx + ux * edge, ty + uy * edge),
            (hx - ux * edge - uy * (5.4 + edge), hy - uy * edge + ux * (5.4 + edge)),
            (hx + ux * 2.6, hy + uy * 2.6),
            (hx - ux * edge + uy * (5.4 + edge), hy - uy * edge - ux * (5.4 + edge)),
        )
        d = through(corners) + "z"
        if hollow:
            casing = mark("path", d=d, fill=_CASING, stroke=_CASING, stroke_width=4)
            head = [casing, mark("path", d=d, fill=_CASING, stroke=colour, stroke_width=1.4)]
        else:
            head = [mark("path", d=d, fill=colour, stroke=_CASING, stroke_width=2.6, paint_order="stroke")]
        return self._line(shaft, colour, width, dash), head

    def _line(self, curve: Curve, colour: str, width: float, dash: str | None = None) -> list[Mark]:
        d, thick = curves.drawn(curve), round(width * self.scale, 2)
        return [
            mark("path", d=d, stroke=_CASING, stroke_width=thick + 2.8, stroke_opacity=0.9),
            mark("path", d=d, stroke=colour, stroke_width=thick, stroke_dasharray=dash),
        ]

    def _ring(self, at: Point, colour: str, dash: str | None = None) -> list[Mark]:
        d, cap = circle(at, RING * self.scale), "butt" if dash else None
        return [
            mark("path", d=d, stroke=_CASING, stroke_width=5),
            mark("path", d=d, stroke=colour, stroke_width=2.4, stroke_dasharray=dash, stroke_linecap=cap),
        ]

    def _dot(self, at: Point, radius: float, fill: str, stroke: str, width: float = 1.3) -> Mark:
        return mark("path", d=circle(at, radius), fill=fill, stroke=stroke, stroke_width=width)

    def _crossed(self, curve: Curve) -> Mark:
        middle = [0.5 + sign * i / 40 for i in range(10) for sign in (1, -1)]
        part = curves.clear_part(curve, middle, 5 * self.scale, self.taken)
        return self._sign(cut, curves.spot(curve, part))

    def _sign(self, drawn: Callable[[Point, float], Mark], at: Point) -> Mark:
        self.taken.append(Box(*at, 8 * self.scale, 8 * self.scale))
        return drawn(at, self.scale)

    def _beside(self, area: str) -> Point:
        x, y = self._berth(area)
        return x + 13 * self.scale, y - 11 * self.scale

    def _berth(self, area: str, dislodged: bool = False) -> Point:
        return self.geometry.berth(area, dislodged=dislodged)

    def _colour(self, order: DrawnOrder) -> str:
        return paint_of(order.power, "line")


def few_of_each(orders: Iterable[DrawnOrder]) -> list[DrawnOrder]:
    """Return the first MOST_OF_ONE orders of each power for each province."""
    counts: Counter[tuple[str, str]] = Counter()
    found = []
    for order in orders:
        place = order.power, province_of(order.area)
        counts[place] += 1
        if counts[place] <= MOST_OF_ONE:
            found.append(order)
    return found
