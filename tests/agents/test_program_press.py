"""A program that negotiates: what it says and hears at real tables, what is refused, and every way to misbehave."""

# Why real time passes here: programs live in real time, which no clock of ours stops.

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from parlour.agents import make_agent
from parlour.agents.process_supervisor import TRUSTED
from parlour.agents.program import Program
from parlour.core import events as ev
from parlour.core.game import FoulKind, Seat, View
from parlour.core.intents import PlayerType
from parlour.core.player import Player
from parlour.core.terms import Clock, PressMode, PressTerms, Terms
from parlour.games.diplomacy.game import Diplomacy
from parlour.games.diplomacy.position import Position
from parlour.press.ledger import ledger_of
from parlour.referee.conduct import DIPLOMACY
from parlour.referee.driver import REFUSED, DriverSeatHandle
from parlour.referee.local import play
from parlour.referee.match import Match
from parlour.testing import observed
from support.matches.live_tables import LoneTable
from support.press.stories import SEATS

FRANCE, ENGLAND, GERMANY, ITALY = (SEATS[word] for word in ("FRA", "ENG", "GER", "ITA"))
EXAMPLE = Path(__file__).parents[2] / "examples" / "press_program.py"
WINDOW = PressTerms(PressMode.WINDOW, window=20.0)

LINES = """
import json, sys, time
def write(line):
    print(json.dumps(line), flush=True)
def lines():
    for line in sys.stdin:
        with open(sys.argv[1], "a") as log:
            log.write(line)
        ((kind, value),) = json.loads(line).items()
        yield kind, value
"""
# Says what it is given when the first window opens, and acts when it got that many lines about it.
SPEAKER = """
write({"press": True})
says, awaited = json.loads(sys.argv[2]), int(sys.argv[3])
for kind, value in lines():
    if kind == "ask":
        action = {"turn": value["turn"], "action": []}
        write({"ready": True} if value["turn"] == 1 else action)
    elif kind == "opened" and value["turn"] == 1:
        for say in says:
            write({"say": say})
    elif kind in ("said", "heard", "refused"):
        awaited -= 1
        if not awaited:
            write(action)
"""
SILENT = """
for kind, value in lines():
    if kind == "ask":
        write({"turn": value["turn"], "action": []})
"""
Make: TypeAlias = Callable[..., Program]


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Make]:
    """Makes a program that keeps what it reads in a log of its name; all are ended with the test."""
    made: list[Program] = []

    def make(source: str, *arguments: object, log: str = "log", hello: float = 20.0, patience: float = 20.0) -> Program:
        script = tmp_path / f"bot{len(made)}.py"
        script.write_text(LINES + source, encoding="utf-8")
        words = [sys.executable, "-S", str(script), str(tmp_path / log), *map(str, arguments)]
        made.append(Program(words, "diplomacy", hello=hello, patience=patience, limits=TRUSTED))
        return made[-1]

    yield make
    for each in made:
        each.close()


def logged(tmp_path: Path, log: str = "log") -> list[tuple[str, Any]]:
    """Return the lines that a program read."""
    lines = (tmp_path / log).read_text(encoding="utf-8").splitlines()
    return [next(iter(json.loads(line).items())) for line in lines]


def speaker(program: Make, *says: Mapping[str, Any], awaited: int | None = None, log: str = "log") -> Program:
    return program(SPEAKER, json.dumps(says), len(says) if awaited is None else awaited, log=log)


QUICK = "peace:budget=1"
"""Talks, and hardly thinks: where time is short nobody else may be late, however busy the machine is."""


def table(programs: Mapping[Seat, Player], others: str = "yesman") -> dict[Seat, Player]:
    return {seat: programs.get(seat) or make_agent("diplomacy", others, 1) for seat in SEATS.values()}


def played(
    players: Mapping[Seat, Player], press: PressTerms = WINDOW, clock: Clock | None = None, *, live: bool = False
) -> list[ev.Event]:
    terms = Terms(conduct=DIPLOMACY, clock=clock or Clock(), press=press)
    match = Match(Diplomacy(), {"last_year": 1901}, terms, 1)
    if live:
        asyncio.run(LoneTable(match, players).play())
    else:
        play(match, players)
    return list(match.record)


def fouls(events: Sequence[ev.Event]) -> set[tuple[Seat, FoulKind]]:
    return {(event.seat, event.kind) for event in events if isinstance(event, ev.Fouled)}


