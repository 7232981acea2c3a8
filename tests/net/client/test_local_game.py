"""A client's knowledge of a game: from its first sheet, then from each notification."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from parlour.core.intents import Ballot, CommStatus
from parlour.errors import ConfigError
from parlour.games.diplomacy import start
from parlour.net.client.local_game import LocalGame
from parlour.net.mila import notifications as n
from parlour.net.mila.protocol_values import (
    DUMMY,
    OBSERVER,
    OMNISCIENT,
    GameSheet,
    GameStatus,
    Log,
    Message,
    PhaseKind,
    SeatedAs,
)
from support.client.local_games import POWERS, STATE, game_of, phase_of


def told(game: LocalGame, kind: type[n.GameNotification], **more: Any) -> bool:
    """Return the events that the game makes of a notification."""
    about: dict[str, Any] = {"notification_id": "n", "token": "t", "game_id": "g", "game_role": game.role}
    return game.take(kind(**about, **more))


def said(text: str, at: int | None, phase: str = "S1901M") -> Message:
    return Message(sender="ITALY", recipient="FRANCE", phase=phase, message=text, time_sent=at)


# Who looks, and how far it is


def test_a_role_is_a_power_or_one_of_two_that_watch() -> None:
    kinds = {
        role: (game.is_player_game(), game.is_observer_game(), game.is_omniscient_game(), game.power is not None)
        for role in ("FRANCE", OBSERVER, OMNISCIENT)
        for game in [game_of(role)]
    }
    assert kinds == {
        "FRANCE": (True, False, False, True),
        OBSERVER: (False, True, False, False),
        OMNISCIENT: (False, False, True, False),
    }


def test_a_game_has_one_status_and_hears_of_another() -> None:
    for status in GameStatus:
        game = game_of()
        assert told(game, n.GameStatusUpdate, status=status)
        assert [
            game.is_game_forming,
            game.is_game_active,
            game.is_game_paused,
            game.is_game_completed,
            game.is_game_canceled,
        ] == [status is each for each in GameStatus]
        assert not game.is_game_done


@pytest.mark.parametrize(
    ("short", "long", "kind"),
    [
        ("S1901M", "SPRING 1901 MOVEMENT", "M"),
        ("F1910R", "FALL 1910 RETREATS", "R"),
        ("W1901A", "WINTER 1901 ADJUSTMENTS", "A"),
        ("FORMING", "FORMING", "-"),
        ("COMPLETED", "COMPLETED", "-"),
        ("SM", "SM", "M"),
    ],
)
def test_a_phase_has_a_short_and_a_long_name(short: str, long: str, kind: str) -> None:
    game = game_of(phase=short)
    assert (game.phase, game.phase_type) == (long, kind)
    assert game.current_short_phase == game.get_current_phase() == short
    assert game.is_game_done is (short == "COMPLETED")


@pytest.mark.parametrize(
    ("long", "short"), [("SPRING 1901 MOVEMENT", "S1901M"), ("FORMING", "FORMING"), ("A B", "A B")]
)
def test_a_sheet_that_has_only_the_long_name_says_the_phase_too(long: str, short: str) -> None:
    sheet = GameSheet(game_id="g", role="FRANCE", status=GameStatus.ACTIVE, powers={}, phase=long)
    assert LocalGame(sheet).get_current_phase() == short


def test_the_latest_time_is_that_of_creation_a_phase_or_a_message() -> None:
    assert game_of().get_latest_timestamp() == game_of(state_history={"S1901M": {}}).get_latest_timestamp() == 0
    assert game_of(timestamp_created=5).get_latest_timestamp() == 5
    history = {"S1901M": {"timestamp": 7}, "F1901M": {"timestamp": "9"}, "W1901A": {}}
    assert game_of(timestamp_created=5, state_history=history).get_latest_timestamp() == 9
    assert game_of(timestamp_created=50, state_history=history).get_latest_timestamp() == 50
    messages = [said("b", 12), said("a", 11)]
    assert game_of(timestamp_created=5, state_history=history, messages=messages).get_latest_timestamp() == 12


# Powers


def test_powers_are_found_by_their_names() -> None:
    game = game_of()
    assert game.get_map_power_names() == list(POWERS)
    assert game.has_power("ITALY")
    assert not game.has_power("italy")
    assert game.get_power("ITALY") is game.powers["ITALY"]
    assert game.get_power("ATLANTIS") is None


def test_who_plays_what_is_whoever_came_last() -> None:
    game = game_of()
    assert game.count_controlled_powers() == 2
    assert {name: who for name, who in game.get_controllers().items() if who != DUMMY} == {
        "FRANCE": "france",
        "ITALY": "italy",
    }
    italy, turkey = game.powers["ITALY"], game.powers["TURKEY"]
    assert (italy.is_controlled_by("italy"), italy.is_controlled_by("france")) == (True, False)
    assert not turkey.is_controlled_by(DUMMY)


def test_a_free_power_is_one_that_nobody_plays_and_that_still_stands() -> None:
    game = game_of()
    for name in POWERS:
        if name not in ("FRANCE", "ITALY", "TURKEY", "GERMANY"):
            game.powers[name].units = game.powers[name].centers = []
    assert {game.get_random_power_name() for _ in range(100)} == {"TURKEY", "GERMANY"}
    for name in ("TURKEY", "GERMANY"):
        told(game, n.PowersControllers, powers={name: "somebody"}, timestamps={name: 9})
    with pytest.raises(ConfigError, match="no power is free in this game") as raised:
        game.get_random_power_name()
    assert raised.value.field == "power_name"


def test_new_controllers_are_taken_in_and_a_power_that_is_left_waits() -> None:
    game = game_of()
    italy = game.powers["ITALY"]
    italy.wait, italy.vote = False, Ballot.YES
    types = {"ITALY": SeatedAs.PRESS_BOT}
    told(game, n.PowersControllers, powers={"ITALY": "ann"}, timestamps={"ITALY": 9}, player_types=types)
    assert (italy.get_controller(), italy.player_type, italy.wait, italy.vote) == (
        "ann", SeatedAs.PRESS_BOT, False, Ballot.YES
    )  # fmt: skip
    told(game, n.PowersControllers, powers={"ITALY": None}, timestamps={"ITALY": 11})
    assert (italy.get_controller(), italy.player_type, italy.wait, italy.vote) == (
        DUMMY, SeatedAs.PRESS_BOT, True, Ballot.NEUTRAL
    )  # fmt: skip


def test_what_powers_have_is_asked_of_one_or_of_all() -> None:
    game = game_of(
        state_history={"S1901M": STATE},
        result_history={"S1901M": {"A PAR": [], "A MAR": ["bounce"], "A ROM": ["void"]}},
    )
    assert game.get_units("france") == ["F BRE", "A MAR", "A PAR"]
    assert game.get_units() == STATE["units"]
    assert game.get_centers() == STATE["centers"]
    assert game.get_order_status("FRANCE") == {"A MAR": ["bounce"], "A PAR": []}
    assert game.get_order_status() == {name: {} for name in POWERS} | {
        "FRANCE": {"A MAR": ["bounce"], "A PAR": []},
        "ITALY": {"A ROM": ["void"]},
    }
    assert game_of().get_order_status("FRANCE") == {}
    assert sorted(game.get_orderable_locations("FRANCE")) == ["BRE", "MAR", "PAR"]
    assert set(game.get_orderable_locations()) == set(POWERS)
    assert game_of(phase="COMPLETED").get_orderable_locations("FRANCE") == []
    assert "A PAR - BUR" in game.get_all_possible_orders()["PAR"]


def test_a_state_reads_back_as_the_position() -> None:
    game = game_of()
    assert game.position.fen == start().fen
    assert game.get_state() | {"timestamp": 0} == STATE | {"timestamp": 0}
    assert game.get_hash() == STATE["zobrist_hash"]
    for unknown in (game_of(map_name="modern"), game_of(phase="COMPLETED")):
        state = unknown.get_state()
        assert state["units"] == STATE["units"]
        assert "zobrist_hash" not in state


def test_a_game_is_drawn_with_the_orders_that_are_known(tmp_path: Path) -> None:
    game = game_of()
    bare = game.render()
    assert bare.startswith("<svg")
    game.note_orders("FRANCE", ["A PAR - BUR"])
    drawn = game.render(output_path=str(tmp_path / "board.svg"))
    assert (tmp_path / "board.svg").read_text(encoding="utf-8") == drawn
    assert "A PAR - BUR" in drawn
    assert game.render(incl_orders=False) == bare
    assert ">BUR<" not in bare
    assert ">BUR<" in game.render(incl_abbrev=True)
    with pytest.raises(ConfigError, match="expected svg, got 'png'"):
        game.render(output_format="png")


# Press


def test_press_says_from_whom_and_in_which_phase() -> None:
    game = game_of(phase="F1901M")
    assert game.new_power_message("ITALY", "hello") == Message(
        sender="FRANCE", recipient="ITALY", phase="F1901M", message="hello"
    )
    assert game.new_global_message("hello").is_global
    assert not game.new_power_message("ITALY", "hello").is_global
    assert game.new_log_data("hm") == Log(sender="FRANCE", recipient="OMNISCIENT", phase="F1901M", message="hm")


def test_a_message_is_taken_once_and_where_it_belongs() -> None:
    game = game_of(phase="F1901M", message_history={"S1901M": [said("old", 3)]})
    assert not told(game, n.GameMessageReceived, message=said("old", 3))
    assert told(game, n.GameMessageReceived, message=said("late", 4))
    assert told(game, n.GameMessageReceived, message=said("new", 5, "F1901M"))
    assert not told(game, n.GameMessageReceived, message=said("new", 5, "F1901M"))
    assert {at: message.message for at, message in game.message_history["S1901M"].items()} == {3: "old", 4: "late"}
    assert {at: message.message for at, message in game.messages.items()} == {5: "new"}
    assert told(game, n.GameMessageReceived, message=said("when?", None, "F1901M"))
    assert list(game.messages) == [5, 0]


def test_what_was_sent_as_a_phase_ended_is_filed_once_where_the_server_says() -> None:
    game = game_of()
    for name in ("S1901M", "F1901M"):
        game.extend_phase_history(phase_of(name))
    game.add_message(said("late", 20, "S1901M"))  # the answer came when the phase was over
    assert list(game.message_history["S1901M"]) == [20]
    game.extend_phase_history(phase_of("F1901M", messages=[said("late", 20, "F1901M")]))
    assert [list(filed) for filed in game.message_history.values()] == [[], [20]]


def test_messages_are_in_the_order_in_which_they_were_sent() -> None:
    game = game_of(messages=[said("b", 2), said("?", None), said("a", 1)])
    assert list(game.messages) == [0, 1, 2]


# Orders, votes and flags


def test_orders_that_cannot_be_are_left_out() -> None:
    game = game_of()
    assert told(game, n.PowerOrdersUpdate, power_name="FRANCE", orders=["A PAR - BUR", "A PAR - MOS", "A ROM H"])
    assert game.get_orders("FRANCE") == ["A PAR - BUR"]
    assert game.powers["FRANCE"].order_is_set == 2
    told(game, n.PowerOrdersUpdate, power_name="FRANCE", orders=[])
    assert (game.get_orders("FRANCE"), game.powers["FRANCE"].order_is_set) == ([], 1)
    told(game, n.PowerOrdersUpdate, power_name="FRANCE", orders=None)
    assert (game.get_orders("FRANCE"), game.powers["FRANCE"].order_is_set) == ([], 0)


def test_on_a_map_that_we_do_not_have_orders_are_believed() -> None:
    game = game_of(map_name="atlantis")
    told(game, n.PowerOrdersUpdate, power_name="FRANCE", orders=["A PAR - MOON"])
    assert game.get_orders("FRANCE") == ["A PAR - MOON"]


def test_flags_and_votes_change_for_whom_they_are_told() -> None:
    game = game_of()
    italy, france = game.powers["ITALY"], game.powers["FRANCE"]
    told(game, n.PowerOrdersFlag, power_name="ITALY", order_is_set=2)
    assert (italy.order_is_set, france.order_is_set) == (2, 0)
    assert not italy.does_not_wait()
    told(game, n.PowerWaitFlag, power_name="ITALY", wait=False)
    assert italy.does_not_wait()
    told(game, n.PowerCommStatusUpdate, power_name="ITALY", comm_status=CommStatus.READY)
    assert (italy.comm_status, france.comm_status) == (CommStatus.READY, CommStatus.INACTIVE)
    told(game, n.PowerVoteUpdated, vote=Ballot.YES, count_voted=1, count_expected=2)
    assert (france.vote, italy.vote) == (Ballot.YES, Ballot.NEUTRAL)
    told(game, n.VoteUpdated, vote={"FRANCE": Ballot.NO, "ITALY": Ballot.YES})
    assert (france.vote, italy.vote) == (Ballot.NO, Ballot.YES)


def test_what_is_told_of_a_power_that_is_not_there_changes_nothing() -> None:
    game = game_of(OBSERVER)
    before = [repr(power) for power in game.powers.values()]
    for kind, more in (
        (n.PowerOrdersFlag, {"order_is_set": 2}),
        (n.PowerOrdersUpdate, {"orders": []}),
        (n.PowerWaitFlag, {"wait": False}),
        (n.PowerCommStatusUpdate, {"comm_status": CommStatus.READY}),
    ):
        assert told(game, kind, power_name="ATLANTIS", **more)
    assert told(game, n.PowerVoteUpdated, vote=Ballot.YES, count_voted=1, count_expected=2)
    assert [repr(power) for power in game.powers.values()] == before


def having(game: LocalGame, what: str) -> int:
    """Return the number of powers that have an entry in that table."""
    return sum(bool(getattr(power, what)) for power in game.powers.values())


ONE_OR_ALL = pytest.mark.parametrize(("name", "left"), [("FRANCE", 6), (None, 0)])


@ONE_OR_ALL
def test_orders_of_one_power_or_of_all_are_cleared(name: str | None, left: int) -> None:
    game = game_of()
    for power in game.powers.values():
        power.order_is_set = 2
    position = game.position
    told(game, n.ClearedOrders, power_name=name)
    assert having(game, "order_is_set") == left
    assert game.position is position


@ONE_OR_ALL
def test_units_of_one_power_or_of_all_are_cleared_with_their_orders(name: str | None, left: int) -> None:
    game = game_of()
    position = game.position
    for power in game.powers.values():
        power.order_is_set, power.retreats = 2, {"A PAR": ["BUR"]}
    told(game, n.ClearedUnits, power_name=name)
    assert [having(game, what) for what in ("units", "retreats", "order_is_set")] == [left] * 3
    for power in game.powers.values():
        power.retreats = {}  # of which there are none in a phase of moves
    assert game.position is not position


@ONE_OR_ALL
def test_who_has_neither_centres_nor_units_is_eliminated(name: str | None, left: int) -> None:
    game = game_of()
    told(game, n.ClearedUnits, power_name=name)
    assert not game.powers["FRANCE"].is_eliminated()
    position = game.position
    told(game, n.ClearedCenters, power_name=name)
    assert having(game, "centers") == left
    assert game.position is not position
    assert [power.is_eliminated() for power in game.powers.values()].count(False) == left


# Phases


def test_a_phase_that_is_over_is_kept_and_the_next_begins_anew() -> None:
    game = game_of(rules=["REAL_TIME"])
    for power in game.powers.values():
        power.vote, power.comm_status, power.order_is_set = Ballot.YES, CommStatus.READY, 2
    over = phase_of(
        "S1901M",
        orders={"FRANCE": ["A PAR H"], "ITALY": None},
        results={"A PAR": []},
        messages=[said("b", 2), said("a", 1)],
        logs=[Log(sender="FRANCE", phase="S1901M", message="hm", time_sent=3)],
    )
    gone = {"units": STATE["units"] | {"TURKEY": []}, "centers": STATE["centers"] | {"TURKEY": []}}
    following = phase_of("F1901M", orders={"FRANCE": ["A MAR H"], "ITALY": None}, messages=[said("c", 4)], state=gone)
    assert told(game, n.GameProcessed, previous_phase_data=over, current_phase_data=following)
    assert game.state_history == {"S1901M": over.state}
    assert game.order_history == {"S1901M": {"FRANCE": ["A PAR H"], "ITALY": []}}
    assert game.result_history == {"S1901M": {"A PAR": []}}
    assert list(game.message_history["S1901M"]) == [1, 2]
    assert list(game.log_history["S1901M"]) == [3]
    assert (game.get_current_phase(), game.note, list(game.messages)) == ("F1901M", "note of F1901M", [4])
    assert {(power.vote, power.comm_status) for power in game.powers.values()} == {(Ballot.NEUTRAL, CommStatus.BUSY)}
    assert {name: power.wait for name, power in game.powers.items()} == {
        name: name not in ("FRANCE", "ITALY", "TURKEY") for name in POWERS
    }, "who plays in real time does not wait, nor who is eliminated"
    assert {name for name, power in game.powers.items() if power.order_is_set} == {"FRANCE"}
    assert not told(game, n.GameProcessed, previous_phase_data=over, current_phase_data=phase_of("W1901A"))
    assert game.get_current_phase() == "F1901M"


def test_without_that_rule_everybody_waits_in_a_new_phase() -> None:
    game = game_of()
    game.powers["FRANCE"].wait = False
    told(game, n.GameProcessed, previous_phase_data=phase_of("S1901M"), current_phase_data=phase_of("F1901M"))
    assert all(power.wait for power in game.powers.values())


def test_a_missed_phase_is_added_once() -> None:
    game = game_of(phase="F1901M")
    missed = {"phase_data": phase_of("S1901M"), "phase_data_type": PhaseKind.STATE_HISTORY}
    assert told(game, n.GamePhaseUpdate, **missed)
    assert list(game.state_history) == ["S1901M"]
    assert game.get_current_phase() == "F1901M"
    assert not told(game, n.GamePhaseUpdate, **missed)


@pytest.mark.parametrize(("phase", "vote"), [("S1901M", Ballot.YES), ("F1901M", Ballot.NEUTRAL)])
def test_another_phase_begins_and_the_same_is_only_set(phase: str, vote: Ballot) -> None:
    game = game_of()
    game.powers["FRANCE"].vote = Ballot.YES
    assert told(game, n.GamePhaseUpdate, phase_data=phase_of(phase), phase_data_type=PhaseKind.PHASE)
    assert (game.get_current_phase(), game.powers["FRANCE"].vote) == (phase, vote)


def test_a_phase_that_is_played_again_forgets_what_came_of_it() -> None:
    game = game_of(phase="W1901A")
    for name in ("S1901M", "F1901M", "F1901R"):
        game.extend_phase_history(phase_of(name))
    again = phase_of("F1901M", state={"units": STATE["units"] | {"FRANCE": ["A GAS"]}})
    assert told(game, n.GamePhaseUpdate, phase_data=again, phase_data_type=PhaseKind.STATE)
    assert (game.get_current_phase(), game.get_units("FRANCE")) == ("F1901M", ["A GAS"])
    for history in (game.state_history, game.order_history, game.result_history, game.message_history):
        assert list(history) == ["S1901M"]
    assert list(game.log_history) == ["S1901M"]
