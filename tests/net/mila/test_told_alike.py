"""The same games at the original server and at ours: each who is there is told the same things, in the same order.

Where something else is told here, the step says what. The reasons are in docs/reference/diplomacy-protocol.md.
"""

# Why real time passes here: the deadlines of the original server do; waits end as soon as something is told.

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from support.mila.house import mila_server
from support.mila.servers import original_server
from support.mila.told import POWERS, Callers, Difference, Frame, Step, gathered
from support.waiting import PATIENCE

pytestmark = pytest.mark.timeout(300)
Story = Callable[[int], Awaitable[Callers]]
STORIES: dict[str, Story] = {}


def story(found: Story) -> Story:
    """Something to be played at both servers."""
    STORIES[getattr(found, "__name__", "")] = found
    return found


# What is to be seen here, by what is seen there


def changed(change: Callable[[str, list[Frame]], list[Frame]]) -> Difference:
    """Others are told, or other things, and nothing else differs."""
    return lambda step: {**step, "told": {who: change(who, frames) for who, frames in step["told"].items()}}


def without(name: str) -> Difference:
    """Nobody is told that."""
    return changed(lambda who, frames: [frame for frame in frames if frame["name"] != name])


@changed
def unchanged(who: str, frames: list[Frame]) -> list[Frame]:
    """Nothing changes, so nobody is told anything."""
    return []


@changed
def with_status(who: str, frames: list[Frame]) -> list[Frame]:
    """The end is told as such; no flags follow, for nobody waits for anybody any more."""
    told = [frame for frame in frames if frame["name"] != "power_wait_flag"]
    return [*told, {"name": "game_status_update", "power_name": None, "status": "completed"}]


@changed
def with_flag(who: str, frames: list[Frame]) -> list[Frame]:
    """That a flag is up again, since the orders are taken back, is also said."""
    up = [{"name": "power_wait_flag", "power_name": frame["power_name"], "wait": True} for frame in frames]
    return up + frames


def one_by_one(*powers: str) -> Difference:
    """Each power whose orders are taken back is told of by itself, and others are not."""
    return changed(lambda who, frames: [frame | {"power_name": power} for frame in frames for power in powers])


def losing(*lost: str) -> Difference:
    """A player who loses a power is notified once for each power; then of the missing players."""

    def differs(step: Step) -> Step:
        told = step["told"]
        status, controllers = told["master"]
        each: list[Frame] = []
        gone = dict(controllers["powers"])
        for power in reversed(lost):
            each.insert(0, controllers | {"powers": dict(gone)})
            gone[power] = controllers_before(step, power)
        several = [each[0], status, *each[1:]]
        out = {who: several for who in told if who not in lost and not (who == "again" and "FRANCE" in lost)}
        for who in told.keys() - out.keys():
            power = "FRANCE" if who == "again" else who
            out[who] = several[: several.index(each[lost.index(power)]) + 1]
        return {**step, "told": out}

    return differs


def controllers_before(step: Step, power: str) -> str:
    """Return the former player of a power: accounts are named after the game and the power."""
    game = next(name for name in step["told"]["master"][1]["powers"].values() if name != "dummy").rpartition(" ")[0]
    return f"{game} {power}"


def stands(*where: Any, then: Difference | None = None) -> Difference:
    """The game stands elsewhere."""
    return lambda step: {**(then(step) if then is not None else step), "stands": list(where)}


def usual(step: Step) -> Step:
    """In every step: observers see no orders."""
    told = {}
    for who, frames in step["told"].items():
        told[who] = [frame for frame in frames if who != "watcher" or frame["name"] != "power_orders_update"]
    return {**step, "told": told}


# What is played


def orders(power: str | None, *given: str, wait: bool | None = None) -> dict[str, Any]:
    return {"power_name": power, "orders": list(given), "wait": wait}


def press(table: Callers, sender: str, to: str, text: str) -> dict[str, Any]:
    message = {"sender": sender, "recipient": to, "time_sent": None, "phase": table.phase, "message": text}
    return {"message": message}


