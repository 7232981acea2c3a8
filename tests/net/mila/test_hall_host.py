"""The door's requests to the hall: powers for house bots, and the progress of games, awake or asleep."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from parlour.core import intents as it
from parlour.core.game import Seat
from parlour.core.terms import Clock, Terms, Vacancy
from parlour.errors import ConfigError
from parlour.net.accounts.accounts import Registration
from parlour.net.client import Channel, connect, strings
from parlour.net.mila import faults, hall_host, heads
from parlour.net.mila.hall_host import HallHost
from parlour.net.mila.heads import MatchExtras
from parlour.net.mila.protocol_values import GameStatus
from parlour.net.setup import MatchSetup
from parlour.referee.conduct import HOSTED
from parlour.store import RecordHead, RecordKind
from support.hall.people import opening, session_of
from support.mila.house import ADMIN, HOST, House, mila_server
from support.waiting import PATIENCE, until

OTHERS = ["AUSTRIA", "ENGLAND", "GERMANY", "ITALY", "RUSSIA", "TURKEY"]


async def opened(channel: Channel, *names: str) -> None:
    """Matches that are on, with nobody but France."""
    for name in names:
        game = await channel.create_game(game_id=name, power_name="FRANCE", n_controls=1, deadline=0)
        await until(lambda game=game: game.is_game_active)  # type: ignore[misc]


async def test_powers_that_nobody_plays_wait_for_the_bots_of_the_house(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(house: House) -> None:
        async with connect(HOST, house.port) as connection:
            anna = await connection.authenticate("anna", "password")
            bots = [await connection.authenticate("bot", "password") for _ in range(2)]
            assert bots[0].token != bots[1].token
            await opened(anna, "two", "one")
            await anna.create_game(game_id="forming", n_controls=7, deadline=0)
            await anna.create_game(game_id="a board of another package", map_name="pure", n_controls=0, deadline=0)
            with pytest.raises(faults.ResponseException, match="Only the server's bot account"):
                await anna.get_dummy_waiting_powers(buffer_size=100)
            assert await bots[0].get_dummy_waiting_powers(buffer_size=5) == {}, "a match is given whole"
            (first,) = (await bots[0].get_dummy_waiting_powers(buffer_size=6)).items()
            assert first == ("one", OTHERS), "by game id, not by age"
            rest = await bots[1].get_dummy_waiting_powers(buffer_size=100)
            assert {first[0], *rest} == {"one", "two"}
            assert len(rest) == 1, "what one looks after is not given to another"
            assert set(await bots[0].get_dummy_waiting_powers(buffer_size=100)) == {first[0]}
            monkeypatch.setattr(hall_host, "RESERVED", -1.0)
            await bots[0].get_dummy_waiting_powers(buffer_size=100)
            assert first[0] in await bots[1].get_dummy_waiting_powers(buffer_size=100), "not for ever"

    async with mila_server(tmp_path, bot_account="bot") as house, asyncio.timeout(PATIENCE):
        await scenario(house)


async def test_a_power_that_its_moderator_ordered_for_waits_for_nobody(tmp_path: Path) -> None:
    async with (
        mila_server(tmp_path, bot_account="bot") as house,
        asyncio.timeout(PATIENCE),
        connect(HOST, house.port) as connection,
    ):
        host, anna, bot = [await connection.authenticate(name, "password") for name in ("host", "anna", "bot")]
        master = await host.create_game(game_id="one", n_controls=1, deadline=0)
        await anna.join_game(game_id="one", power_name="FRANCE")
        await until(lambda: master.is_game_active)
        await master.set_orders(power_name="TURKEY", orders=["F ANK - BLA"])
        for pause_or_resume in (master.resume, master.pause):
            await pause_or_resume()
            waiting = await bot.get_dummy_waiting_powers(buffer_size=100)
            assert waiting == {"one": [name for name in OTHERS if name != "TURKEY"]}


async def status_of(channel: Channel, game: str) -> tuple[str, str, str]:
    """As a list says, as is said of it alone, and its phase."""
    (listed,) = await channel.list_games(game_id=game)
    (alone,) = await channel.get_games_info(games=[game])
    return str(listed.status), str(alone.status), alone.phase


async def test_lists_and_heads_say_the_same_of_how_far_a_game_has_come(tmp_path: Path) -> None:
    async with mila_server(tmp_path) as house, connect(HOST, house.port) as connection:
        anna, bert = [await connection.authenticate(name, "password") for name in ("anna", "bert")]
        setup = {"n_controls": 1, "deadline": 0, "rules": ["POWER_CHOICE"]}
        for name, ended in (("one", strings.CANCELED), ("two", strings.COMPLETED)):
            master = await anna.create_game(game_id=name, **setup)  # type: ignore[arg-type]
            assert await status_of(bert, name) == ("forming", "forming", "S1901M")
            france = await bert.join_game(game_id=name, power_name="FRANCE")
            assert await status_of(bert, name) == ("active", "active", "S1901M")
            await master.pause()
            assert await status_of(bert, name) == ("paused", "paused", "S1901M")
            await france.leave()
            assert await status_of(bert, name) == ("paused", "paused", "S1901M")
            assert [game.game_id for game in await bert.list_games(status=strings.PAUSED)] == [name]
            await bert.join_game(game_id=name, power_name="FRANCE")
            await (master.cancel() if ended == strings.CANCELED else master.draw())
            phase = "COMPLETED" if ended == strings.COMPLETED else "S1901M"
            assert await status_of(bert, name) == (ended, ended, phase)
            with pytest.raises(faults.GameFinishedException):
                await bert.join_game(game_id=name, power_name="ITALY")


async def test_a_game_that_was_deleted_is_in_no_list_and_cannot_be_joined(tmp_path: Path) -> None:
    async with mila_server(tmp_path) as house, connect(HOST, house.port) as connection:
        anna = await connection.authenticate("anna", "password")
        await (await anna.create_game(game_id="gone")).delete()
        await anna.create_game(game_id="there")
        assert [game.game_id for game in await anna.list_games()] == ["there"]
        assert await anna.get_games_info(games=["gone"]) == []
        with pytest.raises(faults.GameIdException):
            await anna.join_game(game_id="gone")


async def test_nobody_is_graded_who_does_not_exist(tmp_path: Path) -> None:
    async with mila_server(tmp_path) as house, connect(HOST, house.port) as connection:
        admin = await connection.authenticate("admin", ADMIN)
        await admin.create_game(game_id="g")
        with pytest.raises(faults.UserException):
            await admin.make_omniscient(username="nobody", game_id="g")


@pytest.mark.parametrize(
    ("head", "players", "status"),
    [
        ({"status": "forming"}, 2, GameStatus.FORMING),
        ({"status": "running"}, 0, GameStatus.ACTIVE),
        ({"status": "paused"}, 2, GameStatus.PAUSED),
        ({"status": "paused"}, 3, GameStatus.PAUSED),
        ({"status": "paused"}, 1, GameStatus.FORMING),
        ({"status": "over"}, 2, GameStatus.COMPLETED),
        (
            {"status": "running", "result": b'{"scores":{},"places":[["FRANCE"]],"reason":"draw"}'},
            2,
            GameStatus.COMPLETED,
        ),
        ({"status": "over", "result": b'{"scores":{},"places":[],"reason":"cancelled"}'}, 2, GameStatus.CANCELED),
    ],
)
def test_how_far_a_match_has_come_is_told_by_its_head(head: dict[str, Any], players: int, status: GameStatus) -> None:
    seated = dict.fromkeys(OTHERS[:players], "somebody")
    found = RecordHead("m", RecordKind.MATCH, "diplomacy", players=seated, **head)
    assert heads._status(found, MatchExtras((), 2, 0, "standard")) is status


async def test_a_game_that_needs_no_players_begins_at_once(tmp_path: Path) -> None:
    async with mila_server(tmp_path) as house, connect(HOST, house.port) as connection:
        anna = await connection.authenticate("anna", "password")
        await anna.create_game(game_id="alone", n_controls=0, deadline=0)
        await anna.create_game(game_id="solitaire", rules=["SOLITAIRE"])
        assert await status_of(anna, "alone") == ("active", "active", "S1901M")
        assert await status_of(anna, "solitaire") == ("active", "active", "S1901M")


async def test_of_several_powers_of_which_one_is_taken_none_is_kept(tmp_path: Path) -> None:
    async with mila_server(tmp_path) as house, connect(HOST, house.port) as connection:
        host, anna, bert = [await connection.authenticate(name, "password") for name in ("host", "anna", "bert")]
        rules = ["POWER_CHOICE", "MULTIPLE_POWERS_PER_PLAYER"]
        master = await host.create_game(game_id="g", n_controls=7, deadline=0, rules=rules)
        await anna.join_powers(game_id="g", power_names=["ITALY"])
        with pytest.raises(faults.ResponseException):
            await bert.join_powers(game_id="g", power_names=["AUSTRIA", "ENGLAND", "ITALY"])
        await bert.join_powers(game_id="g", power_names=["TURKEY"])
        await until(lambda: master.powers["TURKEY"].get_controller() == "bert")
        assert {name for name, power in master.powers.items() if power.is_controlled()} == {"ITALY", "TURKEY"}


@pytest.mark.parametrize(
    ("registration", "password", "error"),
    [
        (Registration.CLOSED, "password", faults.ServerRegistrationException),
        (Registration.INVITATION, "password", faults.ServerRegistrationException),
        (Registration.OPEN, "x" * 5000, faults.PasswordException),
    ],
)
async def test_who_cannot_have_an_account_is_told_why_in_the_class_that_clients_know(
    tmp_path: Path, registration: Registration, password: str, error: type[faults.ResponseException]
) -> None:
    async with mila_server(tmp_path, registration=registration) as house, connect(HOST, house.port) as connection:
        with pytest.raises(faults.ResponseException) as raised:
            await connection.authenticate("anna", password)
        assert type(raised.value) is error
        with pytest.raises(faults.UserException):
            await connection.authenticate("admin", "not the password")
        await connection.authenticate("admin", ADMIN)


async def test_an_owner_who_plays_is_an_observer_besides_as_at_every_other_door(tmp_path: Path) -> None:
    async with mila_server(tmp_path) as house, connect(HOST, house.port) as connection:
        anna = await connection.authenticate("anna", "password")
        setup = MatchSetup(game="diplomacy", match="m", terms=Terms(conduct=HOSTED, vacancy=Vacancy.AWAITED))
        owner, other = session_of(house.hall, "anna"), session_of(house.hall, "bert")
        await owner.open(opening(setup, it.Start("anna")))
        (listed,) = await anna.list_games(game_id="m")
        assert listed.observer_level == strings.MASTER_TYPE
        await owner.join("m", Seat("FRANCE"))
        await other.join("m", Seat("ITALY"))
        assert not owner.rights_in(await house.hall.wake("m")).moderator
        assert await anna.list_games(for_omniscience=True) == []
        watched = await anna.join_game(game_id="m")
        assert (watched.role, watched.observer_level) == (strings.OBSERVER_TYPE, strings.OBSERVER_TYPE)


async def test_grades_are_given_by_who_may_and_mean_what_they_say(tmp_path: Path) -> None:
    async with mila_server(tmp_path) as house, connect(HOST, house.port) as connection:
        admin = await connection.authenticate("admin", ADMIN)
        host, anna, bert = [await connection.authenticate(name, "password") for name in ("host", "anna", "bert")]
        for game in ("g", "h"):
            await host.create_game(game_id=game, deadline=0)

        async def levels(channel: Channel) -> list[str | None]:
            found = {game.game_id: game.observer_level for game in await channel.list_games()}
            return [found["g"], found["h"]]

        assert await levels(anna) == [strings.OBSERVER_TYPE, strings.OBSERVER_TYPE]
        await host.make_omniscient(username="anna", game_id="g")
        assert await levels(anna) == [strings.OMNISCIENT_TYPE, strings.OBSERVER_TYPE]
        await host.promote_moderator(username="anna", game_id="g")
        assert await levels(anna) == ["master_type", strings.OBSERVER_TYPE]
        await host.demote_moderator(username="anna", game_id="g")
        assert await levels(anna) == await levels(bert) == [strings.OBSERVER_TYPE, strings.OBSERVER_TYPE]
        with pytest.raises(faults.GameMasterTokenException):
            await anna.make_omniscient(username="bert", game_id="g")
        with pytest.raises(faults.GameIdException):
            await host.make_omniscient(username="anna", game_id="")
        with pytest.raises(faults.ResponseException, match="stays its moderator"):
            await host.demote_moderator(username="host", game_id="g")
        await admin.promote_administrator(username="bert")
        assert await levels(bert) == ["master_type", "master_type"]
        await admin.demote_administrator(username="bert")
        assert await levels(bert) == [strings.OBSERVER_TYPE, strings.OBSERVER_TYPE]


async def test_a_match_has_a_port_for_daide_players_where_there_is_one_left(tmp_path: Path) -> None:
    async def port_of(match: str) -> int:
        if match == "full":
            raise ConfigError("all ports are taken", field="daide_ports")
        return 1234

    async with mila_server(tmp_path) as house:
        host = HallHost(house.hall, house.accounts, daide_port=port_of)
        assert await host.daide_port("g") == 1234
        for other, match in ((host, "full"), (HallHost(house.hall, house.accounts), "g")):
            with pytest.raises(faults.DaidePortException):
                await other.daide_port(match)


async def test_an_account_that_is_deleted_leaves_the_powers_that_it_plays_in_games_that_go_on(tmp_path: Path) -> None:
    async with mila_server(tmp_path) as house, connect(HOST, house.port) as connection:
        admin = await connection.authenticate("admin", ADMIN)
        anna, bert = [await connection.authenticate(name, "password") for name in ("anna", "bert")]
        watched = {}
        for game in ("one", "two", "over"):
            watched[game] = await bert.create_game(game_id=game, n_controls=1, deadline=0)
            await anna.join_game(game_id=game, power_name="FRANCE")
            await until(lambda game=game: watched[game].is_game_active)  # type: ignore[misc]
        await watched["over"].draw()
        with pytest.raises(faults.AdminTokenException):
            await bert.delete_account(username="anna")
        await admin.delete_account(username="anna")
        await until(lambda: all(watched[game].powers["FRANCE"].is_dummy() for game in ("one", "two")))
        assert watched["over"].powers["FRANCE"].get_controller() == "anna"
        assert house.accounts.known(anna.token) is None


async def test_lists_go_on_where_a_page_ends_and_stop_where_they_are_too_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with mila_server(tmp_path) as house, connect(HOST, house.port) as connection:
        anna = await connection.authenticate("anna", "password")
        names = [f"g{number}" for number in range(5)]
        for name in names:
            await anna.create_game(game_id=name)
        hidden = MatchSetup(game="diplomacy", terms=Terms(HOSTED), match="hidden", listed=False)
        await session_of(house.hall, "host").open(hidden)
        await session_of(house.hall, "host").open(MatchSetup(game="fish", terms=Terms(HOSTED), match="fish"))
        page = house.hall.page

        async def in_small_pages(wanted: Any, *, limit: int, after: int | None, newest_first: bool) -> Any:
            return await page(wanted, limit=2, after=after, newest_first=newest_first)

        monkeypatch.setattr(house.hall, "page", in_small_pages)
        assert [game.game_id for game in await anna.list_games()] == names
        monkeypatch.setattr(heads, "MAX_LISTED", 3)
        assert [game.game_id for game in await anna.list_games()] == names[2:], "the newest"
        for other in ("fish", "nowhere"):
            with pytest.raises(faults.GameIdException):
                await anna.join_game(game_id=other)


async def test_matches_of_other_doors_are_told_by_rules_that_amount_to_their_terms(tmp_path: Path) -> None:
    async with mila_server(tmp_path) as house, connect(HOST, house.port) as connection:
        anna = await connection.authenticate("anna", "password")
        terms = Terms(HOSTED, Clock(per_turn=60.0), seats_to_start=3, vacancy=Vacancy.DEFAULT)
        session = session_of(house.hall, "host")
        await session.open(MatchSetup(game="diplomacy", terms=terms, match="g", config={"map": "lagoon"}))
        await session.open(MatchSetup(game="diplomacy", terms=Terms(HOSTED), match="h"))
        for _ in range(2):
            lake, sea = await anna.get_games_info(games=["g", "h"])
            assert (lake.map_name, lake.n_controls, lake.deadline, lake.status) == ("lagoon", 3, 60, "forming")
            assert (sea.map_name, sea.n_controls, sea.deadline) == ("standard", 7, 0)
            assert "NO_PRESS" in (lake.rules or ())
            assert ("NO_DEADLINE" in (lake.rules or ()), "NO_DEADLINE" in (sea.rules or ())) == (False, True)


async def test_matches_in_fog_are_not_at_this_door_which_tells_all_to_all(tmp_path: Path) -> None:
    async with mila_server(tmp_path) as house, connect(HOST, house.port) as connection:
        anna = await connection.authenticate("anna", "password")
        session = session_of(house.hall, "host")
        await session.open(MatchSetup(game="diplomacy", terms=Terms(HOSTED), match="f", config={"rules": ["fog"]}))
        await session.open(MatchSetup(game="diplomacy", terms=Terms(HOSTED), match="h"))
        assert [game.game_id for game in await anna.list_games()] == ["h"]
        with pytest.raises(faults.GameIdException):
            await anna.join_game(game_id="f", power_name="FRANCE")
