"""Rules that differ from the usual ones: where they are named, and what each of them changes."""

from __future__ import annotations

import hashlib
import pickle
import random

import numpy as np
import pytest

from parlour.core.game import Plain, Seat
from parlour.errors import ConfigError, NotationError
from parlour.games.diplomacy.engine import codes as k
from parlour.games.diplomacy.engine.rules import rules_of
from parlour.games.diplomacy.formats.saved import SavedGame, save_game
from parlour.games.diplomacy.formats.states import position_of_state, write_state
from parlour.games.diplomacy.game import GAME
from parlour.games.diplomacy.maps.map import named, standard
from parlour.games.diplomacy.ordering.actions import action_table
from parlour.games.diplomacy.ordering.reasons import Reason
from parlour.games.diplomacy.position import Position
from parlour.games.diplomacy.variations import BY_PACKAGE, Variation, read_variations, varied_by
from support.processes.from_source import from_source

FRANCE, TURKEY = Seat("FRANCE"), Seat("TURKEY")
EIGHTEEN = "PAR,BRE,MAR,SPA,POR,BEL,HOL,KIE,BER,MUN,DEN,SWE,NWY,LON,EDI,LVP,VIE,RUM"


def winter(*variations: Variation) -> Position:
    """France owns Bulgaria, Spain and Serbia as well as Paris, and has one army, in Paris."""
    board = "standard W1901A FRA=APAR;TUR=ACON FRA=PAR,BUL,SPA,SER;TUR=CON"
    return Position.read(board).under(variations)


def autumn(owned: str, *variations: Variation) -> Position:
    """France stands in Rumania in the fall, and owns some centres."""
    return Position.read(f"standard F1901M FRA=ARUM;TUR=ACON FRA={owned};TUR=CON").under(variations)


# Where they are named


@pytest.mark.parametrize("value", [["flying-pigs"], "build-anywhere", 5, [5], None, {"build-anywhere": 1}])
def test_what_is_no_list_of_their_names_is_refused(value: Plain) -> None:
    with pytest.raises(ConfigError, match="rules: expected a list of some of build-anywhere, every-phase"):
        read_variations(value)
    with pytest.raises(ConfigError):
        GAME.seats({"rules": value})


def test_they_are_the_same_in_whatever_order_and_however_often_they_are_named() -> None:
    assert read_variations(["unchecked", "every-phase", "unchecked"]) == (Variation.EVERY_PHASE, Variation.UNCHECKED)
    board = standard().under([Variation.UNCHECKED, Variation.EVERY_PHASE])
    assert board is standard().under([Variation.EVERY_PHASE, Variation.UNCHECKED])
    assert board.under(()) is standard()
    assert board != standard()


def test_the_packages_names_for_them() -> None:
    assert varied_by(["NO_PRESS", *BY_PACKAGE]) == tuple(one for one in Variation if one is not Variation.FOG)
    assert varied_by(["SHARED_VICTORY", "POWER_CHOICE"]) == ()


@pytest.mark.parametrize("name", ["standard", "lagoon"])
def test_a_match_is_played_by_those_of_its_configuration(name: str) -> None:
    config: dict[str, Plain] = {"map": name, "rules": ["held-win", "build-anywhere"]}
    position = GAME.start(config, GAME.seats(config), 0)
    assert position.board.variations == (Variation.BUILD_ANYWHERE, Variation.HELD_WIN)
    assert GAME.start({"map": name}, GAME.seats(config), 0).board is named(name)


def test_a_position_keeps_them_as_text_and_pickled() -> None:
    position = Position.start().under(Variation)
    assert "rules:build-anywhere,every-phase,held-win,unchecked" in position.fen
    assert Position.read(position.fen) == position
    assert position != Position.start()
    again = pickle.loads(pickle.dumps(position))
    assert again == position
    assert again.board is position.board
    assert "rules" not in Position.start().fen
    with pytest.raises((ConfigError, NotationError), match="rules: expected"):
        Position.read(Position.start().fen + " - - rules:flying-pigs")


def test_the_configuration_decides_by_which_a_position_goes_on() -> None:
    held = Position.start().under([Variation.HELD_WIN]).fen
    seats = GAME.seats({})
    assert GAME.start({"position": held}, seats, 0).board.variations == (Variation.HELD_WIN,)
    both: dict[str, Plain] = {"position": held, "rules": ["unchecked"]}
    assert GAME.start(both, seats, 0).board.variations == (Variation.UNCHECKED,)


