"""Grades that are given and taken: what those see from then on who already watch, and are no pages."""

# Why real time passes here: a frame is at the server when the system has brought it there.

from __future__ import annotations

from collections.abc import Callable

from mila_house import ADMIN, House
from parlour.net.mila.values import OBSERVER, OMNISCIENT

from .test_synchronizing import GAME, Person, names, said, table  # noqa: F401 (table is a fixture)


async def administrator(house: House) -> Person:
    admin = Person(house.port, "admin")
    await admin.connect()
    answer = await admin.wire.ask(
        {"request_id": "in", "name": "sign_in", "re_sent": False, "username": "admin", "password": ADMIN}
    )
    admin.token = answer["data"]
    return admin


def test_who_may_no_longer_see_all_is_told_that_the_game_is_gone_and_hears_nothing_more(
    table: Callable[..., None],  # noqa: F811
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
        roles = {one.account: one.role for one in house.door.rooms[GAME].listeners()}
        assert ("carl" in roles, roles["dora"]) == (False, OBSERVER)
        assert (await carl.ask("join_game", game_id=GAME))["data"]["role"] == OBSERVER
        assert (await dora.ask("join_game", game_id=GAME))["data"]["role"] == OMNISCIENT

    table(scenario)
