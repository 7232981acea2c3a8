"""Our agent's turns at a DAIDE server: what it is told of them, when it talks, and what it says for the agent."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest

from parlour.core import events as ev
from parlour.core.game import Action, Seat, View
from parlour.core.intents import Ballot, PlayerType
from parlour.core.player import LATER, ObservedEvent
from parlour.net.client import daide
from parlour.net.client.daide import DaideReport
from parlour.testing import ScriptedPlayer
from support.client.daide_visits import HELLO, NOW, visits

FALL = "NOW ( FAL 1901 ) ( ENG FLT NTH ) ( FRA AMY PAR )"
OVER = ("DRW", "OFF")
SUMMARY = "SMR ( FAL 1901 ) ( ENG ( 'a' ) ( 'b' ) 3 ) ( FRA ( 'c' ) ( 'd' ) 0 1901 )"


def hello(level: int) -> tuple[str, ...]:
    return (f"HLO ( ENG ) ( 1234 ) ( ( MTL 60 ) ( LVL {level} ) )", *HELLO[1:])


def played(agent: ScriptedPlayer, *script: str, level: int = 0, talk: float = 0.0) -> tuple[DaideReport, list[str]]:
    """Return the end of an agent at a server with that script, and the agent's messages."""
    report, (heard,) = visits((*hello(level), *script, *OVER), agent=agent, talk=talk, returns=0.0)
    return report, heard


def of(agent: ScriptedPlayer, kind: type[Any]) -> list[Any]:
    return [event for event in agent.events if isinstance(event, kind)]


def test_a_turn_ends_with_the_orders_that_the_server_reported_and_no_others() -> None:
    agent = ScriptedPlayer([["F LON - NTH"], ["F NTH H"], ["F NTH H"]])
    played(
        agent,
        ">SUB ( ( ENG FLT LON ) MTO NTH )",
        "ORD ( SPR 1901 ) ( ( ENG FLT LON ) MTO NTH ) ( SUC )",
        "ORD ( SPR 1901 ) ( ( FRA AMY PAR ) MTO BUR ) ( BNC )",
        "ORD ( SPR 1901 ) ( ( FRA AMY PAR ) MTO ) ( BNC )",
        FALL,
        ">SUB",
        "ORD ( FAL 1901 ) ( ( FRA AMY PAR ) HLD ) ( SUC )",
        "NOW ( SPR 1902 ) ( ENG FLT NTH ) ( FRA AMY PAR )",
        ">SUB",
    )
    first, second = of(agent, ev.TurnEnded)
    assert (first.turn, first.actions) == (1, {"ENGLAND": ["F LON - NTH"], "FRANCE": ["A PAR - BUR"]})
    assert (second.turn, second.actions) == (2, {"ENGLAND": [], "FRANCE": ["A PAR H"]})
    assert [event.turn for event in of(agent, ev.TurnBegan)] == [1, 2, 3]
    assert [(view.seat, view.turn) for view in agent.views] == [("ENGLAND", number) for number in (1, 2, 3)]


def test_orders_of_a_turn_that_nobody_knows_of_are_passed_over_and_what_is_told_again_begins_none() -> None:
    agent = ScriptedPlayer([["F LON - NTH"], ["F LON H"]])
    played(agent, ">SUB", NOW, ">SUB ( ( ENG FLT LON ) HLD )")
    assert len(of(agent, ev.TurnBegan)) == 1
    assert not of(agent, ev.TurnEnded)
    assert len(agent.views) == 2, "it orders again, for the server may have lost its orders"
    early = ScriptedPlayer([["F LON H"]])
    visits(("ORD ( SPR 1901 ) ( ( FRA AMY PAR ) HLD ) ( SUC )", *hello(0), ">SUB", *OVER), agent=early, returns=0.0)
    assert len(early.views) == 1


def test_what_is_wrong_with_an_order_is_told_to_the_agent_and_what_is_right_is_not() -> None:
    agent = ScriptedPlayer([["F LON - NTH"], ["F NTH H"]])
    played(
        agent,
        ">SUB",
        "THX ( ( ENG FLT LON ) MTO NTH ) ( MBV )",
        "THX ( ( ENG FLT LON ) MTO NTH ) ( FAR )",
        FALL,
        ">SUB",
    )
    assert [refusal.reason for refusal in agent.refusals] == ["THX ( ( ENG FLT LON ) MTO NTH ) ( FAR )"]


