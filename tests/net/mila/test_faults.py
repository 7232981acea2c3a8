"""Classes of errors that clients of the package cannot easily bring about, on the bare wire."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import websockets

from parlour.net.accounts.accounts import Registration
from parlour.net.mila.faults import FAULTS, GameFinishedException, ResponseException, fault
from support.mila.house import HOST, mila_server
from support.mila.wire import entered

ASKED: list[tuple[str, dict[str, Any], str]] = [
    ("set_orders", {"game_role": "observer_type", "orders": []}, "ResponseException"),
    ("get_phase_history", {"game_role": "observer_type"}, "GameTokenException"),
    ("save_game", {"game_role": "omniscient_type"}, "GameTokenException"),
    ("set_game_status", {"game_role": "omniscient_type", "status": "paused"}, "GameTokenException"),
    ("save_game", {"game_role": "server_type"}, "MapPowerException"),
    ("save_game", {"game_role": "ITALY"}, "ResponseException"),
    ("save_game", {"game_role": "FRANCE", "game_id": "nowhere"}, "GameIdException"),
    ("set_orders", {"game_role": "FRANCE", "power_name": "ATLANTIS", "orders": []}, "MapPowerException"),
    ("set_orders", {"game_role": "FRANCE", "power_name": "ITALY", "orders": []}, "ResponseException"),
    ("set_orders", {"game_role": "FRANCE", "phase": "F1901M", "orders": []}, "ResponseException"),
    ("clear_orders", {"game_role": "FRANCE", "phase": "F1901M"}, "ResponseException"),
    ("vote", {"game_role": "FRANCE", "vote": "perhaps"}, "RequestException"),
    ("vote", {"game_role": "FRANCE", "power_name": "ITALY", "vote": "yes"}, "ResponseException"),
    ("process_game", {"game_role": "FRANCE"}, "ResponseException"),
    ("set_dummy_powers", {"game_role": "FRANCE"}, "ResponseException"),
    ("delete_game", {"game_role": "FRANCE"}, "ResponseException"),
    ("query_schedule", {"game_role": "FRANCE"}, "ResponseException"),
    ("set_orders", {"game_role": "FRANCE", "orders": 5}, "RequestException"),
    ("set_grade", {"grade": "moderator", "grade_update": "promote", "username": "x"}, "GameIdException"),
    ("set_grade", {"grade": "king", "grade_update": "promote", "username": "x"}, "RequestException"),
    ("knight", {}, "RequestException"),
]


async def test_each_misuse_has_its_class(tmp_path: Path) -> None:
    async with mila_server(tmp_path) as house, websockets.connect(f"ws://{HOST}:{house.port}/") as socket:
        wire, token = await entered(socket, "anna")
        setup: dict[str, Any] = {"game_id": "g", "power_name": "FRANCE", "deadline": 0, "token": token}
        await wire.ask({"request_id": "c", "name": "create_game", **setup})
        for number, (name, fields, expected) in enumerate(ASKED):
            where = {"token": token, "phase": "S1901M"} | ({} if name == "set_grade" else {"game_id": "g"})
            answer = await wire.ask({"request_id": f"{number}", "name": name, **where, **fields})
            assert (answer["name"], answer.get("error_type")) == ("error", expected), (name, fields, answer)
            assert answer["message"].strip()


async def test_where_registration_is_closed_an_unknown_name_is_told_so(tmp_path: Path) -> None:
    async with (
        mila_server(tmp_path, registration=Registration.CLOSED) as house,
        websockets.connect(f"ws://{HOST}:{house.port}/") as socket,
    ):
        await socket.send('{"request_id": "i", "name": "sign_in", "username": "new", "password": "password"}')
        assert '"error_type":"ServerRegistrationException"' in str(await socket.recv())


@pytest.mark.parametrize("name", sorted(FAULTS))
def test_a_fault_is_raised_as_the_class_that_it_names(name: str) -> None:
    found = fault(name, "because")
    assert type(found) is FAULTS[name]
    assert "because" in found.message


def test_without_a_message_a_fault_has_the_sentence_of_its_class() -> None:
    assert GameFinishedException().message == "The game is over."


def test_a_fault_of_an_unknown_class_says_both() -> None:
    found = fault("OddException", "because")
    assert type(found) is ResponseException
    assert (("OddException" in found.message), ("because" in found.message)) == (True, True)
