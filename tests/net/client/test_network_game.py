"""Our client library on the original server of the `diplomacy` package 1.1.2, and on our own: it cannot tell."""

from __future__ import annotations

import random
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, TypeAlias

import pytest

from parlour.net.client import Channel, Connection, NetworkGame, connect, strings
from parlour.net.mila import faults
from support.client.scripted_server import ScriptedServer, joined, signed_in
from support.client.scripted_server import play as at_script
from support.mila.servers import CALLBACKS, HOST
from support.waiting import inside, until

POWERS = ("AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY")
Play: TypeAlias = Callable[[Callable[[int], Coroutine[Any, Any, None]]], None]
"""Plays at a server, given its port."""


def have_left(games: list[NetworkGame], phase: str) -> bool:
    return all(game.get_current_phase() != phase for game in games)


async def seven(channel: Channel, game_id: str, **setup: Any) -> list[NetworkGame]:
    """Return a game with all powers on one channel."""
    rules = ["POWER_CHOICE", "MULTIPLE_POWERS_PER_PLAYER", *setup.pop("rules", ())]
    await channel.create_game(game_id=game_id, power_name=POWERS[0], rules=rules, deadline=0, **setup)
    return [await channel.join_game(game_id=game_id, power_name=power) for power in POWERS]


def test_seven_powers_play_some_phases_by_random_orders(play: Play) -> None:
    async def scenario(port: int) -> None:
        rng = random.Random(1)
        async with connect(HOST, port) as connection:
            channel = await connection.authenticate("seven", "password")
            games = await seven(channel, "seven")
            await until(lambda: all(game.is_game_active for game in games))
            for _ in range(8):
                phase = games[0].get_current_phase()
                for game in games:
                    possible = game.get_all_possible_orders()
                    places = game.get_orderable_locations(game.role)
                    orders = [rng.choice(possible[place]) for place in places if possible[place]]
                    if places and game.get_current_phase() == phase:
                        await game.set_orders(orders=orders, wait=False)
                await until(partial(have_left, games, phase))
            assert len(games[0].state_history) == 8
            assert len({game.position for game in games}) == 1
            saved = await games[0].save()
            assert [phase["name"] for phase in saved["phases"]] == [
                *games[0].state_history,
                games[0].get_current_phase(),
            ]

    play(scenario)


def test_press_goes_to_its_recipient_and_times_it(play: Play) -> None:
    async def scenario(port: int) -> None:
        async with connect(HOST, port) as first, connect(HOST, port) as second:
            anna, bert = await first.authenticate("anna", "password"), await second.authenticate("bert", "password")
            france = await anna.create_game(game_id="press", power_name="FRANCE", n_controls=2, rules=["POWER_CHOICE"])
            heard: list[Any] = []
            england = await bert.join_game(game_id="press", power_name="ENGLAND")
            england.add_on_game_message_received(lambda game, notification: heard.append((game, notification)))
            await until(lambda: france.is_game_active)
            sent = await france.send_game_message(message=france.new_power_message("ENGLAND", "PRP (PCE (FRA ENG))"))
            await france.send_game_message(message=france.new_global_message("hello"))
            await until(lambda: len(heard) == 2)
            game, notification = heard[0]
            assert game is england
            assert (notification.message.sender, notification.message.recipient) == ("FRANCE", "ENGLAND")
            assert notification.message.time_sent == sent
            assert list(england.messages) == list(france.messages)
            with pytest.raises(faults.ResponseException):
                await france.send_game_message(message=france.new_power_message("FRANCE", "to myself"))

    play(scenario)


def test_a_refusal_is_raised_as_the_class_that_the_server_names(play: Play) -> None:
    async def scenario(port: int) -> None:
        async with connect(HOST, port) as connection:
            with pytest.raises(faults.UserException):
                await connection.authenticate("", "password")
            with pytest.raises(faults.PasswordException):
                await connection.authenticate("dora", "")
            await connection.authenticate("finn", "x")  # whatever is not empty will do at the first sign-in
            async with await connection.authenticate("dora", "password") as channel:
                with pytest.raises(faults.GameIdException):
                    await channel.join_game(game_id="nowhere")
                with pytest.raises(faults.MapIdException):
                    await channel.create_game(map_name="atlantis")
                with pytest.raises(faults.AdminTokenException):
                    await channel.promote_administrator(username="dora")
            with pytest.raises(faults.TokenException):
                await channel.list_games()

    play(scenario)


