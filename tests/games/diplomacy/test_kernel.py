"""The kernel by examples and by random play: lists, reasons, phase flow; compiled equals uncompiled."""

from __future__ import annotations

import hashlib
import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from parlour.games.diplomacy.engine.codes import (
    COAST_SHIFT,
    CONTESTED,
    DISLODGED,
    FLEET,
    INFLUENCE,
    ORIGINS,
    OWNERS,
    SEASON,
    STATE,
    STATUS,
    UNITS,
    WINNER,
    YEAR,
    ReasonCode,
    SeasonCode,
    Status,
    UnitMark,
    VerdictCode,
)
from parlour.games.diplomacy.engine.rules import MapRules, States, rules_of
from parlour.games.diplomacy.maps.map import Map, named, standard
from parlour.games.diplomacy.ordering import actions as a
from parlour.games.diplomacy.ordering.actions import Actions, OrderKind
from parlour.games.diplomacy.ordering.texts import texts as texts_of
from support.diplomacy import movement_phases as movement_phases
from support.diplomacy.oracle import Order, Units, possible_orders, province
from support.processes.from_source import from_source

SPRING_1901 = "9c845af0a83af8698bf4f4cc65576b285cea08367a1ca32f7eefd1f62b33bc16"
MAPS = ["standard", "lagoon"]


def place(board: Map, tag: str) -> int:
    """Return the id of a province."""
    return board.spellings[tag]


def position(
    rules: MapRules, season: SeasonCode, units: dict[str, str], centres: dict[str, str] | None = None
) -> States:
    """A state from `{"FRANCE": "A PAR, F SPA/SC"}` and `{"FRANCE": "PAR BRE"}`; without centres nobody owns any."""
    board, state = rules.map, rules.start()
    state[[SEASON]] = season
    state[UNITS:STATE] = 0
    for name, texts in units.items():
        power = board.power_spellings[name] + 1
        for text in texts.split(","):
            kind, tag = text.split()
            area = board.areas[board.area_spellings[tag]]
            state[UNITS + area.province] = power | (FLEET if kind == "F" else 0) | area.coast << COAST_SHIFT
    for name, tags in (centres or {}).items():
        for tag in tags.split():
            state[OWNERS + place(board, tag)] = board.power_spellings[name] + 1
    return state


def order(rules: MapRules, text: str) -> int:
    """Return an action from `MOVE_TO PAR BUR`, `SUPPORT_MOVE_TO MAR BUR PAR`, `BUILD_FLEET STP/SC`."""
    kind, *tags = text.split()
    areas = [rules.map.areas[rules.map.area_spellings[tag]] for tag in tags]
    flag = int(any(area.coast == 2 for area in areas))
    numbers = [area.province for area in areas] + [0, 0, 0]
    action = rules.table.find(OrderKind[kind], numbers[0], numbers[1], numbers[2], flag)
    assert action is not None, text
    return action


def orders(rules: MapRules, given: dict[str, str]) -> Actions:
    """Return a batch of one from `{"FRANCE": "MOVE_TO PAR BUR, HOLD BRE"}`."""
    actions = np.zeros((1, len(rules.map.powers), 40), np.int64)
    for name, texts in given.items():
        for slot, text in enumerate(texts.split(",")):
            actions[0, rules.map.power_spellings[name], slot] = order(rules, text)
    return actions


def after(rules: MapRules, state: States, given: dict[str, str]) -> tuple[States, dict[str, int]]:
    """Return the next state, and the verdicts by tag."""
    states, verdicts = rules.step(state[None], orders(rules, given))
    return states[0], {p.tag: int(verdicts[0, p.id]) for p in rules.map.provinces if verdicts[0, p.id]}


def unit_at(rules: MapRules, state: States, tag: str) -> int:
    return int(state[UNITS + place(rules.map, tag)])


def play(rules: MapRules, batch: int, phases: int, last_year: int = 0) -> list[tuple[States, Actions]]:
    """Random games: the states and actions of every phase."""
    states = np.repeat(rules.start(last_year)[None], batch, axis=0)
    played = []
    for phase in range(phases):
        seeds = np.arange(batch, dtype=np.uint64) + np.uint64(1000 * phase)
        actions = rules.sample(states, seeds, 40)
        played.append((states, actions))
        states, _ = rules.step(states, actions)
    return played


