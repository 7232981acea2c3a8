"""The DAIDE door over real sockets: greetings and their errors, sign-up, conversations, press, returns."""

from __future__ import annotations

import asyncio
import socket
import sys
from pathlib import Path

import pytest

from daide_house import run, seven
from daide_table import HOLDS, POWERS
from daide_wire import CODEC, INITIAL, DaideLine, frame, tokens
from parlour.core.events import Acted, Event, Fouled
from parlour.errors import StoreError
from parlour.games.diplomacy.position import Position
from parlour.net.daide import caller as caller_module
from parlour.net.daide.door import DaideDoor
from parlour.net.daide.guest import DaideGuest
from parlour.net.daide.options import DaideOptions
from parlour.net.hall import Hall
from parlour.referee.match import replay
from parlour.store import SQLiteStore, Write

# Greetings


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (frame(0, bytes.fromhex("000110da")), "0003"),
        (bytes.fromhex("00000400010010da"), "0003"),  # with the length swapped, too
        (frame(0, bytes.fromhex("00011234")), "0004"),
        (frame(0, bytes.fromhex("0002da10")), "0005"),
        (frame(0, bytes.fromhex("0001")), "0009"),
        (frame(1), "0002"),
        (frame(2, CODEC.encode(tokens("OBS"))), "000a"),
        (frame(9), "0008"),
        (INITIAL + INITIAL, "0006"),
        (INITIAL + frame(1), "000d"),
        (INITIAL + frame(7), "0008"),
        (INITIAL + frame(2), "0009"),
        (INITIAL + frame(2, b"\x48\x0f\x48"), "0009"),
        (b"GET / HTTP/1.1\r\n", "0008"),  # a frame of 0x5420 bytes, if it were one
        (b"\2\0\xff\xff", "000a"),
        (INITIAL + b"\0\0\xff\xff", "0006"),
        (INITIAL + b"\1\0\xff\xff", "000d"),
        (INITIAL + b"\5\0\xff\xff", "0008"),
    ],
)
def test_a_greeting_that_breaks_the_protocol_gets_its_code_and_is_closed(
    tmp_path: Path, sent: bytes, code: str
) -> None:
    async def scene(door: DaideDoor, hall: Hall) -> None:
        line = await DaideLine.open(door.port, greet=False)
        line.writer.write(sent)
        heard = [await line.frame()]
        if heard[0][0] == 1:
            heard.append(await line.frame())
        assert heard[-1] == (4, bytes.fromhex(code))
        assert await line.reader.read() == b""

    run(tmp_path, scene)


@pytest.mark.parametrize("sent", [b"\0\0\xff\xff", b"\0\0\0\x41", INITIAL + b"\2\0\x40\2", INITIAL + b"\3\0\xff\xff"])
def test_a_frame_that_is_only_too_long_is_closed_without_a_code_since_there_is_none(
    tmp_path: Path, sent: bytes
) -> None:
    async def scene(door: DaideDoor, hall: Hall) -> None:
        line = await DaideLine.open(door.port, greet=False)
        line.writer.write(sent)
        heard = [await line.frame()]
        if heard[0][0] == 1:
            heard.append(await line.frame())
        assert heard[-1] == (3, b"")
        assert await line.reader.read() == b""

    run(tmp_path, scene)


def test_who_never_greets_is_shown_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caller_module, "GREETING_TIME", 0.05)  # real time, since sockets are real

    async def scene(door: DaideDoor, hall: Hall) -> None:
        line = await DaideLine.open(door.port, greet=False)
        assert await line.frame() == (4, b"\0\1")
        assert await line.reader.read() == b""

    run(tmp_path, scene)


def test_a_frame_that_is_too_long_ends_that_connection_alone(tmp_path: Path) -> None:
    async def scene(door: DaideDoor, hall: Hall) -> None:
        good, bad = await DaideLine.open(door.port), await DaideLine.open(door.port)
        bad.writer.write(b"\2\0\xff\xff")
        assert await bad.reader.read() == b"\3\0\0\0"
        assert await good.ask("OBS") == "YES ( OBS )"

    run(tmp_path, scene)


