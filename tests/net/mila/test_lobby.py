"""Coming to games: lists, what can be opened, powers one by one or several at once, and how games begin."""

# Why real time passes here: a frame is at the server when the system has brought it there.

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from parlour.net.client import Channel, Connection, strings
from parlour.net.mila import faults
from parlour.net.mila import requests as rq
from parlour.net.mila import responses as rs
from parlour.net.mila.lobby import MAX_DEADLINE, MOST_ASKED
from parlour.net.mila.protocol_values import MASTER, OBSERVER, OMNISCIENT
from support.hall.people import session_of
from support.mila.at_home import at_home, sign_in
from support.mila.house import House
from support.mila.lobby import SEVERAL
from support.mila.synchronized import GAME, Person, of
from support.waiting import inside, until


@inside(at_home)
async def test_several_powers_are_joined_at_once_or_none_of_them(house: House, connection: Connection) -> None:
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


@pytest.mark.parametrize("rules", [["POWER_CHOICE"], ["NO_PRESS"]])
@inside(at_home)
async def test_who_asks_for_powers_at_once_gets_them_where_one_after_the_other_is_not_allowed(
    house: House, connection: Connection, *, rules: list[str]
) -> None:
    host, anna = [await sign_in(connection, name) for name in ("host", "anna")]
    master = await host.create_game(game_id="g", n_controls=3, deadline=0, rules=rules)
    heard: list[object] = []
    master.add_on_powers_controllers(lambda _, found: heard.append(found))
    with pytest.raises(faults.ResponseException):
        await anna.join_powers(game_id="g", power_names=["FRANCE", "ITALY", "RUSSIA", "TURKEY"])
    await host.get_games_info(games=[])
    assert heard == [], "none is taken, and given back"
    await anna.join_powers(game_id="g", power_names=["FRANCE", "ITALY"])
    await until(lambda: master.get_controlled_power_names("anna") == ["FRANCE", "ITALY"])
    with pytest.raises(faults.ResponseException):
        await anna.join_game(game_id="g", power_name="RUSSIA")


@pytest.mark.parametrize("way", ["start", "process"])
@inside(at_home)
async def test_a_game_that_its_master_starts_waits_for_that_though_all_have_come(
    house: House, connection: Connection, *, way: str
) -> None:
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


@inside(at_home)
async def test_a_power_that_is_none_of_the_map_is_refused_though_nobody_is_in_the_game(
    house: House, connection: Connection
) -> None:
    host, anna = [await sign_in(connection, name) for name in ("host", "anna")]
    game = await host.create_game(game_id="g", n_controls=2, deadline=0, rules=["POWER_CHOICE"])
    await game.leave()
    await until(lambda: "g" not in house.door.rooms)
    for power, error in (("ATLANTIS", faults.MapPowerException), ("ITALY", faults.ResponseException)):
        game.role = power
        with pytest.raises(error):
            await anna.ask_in_game(game, rq.ClearOrders, rs.Ok, lambda _: None)
    assert "g" not in house.door.rooms


@inside(at_home)
async def test_games_are_listed_that_fit_all_that_is_asked(house: House, connection: Connection) -> None:
    async def listed(channel: Channel, **wanted: Any) -> set[str]:
        return {game.game_id for game in await channel.list_games(**wanted)}

    host, anna = [await sign_in(connection, name) for name in ("host", "anna")]
    await host.create_game(game_id="Friday", n_controls=0, deadline=0)
    await host.create_game(game_id="Friday-night", registration_password="please")
    await host.create_game(game_id="lake", map_name="lagoon")
    every = {"Friday", "Friday-night", "lake"}
    assert await listed(anna) == await listed(anna, game_id="") == every
    assert await listed(anna, game_id="fRI") == {"Friday", "Friday-night"}
    assert await listed(anna, game_id="on-friday-evening") == {"Friday"}
    assert await listed(anna, game_id="monday") == set()
    assert await listed(anna, status="active") == {"Friday"}
    assert await listed(anna, status="forming") == {"Friday-night", "lake"}
    assert await listed(anna, map_name="lagoon") == {"lake"}
    assert await listed(anna, map_name="standard", status="forming") == {"Friday-night"}
    assert await listed(anna, include_protected=False) == {"Friday", "lake"}
    assert await listed(anna, for_omniscience=True) == set()
    assert await listed(host, for_omniscience=True) == every
    await host.make_omniscient(username="anna", game_id="lake")
    assert await listed(anna, for_omniscience=True) == {"lake"}
    with pytest.raises(faults.MapIdException):
        await anna.list_games(map_name="atlantis")


