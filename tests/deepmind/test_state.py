"""The state protocol: the golden game phase by phase, legal lists, returns, bad input, copies."""

from __future__ import annotations

import copy
import hashlib
import math
import pickle
import subprocess
import sys
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parlour import deepmind
from parlour.core.kernels import uncompiled
from parlour.deepmind import Options, Season, State, mila_action_to_action
from parlour.deepmind import legal as legal_module
from parlour.deepmind.routes import routes_by_action
from parlour.errors import ConfigError, IllegalAction
from parlour.games.diplomacy.maps.map import named
from parlour.games.diplomacy.position import Position
from support.deepmind import oracle as oracle

GOLDEN = np.load(Path(__file__).with_name("golden_inputs.npz"))


def act(text: str, season: int = 0) -> int:
    return mila_action_to_action(text, season)


def lists(**by_power: list[Any]) -> list[list[Any]]:
    return [by_power.get(name.lower(), []) for name in oracle.POWERS]


def golden(name: str, number: int) -> list[int]:
    bounds = GOLDEN[f"{name}_off"]
    found: list[int] = GOLDEN[name][bounds[number] : bounds[number + 1]].tolist()
    return found


def test_the_golden_game_phase_by_phase() -> None:
    state = State()
    for t, phase in enumerate(GOLDEN["phase"]):
        seen = state.observation()
        assert state.phase == phase
        assert seen.season == GOLDEN["season"][t]
        assert (seen.board == GOLDEN["board"][t]).all()
        assert seen.build_numbers == GOLDEN["build_numbers"][t].tolist()
        assert seen.last_actions == golden("last_actions", t)
        assert state.legal_actions() == [golden("legal", 7 * t + power) for power in range(7)]
        state.step([golden("actions", 7 * t + power) for power in range(7)])


def test_spring_1901_has_the_published_legal_lists() -> None:
    legal = State().legal_actions()
    assert [len(own) for own in legal] == [34, 29, 30, 38, 38, 42, 27]
    joined = np.concatenate([np.array(own, "<i8") for own in legal])
    digest = hashlib.sha256(joined.tobytes()).hexdigest()
    assert digest == "9c845af0a83af8698bf4f4cc65576b285cea08367a1ca32f7eefd1f62b33bc16"


def test_legal_lists_are_plain_ascending_and_without_duplicates() -> None:
    for state in oracle.random_states(seed=2, phases=150):
        legal = state.legal_actions()
        assert type(legal) is list
        for own in legal:
            assert type(own) is list
            assert all(type(action) is int for action in own)
            assert own == sorted(set(own))


def test_idle_convoys_are_listed_on_request_and_may_always_be_ordered() -> None:
    # The army needs the North Sea alone; the Channel is on a detour.
    position = Position.read("standard S1902M ENG=FNTH,FENG;FRA=ABEL ENG=LON;FRA=PAR")
    idle, needed = act("F ENG C A BEL - YOR"), act("F NTH C A BEL - YOR")
    usual, all_of_them = State(position), State(position, options=Options(idle_convoys=True))
    assert idle not in usual.legal_actions()[1]
    assert needed in usual.legal_actions()[1]
    assert idle in all_of_them.legal_actions()[1]
    usual.step(lists(england=[idle]))
    assert usual.observation().last_actions == [idle]


def test_without_idle_convoys_nothing_else_is_lost() -> None:
    idle = Options(idle_convoys=True)
    for state in oracle.random_states(seed=3, phases=150):
        few = state.legal_actions()
        many = State(state.position, options=idle).legal_actions()
        for own, every in zip(few, many, strict=True):
            assert set(own) <= set(every)
            assert all(action & 255 == deepmind.action_breakdown(action).order == 2 for action in set(every) - set(own))


def test_the_sieve_agrees_compiled_and_uncompiled() -> None:
    rows = np.concatenate([state.row for state in oracle.random_states(seed=4, phases=80)])
    slow = uncompiled("parlour.deepmind.kernel.sieve").Sieve(*routes_by_action())
    actions, offsets = legal_module.RULES.legal(rows)
    kept = slow.drop_idle(rows.data, actions.data, offsets.data)
    fast_actions, fast_offsets = legal_module.legal(rows)
    assert (actions[:kept] == fast_actions).all()
    assert (offsets == fast_offsets).all()


