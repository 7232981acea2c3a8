"""A third game, all of it in one file: heaps of stones, for those who ask what a game costs outside its folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from parlour.agents.specs import NoOptions, Recipe
from parlour.core.contest import Points
from parlour.core.declaration import GameDeclaration, GameOption
from parlour.core.game import Action, Outcome, Plain, Position, Seat, Seed, View
from parlour.testing.toys import NimGame, NimPosition

HERE = __name__

DECLARATION = GameDeclaration(
    name="heaps",
    title="Heaps",
    game=f"{HERE}:GAME",
    options=(GameOption(name="stones", label="Stones", help="How many there are.", default=12, low=1, high=100),),
    counted="seats",
    trial={"stones": 5},
    agents={"thinker": f"{HERE}:THINKER"},
    house={"thinker": {}},
    rival="thinker",
    contest=f"{HERE}:CONTEST",
    help={"play": "Play Heaps with two to four AGENTS."},
)


class Heaps(NimGame):
    """Nim under a name of its own."""

    name = DECLARATION.name
    declaration = DECLARATION


class Thinker:
    """Leaves a multiple of four."""

    def act(self, view: View) -> Action:
        """Return the number of stones that the agent takes."""
        assert isinstance(view.position, NimPosition)
        return view.position.heap % 4 or 1


class HeapsContest:
    """The contest of Heaps, for tournaments."""

    scores = ("win",)
    rivals = None

    def sizes(self, config: Mapping[str, Plain]) -> tuple[int, int]:
        """Return two to four."""
        return 2, 4

    def deals(self, config: Mapping[str, Plain], seats: int, seed: Seed) -> tuple[dict[str, Plain], ...]:
        """Return one heap."""
        return ({**config, "seats": seats},)

    def orders(self, seats: int) -> tuple[tuple[int, ...], ...]:
        """Everybody begins once."""
        return tuple(tuple((i + first) % seats for i in range(seats)) for first in range(seats))

    def points(self, position: Position, outcome: Outcome, lost: Sequence[Seat]) -> Points:
        """Return one for who took the last stone."""
        return {"win": {seat: float(seat in outcome.winners and seat not in lost) for seat in outcome.scores}}


GAME = Heaps()
CONTEST = HeapsContest()
THINKER: Recipe[NoOptions] = Recipe(lambda options, seed: Thinker(), NoOptions)
