"""The name of a deleted account is free again; whoever takes it gets nothing of the former holder's."""

from __future__ import annotations

from typing import Any

import pytest

from parlour.errors import Denied
from parlour.net.accounts.principals import of_account
from parlour.net.client import Connection
from parlour.net.mila import faults
from parlour.net.mila.reused_names import AccountNames
from support.mila.at_home import at_home, sign_in
from support.mila.house import House
from support.waiting import inside, until

RULES = ["POWER_CHOICE"]


@inside(at_home)
async def test_the_name_of_a_deleted_account_is_free_again_and_nothing_of_the_old_one_is_seen(
    house: House, connection: Connection
) -> None:
    anna, bert, host = [await sign_in(connection, name) for name in ("anna", "bert", "host")]
    setup: dict[str, Any] = {"n_controls": 2, "deadline": 0, "rules": RULES}
    own = await anna.create_game(game_id="hers", **setup)
    await host.create_game(game_id="old", **setup)
    france = await anna.join_game(game_id="old", power_name="FRANCE")
    england = await bert.join_game(game_id="old", power_name="ENGLAND")
    await until(lambda: england.is_game_active)
    await england.send_game_message(message=england.new_power_message("FRANCE", "psst"))
    await until(lambda: france.messages)
    await anna.delete_account()
    await until(lambda: not england.powers["FRANCE"].is_controlled())

    again = await connection.authenticate("anna", "another password")
    with pytest.raises(faults.UserException):
        await connection.authenticate("anna", "password")  # which was the old account's
    assert [game.controlled_powers for game in await again.list_games(game_id="old")] == [[]]
    watching = await again.join_game(game_id="old")
    assert watching.role == "observer_type"
    assert not watching.messages
    with pytest.raises(faults.ResponseException, match="An observer may not"):
        await (await again.join_game(game_id=own.game_id)).process()  # which the old account moderated
    stored = house.door.host.names.stored("anna")
    assert stored.startswith("anna-")
    assert (await house.hall.wake("old")).seats_of(of_account("anna")) == ()
    with pytest.raises(Denied):
        await house.accounts.register("anna", "a password here")  # on pages it would be taken for the old one


@inside(at_home)
async def test_clients_know_the_new_account_by_the_old_name(house: House, connection: Connection) -> None:
    bert, host = [await sign_in(connection, name) for name in ("bert", "host")]
    for number in range(2):
        await (await sign_in(connection, "anna")).delete_account()
        anna = await sign_in(connection, "anna")
        game_id = f"new {number}"
        game = await host.create_game(game_id=game_id, n_controls=2, deadline=0, rules=RULES)
        france = await anna.join_game(game_id=game_id, power_name="FRANCE")
        england = await bert.join_game(game_id=game_id, power_name="ENGLAND")
        await until(lambda: england.is_game_active)  # noqa: B023 - it is waited for at once
        for seen in (game, france, england):
            assert seen.powers["FRANCE"].get_controller() == "anna"
        assert (await game.save())["controllers"]["FRANCE"] == "anna"
        await host.promote_moderator(username="anna", game_id=game_id)
        await game.kick_powers(username="anna")
        await until(lambda: not england.powers["FRANCE"].is_controlled())  # noqa: B023
    names = AccountNames(house.hall.store)
    assert names.shown(names.stored("anna")) == "anna", "a server that starts again knows it, too"
    accounts = [account.name for account in house.hall.store.accounts() if account.name.startswith("anna")]
    assert len(accounts) == 3


@inside(at_home)
async def test_a_name_without_an_account_is_none_until_somebody_signs_in(house: House, connection: Connection) -> None:
    bert = await sign_in(connection, "bert")
    await (await sign_in(connection, "anna")).delete_account()
    game = await bert.create_game(game_id="two", n_controls=2, deadline=0, rules=RULES)
    with pytest.raises(faults.UserException):
        await game.kick_powers(username="anna")
    with pytest.raises(faults.UserException):
        await bert.promote_moderator(username="anna", game_id="two")
    with pytest.raises(faults.UserException):
        await bert.delete_account(username="anna")
    await bert.list_games()  # and has an account still