def windows(events: Sequence[ev.Event]) -> int:
    return sum(isinstance(event, ev.PressOpened) for event in events)


@pytest.mark.parametrize("live", [False, True])
def test_a_program_makes_a_pact_and_hears_what_it_may(program: Make, tmp_path: Path, live: bool) -> None:
    france = speaker(
        program,
        {"to": [ENGLAND], "text": "PRP (PCE (FRA ENG))"},
        {"to": [GERMANY], "text": "How do you do?"},
        {"text": "Hello, all!"},
        awaited=4,
    )
    italy = speaker(program, awaited=1, log="italy")
    events = played(table({FRANCE: france, ITALY: italy}), live=live)
    assert not fouls(events)
    [pact] = ledger_of(events).pacts.all
    assert pact.parties == {"ENG", "FRA"}
    read = logged(tmp_path)
    start = read[0][1]["press"]
    assert (start["mode"], start["level"], start["window"]) == ("window", 60, 20.0)
    assert start["players"] == dict.fromkeys(SEATS.values(), "press_bot")
    assert [value["text"] for kind, value in read if kind == "said"][1:] == ["How do you do?", "Hello, all!"]
    [yes] = [value for kind, value in read if kind == "heard"]
    assert yes == {"from": "ENGLAND", "to": ["FRANCE"], "text": "YES ( PRP ( PCE ( FRA ENG ) ) )", "turn": 1}
    heard = [
        (value["from"], value["to"], value["text"]) for kind, value in logged(tmp_path, "italy") if kind == "heard"
    ]
    assert heard == [("FRANCE", [], "Hello, all!")]
    assert {"opened", "closed"} <= {kind for kind, _ in read}
    assert read[-1][0] == "end"


def test_programs_agree_with_one_another_and_with_bots() -> None:
    programs = {seat: Program([sys.executable, str(EXAMPLE)], hello=20.0) for seat in (FRANCE, ENGLAND)}
    events = played(table(programs, "peace"))
    assert not fouls(events)
    parties = [pact.parties for pact in ledger_of(events).pacts.all]
    assert {"ENG", "FRA"} in parties
    assert {"FRA", "ITA"} in parties


def test_the_example_plays_where_nobody_talks() -> None:
    programs = {FRANCE: Program([sys.executable, str(EXAMPLE)])}
    assert not fouls(played(table(programs, "greedy"), PressTerms(PressMode.NONE)))


@pytest.mark.parametrize("source", [SILENT, 'write({"press": False})' + SILENT])
def test_a_program_that_does_not_negotiate_notices_nothing(program: Make, tmp_path: Path, source: str) -> None:
    events = played(table({FRANCE: program(source, hello=0.3)}, "peace"))
    types = {event.seat: event.player_type for event in events if isinstance(event, ev.Joined)}
    assert types[FRANCE] is PlayerType.NO_PRESS_BOT
    assert types[ENGLAND] is PlayerType.PRESS_BOT
    assert not fouls(events)
    read = logged(tmp_path)
    assert {kind for kind, _ in read} == {"start", "ask", "end"}
    assert set(read[0][1]) == {"game", "seat", "position"}


UNHEARD = """
if sys.argv[2] == "early":
    write({"press": True})
for kind, value in lines():
    if kind == "start" and sys.argv[2] == "late":
        write({"press": True})
    if kind == "ask":
        write({"ready": True})
        write({"say": {"text": "hello"}})
        write({"turn": value["turn"], "action": []})
"""


@pytest.mark.parametrize(
    ("press", "when", "reason"),
    [
        (PressTerms(PressMode.NONE), "early", "this match is played without press"),
        (WINDOW, "late", "press was asked for too late"),
    ],
)
def test_where_it_cannot_talk_a_program_is_told_so(
    program: Make, tmp_path: Path, press: PressTerms, when: str, reason: str
) -> None:
    events = played(table({FRANCE: program(UNHEARD, when, hello=0.1)}), press)
    assert not fouls(events)
    read = logged(tmp_path)
    assert "press" not in read[0][1]
    assert ("refused", {"reason": reason, "text": "hello"}) in read


