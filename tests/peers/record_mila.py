"""Records what client and server of the `diplomacy` package 1.1.2 say to each other, for the golden transcripts.

Run by hand: `python tests/peers/record_mila.py tests/transcripts/mila.jsonl`. Each line is a frame, with the socket
that it went over and who sent it. Tokens and ids are renamed, so that a line can be read.
"""

# Why real time passes here: the server of others answers in real time.

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import diplomacy  # type: ignore[import-untyped]
from diplomacy import Message
from diplomacy.client.connection import Connection  # type: ignore[import-untyped]
from diplomacy.communication import requests  # type: ignore[import-untyped]
from diplomacy.utils import constants, exceptions  # type: ignore[import-untyped]
from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

Frame = tuple[int, str, str]


class Recorder:
    """A proxy before the server that writes down every frame."""

    def __init__(self, server: str) -> None:
        self.server, self.frames, self.sockets = server, list[Frame](), 0

    async def __call__(self, client: ServerConnection) -> None:
        self.sockets += 1
        number = self.sockets
        async with connect(self.server, max_size=None) as server, asyncio.TaskGroup() as group:
            group.create_task(self._pass(number, "client", client, server))
            group.create_task(self._pass(number, "server", server, client))

    async def _pass(self, socket: int, sender: str, source: Any, target: Any) -> None:
        with suppress(ConnectionClosed):
            async for frame in source:
                self.frames.append((socket, sender, frame))
                await target.send(frame)
        await target.close()

    def lines(self) -> list[str]:
        """The frames, with tokens and ids renamed in the order in which they turn up."""
        names: dict[str, str] = {}

        def rename(kind: str) -> Callable[[re.Match[str]], str]:
            return lambda found: names.setdefault(found[0], f"{kind}-{sum(n.startswith(kind) for n in names.values())}")

        lines = []
        for socket, sender, frame in self.frames:
            frame = re.sub(r"[0-9a-f]{256}", rename("token"), frame)
            frame = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", rename("id"), frame)
            lines.append(json.dumps({"socket": socket, "from": sender, "frame": json.loads(frame)}))
        return lines


async def settle() -> None:
    """Let everything that is under way arrive."""
    await asyncio.sleep(0.3)


async def refused(answer: Any) -> None:
    """Wait for an answer that is an error."""
    try:
        await answer
    except exceptions.ResponseException:
        return
    raise AssertionError("not refused")