def digest(name: str, batch: int, phases: int) -> str:
    """Return a hash of everything the kernel says about random games."""
    rules, found = rules_of(named(name)), hashlib.sha256()
    for states, actions in play(rules, batch, phases):
        found.update(states.tobytes() + actions.tobytes())
        for listed, offsets in (rules.legal(states), rules.legal_by_province(states)):
            found.update(listed.tobytes() + offsets.tobytes())
        listed, offsets = rules.legal_by_province(states[:1])
        found.update(repr(texts_of(rules.map).by_province(listed, offsets[0], states[0].tobytes())).encode())
        rotated = np.roll(actions, 1, axis=1)
        stepped, verdicts = rules.step(states, rotated)
        found.update(stepped.tobytes() + verdicts.tobytes() + rules.check(states, rotated).tobytes())
        found.update(rules.builds(states).tobytes())
    return found.hexdigest()


# Lists


def test_spring_1901_has_the_published_legal_actions() -> None:
    rules = rules_of(standard())
    actions, offsets = rules.legal(rules.start()[None])
    assert np.diff(offsets[0]).tolist() == [34, 29, 30, 38, 38, 42, 27]
    assert hashlib.sha256(actions.astype("<i8").tobytes()).hexdigest() == SPRING_1901


@pytest.mark.parametrize("name", MAPS)
def test_lists_are_ascending_in_the_table_and_the_same_both_ways(name: str) -> None:
    rules = rules_of(named(name))
    for states, _ in play(rules, 6, 40):
        by_power, bounds = rules.legal(states)
        by_province, places = rules.legal_by_province(states)
        assert np.array_equal(rules.table.actions[a.index_of(by_power)], by_power)
        for b in range(len(states)):
            lists = [by_power[bounds[b, w] : bounds[b, w + 1]] for w in range(len(rules.map.powers))]
            assert all(np.all(np.diff(found) > 0) for found in lists)
            mine = np.concatenate(lists)
            mine = np.sort(mine[a.kind_of(mine) != OrderKind.WAIVE])
            assert np.array_equal(mine, np.sort(by_province[places[b, 0] : places[b, -1]]))
            for p in range(len(rules.map.provinces)):
                here = by_province[places[b, p] : places[b, p + 1]]
                assert np.all(a.ordered(here) == p)


def spelled(units: Units, action: int) -> tuple[str, Order]:
    """Return an integer action as the oracle writes it."""
    board = standard()
    start, end, third = (board.provinces[n].tag for n in (a.ordered(action), a.target(action), a.third(action)))
    match OrderKind(a.kind_of(action)):
        case OrderKind.HOLD:
            return start, Order("H")
        case OrderKind.MOVE_TO:
            coasts = board.provinces[a.target(action)].coasts if units[start].kind == "F" else ()
            return start, Order("-", f"{end}/{coasts[a.target_flag(action)]}" if coasts else end)
        case OrderKind.CONVOY_TO:
            return start, Order("-", end, via=True)
        case OrderKind.SUPPORT_HOLD:
            return start, Order("S", of=end, of_kind=units[end].kind)
        case OrderKind.SUPPORT_MOVE_TO:
            return start, Order("S", end, third, units[third].kind)
        case _:
            return start, Order("C", end, third, units[third].kind)


@pytest.mark.parametrize("style", ["wild", "naval", "knots", "tied"])
def test_lists_are_what_the_oracle_finds_possible_by_trying(style: str) -> None:
    rules = rules_of(standard())
    for seed in range(6):
        units, _ = movement_phases.make_phase(random.Random(seed), style)
        state = position(
            rules,
            SeasonCode.SPRING_MOVES,
            {
                power: ",".join(f"{unit.kind} {unit.area}" for unit in units.values() if unit.power == power)
                for power in {unit.power for unit in units.values()}
            },
        )
        listed = {spelled(units, action) for action in rules.legal(state[None])[0].tolist()}
        assert listed == {(at, found) for at in units for found in possible_orders(province(at), units)}