@story
async def ordering(port: int) -> Callers:
    """Orders, flags, and taking them back, until all have ordered; then phases that a moderator ends."""
    table = await gathered(port, "ordering")
    step = table.step
    await step("orders", "FRANCE", "set_orders", **orders("FRANCE", "A PAR - BUR"))
    await step("orders and a flag", "ENGLAND", "set_orders", **orders("ENGLAND", "F LON - NTH", wait=False))
    await step("a flag that is up", "ITALY", "set_orders", **orders(None, "A VEN - TYR", wait=True))
    await step("empty orders", "GERMANY", "set_orders", **orders("GERMANY"))
    await step("orders of another socket", "again", "set_orders", **orders("FRANCE", "A PAR - GAS"))
    await step("waits no more", "FRANCE", "set_wait_flag", power_name="FRANCE", wait=False)
    await step("the same again", "FRANCE", "set_wait_flag", power_name="FRANCE", wait=False)
    await step("orders and a flag that goes up", "FRANCE", "set_orders", **orders("FRANCE", "A PAR - BUR", wait=True))
    await step("no orders and a flag", "FRANCE", "set_orders", **orders("FRANCE", wait=False))
    await step("waits", "FRANCE", "set_wait_flag", power_name="FRANCE", wait=True)
    await step("takes them back", "FRANCE", "clear_orders", power_name="FRANCE")
    await step("has none", "FRANCE", "clear_orders", but=unchanged, power_name="FRANCE")
    await step("takes back with a flag", "ENGLAND", "clear_orders", but=with_flag, power_name=None)
    await step("a master orders", "master", "set_orders", **orders("FRANCE", "A PAR - PIC"))
    await step("a master orders with a flag", "master", "set_orders", **orders("FRANCE", "A PAR - PIC", wait=False))
    await step("a master waits", "master", "set_wait_flag", power_name="FRANCE", wait=True)
    await step("a master takes back", "master", "clear_orders", power_name="FRANCE")
    await step("a master takes all back", "master", "clear_orders", but=one_by_one("GERMANY", "ITALY"), power_name=None)
    for power in POWERS[:-1]:
        await table.all[power].ask_game("set_orders", **orders(power, wait=False))
    await table.settle()
    await step("all are done", "TURKEY", "set_orders", **orders(None, "F ANK - CON", wait=False))
    for number in range(3):
        await step(f"a moderator processes {number}", "master", "process_game")
    return table


@story
async def talking(port: int) -> Callers:
    """Press and votes; all agree on a draw, and somebody leaves after it."""
    table = await gathered(port, "talking")
    step = table.step
    await step("to one", "FRANCE", "send_game_message", **press(table, "FRANCE", "ENGLAND", "psst"))
    await step("to all", "FRANCE", "send_game_message", **press(table, "FRANCE", "GLOBAL", "hello"))
    await step("of another socket", "again", "send_game_message", **press(table, "FRANCE", "ENGLAND", "here"))
    await step("to two sockets", "ENGLAND", "send_game_message", **press(table, "ENGLAND", "FRANCE", "there"))
    for number, text in enumerate(("", "  ", "x" * 100_000)):
        await step(f"any text {number}", "FRANCE", "send_game_message", **press(table, "FRANCE", "ENGLAND", text))
    await step("processed", "master", "process_game")
    await step("to all of the next", "ITALY", "send_game_message", **press(table, "ITALY", "GLOBAL", "next"))
    await step("a vote", "FRANCE", "vote", power_name="FRANCE", vote="yes")
    await step("the same vote", "FRANCE", "vote", power_name="FRANCE", vote="yes")
    await step("a vote against", "ENGLAND", "vote", power_name="ENGLAND", vote="no")
    await step("no vote", "FRANCE", "vote", power_name="FRANCE", vote="neutral")
    for power in POWERS[:-1]:
        await table.all[power].ask_game("vote", power_name=power, vote="yes")
    await table.settle()
    await step("all agree", "TURKEY", "vote", but=with_status, power_name="TURKEY", vote="yes")
    after = stands("completed", "COMPLETED", 7, then=without("powers_controllers"))
    await step("leaves after the end", "FRANCE", "leave_game", but=after)
    return table