def test_garbage_in_the_pad_byte_merged_and_split_segments(tmp_path: Path) -> None:
    async def scene(door: DaideDoor, hall: Hall) -> None:
        line = await DaideLine.open(door.port, greet=False)
        name = frame(2, CODEC.encode(tokens("NME ( 'Bot' ) ( '1' )")), pad=0xA0)
        for byte in frame(0, bytes.fromhex("0001da10"), pad=0x25) + name:
            line.writer.write(bytes((byte,)))
            await line.writer.drain()
        assert await line.frame() == (1, b"")
        assert await line.hear() == "YES ( NME ( 'Bot' ) ( '1' ) )"
        assert await line.hear() == "MAP ( 'standard' )"

    run(tmp_path, scene)


def test_tokens_of_no_language_are_answered_at_their_place(tmp_path: Path) -> None:
    async def scene(door: DaideDoor, hall: Hall) -> None:
        line = await DaideLine.open(door.port)
        await line.sit("bot")
        for said, answer in [
            ("?4c01 ( NOW )", "HUH ( ERR ?4c01 ( NOW ) )"),
            ("SUB ( ( ENG ?5fff LON ) HLD )", "REJ ( SUB ( ( ENG ?5fff LON ) HLD ) )"),
            ("SND ( ENG ) ( PRP ( ?4aff ) )", "REJ ( SND ( ENG ) ( PRP ( ?4aff ) ) )"),
            ("NOT ( ?4877 )", "HUH ( NOT ( ERR ?4877 ) )"),
            ("NME ( 'a' ) ( 'b' ) ?7fff", "HUH ( NME ( 'a' ) ( 'b' ) ERR ?7fff )"),
        ]:
            assert await line.ask(said) == answer

    run(tmp_path, scene)


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


def test_who_cannot_be_answered_is_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: object) -> None:
        raise StoreError("the disk is gone")

    async def scene(door: DaideDoor, hall: Hall) -> None:
        good, bad = await DaideLine.open(door.port), await DaideLine.open(door.port)
        await good.sit("good")
        await good.ask("MAP")
        monkeypatch.setattr(door.reception, "place", broken)
        bad.say("NME ( 'bad' ) ( '1' )")
        assert await everything(bad) == ""
        assert await good.ask("MAP") == "MAP ( 'standard' )"

    run(tmp_path, scene)


async def everything(line: DaideLine) -> str:
    """All that is heard until the connection ends."""
    heard = []
    while True:
        try:
            heard.append(await line.hear())
        except (asyncio.IncompleteReadError, ConnectionError):
            return " ".join(heard)


def test_a_client_that_never_reads_is_cut_off_and_nobody_else_waits(tmp_path: Path) -> None:
    async def scene(door: DaideDoor, hall: Hall) -> None:
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

    run(tmp_path, scene)


# Conversations


def test_a_turn_from_the_first_name_to_the_next_position(tmp_path: Path) -> None:
    async def scene(door: DaideDoor, hall: Hall) -> None:
        lines = await seven(door)
        england = lines["ENG"]
        assert await england.ask("SUB ( ( ENG FLT LON ) MTO NTH )") == "THX ( ( ENG FLT LON ) MTO NTH ) ( MBV )"
        assert await england.hear() == "MIS ( ENG FLT EDI ) ( ENG AMY LVP )"
        assert await england.ask("MIS") == "MIS ( ENG FLT EDI ) ( ENG AMY LVP )"
        england.say("SUB ( SPR 1901 ) ( ( ENG FLT EDI ) MTO LON ) ( ( FRA AMY PAR ) HLD ) ( ( ENG AMY LVP ) HLD )")
        assert [await england.hear() for _ in range(4)] == [
            "THX ( ( ENG FLT EDI ) MTO LON ) ( FAR )",
            "THX ( ( FRA AMY PAR ) HLD ) ( NYU )",
            "THX ( ( ENG AMY LVP ) HLD ) ( MBV )",
            "MIS ( ENG FLT EDI )",
        ]
        assert await england.ask("SUB ( FAL 1901 ) ( ( ENG FLT EDI ) HLD )") == (
            "REJ ( SUB ( FAL 1901 ) ( ( ENG FLT EDI ) HLD ) )"
        )
        for power, line in lines.items():
            if power != "ENG":
                line.say(f"SUB {HOLDS[power]}")
                await line.until("THX")
        assert await england.ask("SUB ( ( ENG FLT EDI ) MTO NWG )") == "THX ( ( ENG FLT EDI ) MTO NWG ) ( MBV )"
        for line in lines.values():
            heard = [said for said in await line.until("NOW") if not said.startswith(("THX", "MIS"))]
            orders = [said for said in heard if said.startswith("ORD")]
            assert len(orders) == 22
            assert "ORD ( SPR 1901 ) ( ( ENG FLT EDI ) MTO NWG ) ( SUC )" in orders
            assert heard[-1].startswith("NOW ( FAL 1901 )")
            assert "( ENG FLT NTH )" in heard[-1]
            assert len(heard) == 23  # no SCO after spring

    run(tmp_path, scene)