def test_a_board_full_of_units_is_listed_with_more_room() -> None:
    board = standard()
    rules = MapRules(board)
    everywhere = {
        power.name: ",".join(
            f"{'F' if p.kind == 'sea' else 'A'} {p.tag}" for p in board.provinces if p.id % 7 == power.id
        )
        for power in board.powers
    }
    crowded = position(rules, SeasonCode.SPRING_MOVES, everywhere)
    states = np.stack([rules.start(), crowded, rules.start(), crowded])
    actions, offsets = rules.legal(states)
    alone, _ = rules.legal(crowded[None])
    assert len(alone) > 2048
    assert np.array_equal(actions[offsets[1, 0] : offsets[1, -1]], alone)
    assert np.array_equal(actions[offsets[3, 0] : offsets[3, -1]], alone)
    assert offsets[2, -1] - offsets[2, 0] == 238


def test_an_empty_batch_is_fine() -> None:
    rules = rules_of(standard())
    none = np.zeros((0, STATE), np.uint8)
    assert len(rules.legal(none)[0]) == 0
    assert rules.step(none, np.zeros((0, 7, 17), np.int64))[0].shape == (0, STATE)


@pytest.mark.parametrize("name", MAPS)
def test_check_accepts_exactly_the_legal_actions(name: str) -> None:
    rules = rules_of(named(name))
    table, powers = rules.table.actions, len(rules.map.powers)
    played = play(rules, 2, 24)
    for states, _ in played[::5]:
        listed, offsets = rules.legal(states[:1])
        for w in range(powers):
            tries = np.zeros((len(table), powers, 1), np.int64)
            tries[:, w, 0] = table
            reasons = rules.check(np.repeat(states[:1], len(table), axis=0), tries)[:, w, 0]
            assert np.array_equal(table[reasons == ReasonCode.FINE], listed[offsets[0, w] : offsets[0, w + 1]])


# Both ways to run it


@pytest.mark.parametrize("name", MAPS)
def test_compiled_equals_uncompiled(name: str) -> None:
    assert from_source(digest, name, 2, 24) == digest(name, 2, 24)


def test_threads_do_not_disturb_each_other() -> None:
    rules = rules_of(standard())
    played = play(rules, 40, 12)
    expected = [rules.step(*phase)[0].tobytes() + rules.legal(phase[0])[0].tobytes() for phase in played]
    with ThreadPoolExecutor(4) as pool:
        found = pool.map(lambda p: rules.step(*p)[0].tobytes() + rules.legal(p[0])[0].tobytes(), played * 4)
        assert list(found) == expected * 4


# Random play


@pytest.mark.parametrize("name", MAPS)
def test_samples_are_legal_and_follow_from_the_seed(name: str) -> None:
    rules = rules_of(named(name))
    for states, actions in play(rules, 8, 40):
        assert not rules.check(states, actions).any()
        due = np.abs(rules.builds(states))
        winter = states[:, SEASON] == SeasonCode.BUILDS
        assert np.array_equal((actions[winter] > 0).sum(axis=2), due[winter])
    states = np.repeat(rules.start()[None], 2000, axis=0)
    once = rules.sample(states, np.arange(2000, dtype=np.uint64))
    assert np.array_equal(once, rules.sample(states, np.arange(2000, dtype=np.uint64)))
    first = once[:, 0, 0]
    options = rules.legal_by_province(states[:1])[0]
    count = int((a.ordered(options) == a.ordered(int(first[0]))).sum())
    shares = np.unique(first, return_counts=True)[1] / 2000
    assert len(shares) == count
    assert np.all(np.abs(shares - 1 / count) < 0.05)


@pytest.mark.parametrize("name", MAPS)
def test_twenty_years_of_random_play_keep_the_board_sound(name: str) -> None:
    board = named(name)
    rules = rules_of(board)
    kinds = [p.kind for p in board.provinces]
    last = board.year + 19
    states = np.repeat(rules.start(last)[None], 12, axis=0)
    for phase in range(200):
        if not (states[:, STATUS] == Status.RUNNING).any():
            break
        actions = rules.sample(states, np.arange(12, dtype=np.uint64) + np.uint64(777 * phase), 40)
        before, (states, _) = states, rules.step(states, actions)
        for state, earlier in zip(states, before, strict=True):
            for p in board.provinces:
                unit = int(state[UNITS + p.id])
                if unit & FLEET:
                    assert kinds[p.id] != "land"
                    assert (unit >> COAST_SHIFT & 3 > 0) == bool(p.coasts)
                elif unit:
                    assert kinds[p.id] != "sea"
                    assert unit >> COAST_SHIFT == 0
                if unit and unit != earlier[UNITS + p.id] and earlier[SEASON] != SeasonCode.BUILDS:
                    assert state[INFLUENCE + p.id] == unit & 15
            if earlier[SEASON] == SeasonCode.BUILDS and not earlier[STATUS]:
                for w in range(len(board.powers)):
                    units = int((state[UNITS:OWNERS] & 15 == w + 1).sum())
                    assert units <= int((state[OWNERS:DISLODGED] == w + 1).sum())
            if state[SEASON] not in (SeasonCode.SPRING_RETREATS, SeasonCode.AUTUMN_RETREATS):
                assert not state[DISLODGED:INFLUENCE].any()
    ended = states[:, STATUS]
    assert np.all(ended != Status.RUNNING)
    stopped = states[ended == Status.STOPPED]
    assert np.all(stopped[:, YEAR].astype(int) + 256 * stopped[:, YEAR + 1].astype(int) == last + 1)
    assert np.array_equal(rules.step(states, np.zeros((12, len(board.powers), 1), np.int64))[0], states)


