"""Meanings of written orders in a position, and the reason if an order has none."""

from __future__ import annotations

import random

import pytest

from parlour.core.game import Seat
from parlour.games.diplomacy.formats.forms import read_state
from parlour.games.diplomacy.maps.map import named
from parlour.games.diplomacy.ordering.orders import Order
from parlour.games.diplomacy.ordering.reasons import Reason
from parlour.games.diplomacy.position import Position


def spring(**units: list[str]) -> Position:
    return Position(*read_state({"phase": "S1901M", "units": units}))


def winter(centers: dict[str, list[str]], **units: list[str]) -> Position:
    return Position(*read_state({"phase": "W1901A", "units": units, "centers": centers}))


def flaw(position: Position, seat: str, *orders: str) -> Reason | None:
    found = position.understand(Seat(seat), list(orders))[-1].flaw
    return None if found is None else found.reason


BOARD = spring(
    FRANCE=["A PAR", "F BRE", "F MAO", "A GAS", "F LYO"],
    ENGLAND=["A LON", "F NTH", "F ENG"],
    RUSSIA=["F STP/SC", "F CON", "A MOS"],
)


@pytest.mark.parametrize(
    ("seat", "order", "reason"),
    [
        ("FRANCE", "A PAR - LON", Reason.OUT_OF_REACH),
        ("FRANCE", "A PAR - PAR", Reason.OUT_OF_REACH),
        ("FRANCE", "A PAR - ENG", Reason.OUT_OF_REACH),
        ("FRANCE", "A GAS - TUN", Reason.NO_ROUTE),
        ("FRANCE", "A GAS S A LON", Reason.OUT_OF_REACH),
        ("FRANCE", "A MOS - UKR", Reason.NOT_YOURS),
        ("FRANCE", "RUSSIA A PAR - BUR", Reason.NOT_YOURS),
        ("FRANCE", "A BUR - MUN", Reason.NO_UNIT),
        ("FRANCE", "BUR - MUN", Reason.NO_UNIT),
        ("FRANCE", "F PAR - BUR", Reason.WRONG_TYPE),
        ("FRANCE", "F BRE - MAO VIA", Reason.NOT_AN_ARMY),
        ("FRANCE", "F MAO - SPA", Reason.NEEDS_COAST),
        ("FRANCE", "F MAO - SPA/EC", Reason.WRONG_COAST),
        ("FRANCE", "F LYO - SPA/NC", Reason.WRONG_COAST),
        ("FRANCE", "F BRE - MAO/NC", Reason.WRONG_COAST),
        ("FRANCE", "A PAR S A PAR", Reason.SUPPORTS_ITSELF),
        ("FRANCE", "A PAR S A MUN", Reason.NO_UNIT),
        ("FRANCE", "A PAR S GERMANY F BRE", Reason.NO_UNIT),
        ("FRANCE", "A PAR S A BRE", Reason.WRONG_TYPE),
        ("FRANCE", "A PAR S A LON", Reason.OUT_OF_REACH),
        ("FRANCE", "A PAR S A GAS - SPA", Reason.OUT_OF_REACH),
        ("FRANCE", "A PAR S F BRE - BUR", Reason.OUT_OF_REACH),
        ("FRANCE", "F BRE S A GAS - BRE", Reason.OUT_OF_REACH),
        ("FRANCE", "F LYO S F MAO - SPA/EC", Reason.WRONG_COAST),
        ("FRANCE", "F BRE C A PAR - PIC", Reason.NOT_A_FLEET_AT_SEA),
        ("FRANCE", "A PAR C A GAS - BRE", Reason.NOT_A_FLEET_AT_SEA),
        ("FRANCE", "F MAO C F BRE - GAS", Reason.NOT_AN_ARMY),
        ("FRANCE", "F MAO C A PAR - POR", Reason.NO_ROUTE),
        ("RUSSIA", "A MOS S F STP/NC", Reason.WRONG_COAST),
        ("FRANCE", "A PAR R BUR", Reason.WRONG_PHASE),
        ("FRANCE", "A PAR D", Reason.WRONG_PHASE),
        ("FRANCE", "A PAR B", Reason.WRONG_PHASE),
        ("FRANCE", "WAIVE", Reason.WRONG_PHASE),
    ],
)
def test_movement_orders_that_are_void(seat: str, order: str, reason: Reason) -> None:
    assert flaw(BOARD, seat, order) is reason


