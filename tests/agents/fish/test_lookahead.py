"""The look-ahead player: where it places, and that it plays what the search finds."""

from __future__ import annotations

from parlour.agents import make_agent
from parlour.agents.fish.lookahead import LookAheadPlayer, best_move
from parlour.core.game import View
from parlour.games.fish import COLOURS, GAME


def test_penguins_go_to_the_first_free_tiles() -> None:
    position = GAME.start({"board": [[0, 1, 1], [2, 0, 2], [1, 1, 1], [1, 1, 1]]}, COLOURS[:2], 0)
    player, places = LookAheadPlayer(2), []
    while position.stage == "placement":
        seat = position.to_act()[0]
        places.append(player.act(View(seat, position, 1)))
        position, _ = position.apply({seat: places[-1]})
    assert places == [[0, 1], [0, 2], [1, 0], [1, 2], [2, 0], [2, 1], [2, 2], [3, 0]]
    move = best_move(position, 2)
    assert move is not None
    assert player.act(View(position.to_act()[0], position, 1)) == [list(move[0]), list(move[1])]


def test_the_number_in_the_name_is_how_far_it_looks() -> None:
    for name, turns in (("lookahead", 2), ("lookahead1", 1), ("lookahead5", 5)):
        player = make_agent("fish", name, 0)
        assert isinstance(player, LookAheadPlayer)
        assert player.turns == turns
