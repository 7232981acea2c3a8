"""The same things asked of any server, one after the other, by the unmodified client of the `diplomacy` package: PORT.

It runs where only that package is installed, and prints what was answered as one line of JSON.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import diplomacy  # type: ignore[import-untyped]
from diplomacy.communication import requests  # type: ignore[import-untyped]
from diplomacy.utils import constants, exceptions, export  # type: ignore[import-untyped]

from peers.original_client import sign_in


class Sequence:
    """Requests about one game, and their answers."""

    def __init__(self, port: int, name: str) -> None:
        self.port, self.name = port, name
        self.answers: dict[str, Any] = {}

    async def sit(self, *, players: int = 2, rules: tuple[str, ...] = ("POWER_CHOICE",)) -> None:
        """A game with a moderator, France, England and an observer."""
        names = ("host", "anna", "bert", "otto")
        self.host, self.anna, self.bert, self.otto = [await sign_in(self.port, f"{self.name} {n}") for n in names]
        self.all = await self.host.create_game(game_id=self.name, n_controls=players, rules=list(rules), deadline=0)
        self.france = await self.anna.join_game(game_id=self.name, power_name="FRANCE")
        self.england = await self.bert.join_game(game_id=self.name, power_name="ENGLAND")
        self.watcher = await self.otto.join_game(game_id=self.name)

    async def ask(self, what: str, answer: Awaitable[Any], show: Callable[[Any], Any] | None = None) -> None:
        """Note what is answered, or the class of the error."""
        try:
            given = await asyncio.wait_for(answer, 200)
            found = "ok" if show is None else show(given)
        except exceptions.ResponseException as error:
            found = type(error).__name__
        except TimeoutError:
            found = "nothing"
        if what in self.answers:
            raise ValueError(what)
        self.answers[what] = found

    async def look(self, what: str) -> None:
        """Note how the game stands."""
        (found,) = await self.otto.get_games_info(games=[self.name])
        self.answers[what] = [found.status, found.phase, found.n_players]

    async def moved_on(self, phases: int) -> None:
        """Wait until more phases than that are over, as a player sees it."""
        # Why real time passes here: the package's client has nothing that could be waited for.
        while len(self.all.state_history) <= phases:  # noqa: ASYNC110
            await asyncio.sleep(0.01)

    async def stranger(self, role: str, kind: Any, **fields: Any) -> Any:
        """Ask something in a role that the asking channel has not joined; who plays France asks by another channel."""
        channel = await sign_in(self.port, f"{self.name} anna" if role == "FRANCE" else f"{self.name} eve")
        head = {"game_id": self.name, "game_role": role, "phase": "S1901M", "token": channel.token}
        return await channel.connection.send(kind(**head, **fields))

    def say(self, game: Any, to: str, phase: str = "S1901M", sender: str = "") -> Awaitable[Any]:
        """Press of a player."""
        message = diplomacy.Message(sender=sender or game.role, recipient=to, phase=phase, message="hello")
        return game.send_game_message(message=message)  # type: ignore[no-any-return]


async def orders(s: Sequence) -> None:
    """Orders, flags and taking them back, by those who may and those who may not."""
    await s.sit()
    await s.ask("two for a unit", s.france.set_orders(orders=["A PAR - BUR", "A PAR - PIC"]))
    again = await sign_in(s.port, f"{s.name} anna")
    await s.ask("the last", again.join_game(game_id=s.name, power_name="FRANCE"), lambda g: dict(g.power.orders))
    await s.ask("the last that can be", s.france.set_orders(orders=["A PAR - BUR", "A PAR - ROM"]))
    once = await sign_in(s.port, f"{s.name} anna")
    await s.ask("possible", once.join_game(game_id=s.name, power_name="FRANCE"), lambda g: dict(g.power.orders))
    await s.ask("another's", s.france.set_orders(power_name="ENGLAND", orders=["F LON - NTH"]))
    await s.ask("nobody's", s.france.set_orders(power_name="ATLANTIS", orders=[]))
    await s.ask("an observer's", s.watcher.set_orders(power_name="FRANCE", orders=[]))
    await s.ask("a master's for a dummy", s.all.set_orders(power_name="ITALY", orders=["A VEN - TYR"], wait=False))
    await s.ask("a master's for a player", s.all.set_orders(power_name="FRANCE", orders=["A PAR - GAS"]))
    await s.ask("a master's for nobody", s.all.set_orders(orders=["A PAR - GAS"]))
    await s.ask("wait", s.france.wait())
    await s.ask("wait again", s.france.wait())
    await s.ask("clear", s.france.clear_orders())
    await s.ask("clear again", s.france.clear_orders())
    await s.ask("clear all", s.all.clear_orders())
    await s.ask("an observer clears", s.watcher.clear_orders(power_name="FRANCE"))
    await s.look("stands")


async def statuses(s: Sequence) -> None:
    """Pauses, and what can be done in them; the end, and what can be done after it."""
    await s.sit()
    await s.look("begun")
    await s.ask("a player pauses", s.france.pause())
    await s.ask("an observer pauses", s.watcher.pause())
    await s.ask("pause", s.all.pause())
    await s.ask("pause again", s.all.pause())
    await s.look("paused")
    await s.ask("orders while paused", s.france.set_orders(orders=["A PAR - BUR"]))
    await s.ask("press while paused", s.say(s.france, "ENGLAND"))
    await s.ask("press of another phase while paused", s.say(s.france, "ENGLAND", "F1901M"))
    await s.ask("press to all while paused", s.say(s.france, "GLOBAL"))
    await s.ask("a vote while paused", s.france.vote(vote="yes"))
    await s.ask("resume", s.all.resume())
    await s.ask("start", s.all.start())
    await s.look("resumed")
    await s.ask("process", s.all.process())
    await s.look("processed")
    await s.ask("draw", s.all.draw())
    await s.look("drawn")
    late = await sign_in(s.port, f"{s.name} late")
    asked: dict[str, Any] = {
        "orders": lambda: s.france.set_orders(orders=["A PAR - BUR"]),
        "press": lambda: s.say(s.france, "GLOBAL", "COMPLETED"),
        "a vote": lambda: s.france.vote(vote="yes"),
        "a pause": lambda: s.all.pause(),
        "a cancelling": lambda: s.all.cancel(),
        "a processing": lambda: s.all.process(),
        "a flag": lambda: s.france.wait(),
        "a kick": lambda: s.all.kick_powers(power_names=["ENGLAND"]),
        "a schedule": lambda: s.france.query_schedule(),
        "a player": lambda: late.join_game(game_id=s.name, power_name="ITALY"),
        "a watcher": lambda: late.join_game(game_id=s.name),
        "a watcher who plays": lambda: late.join_game(game_id=s.name, power_name="ITALY"),
        "a state": lambda: s.all.set_state(state=s.all.get_state(), orders={}, results={}, messages={}),
        "a deletion": lambda: s.all.delete(),
    }
    for what, request in asked.items():
        await s.ask(f"{what} after the end", request())
    await s.ask("after the deletion", late.get_games_info(games=[s.name]), len)


async def people(s: Sequence) -> None:
    """Let players join, leave, be removed and be promoted."""
    await s.sit(players=4)
    await s.look("waits")
    own = s.anna.join_powers(game_id=s.name, power_names=["FRANCE", "RUSSIA"])
    await s.ask("the own one and another", own)
    await s.ask("two at once", s.bert.join_powers(game_id=s.name, power_names=["GERMANY", "ITALY"]))
    await s.look("plays")
    await s.ask("one too many", s.anna.join_powers(game_id=s.name, power_names=["RUSSIA"]))
    await s.ask("unknown powers", s.anna.join_powers(game_id=s.name, power_names=["ATLANTIS"]))
    await s.ask("an observer plays", s.otto.join_game(game_id=s.name, power_name="RUSSIA"))
    await s.ask("thrown out", s.all.kick_powers(power_names=["ENGLAND"]))
    await s.look("is short of one")
    await s.ask("who was thrown out orders", s.england.set_orders(orders=[]))
    await s.ask("throws out by name", s.all.kick_powers(username=f"{s.name} anna"))
    await s.ask("throws out a stranger", s.all.kick_powers(username="nobody"))
    await s.ask("a player throws out", s.france.kick_powers(power_names=["ITALY"]))
    await s.look("has one")
    await s.ask("promotes", s.host.promote_moderator(username=f"{s.name} anna", game_id=s.name))
    await s.ask("is promoted", s.anna.make_omniscient(username=f"{s.name} bert", game_id=s.name))
    anna = {"username": f"{s.name} anna", "game_id": s.name}
    await s.ask("promotes less", s.host.make_omniscient(**anna))
    await s.ask("demotes less", s.host.remove_omniscient(**anna))
    await s.ask("is promoted still", s.anna.remove_omniscient(username="nobody", game_id=s.name))
    await s.ask("demotes", s.host.demote_moderator(username=f"{s.name} anna", game_id=s.name))
    await s.ask("is demoted", s.anna.make_omniscient(username=f"{s.name} bert", game_id=s.name))
    await s.ask("promotes nowhere", s.host.promote_moderator(username=f"{s.name} anna", game_id="nowhere"))
    await s.ask("promotes an administrator", s.host.promote_administrator(username=f"{s.name} anna"))
    await s.ask("an observer leaves", s.watcher.leave())
    await s.ask("logs out", s.bert.logout())
    await s.ask("has logged out", s.bert.list_games())


async def press(s: Sequence) -> None:
    """Press to whom it may be and to whom not, and votes."""
    await s.sit()
    for to in ("ENGLAND", "ITALY", "FRANCE", "ATLANTIS", "GLOBAL", "OBSERVER", "OMNISCIENT"):
        await s.ask(f"to {to}", s.say(s.france, to))
    await s.ask("of another phase", s.say(s.france, "ENGLAND", "F1901M"))
    await s.ask("to all of another phase", s.say(s.france, "GLOBAL", "F1901M"))
    await s.ask("of another power", s.say(s.france, "ENGLAND", sender="ITALY"))
    await s.ask("of an observer", s.say(s.watcher, "GLOBAL"))
    await s.ask("of a master", s.say(s.all, "GLOBAL"))
    await s.ask("an observer votes", s.watcher.vote(power_name="FRANCE", vote="yes"))
    await s.ask("votes for another", s.france.vote(power_name="ENGLAND", vote="yes"))
    await s.ask("votes", s.france.vote(vote="yes"))
    await s.ask("votes otherwise", s.france.vote(vote="no"))
    await s.look("goes on")


async def states(s: Sequence) -> None:
    """Another state, clearing the board. Nobody synchronises: there that may end the client that asks."""
    await s.sit()
    engine = diplomacy.Game()
    engine.process()
    changed = {"state": engine.get_state(), "orders": {"FRANCE": ["A PAR - BUR"]}, "results": {}, "messages": {}}
    await s.ask("a player sets a state", s.france.set_state(**changed))
    await s.ask("a master sets a state", s.all.set_state(**changed))
    await s.look("stands elsewhere")
    fall = {"state": {"name": "F1905M"}, "orders": {}, "results": {}, "messages": {}}
    await s.ask("a master sets the phase alone", s.all.set_state(**fall))
    await s.look("stands later")
    await s.ask("an observer clears units", s.watcher.clear_units(power_name="FRANCE"))
    await s.ask("clears units", s.all.clear_units(power_name="FRANCE"))
    await s.ask("clears centres", s.all.clear_centers(power_name="FRANCE"))
    await s.ask("clears those of nobody", s.all.clear_units(power_name="ATLANTIS"))
    await s.ask("process", s.all.process())
    await s.ask("a player processes", s.france.process())
    await s.ask("an observer deletes", s.watcher.delete())
    await s.ask("a schedule", s.france.query_schedule())
    await s.ask("a DAIDE port of nowhere", s.france.channel.connection.get_daide_port(game_id="nowhere"))
    await s.ask("what can be played", s.anna.get_playable_powers(game_id=s.name), len)
    await s.ask("pause", s.all.pause())
    await s.ask("throws out in a pause", s.all.kick_powers(power_names=["FRANCE"]))
    await s.look("is paused")
    await s.ask("cancel", s.all.cancel())
    await s.look("cancelled")
    await s.ask("saved after that", s.england.save(), lambda found: found["phases"][-1]["state"]["name"])
    await s.ask("orders after that", s.england.set_orders(orders=[]))


async def gates(s: Sequence) -> None:
    """Try the rights that rules give: to watch, to start, to choose, to play several powers."""
    await s.sit(rules=("POWER_CHOICE", "START_MASTER"))
    await s.look("waits for its master")
    await s.ask("a player starts", s.france.start())
    await s.ask("its master starts", s.all.start())
    await s.look("is started")
    two = {"n_controls": 2, "deadline": 0}
    await s.host.create_game(game_id=f"{s.name} dark", rules=["NO_OBSERVATIONS", "POWER_CHOICE"], **two)
    await s.ask("watches in the dark", s.otto.join_game(game_id=f"{s.name} dark"))
    joined = s.anna.join_game(game_id=f"{s.name} dark", power_name="ITALY")
    await s.ask("plays in the dark", joined, lambda g: [g.role, g.observer_level])
    dark = s.bert.list_games(game_id=f"{s.name} dark")
    await s.ask("may not watch it", dark, lambda found: [g.observer_level for g in found])
    await s.ask("plays two", s.anna.join_game(game_id=f"{s.name} dark", power_name="RUSSIA"))
    await s.ask("plays another's", s.bert.join_game(game_id=f"{s.name} dark", power_name="ITALY"))
    several = ["MULTIPLE_POWERS_PER_PLAYER", "POWER_CHOICE"]
    await s.host.create_game(game_id=f"{s.name} several", rules=several, **two)
    for power in ("ITALY", "RUSSIA", "TURKEY"):
        joined = s.anna.join_game(game_id=f"{s.name} several", power_name=power)
        await s.ask(f"several: {power}", joined, lambda g: g.role)
    await s.ask("several, all known", s.anna.list_games(game_id=f"{s.name} several"), controlled)
    await s.ask("alone", s.host.create_game(game_id=f"{s.name} alone", rules=["SOLITAIRE"]), lambda g: g.role)
    await s.ask("alone is under way", s.anna.get_games_info(games=[f"{s.name} alone"]), lambda f: [g.status for g in f])
    await s.ask("plays alone", s.host.create_game(power_name="ITALY", rules=["SOLITAIRE"]))
    await s.ask("joins who is alone", s.anna.join_game(game_id=f"{s.name} alone", power_name="ITALY"))
    nobody = {"game_id": f"{s.name} nobody", "n_controls": 0, "deadline": 60}
    await s.ask(
        "nobody must play", s.host.create_game(**nobody), lambda g: [sorted(g.rules), sorted(g.no_rules), g.deadline]
    )
    await s.ask("nobody waits", s.anna.get_games_info(games=[f"{s.name} nobody"]), lambda f: [g.status for g in f])
    none = {"game_id": f"{s.name} none", "n_controls": 0, "power_name": "ITALY"}
    await s.ask("plays where nobody must", s.host.create_game(**none), lambda g: g.role)
    await s.ask("an id that is taken", s.host.create_game(game_id=s.name))
    for name in ("Käthes", "東京", "l'été (2), #1 & co!", "a=b~c"):
        await s.ask(f"an id like {name}", s.host.create_game(game_id=f"{s.name} {name}"), lambda g: g.game_id)
    await s.ask("finds one of them", s.anna.list_games(game_id=f"{s.name} käthes"), lambda f: [g.game_id for g in f])
    await s.ask("a map that is unknown", s.host.create_game(map_name="atlantis"))
    await s.ask("a power that is unknown", s.host.create_game(power_name="ATLANTIS"))
    await s.ask("deletes another's account", s.anna.delete_account(username=f"{s.name} bert"))
    await s.ask("deletes an account", s.bert.delete_account())
    await s.ask("has deleted it", s.bert.list_games())
    await s.look("is short of a player")
    again = s.anna.connection.authenticate(f"{s.name} bert", "another password")
    await s.ask("opens an account of that name", again, lambda channel: setattr(s, "bert", channel))
    await s.ask("has nothing of the old one's", s.bert.list_games(game_id=s.name), controlled)
    joined = s.bert.join_game(game_id=s.name, power_name="ENGLAND")
    await s.ask("plays again", joined, lambda game: game.powers["ENGLAND"].get_controller() == f"{s.name} bert")


def controlled(games: list[Any]) -> list[list[str]]:
    """The powers of who asks, by game."""
    return sorted(sorted(game.controlled_powers) for game in games)


async def histories(s: Sequence) -> None:
    """Phases of the past for who comes later, and saved games."""
    await s.sit()
    for _ in range(3):
        await s.all.process()
    late = await sign_in(s.port, f"{s.name} late")

    def names(phases: list[Any]) -> list[str]:
        return [phase.name for phase in phases]

    watching = await late.join_game(game_id=s.name)
    # Phases that the client has, and indexes beyond the last, end that client or that server.
    await s.ask("before all", watching.get_phase_history(from_phase="S1900M", to_phase="F1900M"), names)
    await s.ask("known", asyncio.sleep(0), lambda _: [str(phase) for phase in list(watching.state_history.keys())])
    await s.ask("saved", watching.save(), lambda found: names_of(found))
    await s.ask("a master's", s.all.save(), lambda found: names_of(found))
    await s.ask("watches again", late.join_game(game_id=s.name), lambda game: game.role)
    await s.ask("leaves", watching.leave())
    await s.ask("asks after that", watching.save())


async def bots(s: Sequence) -> None:
    """The account of the package's bots, which asks for powers that nobody plays, and orders for them."""
    await s.sit()
    connection = await diplomacy.connect("127.0.0.1", s.port)
    bot = await connection.authenticate(constants.PRIVATE_BOT_USERNAME, constants.PRIVATE_BOT_PASSWORD)

    def free(found: dict[str, list[str]]) -> list[str]:
        return sorted(found.get(s.name, []))

    await s.ask("a player asks", s.anna.get_dummy_waiting_powers(buffer_size=100))
    await s.ask("room for all", bot.get_dummy_waiting_powers(buffer_size=100), free)
    await s.ask("room for none", bot.get_dummy_waiting_powers(buffer_size=1), free)
    await s.host.create_game(game_id=f"{s.name} forming", n_controls=7, deadline=0)
    await s.ask("joins before it runs", bot.join_game(game_id=f"{s.name} forming", power_name="ITALY"))
    await s.ask("joins a player's", bot.join_game(game_id=s.name, power_name="FRANCE"))
    await s.ask("takes two", bot.join_powers(game_id=s.name, power_names=["AUSTRIA", "ITALY"]))
    italy = await bot.join_game(game_id=s.name, power_name="ITALY")
    germany = await bot.join_game(game_id=s.name, power_name="GERMANY")
    await s.ask("orders", italy.set_orders(orders=["A VEN - TYR"], wait=False))
    await s.ask("orders for the other", italy.set_orders(power_name="AUSTRIA", orders=["A BUD - SER"], wait=False))
    await s.ask("orders for a dummy", italy.set_orders(power_name="TURKEY", orders=[]))
    for game in (italy, germany):
        await s.ask(f"leaves {game.role}", game.leave())
    await s.ask("is left", bot.get_dummy_waiting_powers(buffer_size=100), free)
    await s.look("goes on")


