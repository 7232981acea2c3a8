"""DumbBot: its values by a second computation, its manners, its reference results, its options."""

from __future__ import annotations

import random
import zlib
from collections import Counter

import numpy as np
import pytest

from parlour.agents import make_agent
from parlour.agents.diplomacy.dumbbot import (
    MOST_IDLE,
    PORTS,
    DumbBotOptions,
    _idle,
    as_in_port,
    dials_of,
    draw,
    new_draws,
)
from parlour.agents.diplomacy.kernel import dials, draws
from parlour.core.game import Seat, View
from parlour.core.kernels import is_compiled
from parlour.games.diplomacy.game import Diplomacy
from parlour.games.diplomacy.maps.map import Map, named, standard
from parlour.games.diplomacy.position import Position
from parlour.testing import check_player
from support.diplomacy.dumbbot_oracle import nodes_in, values
from support.press.stories import at
from support.processes.from_source import from_source

FRANCE, TURKEY = Seat("FRANCE"), Seat("TURKEY")


def wander(board: Map, phases: int, seed: int) -> list[Position]:
    """Return the positions of a match in which everybody plays at random or as DumbBot does, by turns."""
    position, rng, found = Position.start(board), random.Random(seed), []
    for number in range(phases):
        found.append(position)
        actions = {
            seat: position.sample(seat, rng) if number % 3 == 0 else orders(position, seat, rng.getrandbits(60))
            for seat in position.to_act()
        }
        position, _ = position.apply(actions)
    return found


def orders(position: Position, seat: Seat, seed: int, options: DumbBotOptions = PORTS["original"]) -> list[str]:
    chosen = draw(position, position.power_of(seat), seed, options)
    return [str(position.order_of(action)) for action in chosen]


@pytest.mark.parametrize("name", ["standard", "lagoon"])
def test_values_are_those_of_the_description(name: str) -> None:
    board = standard() if name == "standard" else named(name)
    desk, nodes = new_draws(board, PORTS["original"]), nodes_in(board)
    for position in wander(board, 20, 1):
        found = np.zeros((1, len(board.powers), len(nodes)), np.int32)
        desk.measure(position.row.data, found.data)
        for power in range(len(board.powers)):
            assert found[0, power].tolist() == list(values(position, power).values())


def test_compiled_equals_uncompiled() -> None:
    assert is_compiled(draws)
    assert from_source(digest) == digest()


def digest() -> str:
    """Return the orders that are drawn in some phases of a match."""
    found = [orders(position, seat, 4) for position in wander(standard(), 9, 5) for seat in position.to_act()]
    return str(zlib.crc32(repr(found).encode()))


@pytest.mark.parametrize("port", PORTS)
def test_plays_without_a_foul(port: str) -> None:
    name = f"dumbbot:port={port}"
    check_player(Diplomacy(), lambda: make_agent("diplomacy", name, 1), {"last_year": 1906}, matches=1)


def test_the_same_seed_draws_the_same_and_others_do_not() -> None:
    position, russia = Position.start(), Seat("RUSSIA")
    sets = [orders(position, russia, seed) for seed in range(30)]
    assert sets == [orders(position, russia, seed) for seed in range(30)]
    assert len({tuple(sorted(own)) for own in sets}) > 5


def test_no_support_stands_without_what_it_supports() -> None:
    for position in wander(standard(), 30, 2):
        if position.stage != "orders":
            continue
        for seat in position.to_act():
            own = set(orders(position, seat, 7))
            moving = {order.split("/")[0] for order in own if " - " in order and " S " not in order}
            staying = {order[:5] for order in own if " H" in order or " S " in order}
            for order in own:
                _, supports, what = order.partition(" S ")
                if supports:
                    assert what in moving if " - " in what else what[:5] in staying


def test_who_waits_for_another_is_ordered_after_it() -> None:
    # Both want to go on to where the other stands; that neither may wait for ever is the point.
    position = at("S1902M", "FRA=APAR,ABUR,APIC,AGAS", "FRA=PAR,MAR,BRE;GER=MUN,BEL")
    for seed in range(50):
        own = orders(position, FRANCE, seed)
        targets = [order.split()[3][:3] for order in own if order.split()[2] == "-"]
        assert len(targets) == len(set(targets))
        assert len(own) == 4


def test_units_support_attacks_and_holds_where_others_may_come() -> None:
    texts = [
        order
        for position in wander(standard(), 40, 4)
        if position.stage == "orders"
        for seat in position.to_act()
        for order in orders(position, seat, 3)
        if " S " in order
    ]
    assert sum(" - " in order for order in texts) > 5
    assert sum(" - " not in order for order in texts) > 0