@pytest.mark.parametrize(
    ("say", "reason"),
    [
        ({"to": ["MARS"], "text": "hello"}, "there is no seat 'MARS' to write to"),
        ({"to": ["FRANCE"], "text": "hello"}, "press to oneself is not delivered"),
        ({"to": ["ENGLAND"], "text": " "}, "an empty message is not delivered"),
        ({"to": ["ENGLAND"], "text": "x" * 10_000}, "a message has at most 4096 characters"),
        ({"to": ["ENGLAND"], "text": "PRP (PCE (FRA"}, "PRN"),
    ],
)
def test_what_the_table_refuses_comes_back_with_the_reason(
    program: Make, tmp_path: Path, say: dict[str, Any], reason: str
) -> None:
    fine = {"to": ["ENGLAND"], "text": "fine"}
    assert not fouls(played(table({FRANCE: speaker(program, fine, say, fine)})))
    answers = [(kind, value) for kind, value in logged(tmp_path) if kind in ("said", "refused")]
    assert [kind for kind, _ in answers] == ["said", "refused", "said"], "each is answered, in order"
    assert reason in answers[1][1]["reason"]
    assert answers[1][1]["text"] == say["text"][:100]


EAGER = """
write({"press": True})
for kind, value in lines():
    if kind == "ask":
        turn = value["turn"]
        write({"say": {"to": ["ENGLAND"], "text": "How do you do?"}})
    elif kind in ("said", "refused"):
        write({"turn": turn, "action": []})
"""


def test_outside_the_window_nothing_is_delivered(program: Make, tmp_path: Path) -> None:
    events = played(table({FRANCE: program(EAGER)}))
    assert not fouls(events)
    refusal = {"reason": "the press window is not open", "text": "How do you do?"}
    assert next(value for kind, value in logged(tmp_path) if kind == "refused") == refusal


def test_where_press_is_free_one_may_talk_at_any_time(program: Make, tmp_path: Path) -> None:
    events = played(table({FRANCE: program(EAGER)}), PressTerms(PressMode.ANYTIME))
    assert not fouls(events)
    turns = [event.turn for event in events if isinstance(event, ev.TurnBegan) and FRANCE in event.to_act]
    assert [event.turn for event in events if isinstance(event, ev.Said) and event.seat == FRANCE] == turns
    joined = next(event for event in events if isinstance(event, ev.Joined) and event.seat == FRANCE)
    assert joined.player_type is PlayerType.PRESS_BOT


MISBEHAVES = """
write({"press": True})
for kind, value in lines():
    if kind == "ask":
        turn = value["turn"]
        write({"ready": True} if value["stage"] == "orders" else {"turn": turn, "action": []})
    elif kind == "opened":
        BAD
        write({"turn": turn, "action": []})
"""


@pytest.mark.parametrize(
    "line",
    [
        '{"say": "hello"}',
        '{"say": {"to": ["ENGLAND"]}}',
        '{"say": {"to": ["ENGLAND"], "text": 7}}',
        '{"say": {"to": "ENGLAND", "text": "hello"}}',
        '{"say": {"to": [7], "text": "hello"}}',
        '{"say": {"text": "half \\\\ud800"}}',
        '{"ready": "yes"}',
        '{"shout": "hello"}',
        "hello",
    ],
)
def test_a_line_that_is_none_is_a_foul_and_the_talk_goes_on(program: Make, line: str) -> None:
    events = played(table({FRANCE: program(MISBEHAVES.replace("BAD", f"print('{line}', flush=True)"))}))
    assert fouls(events) == {(FRANCE, FoulKind.GARBLED)}
    assert windows(events) == 2


@pytest.mark.parametrize("deed", ["sys.exit(3)", "import os; os.close(1); break"])
def test_a_program_that_ends_during_press_hurts_nobody(program: Make, deed: str) -> None:
    events = played(table({FRANCE: program(MISBEHAVES.replace("BAD", deed))}, "peace"))
    assert fouls(events) == {(FRANCE, FoulKind.DISCONNECTED)}
    assert windows(events) == 2, "the others talk on without it"
    said = {event.turn for event in events if isinstance(event, ev.Said) and event.seat != FRANCE}
    assert said == {event.turn for event in events if isinstance(event, ev.PressOpened)}
    ends = [event.until for event in events if isinstance(event, ev.PressOpened)]
    shut = [event.at for event in events if isinstance(event, ev.PressClosed)]
    assert all(at < end for at, end in zip(shut, ends, strict=True)), "nobody waits for its answers"


@pytest.mark.parametrize(
    "source", [MISBEHAVES.replace("BAD", "time.sleep(600)"), 'write({"press": True}); time.sleep(600)']
)
def test_a_program_that_hangs_during_press_is_late_and_hurts_nobody(program: Make, source: str) -> None:
    events = played(table({FRANCE: program(source)}, QUICK), clock=Clock(per_turn=1.0))
    assert fouls(events) == {(FRANCE, FoulKind.LATE)}
    assert windows(events) == 2
    assert any(isinstance(event, ev.Said) for event in events)


