"""Seals: who may write a plan down, when an action has to wait for one, and that nobody learns of it."""

from __future__ import annotations

from typing import Any

import pytest

from parlour.core import events as ev
from parlour.core.game import Seat
from parlour.core.intents import CommStatus, PlayerType, Refusal
from parlour.core.terms import PressMode, PressTerms, SealMode, SealOpening, SealTerms, Terms
from parlour.core.viewers import OMNISCIENT, SPECTATOR, seated_on
from parlour.referee.conduct import DIPLOMACY
from parlour.referee.match import Match, replay
from parlour.referee.record import decode, encode
from parlour.referee.rules.seals import MAX_SEAL, MAX_SEALS_PER_TURN
from parlour.testing import BIDS
from support.matches.tables import EAST, NORTH, it

BOT = PlayerType.PRESS_BOT


def opened(mode: SealMode, press: PressMode = PressMode.ANYTIME, kind: PlayerType = BOT, **more: Any) -> Match:
    terms = Terms(conduct=DIPLOMACY, press=PressTerms(press), seals=SealTerms(mode, **more))
    match = Match(BIDS, {"seats": 2}, terms, 5)
    match.start(0.0)
    for seat in (NORTH, EAST):
        match.handle(it.Join(f"player {seat}", seat, kind), 0.0)
    return match


def hand_in(match: Match, intent: it.Intent) -> Refusal | None:
    return match.handle(intent, match.state.now + 1.0).refusal


def bid(match: Match, seat: Seat) -> it.Act:
    return it.Act(seat, match.position.default(seat))


def test_a_seal_is_written_down_as_said_and_replaces_nothing_but_itself() -> None:
    match = opened(SealMode.INVITED)
    seal = it.Seal(NORTH, 7, {"PCE ( NOR EAS )": "until F1901"}, {"east": 3}, "later")
    assert hand_in(match, seal) is None
    event = match.record[-1]
    assert event == ev.Sealed(1.0, NORTH, 1, 7, seal.stances, seal.expects, "later")
    assert decode(encode(event), 0) == event
    assert replay(match.record, BIDS).places[NORTH].sealed


@pytest.mark.parametrize(
    ("seal", "code"),
    [
        (it.Seal(NORTH), "bad value"),
        (it.Seal(NORTH, text="  "), "bad value"),
        (it.Seal(NORTH, text="x" * MAX_SEAL), "too long"),
        (it.Seal(NORTH, ["A PAR H"] * 3000), "too long"),
        (it.Seal(NORTH, 1 << 70), "bad value"),
        (it.Seal(NORTH, text="\ud800"), "bad value"),
        (it.Seal(NORTH, 1, expects={"nobody": 1}), "unknown seat"),
        (it.Seal(Seat("nobody"), 1), "unknown seat"),
    ],
)
def test_a_seal_that_cannot_be_kept_is_refused(seal: it.Seal, code: str) -> None:
    match = opened(SealMode.INVITED)
    refusal = hand_in(match, seal)
    assert refusal is not None
    assert refusal.code == code


def test_a_seat_seals_only_so_often_and_not_before_or_after_play() -> None:
    match = opened(SealMode.INVITED)
    for _ in range(MAX_SEALS_PER_TURN):
        assert hand_in(match, it.Seal(NORTH, 1)) is None
    refusal = hand_in(match, it.Seal(NORTH, 1))
    assert refusal is not None
    assert refusal.code == "too much"
    match.handle(it.EndWithResult("host"), match.state.now)
    over = hand_in(match, it.Seal(NORTH, 1))
    assert over is not None
    assert over.code == "over"
    early = Match(BIDS, {"seats": 2}, match.terms, 5)
    early.start(0.0)
    early.handle(it.Join("Ann", NORTH), 0.0)
    refused = hand_in(early, it.Seal(NORTH, 1))
    assert refused is not None
    assert refused.code == "not started"


def test_without_terms_nothing_is_sealed_and_nothing_changes() -> None:
    match = opened(SealMode.NONE)
    refusal = hand_in(match, it.Seal(NORTH, 1))
    assert refusal is not None
    assert refusal.code == "no seals"
    assert b"seals" not in encode(ev.Opened(0.0, "bids", {}, Terms(conduct=DIPLOMACY), 1))
    assert b"unsealed" not in encode(ev.Acted(0.0, NORTH, 1, 2))