@story
async def stopping(port: int) -> Callers:
    """Pauses, and a game that is cancelled, and deleted."""
    table = await gathered(port, "stopping", seats=("ENGLAND", "FRANCE"))
    for number, status in enumerate(("paused", "paused", "active", "active", "paused", "canceled", "active")):
        await table.step(f"{status} {number}", "master", "set_game_status", status=status)
    await table.step("deleted", "master", "delete_game")
    return table


@story
async def drawing(port: int) -> Callers:
    """A moderator ends a game in a draw, and deletes it; and deletes one that is under way."""
    table = await gathered(port, "drawing", seats=("ENGLAND", "FRANCE"))
    await table.step("a draw", "master", "set_game_status", but=with_status, status="completed")
    await table.step("deleted", "master", "delete_game")
    running = await gathered(port, "running", seats=("ENGLAND", "FRANCE"))
    await running.step("deleted while it runs", "master", "delete_game")
    table.take_in(running)
    return table


@story
async def coming_and_going(port: int) -> Callers:
    """Players leave, are removed, come again, log out, or are promoted."""
    table = await gathered(port, "people", seats=POWERS[:4])
    step = table.step
    await step("an observer leaves", "watcher", "leave_game")
    await table.see("an observer comes again", table.all["watcher"].join)
    await step("a player leaves", "ENGLAND", "leave_game")
    await table.see("a player comes again", table.all["ENGLAND"].join)
    kick: dict[str, Any] = {"power_names": ["GERMANY"], "username": None}
    await step("one is thrown out", "master", "set_dummy_powers", but=losing("GERMANY"), **kick)
    await step("orders nothing", "GERMANY", "set_orders", **orders("GERMANY"))
    await step("one orders meanwhile", "AUSTRIA", "set_orders", **orders(None, "A BUD - SER"))
    await table.see("and comes again", table.all["GERMANY"].join)
    kick = {"power_names": None, "username": "people FRANCE"}
    await step("one is thrown out by name", "master", "set_dummy_powers", but=losing("FRANCE"), **kick)
    await table.see("and comes, too", table.all["FRANCE"].join)
    await table.see("on the other socket", table.all["again"].join)
    kick = {"power_names": ["AUSTRIA", "ENGLAND"], "username": None}
    await step("two are thrown out", "master", "set_dummy_powers", but=losing("AUSTRIA", "ENGLAND"), **kick)
    grade = {"game_id": "people", "username": "people FRANCE", "grade": "moderator"}
    for update in ("promote", "demote"):
        ask = partial(table.all["master"].ask, "set_grade", grade_update=update, **grade)
        await table.see(f"one is {update}d", ask)
    await step("a pause", "master", "set_game_status", status="paused")
    await step("a player leaves in it", "AUSTRIA", "leave_game")
    await table.see("and comes again in it", table.all["AUSTRIA"].join)
    await table.see("one logs out", lambda: table.all.pop("GERMANY").ask("logout"))
    return table


async def handed_over(port: int, *rules: str) -> Callers:
    """A power is left by who has ordered for it, and taken by another, who is waited for again."""
    table = await gathered(
        port, f"handed over {len(rules)}", seats=("ENGLAND", "FRANCE"), rules=["POWER_CHOICE", *rules]
    )
    for power in POWERS:
        if power not in table.all:
            await table.all["master"].ask_game("set_orders", **orders(power, wait=False))
    await table.settle()
    step, lowered = table.step, None if rules else False
    await step("has ordered", "FRANCE", "set_orders", **orders("FRANCE", "A PAR - BUR", wait=lowered))
    await table.all.pop("again").hang_up()
    await step("leaves", "FRANCE", "leave_game")
    table.all["third"] = await table.come("third", "FRANCE")
    await table.see("another comes", table.all["third"].join, sees_no_orders)
    await step("all others have", "ENGLAND", "set_orders", **orders("ENGLAND", "F LON - ENG", wait=lowered))
    await step("and so has he", "third", "set_wait_flag", power_name=None, wait=False)
    return table