@inside(at_home)
async def test_a_list_says_of_a_game_what_it_is_and_what_one_is_there(house: House, connection: Connection) -> None:
    host, anna, carl = [await sign_in(connection, name) for name in ("host", "anna", "carl")]
    await host.create_game(
        game_id="g", n_controls=3, deadline=60, rules=["POWER_CHOICE"], registration_password="please"
    )
    await host.make_omniscient(username="carl", game_id="g")
    await anna.join_game(game_id="g", power_name="ITALY", registration_password="please")
    expected: tuple[tuple[Channel, str, list[str]], ...] = (
        (host, MASTER, []),
        (carl, OMNISCIENT, []),
        (anna, OBSERVER, ["ITALY"]),
    )
    for channel, level, powers in expected:
        for (game,) in (await channel.list_games(), await channel.get_games_info(games=["g", "nowhere"])):
            assert (game.map_name, game.phase, game.rules) == ("standard", "S1901M", ["POWER_CHOICE"])
            assert (game.n_players, game.n_controls, game.deadline) == (1, 3, 60)
            assert game.registration_password is True
            assert 10**15 < game.timestamp_created <= game.timestamp, "in microseconds"
            assert (game.observer_level, game.controlled_powers) == (level, powers)


UNWANTED: list[tuple[dict[str, Any], type[faults.ResponseException]]] = [
    ({"game_id": "x" * 101}, faults.GameIdException),
    ({"game_id": "a\nb"}, faults.GameIdException),
    ({"map_name": "atlantis"}, faults.MapIdException),
    ({"power_name": "ATLANTIS"}, faults.MapPowerException),
    ({"power_name": "france"}, faults.MapPowerException),
    ({"power_name": "FRANCE", "rules": ["SOLITAIRE"]}, faults.GameSolitaireException),
    ({"deadline": -1}, faults.GameCreationException),
    ({"deadline": MAX_DEADLINE + 1}, faults.GameCreationException),
    ({"n_controls": -1}, faults.GameCreationException),
    ({"state": {"name": "S1901M", "units": 5}}, faults.GameCreationException),
]


@inside(at_home)
async def test_what_cannot_be_opened_is_refused_and_nothing_is_opened(house: House, connection: Connection) -> None:
    host = await sign_in(connection, "host")
    refused = []
    for wanted, _ in UNWANTED:
        with pytest.raises(faults.ResponseException) as raised:
            await host.create_game(**wanted)
        refused.append((wanted, type(raised.value)))
    assert refused == UNWANTED
    assert await host.list_games() == []


@inside(at_home)
async def test_a_game_is_opened_as_it_was_wanted(house: House, connection: Connection) -> None:
    host = await sign_in(connection, "host")
    assert (await host.create_game(deadline=MAX_DEADLINE)).deadline == MAX_DEADLINE
    first = await host.create_game(game_id="first", deadline=MAX_DEADLINE, n_controls=0)
    assert (first.deadline, first.role) == (0, OMNISCIENT), "who plays alone has all the time"
    await until(lambda: first.is_game_active)
    await first.process()
    await until(lambda: first.get_current_phase() == "F1901M")
    second = await host.create_game(state=first.get_state(), deadline=0, power_name="ITALY", player_type="none")
    assert (second.get_current_phase(), second.deadline, second.role) == ("F1901M", 0, "ITALY")
    assert (second.powers["ITALY"].get_controller(), second.powers["ITALY"].player_type) == ("host", strings.HUMAN)
    assert {power.civil_disorder for power in second.powers.values()} == {0}
    assert second.game_id != (await host.create_game()).game_id


@pytest.mark.parametrize("chance", [0x00, 0xFB, 0xFF])
@inside(at_home)
async def test_a_game_that_is_given_no_id_gets_one_whatever_chance_gives(
    house: House, connection: Connection, *, monkeypatch: pytest.MonkeyPatch, chance: int
) -> None:
    host = await sign_in(connection, "host")
    monkeypatch.setattr(secrets, "token_bytes", lambda number: bytes([chance]) * number)
    assert len((await host.create_game(deadline=0)).game_id) == 16


