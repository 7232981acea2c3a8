"""The kernel and the written rules agree with the oracle on made-up movement phases, and treat all powers alike."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.cli.adjudicate import adjudicate
from parlour.games.diplomacy.engine.codes import DISLODGED, FLEET, STATE, UNITS, YEAR, UnitMark, VerdictCode
from parlour.games.diplomacy.engine.rules import rules_of
from parlour.games.diplomacy.maps.map import standard
from parlour.games.diplomacy.ordering.actions import OrderKind, action_table, compose, kind_of, target, target_flag
from support.diplomacy.movement_phases import POWERS, STYLES, make_phase, spoil, write_order, write_unit, written
from support.diplomacy.oracle import Judge, Order, Result, Unit, Units, destination, judge, possible_orders, province

BOARD = standard()
RULES = rules_of(BOARD)
IDS = {p.tag: p.id for p in BOARD.provinces}
SEATS = {p.name: p.id for p in BOARD.powers}
TABLE = {int(action) & 0xFFFFFFFF: int(action) for action in action_table(BOARD).actions}
MOST = 34

Played = tuple[Units, dict[str, Order]]


def unit_byte(unit: Unit) -> int:
    """Return the unit as the kernel keeps it."""
    shore = 0
    if "/" in unit.area:
        tag, coast = unit.area.split("/")
        shore = 1 + BOARD.provinces[IDS[tag]].coasts.index(coast)
    return SEATS[unit.power] + 1 | (FLEET if unit.kind == "F" else 0) | shore << 5


def packed(units: Units) -> npt.NDArray[np.uint8]:
    """Return a state in spring 1901 with these units."""
    state = np.zeros(STATE, np.uint8)
    state[YEAR : YEAR + 2] = np.frombuffer((1901).to_bytes(2, "little"), np.uint8)
    for place, unit in units.items():
        state[UNITS + IDS[place]] = unit_byte(unit)
    return state


def encoded(place: str, order: Order, units: Units) -> int:
    """Return the integer action; whether an army walks or sails is said there."""
    here, of, there = IDS[place], IDS.get(order.of, 0), IDS.get(province(order.to), 0)
    match order.verb:
        case "H":
            low = compose(OrderKind.HOLD, here)
        case "S" if not order.to:
            low = compose(OrderKind.SUPPORT_HOLD, here, of)
        case "S":
            low = compose(OrderKind.SUPPORT_MOVE_TO, here, there, of)
        case "C":
            low = compose(OrderKind.CONVOY, here, there, of)
        case _:
            area = destination(units[place], order.to)
            if order.via or area is None:
                low = compose(OrderKind.CONVOY_TO, here, there)
            else:
                second = "/" in area and BOARD.provinces[there].coasts[1] == area.split("/")[1]
                low = compose(OrderKind.MOVE_TO, here, there, flag=int(second))
    return TABLE[low]


def action_rows(units: Units, orders: dict[str, Order]) -> npt.NDArray[np.int64]:
    """Return the actions of all powers."""
    rows = np.zeros((len(SEATS), MOST), np.int64)
    used = dict.fromkeys(SEATS, 0)
    for place, order in orders.items():
        power = units[place].power
        rows[SEATS[power], used[power]] = encoded(place, order, units)
        used[power] += 1
    return rows


def without_coasts(orders: dict[str, Order]) -> dict[str, Order]:
    """Return the orders as integer actions can say them: a support names no shore."""
    return {
        place: Order("S", province(order.to), order.of, order.of_kind) if order.verb == "S" else order
        for place, order in orders.items()
    }


def phases(seed: str, count: int) -> list[Played]:
    """That many phases, all styles in turn."""
    styles = list(STYLES)
    return [make_phase(random.Random(f"{seed}/{n}"), styles[n % len(styles)]) for n in range(count)]


WORDS = {
    VerdictCode.SUCCEEDED: "succeeded",
    VerdictCode.BOUNCED: "bounced",
    VerdictCode.CUT: "cut",
    VerdictCode.VOID: "void",
    VerdictCode.NO_CONVOY: "no convoy",
    VerdictCode.DISRUPTED: "disrupted",
}


def kernel_results(played: Sequence[Played]) -> list[Result]:
    """Return the kernel's results of these phases."""
    states = np.stack([packed(units) for units, _ in played])
    after, verdicts = RULES.step(states, np.stack([action_rows(units, orders) for units, orders in played]))
    actions, offsets = RULES.legal_by_province(after)
    results = []
    for row, (units, orders) in enumerate(played):
        lines = verdicts[row]
        words = {place: WORDS[VerdictCode(int(lines[IDS[place]]) & 15)] for place in units}
        sunk = [place for place in units if lines[IDS[place]] & UnitMark.PARADOX]
        for place in sunk:  # The kernel calls a convoy of a paradox disrupted, also if its fleet is not dislodged.
            if not lines[IDS[place]] & UnitMark.DISLODGED:
                words[place] = "succeeded"
        standing = {
            BOARD.provinces[n].tag: unit_of(n, int(after[row, UNITS + n]))
            for n in range(len(BOARD.provinces))
            if after[row, UNITS + n]
        }
        dislodged = {}
        for place in units:
            if lines[IDS[place]] & UnitMark.DISLODGED:
                start, end = offsets[row, IDS[place]], offsets[row, IDS[place] + 1]
                loose = after[row, DISLODGED + IDS[place]] != 0
                assert loose == (not lines[IDS[place]] & UnitMark.DESTROYED)
                dislodged[place] = retreats(units[place], actions[start:end]) if loose else ()
        results.append(Result(words, standing, dislodged, frozenset(orders[place].of for place in sunk)))
    return results