@pytest.mark.parametrize("name", MAPS)
def test_garbage_among_the_actions_changes_nothing(name: str) -> None:
    rules = rules_of(named(name))
    rng = np.random.default_rng(3)
    for states, actions in play(rules, 20, 40):
        shape = (len(states), actions.shape[1], 30)
        garbage = rng.integers(-(2**63), 2**63 - 1, shape)
        others = rng.choice(rules.table.actions, shape)
        bent = others ^ (np.int64(1) << rng.integers(0, 63, shape))
        mixed = np.concatenate([garbage, others, actions, bent], axis=2)
        reasons = rules.check(states, mixed)
        assert np.all(reasons[:, :, :30] != ReasonCode.FINE)
        cleaned = np.where(reasons == ReasonCode.FINE, mixed, 0)
        assert not rules.check(states, cleaned).any()
        for got, wanted in zip(rules.step(states, mixed), rules.step(states, cleaned), strict=True):
            assert np.array_equal(got, wanted)


@pytest.mark.parametrize("name", MAPS)
def test_states_of_random_bytes_do_no_harm(name: str) -> None:
    rules = rules_of(named(name))
    rng = np.random.default_rng(6)
    states = rng.integers(0, 256, (400, STATE), np.uint8)
    states[:, SEASON] %= 6
    states[::2, STATUS] = 0
    for _ in range(5):
        actions = rules.sample(states, rng.integers(0, 2**63, 400, np.uint64), 50)
        garbage = rng.choice(rules.table.actions, actions.shape)
        listed, offsets = rules.legal(states)
        assert offsets[-1, -1] == len(listed)
        assert rules.legal_by_province(states)[1][-1, -1] <= len(listed)
        rules.check(states, garbage)
        states, _ = rules.step(states, np.concatenate([actions, garbage], axis=2))
    assert not (states[:, UNITS : UNITS + len(rules.map.provinces)] & 15 > len(rules.map.powers)).any()


@pytest.mark.parametrize("name", MAPS)
def test_a_coast_counts_only_where_there_are_two(name: str) -> None:
    rules = rules_of(named(name))
    whole = [p.id for p in rules.map.provinces if not p.coasts]
    states = np.concatenate([states for states, _ in play(rules, 4, 20)])
    odd = states.copy()
    for offset in (UNITS, DISLODGED):
        there = odd[:, [offset + p for p in whole]]
        odd[:, [offset + p for p in whole]] = np.where(there & 15, there | 1 << COAST_SHIFT, there)
    for listed, expected in zip(rules.legal_by_province(odd), rules.legal_by_province(states), strict=True):
        assert np.array_equal(listed, expected)


def test_arrays_of_another_shape_are_refused() -> None:
    rules = rules_of(standard())
    states = rules.start()[None]
    with pytest.raises(ValueError, match=r"states: expected an array \[B, 512\]"):
        rules.legal(states[0])
    with pytest.raises(ValueError, match=r"actions: expected an array \[1, 7, K\]"):
        rules.step(states, np.zeros((1, 6, 17), np.int64))
    with pytest.raises(ValueError, match="seeds: expected one for each of 1 states"):
        rules.sample(states, np.zeros(2, np.uint64))
    every_other = np.repeat(states, 4, axis=0)[::2]
    assert len(rules.legal(every_other)[0]) == 2 * 238