def test_an_action_without_a_seal_is_refused_once_and_then_taken_and_marked() -> None:
    match = opened(SealMode.REQUIRED)
    reaction = match.handle(bid(match, NORTH), 1.0)
    assert reaction.refusal is not None
    assert reaction.refusal.code == "unsealed"
    assert [type(event) for event in reaction.events] == [ev.SealWanted]
    assert [ask.seat for ask in reaction.asks] == [NORTH], "a player in this program is asked again"
    assert hand_in(match, bid(match, NORTH)) is None
    acted = match.record[-1]
    assert isinstance(acted, ev.Acted)
    assert acted.unsealed is True
    assert match.seen_by(acted, seated_on(EAST)) == ev.Acted(2.0, NORTH, 1, None)
    assert replay(match.record, BIDS).places[NORTH].acted


def test_players_whose_protocol_has_no_seals_are_not_refused_but_marked() -> None:
    match = opened(SealMode.REQUIRED)
    assert hand_in(match, it.Act(NORTH, match.position.default(NORTH), sealable=False)) is None
    assert match.record[-1].unsealed is True  # type: ignore[union-attr]
    assert replay(match.record, BIDS).places[NORTH].acted


def test_a_seal_is_stale_after_a_message_to_or_from_the_seat() -> None:
    match = opened(SealMode.REQUIRED)
    for seat in (NORTH, EAST):
        assert hand_in(match, it.Seal(seat, 1)) is None
    assert hand_in(match, bid(match, NORTH)) is None
    assert match.record[-1].unsealed is not True  # type: ignore[union-attr]
    assert hand_in(match, it.Say(EAST, "hello", (NORTH,))) is None
    for seat in (NORTH, EAST):
        refusal = hand_in(match, bid(match, seat))
        assert refusal is not None
        assert refusal.code == "unsealed"


def test_bots_that_never_talk_and_proxies_need_no_seal() -> None:
    match = opened(SealMode.REQUIRED, kind=PlayerType.NO_PRESS_BOT)
    assert hand_in(match, bid(match, NORTH)) is None
    match = opened(SealMode.REQUIRED)
    assert hand_in(match, it.Act(NORTH, match.position.default(NORTH), by="host")) is None


def test_the_window_opens_when_all_press_bots_have_sealed_or_acted_without() -> None:
    match = opened(SealMode.REQUIRED, PressMode.WINDOW)
    for seat in (NORTH, EAST):
        assert hand_in(match, it.SetCommStatus(seat, CommStatus.READY)) is None
    assert match.state.window_until is None
    assert hand_in(match, it.Seal(NORTH, 1)) is None
    assert match.state.window_until is None
    hand_in(match, bid(match, EAST))
    assert match.state.window_until is not None, "a bot that cannot seal does not hold up the others"


def test_turns_are_drawn_from_the_seed_and_all_know_which() -> None:
    drawn = []
    for seed in range(40):
        terms = Terms(conduct=DIPLOMACY, press=PressTerms(), seals=SealTerms(SealMode.DRAWN, chance=0.5))
        match = Match(BIDS, {"seats": 2}, terms, seed)
        match.start(0.0)
        for seat in (NORTH, EAST):
            match.handle(it.Join(f"player {seat}", seat, BOT), 0.0)
        drawn.append(match.state.view().sealing)
        refusal = hand_in(match, it.Seal(NORTH, 1))
        assert (refusal is None) is drawn[-1]
        assert replay(match.record, BIDS).sealing is drawn[-1]
    assert 10 < sum(drawn) < 30


@pytest.mark.parametrize("opens", SealOpening)
def test_nobody_learns_how_many_seals_there_are_before_they_open(opens: SealOpening) -> None:
    match = opened(SealMode.INVITED, opens=opens)
    before = [match.state.visible(viewer) for viewer in (SPECTATOR, seated_on(EAST), seated_on(NORTH), OMNISCIENT)]
    views = [match.state.view().seen(viewer) for viewer in (SPECTATOR, seated_on(EAST))]
    for _ in range(3):
        hand_in(match, it.Seal(NORTH, 1))
    after = [match.state.visible(viewer) for viewer in (SPECTATOR, seated_on(EAST), seated_on(NORTH), OMNISCIENT)]
    assert [b - a for a, b in zip(before, after, strict=True)] == [0, 0, 3, 3]
    assert views == [match.state.view().seen(viewer) for viewer in (SPECTATOR, seated_on(EAST))]
    match.handle(it.EndWithResult("host"), match.state.now)
    later = SPECTATOR.looking_back()
    seen = [event for event in match.record if match.seen_by(event, later) is not None]
    assert len(seen) == match.state.visible(later)
    assert any(isinstance(event, ev.Sealed) for event in seen) is (opens is SealOpening.MATCH)
