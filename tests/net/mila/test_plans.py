"""What a player asks for is done at once where nothing must be fetched to know that it is one, and for nobody else."""

# Why real time passes here: a frame is at the server when the system has brought it there.

from __future__ import annotations

from pathlib import Path

from mila_house import House
from parlour.net.client import Connection, NetworkGame
from parlour.net.mila import requests as rq
from parlour.net.mila.plans import _at_hand

from .test_own_client import at_home, table_for_two


def test_only_who_plays_the_power_on_this_socket_is_at_hand(tmp_path: Path) -> None:
    async def scenario(house: House, connection: Connection) -> None:
        master, france, england = await table_for_two(connection)
        door = house.door

        def is_at_hand(game: NetworkGame, role: str, match: str = "two") -> bool:
            assert game.channel is not None
            request = rq.ClearOrders(
                request_id="1", token=game.channel.token, game_id=match, game_role=role, phase="S1901M"
            )
            socket = door.socket_of(game.channel.token)
            assert socket is not None
            found = _at_hand(door, socket, request)
            return found is not None and found.sight.role == role

        assert is_at_hand(france, "FRANCE")
        assert is_at_hand(england, "ENGLAND")
        assert not is_at_hand(france, "ENGLAND")
        assert not is_at_hand(france, "FRANCE", "another")
        assert not is_at_hand(master, master.role), "one who sees all plays nothing"
        door.rooms["two"].state.places["FRANCE"].take("bert", 1)
        assert not is_at_hand(france, "FRANCE"), "the power is another's by now"

    at_home(tmp_path, scenario)
