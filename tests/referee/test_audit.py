"""The audit of records: those that were kept replay, old ones too; whatever is changed in one is found."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.agents import make_agent
from parlour.core import events as ev
from parlour.core.events import Event
from parlour.core.fouls import Standing
from parlour.core.game import Game, Outcome, Seat
from parlour.core.intents import Ballot, CommStatus, Consultation
from parlour.core.terms import Clock, PressMode, PressTerms, SealMode, SealTerms, Terms, Vacancy
from parlour.errors import RecordError
from parlour.games import load_game
from parlour.referee.conduct import DIPLOMACY, LENIENT
from parlour.referee.local import play
from parlour.referee.match import Match, replay
from parlour.referee.record import decode, encode, read_record
from parlour.referee.state import MatchState
from parlour.testing import BIDS
from support.matches.tables import EAST, NORTH, SOUTH, it

OLD = sorted((Path(__file__).parents[1] / "records").glob("v1_*.jsonl"))
TODAY = 1_790_000_000.0


def negotiated() -> Match:
    game = load_game("diplomacy")
    terms = Terms(conduct=DIPLOMACY, press=PressTerms(PressMode.WINDOW))
    match = Match(game, {"last_year": 1901}, terms, 11, dated=True)
    names = ("proposer", "yesman", "broker", "reciprocator", "stabber", "proposer", "yesman")
    seats = zip(game.seats({}), names, strict=True)
    play(match, {seat: make_agent("diplomacy", name, i) for i, (seat, name) in enumerate(seats)})
    return match


def fished() -> Match:
    game = load_game("fish")
    match = Match(game, {"players": 3, "rows": 4, "cols": 4}, Terms(conduct=LENIENT, clock=Clock(per_turn=5.0)), 4)
    match.start(0.0)
    for seat in game.seats(match.config):
        match.handle(it.Join(f"player {seat}", seat), 1.0)
    now, rng = 2.0, random.Random(1)
    while not match.over:
        seat = match.position.to_act()[0]
        now += 1.0
        if int(now) % 7 == 0:
            match.handle(it.Act(seat, [[9, 9], [9, 9]]), now)
        if int(now) % 11 == 0:
            match.tick(now := now + 6.0)
        elif not match.over:
            seat = match.position.to_act()[0]
            match.handle(it.Act(seat, match.position.sample(seat, rng)), now)
    return match


def hosted() -> Match:
    """Return a match with everything that can happen at a table."""
    terms = Terms(
        conduct=DIPLOMACY,
        clock=Clock(per_turn=60.0, bank=30.0, tokens=1000, usd=1.0),
        press=PressTerms(PressMode.ANYTIME, before_start=True),
        seats_to_start=2,
        vacancy=Vacancy.AWAITED,
        quorum=2,
    )
    match = Match(BIDS, {"seats": 4}, terms, 5, dated=True)
    match.start(TODAY)
    said = Consultation("orders", "a-model", "what now?", "4", tokens_in=90, tokens_out=10, usd=0.2)
    now = TODAY
    for step in (
        it.Join("Ann", NORTH),
        it.Say(NORTH, "anybody here?"),
        it.Join("Bob", EAST),
        it.Act(SOUTH, match.game.start({"seats": 4}, match.game.seats({"seats": 4}), 5).default(SOUTH), 1, "host"),
        it.Retract(SOUTH, "host"),
        it.SetWait(NORTH, True),
        it.SetCommStatus(EAST, CommStatus.READY),
        it.Vote(NORTH, Ballot.YES),
        it.Say(NORTH, "psst", (EAST,)),
        it.Note(NORTH, "he is late"),
        it.ReserveBudget(NORTH, 200, 0.5),
        it.RecordModelCall(NORTH, said, 1),
        it.Announce("host", "back at eight"),
        it.Pause("host"),
        it.Resume("host"),
        it.Extend("host", 30.0),
        it.Downtime("server", 1.0),
        it.ForceTurn("host"),
        it.Leave(EAST),
        it.Join("Cid", EAST),
        it.Substitute("host", EAST, "Dan"),
        it.Remove("host", SOUTH, "cheats"),
        it.EndWithResult("host"),
    ):
        now += 2.0
        reaction = match.handle(step, now)
        assert reaction.refusal is None, (step, reaction.refusal)
    return match


def sealed() -> Match:
    """Return a match that requires seals: one seat acts without any, one seals each time it has talked."""
    seals = SealTerms(SealMode.REQUIRED)
    match = Match(BIDS, {"seats": 2}, Terms(conduct=DIPLOMACY, press=PressTerms(), seals=seals), 5)
    match.start(0.0)
    position = match.game.start({"seats": 2}, match.game.seats({"seats": 2}), 5)
    for step in (
        it.Join("Ann", NORTH),
        it.Join("Bob", EAST),
        it.Seal(NORTH, 4, {"PCE ( NOR EAS )": "keep"}, {"east": 1}, "wait"),
        it.Act(NORTH, position.default(NORTH)),
        it.Act(EAST, position.default(EAST)),
        it.Say(EAST, "peace?", (NORTH,)),
        it.Seal(NORTH, 3),
        it.Act(NORTH, position.default(NORTH)),
        it.Act(EAST, position.default(EAST)),
        it.EndWithResult("host"),
    ):
        match.handle(step, match.state.now + 1.0)
    return match


PLAYED: dict[str, Callable[[], Match]] = {"press": negotiated, "fish": fished, "hosted": hosted, "sealed": sealed}


@cache
def record_of(name: str) -> tuple[Game, tuple[Event, ...]]:
    if name in PLAYED:
        match = PLAYED[name]()
        return match.game, tuple(match.record)
    record = read_record(next(path for path in OLD if path.stem == name))
    assert isinstance(record[0], ev.Opened)
    return load_game(record[0].game), tuple(record)


RECORDS = [*PLAYED, *(path.stem for path in OLD)]


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_that_was_kept_holds_whatever_its_version(name: str) -> None:
    game, record = record_of(name)
    state = replay(record, game)
    assert state.outcome is not None
    assert Match.resume(record, game).over


def test_there_are_old_records_of_both_games() -> None:
    assert {record_of(path.stem)[0].name for path in OLD} == {"diplomacy", "fish"}
    assert {record_of(path.stem)[1][0].version for path in OLD} == {1}  # type: ignore[union-attr]
    assert {type(event) for path in OLD for event in record_of(path.stem)[1]} >= {ev.Said, ev.Voted, ev.PositionSet}


def test_an_old_record_that_goes_on_keeps_to_its_version() -> None:
    game, record = record_of("v1_diplomacy_hosted")
    number, voted = next((n, event) for n, event in enumerate(record) if isinstance(event, ev.Voted))
    match = Match.resume(record[:number], game)
    match.handle(it.Vote(voted.seat, voted.ballot), voted.at)
    match.handle(it.Cancel("host", "rain"), voted.at + 1.0)
    assert match.record[number] == voted
    assert match.record[-1] == ev.Ended(voted.at + 1.0, Outcome({}, (), "rain"))
    assert replay(match.record).outcome == match.outcome


# Mutations: one value of one event, or an event gone, doubled or in another place


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from leaves(inner, (*path, key))


def changed(value: Any, rng: random.Random) -> Any:
    match value:
        case bool():
            return not value
        case int():
            return value + rng.choice([-1, 1, 1000])
        case float():
            return value + rng.choice([-1.0, 1.0, 0.5, 1e6, -value])
        case str():
            return rng.choice(["", "x", value + " ", "north", "FRANCE", "red", "late", "yes", "remove", "A PAR - BUR"])
        case None:
            return rng.choice([0, "x", [], {}])
        case list():
            return rng.choice([[], value[1:], value[::-1], [*value, *value[:1]]])
        case dict():
            return rng.choice([{}, dict(list(value.items())[1:]), {**value, "x": 1}])


def is_testimony(event: dict[str, Any], field: str) -> bool:
    """Return True for what a moderator set and what a seat sealed: nothing else says what it was."""
    if event["event"] == "sealed":
        return field in ("action", "expects")
    return (event["event"], field) == ("position set", "position") or (field == "outcome" and event.get("by", "") != "")


def mutated(record: tuple[Event, ...], seed: int) -> tuple[list[Any], str]:
    """Return the record as plain values with one thing changed, and what that was."""
    rng = random.Random(seed)
    lines = [json.loads(encode(event)) for event in record]
    number = rng.randrange(len(lines) - 1)
    match rng.randrange(10):
        case 0:
            del lines[number]
            return lines, f"without event {number}"
        case 1:
            lines.insert(rng.randrange(len(lines)), copy.deepcopy(lines[number]))
            return lines, f"event {number} twice"
        case 2:
            lines.insert(rng.randrange(len(lines)), lines.pop(number))
            return lines, f"event {number} elsewhere"
    number = rng.randrange(len(lines))
    event = lines[number]
    *path, last = rng.choice([path for path in leaves(event) if path and not is_testimony(event, path[0])])
    inner = event
    for key in path:
        inner = inner[key]
    before, inner[last] = inner[last], changed(inner[last], rng)
    return lines, f"event {number}, {event['event']}: {[*path, last]} was {before!r} and is {inner[last]!r}"


def meaning(game: Game, record: tuple[Event, ...] | list[Event]) -> Any:
    """All that a match comes to: who sat down, each turn's actions and position, who was removed, how it ended."""
    state, turns = MatchState(game), []
    for event in record:
        state.fold(event)
        if isinstance(event, ev.Started | ev.TurnEnded):
            assert state.position is not None
            turns.append((event.seats if isinstance(event, ev.Started) else event.actions, state.position.encode()))
    outcome = state.outcome
    return turns, state.standings(), None if outcome is None else (outcome.scores, outcome.places)


