"""The path of an order, a message and a move through the server, on real traffic: no longer than today."""

# Why real time passes here: sockets of the system know only real time; waits end as soon as something arrives.

from __future__ import annotations

import asyncio
import re
from pathlib import Path

from parlour.core.game import Action, View
from parlour.core.player import Player
from parlour.net.client import connect
from parlour.net.client.fish_json import JsonClient
from parlour.net.daide.door import DaideDoor
from parlour.net.daide.options import DaideOptions
from parlour.net.hall import Hall
from support.daide.house import run, seven
from support.fish.wire import HOST as FISH_HOST
from support.fish.wire import good, greedy, hold, settings
from support.matches.walks import Walk, traced
from support.mila.house import HOST, mila_server
from support.waiting import PATIENCE, until

PICTURE = Path(__file__).parents[2] / "docs" / "pictures" / "walk-of-an-order.svg"


def require(walk: Walk, modules: int, crossings: int) -> None:
    """Fail if a walk has grown beyond that."""
    assert len(walk.modules) <= modules, "\n".join(sorted(walk.modules))
    assert len(walk.crossings) <= crossings, "\n".join(map(str, sorted(walk.crossings)))
    assert "parlour.referee.match" in walk.modules, "it did not get there"


def test_an_order_of_a_diplomacy_client(tmp_path: Path) -> None:
    async def scenario(walk: Walk) -> None:
        async with mila_server(tmp_path) as house, asyncio.timeout(PATIENCE), connect(HOST, house.port) as connection:
            channels = [await connection.authenticate(name, "password") for name in ("host", "anna", "bert")]
            master = await channels[0].create_game(game_id="two", n_controls=2, deadline=0, rules=["POWER_CHOICE"])
            france = await channels[1].join_game(game_id="two", power_name="FRANCE")
            england = await channels[2].join_game(game_id="two", power_name="ENGLAND")
            await until(lambda: all(game.is_game_active for game in (master, france, england)))
            await france.set_orders(orders=["A PAR H"])
            await until(lambda: master.get_orders("FRANCE") == ["A PAR H"])
            walk.begin()
            await france.set_orders(orders=["A PAR - BUR", "F BRE - MAO"])
            await until(lambda: master.get_orders("FRANCE") == ["A PAR - BUR", "F BRE - MAO"])
            walk.end()

    with traced() as walk:
        asyncio.run(scenario(walk))
    require(walk, 30, 50)
    assert {name.removeprefix("parlour.").replace(".", "/") for name in walk.modules} == set(drawn())


def drawn() -> list[str]:
    """Return the modules that the picture of the walk shows."""
    shown = re.findall(r'font-family="monospace">([\w/]+)<', PICTURE.read_text(encoding="utf-8"))
    return [name for name in shown if name != "store"]


def test_a_message_of_a_daide_client(tmp_path: Path) -> None:
    async def scene(door: DaideDoor, hall: Hall) -> None:
        lines = await seven(door)
        for proposal in ("PCE ( ENG FRA )", "ALY ( ENG FRA ) VSS ( GER )"):
            lines["ENG"].say(f"SND ( FRA ) ( PRP ( {proposal} ) )")
            assert (await lines["ENG"].until("YES"))[-1].startswith("YES ( SND")
            assert (await lines["FRA"].until("FRM"))[-1].startswith("FRM ( ENG )")
            walk.begin()  # for the second
        walk.end()

    with traced() as walk:
        run(tmp_path, scene, DaideOptions(level=20))
    require(walk, 28, 54)


class _Traced:
    """A good player whose second move is traced, until it is asked for the third."""

    def __init__(self, player: Player, walk: Walk) -> None:
        self._player, self._walk, self._asked = player, walk, 0

    def act(self, view: View) -> Action:
        action: Action = self._player.act(view)
        self._asked += view.position.stage == "move"
        if self._asked == 2:
            self._walk.begin()
        elif self._asked == 3:
            self._walk.end()
        return action


def test_a_move_of_a_fish_client() -> None:
    async def traced_player(port: int) -> object:
        return await JsonClient("pa", lambda game: _Traced(greedy(game), walk), inline=True).run(FISH_HOST, port)

    with traced() as walk:
        asyncio.run(hold(settings(2, config={"rows": 6, "cols": 6, "fish": 2}), [traced_player, good("pb")]))
    require(walk, 26, 50)
