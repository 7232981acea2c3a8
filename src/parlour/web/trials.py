"""Trials: any position of a game in which one seat acts after another, its legal actions, and their results."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from parlour.core.events import TurnEnded
from parlour.core.game import Game, Plain
from parlour.core.pictures import Pictures, pictures_of
from parlour.errors import ConfigError
from parlour.games import games, load_game
from parlour.net.fair_pool import FairPool
from parlour.net.http.problems import Answered
from parlour.web.assets import sheet_address
from parlour.web.questions import answered


class TrialQuestion(msgspec.Struct, frozen=True):
    """A question of a page about a position."""

    position: Plain = None
    """The position as its encode gives it; None: the first one of a match with this configuration."""
    config: dict[str, Plain] = {}
    seed: int = 0
    act: bool = False
    """True if the seat to act does the action, or passes if there is none."""
    action: Plain = None


def tried() -> tuple[str, ...]:
    """Return the games with a sandbox of this kind: those in which one seat acts at a time."""
    found = {name: pictures_of(load_game(name)) for name in games()}
    return tuple(name for name, pictures in found.items() if pictures is not None and _one_by_one(name, pictures))


async def trial(request: Request, pool: FairPool) -> Response:
    """Answer a sandbox with a drawn position, its legal actions and, if asked for, the result of an action."""
    name = request.path_params["game"]

    def of_the_game(question: TrialQuestion) -> dict[str, Any]:
        if name not in tried():
            raise Answered(HTTPStatus.NOT_FOUND, "unknown game", f"there is no sandbox for {name!r:.40}")
        return answer(load_game(name), question)

    return await answered(request, TrialQuestion, of_the_game, pool)


def answer(game: Game, question: TrialQuestion) -> dict[str, Any]:
    """Answer a question without a request."""
    pictures = pictures_of(game)
    if pictures is None:
        raise ConfigError(f"{game.name} has no pictures", field="game")
    if question.position is None:
        position = game.start(question.config, game.seats(question.config), question.seed)
    else:
        position = game.decode(question.position)
    acting = position.to_act()
    found: dict[str, Any] = {
        "position": position.encode(),
        "sheet": sheet_address(game.name, pictures.sheet(position).key),
        "frame": pictures.frame(position),
        "choices": {str(seat): pictures.choices(position, seat) for seat in acting},
    }
    if question.act:
        actions = {} if question.action is None else dict.fromkeys(acting[:1], question.action)
        after, happened = position.apply(actions)
        passed = acting[:1] if question.action is None else ()
        event = TurnEnded(
            at=0.0,
            turn=1,
            actions={str(seat): done for seat, done in actions.items()},
            happened=happened,
            passed=passed,
        )
        found |= {"turn": pictures.turning(position, after, event), "after": after.encode()}
    return found


def _one_by_one(name: str, pictures: Pictures) -> bool:
    game = load_game(name)
    return pictures.sheet(game.start({}, game.seats({}), 0)).after
