"""The rights of an assistant at a table and the texts that it receives, without the protocol around them."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET

from parlour.core import intents as it
from parlour.core.game import Plain, Seat
from parlour.core.terms import PressMode, PressTerms, SealMode, SealTerms, Terms
from parlour.errors import Denied
from parlour.games.diplomacy import start
from parlour.games.diplomacy.formats.states import position_of_state, write_state
from parlour.games.diplomacy.position import Position
from parlour.net.hall import Hall
from parlour.net.mcp import seat_tools as tools_module
from parlour.net.mcp.seat_tools import SeatTools
from parlour.net.setup import MatchSetup
from parlour.press.ledger import Ledger
from parlour.referee.conduct import preset
from parlour.referee.history import Past
from parlour.store import open_store
from support.hall.people import session_of
from support.waiting import PATIENCE, inside

POWERS = ("AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY")
PEACE = "PRP ( PCE ( FRA GER ) )"


class Table:
    """Seat tools, and matches of Diplomacy in which assistants play France and Germany, and all others hold."""

    def __init__(self, hall: Hall) -> None:
        self.hall, self.tools = hall, SeatTools(hall)

    async def open(self, *free: str, press: bool = False, seals: SealMode | None = None, **config: Plain) -> str:
        agents = {Seat(power): "hold" for power in POWERS if power not in free}
        sealing = UNSET if seals is None else SealTerms(seals)
        press_terms = PressTerms(PressMode.ANYTIME if press else PressMode.NONE)
        terms = Terms(preset("hosted"), press=press_terms, seals=sealing)
        setup = MatchSetup(game="diplomacy", terms=terms, agents=agents, config=config)
        return await session_of(self.hall, "host").open(setup)

    async def two(self, **how: Any) -> tuple[str, str]:
        """Return the tokens of France and Germany in one match."""
        match = await self.open("FRANCE", "GERMANY", **how)
        tokens = [(await self.tools.sit(match=match, seat=seat))["token"] for seat in ("FRANCE", "GERMANY")]
        return tokens[0], tokens[1]


@contextlib.asynccontextmanager
async def laid(path: Path) -> AsyncIterator[Table]:
    with open_store(str(path / "tools.db")) as store:
        hall = Hall(store)
        await hall.start()
        try:
            yield Table(hall)
        finally:
            await hall.close()


def at_table(path: Path, story: Callable[[Table], Awaitable[None]]) -> None:
    async def told() -> None:
        async with laid(path) as table, asyncio.timeout(PATIENCE):
            await story(table)

    asyncio.run(told())


async def refused(call: Awaitable[Any]) -> str:
    with pytest.raises(Denied) as raised:
        await call
    return raised.value.reason


@inside(at_table)
async def test_a_new_match_is_one_of_diplomacy_unless_another_is_named_and_agents_take_turns(table: Table) -> None:
    tools = table.tools
    taken = await tools.sit()
    assert (taken["game"], taken["seat"], taken["match"]) == ("diplomacy", "AUSTRIA", taken["token"].split(".")[0])
    view = await tools.view(taken["token"])
    assert view["players"]["AUSTRIA"] == "assistant"
    assert len(set(view["players"].values())) == 2, "all others are the usual rival"
    mixed = await tools.view((await tools.sit(seat="italy", opponents=["hold", "random"], name=""))["token"])
    others = [player for seat, player in mixed["players"].items() if seat != "ITALY"]
    assert others[0::2] == [others[0]] * 3
    assert others[1::2] == [others[1]] * 3
    assert others[0] != others[1]
    assert mixed["players"]["ITALY"] == "assistant", "who says no name has one"
    long = await tools.view((await tools.sit(name="x" * 50))["token"])
    assert long["players"]["AUSTRIA"].startswith("xxx")
    assert len(long["players"]["AUSTRIA"]) == 40


@pytest.mark.parametrize(("opponents", "players"), [((), 2), (("greedy",), 2), (("greedy", "greedy", "greedy"), 4)])
@inside(at_table)
async def test_a_match_of_fish_has_as_many_players_as_there_are_opponents(
    table: Table, *, opponents: tuple[str, ...], players: int
) -> None:
    taken = await table.tools.sit("fish", opponents=opponents)
    assert len((await table.tools.view(taken["token"]))["players"]) == players
    assert "no units" in await refused(table.tools.legal(taken["token"], "A PAR"))
    assert (await table.tools.legal(taken["token"]))["legal"]


@pytest.mark.parametrize(
    ("how", "mode"),
    [
        ({}, PressMode.NONE),
        ({"opponents": ["hold"]}, PressMode.NONE),
        ({"press": True}, PressMode.ANYTIME),
        ({"press": True, "opponents": ["hold"]}, PressMode.ANYTIME),
        ({"opponents": ["hold", "peace"]}, PressMode.ANYTIME),
    ],
)
@inside(at_table)
async def test_a_new_match_has_press_if_it_is_wanted_or_an_opponent_negotiates(
    table: Table, *, how: dict[str, Any], mode: PressMode
) -> None:
    taken = await table.tools.sit("diplomacy", **how)
    hosted = await table.hall.wake(taken["match"])
    assert hosted.match.terms.press.mode is mode
    if how == {"press": True}:
        rivals = {place.player_type for seat, place in hosted.match.state.places.items() if seat != taken["seat"]}
        assert rivals == {"press_bot"}, "rivals that talk"


@inside(at_table)
async def test_to_join_a_match_nothing_of_a_new_one_may_be_said(table: Table) -> None:
    match = await table.open("FRANCE", "GERMANY")
    wishes: tuple[dict[str, Any], ...] = ({"game": "fish"}, {"opponents": ["hold"]}, {"settings": {"rows": 3}})
    for more in wishes:
        assert "give only match" in await refused(table.tools.sit(match=match, **more))
    assert await refused(table.tools.sit(match=match, seat="ITALY"))
    first = await table.tools.sit(match=match)
    assert (first["seat"], first["game"], first["match"]) == ("FRANCE", "diplomacy", match)
    for call in (table.tools.legal(first["token"]), table.tools.submit(first["token"], [])):
        assert "has not started: nobody sits on GERMANY yet" in await refused(call)


@inside(at_table)
async def test_a_view_says_whose_turn_it_is_and_what_was_submitted_and_how_it_ended(table: Table) -> None:
    tools = table.tools
    france, germany = await table.two(last_year=1901)
    view = await tools.view(france)
    assert {key: view[key] for key in ("you", "status", "turn", "stage", "your_turn")} == {
        "you": "FRANCE", "status": "running", "turn": 1, "stage": "orders", "your_turn": True
    }  # fmt: skip
    assert {"submitted", "outcome", "seconds_left", "proposals"}.isdisjoint(view)
    await tools.submit(france, ["A PAR - BUR"])
    view = await tools.view(france)
    assert (view["your_turn"], view["submitted"]) == (False, ["A PAR - BUR"])
    assert "submitted" not in await tools.view(germany)
    news = await tools.wait(france, seconds=0)
    assert (news["your_turn"], news["over"]) == (False, False)
    await tools.submit(germany, ["A MUN - BUR"])
    news = await tools.wait(france, news["k"])
    assert (news["your_turn"], news["over"]) == (True, False)
    explained = await tools.explain(france)
    assert (explained["turn"], explained["actions"]["FRANCE"]) == (1, ["A PAR - BUR"])
    assert any("A PAR - BUR" in reason and "FRANCE" in reason for reason in explained["reasons"])
    for token in (france, germany):
        await tools.submit(token, [])
    while not (news := await tools.wait(france, news["k"]))["over"]:
        pass
    assert news["your_turn"] is False
    view = await tools.view(france)
    assert (view["status"], view["your_turn"]) == ("over", False)
    assert set(view["outcome"]["scores"]) == set(POWERS)
    for call in (tools.submit(france, []), tools.legal(france)):
        assert "the match is over" in await refused(call)


@inside(at_table)
async def test_what_may_be_submitted_is_listed_of_all_or_of_one_unit(table: Table) -> None:
    tools = table.tools
    france, _ = await table.two()
    everything = (await tools.legal(france))["legal"]
    paris = [order for order in everything if order.startswith("A PAR")]
    assert 0 < len(paris) < len(everything)
    for name in ("A PAR", "par", " a par "):
        assert (await tools.legal(france, name))["legal"] == paris
    assert "expected A MAR, A PAR, F BRE" in await refused(tools.legal(france, "A LON"))
    assert "did you mean A PAR" in await refused(tools.legal(france, "A PAT"))
    said = await refused(tools.submit(france, [f"A X{number:02}Y H" for number in range(12)]))
    assert (said.startswith("not submitted: "), said.count(";")) == (True, 3), "the first of them are enough"
    assert said.endswith(". legal lists what may be")


@inside(at_table)
async def test_who_has_nothing_to_do_in_a_turn_is_told_so(table: Table) -> None:
    state = write_state(start())
    state["units"]["GERMANY"] = state["units"]["GERMANY"][:1]
    winter = position_of_state(state | {"name": "W1901A"}, board=start().board)
    france, germany = await table.two(position=winter.fen)
    view = await table.tools.view(france)
    assert (view["stage"], view["your_turn"]) == ("adjustments", False)
    assert (await table.tools.view(germany))["your_turn"] is True
    found = await table.tools.legal(france)
    assert (found["legal"], "wait for the next" in found["why"]) == ([], True)
    assert "wait for the next" in await refused(table.tools.submit(france, []))
    assert (await table.tools.legal(germany))["legal"]


@inside(at_table)
async def test_what_is_said_goes_to_whom_it_names_by_as_much_of_a_name_as_tells_them_apart(table: Table) -> None:
    tools = table.tools
    france, germany = await table.two(press=True)
    assert await tools.say(france, "PRP ( DRW )", ["ger", "GERMANY", " it"]) == {
        "said": "PRP ( DRW )",
        "to": ["GERMANY", "ITALY"],
    }
    assert (await tools.say(france, "PRP ( DRW )"))["to"] == "all"
    for name in ("", " ", "X", "ATLANTIS"):
        assert "to: expected AUSTRIA" in await refused(tools.say(france, "PRP ( DRW )", [name]))
    assert "did you mean TURKEY" in await refused(tools.say(france, "PRP ( DRW )", ["TURKY"]))
    news = (await tools.wait(germany, seconds=0))["news"]
    assert [line for line in news if "DRW" in line] == [
        "FRANCE to GERMANY, ITALY: PRP ( DRW )", "FRANCE to all: PRP ( DRW )"
    ]  # fmt: skip
    assert "bad value: " in await refused(tools.say(france, "PRP ("))


@pytest.mark.parametrize(("yes", "said"), [(True, f"YES ( {PEACE} )"), (False, f"REJ ( {PEACE} )")])
@inside(at_table)
async def test_a_proposal_waits_in_the_view_until_it_is_answered(table: Table, *, yes: bool, said: str) -> None:
    tools = table.tools
    france, germany = await table.two(press=True)
    assert "none waits" in await refused(tools.answer(germany, 1, yes))
    await tools.say(france, PEACE, ["GERMANY"])
    (proposal,) = (await tools.view(germany))["proposals"]
    assert (proposal["from"], proposal["press"]) == ("FRANCE", PEACE)
    assert "proposals" not in await tools.view(france), "one's own do not wait for oneself"
    assert await refused(tools.answer(germany, 99, yes)) == f"proposal: expected {proposal['n']}"
    assert await tools.answer(germany, proposal["n"], yes) == {"said": said}
    assert "proposals" not in await tools.view(germany)
    assert f"GERMANY to FRANCE: {said}" in (await tools.wait(france, seconds=0))["news"]


@inside(at_table)
async def test_a_plan_is_sealed_where_the_view_says_so_and_others_see_nothing_of_it(table: Table) -> None:
    france, germany = await table.two(press=True, seals=SealMode.REQUIRED)
    assert (await table.tools.view(france))["seals"].startswith("required")
    assert "unsealed" in await refused(table.tools.submit(france, ["A PAR - BUR"]))
    assert (await table.tools.seal(france, ["A PAR - BUR"], {}, "because"))["sealed"] == ["A PAR - BUR"]
    told = f"{await table.tools.view(germany)} {await table.tools.wait(germany, 0, 0.0)}"
    assert "BUR" not in told
    assert "because" not in told
    assert (await table.tools.submit(france, ["A PAR - BUR"]))["submitted"] == ["A PAR - BUR"]
    plain, _ = await table.two(press=True)
    assert "seals" not in await table.tools.view(plain)
    assert "no seals" in await refused(table.tools.seal(plain, ["A PAR - BUR"], {}))


@inside(at_table)
async def test_waiting_is_as_long_as_it_is_told_and_never_longer_than_the_longest(
    table: Table, *, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = table.tools
    france, germany = await table.two()
    news = await tools.wait(france, -5)
    assert any("the match begins" in line for line in news["news"]), "before the first there is nothing"
    for seconds in (-1.0, 0.0):
        assert (await tools.wait(france, news["k"], seconds))["news"] == []
    monkeypatch.setattr(tools_module, "LONGEST_WAIT", 0.01)
    assert (await tools.wait(france, news["k"], 1e6))["news"] == []
    monkeypatch.undo()
    waiting = asyncio.ensure_future(tools.wait(france, news["k"], 1e6))
    await tools.submit(france, [])
    await tools.submit(germany, [])
    assert any("turn 1 is over" in line for line in (await waiting)["news"])
    hosted = await table.hall.wake((await tools.view(france))["match"])
    assert hosted.watchers == 0, "nobody watches once there was news"
    await session_of(table.hall, "host").submit((await tools.view(france))["match"], it.Cancel("host"))
    assert (await tools.wait(france, news["k"]))["over"] is True


async def test_what_takes_a_while_is_done_off_the_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with laid(tmp_path) as table:
        france, germany = await table.two(press=True)
        for token in (france, germany):
            await table.tools.submit(token, [])
        while (await table.tools.view(france))["turn"] == 1:  # noqa: ASYNC110 - real time: until agents have ordered
            await asyncio.sleep(0.01)  # real time: agents think on threads
        here, called = threading.get_ident(), dict[str, set[int]]()
        for kind, name in ((Position, "legal"), (Ledger, "feed"), (Past, "view")):
            original = getattr(kind, name)

            def noted(*given: Any, _name: str = name, _original: Any = original, **named: Any) -> Any:
                called.setdefault(_name, set()).add(threading.get_ident())
                return _original(*given, **named)

            monkeypatch.setattr(kind, name, noted)
        for ask in (table.tools.legal, table.tools.explain, table.tools.view):
            await ask(france)
        assert called.keys() == {"legal", "feed", "view"}
        assert all(here not in threads for threads in called.values()), called
