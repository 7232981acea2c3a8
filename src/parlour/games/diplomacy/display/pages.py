"""Diplomacy for folders of pictures and for pages: the sheet, frames, results of orders, and legal orders."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from parlour.core import game as core
from parlour.core.events import TurnEnded
from parlour.core.game import Plain, Seat
from parlour.core.marks import Mark
from parlour.core.pictures import ActionResult, Bond, Frame, Sheet, Turning
from parlour.games.diplomacy.display import pictures
from parlour.games.diplomacy.draw import ground, pacts
from parlour.games.diplomacy.draw.arrows import Drawn
from parlour.games.diplomacy.draw.geometry import geometry_of
from parlour.games.diplomacy.draw.labels import centres
from parlour.games.diplomacy.draw.picture import Picture
from parlour.games.diplomacy.draw.scene import province_of
from parlour.games.diplomacy.draw.sheets import sheet_of
from parlour.games.diplomacy.maps.map import named, path_of
from parlour.games.diplomacy.position import Position
from parlour.games.diplomacy.turn import Turn


class DiplomacyPictures:
    """The pictures of Diplomacy for folders and web pages."""

    def name(self, before: core.Position, turn: int) -> str:
        """Return the name of a turn for files: its number and phase, for example 0003-W1901A."""
        return f"{turn:04}-{_diplomacy(before).phase}"

    def picture(
        self, after: core.Position, turn: TurnEnded, *, theme: str, width: int | None, names: Mapping[str, str]
    ) -> str:
        """Return the position before the turn, its orders and their results; in fog the position after it."""
        here = _diplomacy(after)
        if here.turn is None:
            return pictures.draw_position(here, theme=theme, width=width, names=names, legend=True)
        return pictures.draw_turn(here.turn, theme=theme, width=width, names=names, legend=True)

    def sheet(self, position: core.Position) -> Sheet:
        """Return the sheet of the map."""
        return sheet_of(_diplomacy(position).board)

    def sheet_named(self, key: str) -> Sheet | None:
        """Return the sheet of the map of that name; None if there is none."""
        return sheet_of(named(key)) if path_of(key) is not None else None

    def label(self, position: core.Position, turn: int) -> tuple[str, str]:
        """Return the short and the long name of the phase, for example S1901M and Spring 1901, movement."""
        here = _diplomacy(position)
        return here.phase, here.phase_name

    def frame(self, position: core.Position) -> Frame:
        """Return the drawing of a position: units, centres and the owners of land."""
        here = _diplomacy(position)
        picture = Picture(here.board, pictures.scene_of(here))
        owners = picture.owners()
        return Frame(
            name=here.phase,
            title=here.phase_name,
            stage=here.stage,
            layers={
                "tints": tuple(ground.tints(picture.geometry, owners)),
                "fog": tuple(ground.fog(picture.geometry, picture.scene.hidden)),
                "bursts": tuple(picture.bursts()),
                "stars": tuple(centres(picture.geometry, picture.scene.centres, 1)),
                "dislodged": tuple(picture.units(dislodged=True)),
                "units": tuple(picture.units(dislodged=False)),
            },
            scores={
                name: {"centres": len(own), "units": len(here.units[name]) + len(here.dislodged[name])}
                for name, own in here.centers.items()
            },
            facts={
                "units": here.units,
                "dislodged": {name: own for name, own in here.dislodged.items() if own},
                "builds": {name: count for name, count in here.builds.items() if count},
                "centres": here.centers,
                "victory": here.board.victory,
            },
        )

    def turning(self, before: core.Position, after: core.Position, turn: TurnEnded) -> Turning:
        """Return every order with its result and reason, drawn; in fog nothing, since reasons reveal other units."""
        found = _diplomacy(after).turn
        if found is None:
            return Turning((), ())
        results = [
            ActionResult(
                seat=ruling.power,
                text=ruling.text,
                verdict=found.result_of(ruling),
                failed=ruling.verdict != "succeeded",
                why=why.sentence,
                place=_place(ruling.text),
                default=ruling.default,
                layers=_layers(drawn),
            )
            for ruling, why, drawn in zip(found.rulings, found.explanations, pictures.drawn_rulings(found), strict=True)
        ]
        return Turning(tuple(results), tuple(_moved(found)))

    def planned(self, position: core.Position, orders: Iterable[tuple[str, Plain]]) -> tuple[ActionResult, ...]:
        """Return the marks of orders that are given or promised, each with its power."""
        pairs = [(seat, text) for seat, text in orders if isinstance(text, str)]
        drawn = pictures.drawn_orders(_diplomacy(position), pairs)
        return tuple(
            ActionResult(seat=seat, text=text, place=_place(text), layers=_layers(here))
            for (seat, text), here in zip(pairs, drawn, strict=True)
        )

    def bonds(self, position: core.Position, bonds: Iterable[Bond]) -> dict[str, tuple[Mark, ...]]:
        """Return the marks of pacts: hatched zones, dotted peace, promised orders as ghosts."""
        here = _diplomacy(position)
        geometry = geometry_of(here.board)
        found: dict[str, list[Mark]] = {}
        plans: list[tuple[str, str]] = []
        for bond in bonds:
            match bond.kind:
                case "zone":
                    found.setdefault("zones", []).extend(pacts.zones(bond.places))
                case "peace":
                    found.setdefault("bonds", []).extend(pacts.peace(here.board, geometry, bond.seats))
                case "order":
                    plans.append((bond.seats[0], bond.order))
        for drawn in pictures.drawn_orders(here, plans):
            for layer, mark in _layers(drawn).items():
                found.setdefault(layer, []).append(mark)
        return {layer: tuple(marks) for layer, marks in found.items()}

    def breach(self, position: core.Position, seat: str, order: str) -> dict[str, Mark]:
        """Return a broken seal, beside the unit that got the order or, without an order, at the power's first home."""
        here = _diplomacy(position)
        geometry = geometry_of(here.board)
        tag = _place(order)
        if tag not in geometry.provinces:
            homes = next((power.homes for power in here.board.powers if power.name == seat), ())
            tag = here.board.provinces[homes[0]].tag if homes else ""
        return {"signs": pacts.breach(geometry.provinces[tag].unit)} if tag else {}

    def choices(self, position: core.Position, seat: Seat) -> Plain:
        """Return the single orders that a power may give."""
        return position.legal(seat)


def _layers(drawn: Drawn | None) -> dict[str, Mark]:
    if drawn is None:
        return {}
    return {"orders": drawn.below} if drawn.above is None else {"orders": drawn.below, "signs": drawn.above}


def _moved(turn: Turn) -> Iterable[tuple[str, str]]:
    """Yield the frame keys, before and after, of each unit that moved, retreated or was dislodged."""
    retreats = turn.before.stage == "retreats"
    for ruling in turn.rulings:
        if ruling.action is not None and ruling.verdict == "succeeded":
            order = turn.before.order_of(ruling.action)
            if order.target and not order.other:
                yield order.province + ("*" if retreats else ""), province_of(order.target)
    if turn.before.stage == "orders":
        for units in turn.after.dislodged.values():
            yield from ((province_of(unit[2:]), province_of(unit[2:]) + "*") for unit in units)


def _place(text: str) -> str:
    words = text.split(" ")
    return province_of(words[1]) if len(words) > 1 else ""


def _diplomacy(position: core.Position) -> Position:
    assert isinstance(position, Position)
    return position


PICTURES = DiplomacyPictures()
