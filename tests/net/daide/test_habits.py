"""Habits of real clients on the wire and their weaknesses, one test for each; a comment names the clients.

Whole sessions of some of them are played again in test_replays.py; bots that count orders are in test_counting.py.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from parlour.core import intents as it
from parlour.games.diplomacy.formats.forms import read_state
from parlour.games.diplomacy.position import Position
from parlour.net.daide.door import DaideDoor
from parlour.net.daide.options import DaideOptions
from parlour.net.hall import Hall
from support.daide.house import run, seven
from support.daide.table import HOLDS, POWERS, DaideTable, Voice, at_table
from support.daide.wire import CODEC, INITIAL, DaideLine, frame, tokens
from support.waiting import inside


def told(text: str) -> bytes:
    return frame(2, CODEC.encode(tokens(text)))


# The first seconds


@inside(run)
async def test_rm_does_not_come_at_once(door: DaideDoor, hall: Hall) -> None:
    """Java clients on a busy machine lose an RM that does, and give up."""
    line = await DaideLine.open(door.port, greet=False)
    line.writer.write(INITIAL)
    with pytest.raises(TimeoutError):  # a slow machine only makes it later
        await asyncio.wait_for(asyncio.shield(line.reader.read(1)), 0.02)


@pytest.mark.parametrize("name", ["DumbBot(jdumb1)", "Hok's holdbot", "Albert", "a b", ""])
@pytest.mark.parametrize("version", ["8~3", "v 0.1", "Parlance v1.4.1", ""])
def test_names_are_echoed_byte_for_byte_and_get_a_seat(name: str, version: str, tmp_path: Path) -> None:
    def spelled(text: str) -> bytes:
        return b"".join(bytes((0x4B, ord(sign))) for sign in text)

    said = b"\x48\x0c\x40\0" + spelled(name) + b"\x40\1\x40\0" + spelled(version) + b"\x40\1"

    async def scene(door: DaideDoor, hall: Hall) -> None:
        line = await DaideLine.open(door.port)
        line.writer.write(frame(2, said))
        assert await line.frame() == (2, b"\x48\x1c\x40\0" + said + b"\x40\1")
        assert await line.hear() == "MAP ( 'standard' )"
        line.say("YES ( MAP ( 'standard' ) )")
        await line.ask("MAP")
        (head,) = (await hall.page()).heads
        assert len(head.players) == 1

    run(tmp_path, scene)


@inside(at_table)
async def test_fourteen_bots_that_come_at_once_sit_down_at_two_matches(at: DaideTable) -> None:
    """All say their names before anybody has confirmed the map."""
    bots = [at.newcomer() for _ in range(14)]
    for bot in bots:
        assert (await bot.say("NME ( 'HoldBot' ) ( '1' )"))[1] == "MAP ( 'standard' )"
    await asyncio.gather(*(bot.say("YES ( MAP ( 'standard' ) )") for bot in bots))
    assert not any(bot.shown_out for bot in bots)
    powers = [(await bot.ask("HLO")).split()[2] for bot in bots]
    assert sorted(powers) == sorted(2 * POWERS)


@inside(at_table)
async def test_a_power_that_was_taken_meanwhile_is_refused(at: DaideTable) -> None:
    late, early = at.newcomer(), at.newcomer()
    await late.say("NME ( 'FRA:late' ) ( '1' )")
    await early.sit("FRA:early")
    assert await late.say("YES ( MAP ( 'standard' ) )") == ["OFF"]
    assert late.shown_out


# Turns


@inside(run, DaideOptions(mtl=60))
async def test_albert_says_everything_in_one_breath(door: DaideDoor, hall: Hall) -> None:
    lines = await seven(door)
    albert = lines["ENG"]
    for power, line in lines.items():
        if line is not albert:
            line.say(f"SUB {HOLDS[power]}")
            await line.until("THX")
    said = ["NOT ( DRW )", "TME ( 58 )", "TME", "NOT ( GOF )", f"SUB {HOLDS['ENG']}", "GOF"]
    albert.writer.write(b"".join(told(text) for text in said))
    heard = [text for text in await albert.until("NOW") if not text.startswith("ORD")]
    assert [text.split()[0] for text in heard] == ["TME", "YES", "YES", "TME", "YES", *["THX"] * 3, "YES", "NOW"]
    assert heard[-2] == "YES ( GOF )"
    assert heard[-1].startswith("NOW ( FAL 1901 )")


@inside(at_table)
async def test_votes_for_a_draw_count_for_one_turn(at: DaideTable) -> None:
    lines = await at.seven()
    for power in POWERS[:-1]:
        assert await lines[power].ask("DRW") == "YES ( DRW )"
    await at.play({})
    lines["AUS"].heard()
    assert await lines["TUR"].ask("DRW") == "YES ( DRW )"
    assert lines["AUS"].heard() == []
    for power in POWERS[:-1]:
        await lines[power].say("DRW")
    assert lines["TUR"].heard()[0] == "DRW"


@inside(at_table)
async def test_a_match_goes_on_at_once_if_only_who_was_cut_off_is_missing(at: DaideTable) -> None:
    lines = await at.seven()
    turkey = lines.pop("TUR")
    await at.play({power: HOLDS[power] for power in lines})
    await turkey.guest.leave()
    heard = lines["ENG"].heard()
    assert "CCD ( TUR )" in heard
    assert "ORD ( SPR 1901 ) ( ( TUR FLT ANK ) HLD ) ( SUC )" in heard
    assert heard[-1].startswith("NOW ( FAL 1901 )")


# The end


def standing(phase: str, units: dict[str, list[str]], centres: dict[str, list[str]]) -> str:
    start = Position.start()
    nobody: dict[str, list[str]] = {name: [] for name in start.units}
    state = {"phase": phase, "units": {**nobody, **units}, "centers": {**nobody, **centres}}
    return str(Position(*read_state(state, start.board)).encode())


SEVENTEEN = [
    *("PAR", "BRE", "MAR", "SPA", "POR", "BEL", "HOL", "LON", "LVP"),
    *("EDI", "KIE", "MUN", "BER", "DEN", "ROM", "NAP", "VEN"),
]


async def last_fall(at: DaideTable) -> dict[str, Voice]:
    """France has seventeen centres and walks into Vienna, where Austria has its last one; Russia has two."""
    lines = await at.seven()
    centres = {"FRANCE": SEVENTEEN, "AUSTRIA": ["VIE"], "RUSSIA": ["MOS", "WAR"]}
    units = {"FRANCE": ["A TYR"], "AUSTRIA": ["A TRI"], "RUSSIA": ["A MOS"]}
    await at.hall.submit("table", it.SetPosition("host", standing("F1910M", units, centres)))
    for voice in lines.values():
        voice.heard()
    await lines["RUS"].say("SUB ( ( RUS AMY MOS ) HLD )")
    await lines["AUS"].say("SUB ( ( AUS AMY TRI ) HLD )")
    await lines["FRA"].say("SUB ( ( FRA AMY TYR ) MTO VIE )")
    return lines


@inside(at_table)
async def test_a_solo_is_told_after_the_centres_and_before_the_units(at: DaideTable) -> None:
    """And bots that submit once more after that NOW are rejected."""
    lines = await last_fall(at)
    heard = [text for text in lines["RUS"].heard() if text.split()[0] not in ("THX", "ORD", "MIS")]
    assert [text.split()[0] for text in heard] == ["SCO", "SLO", "NOW", "SMR", "OFF"]
    assert heard[1] == "SLO ( FRA )"
    assert "( FRA ( 'FRA:bot@table' ) ( 'v 0.1' ) 18 )" in heard[3]
    assert await lines["RUS"].ask("SUB ( ( RUS AMY MOS ) HLD )") == "REJ ( SUB ( ( RUS AMY MOS ) HLD ) )"


@inside(at_table)
async def test_nobody_is_told_out_who_did_not_send_press(at: DaideTable) -> None:
    """DipGame bots end on any OUT, whomever it is about."""
    lines = await at.seven()
    units = {"FRANCE": ["A TYR"], "AUSTRIA": [], "RUSSIA": ["A MOS"]}
    centres = {"FRANCE": ["PAR"], "AUSTRIA": ["VIE"], "RUSSIA": ["MOS"]}
    await at.hall.submit("table", it.SetPosition("host", standing("F1910M", units, centres)))
    await lines["RUS"].say("SUB ( ( RUS AMY MOS ) HLD )")
    await lines["FRA"].say("SUB ( ( FRA AMY TYR ) MTO VIE )")
    assert await lines["AUS"].ask("MIS") == "MIS"
    for voice in lines.values():
        assert not any(text.startswith("OUT") for text in voice.heard())


@pytest.mark.parametrize("last", [b"\3", b"\3\0\0\0", b"\2\0", b""])
@inside(run)
async def test_clients_go_as_they_like(door: DaideDoor, hall: Hall, *, last: bytes) -> None:
    """Most just close; an older Java library writes FM as a single byte; some are cut off within a frame."""
    lines = await seven(door)
    leaving = lines.pop("TUR")
    leaving.writer.write(last)
    await leaving.close()
    for line in lines.values():
        assert await line.hear() == "CCD ( TUR )"


@inside(at_table)
async def test_a_match_that_is_over_keeps_nobody_from_the_next(at: DaideTable) -> None:
    """The same seven connections cannot go on, but seven new ones of the same names can."""
    for _ in range(2):
        bots = [at.newcomer() for _ in POWERS]
        for bot in bots:
            await bot.sit("HoldBot")
        for bot in bots:
            await bot.say("DRW")
        assert bots[0].heard()[-1] == "OFF"
    assert len((await at.hall.page()).heads) == 2