def sees_no_orders(step: Step) -> Step:
    """A player who joins does not receive the orders of the power's former player."""
    data = step["answer"]["data"]
    powers = data["powers"] | {"FRANCE": data["powers"]["FRANCE"] | {"orders": {}}}
    return {**step, "answer": {**step["answer"], "data": {**data, "powers": powers}}}


@story
async def handing_over(port: int) -> Callers:
    """The same where flags are up at first, and where only those of powers that nobody plays are."""
    table = await handed_over(port)
    other = await handed_over(port, "REAL_TIME")
    other.steps = {f"{what} in real time": step for what, step in other.steps.items()}
    other.differences = {f"{what} in real time": but for what, but in other.differences.items()}
    table.take_in(other)
    return table


def board(state: Any) -> dict[str, Any]:
    return {"state": state, "orders": {}, "results": {}, "messages": {}}


@changed
def yet_to_order(who: str, frames: list[Frame]) -> list[Frame]:
    """Nobody has ordered anything on another board; there, who could not before has ordered nothing."""
    found = []
    for frame in frames:
        phase = frame["phase_data"]
        found.append({**frame, "phase_data": {**phase, "orders": dict.fromkeys(phase["orders"])}})
    return found


@story
async def clearing(port: int) -> Callers:
    """A moderator takes units and centres away, of one power and of all, and lays another board."""
    table = await gathered(port, "clearing", seats=("ENGLAND", "FRANCE"))
    state = (await table.all["master"].ask_game("save_game"))["data"]["phases"][-1]["state"]
    step = table.step
    await step("the units of one", "master", "clear_units", power_name="ITALY")
    await step("the centres of one", "master", "clear_centers", power_name="ITALY")
    await step("all units", "master", "clear_units", power_name=None)
    await step("all centres", "master", "clear_centers", power_name=None)
    await step("another board", "master", "set_game_state", but=yet_to_order, **board(state))
    await step("goes on", "master", "process_game")
    for kind in ("clear_units", "clear_centers"):
        await table.all["master"].ask_game(kind, power_name="ENGLAND")
    await table.settle()
    await step("to one who is out", "FRANCE", "send_game_message", **press(table, "FRANCE", "ENGLAND", "farewell"))
    await step("of one who is out", "ENGLAND", "send_game_message", **press(table, "ENGLAND", "FRANCE", "farewell"))
    return table


async def turn(table: Callers, what: str, given: dict[str, list[str]]) -> None:
    """All order, Italy last; who gives no orders gives none to be carried out."""
    for power in POWERS:
        if power != "ITALY":
            await table.all[power].ask_game("set_orders", **orders(power, *given.get(power, ()), wait=False))
    await table.settle()
    await table.step(what, "ITALY", "set_orders", **orders("ITALY", *given.get("ITALY", ()), wait=False))


def more_is_saved(step: Step) -> Step:
    """Saved games say here how they stand, and who plays."""
    players = {power: f"winning {power}" for power in POWERS}
    more = {"all_rules": ["POWER_CHOICE"], "status": "active", "outcome": [], "deadline": 0, "controllers": players}
    return {**step, "answer": {**step["answer"], "data": step["answer"]["data"] | more}}