@pytest.mark.parametrize(
    ("ends", "ending"), [(("OFF",), "OFF"), (("SLO ( ENG )", "OFF"), "SLO ( ENG )"), (("DRW", "OFF"), "DRW"), ((), "")]
)
def test_a_report_says_how_it_ended_and_how_far_one_came(ends: tuple[str, ...], ending: str) -> None:
    centres = "SCO ( ENG EDI LON NWY ) ( FRA PAR ) ( UNO BUL SWE )"
    report, _ = visits((HELLO[0], centres, FALL, ">SUB", *ends), returns=0.0)
    assert report == DaideReport("ENGLAND", "F1901M", 3, ending)


@pytest.mark.parametrize(("end", "ending"), [("SLO ( ENG )", "SLO ( ENG )"), ("DRW", "DRW"), (None, "SMR")])
def test_the_summary_ends_a_game_at_servers_that_stay_and_what_follows_the_end_is_no_turn(
    end: str | None, ending: str
) -> None:
    agent = ScriptedPlayer([["F LON - NTH"], ["F NTH H"]])
    ends = (end, FALL, *("MAP ( 'standard' )", ">YES ( MAP") * 3) if end else ()
    report, (heard,) = visits((*HELLO, ">SUB", *ends, SUMMARY, "bye"), agent=agent)
    assert (report.ending, report.phase) == (ending, "F1901M" if end else "S1901M")
    assert [line[:3] for line in heard] == ["NME", "SUB", *["YES"] * (3 if end else 0)]
    assert len(agent.views) == len(of(agent, ev.TurnBegan)) == 1
    assert len(of(agent, ev.TurnEnded)) == len(ends[:1])


class SlowReader(ScriptedPlayer):
    """An agent that takes its time over every event."""

    def on_event(self, observed: ObservedEvent) -> None:
        time.sleep(0.03)  # real time: the game ends on the wire meanwhile
        super().on_event(observed)


def test_an_agent_that_is_slow_to_read_is_told_the_last_turn_too() -> None:
    agent = SlowReader([["F LON - NTH"]])
    visits((*HELLO, ">SUB", "DRW", FALL, SUMMARY, "bye"), agent=agent)
    assert len(of(agent, ev.TurnEnded)) == 1


def test_fleets_on_one_of_two_shores_and_units_that_must_retreat_are_where_the_server_says() -> None:
    agent = ScriptedPlayer([["F STP/SC D"]])
    now = "NOW ( SUM 1901 ) ( ENG FLT ( STP SCS ) MRT ( GOB FIN ) ) ( FRA AMY STP ) ( FRA FLT ( SPA NCS ) )"
    visits((HELLO[0], HELLO[1], now, ">SUB", *OVER), agent=agent, returns=0.0)
    (view,) = agent.views
    position: Any = view.position
    assert position.stage == "retreats"
    assert position.retreats["ENGLAND"] == {"F STP/SC": ["BOT", "FIN"]}
    assert sorted(position.units["FRANCE"]) == ["A STP", "F SPA/NC"]


class Speaker(ScriptedPlayer):
    """A press bot that does something when it may talk."""

    player_type: str = PlayerType.PRESS_BOT

    def __init__(self, answers: list[Any], speech: Callable[[Any], None] = lambda handle: None) -> None:
        super().__init__(answers)
        self.speech = speech

    def on_event(self, observed: ObservedEvent) -> None:
        event = observed.event
        super().on_event(observed)
        if isinstance(event, ev.PressOpened):
            self.speech(self.handle)


def test_an_agent_talks_before_its_orders_go_out_and_may_change_them_meanwhile() -> None:
    def speech(handle: Any) -> None:
        handle.say("PRP ( PCE ( ENG FRA ) )", [Seat("FRANCE")])
        handle.say("PRP ( DRW )")
        handle.vote(Ballot.YES)
        handle.vote(Ballot.NO)
        handle.act(["F LON - NTH"])

    agent = Speaker([LATER], speech)
    _, heard = played(agent, ">SUB", level=20, talk=0.02)
    assert heard[1:] == [
        "SND ( FRA ) ( PRP ( PCE ( ENG FRA ) ) )",
        "SND ( AUS FRA GER ITA RUS TUR ) ( PRP ( DRW ) )",
        "DRW",
        "NOT ( DRW )",
        "SUB ( ( ENG FLT LON ) MTO NTH )",
    ]
    assert [(event.seat, event.to, event.text) for event in of(agent, ev.Said)] == [
        ("ENGLAND", ("FRANCE",), "PRP ( PCE ( ENG FRA ) )"),
        ("ENGLAND", (), "PRP ( DRW )"),
    ]
    (opened,), (closed,) = of(agent, ev.PressOpened), of(agent, ev.PressClosed)
    assert (opened.turn, closed.turn) == (1, 1)
    assert opened.until - opened.at == pytest.approx(0.02)