def test_questions_are_answered_and_what_is_not_to_be_had_is_rejected(tmp_path: Path) -> None:
    async def scene(door: DaideDoor, hall: Hall) -> None:
        line = await DaideLine.open(door.port)
        for question in (
            "HLO",
            "SCO",
            "NOW",
            "ORD",
            "MIS",
            "TME",
            "MAP",
            "IAM ( ENG ) ( 17 )",
            "GOF",
            "DRW",
            "NOT ( SUB )",
        ):
            assert await line.ask(question) == f"REJ ( {question} )"
        await line.close()
        lines = await seven(door)
        line = lines["FRA"]
        assert await line.ask("MAP") == "MAP ( 'standard' )"
        assert (await line.ask("MDF")).startswith("MDF ( AUS ENG FRA GER ITA RUS TUR ) ( ( ( AUS")
        assert (await line.ask("HLO")).startswith("HLO ( FRA ) ( ")
        assert (await line.ask("NOW")).startswith("NOW ( SPR 1901 )")
        assert (await line.ask("SCO")).startswith("SCO ( AUS BUD TRI VIE )")
        for question in ("ORD", "TME", "TME ( 58 )", "HST ( SPR 1901 )", "ADM ( 'a' ) ( 'b' )", "NME ( 'a' ) ( 'b' )"):
            assert await line.ask(question) == f"REJ ( {question} )"
        assert await line.ask("NOT ( DRW )") == "YES ( NOT ( DRW ) )"
        assert await line.ask("DRW ( FRA ENG )") == "REJ ( DRW ( FRA ENG ) )"
        assert await line.ask("THX") == "HUH ( ERR THX )"
        assert await line.ask("SUB ( ( FRA AMY PAR ) MTO )") == "HUH ( SUB ( ( FRA AMY PAR ) MTO ERR ) )"
        assert await line.ask("SUB ( ( FRA AMY PAR ) HLD") == "PRN ( SUB ( ( FRA AMY PAR ) HLD )"
        line.say("HUH ( ERR NOW )")  # never answered
        assert await line.ask("NOT ( GOF )") == "YES ( NOT ( GOF ) )"

    run(tmp_path, scene)


def test_a_draw_ends_the_match_when_the_last_vote_is_in(tmp_path: Path) -> None:
    async def scene(door: DaideDoor, hall: Hall) -> None:
        lines = await seven(door)
        for line in lines.values():
            assert await line.ask("DRW") == "YES ( DRW )"
        for line in lines.values():
            draw, summary, off = await line.hear(), await line.hear(), await line.hear()
            assert draw == "DRW"
            assert summary.startswith("SMR ( SPR 1901 ) ( AUS ( 'bot")
            assert off == "OFF"
            assert await line.ask(f"SUB {HOLDS['ENG']}") == f"REJ ( SUB {HOLDS['ENG']} )"

    run(tmp_path, scene)


def test_orders_can_be_taken_back_and_time_wanted(tmp_path: Path) -> None:
    async def scene(door: DaideDoor, hall: Hall) -> None:
        lines = await seven(door)
        england = lines["ENG"]
        assert await england.ask("NOT ( GOF )") == "YES ( NOT ( GOF ) )"
        for power, line in lines.items():
            line.say(f"SUB {HOLDS[power]}")
            await line.until("THX")
        await england.until("THX")
        await england.until("THX")
        assert await england.ask("NOT ( SUB ( ( ENG FLT LON ) HLD ) )") == "YES ( NOT ( SUB ( ( ENG FLT LON ) HLD ) ) )"
        assert await england.ask("NOT ( SUB ( ( ENG FLT LON ) HLD ) )") == "REJ ( NOT ( SUB ( ( ENG FLT LON ) HLD ) ) )"
        assert await england.ask("GOF") == "YES ( GOF )"
        assert await england.hear() == "MIS ( ENG FLT LON )"
        assert await england.ask("SUB ( ( ENG FLT LON ) HLD )") == "THX ( ( ENG FLT LON ) HLD ) ( MBV )"
        assert (await england.until("NOW"))[-1].startswith("NOW ( FAL 1901 )")

    run(tmp_path, scene)


