"""Laws of the raw wire: one answer to each request, whatever it holds; no frame tells what its socket may not see."""

from __future__ import annotations

import json
import random
import tracemalloc
from pathlib import Path
from typing import Any

import websockets

from parlour.net.client import connect
from parlour.net.mila.requests import REQUESTS
from support.mila.house import HOST, mila_server
from support.mila.wire import Wire, entered

TRANSCRIPT = Path(__file__).parents[2] / "transcripts" / "mila.jsonl"
ODD: list[Any] = [None, True, 0, -1, 1e300, "", "FRANCE", "x" * 5000, [], ["FRANCE"], {}, {"a": [1]}, "\ud800", 2**70]


def recorded() -> list[dict[str, Any]]:
    lines = map(json.loads, TRANSCRIPT.read_text(encoding="utf-8").splitlines())
    return [line["frame"] for line in lines if line["from"] == "client"]


async def test_every_request_gets_exactly_one_answer_with_its_own_id_whatever_it_contains(tmp_path: Path) -> None:
    rng = random.Random(1)
    async with mila_server(tmp_path) as house, connect(HOST, house.port) as connection:
        bystander = await (await connection.authenticate("bystander", "password")).create_game(
            game_id="golden", power_name="FRANCE", n_controls=2, deadline=0, rules=["POWER_CHOICE"]
        )
        async with websockets.connect(f"ws://{HOST}:{house.port}/") as socket:
            wire, token = await entered(socket, "mutant")
            sent: list[str] = []
            for frame in [frame for frame in recorded() for _ in range(3)]:
                if frame["name"] in ("unknown_token", "logout", "delete_account", "sign_in"):
                    continue
                frame = {**frame, "request_id": f"r{len(sent)}"}
                if "token" in frame:
                    frame["token"] = token
                for _ in range(rng.randrange(3)):
                    key = rng.choice([key for key in frame if key not in ("request_id", "token")])
                    frame[key] = rng.choice(ODD)
                if frame["name"] == "unknown_token":
                    continue
                await socket.send(json.dumps(frame))
                sent.append(frame["request_id"])
            await wire.ask({"request_id": "last", "name": "list_games", "token": token})
            while len({frame.get("request_id") for frame in wire.frames} & set(sent)) < len(sent):
                wire.frames.append(json.loads(await socket.recv()))
            assert all(wire.answers(request_id) == 1 for request_id in sent)
            assert not [frame for frame in wire.frames if "this is noted there" in str(frame.get("message"))]
        await bystander.set_orders(orders=["A PAR - BUR"])
        assert bystander.get_orders("FRANCE") == ["A PAR - BUR"]


async def test_each_kind_of_request_is_answered_with_nothing_but_its_name(tmp_path: Path) -> None:
    async with mila_server(tmp_path) as house, websockets.connect(f"ws://{HOST}:{house.port}/") as socket:
        wire = Wire(socket)
        for name in sorted(REQUESTS):
            answer = await wire.ask({"request_id": name, "name": name})
            assert (answer["name"], answer["error_type"]) == ("error", "RequestException")
            assert wire.answers(name) == 1


async def test_garbage_hurts_nobody_and_memory_is_bounded(tmp_path: Path) -> None:
    rng = random.Random(2)
    frames = [json.dumps(frame).encode() for frame in recorded()]
    async with mila_server(tmp_path) as house, connect(HOST, house.port) as connection:
        channel = await connection.authenticate("bystander", "password")
        for warming in (True, False):
            if not warming:
                tracemalloc.start()
            for _ in range(5):
                async with websockets.connect(f"ws://{HOST}:{house.port}/") as socket:
                    for _ in range(200):
                        garbage = bytearray(rng.choice(frames))
                        for _ in range(rng.randrange(1, 8)):
                            garbage[rng.randrange(len(garbage))] = rng.randrange(256)
                        await socket.send(bytes(garbage))
                    await socket.send(b'{"request_id": "end", "name": "knight"}')
                    wire = Wire(socket)
                    await wire.until("end")
        grown, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert grown < 3_000_000
        assert not house.door.rooms
        assert await channel.list_games() == []


async def test_no_frame_tells_a_socket_what_it_may_not_see(tmp_path: Path) -> None:
    """A secret order and a secret message are in no frame but those of who may know them."""
    secret_order, secret_text = "A PAR - PIC", "between the two of us"
    url = "ws://{}:{}/"
    async with mila_server(tmp_path) as house:
        address = url.format(HOST, house.port)
        async with (
            websockets.connect(address) as one,
            websockets.connect(address) as two,
            websockets.connect(address) as three,
            websockets.connect(address) as four,
        ):
            anna, token = await entered(one, "anna")
            bert, bert_token = await entered(two, "bert")
            carl, carl_token = await entered(three, "carl")
            dora, dora_token = await entered(four, "dora")
            setup: dict[str, Any] = {"game_id": "g", "n_controls": 3, "deadline": 0, "rules": ["POWER_CHOICE"]}
            setup |= {"token": token, "power_name": "FRANCE"}
            await anna.ask({"request_id": "c", "name": "create_game", **setup})
            others = ((bert, bert_token, "ENGLAND"), (carl, carl_token, "ITALY"), (dora, dora_token, None))
            for wire, own, power in others:
                joining = {"token": own, "game_id": "g", "power_name": power}
                await wire.ask({"request_id": "j", "name": "join_game", **joining})
            where = {"token": token, "game_id": "g", "game_role": "FRANCE", "phase": "S1901M"}
            await anna.ask({"request_id": "o", "name": "set_orders", "orders": [secret_order], **where})
            message = {"sender": "FRANCE", "recipient": "ENGLAND", "phase": "S1901M", "message": secret_text}
            await anna.ask({"request_id": "m", "name": "send_game_message", "message": message, **where})
            await anna.ask({"request_id": "v", "name": "vote", "vote": "yes", **where})
            for wire, own, power in others:
                role = power or "observer_type"
                asked = {"token": own, "game_id": "g", "game_role": role, "phase": "S1901M"}
                await wire.ask({"request_id": "s", "name": "save_game", **asked})
                await wire.ask({"request_id": "y", "name": "synchronize", "timestamp": 0, **asked})
                await wire.ask({"request_id": "h", "name": "get_phase_history", **asked})
            assert secret_text in json.dumps(bert.frames)
            for wire in (bert, carl, dora):
                assert secret_order not in json.dumps(wire.frames)
                assert '"vote": "yes"' not in json.dumps(wire.frames)
                assert '"- PIC"' not in json.dumps(wire.frames)
            for wire in (carl, dora):
                assert secret_text not in json.dumps(wire.frames)
            for wire, own, _ in others:
                assert token not in json.dumps(wire.frames)
                assert {frame["token"] for frame in wire.frames if "token" in frame} == {own}