@pytest.mark.parametrize(
    ("level", "player_type", "now"),
    [
        (0, "press_bot", NOW),
        (20, "no_press_bot", NOW),
        (20, "press_bot", "NOW ( SUM 1901 ) ( ENG FLT NTH MRT ( LON ) ) ( FRA FLT NTH )"),
    ],
)
def test_who_may_not_talk_or_does_not_orders_at_once(level: int, player_type: str, now: str) -> None:
    agent = Speaker([[]])
    agent.player_type = player_type
    _, (heard,) = visits((hello(level)[0], HELLO[1], now, ">SUB", *OVER), agent=agent, talk=1000.0, returns=0.0)
    assert heard[-1].startswith("SUB")
    assert not of(agent, ev.PressOpened)


def test_a_server_that_says_no_level_has_no_press() -> None:
    agent = Speaker([["F LON H"]])
    visits(("HLO ( ENG ) ( 1234 ) ( ( MTL 60 ) )", *HELLO[1:], ">SUB", *OVER), agent=agent, talk=1000.0, returns=0.0)
    (opened,) = of(agent, ev.Opened)
    assert opened.terms.press.mode == "none"


class Sitting(ScriptedPlayer):
    """Is asked only when it has something to order."""

    def act(self, view: View) -> Action:
        assert view.position.legal(view.seat)
        return super().act(view)


def test_who_has_nothing_to_order_is_not_asked_and_says_nothing() -> None:
    agent = Sitting([["F LON H"]])
    still = "NOW ( SUM 1901 ) ( ENG FLT LON ) ( FRA AMY PAR ) ( GER AMY PAR MRT ( PIC ) )"
    _, heard = played(agent, ">SUB", still, "NOW ( FAL 1901 ) ( ENG FLT LON ) ( FRA AMY PAR )", ">SUB")
    assert len(agent.views) == 2
    assert [line.split()[0] for line in heard] == ["NME", "SUB", "SUB"]


def test_press_that_comes_before_the_first_position_is_heard_by_nobody() -> None:
    agent = Speaker([["F LON H"]])
    early = "FRM ( FRA ) ( ENG ) ( PRP ( PCE ( ENG FRA ) ) )"
    visits((hello(20)[0], early, *HELLO[1:], ">SUB", *OVER), agent=agent, returns=0.0, talk=0.0)
    assert of(agent, ev.Said) == []


def test_who_finds_nobody_when_it_comes_back_tries_again_for_as_long_as_it_was_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pauses: list[float] = []

    async def unreachable(*_: object) -> bool:
        pauses.append(0.0)
        raise OSError("nobody listens")

    async def scene() -> tuple[bool, bool]:
        client = daide.DaideClient("a", ScriptedPlayer(), returns=0.05)
        never = await client._come_back("127.0.0.1", 1, asyncio.TaskGroup())
        return never, await daide.DaideClient("a", ScriptedPlayer())._come_back("127.0.0.1", 1, asyncio.TaskGroup())

    monkeypatch.setattr(daide, "RETURN_PAUSE", 0.01)
    monkeypatch.setattr(daide.DaideClient, "_visit", unreachable)
    assert asyncio.run(scene()) == (False, False)
    assert len(pauses) > 1


def test_an_agent_that_still_thinks_about_a_turn_that_is_over_is_asked_about_the_next_alone() -> None:
    class Slow(ScriptedPlayer):
        def __init__(self) -> None:
            super().__init__()
            self.next = asyncio.Event()

        async def act(self, view: View) -> Action:
            self.views.append(view)
            if view.turn == 1:
                await self.next.wait()
                return ["F LON - WAL"]
            return ["F NTH H"]

        async def on_event(self, observed: ObservedEvent) -> None:  # type: ignore[override]
            event = observed.event
            super().on_event(observed)
            if isinstance(event, ev.TurnBegan) and event.turn == 2:
                self.next.set()

    agent = Slow()
    _, heard = played(agent, FALL, ">SUB", FALL, ">SUB")
    assert heard[1:] == ["SUB ( ( ENG FLT NTH ) HLD )"] * 2
