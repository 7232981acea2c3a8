"""A stand tells each event once however many pages there are, and a page that is too slow gets a snapshot."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from parlour.core import events as ev
from parlour.core.game import Game, Seat
from parlour.core.pictures import Pictures
from parlour.core.viewers import OMNISCIENT, SPECTATOR, Viewer, seated_on
from parlour.games import load_game
from parlour.referee.history import Past
from parlour.web import view_streams
from parlour.web.event_stream import Teller, Telling, table_changes
from parlour.web.packets import WORTH, packet, unpacked
from parlour.web.page_socket import snapshot
from parlour.web.view_streams import QUEUE, PageQueue, PlayedTurn, ViewStream
from support.web.records import diplomacy_record, press_record


async def stood(game: Game, *, live: int = 0, pages: int = 0) -> tuple[ViewStream, list[PageQueue]]:
    """A stand that was told a record, the last events of it while pages watched."""
    told = list(Past(game, diplomacy_record()).told(OMNISCIENT))
    stand = ViewStream(game, OMNISCIENT)
    for one in told[: len(told) - live]:
        stand.take(one)
    stand.start()
    await stand.ready()
    queues = [stand.join() for _ in range(pages)]
    for one in told[len(told) - live :]:
        stand.take(one)
    return stand, queues


async def test_500_pages_cost_one_encoding_an_event_and_miss_nothing() -> None:
    stand, queues = await stood(load_game("diplomacy"), live=20, pages=500)
    got = [[await queue.get() for _ in range(20)] for queue in (queues[0], queues[-1])]
    assert stand.encoded == 20
    assert got[0] == got[1]
    assert all(first is second for first, second in zip(*got, strict=True))  # the very same packets
    stand.close()


async def test_a_snapshot_names_old_turns_and_draws_the_last() -> None:
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


async def test_who_missed_little_gets_only_that_and_who_missed_more_a_snapshot() -> None:
    stand, _ = await stood(load_game("diplomacy"))
    missed = stand.since(stand.next - 1)
    assert missed is not None
    assert [one.k for one in missed] == [stand.next - 1]
    assert stand.since(stand.next) == []
    assert stand.since(0) is None
    assert stand.since(stand.next + 1) is None
    stand.close()


async def test_a_page_that_does_not_read_is_bounded() -> None:
    page = PageQueue()
    for number in range(QUEUE + 50):
        page.put(packet(number))
    assert page.stale
    assert await page.get() is None
    page.freshen()
    page.put(packet("again"))
    assert unpacked(await page.get() or {}) == "again"


async def test_a_page_that_may_see_nothing_more_gets_nothing_more_however_often_it_is_freshened() -> None:
    page = PageQueue()
    page.expel()
    page.freshen()
    page.put(packet("secret"))
    assert await page.get() is None


async def test_old_turns_are_drawn_so_many_at_once_and_so_many_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(view_streams, "TURNS_AT_ONCE", 2)
    monkeypatch.setattr(view_streams, "DRAWN", 3)
    stand, _ = await stood(load_game("diplomacy"))
    drawn = [await stand.turns(first, last) for first, last in ((1, 10**12), (3, 4), (1, 2))]
    assert [[turn["turn"] for turn in turns] for turns in drawn] == [[1, 2], [3, 4], [1, 2]]
    assert drawn[0] == drawn[2], "what is not kept is drawn again"
    assert len(stand._drawn) == 3
    stand.close()


async def test_an_answer_can_name_what_is_told_after_it() -> None:
    told = list(Past(load_game("diplomacy"), diplomacy_record()).told(OMNISCIENT))
    stand = ViewStream(load_game("diplomacy"), OMNISCIENT)
    for one in told:
        stand.take(one)
    assert (stand.heard, stand.next) == (told[-1].k + 1, 0)


async def test_a_page_that_joins_while_a_turn_is_drawn_is_told_it_once() -> None:
    stand, (early,) = await stood(load_game("diplomacy"), live=3, pages=1)
    kept, began = stand.next, asyncio.Event()
    drawn = stand.teller.tell
    loop = asyncio.get_running_loop()

    def slow(*what: Any, **how: Any) -> Telling:
        line = drawn(*what, **how)
        loop.call_soon_threadsafe(began.set)
        return line

    stand.teller.tell = slow  # type: ignore[method-assign]
    await began.wait()
    late = stand.join()
    seen = [one.k for one in stand.past()]
    while len(seen) < len({*seen, *range(kept, kept + 3)}):
        seen.append(unpacked(await late.get() or {})["k"])
    assert seen == sorted(set(seen))
    assert [unpacked(await early.get() or {})["k"] for _ in range(3)] == [kept, kept + 1, kept + 2]
    stand.close()


async def test_a_page_that_keeps_up_is_written_to_at_once_and_in_order() -> None:
    page, written, writable = PageQueue(), list[object](), True

    def send_now(frame: bytes) -> bool:
        if writable:
            written.append(frame)
        return writable

    page.send_now = send_now
    page.put(packet(0))  # before anybody waits: it may still have to come after a snapshot
    assert not written
    assert unpacked(await page.get() or {}) == 0
    getting = asyncio.ensure_future(page.get())
    await asyncio.sleep(0)
    page.put(packet(1))
    assert written == [packet(1)["frame"]]
    writable = False
    page.put(packet(2))
    writable = True
    page.put(packet(3))  # must not overtake the one that waits
    assert written == [packet(1)["frame"]]
    assert unpacked(await getting or {}) == 2
    page.put(packet(4))  # nor the one that was got and is perhaps not written yet
    assert [unpacked(await page.get() or {}) for _ in range(2)] == [3, 4]
    assert written == [packet(1)["frame"]]


def test_frames_of_every_length_are_read_as_they_were_written() -> None:
    noise = random.Random(1)
    for size in (1, 125, 126, 1300, 2000, 70_000, 200_000):
        value = "".join(noise.choices("abcdefghijklmnopqrstuvwxyz", k=size))
        message = packet(value)
        frame = message["frame"]
        assert frame[0] == (0x81 if "text" in message else 0x82)
        start = {126: 4, 127: 10}.get(frame[1], 2)
        length = int.from_bytes(frame[2:start], "big") if start > 2 else frame[1]
        body = frame[start:]
        assert len(body) == length
        assert unpacked({"bytes": body} if "bytes" in message else {"text": body.decode()}) == value


def test_what_is_long_is_packed_and_what_is_short_is_not() -> None:
    short, long = packet({"k": 1}), packet({"k": "x" * WORTH})
    assert short["text"] == '{"k":1}'
    assert short["frame"] == b"\x81\x07" + b'{"k":1}'
    assert len(long["bytes"]) < 100
    assert long["frame"] == b"\x82" + bytes([len(long["bytes"])]) + long["bytes"]
    assert unpacked(short) == {"k": 1}
    assert unpacked(long) == {"k": "x" * WORTH}


@pytest.mark.parametrize("number", [-1, -90_000_000_000])
async def test_a_page_that_knows_less_than_nothing_gets_a_snapshot(number: int) -> None:
    stand, _ = await stood(load_game("diplomacy"))
    assert stand.since(number) is None, "and nobody counts up to there"
    stand.close()


def shown(table: dict[str, Any], told: dict[str, Any]) -> dict[str, Any]:
    """Return a page's table after what it is told of, as match_state.js takes it in."""
    seats = {row["seat"]: row for row in told.get("seats", table.get("seats", ()))}
    seats |= {row["seat"]: row for row in told.get("rows", ())}
    return {**table, **{name: value for name, value in told.items() if name != "rows"}, "seats": [*seats.values()]}


