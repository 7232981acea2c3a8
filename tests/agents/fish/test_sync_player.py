"""The player interface with sync and kicks: who is told what, and when."""

from __future__ import annotations

from typing import Any

import pytest

from parlour.agents.fish.abstract_player import AbstractPlayer, AbstractPlayerSeat
from parlour.agents.fish.interfaces import seated
from parlour.agents.fish.lookahead import LookAheadPlayer, best_move
from parlour.agents.fish.sync_player import SyncPlayerSeat
from parlour.core.events import Removed, TurnEnded
from parlour.core.terms import Terms
from parlour.errors import ConfigError
from parlour.games.fish import COLOURS, GAME
from parlour.games.fish.notation import read_state, write_move
from parlour.referee.conduct import LENIENT, STRICT
from parlour.referee.local import play
from parlour.referee.match import Match
from parlour.testing import observed

RED, WHITE, BROWN = COLOURS[:3]


class Diary:
    """Plays by the states it is given, and writes down every call."""

    def __init__(self, cheat_at: int = 10**6) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.id = ""
        self.state: dict[str, Any] = {}
        self.cheat_at = cheat_at

    def setup(self, player_id: str, state: dict[str, Any]) -> None:
        self.calls.append(("setup", player_id))
        self.id, self.state = player_id, state

    def place_request(self) -> Any:
        self.calls.append(("place_request",))
        taken = [spot for side in self.state["players"] for spot in side["places"]]
        if len(taken) >= self.cheat_at:
            return taken[0]
        rows = self.state["board"]
        free = [[r, c] for r, row in enumerate(rows) for c, fish in enumerate(row) if fish and [r, c] not in taken]
        return free[0]

    def move_request(self) -> Any:
        self.calls.append(("move_request",))
        assert self.state["players"][0]["color"] == self.id, "synced before it is asked"
        move = best_move(read_state(self.state), 1)
        assert move is not None
        return write_move(move)

    def sync(self, state: dict[str, Any]) -> None:
        self.calls.append(("sync",))
        self.state = state

    def kick_player(self, reason: str) -> None:
        self.calls.append(("kick_player", reason))

    def game_over(self, leaderboard: dict[str, int], cheaters: list[str], invalid: list[str]) -> None:
        self.calls.append(("game_over", leaderboard, cheaters, invalid))


def test_everyone_is_synced_after_every_placement_and_move() -> None:
    diaries = {RED: Diary(), WHITE: Diary()}
    match = Match(GAME, {"players": 2}, Terms(STRICT), seed=1)
    outcome = play(match, {seat: SyncPlayerSeat(diary) for seat, diary in diaries.items()})
    turns = sum(isinstance(event, TurnEnded) for event in match.record)
    for seat, diary in diaries.items():
        assert diary.calls[0] == ("setup", seat)
        assert diary.calls.count(("sync",)) == turns
        assert diary.calls.count(("place_request",)) == 4
        scores = {colour: int(score) for colour, score in outcome.scores.items()}
        assert diary.calls[-1] == ("game_over", scores, [], [])
        assert all(type(score) is int for score in scores.values())


def test_a_cheater_is_kicked_and_the_others_are_synced() -> None:
    cheater, diary = Diary(cheat_at=4), Diary()
    match = Match(GAME, {"players": 3}, Terms(STRICT), seed=1)
    play(match, {RED: SyncPlayerSeat(diary), WHITE: SyncPlayerSeat(cheater), BROWN: LookAheadPlayer(1)})
    assert cheater.calls[-1][0] == "kick_player"
    assert "already a penguin" in cheater.calls[-1][1]
    changes = [event for event in match.record if isinstance(event, (TurnEnded, Removed))]
    assert diary.calls.count(("sync",)) == len(changes)
    assert ("kick_player",) not in {call[:1] for call in diary.calls}
    _, leaderboard, cheaters, invalid = diary.calls[-1]
    assert sorted(leaderboard) == ["brown", "red"]
    assert (cheaters, invalid) == (["white"], [])


def test_an_answer_that_is_none_counts_as_invalid_not_as_cheating() -> None:
    class Mute(Diary):
        def place_request(self) -> Any:
            return None

    mute, diary = Mute(), Diary()
    match = Match(GAME, {"players": 3}, Terms(STRICT), seed=1)
    play(match, {RED: SyncPlayerSeat(mute), WHITE: SyncPlayerSeat(diary), BROWN: LookAheadPlayer(1)})
    assert mute.calls[-1][0] == "kick_player"
    assert diary.calls[-1][2:] == ([], ["red"])


@pytest.mark.parametrize("conduct", [LENIENT, STRICT], ids=["lenient", "strict"])
def test_both_interfaces_meet_at_one_table(conduct: Any) -> None:
    class FirstFree(AbstractPlayer):
        def receive_gamestate(self, gamestate: dict[str, Any]) -> None:
            self.state = gamestate

        def receive_error(self, errormessage: dict[str, str]) -> None:
            raise AssertionError(errormessage)

        def place_penguin(self) -> tuple[int, int]:
            taken = {spot for side in self.state["Players"].values() for spot in side["penguins"]}
            spots = ((x, y) for y, row in enumerate(self.state["Board"]) for x, fish in enumerate(row) if fish)
            return next(spot for spot in spots if spot not in taken)

        def send_next_move(self) -> tuple[tuple[int, int], tuple[int, int]]:
            players = [
                {
                    "color": side["color"].lower(),
                    "score": side["score"],
                    "places": [[y, x] for x, y in side["penguins"]],
                }
                for side in (self.state["Players"][color] for color in self.state["Turns"])
            ]
            move = best_move(read_state({"players": players, "board": self.state["Board"]}), 2)
            assert move is not None
            return (move[0][1], move[0][0]), (move[1][1], move[1][0])

        def identify(self) -> dict[str, Any]:
            return {"Name": "First", "Age": 3}

    match = Match(GAME, {"players": 3}, Terms(conduct), seed=5)
    outcome = play(match, {RED: seated(FirstFree()), WHITE: seated(Diary()), BROWN: seated(LookAheadPlayer(2))})
    assert len(outcome.scores) == 3
    assert not any(place.notes for place in match.state.places.values())


def test_players_are_recognised_by_their_methods() -> None:
    assert isinstance(seated(Diary()), SyncPlayerSeat)
    player = LookAheadPlayer(1)
    assert seated(player) is player

    class Pulled:
        def recieve_gamestate(self, gamestate: dict[str, Any]) -> None: ...
        def place_penguin(self) -> None: ...
        def send_next_move(self) -> None: ...

    assert isinstance(seated(Pulled()), AbstractPlayerSeat)
    with pytest.raises(ConfigError, match="object has neither act"):
        seated(object())


def test_events_before_the_start_sync_nobody() -> None:
    diary = Diary()
    SyncPlayerSeat(diary).on_event(observed(Removed(0.0, WHITE, "gone")))
    assert diary.calls == []
