"""A stand tells each event once however many pages there are, and a page that is too slow gets a snapshot."""

from __future__ import annotations

import asyncio

from parlour.core.game import Game
from parlour.core.viewers import OMNISCIENT, SPECTATOR
from parlour.games import load_game
from parlour.referee.past import Past
from parlour.web.stands import QUEUE, PageQueue, Stand
from web_records import diplomacy_record, press_record


async def stood(game: Game, *, live: int = 0, pages: int = 0) -> tuple[Stand, list[PageQueue]]:
    """A stand that was told a record, the last events of it while pages watched."""
    told = list(Past(game, diplomacy_record()).told(OMNISCIENT))
    stand = Stand(game, OMNISCIENT, now=lambda: 1e12)
    for one in told[: len(told) - live]:
        stand.take(one)
    stand.start()
    await stand.ready()
    queues = [stand.join() for _ in range(pages)]
    for one in told[len(told) - live :]:
        stand.take(one)
    return stand, queues


def test_500_pages_cost_one_encoding_an_event_and_miss_nothing() -> None:
    async def check() -> None:
        stand, queues = await stood(load_game("diplomacy"), live=20, pages=500)
        got = [[await queue.get() for _ in range(20)] for queue in (queues[0], queues[-1])]
        assert stand.encoded == 20
        assert got[0] == got[1]
        assert all(first is second for first, second in zip(*got, strict=True))  # the very same bytes
        stand.close()

    asyncio.run(check())


def test_a_snapshot_names_old_turns_and_draws_the_last() -> None:
    async def check() -> None:
        stand, _ = await stood(load_game("diplomacy"))
        turns = [one for one in stand.past() if "old" in one.x or "turn" in one.x]
        assert len(turns) > 4
        assert all("old" in one.x for one in turns[:-1])
        assert {"turn", "frame", "before"} <= turns[-1].x.keys()
        drawn = await stand.turns(1, 100)
        assert 1 <= len(drawn) <= 8
        assert drawn[0]["turn"] == 1
        assert await stand.turns(1000, 2000) == []
        stand.close()

    asyncio.run(check())


def test_who_missed_little_gets_only_that_and_who_missed_more_a_snapshot() -> None:
    async def check() -> None:
        stand, _ = await stood(load_game("diplomacy"))
        missed = stand.since(stand.next - 1)
        assert missed is not None
        assert [one.k for one in missed] == [stand.next - 1]
        assert stand.since(stand.next) == []
        assert stand.since(0) is None
        assert stand.since(stand.next + 1) is None
        stand.close()

    asyncio.run(check())


def test_a_page_that_does_not_read_is_bounded() -> None:
    async def check() -> None:
        page = PageQueue()
        for number in range(QUEUE + 50):
            page.put(b"%d" % number)
        assert page.stale
        assert await page.get() is None
        page.freshen()
        page.put(b"again")
        assert await page.get() == b"again"

    asyncio.run(check())


def test_spectators_hear_later_where_the_match_says_so() -> None:
    async def check() -> None:
        told = list(Past(load_game("diplomacy"), press_record()).told(SPECTATOR))
        now = told[-1].event.at + 5.0
        stand = Stand(load_game("diplomacy"), SPECTATOR, delay=1e6, now=lambda: now)
        for one in told:
            stand.take(one)
        stand.start()
        await stand.ready()
        assert stand.past() == []
        stand.close()

    asyncio.run(check())