def test_only_builds_elsewhere_make_more_actions() -> None:
    plain, anywhere = standard(), standard().under([Variation.BUILD_ANYWHERE])
    others = standard().under([one for one in Variation if one is not Variation.BUILD_ANYWHERE])
    assert action_table(others) is action_table(plain)
    more = set(action_table(anywhere).low.tolist()) - set(action_table(plain).low.tolist())
    neutral = [province for province in plain.provinces if province.centre and province.home is None]
    assert {low >> 9 & 127 for low in more} == {province.id for province in neutral}


def digest() -> str:
    """Return the kernel's results of random play under each variation and all of them."""
    found = hashlib.sha256()
    every: list[list[Variation]] = [*([one] for one in Variation), list(Variation)]
    for variations in every:
        rules = rules_of(named("lagoon").under(variations))
        states = np.repeat(rules.start(1712)[None], 4, 0)
        for turn in range(30):
            actions = rules.sample(states, np.arange(turn, turn + 4, dtype=np.uint64))
            assert not rules.check(states, actions)[actions > 0].any()
            actions[0, :, 0] += 1 << 9  # what is ignored is ignored on both sides
            for part in (rules.legal(states)[0], rules.builds(states), rules.check(states, actions)):
                found.update(part.tobytes())
            states, verdicts = rules.step(states, actions)
            found.update(states.tobytes() + verdicts.tobytes())
    return found.hexdigest()


def test_compiled_and_uncompiled_play_the_same() -> None:
    assert from_source(digest) == digest()


# Builds anywhere


def test_builds_are_for_home_centres_unless_they_are_for_all() -> None:
    plain, anywhere = winter(), winter(Variation.BUILD_ANYWHERE)
    assert (plain.builds[FRANCE], plain.build_sites[FRANCE], plain.legal(FRANCE)) == (0, [], [])
    assert (anywhere.builds[FRANCE], anywhere.build_sites[FRANCE]) == (3, ["BUL", "SER", "SPA"])
    assert sorted(anywhere.legal(FRANCE)) == sorted(
        [
            *("A BUL B", "F BUL/EC B", "F BUL/SC B", "A SER B", "A SPA B", "F SPA/NC B", "F SPA/SC B"),
            "WAIVE",
        ]
    )
    assert anywhere.homes == plain.homes


@pytest.mark.parametrize(
    ("order", "reason"),
    [
        ("A PAR B", Reason.OCCUPIED),
        ("A MAR B", Reason.NOT_OWNED),
        ("A CON B", Reason.NOT_OWNED),
        ("A BUR B", Reason.NOT_A_CENTRE),
        ("F SER B", Reason.WRONG_TYPE),
        ("F SPA B", Reason.NEEDS_COAST),
    ],
)
def test_what_cannot_be_built_anywhere_is_refused_with_the_reason(order: str, reason: Reason) -> None:
    (violation,) = winter(Variation.BUILD_ANYWHERE).check(FRANCE, [order])
    assert violation.kind == reason


def test_what_is_built_anywhere_stands_there() -> None:
    position = winter(Variation.BUILD_ANYWHERE).resolve({"FRANCE": ["F BUL/EC B", "A SER B", "A SPA B"]})
    assert position.units["FRANCE"] == ["F BUL/EC", "A PAR", "A SER", "A SPA"]
    assert position.turn is not None
    assert all(ruling.verdict == "succeeded" for ruling in position.turn.rulings)
    assert "in its own free centres" in str(position.turn.explanations[0])
    assert position_of_state(write_state(position), board=position.board) == position


def test_nobody_builds_in_a_centre_of_nobody() -> None:
    position = Position.read("standard W1901A FRA=APAR FRA=PAR,MAR").under([Variation.BUILD_ANYWHERE])
    assert position.build_sites[FRANCE] == ["MAR"]
    assert sorted(position.orders()) == ["MAR"]


# Every phase


def test_phases_without_anything_to_order_take_place() -> None:
    phases, position = [], Position.start(last_year=1901).under([Variation.EVERY_PHASE])
    while not position.over:
        phases.append((position.phase, bool(position.to_act())))
        position, happened = position.apply({})
        assert happened["phase"] == phases[-1][0]
    assert phases == [("S1901M", True), ("S1901R", False), ("F1901M", True), ("F1901R", False), ("W1901A", False)]


def test_phases_with_something_to_order_are_as_usual() -> None:
    rng = random.Random(3)
    usual, every = Position.start(last_year=1906), Position.start(last_year=1906).under([Variation.EVERY_PHASE])
    while not usual.over:
        orders = {seat: usual.sample(seat, rng) for seat in usual.to_act()}
        while not every.to_act():
            every, _ = every.apply({})
        assert (every.phase, every.units, every.centers) == (usual.phase, usual.units, usual.centers)
        usual, every = usual.apply(orders)[0], every.apply(orders)[0]