def test_in_builds_a_power_with_nothing_due_has_an_empty_list() -> None:
    state = State(
        Position.read("standard W1902A RUS=FSTP/SC,AMOS,AWAR;TUR=AANK;FRA=APAR RUS=MOS,WAR;TUR=ANK,CON;FRA=PAR")
    )
    legal = state.legal_actions()
    assert legal[2] == []
    assert {deepmind.action_breakdown(action).order for action in legal[5]} == {12}
    assert [deepmind.human_readable_action(action) for action in legal[6]] == ["W", "B A CON", "B F CON"]


def test_a_fleet_of_st_petersburg_has_two_builds() -> None:
    state = State(Position.read("standard W1902A RUS=AMOS RUS=MOS,STP"))
    words = [deepmind.human_readable_action(action) for action in state.legal_actions()[5]]
    assert words == ["W", "B A STP", "B F STPNC", "B F STPSC"]


def test_a_dislodged_unit_may_always_disband() -> None:
    state = State(Position.read("standard F1902R FRA=ABUR FRA=PAR GER=ABUR<PAR"))
    words = [deepmind.human_readable_action(action) for action in state.legal_actions()[3]]
    assert "BUR D" in words
    assert "BUR - PAR" not in words


def test_one_waive_stands_for_all_that_is_left() -> None:
    state = State(Position.read("standard W1902A TUR=AANK TUR=ANK,CON,SMY"))
    state.step(lists(turkey=[act("WAIVE", 4)]))
    assert state.phase == "S1903M"
    assert state.position.units["TURKEY"] == ["A ANK"]


# Bad input


def refused(state: State, actions: Any) -> IllegalAction:
    before = pickle.dumps(state)
    with pytest.raises(IllegalAction) as caught:
        state.step(actions)
    assert pickle.dumps(state) == before
    assert "\n" not in str(caught.value)
    return caught.value


@pytest.mark.parametrize(
    ("actions", "seat", "part", "why"),
    [
        (lists(france=[12345]), "FRANCE", "", "12345 is no possible action"),
        (lists(france=[act("A PAR H") & 0xFFFFFFFF]), "FRANCE", "", "no possible action"),
        (lists(france=[act("A PAR H") + (1 << 40)]), "FRANCE", "", "no possible action"),
        (lists(france=[0]), "FRANCE", "", "0 is no possible action"),
        (lists(france=[-1]), "FRANCE", "", "-1 is no possible action"),
        (lists(france=[1 << 70]), "FRANCE", "", "is no possible action"),
        (lists(france=[math.nan]), "FRANCE", "", "nan is no possible action"),
        (lists(france=["A PAR H"]), "FRANCE", "", "'A PAR H' is no possible action"),
        (lists(france=[None]), "FRANCE", "", "None is no possible action"),
        (lists(france=[True]), "FRANCE", "", "True is no possible action"),
        (lists(france=[act("A BUR H")]), "FRANCE", "BUR", "BUR H: no unit stands there"),
        (lists(france=[act("A MUN H")]), "FRANCE", "MUN", "MUN H: the unit is another power's"),
        (lists(france=[act("A PAR H"), act("A PAR - BUR")]), "FRANCE", "PAR", "PAR - BUR: the unit or place has an"),
        (lists(france=[act("A MAR - BUR"), act("A PAR S A MUN - BUR"), act("F BRE - ENG"), act("A PAR H")]), "FRANCE",
         "PAR", "PAR H: the unit or place"),
        (lists(france=[act("A BRE - PAR")]), "FRANCE", "BRE", "BRE - PAR: the unit cannot go there"),
        (lists(france=[act("A PAR S A GAS - BUR")]), "FRANCE", "PAR", "no unit to support"),
        (lists(england=[act("A LVP - BEL VIA")]), "ENGLAND", "LVP", "no chain of fleets"),
        (lists(france=[act("A PAR R BUR", 1)]), "FRANCE", "PAR", "it is not of this phase"),
        (lists(france=[act("A PAR B", 4)]), "FRANCE", "PAR", "it is not of this phase"),
        (lists(france=[act("A PAR H")] * 35), "FRANCE", "", "at most 34 actions, got 35"),
    ],
)  # fmt: skip
def test_bad_actions_are_named_and_change_nothing(actions: list[list[Any]], seat: str, part: str, why: str) -> None:
    error = refused(State(), actions)
    assert (error.seat, error.part) == (seat, part)
    assert why in str(error)
    assert str(error).startswith("France" if seat == "FRANCE" else "England")


