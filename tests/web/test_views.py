"""As whom a page looks at a match, and what it may ask there."""

from __future__ import annotations

import pytest

from parlour.core.game import Seat
from parlour.core.terms import Terms
from parlour.core.viewers import MODERATOR, SPECTATOR, seated_on
from parlour.errors import Denied
from parlour.net.sessions import Session
from parlour.net.setup import MatchSetup
from parlour.referee.conduct import DIPLOMACY
from parlour.web.views import Views
from web_server import WebServer

FRANCE = Seat("FRANCE")


def opened(server: WebServer) -> str:
    setup = MatchSetup(game="diplomacy", terms=Terms(conduct=DIPLOMACY))
    return server.run(Session(server.hall, "owner").open(setup))


def test_a_moderator_sees_all_unless_it_plays_or_wants_less(server: WebServer) -> None:
    match, views, owner = opened(server), Views(server.hall), Session(server.hall, "owner")
    assert server.run(views.viewer(owner, match)) == MODERATOR
    assert server.run(views.viewer(owner, match, SPECTATOR)) == SPECTATOR
    assert server.run(views.viewer(Session(server.hall, "stranger"), match)) == SPECTATOR
    assert server.run(owner.join(match, FRANCE)).refusal is None
    assert server.run(views.viewer(owner, match)) == seated_on(FRANCE)


@pytest.mark.parametrize("question", [{"from": "1", "to": 2}, {"from": 1, "to": "2"}, {"from": 1}, {"to": 2}])
def test_turns_are_asked_for_by_whole_numbers(server: WebServer, question: dict[str, object]) -> None:
    match, views, owner = opened(server), Views(server.hall), Session(server.hall, "owner")

    async def asked() -> None:
        stand = await views.stand(match, MODERATOR)
        with pytest.raises(Denied, match="turns: expected from and to, two whole numbers"):
            await views.asked(owner, match, stand, {"ask": "turns", **question})
        assert await views.asked(owner, match, stand, {"ask": "turns", "from": 0, "to": 2}) == {"turns": []}

    server.run(asked())
