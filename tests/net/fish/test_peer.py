"""Peers: one answer to one question, over a connection that may be replaced."""

from __future__ import annotations

import asyncio
from typing import cast

import pytest

from parlour.errors import RemoteWireError
from parlour.net.fish.peer import MAX_UNASKED, Peer
from parlour.net.framing.connection import Wire
from support.fish.cable import Cable


def plugged(grace: float = 0.0) -> tuple[Peer, Cable]:
    cable = Cable()
    return Peer("ann", cast(Wire, cable), grace=grace), cable


async def begun(peer: Peer, question: bytes = b"?") -> asyncio.Future[bytes]:
    task = asyncio.ensure_future(peer.ask(question, bytes))
    await asyncio.sleep(0)
    return task


async def test_a_question_gets_its_answer() -> None:
    peer, cable = plugged()
    asking = await begun(peer)
    assert cable.sent == [b"?"]
    peer.received(b"!")
    assert await asking == b"!"


async def test_a_connection_acknowledges_at_once_only_while_an_answer_is_owed() -> None:
    """Then the rest of one may be waiting for that; else the next question says that all has arrived."""
    peer, cable = plugged()
    assert cable.read_out()
    asking = await begun(peer)
    assert not cable.read_out()
    peer.received(b"!")
    assert cable.read_out()
    await asking
    late = await begun(peer)
    late.cancel()
    await asyncio.wait((late,))
    assert not cable.read_out()
    peer.received(b"!")
    assert cable.read_out()


async def test_what_nobody_asked_for_spoils_the_next_question() -> None:
    peer, _ = plugged()
    peer.received(b"too early")
    with pytest.raises(RemoteWireError, match="nobody had asked"):
        await peer.ask(b"?", bytes)


async def test_a_second_answer_counts_as_unasked() -> None:
    peer, _ = plugged()
    asking = await begun(peer)
    peer.received(b"1")
    peer.received(b"2")
    assert await asking == b"1"
    with pytest.raises(RemoteWireError):
        await peer.ask(b"?", bytes)


async def test_a_flood_ends_the_connection() -> None:
    peer, _ = plugged()
    for _ in range(MAX_UNASKED):
        peer.received(b"x")
    with pytest.raises(RemoteWireError, match="flood"):
        peer.received(b"x")


async def test_the_answer_to_a_question_given_up_on_is_passed_over() -> None:
    peer, _ = plugged()
    asking = await begun(peer)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    again = await begun(peer)
    peer.received(b"late")
    peer.received(b"in time")
    assert await again == b"in time"


async def test_a_lost_connection_fails_the_question_at_once_without_grace() -> None:
    peer, cable = plugged()
    asking = await begun(peer)
    cable.cut()
    with pytest.raises(ConnectionError, match="cut"):
        await asking
    with pytest.raises(ConnectionError, match="cut"):
        await peer.ask(b"?", bytes)


async def test_within_grace_the_question_is_put_again_over_the_new_connection() -> None:
    peer, cable = plugged(grace=5.0)
    news: list[str] = []
    peer.returned = lambda: news.append("up to date")
    asking = await begun(peer)
    cable.cut()
    await asyncio.sleep(0)
    assert not asking.done()
    second = Cable()
    peer.attach(cast(Wire, second))
    for _ in range(5):
        await asyncio.sleep(0)
    assert news == ["up to date"]
    assert second.sent == [b"?"]
    peer.received(b"!")
    assert await asking == b"!"


async def test_a_new_connection_replaces_one_that_seems_alive() -> None:
    peer, cable = plugged(grace=5.0)
    asking = await begun(peer)
    second = Cable()
    peer.attach(cast(Wire, second))
    for _ in range(5):
        await asyncio.sleep(0)
    assert not cable.is_open
    assert second.sent == [b"?"]
    peer.received(b"!")
    assert await asking == b"!"


async def test_who_was_never_here_is_asked_when_it_comes_within_grace() -> None:
    peer, cable = Peer("ann", grace=5.0), Cable()
    asking = await begun(peer)
    peer.attach(cast(Wire, cable))
    assert cable.sent == [b"?"]
    peer.received(b"!")
    assert await asking == b"!"