def test_orders_do_not_overtake_what_was_said_before_them(tmp_path: Path) -> None:
    async def scene(door: DaideDoor, hall: Hall) -> None:
        england = (await seven(door))["ENG"]
        order = "( ( ENG FLT LON ) HLD )"
        said = [f"SUB {order}", "NOT ( SUB )", f"SUB {order}", "MIS"]
        england.writer.write(b"".join(frame(2, CODEC.encode(tokens(text))) for text in said))
        thanks = f"THX {order} ( MBV )"
        missing = "MIS ( ENG FLT EDI ) ( ENG AMY LVP )"
        heard = await england.until("YES")
        assert heard == [thanks, missing, "YES ( NOT ( SUB ) )"]
        assert [await england.hear() for _ in range(3)] == [thanks, missing, missing]

    run(tmp_path, scene)


# Press


def test_press_reaches_all_whom_it_names_and_the_server_says_what_became_of_it(tmp_path: Path) -> None:
    async def scene(door: DaideDoor, hall: Hall) -> None:
        lines = await seven(door)
        england, france, germany = lines["ENG"], lines["FRA"], lines["GER"]
        peace = "PRP ( PCE ( ENG FRA GER ) )"
        assert await england.ask(f"SND ( FRA GER ) ( {peace} )") == f"YES ( SND ( FRA GER ) ( {peace} ) )"
        assert await france.hear() == await germany.hear() == f"FRM ( ENG ) ( FRA GER ) ( {peace} )"
        assert await france.ask(f"SND ( SPR 1901 ) ( ENG GER ) ( YES ( {peace} ) )") == (
            f"YES ( SND ( SPR 1901 ) ( ENG GER ) ( YES ( {peace} ) ) )"
        )
        assert await england.hear() == f"FRM ( FRA ) ( ENG GER ) ( YES ( {peace} ) )"
        assert await england.ask("SND ( ENG ) ( PRP ( PCE ( ENG FRA ) ) )") == (
            "REJ ( SND ( ENG ) ( PRP ( PCE ( ENG FRA ) ) ) )"
        )
        assert await england.ask("SND ( FRA ) ( PRP ( SCD ( ENG LON ) ) )") == (
            "HUH ( SND ( FRA ) ( PRP ( ERR SCD ( ENG LON ) ) ) )"
        )
        assert await england.ask("SND ( FRA ) ( TRY ( PCE SCD XDO ) )") == "YES ( SND ( FRA ) ( TRY ( PCE SCD XDO ) ) )"
        assert await france.hear() == "FRM ( ENG ) ( FRA ) ( TRY ( PCE XDO ) )"
        huh = "SND ( ENG ) ( HUH ( ERR FRM ( ENG ) ( FRA ) ( PRP ( PCE ( ENG FRA ) ) ) ) )"
        assert await france.ask(huh) == f"YES ( {huh} )"
        assert (await england.hear()).startswith("FRM ( FRA ) ( ENG ) ( HUH ( ERR FRM")
        assert (
            await england.ask("SND ( FAL 1901 ) ( FRA ) ( TRY ( ) )") == "REJ ( SND ( FAL 1901 ) ( FRA ) ( TRY ( ) ) )"
        )

    run(tmp_path, scene, DaideOptions(level=30))


# Places


def test_a_name_can_ask_for_a_match_and_a_power(tmp_path: Path) -> None:
    async def scene(door: DaideDoor, hall: Hall) -> None:
        one, two, three, four = [await DaideLine.open(door.port) for _ in range(4)]
        await one.sit("FRA:one@evening")
        assert await one.ask("TME") == "REJ ( TME )"  # so that the seat is taken by now
        assert (await two.ask("NME ( 'FRA:two@evening' ) ( '1' )")).startswith("REJ ( NME")
        assert (await three.ask("NME ( 'XYZ:two@evening' ) ( '1' )")).startswith("REJ ( NME")
        await four.sit("four@evening")
        assert await four.ask("TME") == "REJ ( TME )"
        view = await hall.head("evening")
        assert view.players == {"FRANCE": "FRA:one@evening", "AUSTRIA": "four@evening"}

    run(tmp_path, scene)