@pytest.mark.parametrize("actions", [[], [[]] * 6, [[]] * 8, None, 5, "actions!", {}, np.zeros((6, 17), np.int64)])
def test_other_shapes_are_refused(actions: Any) -> None:
    assert "expected 7 lists" in str(refused(State(), actions))


def test_a_power_whose_actions_are_no_list_is_named() -> None:
    assert str(refused(State(), [[], [], 7, [], [], [], []])) == "France: expected a list of actions, got int"
    assert str(refused(State(), np.zeros((7, 1, 1), np.int64))) == "Austria: expected a list of actions, got ndarray"


@pytest.mark.parametrize(
    ("fen", "actions", "why"),
    [
        ("TUR=AANK TUR=ANK,CON", ["A CON B", "A SMY B"], "SMY: it is no home centre that the power owns"),
        ("TUR=AANK TUR=ANK,CON", ["A CON B", "F CON B"], "CON: the unit or place has an action already"),
        ("TUR=AANK TUR=ANK,CON", ["A ANK B"], "ANK: a unit stands there"),
        ("TUR=AANK,AARM TUR=ANK,CON,SMY", ["A CON B", "A SMY B"], "SMY: more than are due"),
        ("TUR=AANK,AARM TUR=ANK,CON,SMY", ["WAIVE", "A SMY B"], "SMY: more than are due"),
        ("TUR=AANK,AARM TUR=ANK", ["A ANK D", "A ARM D"], "R ARM: more than are due"),
        ("TUR=AANK,AARM TUR=ANK", ["A SMY D"], "R SMY: no unit stands there"),
    ],
)
def test_bad_builds_are_named(fen: str, actions: list[str], why: str) -> None:
    state = State(Position.read(f"standard W1902A {fen}"))
    assert why in str(refused(state, lists(turkey=[act(text, 4) for text in actions])))


def test_a_finished_game_takes_no_actions() -> None:
    state = State(Position.start(last_year=1901).stopped())
    assert state.is_terminal()
    assert "over" in str(refused(state, [[]] * 7))


def test_none_stands_for_no_actions_as_in_the_published_runner() -> None:
    state = State()
    actions: list[Any] = [None] * 6 + [[act("A CON H")]]
    state.step(actions)
    assert state.observation().last_actions == [act("A CON H")]


def test_numpy_integers_and_arrays_are_taken() -> None:
    state = State()
    actions: list[Any] = [
        np.array([], np.int64),
        (),
        [np.int64(act("A PAR - BUR"))],
        np.array([act("A MUN H")]),
        [],
        [],
        [],
    ]
    state.step(actions)
    assert state.observation().last_actions == [act("A PAR - BUR"), act("A MUN H")]
    assert all(type(action) is int for action in state.observation().last_actions)


# Returns, copies


def test_returns_are_zero_in_progress() -> None:
    assert State().returns().tolist() == [0.0] * 7


def test_a_solo_pays_the_winner_alone() -> None:
    french = "PAR,MAR,BRE,SPA,POR,BEL,HOL,LON,LVP,EDI,NWY,DEN,KIE,BER,MUN,ROM,VEN"
    position = Position.read(f"standard F1902M FRA=ANAP;TUR=AANK FRA={french};TUR=ANK,CON")
    state = State(position)
    state.step([[]] * 7)
    assert state.is_terminal()
    assert state.returns().tolist() == [0, 0, 1, 0, 0, 0, 0]
    by_centres = State(state.position, options=Options(solo_takes_all=False)).returns()
    assert by_centres.tolist() == pytest.approx([0, 0, 18 / 20, 0, 0, 0, 2 / 20])
    assert state.legal_actions() == [[]] * 7