@pytest.mark.parametrize(
    ("seat", "order", "means"),
    [
        ("FRANCE", "PAR - BUR", "A PAR - BUR"),
        ("FRANCE", "F BRE/NC - GAS", "F BRE - GAS"),  # DATC 4.B.5
        ("RUSSIA", "F STP/NC - BOT", "F STP/SC - BOT"),
        ("RUSSIA", "STP - BOT", "F STP/SC - BOT"),
        ("FRANCE", "A GAS - SPA/NC", "A GAS - SPA"),  # DATC 4.B.6
        ("FRANCE", "F LYO - SPA", "F LYO - SPA/SC"),  # DATC 4.B.2
        ("RUSSIA", "F CON - BUL/SC", "F CON - BUL/SC"),
        ("ENGLAND", "A LON - NWY", "A LON - NWY VIA"),
        ("ENGLAND", "A LON - YOR VIA", "A LON - YOR VIA"),
        ("FRANCE", "A GAS - BUR VIA", "A GAS - BUR"),
        ("FRANCE", "F LYO S F MAO - SPA/NC", "F LYO S F MAO - SPA"),
        ("RUSSIA", "A MOS S STP", "A MOS S F STP/SC"),
        ("FRANCE", "F BRE S FRANCE A PAR - PIC", "F BRE S A PAR - PIC"),
    ],
)
def test_what_is_missing_is_filled_in_and_what_does_not_matter_is_ignored(seat: str, order: str, means: str) -> None:
    [entry] = BOARD.understand(Seat(seat), [order])
    assert entry.flaw is None
    assert entry.action is not None
    assert str(BOARD.order_of(entry.action)) == means


def test_the_first_of_two_orders_stands() -> None:
    assert flaw(BOARD, "FRANCE", "A PAR - BUR", "A PAR - PIC") is Reason.SECOND_ORDER
    assert flaw(BOARD, "FRANCE", "A PAR - LON", "A PAR - PIC") is None


def test_an_order_of_another_phase_is_named_by_its_letter() -> None:
    flaw = Position.start().understand(Seat("FRANCE"), ["A PAR B"])[0].flaw
    assert flaw is not None
    assert flaw.message == "wrong phase: 'B', expected H, -, S or C in this phase"


def test_void_orders_say_what_was_expected_and_what_is_near() -> None:
    [entry] = BOARD.understand(Seat("FRANCE"), ["A BRE - PIC"])
    assert entry.flaw is not None
    assert entry.flaw.message == "wrong unit type: 'A BRE', expected the unit that is there, F BRE; did you mean F BRE?"


OWNED = {"FRANCE": ["PAR", "BRE", "SPA"], "RUSSIA": ["STP", "MOS", "SWE"], "GERMANY": ["MUN", "MAR"]}
YEAR_END = winter(OWNED, FRANCE=["A PIC"], RUSSIA=["A MOS"], GERMANY=["A MUN", "A BUR", "A RUH"])


@pytest.mark.parametrize(
    ("seat", "order", "reason"),
    [
        ("FRANCE", "A PAR B", None),
        ("FRANCE", "PAR B", None),
        ("FRANCE", "F BRE B", None),
        ("RUSSIA", "F STP/NC B", None),
        ("RUSSIA", "A STP/NC B", None),
        ("GERMANY", "A BUR D", None),
        ("FRANCE", "WAIVE", None),
        ("FRANCE", "F PAR B", Reason.WRONG_TYPE),
        ("FRANCE", "BRE B", Reason.NEEDS_TYPE),
        ("RUSSIA", "F STP B", Reason.NEEDS_COAST),
        ("RUSSIA", "F STP/EC B", Reason.WRONG_COAST),
        ("RUSSIA", "A MOS B", Reason.OCCUPIED),
        ("RUSSIA", "A SWE B", Reason.NOT_A_HOME),
        ("FRANCE", "A MAR B", Reason.NOT_OWNED),
        ("FRANCE", "GERMANY A PAR B", Reason.NOT_YOURS),
        ("FRANCE", "GERMANY WAIVE", Reason.NOT_YOURS),
        ("FRANCE", "A PIC D", Reason.NO_REMOVALS),
        ("GERMANY", "A BER B", Reason.NO_BUILDS),
        ("GERMANY", "WAIVE", Reason.NO_BUILDS),
        ("GERMANY", "A PIC D", Reason.NOT_YOURS),
        ("ITALY", "WAIVE", Reason.NO_BUILDS),
        ("FRANCE", "A PIC H", Reason.WRONG_PHASE),
    ],
)
def test_winter_orders(seat: str, order: str, reason: Reason | None) -> None:
    assert flaw(YEAR_END, seat, order) is reason


