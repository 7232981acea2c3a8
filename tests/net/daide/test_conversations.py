"""Conversations with DAIDE clients over real sockets: a turn, questions, press, and where they are shown to."""

from __future__ import annotations

import pytest

from parlour.net.daide.door import DaideDoor
from parlour.net.daide.options import DaideOptions
from parlour.net.hall import Hall
from support.daide import wire
from support.daide.house import run, seven
from support.daide.table import HOLDS
from support.daide.wire import CODEC, DaideLine, frame, tokens
from support.waiting import inside


@inside(run)
async def test_a_turn_from_the_first_name_to_the_next_position(door: DaideDoor, hall: Hall) -> None:
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


@inside(run)
async def test_questions_are_answered_and_what_is_not_to_be_had_is_rejected(door: DaideDoor, hall: Hall) -> None:
    line = await DaideLine.open(door.port)
    for question in ("HLO", "ORD", "MIS", "TME", "IAM ( ENG ) ( 17 )", "GOF", "DRW", "NOT ( SUB )"):
        assert await line.ask(question) == f"REJ ( {question} )"
    await line.close()
    lines = await seven(door)
    line = lines["FRA"]
    assert await line.ask("MAP") == "MAP ( 'standard' )"
    assert (await line.ask("MDF")).startswith("MDF ( AUS ENG FRA GER ITA RUS TUR ) ( ( ( AUS")
    assert (await line.ask("HLO")).startswith("HLO ( FRA ) ( ")
    assert (await line.ask("NOW")).startswith("NOW ( SPR 1901 )")
    assert (await line.ask("SCO")).startswith("SCO ( AUS BUD TRI VIE )")
    for question in (
        "ORD",
        "TME",
        "TME ( 58 )",
        "HST",
        "SMR",
        "HST ( SPR 1901 )",
        "ADM ( 'a' ) ( 'b' )",
        "NME ( 'a' ) ( 'b' )",
    ):
        assert await line.ask(question) == f"REJ ( {question} )"
    assert await line.ask("NOT ( DRW )") == "YES ( NOT ( DRW ) )"
    assert await line.ask("DRW ( FRA ENG )") == "HUH ( DRW ERR ( FRA ENG ) )"
    assert await line.ask("THX") == "HUH ( ERR THX )"
    assert await line.ask("SUB ( ( FRA AMY PAR ) MTO )") == "HUH ( SUB ( ( FRA AMY PAR ) MTO ERR ) )"
    assert await line.ask("SUB ( ( FRA AMY PAR ) HLD") == "PRN ( SUB ( ( FRA AMY PAR ) HLD )"
    line.say("HUH ( ERR NOW )")  # never answered
    assert await line.ask("NOT ( GOF )") == "YES ( NOT ( GOF ) )"


@inside(run)
async def test_a_draw_ends_the_match_when_the_last_vote_is_in(door: DaideDoor, hall: Hall) -> None:
    lines = await seven(door)
    for line in lines.values():
        assert await line.ask("DRW") == "YES ( DRW )"
    for line in lines.values():
        draw, summary, off = await line.hear(), await line.hear(), await line.hear()
        assert draw == "DRW"
        assert summary.startswith("SMR ( SPR 1901 ) ( AUS ( 'bot")
        assert off == "OFF"
        line.say("SMR")
        assert [await line.hear(), await line.hear()] == [draw, summary]
        assert await line.ask(f"SUB {HOLDS['ENG']}") == f"REJ ( SUB {HOLDS['ENG']} )"


@inside(run)
async def test_orders_can_be_taken_back_and_time_wanted(door: DaideDoor, hall: Hall) -> None:
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


@inside(run)
async def test_orders_do_not_overtake_what_was_said_before_them(door: DaideDoor, hall: Hall) -> None:
    england = (await seven(door))["ENG"]
    order = "( ( ENG FLT LON ) HLD )"
    said = [f"SUB {order}", "NOT ( SUB )", f"SUB {order}", "MIS"]
    england.writer.write(b"".join(frame(2, CODEC.encode(tokens(text))) for text in said))
    thanks = f"THX {order} ( MBV )"
    missing = "MIS ( ENG FLT EDI ) ( ENG AMY LVP )"
    heard = await england.until("YES")
    assert heard == [thanks, missing, "YES ( NOT ( SUB ) )"]
    assert [await england.hear() for _ in range(3)] == [thanks, missing, missing]


