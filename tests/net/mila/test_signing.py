"""Accounts at the package's door: tokens that are given back, accounts that are deleted, and grades of who watches."""

# Why real time passes here: a frame is at the server when the system has brought it there.

from __future__ import annotations

import json
from collections.abc import Callable

from parlour.net.mila.protocol_values import OBSERVER, OMNISCIENT
from support.mila.house import ADMIN, House
from support.mila.synchronized import GAME, Person, names, of, said


async def administrator(house: House) -> Person:
    admin = Person(house.port, "admin")
    await admin.connect()
    answer = await admin.wire.ask(
        {"request_id": "in", "name": "sign_in", "re_sent": False, "username": "admin", "password": ADMIN}
    )
    admin.token = answer["data"]
    return admin


def test_who_may_no_longer_see_all_is_told_that_the_game_is_gone_and_hears_nothing_more(
    table: Callable[..., None],
) -> None:
    async def scenario(house: House, anna: Person, bert: Person, host: Person) -> None:
        admin = await administrator(house)
        carl = await Person(house.port, "carl").sign_in()
        dora = await Person(house.port, "dora").sign_in()
        grade = {"grade": "omniscient", "game_id": GAME}
        await admin.ask("set_grade", grade_update="promote", username="carl", **grade)
        assert (await carl.ask("join_game", game_id=GAME))["data"]["role"] == OMNISCIENT
        assert (await dora.ask("join_game", game_id=GAME))["data"]["role"] == OBSERVER
        await bert.play("send_game_message", "ENGLAND", message=said("FRANCE", "psst"))
        await admin.ask("set_grade", grade_update="demote", username="carl", **grade)
        await admin.ask("set_grade", grade_update="promote", username="dora", **grade)
        await bert.play("send_game_message", "ENGLAND", message=said("FRANCE", "again"))
        await bert.play("send_game_message", "ENGLAND", message=said("GLOBAL", "to all"))
        assert names(await carl.heard()) == ["game_message_received", "game_deleted"]
        assert names(await dora.heard()) == ["game_message_received"], "it sees more when it joins again"
        roles = {one.session.name: one.role for one in house.door.rooms[GAME].listeners()}
        assert ("carl" in roles, roles["dora"]) == (False, OBSERVER)
        assert (await carl.ask("join_game", game_id=GAME))["data"]["role"] == OBSERVER
        assert (await dora.ask("join_game", game_id=GAME))["data"]["role"] == OMNISCIENT

    table(scenario)


def test_a_token_is_given_back_only_where_it_is_and_then_counts_no_more(
    table: Callable[..., None],
) -> None:
    async def scenario(house: House, anna: Person, bert: Person, host: Person) -> None:
        stranger = await Person(house.port, "stranger").sign_in()
        await stranger.wire.socket.send(
            json.dumps({"request_id": "u", "name": "unknown_token", "token": anna.token, "re_sent": False})
        )
        assert await stranger.heard() == []
        assert stranger.wire.answers("u") == 0, "the only request without an answer"
        await bert.play("send_game_message", "ENGLAND", message=said("FRANCE", "one"))
        assert names(await anna.heard()).count("game_message_received") == 1
        twin = await Person(house.port, "anna").sign_in()
        assert (await anna.ask("logout"))["name"] == "ok"
        assert (await anna.ask("list_games"))["error_type"] == "TokenException"
        assert house.door.socket_of(anna.token) is None
        assert (await twin.ask("list_games"))["name"] == "data_games", "another token of hers"
        await bert.wire.socket.send(
            json.dumps({"request_id": "u", "name": "unknown_token", "token": bert.token, "re_sent": False})
        )
        assert (await bert.ask("list_games"))["error_type"] == "TokenException"

    table(scenario)


def test_whoever_is_signed_in_to_an_account_that_is_deleted_is_told_but_for_who_deleted_it(
    table: Callable[..., None],
) -> None:
    async def scenario(house: House, anna: Person, bert: Person, host: Person) -> None:
        twin = await Person(house.port, "anna").sign_in()
        assert (await anna.ask("delete_account", username=None))["name"] == "ok"
        for person, told in ((twin, ["account_deleted"]), (anna, []), (bert, [])):
            refused = await person.ask("list_games")
            assert refused["name"] == ("data_games" if person is bert else "error")
            deleted = of([frame for frame in person.wire.frames if "notification_id" in frame], "account_deleted")
            assert names(deleted) == told
            assert all(frame["token"] == person.token for frame in deleted)
        assert anna.token not in {one.token for one in house.door.rooms[GAME].listeners()}

    table(scenario)