def test_the_order_of_orders_does_not_matter_in_moves_and_retreats() -> None:
    rules = rules_of(standard())
    rng = np.random.default_rng(4)
    for states, actions in play(rules, 20, 40):
        states, actions = (part[states[:, SEASON] != SeasonCode.BUILDS] for part in (states, actions))
        shuffled = rng.permuted(actions, axis=2)
        for got, wanted in zip(rules.step(states, shuffled), rules.step(states, actions), strict=True):
            assert np.array_equal(got, wanted)


def test_renaming_powers_renames_the_results() -> None:
    rules = rules_of(standard())
    names = np.concatenate([[0], np.random.default_rng(5).permutation(7) + 1]).astype(np.uint8)
    every = np.arange(256, dtype=np.uint8)
    renamed = (every & 0xF0 | np.where(every & 15 < 8, names[every & 7], every & 15)).astype(np.uint8)

    def rename(states: States) -> States:
        other = states.copy()
        for start in (UNITS, OWNERS, DISLODGED, INFLUENCE):
            other[:, start : start + 96] = renamed[states[:, start : start + 96]]
        return other

    for states, actions in play(rules, 20, 40):
        moves = states[:, SEASON] % 2 == 0
        states, actions = states[moves & (states[:, SEASON] < 4)], actions[moves & (states[:, SEASON] < 4)]
        turned = np.zeros_like(actions)
        turned[:, names[1:] - 1] = actions
        got, got_verdicts = rules.step(rename(states), turned)
        wanted, verdicts = rules.step(states, actions)
        assert np.array_equal(got_verdicts, verdicts)
        assert np.array_equal(got[:, UNITS:], rename(wanted)[:, UNITS:])


def test_a_batch_of_mixed_phases_is_its_states_one_by_one() -> None:
    rules = rules_of(standard())
    played = play(rules, 8, 40)
    states, actions = (np.concatenate([phase[i] for phase in played]) for i in range(2))
    assert len(set(states[:, SEASON].tolist())) == 5
    together = rules.step(states, actions)
    for b in range(len(states)):
        alone = rules.step(states[b : b + 1], actions[b : b + 1])
        assert np.array_equal(together[0][b], alone[0][0])
        assert np.array_equal(together[1][b], alone[1][0])


# Phase flow and rules by example


def test_centres_change_hands_only_after_autumn() -> None:
    rules = rules_of(standard())
    state, _ = after(rules, rules.start(), {"GERMANY": "MOVE_TO KIE DEN"})
    assert state[SEASON] == SeasonCode.AUTUMN_MOVES
    assert state[OWNERS + place(rules.map, "DEN")] == 0
    state, _ = after(rules, state, {})
    assert state[SEASON] == SeasonCode.BUILDS
    assert state[OWNERS + place(rules.map, "DEN")] == 4
    assert rules.builds(state[None])[0].tolist() == [0, 0, 0, 1, 0, 0, 0]
    state, verdicts = after(rules, state, {"GERMANY": "BUILD_FLEET KIE"})
    assert verdicts == {"KIE": VerdictCode.SUCCEEDED}
    assert unit_at(rules, state, "KIE") == 4 | FLEET
    assert (state[SEASON], state[YEAR]) == (SeasonCode.SPRING_MOVES, 1902 % 256)


def test_winter_is_skipped_when_nothing_is_due() -> None:
    rules = rules_of(standard())
    state, _ = after(rules, rules.start(), {})
    state, verdicts = after(rules, state, {})
    assert (state[SEASON], state[YEAR]) == (SeasonCode.SPRING_MOVES, 1902 % 256)
    assert set(verdicts.values()) == {VerdictCode.SUCCEEDED | UnitMark.DEFAULT}


