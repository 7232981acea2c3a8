"""Questions of a program to its game: every word of the package has an answer."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from parlour.core.intents import Ballot
from parlour.games.diplomacy import start
from parlour.games.diplomacy.formats.saved import SavedGame
from parlour.games.diplomacy.formats.states import write_state
from parlour.net.client import Message, NetworkGame, connect, to_saved_game_format
from parlour.net.client.channel import Channel
from parlour.net.client.connection import Connection
from parlour.net.client.questions import Questions
from parlour.net.mila import requests as rq
from parlour.net.mila import responses as rs
from parlour.net.mila.protocol_values import DUMMY, OBSERVER, OMNISCIENT, GamePhase, GameSheet, GameStatus, PowerSheet
from support.mila.house import HOST, mila_server
from support.mila.servers import clients_python

STATE = write_state(start())
POWERS = tuple(STATE["units"])
OF_AN_ENGINE = {
    *(
        "add_rule",
        "build_caches",
        "clear_cache",
        "clear_vote",
        "combat",
        "command",
        "convoy_paths",
        "convoy_paths_dest",
    ),
    *("convoy_paths_possible", "current_state", "dislodged", "error", "fixed_state", "is_fixed_state_unchanged"),
    *("civil_disorder", "is_server_game", "is_valid_password", "load_map", "lost", "ordered_units", "orders", "popped"),
    *("rebuild_hash", "registration_password", "remove_rule", "renderer", "result", "rule_cache", "supports"),
    *("update_hash", "zobrist_hash", "zobrist_tables"),
}
"""Methods that make sense only for an adjudicator; a client has `game.position` for that."""
SET_BY_THE_SERVER = {
    *("set_centers", "set_controlled", "set_current_phase", "set_phase_data", "set_status", "set_units", "set_wait"),
    *("update_dummy_powers", "update_powers_controllers"),
}
"""Methods that only the server may call."""
OF_ITS_JSON = {"build_model", "from_dict", "get_model", "json", "model", "to_dict", "update_json_dict"}
OF_ITS_INSIDE = {
    *("connection", "connection_count", "requests_to_send", "requests_waiting_responses", "unknown_tokens"),
    *("game_id_to_instances", "notification_callbacks"),
}
"""Places where the package keeps what it waits for: `Connection.send`, `Channel.games` and add_on_... replace them."""


def game_of(phase: str = "S1901M", **more: Any) -> Questions:
    """Return a game at its start; France, whose game it is, and Italy have players."""
    powers = {}
    for name in POWERS:
        since = {"5": DUMMY, "7": name.lower()} if name in ("FRANCE", "ITALY") else {"5": DUMMY}
        own = {kind: STATE[kind][name] for kind in ("units", "centers", "homes", "influence")}
        powers[name] = PowerSheet(name=name, role=name, controller=since, **own)
    sheet: dict[str, Any] = {"status": GameStatus.ACTIVE, "powers": powers, "phase_abbr": phase} | more
    return Questions(GameSheet(game_id="g", role="FRANCE", **sheet))


def test_nothing_is_missing_that_a_bots_author_would_call() -> None:
    code = """