def test_where_clients_may_open_no_match_they_are_rejected(tmp_path: Path) -> None:
    async def scene(door: DaideDoor, hall: Hall) -> None:
        line = await DaideLine.open(door.port)
        assert (await line.ask("NME ( 'a' ) ( 'b' )")).startswith("REJ ( NME")
        assert (await line.ask("NME ( 'a@there' ) ( 'b' )")).startswith("REJ ( NME")

    run(tmp_path, scene, opens=False)


def test_who_does_not_like_the_map_leaves(tmp_path: Path) -> None:
    async def scene(door: DaideDoor, hall: Hall) -> None:
        line = await DaideLine.open(door.port)
        assert (await line.ask("NME ( 'a' ) ( 'b' )")).startswith("YES")
        await line.hear()
        assert await line.ask("REJ ( MAP ( 'standard' ) )") == "OFF"
        assert await line.frame() == (3, b"")
        assert await line.reader.read() == b""

    run(tmp_path, scene)


def test_an_observer_hears_what_everybody_hears(tmp_path: Path) -> None:
    async def scene(door: DaideDoor, hall: Hall) -> None:
        lines = await seven(door)
        watcher = await DaideLine.open(door.port)
        assert await watcher.ask("OBS") == "YES ( OBS )"
        assert await watcher.hear() == "MAP ( 'standard' )"
        watcher.say("YES ( MAP ( 'standard' ) )")
        assert await watcher.hear() == "HLO ( UNO ) ( 0 ) ( ( LVL 0 ) )"
        await watcher.until("NOW")
        for power, line in lines.items():
            line.say(f"SUB {HOLDS[power]}")
            await line.until("THX")
        assert (await watcher.until("NOW"))[-1].startswith("NOW ( FAL 1901 )")
        assert await watcher.ask(f"SUB {HOLDS['ENG']}") == f"REJ ( SUB {HOLDS['ENG']} )"

    run(tmp_path, scene)


# Losing and finding each other again


def test_who_is_cut_off_is_in_disorder_until_it_is_back_with_its_passcode(tmp_path: Path) -> None:
    async def scene(door: DaideDoor, hall: Hall) -> None:
        lines = await seven(door)
        code = (await lines["TUR"].ask("HLO")).split()[5]
        await lines.pop("TUR").close()
        for line in lines.values():
            assert await line.hear() == "CCD ( TUR )"
        back = await DaideLine.open(door.port)
        assert (await back.ask("NME ( 'TUR:bot@x' ) ( '1' )")).startswith(("REJ", "YES"))
        stranger = await DaideLine.open(door.port)
        assert (
            await stranger.ask(f"IAM ( TUR ) ( {int(code) % 8191 + 1} )")
            == f"REJ ( IAM ( TUR ) ( {int(code) % 8191 + 1} ) )"
        )
        assert await stranger.ask(f"IAM ( TUR ) ( {code} )") == f"YES ( IAM ( TUR ) ( {code} ) )"
        for line in lines.values():
            assert await line.hear() == "NOT ( CCD ( TUR ) )"
        assert (await stranger.ask("HLO")).startswith(f"HLO ( TUR ) ( {code} )")
        assert (await stranger.ask("NOW")).startswith("NOW ( SPR 1901 )")
        assert await stranger.ask("SUB ( ( TUR FLT ANK ) HLD )") == "THX ( ( TUR FLT ANK ) HLD ) ( MBV )"

    run(tmp_path, scene)


def test_a_server_that_is_back_knows_its_clients_and_their_orders(tmp_path: Path) -> None:
    codes: dict[str, str] = {}

    async def before(door: DaideDoor, hall: Hall) -> None:
        lines = await seven(door)
        for power, line in lines.items():
            codes[power] = (await line.ask("HLO")).split()[5]
        for power, line in lines.items():
            line.say(f"SUB {HOLDS[power]}")
            await line.until("THX")
        for line in lines.values():
            await line.until("NOW")

    async def after(door: DaideDoor, hall: Hall) -> None:
        for power, code in codes.items():
            line = await DaideLine.open(door.port)
            assert (await line.ask(f"IAM ( {power} ) ( {code} )")).startswith("YES")
            assert (await line.ask("NOW")).startswith("NOW ( FAL 1901 )")
            line.say("ORD")
            assert len([await line.hear() for _ in range(22)]) == 22
            line.say("HST ( SPR 1901 )")
            *orders, supply, now = await line.until("NOW")
            assert len(orders) == 22
            assert supply.startswith("SCO ( AUS")
            assert now.startswith("NOW ( FAL 1901 )"), "where everything stood after that turn"

    run(tmp_path, before)
    run(tmp_path, after)