@pytest.mark.parametrize("viewer", [SPECTATOR, seated_on(Seat("FRANCE"))], ids=str)
def test_a_page_that_takes_in_changes_has_the_table_of_the_referee_after_every_event(viewer: Viewer) -> None:
    game = load_game("diplomacy")
    teller, table = Teller(game, viewer.seats), dict[str, Any]()
    for told in Past(game, press_record()).told(viewer):
        line = msgspec.json.decode(msgspec.json.encode(teller.tell(told.event, told.view, draw=False)))
        table = shown(table, line.get("t", {}))
        assert table == msgspec.json.decode(msgspec.json.encode(table_changes(None, told.view)))
    assert table["status"] == "over"


async def test_a_page_that_missed_a_little_is_told_every_change_or_the_whole_table() -> None:
    game = load_game("diplomacy")
    stand, _ = await stood(game)
    ends = [one.k for one in stand.past() if isinstance(one.e, ev.TurnEnded)]
    assert stand.since(ends[-1]) is not None
    assert stand.since(ends[-1] - 1) is None, "lines of turns that are over say nothing of the table any more"
    sent = unpacked(snapshot({}, stand.past(), stand.next))["head"]["past"]
    assert len(sent) == len(stand.past())
    assert not any("t" in one for one in sent)
    assert stand.table()["turn"] > 0
    stand.close()


async def test_a_turn_that_ends_costs_what_happened_in_it_however_long_the_past(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    aged, age = list[int](), ViewStream._aged

    def counted(stand: ViewStream, line: Telling) -> Telling:
        aged.append(line.k)
        return age(stand, line)

    monkeypatch.setattr(ViewStream, "_aged", counted)
    stand, _ = await stood(load_game("diplomacy"))
    assert aged
    assert len(aged) == len(set(aged))
    stand.close()


async def test_a_page_that_missed_much_gets_a_snapshot(monkeypatch: pytest.MonkeyPatch) -> None:
    stand, _ = await stood(load_game("diplomacy"))
    (last, *_) = [one.k for one in reversed(stand.past()) if isinstance(one.e, ev.TurnEnded)]
    assert stand.since(last) is not None
    monkeypatch.setattr(view_streams, "QUEUE", stand.next - last - 1)
    assert stand.since(last) is None
    assert stand.since(last + 1) is not None
    stand.close()


async def test_what_seats_had_after_each_turn_is_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    worked_out, scores = list[int](), view_streams._scores

    def counted(pictures: Pictures, turns: Sequence[PlayedTurn]) -> list[dict[str, float]]:
        worked_out.append(len(turns))
        return scores(pictures, turns)

    monkeypatch.setattr(view_streams, "_scores", counted)
    stand, _ = await stood(load_game("diplomacy"))
    turns = stand._turns
    stand._turns = dict(list(turns.items())[:3])
    first = [*await stand.history()]
    assert len(first) == 3
    stand._turns = turns
    found = await stand.history()
    assert found == [*first, *found[3:]]
    assert worked_out == [3, len(turns) - 3]
    assert len(found) == len(turns)
    stand.close()
