"""Messages of a table in the JSON protocol, and their recipients."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable
from typing import Any, cast

import pytest

from parlour.core import intents as it
from parlour.core.game import Seat
from parlour.core.terms import Terms
from parlour.errors import RemoteWireError
from parlour.games.fish import COLOURS, GAME
from parlour.net.fish.dialect import Patience, RemoteMatch
from parlour.net.fish.json.dialect import JsonEntrant, JsonTable
from parlour.net.fish.peer import Peer
from parlour.net.framing.connection import Wire
from parlour.referee.conduct import STRICT
from parlour.referee.match import Match


class Ear:
    """A player or a spectator who only listens."""

    def __init__(self) -> None:
        self.heard: list[Any] = []
        self.held: list[str] = []
        self.returned: Any = None
        self.open = True

    def send(self, text: bytes) -> None:
        self.heard.append(json.loads(text))

    def hold(self, text: bytes) -> None:
        self.send(text)
        self.held.append(self.heard[-1]["type"])

    def close(self) -> None:
        self.open = False

    def types(self) -> list[str]:
        return [said["type"] for said in self.heard]


def seated(match: Match, table: JsonTable, names: dict[Seat, str]) -> None:
    table.reacted(match.start(0.0))
    for seat, name in names.items():
        table.reacted(match.handle(it.Join(name, seat), 0.0))


def test_a_match_that_goes_on_is_told_to_who_is_still_in_it_and_to_nobody_else() -> None:
    match = Match(GAME, {"players": 3, "rows": 4, "cols": 4}, Terms(STRICT), 1)
    seats = COLOURS[:3]
    names = {seat: f"player {seat}" for seat in seats}
    seated(match, JsonTable(RemoteMatch("m1", match, names, {})), names)
    match.handle(it.Act(seats[0], [99, 99]), 0.0)
    ears, spectator = {seat: Ear() for seat in seats}, Ear()
    peers = {seat: cast(Peer, ear) for seat, ear in ears.items()}
    again = JsonTable(RemoteMatch("m1", match, names, peers, spectators=[cast(Wire, spectator)]))
    again.go_on()
    assert [ear.types() for ear in ears.values()] == [[], *[["player_assign_color", "broadcast_state"]] * 2]
    assert spectator.heard == []
    assert [ear.returned is None for ear in ears.values()] == [True, False, False]
    for ear in ears.values():
        ear.heard.clear()
        if ear.returned is not None:
            ear.returned()
    assert [ear.types() for ear in ears.values()] == [[], *[["player_assign_color", "broadcast_state"]] * 2]
    while not match.over:
        (seat,) = match.position.to_act()
        again.reacted(match.handle(it.Act(seat, next(iter(match.position.legal(seat)))), 0.0))
    assert ears[seats[0]].heard == []
    for ear in (ears[seats[1]], ears[seats[2]], spectator):
        over = ear.heard[-1]
        assert over["type"] == "broadcast_game_over"
        assert over["value"]["kicked_players"] == [names[seats[0]]]
        told = [*over["value"]["winners"], *over["value"]["losers"]]
        assert sorted(told) == sorted(names[seat] for seat in seats[1:])
        assert ear.returned is None
    assert spectator.types().count("broadcast_state") == 7, "two have placed three penguins each, and begin to move"
    assert ears[seats[1]].types().count("broadcast_state") == 2, "where it stood, and where moves begin"
    assert {said.get("match") for said in spectator.heard} == {"m1"}


def test_who_is_asked_hears_what_happened_together_with_the_question() -> None:
    match = Match(GAME, {"players": 2, "rows": 4, "cols": 4}, Terms(STRICT), 1)
    seats = COLOURS[:2]
    names = {seat: f"player {seat}" for seat in seats}
    ears = {seat: Ear() for seat in seats}
    table = JsonTable(RemoteMatch("m1", match, names, {seat: cast(Peer, ear) for seat, ear in ears.items()}))
    seated(match, table, names)
    while match.position.stage == "placement":
        (seat,) = match.position.to_act()
        table.reacted(match.handle(it.Act(seat, next(iter(match.position.legal(seat)))), 0.0))
    (mover,) = match.position.to_act()
    table.reacted(match.handle(it.Act(mover, next(iter(match.position.legal(mover)))), 0.0))
    assert ears[mover].held == ["broadcast_state"]
    (other,) = match.position.to_act()
    assert ears[other].held == ["broadcast_action"]
    assert all(ear.types()[-2:] == ["broadcast_state", "broadcast_action"] for ear in ears.values())


def test_only_the_player_itself_is_told_more_than_of_what_kind_its_foul_was() -> None:
    match = Match(GAME, {"players": 3, "rows": 4, "cols": 4}, Terms(STRICT), 1)
    seats = COLOURS[:3]
    ears, spectator = {seat: Ear() for seat in seats}, Ear()
    peers = {seat: cast(Peer, ear) for seat, ear in ears.items()}
    names = {seat: f"player {seat}" for seat in seats}
    table = JsonTable(RemoteMatch("m1", match, names, peers, spectators=[cast(Wire, spectator)]))
    table.reacted(match.start(0.0))
    for seat in seats:
        table.reacted(match.handle(it.Join(names[seat], seat), 0.0))
    table.reacted(match.handle(it.Act(seats[0], [99, 99]), 0.0))
    told = {seat: [said["kicked"]["reason"] for said in ear.heard if "kicked" in said] for seat, ear in ears.items()}
    assert told == {
        seats[0]: ["illegal: That spot is not on the board."],
        seats[1]: ["illegal"],
        seats[2]: ["illegal"],
    }
    assert [said["kicked"]["reason"] for said in spectator.heard if "kicked" in said] == ["illegal"]


def test_one_of_the_house_who_is_removed_is_told_of_to_all_and_hung_up_on_by_nobody() -> None:
    match = Match(GAME, {"players": 3, "rows": 4, "cols": 4}, Terms(STRICT), 1)
    seats = COLOURS[:3]
    names = {seat: f"player {seat}" for seat in seats}
    ears, spectator = {seat: Ear() for seat in seats[1:]}, Ear()
    peers = {seat: cast(Peer, ear) for seat, ear in ears.items()}
    table = JsonTable(RemoteMatch("m1", match, names, peers, spectators=[cast(Wire, spectator)]))
    seated(match, table, names)
    table.reacted(match.handle(it.Act(seats[0], [99, 99]), 0.0))
    for ear in (*ears.values(), spectator):
        (kicked,) = [said["kicked"] for said in ear.heard if "kicked" in said]
        assert (kicked["name"], kicked["color"], kicked["reason"]) == (names[seats[0]], seats[0], "illegal")
        assert ear.open


def test_who_is_removed_is_told_and_hung_up_on_and_may_not_come_back() -> None:
    match = Match(GAME, {"players": 3, "rows": 4, "cols": 4}, Terms(STRICT), 1)
    seats = COLOURS[:3]
    names = {seat: f"player {seat}" for seat in seats}
    ears = {seat: Ear() for seat in seats}
    table = JsonTable(RemoteMatch("m1", match, names, {seat: cast(Peer, ear) for seat, ear in ears.items()}))
    seated(match, table, names)
    assert all(ear.returned is not None for ear in ears.values())
    table.reacted(match.handle(it.Act(seats[0], [99, 99]), 0.0))
    assert [(ear.open, ear.returned is None) for ear in ears.values()] == [(False, True), (True, False), (True, False)]


def test_a_match_that_is_called_off_before_it_began_has_nothing_to_tell() -> None:
    match = Match(GAME, {"players": 3, "rows": 4, "cols": 4}, Terms(STRICT), 1)
    seats = COLOURS[:3]
    names = {seat: f"player {seat}" for seat in seats}
    ears, spectator = {seat: Ear() for seat in seats}, Ear()
    peers = {seat: cast(Peer, ear) for seat, ear in ears.items()}
    table = JsonTable(RemoteMatch("m1", match, names, peers, spectators=[cast(Wire, spectator)]))
    table.reacted(match.start(0.0))
    table.reacted(match.handle(it.Join(names[seats[0]], seats[0]), 0.0))
    table.reacted(match.handle(it.Remove("host", seats[0], "gone"), 0.0))
    table.reacted(match.handle(it.Join(names[seats[1]], seats[1]), 0.0))
    table.reacted(match.handle(it.Cancel("host", "rain"), 0.0))
    assert match.over
    assert [ear.types() for ear in ears.values()] == [["player_assign_color"], ["player_assign_color"], []]
    assert spectator.heard == []
    assert all(ear.returned is None for ear in ears.values())


class Answering:
    """A peer that writes down what it is asked, and has one answer to it."""

    def __init__(self, answer: dict[str, Any]) -> None:
        self.asked: list[Any] = []
        self._answer = answer

    async def ask(self, question: bytes, read: Callable[[bytes], Any]) -> Any:
        self.asked.append(json.loads(question))
        return read(json.dumps(self._answer).encode())


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ({"type": "tournament_ready", "value": True}, None),
        ({"type": "tournament_ready", "value": False}, "is not ready"),
        ({"type": "player_respond_move", "value": "Skip"}, "expected tournament_ready, got player_respond_move"),
        ({"type": "tournament_start", "value": True}, "not a message that is expected here"),
    ],
)
def test_a_player_must_say_that_it_is_ready(answer: dict[str, Any], told: str | None) -> None:
    peer = Answering(answer)
    started = JsonEntrant(cast(Peer, peer), Patience()).tournament_started()
    with contextlib.nullcontext() if told is None else pytest.raises(RemoteWireError, match=told):
        asyncio.run(started)
    assert peer.asked == [{"type": "tournament_start", "value": True}]


@pytest.mark.parametrize("won", [True, False])
@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ({"type": "tournament_end_response", "value": True}, None),
        ({"type": "tournament_end_response", "value": False}, "did not accept the result"),
        ({"type": "tournament_ready", "value": True}, "expected tournament_end_response, got tournament_ready"),
    ],
)
def test_a_player_must_take_the_news(won: bool, answer: dict[str, Any], told: str | None) -> None:
    peer = Answering(answer)
    entrant = JsonEntrant(cast(Peer, peer), Patience())
    with contextlib.nullcontext() if told is None else pytest.raises(RemoteWireError, match=told):
        asyncio.run(entrant.tournament_ended(won))
    assert entrant.told is (told is None)
    assert peer.asked == [{"type": "tournament_end", "value": won}]