@story
async def winning(port: int) -> Callers:
    """A year with a retreat and a build, who joins meanwhile, and a solo in the next."""
    table = await gathered(port, "winning")
    step = table.step
    await turn(table, "spring", {"ITALY": ["A VEN - TYR", "A ROM - VEN"]})
    await turn(table, "fall", {"ITALY": ["A TYR - TRI", "A VEN S A TYR - TRI"]})
    await table.see("joined in a retreat", table.all["again"].join)
    await step("who has nothing to order orders", "ITALY", "set_orders", **orders("ITALY"))
    await step("and waits no more", "ITALY", "set_orders", **orders("ITALY", wait=False))
    await step("a master orders nothing for one", "master", "set_orders", **orders("TURKEY"))
    await step("a retreat", "AUSTRIA", "set_orders", **orders("AUSTRIA", "F TRI R ALB", wait=False))
    await step("a waived build", "ITALY", "set_orders", **orders("ITALY", "WAIVE"))
    await step("a build", "ITALY", "set_orders", **orders("ITALY", "A ROM B", wait=False))
    await step("a removal", "AUSTRIA", "set_orders", **orders("AUSTRIA", "A VIE D", wait=False))
    for name, first, last in (
        ("all", None, None),
        ("names", "F1901M", "F1901R"),
        ("numbers", 1, 2),
        ("the last", -1, None),
    ):
        await step(f"history: {name}", "FRANCE", "get_phase_history", from_phase=first, to_phase=last)
    await step("saved", "FRANCE", "save_game", but=more_is_saved)
    state = (await table.all["master"].ask_game("save_game"))["data"]["phases"][-1]["state"]
    state["centers"] = {"ITALY": [place for own in state["centers"].values() for place in own]}
    await table.all["master"].ask_game("set_game_state", **board(state))
    await turn(table, "spring again", {})
    await turn(table, "the last fall", {})
    return table


@story
async def by_the_clock(port: int) -> Callers:
    """Time is up, and one who has not ordered loses the power, or, by another rule, holds."""
    tables = []
    for rules in (["POWER_CHOICE"], ["POWER_CHOICE", "CIVIL_DISORDER"]):
        name = f"late {len(rules)}"
        table = await gathered(port, name, seats=("FRANCE",), n_controls=2, deadline=1, rules=rules)
        await table.step(f"{name}: has ordered", "FRANCE", "set_orders", **orders(None, "A PAR - BUR"))
        tables.append(table)

    async def late(table: Callers, told: str, but: Difference | None) -> None:
        england = await table.come("ENGLAND", "ENGLAND")

        async def pass_time() -> None:
            await england.join()
            async with asyncio.timeout(PATIENCE):
                while not any(frame["name"] == told for frame in england.told):  # noqa: ASYNC110 - it comes by itself
                    await asyncio.sleep(0.01)

        await table.see(f"{table.game}: time is up", pass_time, but)

    await asyncio.gather(late(tables[0], "powers_controllers", all_are_told), late(tables[1], "game_processed", None))
    tables[0].take_in(tables[1])
    return tables[0]


def all_are_told(step: Step) -> Step:
    """The package's server notifies only the player who was late."""
    told = step["told"]
    lost = told["ENGLAND"][-1]
    status = {"name": "game_status_update", "power_name": None, "status": "forming"}
    return {**step, "told": {who: found if who == "ENGLAND" else [*found, lost, status] for who, found in told.items()}}


@story
async def behind_a_password(port: int) -> Callers:
    """A game with a password, from outside; nobody comes in there, whatever he says."""
    table = Callers(port, "closed")
    master = await table.come("master", "omniscient_type")
    setup = {"n_controls": 2, "deadline": 0, "rules": ["POWER_CHOICE"], "registration_password": "sesame"}

    def kept(step: Step) -> Step:
        return {**step, "answer": {**step["answer"], "data": {**step["answer"]["data"], "registration_password": None}}}

    await table.see("opened", lambda: master.ask("create_game", game_id="closed", **setup), kept)
    stranger = await table.come("stranger", "FRANCE")
    await table.see("looked at", lambda: stranger.ask("get_games_info", games=["closed"]))
    for protected in (False, True):
        ask = partial(stranger.ask, "list_games", game_id="closed", include_protected=protected)
        await table.see(f"listed: {protected}", ask)
    await table.see("no password", stranger.join)
    return table