def test_who_does_not_come_back_to_a_server_that_is_back_has_left(tmp_path: Path) -> None:
    codes: dict[str, str] = {}

    async def before(door: DaideDoor, hall: Hall) -> None:
        for power, line in (await seven(door)).items():
            codes[power] = (await line.ask("HLO")).split()[5]
        await door.close()  # before they hang up

    async def after(door: DaideDoor, hall: Hall) -> None:
        line = await DaideLine.open(door.port)
        assert (await line.ask(f"IAM ( ENG ) ( {codes['ENG']} )")).startswith("YES")
        door._spawn_roll_call()  # as it does after a minute
        gone = {(await line.until("CCD"))[-1] for _ in codes.keys() - {"ENG"}}
        assert gone == {f"CCD ( {power} )" for power in codes if power != "ENG"}
        stranger = await DaideLine.open(door.port)
        assert (await stranger.ask(f"IAM ( TUR ) ( {codes['TUR']} )")).startswith("YES"), "it may come later, too"

    run(tmp_path, before)
    run(tmp_path, after)


# Bots that know nothing of this package


EXAMPLES = Path(__file__).parents[3] / "examples"


def whole_game(path: Path, last_year: int, *names: str) -> list[Event]:
    """The record of a game of seven of our examples, each in a process of its own."""
    record: list[Event] = []

    async def scene(door: DaideDoor, hall: Hall) -> None:
        where = ("127.0.0.1", str(door.port))
        bots = [
            await asyncio.create_subprocess_exec(
                sys.executable, str(EXAMPLES / f"daide_{name}.py"), *where, f"{power}:{name}"
            )
            for power, name in zip(POWERS, names, strict=True)
        ]
        assert [await bot.wait() for bot in bots] == [0] * 7
        (head,) = (await hall.page()).heads
        assert head.status == "over"
        record.extend(await hall.record(head.id))

    run(path, scene, config={"last_year": last_year})
    return record


def test_seven_holdbots_of_the_examples_play_a_whole_game(tmp_path: Path) -> None:
    whole_game(tmp_path, 1902, *["holdbot"] * 7)


def test_dumbbots_of_the_examples_play_a_whole_game_and_make_no_mistake(tmp_path: Path) -> None:
    record = whole_game(tmp_path, 1904, *["dumbbot"] * 7)
    assert not any(isinstance(event, Fouled) for event in record)
    given = [event.action for event in record if isinstance(event, Acted) and event.given]
    orders = [order for action in given if isinstance(action, list) for order in action]
    for kind in (" - ", " S ", " B"):
        assert any(kind in str(order) for order in orders)


def test_a_dumbbot_of_the_examples_grows_among_holdbots(tmp_path: Path) -> None:
    state = replay(whole_game(tmp_path, 1905, "dumbbot", *["holdbot"] * 6))
    assert isinstance(state.position, Position)
    assert len(state.position.centers["AUSTRIA"]) > 6


@pytest.mark.parametrize("named", [False, True])
def test_a_crowd_that_takes_no_seat_keeps_nobody_out(tmp_path: Path, named: bool) -> None:
    """Neither those who say nothing, nor those who only greet, nor those who say their name and no more."""

    async def scene(door: DaideDoor, hall: Hall) -> None:
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
        assert len(door._callers) <= 4

    run(tmp_path, scene, most=4)


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
        assert len(door._callers) <= 9

    run(tmp_path, scene, most=9)


def test_where_everybody_plays_a_newcomer_has_to_go(tmp_path: Path) -> None:
    async def scene(door: DaideDoor, hall: Hall) -> None:
        lines = await seven(door)
        late = await DaideLine.open(door.port, greet=False)
        late.writer.write(INITIAL)
        for line in (*lines.values(), *lines.values()):
            assert await line.ask("MAP") == "MAP ( 'standard' )"

    run(tmp_path, scene, most=7)