def unit_of(number: int, byte: int) -> Unit:
    """Return the unit that a byte of the state means."""
    area = BOARD.areas[BOARD.provinces[number].area + (byte >> 5 & 3)]
    return Unit(BOARD.powers[(byte & 15) - 1].name, "F" if byte & FLEET else "A", area.tag)


def retreats(unit: Unit, actions: npt.NDArray[np.int64]) -> tuple[str, ...]:
    """Where these actions let a unit retreat to."""
    found = []
    for action in actions.tolist():
        if kind_of(action) == OrderKind.RETREAT_TO:
            there = BOARD.provinces[target(action)]
            shore = f"/{there.coasts[target_flag(action)]}" if there.coasts and unit.kind == "F" else ""
            found.append(there.tag + shore)
    return tuple(sorted(found))


def story(units: Units, orders: dict[str, Order]) -> str:
    """Return a phase for a message."""
    return "; ".join(f"{units[place].power} {write_order(place, order, units)}" for place, order in orders.items())


def compare(seed: str, count: int, batch: int = 500) -> None:
    """The kernel and the oracle judge these phases alike: every verdict, every unit, every retreat."""
    left = iter(phases(seed, count))
    while played := list(islice(left, batch)):
        played = [(units, without_coasts(orders)) for units, orders in played]
        for (units, orders), got in zip(played, kernel_results(played), strict=True):
            assert got == Judge(units, orders, intent=False).result(), story(units, orders)


def test_kernel_judges_as_the_oracle_does() -> None:
    compare("short", 1500)


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("part", range(25))
def test_kernel_judges_as_the_oracle_does_at_length(part: int) -> None:
    compare(f"long {part}", 4800)


def check_written(seed: str, count: int) -> None:
    """Orders as text, good and bad, with shores and with intent, fare as the oracle says."""
    styles = list(STYLES)
    for number in range(count):
        rng = random.Random(f"{seed}/{number}")
        units, orders = make_phase(rng, styles[number % len(styles)])
        standing, ordered = written(units, spoil(rng, units, orders))
        explicit = bool(number % 3 == 0)
        answer = adjudicate({"phase": "S1901M", "units": standing, "orders": ordered}, explicit_via=explicit)
        result = judge(standing, ordered, intent=not explicit)
        check_answer(answer, result, units, f"explicit_via={explicit} {ordered}")


def check_answer(answer: Any, result: Result, units: Units, told: str) -> None:
    """The answer of `parlour adjudicate` says what the oracle says."""
    got = {text: power for power, own in answer["units"].items() for text in own}
    assert got == {write_unit(unit): unit.power for unit in result.standing.values()}, told
    loose = {unit: tuple(sorted(places)) for own in answer["retreats"].values() for unit, places in own.items()}
    gone = {unit: () for own in answer["disbanded"].values() for unit in own}
    assert loose | gone == {write_unit(units[place]): places for place, places in result.dislodged.items()}, told
    for own in answer["results"].values():
        for order, verdict in own.items():
            place, verb = province(order.split()[1]), order.split()[2]
            allowed = {"dislodged" if place in result.dislodged else result.verdicts[place]}
            if result.verdicts[place] == "void":
                allowed.add("void")  # An impossible order is void, whatever becomes of the unit.
            if verb == "C" and province(order.split()[4]) in result.paradox:
                allowed.add("disrupted")
            assert verdict in allowed, f"{order}: {verdict}, not {allowed} in {told}"


def test_written_orders_are_judged_as_the_oracle_does() -> None:
    check_written("written", 250)


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_written_orders_are_judged_as_the_oracle_does_at_length() -> None:
    check_written("long written", 10_000)