async def play(port: int) -> None:
    """Every request at least once, and every notification that a Python client survives."""
    clients: list[Connection] = [await diplomacy.connect("127.0.0.1", port) for _ in range(5)]
    anna = await clients[0].authenticate("anna", "secret")
    bert = await clients[1].authenticate("bert", "secret")
    carl = await clients[2].authenticate("carl", "secret")
    admin = await clients[3].authenticate("admin", "password")
    await refused(clients[2].authenticate("carl", "wrong"))
    await refused(clients[2].authenticate("", "secret"))
    await refused(clients[2].authenticate("dora", ""))
    await anna.get_available_maps()
    await anna.list_games()
    rules = ["POWER_CHOICE", "CIVIL_DISORDER"]
    france = await anna.create_game(
        game_id="golden", power_name="FRANCE", n_controls=2, deadline=0, rules=rules, map_name="standard"
    )
    await refused(anna.create_game(game_id="golden"))
    await refused(anna.create_game(map_name="atlantis"))
    await anna.list_games(game_id="gold", status="forming", include_protected=True, for_omniscience=False)
    await refused(carl.join_game(game_id="nowhere"))
    observer = await carl.join_game(game_id="golden")
    master = await admin.join_game(game_id="golden")
    await bert.get_playable_powers(game_id="golden")
    await bert.get_games_info(games=["golden", "nowhere"])
    await refused(bert.join_game(game_id="golden", power_name="ATLANTIS"))
    england = await bert.join_game(game_id="golden", power_name="ENGLAND")
    await settle()
    await clients[1].get_daide_port(game_id="golden")
    await refused(clients[1].get_daide_port(game_id="nowhere"))

    await france.send_game_message(message=france.new_power_message("ENGLAND", "PRP (PCE (FRA ENG))"))
    await england.send_game_message(message=england.new_global_message("Hello, «world» \u2603"))
    await refused(
        france.send_game_message(
            message=Message(sender="FRANCE", recipient="FRANCE", phase="S1901M", message="to myself")
        )
    )
    await settle()
    await france.set_orders(orders=["A PAR - BUR", "A MAR - BUR", "F BRE - MAO", "nonsense"])
    await england.set_orders(orders=[], wait=False)
    await france.clear_orders()
    await france.set_orders(orders=["A PAR - BUR", "A MAR - BUR"], wait=True)
    await france.no_wait()
    await france.wait()
    await france.vote(vote="yes")
    await england.vote(vote="no")
    await refused(observer.process())
    await refused(observer.set_orders(power_name="FRANCE", orders=[]))
    await refused(master.query_schedule())
    await clients[0].send(_request(requests.GetAllPossibleOrders, france), france)
    await master.set_orders(power_name="RUSSIA", orders=["F SEV - BLA", "A WAR - GAL"], wait=False)
    await settle()
    await master.process()
    await settle()
    await refused(clients[0].send(_request(requests.SetOrders, france, phase="S1901M", orders=["A PAR H"]), france))
    await england.synchronize()
    await clients[4].authenticate("edna", "secret")
    await france.save()
    await master.pause()
    await master.resume()
    state = master.get_state()
    orders: dict[str, list[str]] = {name: [] for name in master.powers}
    await master.set_state(state=state, orders=orders, results={}, messages={})
    await settle()
    await master.clear_orders(power_name="FRANCE")
    await master.clear_centers(power_name="TURKEY")
    await master.clear_units(power_name="TURKEY")
    await refused(france.process())
    await admin.make_omniscient(username="edna", game_id="golden")
    await admin.remove_omniscient(username="edna", game_id="golden")
    await admin.promote_moderator(username="bert", game_id="golden")
    await admin.demote_moderator(username="bert", game_id="golden")
    await admin.promote_administrator(username="edna")
    await admin.demote_administrator(username="edna")
    await refused(carl.promote_administrator(username="carl"))
    await refused(carl.join_powers(game_id="golden", power_names=["ITALY", "ENGLAND"]))
    await england.leave()
    await bert.join_powers(game_id="golden", power_names=["ITALY"])
    await master.kick_powers(power_names=["ITALY"])
    await settle()
    await refused(bert.get_dummy_waiting_powers(buffer_size=10))
    bots = await clients[4].authenticate(constants.PRIVATE_BOT_USERNAME, constants.PRIVATE_BOT_PASSWORD)
    await bots.get_dummy_waiting_powers(buffer_size=10)
    await master.draw()
    await settle()
    await refused(france.set_orders(orders=[]))

    timed = await anna.create_game(game_id="timed", n_controls=1, deadline=600, rules=["POWER_CHOICE", "PUBLIC_PRESS"])
    austria = await bert.join_game(game_id="timed", power_name="AUSTRIA")
    await settle()
    await timed.query_schedule()
    await refused(austria.send_game_message(message=austria.new_power_message("ITALY", "psst")))
    await austria.send_game_message(message=austria.new_global_message("to all"))
    await timed.cancel()
    await timed.delete()
    await settle()
    # These two end the client that is told of them.
    await admin.make_omniscient(username="carl", game_id="golden")
    await settle()
    again = await clients[4].authenticate("carl", "secret")
    await again.delete_account()
    # Its client dies of phases that it has, so that it only asks and does not wait for the answer.
    history = _request(requests.GetPhaseHistory, master, from_phase=0, to_phase="S1901M")
    clients[3].connection.write_message(history.json())
    await settle()
    await anna.logout()
    await refused(anna.list_games())
    clients[1].connection.write_message(requests.UnknownToken(token=bert.token).json())
    await settle()


def _request(kind: Any, game: Any, phase: str = "", **fields: Any) -> Any:
    """A request that has no method in the client, or another phase than the client's."""
    phase = phase or game.current_short_phase
    return kind(token=game.channel.token, game_id=game.game_id, game_role=game.role, phase=phase, **fields)


async def record(server: int) -> list[str]:
    """Run the proxy and the clients before the server on that port."""
    recorder = Recorder(f"ws://127.0.0.1:{server}/")
    async with serve(recorder, "127.0.0.1", 0, max_size=None) as proxy:
        await play(proxy.sockets[0].getsockname()[1])
    return recorder.lines()


def main(path: Path) -> None:
    """Run the server, and record."""
    script = Path(__file__).with_name("original_server.py")
    with subprocess.Popen(
        [sys.executable, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as server:
        assert server.stdout is not None
        lines = asyncio.run(record(int(server.stdout.readline())))
        server.terminate()
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
