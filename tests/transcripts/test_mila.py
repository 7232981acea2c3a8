"""Golden dialogues of the `diplomacy` package with its own server: each frame is read and written again as it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from parlour.net.mila import notifications, requests, responses
from parlour.net.mila.faults import FAULTS

HERE = Path(__file__).parent
ADDED = {
    "data_game": {"logs", "log_history", "stance_history"},
    "power": {"comm_status", "player_type"},
    "phase": {"logs", "stances", "order_logs", "is_bot", "deceiving"},
    "powers_controllers": {"player_types"},
}
"""Keys that we add to those of 1.1.2 because its forks need them; 1.1.2 ignores unknown keys."""


def frames(name: str) -> list[tuple[str, dict[str, Any]]]:
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    return [(line["from"], line["frame"]) for line in map(json.loads, lines)]


ALL = frames("mila.jsonl") + frames("mila_fork.jsonl")
NAMES = {(sender, frame["name"]) for sender, frame in ALL}


def read_and_written(sender: str, frame: dict[str, Any]) -> dict[str, Any]:
    text = json.dumps(frame).encode()
    if sender == "client":
        message: Any = requests.read_request(text)
    elif "request_id" in frame:
        message = responses.read_response(text)
    else:
        message = notifications.read_notification(text)
    written: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(message))
    return written


def without_additions(frame: dict[str, Any], original: dict[str, Any]) -> dict[str, Any]:
    """Return the frame without what we add to 1.1.2, wherever the original has none of it."""
    for key in ADDED.get(frame["name"], set()) - original.keys():
        frame.pop(key, None)
    game, its = frame.get("data"), original.get("data")
    if frame["name"] == "omniscient_updated":
        game, its = frame["game"], original["game"]
    if isinstance(game, dict) and "powers" in game:
        assert its is not None
        for key in ADDED["data_game"] - its.keys():
            game.pop(key, None)
        for name, power in game["powers"].items():
            for key in ADDED["power"] - its["powers"][name].keys():
                power.pop(key, None)
    phases: list[Any] = [frame.get(key) for key in ("phase_data", "previous_phase_data", "current_phase_data")]
    phases += frame["data"] if frame["name"] == "data_game_phases" else []
    for phase in phases:
        for key in ADDED["phase"] if phase else ():
            phase.pop(key)
    return frame


@pytest.mark.parametrize(("sender", "frame"), ALL, ids=lambda value: value if isinstance(value, str) else value["name"])
def test_each_frame_is_read_and_written_again_as_it_was(sender: str, frame: dict[str, Any]) -> None:
    assert without_additions(read_and_written(sender, frame), frame) == frame


def test_every_message_of_the_protocol_is_in_a_dialogue() -> None:
    told = {kind.__struct_config__.tag for kind in requests.concrete(notifications.Notification)}
    answered = {kind.__struct_config__.tag for kind in requests.concrete(responses.Response)}
    assert {name for sender, name in NAMES if sender == "client"} == requests.REQUESTS.keys()
    assert {name for sender, name in NAMES if sender == "server"} == told | answered


def test_the_original_knows_every_fault_by_our_name() -> None:
    exceptions = pytest.importorskip("diplomacy.utils.exceptions")
    theirs = {
        name
        for name, kind in vars(exceptions).items()
        if isinstance(kind, type) and issubclass(kind, exceptions.ResponseException)
    }
    assert theirs == FAULTS.keys()


def test_a_request_of_the_fork_tells_that_it_is_one() -> None:
    old = next(frame for sender, frame in ALL if frame["name"] == "join_game" and "player_type" not in frame)
    request = requests.read_request(json.dumps(old).encode())
    assert isinstance(request, requests.JoinGame)
    assert request.player_type is msgspec.UNSET
    request = requests.read_request(json.dumps({**old, "player_type": None}).encode())
    assert isinstance(request, requests.JoinGame)
    assert request.player_type is None
