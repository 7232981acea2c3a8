"""As whom a page looks at a match, and what it may ask there."""

from __future__ import annotations

import pytest

from parlour.core.game import Plain, Seat
from parlour.core.terms import Terms
from parlour.core.viewers import MODERATOR, SPECTATOR, seated_on
from parlour.errors import Denied
from parlour.net.setup import MatchSetup
from parlour.referee.conduct import DIPLOMACY
from parlour.web import views as views_module
from parlour.web.views import LONGEST_COMMAND, Deliveries, Views
from support.hall.people import session_of
from support.waiting import settled
from support.web.server import WebServer

FRANCE = Seat("FRANCE")


def opened(server: WebServer) -> str:
    setup = MatchSetup(game="diplomacy", terms=Terms(conduct=DIPLOMACY))
    return server.run(session_of(server.hall, "owner").open(setup))


def test_a_moderator_sees_all_unless_it_plays_or_wants_less(server: WebServer) -> None:
    match, views, owner = opened(server), Views(server.hall), session_of(server.hall, "owner")
    assert server.run(views.viewer(owner, match)) == MODERATOR
    assert server.run(views.viewer(owner, match, SPECTATOR)) == SPECTATOR
    assert server.run(views.viewer(session_of(server.hall, "stranger"), match)) == SPECTATOR
    assert server.run(owner.join(match, FRANCE)).refusal is None
    assert server.run(views.viewer(owner, match)) == seated_on(FRANCE)


@pytest.mark.parametrize("question", [{"from": "1", "to": 2}, {"from": 1, "to": "2"}, {"from": 1}, {"to": 2}])
def test_turns_are_asked_for_by_whole_numbers(server: WebServer, question: dict[str, object]) -> None:
    match, views, owner = opened(server), Views(server.hall), session_of(server.hall, "owner")

    async def asked() -> None:
        stand = await views.stand(match, MODERATOR)
        with pytest.raises(Denied, match="turns: expected from and to, two whole numbers"):
            await views.asked(owner, match, stand, {"ask": "turns", **question})
        assert await views.asked(owner, match, stand, {"ask": "turns", "from": 0, "to": 2}) == {"turns": []}

    server.run(asked())


def test_what_somebody_typed_is_read_for_a_seat_of_theirs_and_up_to_a_bound(server: WebServer) -> None:
    terms = Terms(conduct=DIPLOMACY, seats_to_start=2, wait_flags_up=True)
    setup = MatchSetup(game="diplomacy", terms=terms, agents={Seat("ITALY"): "hold"})
    views, owner = Views(server.hall), session_of(server.hall, "owner")

    async def asked() -> None:
        match = await owner.open(setup)
        assert (await owner.join(match, FRANCE)).refusal is None
        stand = await views.stand(match, seated_on(FRANCE))

        async def read(seat: object, text: object) -> dict[str, object]:
            return await views.asked(owner, match, stand, {"ask": "understand", "seat": seat, "text": text})

        assert await read("FRANCE", "par bur") == {"orders": ["A PAR - BUR"]}
        assert await read("FRANCE", " " * LONGEST_COMMAND + "nonsense") == {"orders": []}
        with pytest.raises(Denied):
            await read("FRANCE", "nonsense")
        for seat, text in (("GERMANY", "mun bur"), (["FRANCE"], "par bur"), ("FRANCE", 7), (None, None)):
            with pytest.raises(Denied, match="understand: expected one of your seats, and a text"):
                await read(seat, text)

    server.run(asked())
    views.close()


def test_a_stand_that_somebody_came_to_while_it_was_to_be_closed_stays(
    server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views_module, "LINGER", 0.0)
    match, views = opened(server), Views(server.hall)

    async def checked() -> None:
        stand = await views.stand(match, SPECTATOR)
        views.rest(match, stand)  # the last page has gone
        page = stand.join()
        await settled()
        assert await views.stand(match, SPECTATOR) is stand
        stand.leave(page)
        views.rest(match, stand)
        await settled()
        assert await views.stand(match, SPECTATOR) is not stand
        views.close()

    server.run(checked())


async def test_messages_of_one_account_do_not_make_those_of_another_be_taken_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(views_module, "KEPT", 2)
    monkeypatch.setattr(views_module, "KEPT_OF_ONE", 3)
    deliveries, taken = Deliveries(), list[str]()

    async def take(text: str) -> dict[str, Plain]:
        taken.append(text)
        return {"text": text}

    async def sent(account: str, key: str) -> object:
        return (await deliveries.once(account, "m", key, lambda: take(f"{account} {key}")))["text"]

    assert await sent("ann", "1") == "ann 1"
    for number in range(20):
        await sent("eve", str(number))
    assert await sent("ann", "1") == "ann 1"
    assert taken.count("ann 1") == 1
    await sent("eve", "0")
    assert taken.count("eve 0") == 2
    await sent("bob", "1")
    await sent("ann", "1")
    assert taken.count("ann 1") == 2, "the account that was heard of longest ago is forgotten"