def test_possible_orders_are_those_found_by_trying() -> None:
    played = phases("possible", 12)
    actions, offsets = RULES.legal_by_province(np.stack([packed(units) for units, _ in played]))
    for row, (units, _) in enumerate(played):
        for place in units:
            start, end = offsets[row, IDS[place]], offsets[row, IDS[place] + 1]
            expected = {encoded(place, order, units) for order in possible_orders(place, units)}
            got = set(actions[start:end].tolist())
            assert got == expected, f"{write_unit(units[place])} among {story(units, {})}"


def test_second_attacker_on_the_fleet_does_not_hide_a_betrayal_paradox() -> None:
    """DATC 6.F.18 with WES added: its circle lies within that of IRI, which guess and check must not settle first."""
    orders = {
        "GERMANY": ["F IRI - MAO", "F WES - MAO"],
        "RUSSIA": ["F MAO C A NAF - GAS", "A NAF - GAS VIA"],
        "AUSTRIA": ["F GAS S F MAO", "F POR S F IRI - MAO"],
    }
    units = {power: [order[:5] for order in own] for power, own in orders.items()}
    answer = adjudicate({"phase": "S1901M", "units": units, "orders": orders})
    assert {power: sorted(own) for power, own in answer["units"].items() if own} == {
        power: sorted(own) for power, own in units.items()
    }
    assert answer["results"]["AUSTRIA"]["F GAS S F MAO"] == "succeeded"
    assert answer["results"]["RUSSIA"]["A NAF - GAS VIA"] == "disrupted"


def test_retreats_succeed_unless_two_go_to_one_place() -> None:
    clashes = 0
    for number in range(200):
        rng = random.Random(f"retreats {number}")
        standing, ordered = written(*make_phase(rng, "melee"))
        answer = adjudicate({"phase": "S1901M", "units": standing, "orders": ordered})
        options = {(power, unit): p for power, own in answer["retreats"].items() for unit, p in own.items()}
        goals = {unit: rng.choice([*places, ""]) for unit, places in options.items()}
        asked: dict[str, list[str]] = {}
        for (power, unit), to in goals.items():
            asked.setdefault(power, []).append(f"{unit} R {to}" if to else f"{unit} D")
        if not asked:
            continue
        after = adjudicate({**{key: answer[key] for key in ("phase", "units", "retreats")}, "orders": asked})
        wanted = Counter(province(to) for to in goals.values() if to)
        clashes += sum(count > 1 for count in wanted.values())
        expected = {unit: power for power, own in answer["units"].items() for unit in own}
        arrived = {f"{u[0]} {to}": power for (power, u), to in goals.items() if to and wanted[province(to)] == 1}
        assert {unit: power for power, own in after["units"].items() for unit in own} == expected | arrived
    assert clashes > 0


SEEDS = st.integers(0, 2**32 - 1)
STYLE = st.sampled_from(sorted(STYLES))


@given(SEEDS, STYLE, st.permutations(POWERS))
def test_permuting_powers_permutes_results(seed: int, style: str, others: list[str]) -> None:
    units, orders = make_phase(random.Random(seed), style)
    orders = without_coasts(orders)
    renamed = dict(zip(POWERS, others, strict=True))

    def swapped(standing: Units) -> dict[str, Unit]:
        return {place: Unit(renamed[unit.power], unit.kind, unit.area) for place, unit in standing.items()}

    before, after = kernel_results([(units, orders)])[0], kernel_results([(swapped(units), orders)])[0]
    assert after == replace(before, standing=swapped(before.standing))


@given(SEEDS, STYLE, st.randoms(use_true_random=False))
def test_the_sequence_of_orders_does_not_matter(seed: int, style: str, shuffle: random.Random) -> None:
    units, orders = make_phase(random.Random(seed), style)
    orders = without_coasts(orders)
    places = list(orders)
    shuffle.shuffle(places)
    again = {place: orders[place] for place in places}
    before, after = kernel_results([(units, orders), (units, again)])
    assert before == after


@given(SEEDS, STYLE, st.randoms(use_true_random=False))
def test_the_sequence_of_written_orders_does_not_matter(seed: int, style: str, shuffle: random.Random) -> None:
    rng = random.Random(seed)
    units, orders = make_phase(rng, style)
    standing, ordered = written(units, spoil(rng, units, orders))
    asked = {"phase": "S1901M", "units": standing, "orders": ordered}
    powers = list(ordered)
    shuffle.shuffle(powers)
    again = {power: shuffle.sample(ordered[power], len(ordered[power])) for power in powers}
    assert adjudicate({**asked, "orders": again}) == adjudicate(asked)
