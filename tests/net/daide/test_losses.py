"""DAIDE clients and a server that lose and find one another, over real sockets."""

# Why real time passes here: the system probes connections by its own clock; waits end as soon as an answer is there.

from __future__ import annotations

import asyncio
import ctypes
import socket
import struct
import sys
from pathlib import Path

import pytest

from parlour.net.daide import caller as caller_module
from parlour.net.daide.door import DaideDoor
from parlour.net.hall import Hall
from support.daide.house import run, seven
from support.daide.table import HOLDS
from support.daide.wire import DaideLine
from support.waiting import inside

SO_ATTACH_FILTER = 26
"""Of Linux; Python's socket module has no name for it."""


@inside(run)
async def test_who_is_cut_off_is_in_disorder_until_it_is_back_with_its_passcode(door: DaideDoor, hall: Hall) -> None:
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


def drop_everything(line: DaideLine) -> None:
    """Let a client's system drop whatever arrives, as if its cable were cut: no word of it reaches the server."""
    drop_all = struct.pack("HBBI", 0x06, 0, 0, 0)  # the one instruction "return 0" of a packet filter
    kept = ctypes.create_string_buffer(drop_all)
    program = struct.pack("HL", 1, ctypes.addressof(kept))
    line.writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, program)


@pytest.mark.skipif(sys.platform != "linux", reason="packet filters of single sockets are Linux's")
@inside(run)
async def test_the_passcode_of_a_client_is_good_only_when_its_line_is_dead(door: DaideDoor, hall: Hall) -> None:
    """The system takes two seconds to find out, since it counts in whole seconds."""
    lines = await seven(door)
    iam = f"IAM ( TUR ) ( {(await lines['TUR'].ask('HLO')).split()[5]} )"
    other = await DaideLine.open(door.port)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(caller_module, "PROBE_TIME", 1e9)  # any acknowledgement is an answer
        refused = asyncio.ensure_future(other.ask(iam))
        while not refused.done():
            assert (await lines["TUR"].ask("MIS")).startswith("MIS ( TUR"), "it plays on, and nobody heard of anything"
            await asyncio.sleep(0.01)
        assert await refused == f"REJ ( {iam} )"
    drop_everything(lines.pop("TUR"))
    assert await other.ask(iam) == f"YES ( {iam} )"
    for line in lines.values():
        assert [await line.hear(), await line.hear()] == ["CCD ( TUR )", "NOT ( CCD ( TUR ) )"]
    assert await other.ask("SUB ( ( TUR FLT ANK ) HLD )") == "THX ( ( TUR FLT ANK ) HLD ) ( MBV )"