@pytest.mark.parametrize("name", RECORDS)
@given(seed=st.integers(0, 1 << 32))
def test_whatever_is_changed_in_a_record_is_found_or_without_meaning(name: str, seed: int) -> None:
    game, record = record_of(name)
    lines, what = mutated(record, seed)
    try:
        forged = [decode(json.dumps(line), number) for number, line in enumerate(lines)]
        Match.resume(forged, game)
    except RecordError as error:
        refused = error.number
    else:
        refused = 0
        assert meaning(game, forged) == meaning(game, record), what
    assert refused is not None, what


def retyped(value: Any) -> Any:
    """A value that is equal in Python and another in a record; None if there is none."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int):
        return bool(value) if value in (0, 1) else float(value)
    return int(value) if isinstance(value, float) and value.is_integer() else None


@pytest.mark.parametrize("name", RECORDS)
def test_true_is_not_one_and_three_is_not_three_point_nought(name: str) -> None:
    game, record = record_of(name)
    lines = [json.loads(encode(event)) for event in record]
    of_kinds: dict[tuple[str, str], list[tuple[int, tuple[Any, ...]]]] = {}
    for number, line in enumerate(lines):
        for path in leaves(line):
            if path and not is_testimony(line, path[0]):
                kind = (line["event"], ".".join(str(key) for key in path if isinstance(key, str)))
                of_kinds.setdefault(kind, []).append((number, path))
    refused: list[int | None] = []
    for places in of_kinds.values():
        for number, path in places[:3]:
            line = inner = copy.deepcopy(lines[number])
            for key in path[:-1]:
                inner = inner[key]
            if (other := retyped(inner[path[-1]])) is None:
                continue
            inner[path[-1]] = other
            try:
                forged = decode(json.dumps(line), number)
                replay([*record[:number], forged, *record[number + 1 :]], game)
            except RecordError as error:
                refused.append(error.number)
            else:  # a time or a score, which is read as what it is
                assert encode(forged) == encode(record[number]), (number, path, other)
    assert refused
    assert None not in refused


def test_every_kind_of_event_is_in_these_records() -> None:
    found = {type(event) for name in RECORDS for event in record_of(name)[1]}
    assert found == set(ev.EVENTS)


# The forgeries that used to pass


def forged(name: str, kind: type[Event], **fields: Any) -> tuple[Game, list[Event], int]:
    game, record = record_of(name)
    number = next(number for number, event in enumerate(record) if isinstance(event, kind))
    changes = {field: value(getattr(record[number], field)) for field, value in fields.items()}
    events = [*record]
    events[number] = msgspec.structs.replace(record[number], **changes)
    return game, events, number


@pytest.mark.parametrize("name", ["press", "fish", "v1_diplomacy_press", "v1_fish"])
def test_swapped_places_and_zeroed_scores_are_found(name: str) -> None:
    for changes in (
        {"outcome": lambda outcome: msgspec.structs.replace(outcome, places=outcome.places[::-1])},
        {"outcome": lambda outcome: msgspec.structs.replace(outcome, scores=dict.fromkeys(outcome.scores, 0.5))},
        {"outcome": lambda outcome: msgspec.structs.replace(outcome, reason="bribed")},
        {"removed": lambda removed: {**removed, "FRANCE": Standing.CHEATER}},
        {"by": lambda by: "moderator"},
    ):
        game, events, number = forged(name, ev.Ended, **changes)
        with pytest.raises(RecordError, match=f"^event {number}: 'ended': the rules give another"):
            replay(events, game)


def test_another_seed_and_another_start_are_found() -> None:
    game, events, _ = forged("fish", ev.Opened, seed=lambda seed: seed + 1)
    with pytest.raises(RecordError, match="'started': the rules give another position"):
        replay(events, game)
    for name, fields in (
        ("fish", {"position": lambda board: {**board, "players": board["players"][::-1]}}),
        ("v1_fish", {"seats": lambda seats: seats[::-1]}),
        ("v1_fish", {"seats": lambda seats: ("nobody",)}),
    ):
        game, events, number = forged(name, ev.Started, **fields)
        with pytest.raises(RecordError, match=f"^event {number}: "):
            Match.resume(events, game)


@pytest.mark.parametrize("name", RECORDS)
def test_an_end_that_comes_early_or_twice_and_what_follows_it_are_found(name: str) -> None:
    game, record = record_of(name)
    over = next(number for number, event in enumerate(record) if isinstance(event, ev.Ended))
    turn = next(number for number, event in enumerate(record) if isinstance(event, ev.TurnEnded))
    ended = record[over]
    for events in (
        [*record[:turn], msgspec.structs.replace(ended, at=record[turn].at, by=""), *record[turn:]],
        [*record[: over + 1], ended],
        [*record, msgspec.structs.replace(record[turn], at=record[-1].at)],
    ):
        with pytest.raises(RecordError, match=r"^event \d+: "):
            replay(events, game)


@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        (ev.TurnBegan, {"turn": lambda turn: turn + 1}),
        (ev.TurnBegan, {"stage": lambda stage: "end"}),
        (ev.TurnBegan, {"to_act": lambda to_act: to_act[1:]}),
        (ev.TurnBegan, {"at": lambda at: at - 1.0}),
        (ev.TurnBegan, {"at": lambda at: float("nan")}),
        (ev.TurnEnded, {"turn": lambda turn: turn + 1}),
        (ev.TurnEnded, {"defaulted": lambda seats: (*seats, "nobody")}),
        (ev.TurnEnded, {"passed": lambda seats: (*seats, "nobody")}),
        (ev.Acted, {"turn": lambda turn: turn + 1}),
        (ev.Acted, {"seat": lambda seat: "nobody"}),
        (ev.Opened, {"version": lambda version: 3}),
        (ev.Opened, {"version": lambda version: 0}),
        (ev.Opened, {"game": lambda game: "nim"}),
        (ev.Opened, {"seed": lambda seed: 2**64}),
        (ev.Opened, {"seed": lambda seed: -(2**63) - 1}),
        (ev.Opened, {"at": lambda at: float("inf")}),
        (ev.Opened, {"date": lambda date: float("inf")}),
        (ev.Opened, {"terms": lambda terms: msgspec.structs.replace(terms, clock=Clock(per_turn=-1.0))}),
    ],
)
def test_wrong_turns_seats_times_and_terms_are_found(
    name: str, kind: type[Event], fields: dict[str, Callable[[Any], Any]]
) -> None:
    game, events, number = forged(name, kind, **fields)
    with pytest.raises(RecordError, match=f"^event {number}: "):
        Match.resume(events, game)


def test_times_of_a_match_with_a_date_are_microseconds_that_differ() -> None:
    match = hosted()
    times = [round(event.at * 1e6) for event in match.record]
    assert len(set(times)) == len(times)
    assert times == sorted(times)
    assert [time / 1e6 for time in times] == [event.at for event in match.record]
    assert match.opening.moment(match.record[-1]) == match.record[-1].at
    game, record = record_of("hosted")
    joined = next(number for number, event in enumerate(record) if isinstance(event, ev.Joined))
    for at in (record[joined - 1].at, record[joined].at + 5e-7):
        events = [*record]
        events[joined] = msgspec.structs.replace(record[joined], at=at)
        with pytest.raises(RecordError, match=f"^event {joined}: 'joined' at"):
            replay(events, game)


def test_a_match_without_a_date_has_no_moments() -> None:
    _, record = record_of("v1_fish")
    assert isinstance(record[0], ev.Opened)
    assert record[0].moment(record[-1]) is None


def test_a_foul_that_conduct_does_not_punish_so_is_found() -> None:
    game, record = record_of("v1_fish")
    number, fouled = next((n, event) for n, event in enumerate(record) if isinstance(event, ev.Fouled))
    assert fouled.violation is not None
    for changes in (
        {"standing": Standing.FAILURE},
        {"detail": "something else"},
        {"stage": "placement"},
        {"seat": Seat("black") if fouled.seat != "black" else Seat("white")},
    ):
        events = [*record]
        events[number] = msgspec.structs.replace(fouled, **changes)
        with pytest.raises(RecordError):
            replay(events, game)


def test_what_was_mended_must_be_allowed_and_conduct_must_mend() -> None:
    game, record = record_of("v1_diplomacy_hosted")
    acts = ((number, event) for number, event in enumerate(record) if isinstance(event, ev.Acted))
    number, acted = next((number, event) for number, event in acts if event.violations)
    for changes in ({"action": ["A PAR - MOS"]}, {"seat": Seat("GERMANY")}, {"by": "host", "seat": Seat("GERMANY")}):
        events = [*record]
        events[number] = msgspec.structs.replace(acted, **changes)
        with pytest.raises(RecordError, match=r"^event \d+: "):
            replay(events, game)
    strict = msgspec.structs.replace(record[0], terms=msgspec.structs.replace(record[0].terms, conduct=LENIENT))  # type: ignore[union-attr]
    with pytest.raises(RecordError, match=f"^event {number}: 'acted' follows from neither"):
        replay([strict, *record[1:]], game)