def test_a_match_of_one_player_is_stopped_whatever_takes_place() -> None:
    position = Position.start().under([Variation.EVERY_PHASE])
    for power in position.board.powers[1:]:
        position = position.without(Seat(power.name))
    assert position.over


# A win that must be held


def test_a_solo_counts_at_once_unless_it_must_be_held() -> None:
    taken = EIGHTEEN.removesuffix(",RUM")
    assert autumn(taken).resolve({}).solo == "FRANCE"
    once = autumn(taken, Variation.HELD_WIN).resolve({})
    assert (once.over, len(once.centers["FRANCE"]), once.phase) == (False, 18, "W1901A")
    assert autumn(EIGHTEEN, Variation.HELD_WIN).resolve({}).solo == "FRANCE"


def test_a_win_that_was_lost_again_is_held_by_nobody() -> None:
    lost = (
        Position.read(f"standard F1901M TUR=ARUM,ACON FRA={EIGHTEEN};TUR=CON").under([Variation.HELD_WIN]).resolve({})
    )
    assert not lost.over
    assert len(lost.centers["FRANCE"]) == 17


def test_a_draw_of_one_who_has_not_held_it_is_read_back_as_a_draw() -> None:
    board = standard().under([Variation.HELD_WIN])
    state = write_state(autumn(EIGHTEEN, Variation.HELD_WIN)) | {"name": "COMPLETED"}
    won = position_of_state(state | {"note": "Victory by: FRA"}, board=board, after="F1902M")
    drawn = position_of_state(state | {"note": "Victory by: FRA, TUR"}, board=board, after="F1902M")
    assert (won.solo, drawn.solo, drawn.over) == ("FRANCE", "", True)


# Unchecked moves


def test_unchecked_moves_are_taken_and_found_out_later() -> None:
    position, orders = Position.start().under([Variation.UNCHECKED]), ["A PAR - ROM", "F BRE - MAO", "garbage"]
    assert len(Position.start().check(FRANCE, orders)) == 2
    assert position.check(FRANCE, orders) == ()
    following, happened = position.apply({FRANCE: orders})
    assert following.units["FRANCE"] == ["F MAO", "A MAR", "A PAR"]
    assert happened["results"]["FRANCE"] == {"A PAR - ROM": "void", "F BRE - MAO": "succeeded", "garbage": "void"}


@pytest.mark.parametrize("action", ["A PAR - BUR", [5], ["A PAR - BUR"] * 201, ["A" * 201]])
def test_what_is_no_list_of_orders_of_a_size_is_refused_even_so(action: Plain) -> None:
    assert Position.start().under([Variation.UNCHECKED]).check(FRANCE, action)


def test_retreats_and_builds_are_always_checked() -> None:
    assert winter(Variation.UNCHECKED).check(FRANCE, ["A ROM B"])


def test_void_moves_are_saved_with_the_others() -> None:
    position = Position.start().under([Variation.UNCHECKED])
    turn = position.resolve({"FRANCE": ["A PAR - ROM", "F BRE - MAO", "A LON - BEL"]}).turn
    assert turn is not None
    saved = save_game([turn], turn.after, id="unchecked")
    assert saved.rules == ["NO_PRESS", "POWER_CHOICE", "NO_CHECK"]
    assert saved.board is position.board
    first = saved.phases[0]
    assert first.orders["FRANCE"] == ["F BRE - MAO", "A PAR - ROM", "A LON - BEL"]
    assert (first.results["A PAR"], first.results["F BRE"], first.results["F LON"]) == (["void"], [], [])
    assert SavedGame(saved.value).phases[0].turn().after == turn.after


def test_a_void_order_of_a_unit_that_is_dislodged_says_both() -> None:
    position = Position.read("standard S1901M FRA=ABUR;GER=AMUN,ARUH FRA=PAR;GER=MUN").under([Variation.UNCHECKED])
    orders = {"FRANCE": ["A BUR - ROM"], "GERMANY": ["A MUN - BUR", "A RUH S A MUN - BUR"]}
    turn = position.resolve(orders).turn
    assert turn is not None
    assert save_game([turn], turn.after, id="void").phases[0].results["A BUR"] == ["void", "dislodged"]


def test_the_first_of_two_orders_for_a_unit_stands_and_does_not_become_void() -> None:
    turn = Position.start().under([Variation.UNCHECKED]).resolve({"FRANCE": ["A PAR - BUR", "A PAR - PIC"]}).turn
    assert turn is not None
    assert save_game([turn], turn.after, id="two").phases[0].results["A PAR"] == []
    assert turn.after.state[k.UNITS + standard().spellings["BUR"]]


def test_a_list_longer_than_all_variations_is_refused() -> None:
    with pytest.raises(ConfigError, match="rules: expected a list of some of"):
        read_variations(["unchecked"] * (len(Variation) + 1))
