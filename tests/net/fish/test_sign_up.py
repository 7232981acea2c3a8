"""The desk where players sign up: what it takes from them at most. Who comes and goes is in test_server."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from typing import Any, cast

import msgspec
import pytest

from parlour.core.terms import Terms
from parlour.errors import RemoteWireError
from parlour.net.fish.dialect import Patience
from parlour.net.fish.json import messages as ms
from parlour.net.fish.json.dialect import JsonDialect
from parlour.net.fish.lobby import MAX_WAITING
from parlour.net.fish.neu.dialect import NeuDialect
from parlour.net.fish.peer import Peer
from parlour.net.fish.settings import Settings
from parlour.net.fish.sign_up import Seated, SignUpDesk
from parlour.net.framing.connection import Wire
from parlour.net.framing.json_stream import encode_line
from parlour.referee.conduct import STRICT
from support.fish.cable import Cable
from support.waiting import inside, run_simulated


async def test_whoever_signs_up_or_plays_may_send_a_few_kilobytes_in_one_value() -> None:
    wire = SignUpDesk(NeuDialect(), Settings(Terms(STRICT))).door.accept()
    with pytest.raises(RemoteWireError, match="at most 4,096 bytes"):
        list(wire._framing.feed(b'"' + b"x" * 5000))


def greet(desk: SignUpDesk, name: str) -> Cable:
    """Somebody comes and says a name."""
    cable = Cable()
    desk._greeted(cast(Wire, cable), f'"{name}"'.encode())
    return cable


async def test_where_names_need_not_differ_each_gets_one_of_its_own_and_comes_back_to_any_of_that_name() -> None:
    dialect = NeuDialect()
    desk = SignUpDesk(dialect, Settings(Terms(STRICT), fewest=3, most=4, wait=0.0))
    for name in ("ann", "ann", "bo"):
        greet(desk, name)
    tickets = await desk.gather()
    assert tickets is not None
    assert [ticket.name for ticket in tickets] == ["ann", "ann2", "bo"]
    away = {ticket.name: dialect.entrant(Peer(ticket.name), Patience()) for ticket in tickets}
    desk.seated = Seated({**away}, {})
    greet(desk, "ann")
    assert not any(entrant.peer.present for entrant in away.values()), "nobody is waited for"
    desk.seated.returning = True
    for name in ("ann", "ann", "ann", "cy"):
        greet(desk, name)
    assert [name for name, entrant in away.items() if entrant.peer.present] == ["ann", "ann2"]
    assert not desk.seated.all_here
    away["bo"].peer.close()
    greet(desk, "bo")
    assert not away["bo"].peer.present, "who was given up is not taken back"


def say(desk: SignUpDesk, message: msgspec.Struct) -> Cable:
    """Somebody comes and says something in JSON."""
    cable = Cable()
    desk._greeted(cast(Wire, cable), encode_line(message))
    return cable


def refusals(cable: Cable) -> list[str]:
    """Why somebody was sent away; nothing if it was not."""
    answers = [msgspec.json.decode(text) for text in cable.sent]
    assert cable.is_open is not any("reason" in answer for answer in answers)
    return [answer["reason"] for answer in answers if "reason" in answer]


async def test_so_many_wait_and_watch_and_who_comes_then_is_sent_away_with_the_reason() -> None:
    desk = SignUpDesk(JsonDialect(), Settings(Terms(STRICT), most_spectators=2))
    watching = [say(desk, ms.SpectateRequest(True)) for _ in range(3)]
    assert [refusals(cable) for cable in watching] == [[], [], ["too many spectators"]]
    watching[0].cut()
    assert refusals(say(desk, ms.SpectateRequest(True))) == [], "there is room again"
    waiting = [say(desk, ms.SignupRequest(f"p{number}")) for number in range(MAX_WAITING)]
    assert not any(refusals(cable) for cable in waiting)
    assert refusals(say(desk, ms.SignupRequest("late"))) == ["the wait-list is full"]
    assert refusals(say(desk, ms.SignupRequest("p1"))) == ["the name is taken"]
    assert refusals(say(desk, ms.SignupRequest("p1", token="guessed"))) == ["no place is kept for this name and token"]


async def test_each_gets_a_token_that_nobody_guesses_and_only_its_digest_is_kept() -> None:
    desk = SignUpDesk(JsonDialect(), Settings(Terms(STRICT)))
    cables = [say(desk, ms.SignupRequest(name)) for name in ("ann", "bo")]
    tokens = [msgspec.json.decode(cable.sent[0])["token"] for cable in cables]
    assert [len(token) for token in tokens] == [22, 22], "16 bytes by chance"
    assert tokens[0] != tokens[1]
    ticket = desk._lobby.ticket("ann")
    assert ticket is not None
    assert ticket.digest == hashlib.sha256(tokens[0].encode()).digest()


async def test_who_speaks_the_courses_protocol_and_is_refused_sees_the_line_close() -> None:
    desk = SignUpDesk(NeuDialect(), Settings(Terms(STRICT)))
    assert greet(desk, "ann").is_open
    cable = Cable()
    desk._greeted(cast(Wire, cable), b"17")
    assert (cable.is_open, cable.sent) == (False, [])


# Gathering, on a simulated clock


def gathering(scene: Callable[[SignUpDesk], Awaitable[None]], **told: Any) -> None:
    """A desk at which people of the course's protocol sign up for two to three places; two periods of ten seconds."""
    settings = Settings(Terms(STRICT), **({"fewest": 2, "most": 3, "wait": 10.0, "tries": 2} | told))

    async def run() -> None:
        await scene(SignUpDesk(NeuDialect(), settings))

    run_simulated(run)