def test_a_flood_is_bounded_and_does_not_hold_up_the_match(program: Make) -> None:
    flood = 'while True: write({"say": {"to": ["ENGLAND"], "text": "buy my fish"}})'
    events = played(
        table({FRANCE: program(MISBEHAVES.replace("BAD", flood))}, QUICK),
        PressTerms(PressMode.WINDOW, window=1.0, max_per_turn=10),
        Clock(per_turn=1.5),
    )
    assert fouls(events) == {(FRANCE, FoulKind.LATE)}
    said = [event for event in events if isinstance(event, ev.Said) and event.seat == FRANCE]
    assert 10 <= len(said) <= 10 * windows(events)
    assert isinstance(events[-1], ev.Ended)


def test_a_program_may_wait_for_the_end_of_the_window(program: Make) -> None:
    patient = """
write({"press": True})
for kind, value in lines():
    if kind == "ask":
        turn = value["turn"]
        write({"ready": True} if value["stage"] == "orders" else {"turn": turn, "action": []})
    elif kind == "closed":
        write({"turn": turn, "action": []})
"""
    events = played(table({FRANCE: program(patient)}), PressTerms(PressMode.WINDOW, window=0.2))
    assert not fouls(events)
    opened = [event for event in events if isinstance(event, ev.PressOpened)]
    shut = [event for event in events if isinstance(event, ev.PressClosed)]
    assert all(late.at >= early.until for early, late in zip(opened, shut, strict=True))


def test_the_time_of_the_window_is_not_taken_for_thinking(program: Make) -> None:
    player, position = speaker(program), Position.start()
    player._patience = 0.5
    terms = Terms(conduct=DIPLOMACY, press=WINDOW)

    async def scene() -> Any:
        await player.on_event(observed(ev.Opened(at=0.0, game="diplomacy", config={}, terms=terms, seed=0)))
        await player.on_start(View(FRANCE, position, 1))
        asked = asyncio.create_task(player.act(View(FRANCE, position, 1)))
        await asyncio.sleep(0)
        await player.on_event(observed(ev.PressOpened(at=1.0, turn=1, until=21.0)))
        await asyncio.sleep(1.0)
        player._took(b'{"turn": 1, "action": ["A PAR H"]}')
        return await asked

    assert asyncio.run(scene()) == ["A PAR H"]


def test_a_program_takes_part_in_a_match_that_goes_on(program: Make, tmp_path: Path) -> None:
    events = played(table({FRANCE: speaker(program, {"text": "hello"}, log="before")}))
    begun = next(number for number, event in enumerate(events) if isinstance(event, ev.TurnBegan))
    match = Match.resume(events[: begun + 1], Diplomacy())
    play(match, table({FRANCE: speaker(program, {"text": "hello again"})}))
    assert [event.text for event in match.record if isinstance(event, ev.Said)] == ["hello again"]
    assert logged(tmp_path)[0][1]["press"]["players"]["ENGLAND"] == "press_bot"


def test_a_program_that_takes_over_is_told_what_was_said_before() -> None:
    """Return the lines on all that a seat may know, with only the last of many."""
    from parlour.agents.program_press import MAX_PAST, Talk

    talk = Talk()
    talk.handle = DriverSeatHandle(FRANCE, lambda handle, intent: None, lambda handle, intent: REFUSED)
    events: list[ev.Event] = [ev.Opened(0.0, "diplomacy", {}, Terms(DIPLOMACY, press=WINDOW), 1)]
    events += [ev.Said(1.0, GERMANY, (FRANCE,), "PRP (PCE (FRA GER))", 1), ev.Said(2.0, FRANCE, (), "hello", 1)]
    for event in events:
        talk.note(event)
        talk.recall(event)
    heard, said = talk.begin()["past"]
    assert heard == {"heard": {"from": GERMANY, "to": (FRANCE,), "text": "PRP (PCE (FRA GER))", "turn": 1}}
    assert said == {"said": {"to": (), "text": "hello", "turn": 1}}
    for number in range(MAX_PAST + 5):
        talk.recall(ev.Said(3.0, ITALY, (), str(number), 1))
    assert len(talk.begin()["past"]) == MAX_PAST
    assert "past" not in Talk().begin()
