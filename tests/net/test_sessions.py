"""Sessions: what nobody, a stranger, a player, an omniscient, a moderator and an admin may do, see and find."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any

import pytest

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.game import FoulKind, Seat
from parlour.core.intents import CommStatus, PlayerType
from parlour.core.terms import PressMode, PressTerms, Terms, Vacancy
from parlour.core.viewers import MODERATOR, OMNISCIENT, SPECTATOR, seated_on
from parlour.errors import Denied
from parlour.net.hall import Hall
from parlour.net.match_roles import MatchRole, Rights
from parlour.net.seat_choices import agree
from parlour.net.sessions import Session
from parlour.net.setup import Admission, HallLimits, MatchSetup
from parlour.referee.conduct import DIPLOMACY
from support.hall.halls import diplomacy, in_a_hall
from support.hall.people import appointed, opening, session_of, submitted
from support.waiting import inside

FRANCE, ITALY = Seat("FRANCE"), Seat("ITALY")


def setup(**more: Any) -> MatchSetup:
    return MatchSetup(game="diplomacy", terms=Terms(DIPLOMACY, vacancy=Vacancy.DEFAULT, seats_to_start=0), **more)


async def denied(deed: Awaitable[Any]) -> str:
    with pytest.raises(Denied) as raised:
        await deed
    return str(raised.value)


class Cast:
    """Everybody who may have to do with a match, and that match."""

    def __init__(self, hall: Hall) -> None:
        self.nobody, self.stranger, self.owner = Session(hall), session_of(hall, "eve"), session_of(hall, "owner")
        self.player, self.seer, self.moderator = (
            session_of(hall, "ann"),
            session_of(hall, "sid"),
            session_of(hall, "moe"),
        )
        self.admin, self.root = session_of(hall, "admin", admin=True), session_of(hall, admin=True)
        self.match = ""

    async def meet(self, **more: Any) -> Cast:
        self.match = await self.owner.open(setup(**more))
        assert (await self.player.join(self.match, FRANCE)).refusal is None
        await appointed(self.owner, self.match, "sid", MatchRole.OMNISCIENT)
        await appointed(self.owner, self.match, "moe", MatchRole.MODERATOR)
        return self

    @property
    def powerless(self) -> tuple[Session, ...]:
        return self.nobody, self.stranger, self.player, self.seer

    @property
    def powerful(self) -> tuple[Session, ...]:
        return self.owner, self.moderator, self.admin, self.root


@inside(in_a_hall)
async def test_what_everybody_is_in_a_match(hall: Hall) -> None:
    cast = await Cast(hall).meet()
    assert await cast.nobody.rights(cast.match) == await cast.stranger.rights(cast.match) == Rights()
    assert await cast.player.rights(cast.match) == Rights((FRANCE,))
    assert await cast.seer.rights(cast.match) == Rights(omniscient=True)
    for session in (cast.owner, cast.moderator, cast.admin):
        assert await session.rights(cast.match) == Rights(moderator=True)
    assert await cast.root.rights(cast.match) == Rights(moderator=True, omniscient=True)
    await appointed(cast.admin, cast.match, "moe", None)
    assert await cast.moderator.rights(cast.match) == Rights()
    assert (cast.player.name, cast.admin.name, cast.root.name, cast.nobody.name) == ("ann", "admin", "admin", "")


@inside(in_a_hall)
async def test_what_only_moderators_may_do(hall: Hall) -> None:
    cast = await Cast(hall).meet()
    match = cast.match
    for session in cast.powerless:
        for deed in (
            appointed(session, match, "eve", MatchRole.MODERATOR),
            session.seat_agent(match, ITALY, "random"),
            submitted(session, match, it.Announce("owner", "hear, hear")),
            submitted(session, match, it.Substitute("owner", FRANCE, "eve")),
        ):
            wanted = "only a moderator of the match may " if session.name else "to "
            assert (await denied(deed)).startswith(wanted)
        said = "only whoever sits on ITALY may " if session.name else "to do that, sign in first"
        for intent in (it.Act(ITALY, []), it.Leave(ITALY), it.SetWait(ITALY, True, by="owner")):
            assert (await denied(submitted(session, match, intent))).startswith(said)
    for session in cast.powerful:
        answer = (await session.submit(match, it.Announce("somebody else", "hear, hear")))[0]
        (told,) = (event for event in answer.events if isinstance(event, ev.Proclaimed))
        assert told.by == session.name, "whatever it says"
    assert (await cast.moderator.seat_agent(match, ITALY, "random")).refusal is None
    assert (await cast.moderator.submit(match, it.Leave(FRANCE)))[0].refusal is None
    assert await cast.player.rights(match) == Rights()


@inside(in_a_hall)
async def test_a_moderator_orders_for_a_seat_and_says_nothing_for_it(hall: Hall) -> None:
    cast = await Cast(hall).meet()
    match = cast.match
    assert (await cast.owner.submit(match, it.Start("owner")))[0].refusal is None
    for seat in (FRANCE, ITALY):
        answer = (await cast.moderator.submit(match, it.Act(seat, [], by="owner")))[0]
        assert [event.by for event in answer.events if isinstance(event, ev.Acted)] == ["moe"]
        assert (await cast.moderator.submit(match, it.SetCommStatus(seat, CommStatus.READY)))[0].refusal is None
        for intent in (it.Say(seat, "hello"), it.Note(seat, "hm"), it.Vote(seat, it.Ballot.YES)):
            assert (await denied(submitted(cast.moderator, match, intent))).startswith(f"only whoever sits on {seat}")
    answer = (await cast.player.submit(match, it.Act(FRANCE, [], by="owner")))[0]
    assert [event.by for event in answer.events if isinstance(event, ev.Acted)] == [""]
    for hosts_own in (it.Report(FRANCE, FoulKind.CRASHED, "no"), it.Downtime("owner", 9.0)):
        for session in (cast.player, cast.admin):
            assert (await denied(submitted(session, match, hosts_own))).startswith("only the server itself may send ")


@inside(in_a_hall)
async def test_as_whom_everybody_looks(hall: Hall) -> None:
    cast = await Cast(hall).meet()
    match = cast.match
    assert await cast.nobody.viewer(match) == await cast.owner.viewer(match) == SPECTATOR
    assert await cast.player.viewer(match) == await cast.player.viewer(match, seated_on(FRANCE)) == seated_on(FRANCE)
    assert await cast.seer.viewer(match) == await cast.seer.viewer(match, OMNISCIENT) == OMNISCIENT
    for session in cast.powerful:
        for wanted in (MODERATOR, OMNISCIENT, SPECTATOR, seated_on(FRANCE, ITALY)):
            assert await session.viewer(match, wanted) == wanted
    for session in cast.powerless:
        assert await denied(session.viewer(match, MODERATOR)) == ("only a moderator of the match may look at it as one")
        assert await denied(session.viewer(match, seated_on(FRANCE, ITALY))) == (
            "only whoever sits there may see what FRANCE and ITALY may see"
        )
    for session in cast.powerless[:3]:
        assert await denied(session.viewer(match, OMNISCIENT)) == (
            "only an omniscient of the match may look at it as one"
        )
    await cast.owner.submit(match, it.Cancel("owner"))
    assert await cast.player.viewer(match) == seated_on(FRANCE).looking_back()


@inside(in_a_hall)
async def test_where_nobody_may_watch_those_may_who_see_it_all(hall: Hall) -> None:
    cast = await Cast(hall).meet(admission=Admission(watched=False))
    match = cast.match
    for session in cast.powerless[:3]:
        assert await denied(session.viewer(match, SPECTATOR)) == "only whoever has a seat may watch this match"
    assert await cast.player.viewer(match) == seated_on(FRANCE)
    for session in (cast.seer, *cast.powerful):
        assert await session.viewer(match, SPECTATOR) == SPECTATOR


@inside(in_a_hall)
async def test_a_seat_is_taken_under_ones_own_name_or_another(hall: Hall) -> None:
    cast = await Cast(hall).meet()
    match = cast.match
    assert await denied(cast.nobody.join(match)) == "to take a seat, sign in first"
    await cast.stranger.submit(match, it.Join("Eve of Adam", ITALY, PlayerType.PRESS_BOT))
    await cast.root.join(match)
    places = (await hall.wake(match)).match.state.places
    assert {places[FRANCE].name, places[ITALY].name} == {"ann", "Eve of Adam"}
    assert places[ITALY].player_type is PlayerType.PRESS_BOT
    assert [seat for seat, place in places.items() if place.name == "admin"] == ["AUSTRIA"]


@inside(in_a_hall)
async def test_a_password_is_asked_of_all_but_moderators(hall: Hall) -> None:
    owner, ann, admin = session_of(hall, "owner"), session_of(hall, "ann"), session_of(hall, admin=True)
    match = await owner.open(setup(), password="x")
    for wrong in ("", "y"):
        with pytest.raises(Denied):
            await ann.join(match, FRANCE, password=wrong)
    assert (await ann.join(match, FRANCE, password="x")).refusal is None
    assert (await owner.join(match)).refusal is None
    assert (await admin.join(match)).refusal is None


@inside(in_a_hall, limits=HallLimits(matches_of_one=1))
async def test_admins_open_as_many_matches_as_they_like(hall: Hall) -> None:
    ann, admin, nobody = session_of(hall, "ann"), session_of(hall, "root", admin=True), Session(hall)
    assert await denied(nobody.open(setup())) == "to open a match, sign in first"
    await ann.open(setup())
    assert "at most 1" in await denied(ann.open(setup()))
    for _ in range(3):
        await admin.open(setup())


@inside(in_a_hall)
async def test_what_is_not_listed_is_found_by_those_who_have_to_do_with_it(hall: Hall) -> None:
    cast = await Cast(hall).meet(match="hidden", listed=False)
    await cast.owner.open(setup(match="seen"))

    async def found(session: Session) -> list[str]:
        return [head.id for head in (await session.page()).heads]

    for session in (cast.nobody, cast.stranger):
        assert await found(session) == ["seen"]
    for session in (cast.player, cast.seer, *cast.powerful):
        assert await found(session) == ["seen", "hidden"]
    await appointed(cast.owner, "hidden", "sid", None)
    assert await found(cast.seer) == ["seen"]


@inside(in_a_hall)
async def test_a_page_is_filled_up_and_says_where_it_goes_on_and_nothing_of_what_is_left_out(hall: Hall) -> None:
    owner, eve = session_of(hall, "owner"), session_of(hall, "eve")
    for number, listed in enumerate([True, False, True, True, False, False, True]):
        await owner.open(setup(match=f"m{number}", listed=listed))

    async def page(limit: int, after: int | None = None) -> tuple[list[str], int | None]:
        found = await eve.page(limit=limit, after=after, newest_first=False)
        return [head.id for head in found.heads], found.more

    first, more = await page(2)
    assert first == ["m0", "m2"]
    assert await page(2, more) == (["m3", "m6"], None), "what comes after them is nobody's business"
    places = [(await page(limit))[1] for limit in (1, 2, 3)]
    assert all(place is not None and place > 1000 for place in places), "they do not count what lies between"
    assert await page(4) == (["m0", "m2", "m3", "m6"], None)
    assert len((await page(2, 5))[0]) <= 2, "a place that was made up is no error"
    assert await page(1000) == (["m0", "m2", "m3", "m6"], None)
    for limit in (0, 1001):
        assert await denied(eve.page(limit=limit)) == f"limit: expected 1 to 1,000, got {limit}"


@inside(in_a_hall)
async def test_players_in_a_match_are_counted_by_their_seats(hall: Hall) -> None:
    cast = await Cast(hall).meet(admission=Admission(seats=2, seats_each=1, playing_moderator=True))
    assert "seats of yours" in await denied(cast.player.join(cast.match, ITALY))
    await cast.stranger.join(cast.match, ITALY)
    assert "players in this match" in await denied(cast.seer.join(cast.match))
    assert (await cast.moderator.join(cast.match)).refusal is None
    assert "seats of yours" in await denied(cast.moderator.join(cast.match))


@pytest.mark.parametrize("at_once", [True, False])
@inside(in_a_hall)
async def test_several_seats_at_once_are_for_matches_that_allow_it(hall: Hall, *, at_once: bool) -> None:
    cast = await Cast(hall).meet(admission=Admission(seats_each=1, at_once=at_once))
    if at_once:
        assert (await cast.player.join(cast.match, ITALY, at_once=True)).refusal is None
    else:
        assert "seats of yours" in await denied(cast.player.join(cast.match, ITALY, at_once=True))


@inside(in_a_hall)
async def test_events_and_views_are_the_sessions_own(hall: Hall) -> None:
    cast = await Cast(hall).meet()
    match = cast.match
    await cast.player.submit(match, it.Note(FRANCE, "mine alone"))
    seen = {session: await session.events(match) for session in (cast.player, cast.stranger, cast.seer)}
    noted = {session: any(isinstance(told.event, ev.Noted) for told in seen[session]) for session in seen}
    assert noted == {cast.player: True, cast.stranger: False, cast.seer: True}
    assert [told.k for told in seen[cast.player]] == list(range(len(seen[cast.player])))
    assert (await cast.stranger.view(match)).status == "forming"


@inside(in_a_hall)
async def test_what_an_owner_hands_in_with_a_new_match_is_by_the_owner(hall: Hall) -> None:
    owner = session_of(hall, "owner")
    match = await owner.open(opening(setup(), it.Start("somebody else"), it.Announce("somebody else", "welcome")))
    (told,) = [event for event in await hall.record(match) if isinstance(event, ev.Proclaimed)]
    assert told.by == "owner"
    assert "only the server itself" in await denied(owner.open(opening(setup(), it.Downtime("owner", 9.0))))
    assert "only whoever sits on FRANCE" in await denied(owner.open(opening(setup(), it.Say(FRANCE, "hello"))))


@inside(in_a_hall)
async def test_a_password_is_kept_as_a_digest_and_none_as_nothing(hall: Hall) -> None:
    owner = session_of(hall, "owner")
    locked, unlocked = await owner.open(setup(), password="x"), await owner.open(setup())
    assert (await hall.head(locked)).password.startswith("$argon2id$")
    assert (await hall.head(unlocked)).password == ""
    eve = session_of(hall, "eve")
    assert (await eve.require_password(unlocked, "whatever")).name == unlocked
    assert (await eve.require_password(locked, "x")).name == locked
    assert "wants a password" in await denied(eve.require_password(locked, "y"))


@inside(in_a_hall)
async def test_a_substitute_takes_a_seat_in_the_moderators_name(hall: Hall) -> None:
    cast = await Cast(hall).meet()
    await cast.owner.submit(cast.match, it.Start("owner"))
    answer = (await cast.moderator.submit(cast.match, it.Substitute("owner", FRANCE, "Sub")))[0]
    assert answer.refusal is None
    hosted = await hall.wake(cast.match)
    assert hosted.match.state.places[FRANCE].name == "Sub"
    assert (hosted.seating[FRANCE].player, hosted.seating[FRANCE].account) == ("Sub", "")
    assert await cast.player.rights(cast.match) == Rights(), "the seat is another's"


@inside(in_a_hall)
async def test_only_ones_own_seat_is_played_without_waiting(hall: Hall) -> None:
    cast = await Cast(hall).meet()
    await cast.owner.submit(cast.match, it.Start("owner"))
    hosted = hall.at_hand(cast.match)
    assert hosted is not None
    for session in (cast.nobody, cast.stranger, cast.seer):
        with pytest.raises(Denied):
            session.submit(cast.match, it.SetWait(FRANCE, True))
    with pytest.raises(Denied, match="whoever sits on ITALY"):
        cast.player.submit(cast.match, it.SetWait(FRANCE, True), it.Note(ITALY, "hm"))
    assert not hosted.match.state.places[FRANCE].wait, "of several all are taken or none"
    (acted,) = cast.player.submit(cast.match, it.Act(FRANCE, [], by="owner")).answers
    assert [event.by for event in acted.events if isinstance(event, ev.Acted)] == [""]
    handed = cast.player.submit(cast.match, it.SetWait(FRANCE, True))
    assert handed.answers[0].refusal is None
    assert handed.done is not None
    await handed.done
    assert hosted.match.state.places[FRANCE].wait


@inside(in_a_hall)
async def test_who_says_something_learns_whom_it_does_not_reach(hall: Hall) -> None:
    terms = Terms(DIPLOMACY, press=PressTerms(PressMode.ANYTIME), vacancy=Vacancy.DEFAULT, seats_to_start=0)
    owner, ann = session_of(hall, "owner"), session_of(hall, "ann")
    match = await owner.open(opening(MatchSetup(game="diplomacy", terms=terms), it.Start("")))
    await ann.join(match, FRANCE)
    said = it.Say(FRANCE, "hello", to=(ITALY,))
    assert (await ann.submit(match, said))[0].notes == ()
    hall.unheard[match, ITALY] = lambda text: f"ITALY cannot read {text!r}" if text == "hello" else ""
    hall.unheard[match, FRANCE] = lambda text: "FRANCE speaks itself"
    hall.unheard["another", Seat("TURKEY")] = lambda text: "another match"
    note = ("ITALY cannot read 'hello'",)
    assert (await ann.submit(match, said))[0].notes == note
    assert (await ann.submit(match, it.Say(FRANCE, "hello")))[0].notes == note, "said to all"
    assert (await ann.submit(match, it.Say(FRANCE, "PRP")))[0].notes == ()
    assert (await ann.submit(match, it.Say(FRANCE, "hello", to=(Seat("TURKEY"),))))[0].notes == ()
    nowhere = it.Say(FRANCE, "hello", to=(ITALY, Seat("NOWHERE")))
    refused, taken = await ann.submit(match, nowhere, said)
    assert (refused.notes, taken.notes) == ((), note)
    assert refused.refusal is not None


@inside(in_a_hall)
async def test_a_moderator_who_plays_does_not_moderate(hall: Hall) -> None:
    owner, ann, bob = (session_of(hall, name) for name in ("owner", "ann", "bob"))
    match = await owner.open(opening(setup(), it.Start("")))
    await owner.join(match, FRANCE)
    await ann.join(match, ITALY)
    refused = "only a moderator of the match may"
    for intent in (it.ForceTurn(""), it.Pause(""), it.Remove("", ITALY), it.Cancel("")):
        assert refused in await denied(submitted(owner, match, intent))
    assert refused in await denied(owner.replace_by_agent(match, ITALY, "hold"))
    assert "whoever sits on ITALY" in await denied(submitted(owner, match, it.Act(ITALY, [])))
    assert refused in await denied(owner.viewer(match, MODERATOR))
    assert "an omniscient of the match" in await denied(owner.viewer(match, OMNISCIENT))
    assert "whoever sits there" in await denied(owner.viewer(match, seated_on(ITALY)))
    await owner.submit(match, it.Leave(FRANCE))
    assert refused in await denied(owner.viewer(match, MODERATOR)), "nor after leaving the seat"
    admin = session_of(hall, "root", admin=True)
    assert "somebody who has not moderated it" in await denied(admin.join(match, FRANCE))
    await owner.join(match, FRANCE)
    await bob.join(match, Seat("TURKEY"))
    for session, agrees, all_do in ((ann, True, False), (bob, True, True), (ann, False, False), (ann, True, True)):
        await agree(session, match, agrees)
        assert (await owner.rights(match)).moderator is all_do
    assert (await owner.submit(match, it.Pause("")))[0].refusal is None, "all agree"
    told = [event for event in await hall.record(match) if isinstance(event, ev.Proclaimed)]
    assert [event.by for event in told] == ["ann", "bob", "ann", "ann"]
    assert "no longer agrees" in told[2].text
    await session_of(hall, "eve").join(match, Seat("RUSSIA"))
    assert (await owner.rights(match)).moderator is False, "somebody came who has not agreed"


@inside(in_a_hall)
async def test_the_record_says_who_took_a_seat_away(hall: Hall) -> None:
    owner, ann = session_of(hall, "owner"), session_of(hall, "ann")
    match = await owner.open(setup())
    await ann.join(match, FRANCE)
    await owner.replace_by_agent(match, FRANCE, "hold")
    await owner.submit(match, it.Leave(FRANCE))
    await ann.join(match, FRANCE)
    await ann.submit(match, it.Leave(FRANCE, by="owner"))
    seatings = [event for event in await hall.record(match) if isinstance(event, ev.Joined | ev.Left)]
    assert [event.by for event in seatings] == ["", "owner", "owner", "owner", "", ""]


@inside(in_a_hall)
async def test_against_agents_alone_a_player_may_pause_but_not_look(hall: Hall) -> None:
    owner = session_of(hall, "owner")
    match = await owner.open(opening(setup(agents={ITALY: "hold"}), it.Start("")))
    await owner.join(match, FRANCE)
    assert (await owner.submit(match, it.Pause("")))[0].refusal is None
    assert "a moderator" in await denied(submitted(owner, match, it.Remove("", ITALY)))
    assert "a moderator" in await denied(owner.viewer(match, MODERATOR))


@inside(in_a_hall)
async def test_a_moderator_cannot_look_as_seats_that_there_are_not(hall: Hall) -> None:
    owner = session_of(hall, "owner")
    await owner.open(diplomacy(match="m"))
    assert (await owner.viewer("m", seated_on(FRANCE))).seats == (FRANCE,)
    with pytest.raises(Denied, match="seats: expected some of AUSTRIA, "):
        await owner.viewer("m", seated_on(FRANCE, Seat("NOWHERE")))