def test_no_more_adjustments_than_are_due() -> None:
    assert YEAR_END.builds == dict.fromkeys(YEAR_END.builds, 0) | {"FRANCE": 2, "RUSSIA": 1, "GERMANY": -1}
    assert flaw(YEAR_END, "FRANCE", "A PAR B", "F BRE B", "WAIVE") is Reason.TOO_MANY
    assert flaw(YEAR_END, "FRANCE", "A PAR B", "A PAR B") is Reason.SECOND_ORDER
    assert flaw(YEAR_END, "FRANCE", "WAIVE", "WAIVE") is None
    assert flaw(YEAR_END, "GERMANY", "A BUR D", "A RUH D") is Reason.TOO_MANY


RETREAT = Position(
    *read_state(
        {
            "phase": "F1901R",
            "units": {"GERMANY": ["A BUR"], "FRANCE": ["A GAS"], "ITALY": ["F SPA/SC"]},
            "retreats": {"FRANCE": {"A BUR": ["PAR", "PIC"]}, "ENGLAND": {"F SPA/NC": ["MAO", "POR"]}},
        }
    )
)


@pytest.mark.parametrize(
    ("seat", "order", "reason"),
    [
        ("FRANCE", "A BUR R PAR", None),
        ("FRANCE", "BUR - PAR", None),
        ("FRANCE", "A BUR D", None),
        ("ENGLAND", "F SPA R MAO", None),
        ("FRANCE", "A BUR R GAS", Reason.NO_RETREAT),
        ("FRANCE", "A BUR R BEL", Reason.NO_RETREAT),
        ("FRANCE", "A GAS R BRE", Reason.NOT_DISLODGED),
        ("FRANCE", "A MUN R BOH", Reason.NO_UNIT),
        ("GERMANY", "A BUR R PAR", Reason.NOT_YOURS),
        ("ENGLAND", "F SPA/NC R LYO", Reason.NO_RETREAT),
        ("FRANCE", "A BUR H", Reason.WRONG_PHASE),
    ],
)
def test_retreat_orders(seat: str, order: str, reason: Reason | None) -> None:
    assert flaw(RETREAT, seat, order) is reason


@pytest.mark.parametrize("name", ["standard", "lagoon"])
def test_every_possible_order_is_accepted_and_every_accepted_order_is_possible(name: str) -> None:
    rng = random.Random(3)
    position = Position.start(named(name))
    for _ in range(14):
        possible = {seat: set(position.legal(seat)) for seat in position.to_act()}
        for seat, own in possible.items():
            for text in rng.sample(sorted(own), min(40, len(own))):
                # Lower case takes the reader, strict spelling the table: both must agree.
                for spelling in (text, text.lower()):
                    [entry] = position.understand(seat, [spelling], explicit_via=True)
                    assert entry.flaw is None, (text, entry.flaw)
                    assert entry.action is not None
                    assert str(position.order_of(entry.action)) == text
            for other in possible.values():
                for text in rng.sample(sorted(other - own), min(20, len(other - own))):
                    assert position.understand(seat, [text])[0].flaw is not None
        position = position.resolve({seat: position.sample(seat, rng) for seat in position.to_act()})


def test_accepted_random_orders_are_in_the_list() -> None:
    rng = random.Random(5)
    position = Position.start()
    for _ in range(6):
        position = position.resolve({seat: position.sample(seat, rng) for seat in position.to_act()})
    tags = [province.tag for province in position.board.provinces]
    units = [unit for own in position.units.values() for unit in own]
    accepted = 0
    for _ in range(3000):
        unit, other, place = rng.choice(units), rng.choice(units), rng.choice(tags)
        form = rng.choice(["{u} - {p}", "{u} S {o}", "{u} S {o} - {p}", "{u} C {o} - {p}", "{u} - {p} VIA"])
        text = form.format(u=unit, o=other, p=place)
        seat = next(name for name, own in position.units.items() if unit in own)
        [entry] = position.understand(Seat(seat), [text], explicit_via=True)
        if entry.action is not None:
            accepted += 1
            assert str(position.order_of(entry.action)) in position.legal(Seat(seat))
            assert entry.text == str(Order.read(text))
    assert accepted > 50