def test_a_dislodged_unit_may_not_follow_its_attacker_nor_enter_contested_or_occupied_provinces() -> None:
    rules = rules_of(standard())
    units = {"GERMANY": "A MUN, A RUH, A HOL", "FRANCE": "A BUR, A PAR", "ITALY": "A MAR", "ENGLAND": "A GAS, F ENG"}
    state = position(rules, SeasonCode.SPRING_MOVES, units)
    state, verdicts = after(
        rules,
        state,
        {
            "GERMANY": "MOVE_TO MUN BUR, SUPPORT_MOVE_TO RUH BUR MUN, MOVE_TO HOL BEL",
            "ENGLAND": "MOVE_TO ENG BEL",
        },
    )
    assert state[SEASON] == SeasonCode.SPRING_RETREATS
    assert verdicts["BUR"] == VerdictCode.SUCCEEDED | UnitMark.DEFAULT | UnitMark.DISLODGED
    assert state[ORIGINS + place(rules.map, "BUR")] == place(rules.map, "MUN") + 1
    assert state[DISLODGED + place(rules.map, "BEL")] == CONTESTED
    tries = {
        "RETREAT_TO BUR MUN": ReasonCode.ATTACKER_CAME_FROM,
        "RETREAT_TO BUR BEL": ReasonCode.CONTESTED,
        "RETREAT_TO BUR PAR": ReasonCode.OCCUPIED,
        "RETREAT_TO BUR PIC": ReasonCode.FINE,
        "DISBAND BUR": ReasonCode.FINE,
        "RETREAT_TO MUN BUR": ReasonCode.NO_UNIT,
        "HOLD BUR": ReasonCode.WRONG_PHASE,
    }
    for text, reason in tries.items():
        assert rules.check(state[None], orders(rules, {"FRANCE": text}))[0, 2, 0] == reason, text
    state, verdicts = after(rules, state, {"FRANCE": "RETREAT_TO BUR PIC"})
    assert verdicts == {"BUR": VerdictCode.SUCCEEDED}
    assert unit_at(rules, state, "PIC") == 3
    assert state[SEASON] == SeasonCode.AUTUMN_MOVES


def test_a_unit_dislodged_by_a_convoyed_army_may_go_where_it_came_from() -> None:
    rules = rules_of(standard())
    units = {"ENGLAND": "A LON, F NTH, F SKA", "RUSSIA": "A NWY"}
    state, _ = after(
        rules,
        position(rules, SeasonCode.SPRING_MOVES, units),
        {"ENGLAND": "CONVOY_TO LON NWY, CONVOY NTH NWY LON, SUPPORT_MOVE_TO SKA NWY LON"},
    )
    assert state[SEASON] == SeasonCode.SPRING_RETREATS
    assert state[ORIGINS + place(rules.map, "NWY")] == 0


def test_two_retreats_to_one_province_and_one_that_nobody_ordered_are_disbanded() -> None:
    rules = rules_of(standard())
    units = {"AUSTRIA": "A VIE, A TRI", "GERMANY": "A MUN, A BOH, A TYR", "ITALY": "A VEN, A SER, A ALB"}
    state = position(rules, SeasonCode.SPRING_MOVES, units)
    given = {
        "GERMANY": "MOVE_TO BOH VIE, SUPPORT_MOVE_TO TYR VIE BOH",
        "ITALY": "MOVE_TO VEN TRI, SUPPORT_MOVE_TO SER TRI VEN",
    }
    state, _ = after(rules, state, given)
    clash, verdicts = after(rules, state, {"AUSTRIA": "RETREAT_TO VIE BUD, RETREAT_TO TRI BUD"})
    assert verdicts == {"VIE": VerdictCode.BOUNCED, "TRI": VerdictCode.BOUNCED}
    assert not (clash[UNITS:OWNERS] & 15 == 1).any()
    default, verdicts = after(rules, state, {"AUSTRIA": "RETREAT_TO VIE BUD"})
    assert verdicts == {"VIE": VerdictCode.SUCCEEDED, "TRI": VerdictCode.DISBANDED | UnitMark.DEFAULT}
    assert unit_at(rules, default, "BUD") == 1


def test_a_dislodged_unit_without_a_retreat_is_destroyed_and_the_phase_skipped() -> None:
    rules = rules_of(standard())
    units = {"ENGLAND": "A NAF", "FRANCE": "A TUN, F WES, F MAO"}
    state, verdicts = after(
        rules,
        position(rules, SeasonCode.SPRING_MOVES, units),
        {"FRANCE": "MOVE_TO TUN NAF, SUPPORT_MOVE_TO WES NAF TUN"},
    )
    assert verdicts["NAF"] & UnitMark.DESTROYED
    assert state[SEASON] == SeasonCode.AUTUMN_MOVES
    assert not state[DISLODGED:INFLUENCE].any()


