"""Snapshots: a match wakes from one as it would from its whole record, and goes on as if it had never slept."""

from __future__ import annotations

import contextlib
from dataclasses import fields

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.core.game import Game, Plain
from parlour.core.terms import PressMode, PressTerms, Terms
from parlour.core.viewers import SPECTATOR
from parlour.errors import RecordError
from parlour.games import load_game
from parlour.referee import snapshots
from parlour.referee.conduct import HOSTED
from parlour.referee.match import Match
from parlour.referee.record import encode
from parlour.referee.snapshots import VERSION, freeze, thaw
from parlour.referee.state import MatchState
from parlour.referee.table import Table
from parlour.testing import BIDS, NIM
from support.matches.hostile import Timed, configs, steps, terms
from support.matches.tables import EAST, NORTH, SOUTH, begun, it


def stepped(match: Match, steps: list[Timed], now: float) -> float:
    for wait, intent in steps:
        now += wait
        if intent is None:
            match.tick(now)
        else:
            match.handle(intent, now)
    return now


@given(st.sampled_from([NIM, BIDS]), configs, terms, steps, steps, st.booleans(), st.data())
def test_a_match_wakes_from_a_snapshot_as_from_its_record_and_goes_on(
    game: Game,
    config: dict[str, Plain],
    terms: Terms,
    before: list[Timed],
    after: list[Timed],
    dated: bool,
    data: st.DataObject,
) -> None:
    match = Match(game, config, terms, 7, dated=dated)
    match.start(0.0)
    seats: list[Timed] = [(0.0, it.Join(f"player {seat}", seat)) for seat in game.seats(config)]
    now = stepped(match, [*seats, (0.0, it.Start("test")), *before], 0.0)
    cut = data.draw(st.integers(1, len(match.record)))
    frozen = freeze(Match.resume(match.record[:cut], game).state)
    woken = Match.from_state(thaw(frozen, game), match.record[cut:])
    count = len(match.record)
    assert freeze(woken.state) == freeze(match.state)
    assert woken.due() == match.due()
    assert woken.record == []
    for side in (match, woken):
        stepped(side, after, now)
    assert [encode(event) for event in woken.record] == [encode(event) for event in match.record[count:]]


def test_a_snapshot_is_of_one_game() -> None:
    match = begun(load_game("fish"))
    assert thaw(freeze(match.state), match.game).position == match.position
    with pytest.raises(RecordError, match=f"got {VERSION} of 'fish'"):
        thaw(freeze(match.state), BIDS)


def test_every_field_of_the_state_is_in_a_snapshot() -> None:
    kept = {field.name for field in fields(MatchState)} - {"game", "terms", "ahead", "rows", "shown"}
    assert kept == set(snapshots._Frozen.__struct_fields__) - {"version"}


@pytest.mark.parametrize("body", [b"", b"\xc1", b"\x80", msgspec.msgpack.encode([2, 1.0])])
def test_what_is_no_snapshot_is_refused(body: bytes) -> None:
    with pytest.raises(RecordError, match="not a snapshot"):
        thaw(body, BIDS)


@given(st.data())
def test_of_a_damaged_snapshot_comes_another_state_or_a_sentence(data: st.DataObject) -> None:
    body = bytearray(freeze(begun(BIDS).state))
    for _ in range(data.draw(st.integers(1, 3))):
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(RecordError):
        assert isinstance(thaw(bytes(body), BIDS), MatchState)


def test_a_name_that_is_no_text_is_told() -> None:
    body = freeze(begun(BIDS).state)
    assert body.count(b"north")
    with pytest.raises(RecordError, match="not a snapshot: 'utf-8' codec"):
        thaw(body.replace(b"north", b"\xffnort"), BIDS)


def test_a_snapshot_of_another_version_or_with_another_board_is_refused() -> None:
    fields = dict(
        zip(snapshots._Frozen.__struct_fields__, msgspec.msgpack.decode(freeze(begun(BIDS).state)), strict=True)
    )
    for change, words in (({"version": 9}, "got 9 of"), ({"position": {"heap": 3}}, "not a snapshot: not a position")):
        with pytest.raises(RecordError, match=words):
            thaw(msgspec.msgpack.encode([*(fields | change).values()]), BIDS)


async def test_a_table_whose_match_has_forgotten_numbers_on() -> None:
    match = Match(BIDS, {}, Terms(conduct=HOSTED, press=PressTerms(PressMode.ANYTIME)), 7)
    table = Table(match, lambda: 0.0)
    await table.open()
    for seat in (NORTH, EAST, SOUTH):
        await table.handle(it.Join(f"player {seat}", seat))
    await table.handle(it.Say(NORTH, "psst", (EAST,)))
    whole = table.seen(SPECTATOR)
    match.record.clear()  # it is in the store
    heard: list[int] = []
    table.watch(SPECTATOR, lambda told: heard.append(told.k))
    await table.handle(it.SetWait(NORTH, True))
    assert heard == [whole]