@inside(at_home)
async def test_powers_can_be_played_that_nobody_plays_and_that_are_still_in_the_game(
    house: House, connection: Connection
) -> None:
    host, anna = [await sign_in(connection, name) for name in ("host", "anna")]
    master = await host.create_game(game_id="g", n_controls=1, deadline=0)
    await anna.join_game(game_id="g", power_name="ITALY")
    await until(lambda: master.is_game_active)
    for power in ("TURKEY", "RUSSIA"):
        await master.clear_units(power_name=power)
    await master.clear_centers(power_name="TURKEY")
    free = await anna.get_playable_powers(game_id="g")
    assert sorted(free) == ["AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "RUSSIA"]


@inside(at_home)
async def test_a_power_of_ones_own_is_given_again_and_where_lots_are_drawn_whichever_it_is(
    house: House, connection: Connection
) -> None:
    host = await sign_in(connection, "host")
    for match, rules in (("chosen", ["POWER_CHOICE"]), ("drawn", ["IGNORE_ERRORS"])):
        await host.create_game(game_id=match, deadline=0, rules=rules, registration_password="please")
        roles = []
        for number in range(3):
            player = await sign_in(connection, f"{match}{number}")
            wish = ("FRANCE", "ITALY", "TURKEY")[number] if match == "chosen" else "FRANCE"
            game = await player.join_game(game_id=match, power_name=wish, registration_password="please")
            assert game.powers[game.role].get_controller() == f"{match}{number}"
            roles.append(game.role)
            again = await sign_in(connection, f"{match}{number}")
            assert (await again.join_game(game_id=match, power_name=game.role)).role == game.role
        assert len(set(roles)) == 3
        if match == "chosen":
            assert roles == ["FRANCE", "ITALY", "TURKEY"]


def test_who_watches_does_so_once_and_again_only_if_it_was_cut_off(table: Callable[..., None]) -> None:
    async def scenario(house: House, anna: Person, bert: Person, host: Person) -> None:
        carl = await Person(house.port, "carl").sign_in()
        assert (await carl.ask("join_game", game_id=GAME))["data"]["role"] == OBSERVER
        refused = await carl.ask("join_game", game_id=GAME)
        assert (refused["error_type"], "already" in refused["message"]) == ("ResponseException", True)
        assert (await carl.ask("join_game", game_id=GAME, re_sent=True))["data"]["role"] == OBSERVER
        assert (await carl.ask("join_game", game_id=GAME, power_name="ITALY"))["error_type"] == "GameJoinRoleException"
        for person in (anna, bert):
            assert (await person.ask("join_game", game_id=GAME))["error_type"] == "GameJoinRoleException"

    table(scenario)


def test_who_watches_a_game_with_a_password_says_it_once(table: Callable[..., None]) -> None:
    async def scenario(house: House, anna: Person, bert: Person, host: Person) -> None:
        carl = await Person(house.port, "carl").sign_in()
        for wrong in (None, "", "simsim"):
            refused = await carl.ask("join_game", game_id=GAME, registration_password=wrong)
            assert refused["error_type"] == "GameRegistrationPasswordException"
        watching = session_of(house.hall, "carl")
        assert await watching.needs_password(GAME)
        joined = await carl.ask("join_game", game_id=GAME, registration_password="sesame")
        assert joined["data"]["role"] == OBSERVER
        assert not await watching.needs_password(GAME)  # at no door

    table(scenario, registration_password="sesame")


def test_who_comes_last_is_given_a_game_that_forms_and_hears_then_that_it_has_begun(
    table: Callable[..., None],
) -> None:
    async def scenario(house: House, anna: Person, bert: Person, host: Person) -> None:
        began = {}
        for person in (anna, bert, host):
            (given,) = of(person.wire.frames, "data_game")
            assert given["data"]["status"] == "forming"
            statuses = [frame["status"] for frame in of(await person.heard(), "game_status_update")]
            began[person.name] = statuses
        assert began == {"anna": ["active"], "bert": ["active"], "host": ["active"]}
        again = await Person(house.port, "bert").sign_in()
        assert (await again.ask("join_game", game_id=GAME, power_name="ENGLAND"))["data"]["status"] == "active"
        assert of(await again.heard(), "game_status_update") == []

    table(scenario)


@inside(at_home)
async def test_a_list_of_games_to_ask_about_has_an_end(house: House, connection: Connection) -> None:
    channel = await sign_in(connection, "anna")
    await channel.create_game(game_id="g", n_controls=7, deadline=0, rules=[])
    (only,) = await channel.get_games_info(games=["g"] * 5000)
    assert only.game_id == "g"
    with pytest.raises(faults.ResponseException, match=f"games: expected at most {MOST_ASKED} different ones"):
        await channel.get_games_info(games=[f"g {number}" for number in range(MOST_ASKED + 1)])


@inside(at_home)
async def test_an_eliminated_power_cannot_be_joined_nor_a_password_be_empty(
    house: House, connection: Connection
) -> None:
    host = await sign_in(connection, "host")
    game = await host.create_game(game_id="evening", n_controls=2, deadline=0, rules=["POWER_CHOICE"])
    state = game.get_state()
    state["units"]["ITALY"], state["centers"]["ITALY"] = [], []
    await game.set_state(state=state, orders={}, results={}, messages={})
    anna = await connection.authenticate("anna", "password")
    with pytest.raises(faults.ResponseException, match="ITALY is eliminated"):
        await anna.join_game(game_id="evening", power_name="ITALY")
    assert (await anna.join_game(game_id="evening", power_name="FRANCE")).role == "FRANCE"
    with pytest.raises(faults.GameCreationException, match="null, or not empty"):
        await host.create_game(registration_password="")


@inside(at_home)
async def test_an_operator_may_allow_shorter_messages_than_the_package(house: House, connection: Connection) -> None:
    host = await sign_in(connection, "host")
    house.hall.limits = msgspec.structs.replace(house.hall.limits, message_length=5)
    game = await host.create_game(n_controls=1, deadline=0, power_name="FRANCE", rules=["POWER_CHOICE"])
    await game.send_game_message(message=game.new_global_message("12345"))
    with pytest.raises(faults.ResponseException, match="at most 5 characters"):
        await game.send_game_message(message=game.new_global_message("123456"))