# After a cut


def gist(frames: list[Frame]) -> dict[str, Any]:
    """A player who comes back receives phases, press and the status, in either form."""
    past = [frame["previous_phase_data"] for frame in frames if frame["name"] == "game_processed"]
    current = [frame["current_phase_data"] for frame in frames if frame["name"] == "game_processed"][-1:]
    for frame in frames:
        if frame["name"] == "game_phase_update":
            (past if frame["phase_data_type"] == "state_history" else current).append(frame["phase_data"])
    press = [frame["message"] for frame in frames if frame["name"] == "game_message_received"]
    press += [message for phase in (*past, *current) for message in phase["messages"]]
    return {
        "past": past,
        "current": [phase["state"] for phase in current],
        "press": sorted({(message["phase"], message["sender"], message["message"]) for message in press}),
        "status": [frame["status"] for frame in frames if frame["name"] == "game_status_update"],
    }


@story
async def coming_back(port: int) -> Callers:
    """Cut off in every state, and back with the same token, from the time that was known before."""
    table = await gathered(port, "back", seats=("ENGLAND", "FRANCE"))
    master, france = table.all["master"], table.all["FRANCE"]

    async def cut(who: str, what: str, *actions: Callable[[], Awaitable[Any]], but: Difference | None = None) -> None:
        caller = table.all.pop(who)
        await table.settle()
        (known,) = (await master.ask("get_games_info", games=["back"]))["data"]
        await caller.hang_up()
        for action in actions:
            assert (await action())["name"] != "error"
            await table.settle()
        caller.told.clear()
        table.all[who] = caller
        await caller.connect()
        answer = await caller.ask_game("synchronize", timestamp=known["timestamp"])
        await table.settle()
        stands = {name: answer.get(name) for name in ("name", "phase", "error_type")}
        table.note(what, stands | gist(caller.told), {}, but)

    def say(to: str, text: str) -> Callable[[], Awaitable[Any]]:
        return lambda: france.ask_game("send_game_message", **press(table, "FRANCE", to, text))

    def process() -> Awaitable[Any]:
        return master.ask_game("process_game")

    def become(status: str) -> Callable[[], Awaitable[Any]]:
        return lambda: master.ask_game("set_game_status", status=status)

    await cut("ENGLAND", "nothing")
    await cut("ENGLAND", "press", say("ENGLAND", "one"), say("GLOBAL", "two"), say("ITALY", "three"))
    await cut("watcher", "press to others", say("ENGLAND", "four"), say("GLOBAL", "five"))
    await cut("ENGLAND", "nothing more")
    await cut("ENGLAND", "a phase", process)
    await cut("seer", "two phases and press", say("ITALY", "six"), process, process, say("GLOBAL", "seven"))
    await cut("ENGLAND", "a pause", become("paused"))
    await cut("watcher", "no pause", become("active"))
    await cut("ENGLAND", "a draw", become("completed"))
    await cut("watcher", "the end", become("completed"))
    return table


# Both servers


@pytest.fixture(scope="module")
def original() -> Iterator[int]:
    """The port of the original server."""
    with original_server() as port:
        yield port


async def told(name: str, port: int) -> Callers:
    """A story as one server tells it."""
    table = await STORIES[name](port)
    await table.part()
    return table


@pytest.mark.parametrize("name", STORIES)
def test_both_servers_tell_the_same(original: int, tmp_path: Path, name: str) -> None:
    async def both() -> tuple[Callers, Callers]:
        async with mila_server(tmp_path) as house:
            return await asyncio.gather(told(name, house.port), told(name, original))

    here, there = asyncio.run(both())
    assert here.steps.keys() == there.steps.keys()
    for what, step in there.steps.items():
        expected = usual(step)
        if (difference := here.differences.get(what)) is not None:
            expected = difference(expected)
        assert here.steps[what] == expected, what