async def test_what_was_asked_of_somebody_who_is_away_and_given_up_on_is_never_put() -> None:
    peer, cable = plugged(grace=5.0)
    cable.cut()
    given_up = await begun(peer, b"old?")
    given_up.cancel()
    asking = await begun(peer, b"new?")
    second = Cable()
    peer.attach(cast(Wire, second))
    assert second.sent == [b"new?"]
    peer.received(b"!")
    assert await asking == b"!"


async def test_an_answer_that_is_not_understood_fails_the_question_alone() -> None:
    def read(value: bytes) -> bytes:
        raise RemoteWireError(f"what is {value!r}?")

    peer, cable = plugged()
    asking = peer.ask(b"?", read)
    peer.received(b"!")
    with pytest.raises(RemoteWireError, match=r"what is b'!'\?"):
        await asking
    assert cable.is_open


async def test_news_goes_out_with_the_question_that_follows_it_and_else_by_itself() -> None:
    peer, cable = plugged()
    peer.hold(b"news ")
    peer.hold(b"more ")
    peer.ask(b"?", bytes)
    assert cable.sent == [b"news more ?"]
    await asyncio.sleep(0)
    peer.hold(b"alone")
    assert len(cable.sent) == 1
    await asyncio.sleep(0)
    assert cable.sent[1:] == [b"alone"]
    peer.hold(b"the last ")
    peer.send(b"word")
    peer.hold(b"bye")
    peer.close()
    assert cable.sent[2:] == [b"the last word", b"bye"]
    peer.hold(b"for a connection that is gone")
    second = Cable()
    peer.attach(cast(Wire, second))
    await asyncio.sleep(0)
    assert second.sent == []


async def test_grace_runs_out() -> None:
    peer, cable = plugged(grace=0.01)
    cable.cut()
    with pytest.raises(ConnectionError, match="cut"):
        await peer.ask(b"?", bytes)


async def test_who_broke_the_protocol_gets_no_grace() -> None:
    peer, cable = plugged(grace=100.0)
    cable.is_open = False
    peer.lost(RemoteWireError("garbage"))
    with pytest.raises(RemoteWireError, match="garbage"):
        await peer.ask(b"?", bytes)


async def test_closing_ends_the_question_and_the_waiting() -> None:
    peer, _ = plugged(grace=100.0)
    asking = await begun(peer)
    peer.close()
    with pytest.raises(ConnectionError):
        await asking
    away, cable = plugged(grace=100.0)
    cable.cut()
    waiting = await begun(away)
    away.close()
    with pytest.raises(ConnectionError):
        await waiting


async def test_who_is_dismissed_is_heard_and_asked_no_more_but_not_hung_up_on() -> None:
    peer, cable = plugged(grace=100.0)
    asking = await begun(peer)
    peer.dismiss()
    with pytest.raises(ConnectionError, match="was dismissed"):
        await asking
    assert (cable.is_open, cable.paused, peer.is_closed) == (True, True, True)
    Peer("away").dismiss()  # where there is no connection nothing comes of it


async def test_who_is_there_for_the_first_time_is_not_back_and_who_went_is_told_once() -> None:
    peer, news = Peer("ann"), list[str]()
    peer.returned, peer.on_lost = lambda: news.append("back"), lambda: news.append("gone")
    assert (peer.present, peer.connection) == (False, None)
    with pytest.raises(ConnectionError, match="is not connected"):
        await peer.ask(b"?", bytes)
    first, second = Cable(), Cable()
    peer.attach(cast(Wire, first))
    peer.attach(cast(Wire, first))
    assert first.is_open, "the same connection is not closed for itself"
    assert news == ["back"]
    first.cut()
    assert (news, peer.present, peer.connection) == (["back", "gone"], False, None)
    peer.attach(cast(Wire, second))
    assert (news, peer.present) == (["back", "gone", "back"], True)
    assert peer.connection is cast(Wire, second)


async def test_questions_given_up_on_do_not_count_over_a_new_connection() -> None:
    peer, _ = plugged(grace=5.0)
    late = await begun(peer)
    late.cancel()
    await asyncio.wait((late,))
    peer.attach(cast(Wire, Cable()))
    asking = await begun(peer)
    peer.received(b"!")
    assert await asking == b"!"