def test_an_end_without_a_solo_is_shared_by_who_owns_a_centre() -> None:
    stopped = Position.read("standard S1902M FRA=APAR;TUR=AANK FRA=PAR,MAR,BRE;TUR=ANK").stopped()
    assert State(stopped).returns().tolist() == [0, 0, 0.5, 0, 0, 0, 0.5]
    assert State(stopped, options=Options(draw_by_centres=True)).returns().tolist() == [0, 0, 0.75, 0, 0, 0, 0.25]


@pytest.mark.parametrize("how", [copy.deepcopy, copy.copy, State.copy, lambda state: pickle.loads(pickle.dumps(state))])
def test_copies_are_equal_and_go_their_own_way(how: Any) -> None:
    state = State(options=Options(idle_convoys=True))
    state.step(lists(france=[act("A PAR - BUR")]))
    twin = how(state)
    assert twin == state
    assert twin.options == state.options
    assert twin.observation().last_actions == state.observation().last_actions
    before = state.observation()
    twin.step([[]] * 7)
    assert twin != state
    assert (state.observation().board == before.board).all()
    assert state.observation().last_actions == before.last_actions


def test_an_observation_may_be_changed_by_who_got_it() -> None:
    state = State()
    state.step(lists(france=[act("A PAR - BUR")]))
    seen = state.observation()
    seen.board[:] = 7
    seen.last_actions.clear()
    assert state.observation().board.max() == 1
    assert state.observation().last_actions == [act("A PAR - BUR")]


def test_the_repr_tells_the_position() -> None:
    assert "standard S1901M" in repr(State())


def test_other_maps_are_refused() -> None:
    with pytest.raises(ConfigError, match="standard map"):
        State(Position.start(named("lagoon")))


@pytest.mark.parametrize("wrong", ["standard S1901M", b"", 5, State()])
def test_what_is_no_position_is_refused(wrong: Any) -> None:
    with pytest.raises(ConfigError, match="position: expected a Position"):
        State(wrong)


def test_the_package_needs_no_network_library() -> None:
    code = "import sys; from parlour import deepmind; print([m for m in ('jax', 'flax', 'optax') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_seasons_are_numbered_as_published() -> None:
    assert [season.name for season in Season] == [
        "SPRING_MOVES", "SPRING_RETREATS", "AUTUMN_MOVES", "AUTUMN_RETREATS", "BUILDS",
    ]  # fmt: skip
    assert [season.is_moves() for season in Season] == [True, False, True, False, False]
    assert [season.is_retreats() for season in Season] == [False, True, False, True, False]
    assert [season.is_builds() for season in Season] == [False, False, False, False, True]


class PublishedSeason(Enum):
    """As the published code has it."""

    SPRING_MOVES = 0
    SPRING_RETREATS = 1
    AUTUMN_MOVES = 2
    AUTUMN_RETREATS = 3
    BUILDS = 4


class UnitType(Enum):
    """Another published enumeration that begins with 0."""

    ARMY = 0


def test_seasons_equal_the_published_ones_and_their_numbers() -> None:
    for season in Season:
        theirs: Any = PublishedSeason(season.value)
        assert season == theirs
        assert theirs == season
        # As the published test of observations compares them.
        np.testing.assert_array_equal(theirs, season)
        assert season == season.value == int(season) == np.int64(season)
        assert pickle.loads(pickle.dumps(season)) is season
        assert {season: 1}[theirs.value] == 1
    different: list[Any] = [PublishedSeason.BUILDS, UnitType.ARMY, "SPRING_MOVES", 4, None]
    assert not any(season == Season.SPRING_MOVES for season in different)


def test_everything_exported_is_there() -> None:
    assert all(hasattr(deepmind, name) for name in deepmind.__all__)