def test_retreats_go_to_different_places_or_disband() -> None:
    rng = random.Random(3)
    seen = 0
    for start in wander(standard(), 60, 9):
        if start.stage != "retreats":
            continue
        seen += 1
        for seat in start.to_act():
            own = orders(start, seat, rng.getrandbits(60))
            places = [order.split()[3][:3] for order in own if " R " in order]
            assert len(places) == len(set(places))
            assert not start.check(seat, own)
    assert seen > 5


def test_builds_what_is_due_and_waives_the_rest() -> None:
    winter = at("W1901A", "FRA=APAR", "FRA=PAR,BRE,MAR,SPA,POR")
    own = orders(winter, FRANCE, 4)
    assert len(own) == 2
    assert {order.split()[1][:3] for order in own} == {"BRE", "MAR"}


def test_both_shores_of_a_home_can_be_built_on() -> None:
    winter = at("W1901A", "RUS=AMOS,AWAR,FSEV", "RUS=STP,MOS,WAR,SEV")
    built = {order for seed in range(300) for order in orders(winter, Seat("RUSSIA"), seed)}
    assert "A STP B" in built
    assert built & {"F STP/NC B", "F STP/SC B"}


def test_removes_what_is_farthest_from_the_fight_more_often() -> None:
    winter = at("W1905A", "TUR=ASYR,AGRE;ITA=FION,ANAP", "TUR=GRE;ITA=NAP,ROM")
    gone = Counter(orders(winter, TURKEY, seed)[0] for seed in range(300))
    assert gone["A SYR D"] > gone["A GRE D"] > 0


def test_options_that_are_not_said_come_from_the_port() -> None:
    found = as_in_port(DumbBotOptions(port="dipnet", stay=True))
    assert (found.neutral, found.standing, found.stay, found.draws) == ("0", False, True, "one")


@pytest.mark.parametrize(
    ("said", "dial", "value"),
    [
        ({"neutral": "16"}, dials.NEUTRAL, 16),
        ({"standing": False}, dials.STANDING, 0),
        ({"stay": False}, dials.STAY, 0),
        ({"removal": "gap"}, dials.REMOVAL, 1),
        ({"draws": "one"}, dials.ONE_DRAW, 1),
        ({"stray": 20}, dials.STRAY, 20),
        ({"gap": 100}, dials.GAP, 100),
        ({"attack": 800}, dials.SPRING_ATTACK, 800),
        ({"attack": 800}, dials.FALL_DEFENCE, 300),
        ({"help": 5}, dials.HELP, 5),
        ({"deter": 5}, dials.DETER, 5),
    ],
)
def test_each_option_turns_its_dial(said: dict[str, str | int | bool], dial: int, value: int) -> None:
    usual, turned = dials_of(PORTS["original"]), dials_of(DumbBotOptions(**said))  # type: ignore[arg-type]
    assert usual[dial] != value
    assert turned[dial] == value


def test_every_option_of_the_kernel_changes_what_is_drawn() -> None:
    positions = [position for position in wander(standard(), 40, 3) if position.stage != "retreats"]

    def drawn(options: DumbBotOptions) -> list[list[str]]:
        return [sorted(orders(each, seat, 11, options)) for each in positions for seat in each.to_act()]

    usual = drawn(PORTS["original"])
    for other in (
        DumbBotOptions(neutral="16"),
        DumbBotOptions(standing=False),
        DumbBotOptions(shores="every"),
        DumbBotOptions(draws="one"),
        DumbBotOptions(stray=0),
        DumbBotOptions(gap=0),
        DumbBotOptions(attack=100),
        DumbBotOptions(help=50_000),
        DumbBotOptions(deter=50_000),
    ):
        assert drawn(other) != usual


def test_beats_random_in_a_few_years() -> None:
    position, rng = Position.start(last_year=1912), random.Random(1)
    bot = make_agent("diplomacy", "dumbbot", 5)
    while not position.over and position.to_act():
        actions = {seat: position.sample(seat, rng) for seat in position.to_act()}
        if TURKEY in actions:
            actions[TURKEY] = bot.act(View(TURKEY, position, 0))  # type: ignore[assignment]
        position, _ = position.apply(actions)
    assert len(position.centers[TURKEY]) >= 18


def test_desks_are_kept_of_a_bounded_number_of_kinds() -> None:
    start = Position.start()
    for gap in range(MOST_IDLE + 5):
        draw(start, 2, seed=1, options=DumbBotOptions(gap=gap))
    assert _idle.cache_info().currsize <= MOST_IDLE
