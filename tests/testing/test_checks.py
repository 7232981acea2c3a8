"""The conformance checks pass what is right and say what is wrong with what is not."""

# Why real time passes here: a player that is too slow for a check is so in real time.

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest

from parlour.agents import make_agent
from parlour.agents.press.base import PressAgent
from parlour.agents.press.talker import Offers
from parlour.core.events import Said
from parlour.core.game import Action, Game, Happened, Outcome, Plain, Seat, Seed, View, Violation
from parlour.core.player import ObservedEvent, Player
from parlour.games import games, load_game
from parlour.games.diplomacy import GAME, Position
from parlour.press.agreements.proposals import Proposal
from parlour.press.language import message_types as v
from parlour.testing import BIDS, NIM, RandomPlayer, ScriptedPlayer, check_game, check_player, check_press
from parlour.testing.toys import NimGame, NimPosition


@pytest.mark.parametrize("game", [NIM, BIDS])
def test_the_toys_keep_the_contract(game: Game) -> None:
    check_game(game)


@pytest.mark.parametrize("name", games())
def test_the_games_that_ship_keep_the_contract(name: str) -> None:
    config: dict[str, dict[str, Plain]] = {"diplomacy": {"last_year": 1903}, "fish": {"rows": 4, "cols": 4}}
    check_game(load_game(name), config[name], matches=2, turns=40)


@dataclass(frozen=True, slots=True)
class BadNim(NimPosition):
    """Nim with one fault, chosen by name."""

    fault: str = ""

    def check(self, seat: Seat, action: Action) -> tuple[Violation, ...]:
        if self.fault == "illegal sample" and action == 1:
            return (Violation("heap", "", "one is too few"),)
        return NimPosition.check(self, seat, action)

    def apply(self, actions: Mapping[Seat, Action]) -> tuple[NimPosition, Happened]:
        position, happened = NimPosition.apply(self, actions)
        if self.fault == "not plain":
            happened = {"stones": {1, 2}}
        return position, happened

    def without(self, seat: Seat) -> NimPosition:
        return self if self.fault == "immortal" else NimPosition.without(self, seat)

    def outcome(self) -> Outcome | None:
        return Outcome({}, (), "early") if self.fault == "early end" else NimPosition.outcome(self)

    def encode(self) -> Plain:
        return NimPosition.encode(self) if self.fault != "tuples" else {"heap": (1, 2)}


class BadGame(NimGame):
    def __init__(self, fault: str) -> None:
        self.fault = fault
        self.starts = 0

    def start(self, config: Mapping[str, Plain], seats: Any, seed: Seed) -> NimPosition:
        self.starts += 1
        heap = 12 + (self.starts if self.fault == "unseeded" else 0)
        return BadNim(heap, tuple(seats), fault=self.fault)

    def decode(self, value: Plain) -> NimPosition:
        position = super().decode(value)
        return replace(position, heap=1) if self.fault == "forgetful" else position


@pytest.mark.parametrize(
    ("fault", "complaint"),
    [
        ("illegal sample", "a sampled action is legal"),
        ("not plain", "must be a plain value|must survive JSON"),
        ("immortal", "a removed seat is not to act"),
        ("early end", "nobody is to act when there is an outcome"),
        ("tuples", "must survive JSON"),
        ("unseeded", "the same seed gives the same start"),
        ("forgetful", "decode gives back what encode gave"),
    ],
)
def test_a_faulty_game_is_told_what_is_wrong(fault: str, complaint: str) -> None:
    with pytest.raises(AssertionError, match=complaint):
        check_game(BadGame(fault))


def test_a_good_player_passes_on_every_seat() -> None:
    check_player(NIM, lambda: RandomPlayer(3), matches=1)


class Suitor(PressAgent):
    """Talks well."""

    def offers(self, position: Position) -> Offers:
        for power in self.others():
            yield [power], v.Peace((self.me, power))


class SelfLover(PressAgent):
    """Proposes what the table refuses."""

    def offers(self, position: Position) -> Offers:
        for power in self.others():
            yield [power], v.Peace((self.me, self.me))


class Fragile(PressAgent):
    """Cannot stand being asked."""

    def accepts(self, proposal: Proposal, position: Position) -> bool:
        raise KeyError(proposal.proposer)


class Mute(RandomPlayer):
    """Says that it talks, and neither does nor gets ready to."""

    player_type = "press_bot"


class Brooder(Suitor):
    """Never comes back from the first proposal that it gets."""

    async def on_event(self, observed: ObservedEvent) -> None:  # type: ignore[override]
        event = observed.event
        await asyncio.sleep(0 if not isinstance(event, Said) else 3600)
        super().on_event(observed)  # or it would never be ready to hear one


class Sleeper(PressAgent):
    """Neither does this one, and it blocks its thread."""

    def accepts(self, proposal: Proposal, position: Position) -> bool:
        return threading.Event().wait(3600)


class Babbler(PressAgent):
    """Offers without end."""

    def offers(self, position: Position) -> Offers:
        while True:
            yield [self.others()[0]], v.Peace((self.me, self.others()[0]))


def test_a_press_bot_that_never_stops_to_offer_is_told_how_much_is_too_much() -> None:
    with pytest.raises(AssertionError, match="at most 200 messages per turn"):
        check_press(Babbler)


@pytest.mark.parametrize("player", [Brooder, Sleeper])
def test_a_press_bot_that_broods_for_ever_fails(player: type[PressAgent]) -> None:
    # On a busy machine the time of the whole match may be up first.
    with pytest.raises(AssertionError, match=r"did not return within 0\.2 seconds|not over within 0\.6 seconds"):
        check_press(player, per_turn=0.2)


@pytest.mark.parametrize("player", [Suitor, lambda: Mute(1)])
def test_a_press_bot_that_talks_well_or_not_at_all_passes(player: Any) -> None:
    check_press(player)


@pytest.mark.parametrize(
    ("player", "complaint"),
    [
        (SelfLover, r"with press, on AUSTRIA: message to ENGLAND was refused: PRP \( PCE \( AUS AUS .*; and 1 more"),
        (Fragile, r"removed as failure on \w+ in a match with press: crashed .*test_checks.py:\d+, in accepts"),
    ],
)
def test_a_press_bot_is_told_what_is_wrong_with_its_talk(player: Any, complaint: str) -> None:
    with pytest.raises(AssertionError, match=complaint):
        check_player(GAME, player, {"last_year": 1901}, matches=1)


def test_a_press_bot_is_tried_on_its_own_map() -> None:
    check_press(lambda: make_agent("diplomacy", "peace", 0), {"map": "lagoon", "last_year": 1950})


class Cheat:
    def act(self, view: View) -> Action:
        return 99


@pytest.mark.parametrize(
    ("player", "complaint"), [(Cheat, "removed as cheater"), (lambda: ScriptedPlayer([ValueError("oops")]), "oops")]
)
def test_a_bad_player_is_told_what_it_did(player: Any, complaint: str) -> None:
    made: Player = player()
    assert made is not None
    with pytest.raises(AssertionError, match=complaint):
        check_player(NIM, player, matches=1)
