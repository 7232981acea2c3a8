"""Coming to games: several powers at once, or none, and games that begin when their master says so."""

# Why real time passes here: a frame is at the server when the system has brought it there.

from __future__ import annotations

from pathlib import Path

import pytest

from mila_house import House
from mila_servers import until
from parlour.net.client import Connection, strings
from parlour.net.mila import faults
from parlour.net.mila import requests as rq
from parlour.net.mila import responses as rs

from .test_own_client import at_home, sign_in

SEVERAL = ["POWER_CHOICE", "MULTIPLE_POWERS_PER_PLAYER"]


def test_several_powers_are_joined_at_once_or_none_of_them(tmp_path: Path) -> None:
    async def scenario(house: House, connection: Connection) -> None:
        host, anna, bert = [await sign_in(connection, name) for name in ("host", "anna", "bert")]
        master = await host.create_game(
            game_id="g", n_controls=7, deadline=0, rules=SEVERAL, registration_password="please"
        )

        def played_by(name: str) -> set[str]:
            return {power for power, place in master.powers.items() if place.get_controller() == name}

        with pytest.raises(faults.GameRegistrationPasswordException):
            await anna.join_powers(game_id="g", power_names=["FRANCE", "ITALY"])
        await anna.join_powers(game_id="g", power_names=["FRANCE", "ITALY"], registration_password="please")
        await until(lambda: played_by("anna") == {"FRANCE", "ITALY"})
        with pytest.raises(faults.ResponseException):
            await bert.join_powers(game_id="g", power_names=["ITALY", "TURKEY"], registration_password="please")
        await anna.join_powers(game_id="g", power_names=["ITALY"])  # what is one's own needs no password
        await anna.join_powers(game_id="g", power_names=["ITALY", "RUSSIA"], registration_password="please")
        await until(lambda: played_by("anna") == {"FRANCE", "ITALY", "RUSSIA"})
        assert played_by("bert") == set()
        for names, error in (([], faults.ResponseException), (["ATLANTIS"], faults.MapPowerException)):
            with pytest.raises(error):
                await bert.join_powers(game_id="g", power_names=names, registration_password="please")

    at_home(tmp_path, scenario)


@pytest.mark.parametrize("way", ["start", "process"])
def test_a_game_that_its_master_starts_waits_for_that_though_all_have_come(tmp_path: Path, way: str) -> None:
    async def scenario(house: House, connection: Connection) -> None:
        host, anna = [await sign_in(connection, name) for name in ("host", "anna")]
        rules = ["POWER_CHOICE", "START_MASTER"]
        master = await host.create_game(game_id="g", n_controls=1, deadline=0, rules=rules)
        game = await anna.join_game(game_id="g", power_name="FRANCE")
        other = await host.create_game(game_id="other", n_controls=0, deadline=0, rules=["POWER_CHOICE"])
        await until(lambda: other.is_game_active)  # it needs no master
        assert (game.is_game_forming, master.is_game_forming) == (True, True)
        assert [one.status for one in await anna.list_games(game_id="g")] == [strings.FORMING]
        await getattr(master, way)()
        await until(lambda: game.is_game_active and master.is_game_active)
        expected = "S1901M" if way == "start" else "F1901M"
        await until(lambda: game.get_current_phase() == expected)
        await master.pause()
        await until(lambda: game.is_game_paused)

    at_home(tmp_path, scenario)


def test_a_power_that_is_none_of_the_map_is_refused_though_nobody_is_in_the_game(tmp_path: Path) -> None:
    async def scenario(house: House, connection: Connection) -> None:
        host, anna = [await sign_in(connection, name) for name in ("host", "anna")]
        game = await host.create_game(game_id="g", n_controls=2, deadline=0, rules=["POWER_CHOICE"])
        await game.leave()
        await until(lambda: "g" not in house.door.rooms)
        for power, error in (("ATLANTIS", faults.MapPowerException), ("ITALY", faults.ResponseException)):
            game.role = power
            with pytest.raises(error):
                await anna.ask_in_game(game, rq.ClearOrders, rs.Ok, lambda _: None)
        assert "g" not in house.door.rooms

    at_home(tmp_path, scenario)