# Press


@inside(run, DaideOptions(level=30))
async def test_press_reaches_all_whom_it_names_and_the_server_says_what_became_of_it(
    door: DaideDoor, hall: Hall
) -> None:
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
    assert await england.ask("SND ( FAL 1901 ) ( FRA ) ( TRY ( ) )") == "REJ ( SND ( FAL 1901 ) ( FRA ) ( TRY ( ) ) )"


# Places


@inside(run)
async def test_a_name_can_ask_for_a_match_and_a_power(door: DaideDoor, hall: Hall) -> None:
    one, two, three, four = [await DaideLine.open(door.port) for _ in range(4)]
    await one.sit("FRA:one@evening")
    assert await one.ask("TME") == "REJ ( TME )"  # so that the seat is taken by now
    assert (await two.ask("NME ( 'FRA:two@evening' ) ( '1' )")).startswith("REJ ( NME")
    assert (await three.ask("NME ( 'XYZ:two@evening' ) ( '1' )")).startswith("REJ ( NME")
    await four.sit("four@evening")
    assert await four.ask("TME") == "REJ ( TME )"
    view = await hall.head("evening")
    assert view.players == {"FRANCE": "FRA:one@evening", "AUSTRIA": "four@evening"}


@inside(run, opens=False)
async def test_where_clients_may_open_no_match_they_are_rejected(door: DaideDoor, hall: Hall) -> None:
    line = await DaideLine.open(door.port)
    assert (await line.ask("NME ( 'a' ) ( 'b' )")).startswith("REJ ( NME")
    assert (await line.ask("NME ( 'a@there' ) ( 'b' )")).startswith("REJ ( NME")


@inside(run)
async def test_who_does_not_like_the_map_leaves(door: DaideDoor, hall: Hall) -> None:
    line = await DaideLine.open(door.port)
    assert (await line.ask("NME ( 'a' ) ( 'b' )")).startswith("YES")
    await line.hear()
    assert await line.ask("YES ( MAP ( 'stand' ) )") == "REJ ( YES ( MAP ( 'stand' ) ) )"
    for answer in ("YES ( SVE ( 'game' ) )", "REJ ( LOD ( 'game' ) )"):  # answers to the server are never answered
        line.say(answer)
    assert await line.ask("REJ ( MAP ( 'standard' ) )") == "OFF"
    assert await line.frame() == (3, b"")
    assert await line.rest() == b""


@inside(run)
async def test_an_observer_hears_what_everybody_hears(door: DaideDoor, hall: Hall) -> None:
    lines = await seven(door)
    watcher = await DaideLine.open(door.port)
    assert await watcher.ask("OBS ( 'Mapper' ) ( '1' )") == "YES ( OBS ( 'Mapper' ) ( '1' ) )"
    assert await watcher.hear() == "MAP ( 'standard' )"
    watcher.say("YES ( MAP ( 'standard' ) )")
    assert await watcher.hear() == "HLO ( UNO ) ( 0 ) ( ( LVL 0 ) )"
    await watcher.until("NOW")
    for power, line in lines.items():
        line.say(f"SUB {HOLDS[power]}")
        await line.until("THX")
    assert (await watcher.until("NOW"))[-1].startswith("NOW ( FAL 1901 )")
    assert await watcher.ask(f"SUB {HOLDS['ENG']}") == f"REJ ( SUB {HOLDS['ENG']} )"


@inside(run)
async def test_a_line_that_waits_in_vain_fails_and_says_after_what(
    door: DaideDoor, hall: Hall, *, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = await DaideLine.open(door.port)
    monkeypatch.setattr(wire, "SILENCE", 0.01)
    with pytest.raises(AssertionError, match=r"sent nothing for 0.01 seconds after: we said HUH \( ERR \)"):
        await line.ask("HUH ( ERR )")