def test_a_convoyed_move_between_neighbours_walks_without_a_route_and_fails_with_a_broken_one() -> None:
    rules = rules_of(standard())
    units = {"ENGLAND": "A BEL, F NTH", "FRANCE": "F ENG, F HEL"}
    state = position(rules, SeasonCode.SPRING_MOVES, units)
    walked, verdicts = after(rules, state, {"ENGLAND": "CONVOY_TO BEL HOL"})
    assert verdicts["BEL"] == VerdictCode.SUCCEEDED
    assert unit_at(rules, walked, "HOL") == 2
    attack = {"FRANCE": "MOVE_TO ENG NTH, SUPPORT_MOVE_TO HEL NTH ENG"}
    broken, verdicts = after(rules, state, {"ENGLAND": "CONVOY_TO BEL HOL, CONVOY NTH HOL BEL", **attack})
    assert verdicts["BEL"] == VerdictCode.DISRUPTED
    assert verdicts["NTH"] == VerdictCode.DISRUPTED | UnitMark.DISLODGED
    assert unit_at(rules, broken, "BEL") == 2


def test_a_convoy_that_nobody_ordered_comes_to_nothing() -> None:
    rules = rules_of(standard())
    state = position(rules, SeasonCode.SPRING_MOVES, {"ENGLAND": "A LON, F NTH"})
    _, verdicts = after(rules, state, {"ENGLAND": "CONVOY_TO LON NWY"})
    assert verdicts["LON"] == VerdictCode.NO_CONVOY


def test_a_convoy_paradox_is_marked() -> None:
    rules = rules_of(standard())
    # DATC 6.F.14
    units = {"ENGLAND": "F LON, F WAL", "FRANCE": "A BRE, F ENG"}
    given = {
        "ENGLAND": "SUPPORT_MOVE_TO LON ENG WAL, MOVE_TO WAL ENG",
        "FRANCE": "CONVOY_TO BRE LON, CONVOY ENG LON BRE",
    }
    _, verdicts = after(rules, position(rules, SeasonCode.SPRING_MOVES, units), given)
    assert verdicts["LON"] == VerdictCode.SUCCEEDED
    assert verdicts["BRE"] == VerdictCode.DISRUPTED
    assert verdicts["ENG"] == VerdictCode.DISRUPTED | UnitMark.PARADOX | UnitMark.DISLODGED


@pytest.mark.parametrize(
    ("power", "text", "reason"),
    [
        ("ENGLAND", "MOVE_TO PAR BUR", ReasonCode.NOT_YOURS),
        ("FRANCE", "MOVE_TO GAS BUR", ReasonCode.NO_UNIT),
        ("FRANCE", "MOVE_TO MAR SPA/SC", ReasonCode.OUT_OF_REACH),
        ("FRANCE", "SUPPORT_MOVE_TO BRE PIC PAR", ReasonCode.FINE),
        ("FRANCE", "SUPPORT_MOVE_TO BRE PIC BEL", ReasonCode.NO_TARGET),
        ("FRANCE", "SUPPORT_HOLD BRE PIC", ReasonCode.NO_TARGET),
        ("FRANCE", "SUPPORT_MOVE_TO BRE PAR PIC", ReasonCode.OUT_OF_REACH),
        ("FRANCE", "SUPPORT_MOVE_TO PAR PIC LON", ReasonCode.UNREACHABLE_BY_THIRD),
        ("FRANCE", "CONVOY_TO BRE LON", ReasonCode.WRONG_TYPE),
        ("FRANCE", "CONVOY_TO MAR NAP", ReasonCode.NO_ROUTE),
        ("FRANCE", "BUILD_ARMY PAR", ReasonCode.WRONG_PHASE),
        ("FRANCE", "DISBAND PAR", ReasonCode.WRONG_PHASE),
        ("FRANCE", "WAIVE", ReasonCode.WRONG_PHASE),
    ],
)
def test_reasons_in_a_movement_phase(power: str, text: str, reason: ReasonCode) -> None:
    rules = rules_of(standard())
    number = rules.map.power_spellings[power]
    assert rules.check(rules.start()[None], orders(rules, {power: text}))[0, number, 0] == reason


def test_a_second_order_for_a_unit_is_ignored() -> None:
    rules = rules_of(standard())
    given = orders(rules, {"FRANCE": "MOVE_TO PAR BUR, MOVE_TO PAR PIC"})
    assert rules.check(rules.start()[None], given)[0, 2, :2].tolist() == [ReasonCode.FINE, ReasonCode.SECOND_ORDER]
    state = rules.step(rules.start()[None], given)[0][0]
    assert unit_at(rules, state, "BUR") == 3