async def bot_loop(s: Sequence) -> None:
    """The loop of the package's bots: in every phase they ask for the powers that nobody plays, and order for them."""
    await s.sit()
    connection = await diplomacy.connect("127.0.0.1", s.port)
    bot = await connection.authenticate(constants.PRIVATE_BOT_USERNAME, constants.PRIVATE_BOT_PASSWORD)
    for number in range(4):
        found = (await bot.get_dummy_waiting_powers(buffer_size=100)).get(s.name, [])
        s.answers[f"waiting {number}"] = sorted(found)
        for power in found:
            game = await bot.join_game(game_id=s.name, power_name=power)
            await s.ask(f"orders {power} {number}", game.set_orders(orders=[], wait=False))
        for game in (s.france, s.england):
            await s.ask(f"a player orders {game.role} {number}", game.set_orders(orders=[], wait=False))
        await s.moved_on(number)
        await s.look(f"stands {number}")
        shown = {power.name: power.get_controller() for power in s.all.powers.values()}
        s.answers[f"who plays {number}"] = shown


async def strangers(s: Sequence) -> None:
    """Send requests of a client that has not joined, and requests for impossible things."""
    await s.sit()
    for role in ("ITALY", "FRANCE", "observer_type", "omniscient_type"):
        await s.ask(f"synchronizes {role}", s.stranger(role, requests.Synchronize, timestamp=0))
        await s.ask(f"reads the past as {role}", s.stranger(role, requests.GetPhaseHistory))
        await s.ask(f"saves as {role}", s.stranger(role, requests.SaveGame))
    state = s.all.get_state()
    state["units"]["ITALY"], state["centers"]["ITALY"] = [], []
    await s.ask("eliminates Italy", s.all.set_state(state=state, orders={}, results={}, messages={}))
    carl = await sign_in(s.port, f"{s.name} carl")
    await s.ask("joins the eliminated", carl.join_game(game_id=s.name, power_name="ITALY"))
    for rules in ([], ["POWER_CHOICE"], ["SOLITAIRE"], ["CIVIL_DISORDER", "NO_DEADLINE", "REAL_TIME"]):
        game = await s.host.create_game(rules=rules, deadline=0)
        saved = await game.save()
        again = export.from_saved_game_format(saved)
        kept = [game.rules, saved["rules"], export.to_saved_game_format(game)["rules"], again.rules]
        s.answers[f"rules {rules}"] = [sorted(each) for each in kept]
    await s.ask("deletes it", s.all.delete())
    again = {"game_id": s.name, "n_controls": 1, "deadline": 0, "rules": ["POWER_CHOICE"]}
    dora = await sign_in(s.port, f"{s.name} dora")  # clients that knew the deleted game die of the new one, there too
    await s.ask("opens it again", dora.create_game(**again), lambda game: [game.game_id, game.role, game.phase])
    await s.ask("it is taken again", s.host.create_game(**again))
    await s.ask(
        "plays in it", carl.join_game(game_id=s.name, power_name="ITALY"), lambda game: game.get_power("ITALY").units
    )
    await s.look("is another")
    await s.ask("is listed once", s.host.list_games(game_id=s.name), lambda found: [game.game_id for game in found])
    maps = await s.otto.get_available_maps()
    s.answers["kinds of places"] = maps["standard"]["loc_type"]
    s.answers["neighbours"] = {place: sorted(near) for place, near in maps["standard"]["loc_abut"].items()}


def names_of(saved: Any) -> Any:
    """Return the public fields of a saved game."""
    return [saved["id"], saved["map"], sorted(saved["rules"]), [phase["name"] for phase in saved["phases"]]]


async def main() -> None:
    """Ask everything."""
    logging.disable(logging.CRITICAL)
    found = {}
    for about in (orders, statuses, people, press, states, gates, histories, bots, bot_loop, strangers):
        sequence = Sequence(int(sys.argv[1]), about.__name__)
        await about(sequence)
        found[about.__name__] = sequence.answers
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    asyncio.run(main())
