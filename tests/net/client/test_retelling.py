"""A game of another server, told again from its beginning."""

from __future__ import annotations

from typing import Any

import pytest

from parlour.core import events as ev
from parlour.core.game import Seat
from parlour.core.intents import CommStatus, PlayerType
from parlour.core.terms import Terms
from parlour.games.diplomacy import start
from parlour.net.client.retelling import retold, said, story
from parlour.net.mila import notifications as n
from parlour.net.mila.protocol_values import DUMMY, Message, SeatedAs
from parlour.net.mila.role_state import messages_of
from parlour.referee.conduct import DIPLOMACY
from support.client.local_games import game_of, phase_of

FRANCE, ITALY = Seat("FRANCE"), Seat("ITALY")


def test_a_game_with_a_past_is_told_turn_by_turn_from_its_start() -> None:
    game = game_of(phase="S1902M")
    for name in ("S1901M", "F1901M"):
        game.extend_phase_history(phase_of(name, orders={"FRANCE": ["A PAR H"]}))
    events = story(game, Terms(DIPLOMACY))
    told = [(type(event).__name__, getattr(event, "turn", 0)) for event in events]
    assert told[:2] == [("Opened", 0), ("Joined", 0)]
    assert told[told.index(("Started", 0)) :] == [
        ("Started", 0),
        ("TurnBegan", 1),
        ("TurnEnded", 1),
        ("TurnBegan", 2),
        ("TurnEnded", 2),
    ]
    ended = [event for event in events if isinstance(event, ev.TurnEnded)]
    assert [event.actions["FRANCE"] for event in ended] == [["A PAR H"], ["A PAR H"]]


def test_who_sits_where_and_what_was_said_is_told_with_its_time() -> None:
    words = Message(sender="ITALY", recipient="FRANCE", phase="S1901M", message="psst", time_sent=6_000_000)
    state = phase_of("S1901M").state | {"timestamp": 8_000_000}
    game = game_of(
        phase="F1901M",
        timestamp_created=5_000_000,
        state_history={"S1901M": state},
        message_history={"S1901M": [words]},
        order_history={"S1901M": {"FRANCE": ["A PAR H"]}},
    )
    game.powers["FRANCE"].player_type, game.powers["ITALY"].player_type = SeatedAs.PRESS_BOT, SeatedAs.NONE
    opened, france, italy, started, began, heard, ended = story(game, Terms(DIPLOMACY))
    assert isinstance(opened, ev.Opened)
    assert (opened.at, opened.config, opened.match) == (5.0, {"map": "standard"}, "g")
    assert france == ev.Joined(5.0, FRANCE, "france", PlayerType.PRESS_BOT)
    assert italy == ev.Joined(5.0, ITALY, "italy", PlayerType.HUMAN)
    assert isinstance(started, ev.Started)
    assert started.position == start().encode()
    assert (began.at, ended.at) == (8.0, 8.0)
    assert heard == ev.Said(6.0, ITALY, (FRANCE,), "psst", 1)


def test_what_is_for_all_is_said_to_nobody_in_particular() -> None:
    words = Message(sender="ITALY", recipient="GLOBAL", phase="S1901M", message="hear, hear")
    assert said(words, 3) == [ev.Said(0.0, ITALY, (), "hear, hear", 3)]


def notified(kind: type[n.GameNotification], *, between: bool = False, **more: Any) -> list[ev.Event]:
    """Return the event for a notification in the third turn, or between two turns."""
    game = game_of(timestamp_created=5_000_000)
    about: dict[str, Any] = {"notification_id": "n", "token": "t", "game_id": "g", "game_role": "FRANCE"}
    return list(retold(kind(**about, **more), 3, None if between else start(), game))


@pytest.mark.parametrize("between", [False, True])
def test_a_phase_that_is_over_ends_a_turn_if_one_was_played(between: bool) -> None:
    over = phase_of("S1901M", orders={"FRANCE": ["A PAR - BUR"], "ITALY": None})
    events = notified(n.GameProcessed, between=between, previous_phase_data=over, current_phase_data=phase_of("F1901M"))
    if between:
        assert events == []
        return
    (ended,) = events
    assert isinstance(ended, ev.TurnEnded)
    assert (ended.at, ended.turn, ended.actions["FRANCE"], ended.actions["ITALY"]) == (5.0, 3, ["A PAR - BUR"], [])
    assert len(ended.actions) == 7


def test_flags_and_readiness_are_told_of_whose_they_are() -> None:
    assert notified(n.PowerOrdersFlag, power_name="ITALY", order_is_set=2) == [ev.Acted(5.0, ITALY, 3, None)]
    assert notified(n.PowerOrdersFlag, power_name="ITALY", order_is_set=0) == []
    assert notified(n.PowerWaitFlag, power_name="ITALY", wait=True) == [ev.WaitSet(5.0, ITALY, True)]
    assert notified(n.PowerWaitFlag, power_name="ITALY", wait=True, between=True) == []
    ready = notified(n.PowerCommStatusUpdate, power_name="ITALY", comm_status=CommStatus.READY)
    assert ready == [ev.CommStatusSet(5.0, ITALY, CommStatus.READY)]
    assert notified(n.GameDeleted) == []


def test_who_plays_is_told_and_nobody_is_not_taken_for_a_player() -> None:
    powers = {"FRANCE": "ann", "ITALY": "bo", "TURKEY": None, "RUSSIA": DUMMY}
    types = {"FRANCE": SeatedAs.PRESS_BOT, "RUSSIA": SeatedAs.PRESS_BOT}
    events = notified(n.PowersControllers, powers=powers, timestamps=dict.fromkeys(powers, 9), player_types=types)
    assert events == [
        ev.Joined(5.0, FRANCE, "ann", PlayerType.PRESS_BOT),
        ev.Joined(5.0, ITALY, "bo", PlayerType.HUMAN),
    ]


@pytest.mark.parametrize(
    "text",
    [
        *("Peace?\n:: PRP ( PCE ( ITA FRA ) )", "PRP ( PCE ( ITA FRA ) )", "psst", ":: YES ( PCE ( ITA FRA ) )"),
        "HUH ( WHT )\n:: HUH ( WHT )",
    ],
)
@pytest.mark.parametrize("role", ["FRANCE", "ITALY", "omniscient_type"])
def test_press_is_one_message_for_an_agent_although_clients_get_prose_and_core_apart(text: str, role: str) -> None:
    press = ev.Said(6.0, ITALY, (FRANCE,), text, 1)
    received = messages_of(press, role, "S1901M", 6_000_000)
    assert len(received) == (2 if text.startswith("Peace") and role != "ITALY" else 1)
    (heard,) = [event for message in received for event in said(message, 1)]
    assert (heard.seat, heard.to, heard.text, heard.turn) == (ITALY, (FRANCE,), text, 1)
