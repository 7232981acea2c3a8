"""The author of a bot learns where it crashed and which of its messages nobody got."""

from __future__ import annotations

from typing import Any

import pytest

from parlour.agents import make_agent
from parlour.agents.press.base import PressAgent
from parlour.agents.press.talker import Offers
from parlour.agents.watched import Crash, Mishap, Undelivered, Watched, place_of
from parlour.core.game import Action, View
from parlour.core.intents import CommStatus, PlayerType, Refusal, RefusalCode
from parlour.core.player import Player, SeatHandle
from parlour.core.terms import PressMode, PressTerms, Terms
from parlour.errors import NotationError
from parlour.games.diplomacy.game import Diplomacy
from parlour.games.diplomacy.position import Position
from parlour.press.language import message_types as v
from parlour.referee.callers import is_async
from parlour.referee.conduct import PRESETS
from parlour.referee.local import play
from parlour.referee.match import Match
from parlour.testing import RandomPlayer

GAME = Diplomacy()
WORDS: dict[str, str] = {}
SHIPPED = ("silent", "yesman", "noman", "proposer", "peace", "broker", "reciprocator", "stabber")


def mishaps(player: Player, *, mode: PressMode = PressMode.WINDOW, others: str = "yesman") -> list[Mishap]:
    """Return the faults of a player that is France for a year."""
    found: list[Mishap] = []
    seats = GAME.seats({})
    players: dict[Any, Player] = {seat: make_agent("diplomacy", others, i) for i, seat in enumerate(seats)}
    players[seats[2]] = Watched(player, found.append)
    play(Match(GAME, {"last_year": 1901}, Terms(conduct=PRESETS["diplomacy"], press=PressTerms(mode)), 1), players)
    return found


class Clumsy(PressAgent):
    honest = False

    def offers(self, position: Position) -> Offers:
        yield ["ITA"], v.Peace(("FRA", "FRA"))
        yield ["ITA"], v.Peace(("FRA", "ITA"))
        yield ["ITA"], v.Demilitarized(("FRA", "ITA"), ("ENG",))
        yield ["ITA", "ENG"], v.Propose(v.Peace(("FRA", "ITA")))  # type: ignore[misc]  # proposed twice


@pytest.mark.parametrize("mode", [PressMode.WINDOW, PressMode.ANYTIME])
def test_refused_messages_are_noted_with_message_and_reason(mode: PressMode) -> None:
    first_turn = mishaps(Clumsy(), mode=mode)[:3]
    assert [str(mishap) for mishap in first_turn] == [
        "message to ITALY was refused: PRP ( PCE ( FRA FRA ) ): duplicate power: FRA is listed twice",
        "message to ITALY was refused: PRP ( DMZ ( FRA ITA ) ( ENG ) ): press that cannot be read; token 8: expected "
        "province (English Channel is ECH in press) (HUH ( PRP ( DMZ ( FRA ITA ) ( ERR ENG ) ) ))",
        "message to ITALY, ENGLAND was refused: PRP ( PRP ( PCE ( FRA ITA ) ) ): press that cannot be read; token 2: "
        "expected arrangement (HUH ( PRP ( ERR PRP ( PCE ( FRA ITA ) ) ) ))",
    ]
    assert {mishap.seat for mishap in first_turn} == {"FRANCE"}


@pytest.mark.parametrize("name", SHIPPED)
@pytest.mark.parametrize("others", ["proposer", "silent"])
def test_what_ships_says_nothing_that_is_refused(name: str, others: str) -> None:
    assert mishaps(make_agent("diplomacy", name, 3), others=others) == []


class Whisperer(RandomPlayer):
    """No press agent, and not told anything: it only speaks."""

    player_type = PlayerType.PRESS_BOT

    def on_seated(self, handle: SeatHandle) -> None:
        self.handle = handle

    def on_start(self, view: View) -> None:
        self.handle.set_wait(False)  # refused, for it is down already
        self.handle.set_comm_status(CommStatus.READY)
        self.handle.say("hello")
        self.handle.say("bonjour\n\x1b[2J" * 100)
        self.handle.say("psst", [self.handle.seat])


def test_a_refusal_of_something_else_is_not_taken_for_that_of_a_message() -> None:
    found = mishaps(Whisperer(1), mode=PressMode.ANYTIME)
    assert [str(mishap) for mishap in found] == [
        "message to FRANCE was refused: psst: press to oneself is not delivered"
    ]


def test_what_is_noted_is_one_line_of_bounded_length() -> None:
    found = mishaps(Whisperer(1), mode=PressMode.NONE)
    assert len(found) == 3
    assert all(isinstance(mishap, Undelivered) and str(mishap).isprintable() for mishap in found)
    assert max(len(str(mishap)) for mishap in found) < 500


class Breaks(PressAgent):
    def offers(self, position: Position) -> Offers:
        return [(["ITA"], v.Peace(("FRA", WORDS["ITA"])))]


class WrongWord(PressAgent):
    def offers(self, position: Position) -> Offers:
        yield ["ITALY"], v.Peace(("FRA", "ITA"))


class NoArrangement(PressAgent):
    def offers(self, position: Position) -> Offers:
        yield ["ITA"], v.Execute("A PAR - BUR")  # type: ignore[arg-type]  # a string is no order


class Quits:
    async def act(self, view: View) -> Action:
        raise SystemExit


@pytest.mark.parametrize(
    ("player", "note"),
    [
        (Breaks(), "on_event crashed at {place}, in offers: KeyError: 'ITA'"),
        (WrongWord(), "on_event crashed at {place}, in offers: ValueError: offers: 'ITALY' is no power's word"),
        (NoArrangement(), "on_event crashed at {place}, in offers: TypeError: offers: Execute(order='A PAR"),
        (Quits(), "act crashed at {place}, in act: SystemExit"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_crash_is_noted_with_its_place_in_the_authors_file(player: Player, note: str) -> None:
    crash = mishaps(player)[0]
    assert isinstance(crash, Crash)
    method = type(player).__dict__["act" if isinstance(player, Quits) else "offers"]
    assert str(crash).startswith(note.format(place=f"test_watched.py:{method.__code__.co_firstlineno + 1}"))
    assert crash.seat == "FRANCE"


def test_a_place_in_our_own_files_is_better_than_none() -> None:
    with pytest.raises(NotationError) as caught:
        GAME.decode({})
    assert caught.value.__traceback__ is not None
    assert place_of(caught.value.with_traceback(caught.value.__traceback__.tb_next)).endswith(", in decode")
    assert place_of(KeyError()) == "an unknown place"


def test_a_watched_player_is_async_if_it_was() -> None:
    assert is_async(Watched(Quits(), print))
    assert not is_async(Watched(RandomPlayer(1), print))


def test_a_watched_player_has_what_the_player_has() -> None:
    watched = Watched(Clumsy(), print)
    assert watched.player_type is PlayerType.PRESS_BOT
    assert watched.honest is False
    assert not hasattr(watched, "identify")


def test_refusals_before_it_sits_down_are_handed_on() -> None:
    heard: list[object] = []

    class Listens(RandomPlayer):
        def on_refused(self, refusal: object) -> None:
            heard.append(refusal)

    refusal = Refusal(RefusalCode.BAD_VALUE, "no")
    Watched(Listens(1), print).on_refused(refusal)
    assert heard == [refusal]