async def gathered(desk: SignUpDesk) -> tuple[list[str] | None, float]:
    """Return the players who were gathered, and the seconds that it took."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    tickets = await desk.gather()
    return None if tickets is None else [ticket.name for ticket in tickets], round(loop.time() - began, 3)


def comes(desk: SignUpDesk, name: str, after: float) -> None:
    asyncio.get_running_loop().call_later(after, greet, desk, name)


@inside(gathering, once=True)
async def test_it_begins_at_once_when_all_places_are_taken(desk: SignUpDesk) -> None:
    for number, name in enumerate(("ann", "bo", "cy")):
        comes(desk, name, 1.0 + number)
    assert await gathered(desk) == (["ann", "bo", "cy"], 3.0)


@pytest.mark.parametrize(("names", "seconds"), [(("ann", "bo"), 10.0), (("ann",), 20.0)])
@inside(gathering, once=True)
async def test_with_enough_it_begins_when_a_period_ends_and_with_too_few_not_at_all(
    desk: SignUpDesk, *, names: tuple[str, ...], seconds: float
) -> None:
    for name in names:
        comes(desk, name, 1.0)
    assert await gathered(desk) == (list(names) if len(names) > 1 else None, seconds)


@inside(gathering, once=True)
async def test_who_comes_in_the_last_period_is_enough(desk: SignUpDesk) -> None:
    comes(desk, "ann", 1.0)
    comes(desk, "bo", 15.0)
    assert await gathered(desk) == (["ann", "bo"], 20.0)


@inside(gathering)
async def test_a_server_that_goes_on_waits_for_the_first_player_however_long_that_takes(desk: SignUpDesk) -> None:
    comes(desk, "ann", 1000.0)
    comes(desk, "bo", 1001.0)
    assert await gathered(desk) == (["ann", "bo"], 1010.0)


@pytest.mark.parametrize(("house", "names"), [(1, ["ann"]), (0, None)])
def test_players_of_the_house_fill_up_where_somebody_came(house: int, names: list[str] | None) -> None:
    async def scene(desk: SignUpDesk) -> None:
        comes(desk, "ann", 1.0)
        assert await gathered(desk) == (names, 20.0)

    async def empty(desk: SignUpDesk) -> None:
        assert await gathered(desk) == (None, 20.0)

    gathering(scene, once=True, house=house)
    gathering(empty, once=True, house=5)


@inside(gathering, once=True, settle=2.0)
async def test_who_drops_out_while_places_settle_is_waited_for_again(desk: SignUpDesk) -> None:
    loop = asyncio.get_running_loop()
    cables = [greet(desk, name) for name in ("ann", "bo", "cy")]
    loop.call_later(1.0, cables[1].cut)
    comes(desk, "di", 4.0)
    assert await gathered(desk) == (["ann", "cy", "di"], 6.0)


@inside(gathering, once=True)
async def test_those_who_waited_for_a_place_get_it_in_the_next_tournament(desk: SignUpDesk) -> None:
    for name in ("ann", "bo", "cy", "di", "ed"):
        greet(desk, name)
    assert await gathered(desk) == (["ann", "bo", "cy"], 0.0)
    assert await gathered(desk) == (["di", "ed"], 10.0)


async def test_who_comes_and_goes_is_told_to_whoever_looks_after_the_server() -> None:
    news: list[str] = []
    settings = Settings(Terms(STRICT), fewest=2, most=2, wait=0.0, tries=1, once=True)
    desk = SignUpDesk(NeuDialect(), settings, news.append)
    desk._lobby.open()
    cables = [greet(desk, name) for name in ("ann", "bo", "cy")]
    cables[0].cut()
    assert news == [
        "ann signed up: 1 of 2 to 2",
        "bo signed up: 2 of 2 to 2",
        "cy is on the wait-list",
        "ann left: 2 of 2 to 2",
        "cy has a place now: 2 of 2 to 2",
    ]


@pytest.mark.parametrize(("missing", "seconds"), [(0, 3.0), (1, 15.0)])
@inside(gathering)
async def test_a_tournament_that_was_cut_short_waits_for_its_players_and_not_for_ever(
    desk: SignUpDesk, *, missing: int, seconds: float
) -> None:
    loop = asyncio.get_running_loop()
    names = ("ann", "bo", "cy")
    entrants = {name: NeuDialect().entrant(Peer(name), Patience()) for name in names}
    desk.seated = Seated({**entrants}, {}, returning=True)
    for number, name in enumerate(names[: 3 - missing]):
        comes(desk, name, 1.0 + number)
    await desk.await_return(desk.seated)
    assert (round(loop.time(), 3), desk.seated.all_here) == (seconds, not missing)


@inside(gathering)
async def test_who_knows_how_the_tournament_ended_may_sign_up_again_while_others_have_yet_to_answer(
    desk: SignUpDesk,
) -> None:
    entrants = {name: NeuDialect().entrant(Peer(name), Patience()) for name in ("ann", "bo")}
    desk.seated = Seated({**entrants}, {})
    entrants["ann"].told = True
    for name in ("ann", "bo"):
        greet(desk, name)
    assert set(desk._peers) == {"ann", "bo2"}


@inside(gathering, once=True)
async def test_everybody_is_sent_home_when_it_closes(desk: SignUpDesk) -> None:
    cables = [greet(desk, name) for name in ("ann", "bo", "cy", "di")]
    await desk.gather()
    seated = Cable()
    desk.seated = Seated({"ed": NeuDialect().entrant(Peer("ed", cast(Wire, seated)), Patience())}, {})
    watching = Cable()
    desk._admit_spectator(cast(Wire, watching))
    waiting = cables[3]
    assert (waiting.is_open, seated.is_open, watching.is_open) == (True, True, True)
    desk.close()
    assert (waiting.is_open, seated.is_open, watching.is_open) == (False, False, False)


@inside(gathering)
async def test_a_spectator_has_nothing_to_say(desk: SignUpDesk) -> None:
    watching = Cable()
    desk._admit_spectator(cast(Wire, watching))
    with pytest.raises(RemoteWireError, match="a spectator has nothing to say"):
        watching.receiver.received(b"1")