def test_reasons_in_winter() -> None:
    rules = rules_of(standard())
    units, centres = {"RUSSIA": "A MOS", "TURKEY": "A SEV, A ANK"}, {"RUSSIA": "MOS STP SEV RUM", "TURKEY": "ANK"}
    state = position(rules, SeasonCode.BUILDS, units, centres)
    given = orders(
        rules,
        {
            "RUSSIA": "BUILD_ARMY MOS, BUILD_ARMY SEV, BUILD_ARMY WAR, BUILD_FLEET STP/SC, BUILD_ARMY STP, WAIVE",
            "TURKEY": "REMOVE MOS, REMOVE CON, REMOVE ANK, REMOVE ANK, REMOVE SEV, BUILD_ARMY CON",
        },
    )
    reasons = rules.check(state[None], given)[0]
    assert reasons[5, :6].tolist() == [
        ReasonCode.OCCUPIED,
        ReasonCode.OCCUPIED,
        ReasonCode.NOT_A_HOME,
        ReasonCode.FINE,
        ReasonCode.SECOND_ORDER,
        ReasonCode.TOO_MANY,
    ]
    assert reasons[6, :6].tolist() == [
        ReasonCode.NOT_YOURS,
        ReasonCode.NO_UNIT,
        ReasonCode.FINE,
        ReasonCode.SECOND_ORDER,
        ReasonCode.TOO_MANY,
        ReasonCode.NOT_A_HOME,
    ]
    state = rules.step(state[None], given)[0][0]
    assert unit_at(rules, state, "STP") == 6 | FLEET | 2 << COAST_SHIFT
    assert unit_at(rules, state, "ANK") == 0


def test_civil_disorder_takes_the_farthest_then_fleets_then_the_first_by_tag() -> None:
    rules = rules_of(standard())
    # MOS is 6 moves from French homes; NAP and ROM 3 by land, the fleet in APU farther by sea.
    state = position(rules, SeasonCode.BUILDS, {"FRANCE": "A MOS, A NAP, A PIC, F PIE, A GAS"}, {"FRANCE": "PAR"})
    state, verdicts = after(rules, state, {})
    gone = {tag for tag, verdict in verdicts.items() if verdict == VerdictCode.DISBANDED | UnitMark.DEFAULT}
    assert gone == {"MOS", "NAP", "PIE", "GAS"}
    assert unit_at(rules, state, "PIC")


def test_a_solo_needs_the_centres_and_the_lead() -> None:
    rules = rules_of(standard())
    centres = [p.tag for p in rules.map.provinces if p.centre]
    units = {"FRANCE": f"A {centres[0]}"}
    seventeen = {"FRANCE": " ".join(centres[1:18]), "ITALY": " ".join(centres[18:])}
    won, _ = after(rules, position(rules, SeasonCode.AUTUMN_MOVES, units, seventeen), {})
    assert (won[STATUS], won[WINNER], won[SEASON]) == (Status.SOLO, 3, SeasonCode.BUILDS)
    assert len(rules.legal(won[None])[0]) == 0
    small = rules_of(named("lagoon"))
    assert small.map.victory == 7


def test_the_year_limit_stops_the_game() -> None:
    rules = rules_of(standard())
    states = rules.start(1901)[None]
    nothing = np.zeros((1, 7, 1), np.int64)
    for _ in range(2):
        states, _ = rules.step(states, nothing)
    assert states[0, STATUS] == Status.STOPPED


def test_a_board_on_which_nobody_can_do_anything_is_stopped() -> None:
    rules = rules_of(standard())
    state = position(rules, SeasonCode.BUILDS, {"ITALY": "A ROM"})
    state, _ = after(rules, state, {"ITALY": "REMOVE ROM"})
    assert state[STATUS] == Status.STOPPED


def test_a_power_without_units_goes_on_to_its_builds() -> None:
    rules = rules_of(standard())
    state = position(rules, SeasonCode.BUILDS, {"ITALY": "A ROM"}, {"FRANCE": "PAR"})
    state, _ = after(rules, state, {"ITALY": "REMOVE ROM"})
    assert (state[SEASON], state[YEAR], state[STATUS]) == (SeasonCode.BUILDS, 1902 % 256, Status.RUNNING)
    assert rules.builds(state[None])[0, 2] == 1
