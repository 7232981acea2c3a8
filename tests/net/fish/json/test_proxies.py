"""What a table of the JSON protocol tells, and to whom."""

from __future__ import annotations

import json
from typing import Any, cast

from parlour.core import intents as it
from parlour.core.terms import Terms
from parlour.games.fish import COLOURS, GAME
from parlour.net.fish.json.proxies import JsonTable
from parlour.net.fish.peer import Peer
from parlour.net.framing.connection import Wire
from parlour.referee.conduct import STRICT
from parlour.referee.match import Match


class Ear:
    """A player or a spectator who only listens."""

    def __init__(self) -> None:
        self.heard: list[Any] = []

    def send(self, text: bytes) -> None:
        self.heard.append(json.loads(text))

    def close(self) -> None:
        """It does not matter here."""


def test_only_the_player_itself_is_told_more_than_of_what_kind_its_foul_was() -> None:
    match = Match(GAME, {"players": 3, "rows": 4, "cols": 4}, Terms(STRICT), 1)
    seats = COLOURS[:3]
    ears, spectator = {seat: Ear() for seat in seats}, Ear()
    peers = {seat: cast(Peer, ear) for seat, ear in ears.items()}
    names = {seat: f"player {seat}" for seat in seats}
    table = JsonTable(match, names, peers, [cast(Wire, spectator)], "m1")
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
