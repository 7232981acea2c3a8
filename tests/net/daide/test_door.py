"""The DAIDE door over real sockets: greetings and their errors, fair turns, and who has to go when it is full."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest

from parlour.errors import StoreError
from parlour.net.daide import caller as caller_module
from parlour.net.daide.door import DaideDoor
from parlour.net.daide.guest import DaideGuest
from parlour.net.hall import Hall
from parlour.store import SQLiteStore, Write
from support.daide.house import run, seven
from support.daide.wire import CODEC, INITIAL, DaideLine, frame, tokens
from support.waiting import inside


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (frame(0, bytes.fromhex("000110da")), "0003"),
        (bytes.fromhex("00000400010010da"), "0003"),  # with the length swapped, too
        (frame(0, bytes.fromhex("00011234")), "0004"),
        (frame(0, bytes.fromhex("0002da10")), "0005"),
        (frame(0, bytes.fromhex("0001")), "0009"),
        (frame(1), "0002"),
        (frame(2, CODEC.encode(tokens("OBS"))), "0002"),
        (frame(9), "0002"),
        (b"\0\0\0\x41", "0009"),
        (b"\0\0\xff\xff", "0009"),
        (INITIAL + frame(2, b"\x48\x0f\x58\0"), "000e"),
        (INITIAL + INITIAL, "0006"),
        (INITIAL + frame(1), "000d"),
        (INITIAL + frame(7), "0008"),
        (INITIAL + frame(2), "0009"),
        (INITIAL + frame(2, b"\x48\x0f\x48"), "0009"),
        (b"GET / HTTP/1.1\r\n", "0002"),  # a frame of 0x5420 bytes, if it were one
        (b"\2\0\xff\xff", "0002"),
        (INITIAL + b"\0\0\xff\xff", "0006"),
        (INITIAL + b"\1\0\xff\xff", "000d"),
        (INITIAL + b"\5\0\xff\xff", "0008"),
    ],
)
@inside(run)
async def test_a_greeting_that_breaks_the_protocol_gets_its_code_and_is_closed(
    door: DaideDoor, hall: Hall, *, sent: bytes, code: str
) -> None:
    line = await DaideLine.open(door.port, greet=False)
    line.writer.write(sent)
    if sent.startswith(INITIAL):
        assert await line.frame() == (1, b""), "RM comes before anything else"
    assert await line.frame() == (4, bytes.fromhex(code))
    assert await line.rest() == b""


@pytest.mark.parametrize("sent", [frame(3), frame(4, b"\0\1")])
@inside(run)
async def test_a_final_or_error_message_is_never_answered(door: DaideDoor, hall: Hall, *, sent: bytes) -> None:
    line = await DaideLine.open(door.port, greet=False)
    line.writer.write(sent)
    assert await line.rest() == b""


@pytest.mark.parametrize("sent", [INITIAL + b"\2\0\x40\2", INITIAL + b"\3\0\xff\xff"])
@inside(run)
async def test_a_frame_that_is_only_too_long_is_closed_without_a_code_since_there_is_none(
    door: DaideDoor, hall: Hall, *, sent: bytes
) -> None:
    line = await DaideLine.open(door.port, greet=False)
    line.writer.write(sent)
    heard = [await line.frame()]
    if heard[0][0] == 1:
        heard.append(await line.frame())
    assert heard[-1] == (3, b"")
    assert await line.rest() == b""


def test_who_never_greets_is_shown_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caller_module, "GREETING_TIME", 0.05)  # real time, since sockets are real

    async def scene(door: DaideDoor, hall: Hall) -> None:
        line = await DaideLine.open(door.port, greet=False)
        assert await line.frame() == (4, b"\0\1")
        assert await line.rest() == b""

    run(tmp_path, scene)


@inside(run)
async def test_a_frame_that_is_too_long_ends_that_connection_alone(door: DaideDoor, hall: Hall) -> None:
    good, bad = await DaideLine.open(door.port), await DaideLine.open(door.port)
    bad.writer.write(b"\2\0\xff\xff")
    assert await bad.rest() == b"\3\0\0\0"
    assert await good.ask("OBS") == "YES ( OBS )"


@inside(run)
async def test_garbage_in_the_pad_byte_merged_and_split_segments(door: DaideDoor, hall: Hall) -> None:
    line = await DaideLine.open(door.port, greet=False)
    name = frame(2, CODEC.encode(tokens("NME ( 'Bot' ) ( '1' )")), pad=0xA0)
    for byte in frame(0, bytes.fromhex("0001da10"), pad=0x25) + name:
        line.writer.write(bytes((byte,)))
        await line.writer.drain()
    assert await line.frame() == (1, b"")
    assert await line.hear() == "YES ( NME ( 'Bot' ) ( '1' ) )"
    assert await line.hear() == "MAP ( 'standard' )"


@inside(run)
async def test_tokens_of_no_language_are_answered_at_their_place(door: DaideDoor, hall: Hall) -> None:
    line = await DaideLine.open(door.port)
    await line.sit("bot")
    for said, answer in [
        ("?4c01 ( NOW )", "HUH ( ERR ?4c01 ( NOW ) )"),
        ("SUB ( ( ENG ?50ff LON ) HLD )", "REJ ( SUB ( ( ENG ?50ff LON ) HLD ) )"),
        ("SND ( ENG ) ( PRP ( ?4aff ) )", "HUH ( ERR SND ( ENG ) ( PRP ( ?4aff ) ) )"),
        ("NOT ( ?4877 )", "HUH ( NOT ( ERR ?4877 ) )"),
        ("NME ( 'a' ) ( 'b' ) ?7fff", "HUH ( NME ( 'a' ) ( 'b' ) ERR ?7fff )"),
    ]:
        assert await line.ask(said) == answer


def test_who_asks_much_waits_for_who_asks_little(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[DaideGuest] = []
    hear = DaideGuest.hear

    async def noted(guest: DaideGuest, body: bytes) -> None:
        heard.append(guest)
        await hear(guest, body)

    async def scene(door: DaideDoor, hall: Hall) -> None:
        much, little = await DaideLine.open(door.port), await DaideLine.open(door.port)
        await much.sit("much")
        await much.ask("TME")
        heard.clear()
        for _ in range(30):
            much.say("TME")
        little.say("TME")
        await little.hear()
        assert len(set(heard)) == 2
        assert len(heard) < 20
        for _ in range(30):
            await much.hear()

    monkeypatch.setattr(DaideGuest, "hear", noted)
    run(tmp_path, scene)


@pytest.mark.parametrize("fails", [False, True])
def test_no_order_is_acknowledged_before_it_is_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, fails: bool
) -> None:
    stuck: list[asyncio.Event] = []
    keep = SQLiteStore.keep

    async def kept(store: SQLiteStore, *writes: Write) -> None:
        for free in stuck:
            await free.wait()
            if fails:
                raise StoreError("the disk is gone")
        await keep(store, *writes)

    async def scene(door: DaideDoor, hall: Hall) -> None:
        lines = await seven(door)
        stuck.append(asyncio.Event())
        lines["ENG"].say("SUB ( ( ENG FLT LON ) HLD )")
        hearing = asyncio.create_task(everything(lines["ENG"]) if fails else lines["ENG"].hear())
        for _ in range(3):
            await lines["FRA"].ask("MAP")
        assert not hearing.done()
        stuck[0].set()
        heard = await hearing
        stuck.clear()
        assert ("THX" in heard) is not fails

    monkeypatch.setattr(SQLiteStore, "keep", kept)
    run(tmp_path, scene)


@inside(run)
async def test_who_cannot_be_answered_is_cut_off(
    door: DaideDoor, hall: Hall, *, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object) -> None:
        raise StoreError("the disk is gone")

    good, bad = await DaideLine.open(door.port), await DaideLine.open(door.port)
    await good.sit("good")
    await good.ask("MAP")
    monkeypatch.setattr(door.reception, "place", broken)
    bad.say("NME ( 'bad' ) ( '1' )")
    assert await everything(bad) == ""
    assert await good.ask("MAP") == "MAP ( 'standard' )"


async def everything(line: DaideLine) -> str:
    """All that is heard until the connection ends."""
    heard = []
    while True:
        try:
            heard.append(await line.hear())
        except (asyncio.IncompleteReadError, ConnectionError):
            return " ".join(heard)


@inside(run)
async def test_a_client_that_never_reads_is_cut_off_and_nobody_else_waits(door: DaideDoor, hall: Hall) -> None:
    good = await DaideLine.open(door.port)
    await good.sit("good")
    deaf = socket.create_connection(("127.0.0.1", door.port))
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    deaf.setblocking(False)
    loop = asyncio.get_running_loop()
    try:
        await loop.sock_sendall(deaf, INITIAL + frame(2, CODEC.encode(tokens("NME ( 'deaf' ) ( '1' )"))))
        question = frame(2, CODEC.encode(["MDF"])) * 100

        async def ask_on() -> None:
            while True:
                await loop.sock_sendall(deaf, question)
                assert (await good.ask("MAP")).startswith("MAP")

        with pytest.raises(ConnectionError):
            await ask_on()
    finally:
        deaf.close()
    assert (await good.ask("NOW")).startswith("NOW")


@pytest.mark.parametrize("named", [False, True])
@inside(run, most=4)
async def test_a_crowd_that_takes_no_seat_keeps_nobody_out(door: DaideDoor, hall: Hall, *, named: bool) -> None:
    """Neither those who say nothing, nor those who only greet, nor those who say their name and no more."""
    first = await DaideLine.open(door.port)
    await first.sit("first")
    crowd = [await DaideLine.open(door.port, greet=greet or named) for greet in (False, True, False)]
    if named:
        assert (await crowd[0].ask("NME ( 'a' ) ( 'b' )")).startswith("YES")
        await crowd[0].hear()
    second = await DaideLine.open(door.port)
    await second.sit("second")
    with pytest.raises((EOFError, ConnectionError)):
        await crowd[0].frame()
    first.say("NOW")
    assert "NOW" in await first.hear()
    assert len(door.limiter) <= 4


def test_players_come_before_observers_and_those_whose_match_is_over(tmp_path: Path) -> None:
    async def observer(door: DaideDoor) -> DaideLine:
        line = await DaideLine.open(door.port)
        assert await line.ask("OBS") == "YES ( OBS )"
        await line.hear()
        line.say("YES ( MAP ( 'standard' ) )")
        line.say("MAP")
        await line.until("MAP")  # so that it observes by now
        return line

    async def scene(door: DaideDoor, hall: Hall) -> None:
        watcher = await observer(door)
        lines = await seven(door)
        later = await observer(door)
        (await DaideLine.open(door.port)).say("OBS")  # the ninth takes the place of the one who observed first
        with pytest.raises((EOFError, ConnectionError)):
            await watcher.until("OFF")
        for line in lines.values():
            line.say("DRW")
        for line in (*lines.values(), later):
            await line.until("OFF")
        newcomers = [await DaideLine.open(door.port) for _ in range(9)]  # in the places of all who were here
        for number, line in enumerate(newcomers):
            await line.sit(f"new{number}")
            assert await line.ask("MIS") == "REJ ( MIS )" or number >= 6, "its match has not begun"
        assert len(door.limiter) <= 9

    run(tmp_path, scene, most=9)


@inside(run, most=7)
async def test_where_everybody_plays_a_newcomer_has_to_go(door: DaideDoor, hall: Hall) -> None:
    lines = await seven(door)
    late = await DaideLine.open(door.port, greet=False)
    late.writer.write(INITIAL)
    for line in (*lines.values(), *lines.values()):
        assert await line.ask("MAP") == "MAP ( 'standard' )"