import json
from diplomacy.client.connection import Connection
from diplomacy.client.channel import Channel
from diplomacy.client.network_game import NetworkGame
print(json.dumps({kind.__name__: [n for n in dir(kind) if n[0] != "_"] for kind in (Connection, Channel, NetworkGame)}))
"""
    found = subprocess.run([clients_python(), "-c", code], capture_output=True, text=True, check=True).stdout
    names = json.loads(found)
    game = game_of()
    ours: dict[str, set[str]] = {
        "Connection": {*dir(Connection("ws://localhost:1")), *dir(Connection)},
        "Channel": {*dir(Channel(Connection("ws://localhost:1"), "t"))},
        "NetworkGame": {*dir(game), *dir(NetworkGame), "channel"},
    }
    left_out = OF_AN_ENGINE | SET_BY_THE_SERVER | OF_ITS_JSON | OF_ITS_INSIDE
    for kind, there in names.items():
        assert sorted(set(there) - ours[kind] - left_out) == [], kind


def test_who_plays_what_since_when() -> None:
    game = game_of(n_controls=3)
    assert (game.is_controlled("france"), game.is_dummy("FRANCE")) == (True, False)
    assert (game.is_controlled("TURKEY"), game.is_dummy("turkey")) == (False, True)
    assert game.get_controlled_power_names("italy") == ["ITALY"]
    assert game.get_controllers_timestamps()["FRANCE"] == 7
    assert game.get_controllers_timestamps()["TURKEY"] == 5
    assert game.get_dummy_power_names() == set(POWERS) - {"FRANCE", "ITALY"}
    game.powers["RUSSIA"].order_is_set = 2
    game.powers["TURKEY"].units, game.powers["TURKEY"].centers = [], []
    assert game.get_dummy_unordered_power_names() == ["AUSTRIA", "ENGLAND", "GERMANY"]
    assert (game.get_expected_controls_count(), game.has_expected_controls_count()) == (3, False)
    assert game_of(n_controls=2).has_expected_controls_count()
    assert game_of().get_expected_controls_count() == 7


def test_who_is_waited_for_and_who_has_voted() -> None:
    game = game_of()
    assert not game.does_not_wait()
    for power in game.powers.values():
        power.order_is_set, power.wait = 1, False
    assert game.does_not_wait()
    game.powers["FRANCE"].wait = True
    assert not game.does_not_wait()
    game.powers["FRANCE"].units, game.powers["FRANCE"].centers = [], []
    assert game.does_not_wait(), "France is out of the game"
    assert (game.count_voted(), game.has_draw_vote()) == (0, False)
    game.powers["ITALY"].vote = Ballot.NO
    assert (game.count_voted(), game.has_draw_vote()) == (1, False)
    game.powers["ITALY"].vote = Ballot.YES
    assert (game.count_voted(), game.has_draw_vote()) == (1, True)


def test_whether_a_power_has_ordered() -> None:
    power = game_of().powers["FRANCE"]
    assert not power.moves_submitted()
    power.order_is_set = 1
    assert power.moves_submitted()
    power.order_is_set, power.units = 0, []
    assert power.moves_submitted()


@pytest.mark.parametrize(
    "rule",
    [
        *("power_choice", "multiple_powers_per_player", "no_observations", "no_press", "public_press", "real_time"),
        *("solitaire", "start_master"),
    ],
)
def test_each_rule_that_holds_is_an_attribute(rule: str) -> None:
    assert getattr(game_of(rules=[rule.upper()]), rule) is True
    assert getattr(game_of(rules=["IGNORE_ERRORS"]), rule) is False


def test_phases_that_are_over_and_the_one_that_runs() -> None:
    game = game_of(phase="F1901M", victory=[18], win=18)
    past = GamePhase(
        name="S1901M",
        state={**STATE, "timestamp": 50},
        orders={"FRANCE": ["A PAR - BUR"]},
        results={"A PAR": ["bounce"]},
        messages=[Message(sender="ITALY", recipient="GLOBAL", phase="S1901M", message="hello", time_sent=40)],
    )
    game.extend_phase_history(past)
    game.note_orders("FRANCE", ["A PAR - BUR"])
    found = game.get_phase_from_history("S1901M")
    assert (found.orders, found.results, found.messages) == (past.orders, past.results, past.messages)
    assert [phase.name for phase in game.phase_history_from_timestamp(50)] == ["S1901M"]
    assert game.phase_history_from_timestamp(51) == []
    with pytest.raises(KeyError):
        game.get_phase_from_history("W1901A")
    now = game.get_phase_data()
    assert (now.name, now.orders["FRANCE"], now.orders["ITALY"], now.results) == ("F1901M", ["A PAR - BUR"], None, {})
    assert (game.phase_abbr, game.win, game.victory) == ("F1901M", 18, [18])
    saved = SavedGame(to_saved_game_format(game))
    assert [phase.name for phase in saved.phases] == ["S1901M", "F1901M"]
    assert saved.phases[0].messages[0]["message"] == "hello"
    assert saved.phases[-1].state["map"] == "standard"


def test_saved_games_leave_out_the_rules_of_a_table() -> None:
    game = game_of(rules=["NO_PRESS", "IGNORE_ERRORS", "SOLITAIRE", "BUILD_ANY"])
    assert to_saved_game_format(game)["rules"] == ["NO_PRESS", "BUILD_ANY"]


def test_messages_as_a_role_may_see_them() -> None:
    def said(recipient: str, at: int) -> Message:
        return Message(sender="ITALY", recipient=recipient, phase="S1901M", message="m", time_sent=at)

    all_of_them = [said("FRANCE", 1), said("GLOBAL", 2), said("OBSERVER", 3), said("TURKEY", 4)]
    shown = game_of().filter_messages
    assert list(shown(all_of_them, "FRANCE")) == [1, 2]
    assert list(shown(all_of_them, "ITALY")) == [1, 2, 3, 4]
    assert list(shown(all_of_them, OBSERVER)) == [2, 3]
    assert list(shown({m.time_sent or 0: m for m in all_of_them}, OMNISCIENT, 2, 3)) == [2, 3]


async def test_a_request_of_ones_own_is_sent_with_or_without_waiting(tmp_path: Path) -> None:
    async with mila_server(tmp_path) as house:
        connecting = connect(HOST, house.port)
        waiting: Any = connecting._connection
        assert (waiting.is_connecting, waiting.is_reconnecting) == (True, False)
        with pytest.raises(ConnectionError, match="is closed"):
            await waiting.write_request(rq.SignIn(request_id="r", username="anna", password="password"))
        async with connecting as connection:
            assert (connection.hostname, connection.port, connection.use_ssl) == (HOST, house.port, False)
            assert (connection.is_connecting, connection.is_reconnecting) == (False, False)
            sign_in = rq.SignIn(request_id=connection.new_id(), username="anna", password="password")
            answer: rs.TokenGiven = await connection.send(sign_in)
            assert len(answer.data) > 16
            channel = await connection.authenticate("anna", "password")
            request_id = connection.new_id()
            asked: Any = {"request_id": request_id, "token": channel.token, "game_id": "unwaited"}
            await connection.write_request(rq.CreateGame(**asked))
            while not (games := await channel.list_games()):  # each request is served on its own
                pass
            assert games[0].game_id == "unwaited"
        with pytest.raises(ConnectionError, match="is closed"):
            await connection.write_request(rq.CreateGame(**asked))
