"""Our own client at our own door when it is done: games that are left, accounts that are deleted, and its words."""

from __future__ import annotations

import pytest

from parlour.net import client
from parlour.net.client import Connection, connect, strings
from parlour.net.mila import faults
from parlour.net.mila.protocol_values import OMNISCIENT
from support.mila.at_home import at_home, sign_in, table_for_two
from support.mila.house import HOST, House
from support.waiting import inside, until


@inside(at_home)
async def test_a_game_is_left_where_its_block_ends_and_an_account_that_is_deleted_asks_nothing_more(
    house: House, connection: Connection
) -> None:
    master, france, england = await table_for_two(connection)
    anna, bert = france.channel, england.channel
    assert anna is not None
    assert bert is not None
    async with france:
        pass
    assert france.channel is None
    await until(lambda: master.powers["FRANCE"].is_dummy())
    async with france:  # it has been left already
        pass
    await anna.delete_account()
    assert anna.token not in connection.channels
    with pytest.raises(faults.TokenException):
        await anna.list_games()
    async with connect(HOST, house.port) as other:
        carl = await sign_in(other, "carl")
        game = await carl.join_game(game_id="two", power_name="ITALY")
        async with game:
            await other.close()  # a line that was closed is not asked to leave
    assert bert.token in connection.channels


def test_words_of_the_package_are_found_when_they_are_asked_for() -> None:
    assert client.strings is strings
    assert [strings.role_is_special(role) for role in (strings.OBSERVER_TYPE, OMNISCIENT, "FRANCE")] == [
        True,
        True,
        False,
    ]
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = client.nonsense