def test_a_moderator_does_all_that_moderators_do(play: Play) -> None:
    async def scenario(port: int) -> None:
        async with connect(HOST, port) as connection:
            anna = await connection.authenticate("anna2", "password")
            master = await anna.create_game(game_id="moderated", n_controls=1, deadline=0, rules=["POWER_CHOICE"])
            assert master.is_omniscient_game()
            bert = await connection.authenticate("bert2", "password")
            france = await bert.join_game(game_id="moderated", power_name="FRANCE")
            told: list[str] = []
            for kind in CALLBACKS:
                getattr(france, f"add_on_{kind}")(lambda game, found, kind=kind: told.append(kind))
            await until(lambda: france.is_game_active)
            await master.pause()
            await until(lambda: france.is_game_paused)
            await master.resume()
            await until(lambda: france.is_game_active)
            await master.set_orders(power_name="FRANCE", orders=["A PAR - BUR"])
            await until(lambda: france.get_orders("FRANCE") == ["A PAR - BUR"])
            await master.set_orders(power_name="ITALY", orders=["A ROM - VEN"])
            await master.clear_orders(power_name="FRANCE")
            await master.clear_units(power_name="TURKEY")
            await master.clear_centers(power_name="TURKEY")
            await master.process()
            await until(lambda: france.get_current_phase() == "F1901M")
            assert france.powers["TURKEY"].is_eliminated()
            await master.set_state(state=france.state_history["S1901M"])
            await until(lambda: france.get_current_phase() == "S1901M")
            await anna.promote_moderator(username="bert2", game_id="moderated")
            await anna.demote_moderator(username="bert2", game_id="moderated")
            await master.kick_powers(power_names=["FRANCE"])
            with pytest.raises(faults.ResponseException, match="not scheduled"):
                await master.query_schedule()
            await master.draw()
            await until(lambda: master.is_game_done)
            await master.delete()
            assert not anna.games
            expected = {"game_status_update", "power_orders_update", "power_orders_flag", "cleared_orders"}
            expected |= {"cleared_units", "cleared_centers", "game_processed", "game_phase_update", "power_wait_flag"}
            assert expected <= set(told)

    play(scenario)


def test_lists_maps_and_votes(play: Play) -> None:
    async def scenario(port: int) -> None:
        async with connect(HOST, port) as connection:
            channel = await connection.authenticate("lists", "password")
            games = await seven(channel, "lists", n_controls=7)
            watcher = await (await connection.authenticate("watcher", "password")).join_game(game_id="lists")
            assert watcher.is_observer_game()
            assert set((await channel.get_available_maps())["standard"].powers) == set(POWERS)
            (found,) = await channel.list_games(game_id="list", status=strings.ACTIVE)
            assert (found.game_id, found.n_players, found.n_controls) == ("lists", 7, 7)
            assert (await channel.get_games_info(games=["lists", "nowhere"]))[0].rules == found.rules
            assert await channel.get_playable_powers(game_id="lists") == []
            counted: list[int] = []
            watcher.add_on_vote_count_updated(lambda game, notification: counted.append(notification.count_voted))
            for game in games:
                await game.vote(vote=strings.YES)
            await until(lambda: all(game.is_game_done for game in [*games, watcher]))
            assert counted == [1, 2, 3, 4, 5, 6, 7]

    play(scenario)


def test_a_cut_is_mended_without_a_lost_or_doubled_message(play: Play) -> None:
    async def scenario(port: int) -> None:
        async with connect(HOST, port, pause=0.05) as first, connect(HOST, port) as second:
            anna, bert = await first.authenticate("anna3", "password"), await second.authenticate("bert3", "password")
            france = await anna.create_game(
                game_id="cut", power_name="FRANCE", n_controls=2, deadline=0, rules=["POWER_CHOICE"]
            )
            england = await bert.join_game(game_id="cut", power_name="ENGLAND")
            heard: list[str] = []
            france.add_on_game_message_received(lambda game, notification: heard.append(notification.message.message))
            await until(lambda: france.is_game_active)
            await england.send_game_message(message=england.new_power_message("FRANCE", "one"))
            await until(lambda: heard)
            assert first._socket is not None
            first._socket.transport.abort()
            await england.send_game_message(message=england.new_power_message("FRANCE", "two"))
            await france.set_orders(orders=["A PAR - BUR"])
            await england.send_game_message(message=england.new_power_message("FRANCE", "three"))
            await until(lambda: len(heard) == 3)
            await france.synchronize()
            assert heard == ["one", "two", "three"]
            assert france.get_orders("FRANCE") == ["A PAR - BUR"]

    play(scenario)


@pytest.mark.parametrize(("controller", "kept"), [("anna", True), ("bert", False), (None, False)])
@inside(at_script)
async def test_whose_power_somebody_else_or_nobody_plays_now_has_left_the_game(
    script: ScriptedServer, connection: Connection, *, controller: str | None, kept: bool
) -> None:
    game = await joined(script, connection, await signed_in(script, connection))
    powers = {"FRANCE": controller, "ITALY": "carl"}
    await script.notify("powers_controllers", powers=powers, timestamps=dict.fromkeys(powers, 2))
    await script.notify("game_status_update", status="paused")
    await until(lambda: game.is_game_paused or game.channel is None)
    assert (game.channel is not None) is kept
