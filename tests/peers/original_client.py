"""The unmodified client of the `diplomacy` package at a server, one scenario a run: SCENARIO PORT [SEED].

It runs where only that package is installed, and prints what it saw as one line of JSON.
"""

# Why real time passes here: the client of others waits in real time.

from __future__ import annotations

import asyncio
import json
import logging
import random
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import diplomacy  # type: ignore[import-untyped]
from diplomacy import Game
from diplomacy.utils import constants, exceptions, strings  # type: ignore[import-untyped]
from diplomacy.utils.export import from_saved_game_format, to_saved_game_format  # type: ignore[import-untyped]

MAPS = ("standard_france_austria", "standard_age_of_empires", "pure")
POWERS = ("AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY")
CALLBACKS = (
    "cleared_centers",
    "cleared_orders",
    "cleared_units",
    "game_deleted",
    "game_message_received",
    "game_processed",
    "game_phase_update",
    "game_status_update",
    "omniscient_updated",
    "power_orders_flag",
    "power_orders_update",
    "power_vote_updated",
    "power_wait_flag",
    "powers_controllers",
    "vote_count_updated",
    "vote_updated",
)
HOST = "127.0.0.1"
Seen = dict[str, Any]


async def until(reached: Callable[[], Any], seconds: float = 200.0) -> None:
    """Wait until something is the case."""

    async def wait() -> None:
        while not reached():  # noqa: ASYNC110 - what is waited for is an attribute of whatever kind
            await asyncio.sleep(0.005)

    await asyncio.wait_for(wait(), seconds)


async def refused(answer: Awaitable[Any]) -> str:
    """The class of the error with which a request was answered."""
    try:
        await answer
    except exceptions.ResponseException as error:
        return type(error).__name__
    return ""


def note_all(game: Any, told: list[str]) -> None:
    """Write down every notification that a game gets."""
    for name in CALLBACKS:
        getattr(game, f"add_on_{name}")(lambda _, found, name=name: told.append(name))


async def settle(channels: list[Any]) -> None:
    """Let all that was told arrive: on a socket everything comes in order."""
    await asyncio.gather(*(channel.get_games_info(games=[]) for channel in channels))


async def sign_in(port: int, name: str) -> Any:
    """An account on a connection of its own."""
    return await (await diplomacy.connect(HOST, port)).authenticate(name, "password")


async def seven(port: int, game_id: str, **setup: Any) -> list[Any]:
    """A game with seven players, each on a connection of its own; the first of them is its moderator."""
    channels = [await sign_in(port, f"{game_id} {power}") for power in POWERS]
    setup = {"deadline": 0, "rules": ["POWER_CHOICE"], **setup}
    games = [await channels[0].create_game(game_id=game_id, power_name=POWERS[0], **setup)]
    for channel, power in zip(channels[1:], POWERS[1:], strict=True):
        games.append(await channel.join_game(game_id=game_id, power_name=power))
    await until(lambda: all(game.is_game_active for game in games))
    return games


def random_orders(game: Any, rng: random.Random, powers: Sequence[str] = POWERS) -> dict[str, list[str]]:
    """Random orders for all powers; the lists are sorted because their order is chance."""
    possible, places = game.get_all_possible_orders(), game.get_orderable_locations()
    return {
        power: [rng.choice(sorted(possible[place])) for place in sorted(places[power]) if possible[place]]
        for power in powers
    }


def board(game: Any) -> Seen:
    """Return the units in a fixed order."""
    state = game.get_state()
    units = {power: sorted(found) for power, found in state["units"].items()}
    centers = {power: sorted(found) for power, found in state["centers"].items()}
    retreats = {
        power: {unit: sorted(places) for unit, places in found.items()} for power, found in state["retreats"].items()
    }
    return {"phase": game.get_current_phase(), "units": units, "centers": centers, "retreats": retreats}


async def whole_game(port: int, seed: int) -> Seen:
    """Random orders until the end, beside the package's own engine."""
    rng = random.Random(seed)
    games = await seven(port, f"whole {seed}")
    engine = Game()
    differences = []
    while not games[0].is_game_done:
        phase = games[0].get_current_phase()
        orders = random_orders(engine, rng)
        if "--log" in sys.argv:
            sys.stderr.write(f"{phase} {engine.get_current_phase()} {orders}\n")
        for power in POWERS:
            engine.set_orders(power, orders[power])
        engine.process()
        for game in games:
            if orders[game.role]:
                await game.set_orders(orders=orders[game.role], wait=False)
        await until(lambda phase=phase: all(game.get_current_phase() != phase for game in games))  # type: ignore[misc]
        if board(games[0]) != board(engine):
            differences.append({"phase": phase, "orders": orders, "ours": board(games[0]), "theirs": board(engine)})
            if "--log" in sys.argv:
                sys.stderr.write(f"DIFF {differences[-1]}\n")
            engine.set_state(games[0].get_state())
    await until(lambda: all(game.status == strings.COMPLETED for game in games))
    histories = [json.dumps(to_saved_game_format(game)["phases"][:-1], sort_keys=True) for game in games]
    return {
        "phases": len(games[0].state_history),
        "differences": differences,
        "note": games[0].note,
        "same": len({len(history) for history in histories}) == 1,
    }


async def errors(port: int) -> Seen:
    """The class of error for each misuse."""
    connection = await diplomacy.connect(HOST, port)
    seen = {
        "no name": await refused(connection.authenticate("", "password")),
        "no password": await refused(connection.authenticate("errors", "")),
        "no port": await refused(connection.get_daide_port(game_id="nowhere")),
    }
    channel, other = await sign_in(port, "errors"), await sign_in(port, "other")
    seen["wrong password"] = await refused(connection.authenticate("errors", "wrong"))
    seen["no game"] = await refused(channel.join_game(game_id="nowhere"))
    seen["no map"] = await refused(channel.create_game(map_name="atlantis"))
    seen["no power"] = await refused(channel.create_game(power_name="ATLANTIS"))
    seen["solitaire"] = await refused(channel.create_game(power_name="FRANCE", rules=["SOLITAIRE"]))
    game = await channel.create_game(game_id="errors", power_name="FRANCE", n_controls=2, deadline=0)
    seen["id taken"] = await refused(channel.create_game(game_id="errors"))
    seen["power taken"] = await refused(other.join_game(game_id="errors", power_name="FRANCE"))
    seen["unknown power"] = await refused(other.join_game(game_id="errors", power_name="ATLANTIS"))
    seen["not admin"] = await refused(other.promote_administrator(username="other"))
    seen["not master"] = await refused(other.promote_moderator(username="other", game_id="errors"))
    seen["two powers"] = await refused(channel.join_game(game_id="errors", power_name="ITALY"))
    watcher = await other.join_game(game_id="errors")
    seen["observer plays"] = await refused(other.join_game(game_id="errors", power_name="ITALY"))
    seen["observer orders"] = await refused(watcher.set_orders(power_name="FRANCE", orders=[]))
    seen["player processes"] = await refused(game.process())
    seen["no press"] = await refused(game.send_game_message(message=game.new_power_message("ITALY", "hello")))
    closed = await channel.create_game(game_id="closed", registration_password="sesame", rules=["POWER_CHOICE"])
    seen["no game password"] = await refused(other.join_game(game_id="closed", power_name="ITALY"))
    italy = await other.join_game(game_id="closed", power_name="ITALY", registration_password="sesame")
    seen["let in"] = italy.role
    seen["no bot"] = await refused(other.get_dummy_waiting_powers(buffer_size=5))
    seen["no schedule"] = await refused(closed.query_schedule())
    await closed.cancel()
    seen["canceled"] = await refused(italy.set_orders(orders=[]))
    await other.logout()
    seen["logged out"] = await refused(other.list_games())
    return seen


async def lists(port: int) -> Seen:
    """Ask about games, maps and powers from outside a game."""
    channel = await sign_in(port, "lists")
    await channel.create_game(
        game_id="lists one", power_name="FRANCE", n_controls=1, deadline=60, rules=["POWER_CHOICE"]
    )
    await channel.create_game(game_id="lists two", n_controls=3)
    maps = await channel.get_available_maps()
    found = await channel.list_games(game_id="lists")
    active = await channel.list_games(game_id="LISTS", status=strings.ACTIVE)
    infos = await channel.get_games_info(games=["lists two", "nowhere"])
    one = next(info for info in found if info.game_id == "lists one")
    return {
        "maps": sorted(maps),
        "powers": sorted(maps["standard"]["powers"]),
        "found": sorted(info.game_id for info in found),
        "active": [info.game_id for info in active],
        "infos": [(info.game_id, info.n_controls, info.observer_level, info.status) for info in infos],
        "one": [one.phase, one.deadline, one.n_players, one.controlled_powers, one.registration_password],
        "free": sorted(await channel.get_playable_powers(game_id="lists one")),
    }


async def other_map(port: int, number: int, seed: int) -> Seen:
    """Twelve phases on another map with random orders, beside the package's own engine."""
    rng = random.Random(seed)
    map_name = MAPS[number]
    engine = Game(map_name=map_name)
    powers = sorted(engine.powers)
    host = await sign_in(port, "map host")
    master = await host.create_game(
        game_id=map_name, map_name=map_name, n_controls=len(powers), deadline=0, rules=["POWER_CHOICE"]
    )
    games = [await (await sign_in(port, f"map {name}")).join_game(game_id=map_name, power_name=name) for name in powers]
    await until(lambda: all(game.is_game_active for game in games))
    differences = []
    for _ in range(12):
        phase = engine.get_current_phase()
        orders = random_orders(engine, rng, powers)
        for power in powers:
            engine.set_orders(power, orders[power])
        engine.process()
        for game in games:
            if orders[game.role]:
                await game.set_orders(orders=orders[game.role], wait=False)
        await until(lambda phase=phase: all(game.get_current_phase() != phase for game in games))  # type: ignore[misc]
        if board(games[0]) != board(engine):
            differences.append({"phase": phase, "ours": board(games[0]), "theirs": board(engine)})
            break
    same = games[0].get_all_possible_orders().keys() == engine.get_all_possible_orders().keys()
    return {
        "map": master.map_name,
        "differences": differences,
        "phases": len(games[0].state_history),
        "same": same,
        "any": "BUILD_ANY" in games[0].rules,
    }


async def callbacks(port: int) -> Seen:
    """Each notification that a client survives, for each role."""
    anna, bert, carl = [await sign_in(port, f"callbacks {name}") for name in ("anna", "bert", "carl")]
    master = await anna.create_game(game_id="callbacks", n_controls=2, deadline=0, rules=["POWER_CHOICE"])
    france = await bert.join_game(game_id="callbacks", power_name="FRANCE")
    watcher = await carl.join_game(game_id="callbacks")
    other = await (await sign_in(port, "callbacks bert")).join_game(game_id="callbacks", power_name="FRANCE")
    told: dict[str, list[str]] = {"master": [], "france": [], "watcher": [], "other": [], "england": []}
    for name, game in (("master", master), ("france", france), ("watcher", watcher), ("other", other)):
        note_all(game, told[name])
    england = await (await sign_in(port, "callbacks dora")).join_game(game_id="callbacks", power_name="ENGLAND")
    note_all(england, told["england"])
    await until(lambda: all(game.is_game_active for game in (master, france, watcher, other, england)))
    steps: dict[str, dict[str, list[str]]] = {}

    channels = [game.channel for game in (master, france, watcher, other, england)]

    async def step(name: str, action: Callable[[], Awaitable[Any]]) -> None:
        await settle(channels)
        for heard in told.values():
            heard.clear()
        await action()
        await settle(channels)
        steps[name] = {role: sorted(heard) for role, heard in told.items()}

    await step("orders", lambda: france.set_orders(orders=["A PAR - BUR"]))
    await step("wait", lambda: france.no_wait())
    await step("private", lambda: france.send_game_message(message=france.new_power_message("ENGLAND", "psst")))
    await step(
        "private to another", lambda: france.send_game_message(message=france.new_power_message("ITALY", "psst"))
    )
    await step("global", lambda: england.send_game_message(message=england.new_global_message("hello")))
    await step("vote", lambda: france.vote(vote="yes"))
    await step("clear", lambda: france.clear_orders())
    await step("pause", lambda: master.pause())
    await step("resume", lambda: master.resume())
    await step("process", lambda: master.process())
    await step("clear units", lambda: master.clear_units(power_name="TURKEY"))
    await step("clear centers", lambda: master.clear_centers(power_name="TURKEY"))
    await step(
        "state", lambda: master.set_state(state=france.state_history.first_value(), orders={}, results={}, messages={})
    )
    steps["state"] = {
        role: [name for name in heard if name == "game_phase_update"] for role, heard in steps["state"].items()
    }
    await step("leave", lambda: england.leave())
    await step("kick", lambda: master.kick_powers(power_names=["FRANCE"]))
    await step("draw", lambda: master.draw())
    await step("delete", lambda: master.delete())
    return {
        "steps": steps,
        "kicked": [game.channel.game_id_to_instances["callbacks"].get("FRANCE") is None for game in (france, other)],
    }


async def secrets_kept(port: int) -> Seen:
    """Return what an observer and another player see of orders and press of others."""
    games = await seven(port, "secrets")
    watcher = await (await sign_in(port, "secrets watcher")).join_game(game_id="secrets")
    france, england, germany = games[2], games[1], games[3]
    await france.set_orders(orders=["A PAR - BUR"])
    await france.send_game_message(message=france.new_power_message("ENGLAND", "between us"))
    await france.vote(vote="yes")
    await until(lambda: england.messages)
    late = await (await sign_in(port, "secrets late")).join_game(game_id="secrets")
    saved = [json.dumps(await game.save()) for game in (germany, watcher, late)]
    return {
        "orders": [game.get_power("FRANCE").orders for game in (england, watcher, late)],
        "flag": england.get_power("FRANCE").order_is_set,
        "votes": [game.get_power("FRANCE").vote for game in (england, watcher, late)],
        "messages": [len(game.messages) for game in (france, england, germany, watcher, late)],
        "saved": ["between us" in text or "A PAR - BUR" in text for text in saved],
        "own": "between us" in json.dumps(await england.save()),
    }


async def deadline(port: int, civil_disorder: int) -> Seen:
    """A phase whose time is up: who gave no orders loses the power, or holds."""
    rules = ["POWER_CHOICE", "CIVIL_DISORDER"] if civil_disorder else ["POWER_CHOICE"]
    name = f"deadline {civil_disorder}"
    anna, bert = await sign_in(port, f"{name} anna"), await sign_in(port, f"{name} bert")
    france = await anna.create_game(game_id=name, power_name="FRANCE", n_controls=2, deadline=1, rules=rules)
    told: list[str] = []
    note_all(france, told)
    england = await bert.join_game(game_id=name, power_name="ENGLAND")

    def plays() -> bool:
        return england.channel.game_id_to_instances[name].get("ENGLAND") is not None

    await until(lambda: france.is_game_active)
    schedule = await france.query_schedule()
    await france.set_orders(orders=["A PAR - BUR"], wait=True)
    if civil_disorder:
        await until(lambda: france.get_current_phase() == "F1901M")
    else:
        # The two have a connection each, and either may hear of it first.
        await until(lambda: france.is_game_forming and "powers_controllers" in told and not plays())
    return {
        "phase": france.get_current_phase(),
        "england": plays(),
        "controller": france.get_power("ENGLAND").get_controller(),
        "status": france.status,
        "delay": schedule.schedule.delay,
        "told": sorted(set(told)),
    }


async def cut(port: int) -> Seen:
    """A client that is cut off in the middle comes back by itself and has missed nothing."""
    games = await seven(port, "cut")
    france, england = games[2], games[1]
    heard: list[str] = []
    processed: list[str] = []
    france.add_on_game_message_received(lambda _, found: heard.append(found.message.message))
    france.add_on_game_processed(lambda _, found: processed.append(found.previous_phase_data.name))
    await england.send_game_message(message=england.new_power_message("FRANCE", "one"))
    await until(lambda: heard)
    france.channel.connection.connection.stream.close()
    await england.send_game_message(message=england.new_power_message("FRANCE", "two"))
    for game in games:
        if game is not france:
            await game.set_orders(orders=[], wait=False)
    await france.set_orders(orders=["A PAR - BUR"], wait=False)
    await until(lambda: all(game.get_current_phase() == "F1901M" for game in games))
    await england.send_game_message(message=england.new_global_message("three"))
    await until(lambda: len(heard) >= 3)
    # And once more, while a phase goes by.
    france.channel.connection.connection.stream.close()
    await games[0].channel.connection.channels[games[0].channel.token].join_game(game_id="cut", power_name="AUSTRIA")
    for game in games:
        await game.set_orders(orders=[], wait=False)
    await until(lambda: all(game.get_current_phase() == "S1902M" for game in games))
    return {"heard": heard, "processed": processed, "history": list(map(str, france.state_history.keys()))}


async def cut_often(port: int, seed: int) -> Seen:
    """Two that talk while phases go by, and one of them is cut off again and again."""
    rng = random.Random(seed)
    anna, bert, host = [await sign_in(port, f"often {name}") for name in ("anna", "bert", "host")]
    master = await host.create_game(game_id="often", n_controls=2, deadline=0, rules=["POWER_CHOICE"])
    games = [await anna.join_game(game_id="often", power_name="FRANCE")]
    games.append(await bert.join_game(game_id="often", power_name="ENGLAND"))
    await until(lambda: all(game.is_game_active for game in games))
    seen: dict[str, dict[str, list[str]]] = {}

    async def talk(game: Any, to: str) -> None:
        heard, sent, unsure, phases = (list[str]() for _ in range(4))
        game.add_on_game_message_received(lambda _, found: heard.append(found.message.message))
        game.add_on_game_processed(lambda _, found: phases.append(found.previous_phase_data.name))
        for number in range(60):
            text = f"{number:03}"
            try:
                await game.send_game_message(message=game.new_power_message(to, text))
                sent.append(text)
            except exceptions.DiplomacyException:  # its phase is over: it was said before the cut, or it was not
                unsure.append(text)
        seen[game.role] = {"heard": heard, "sent": sent, "unsure": unsure, "phases": phases}

    async def go_on() -> None:
        while not talking.done():
            await asyncio.sleep(rng.random() * 0.2)
            await master.process()
            if (stream := getattr(anna.connection.connection, "stream", None)) is not None:
                stream.close()

    talking = asyncio.gather(talk(games[0], "ENGLAND"), talk(games[1], "FRANCE"))
    await asyncio.gather(talking, go_on())
    phases = [str(phase) for phase in master.state_history]
    await until(lambda: all(seen[game.role]["phases"] == phases for game in games))
    return {"seen": seen, "phases": phases}


async def lost(port: int) -> Seen:
    """Somebody who plays three games over one connection, and loses two of them while it is cut."""
    constants.ATTEMPT_DELAY_SECONDS = 0.5
    anna, host = [await sign_in(port, f"lost {name}") for name in ("anna", "host")]
    masters, games = [], []
    for name in ("kicked", "deleted", "kept"):
        masters.append(await host.create_game(game_id=name, n_controls=1, deadline=0, rules=["POWER_CHOICE"]))
        games.append(await anna.join_game(game_id=name, power_name="FRANCE"))
    await until(lambda: all(game.is_game_active for game in games))
    anna.connection.port, there = 1, anna.connection.port
    anna.connection.connection.stream.close()
    await masters[0].kick_powers(power_names=["FRANCE"])
    await masters[1].delete()
    anna.connection.port = there
    await games[2].set_orders(orders=["A PAR - BUR"])
    held = anna.game_id_to_instances
    await until(lambda: not any(name in held and held[name].get("FRANCE") for name in ("kicked", "deleted")))
    return {"orders": games[2].get_orders("FRANCE"), "kept": held["kept"].get("FRANCE") is games[2]}


async def saved(port: int) -> Seen:
    """A game that is saved here is read there."""
    games = await seven(port, "saved")
    await games[2].set_orders(orders=["A PAR - BUR"], wait=False)
    await games[1].send_game_message(message=games[1].new_global_message("to all"))
    for game in games:
        if game is not games[2]:
            await game.set_orders(orders=[], wait=False)
    await until(lambda: all(game.get_current_phase() == "F1901M" for game in games))
    found = await games[2].save()
    read = from_saved_game_format(found)
    return {
        "saved": found,
        "phase": read.get_current_phase(),
        "units": read.get_units("FRANCE"),
        "local": board(games[2]),
    }


async def multiple(port: int) -> Seen:
    """One account plays several powers, orders for powers that nobody plays, and hands them over."""
    channel = await sign_in(port, "multiple")
    rules = ["POWER_CHOICE", "MULTIPLE_POWERS_PER_PLAYER"]
    master = await channel.create_game(game_id="multiple", n_controls=2, deadline=0, rules=rules)
    other = await sign_in(port, "multiple other")
    await other.join_powers(game_id="multiple", power_names=["FRANCE", "ITALY"])
    france = await other.join_game(game_id="multiple", power_name="FRANCE")
    italy = await other.join_game(game_id="multiple", power_name="ITALY")
    await until(lambda: france.is_game_active)
    await france.set_orders(power_name="ITALY", orders=["A ROM - APU"])
    await until(lambda: master.get_power("ITALY").orders)
    for power in POWERS:
        if power not in ("FRANCE", "ITALY"):
            await master.set_orders(power_name=power, orders=[], wait=False)
    await france.set_orders(orders=["A PAR - BUR"], wait=False)
    await italy.no_wait()
    await until(lambda: france.get_current_phase() == "F1901M")
    return {
        "role": france.role,
        "controlled": sorted(france.controlled_powers),
        "units": sorted(france.get_units("ITALY") + france.get_units("FRANCE")),
        "by": str(master.get_power("FRANCE").get_controller()),
    }


async def early(port: int) -> Seen:
    """Each orders as soon as it has joined, though the game still waits for the others, and then waits for the next."""
    creator = await sign_in(port, "early")
    await creator.create_game(game_id="early", rules={"REAL_TIME", "NO_DEADLINE", "POWER_CHOICE"})
    forming: list[str] = []

    async def play(power: str, seed: int) -> str:
        rng = random.Random(seed)
        channel = await sign_in(port, f"early {power}")
        if power == POWERS[-1]:
            await until(lambda: bool(forming))  # somebody has ordered before all have joined
        game = await channel.join_game(game_id="early", power_name=power)
        while "1901" in game.get_current_phase():
            phase = game.get_current_phase()
            if game.get_orderable_locations(power):
                if game.is_game_forming:
                    forming.append(power)
                await game.set_orders(power_name=power, orders=random_orders(game, rng)[power], wait=False)
            await until(lambda: game.get_current_phase() != phase)  # noqa: B023 - it is waited for in the same round
        return str(game.get_current_phase())

    reached = await asyncio.gather(*(play(power, seed) for seed, power in enumerate(POWERS)))
    return {"forming": bool(forming), "reached": sorted(set(reached))}


def has_gone_on(game: Any, phase: str, over: asyncio.Event) -> bool:
    """Return True if a phase is over."""
    return over.is_set() or str(game.get_current_phase()) != phase


async def sits_with_others(port: int) -> Seen:
    """Plays Austria in a game that others fill, by random orders, until it is over; writes to England at the start."""
    rng = random.Random(1)
    channel = await sign_in(port, "original")
    game = await channel.join_game(game_id="mixed", power_name="AUSTRIA")
    await until(lambda: game.is_game_active)
    await game.send_game_message(message=game.new_power_message("ENGLAND", "hello from the original"))
    phases: list[str] = []
    over = asyncio.Event()
    game.add_on_game_status_update(lambda _, told: over.set() if told.status == "completed" else None)
    while not over.is_set():
        phase = game.get_current_phase()
        if phase == "COMPLETED":
            break
        phases.append(phase)
        with suppress(exceptions.ResponseException):
            await game.set_orders(orders=random_orders(game, rng)["AUSTRIA"], wait=False)
        await until(partial(has_gone_on, game, phase, over))
    return {"phases": phases, "history": [str(phase) for phase in list(game.state_history.keys())]}


async def main() -> None:
    """Run a scenario."""
    if "--log" not in sys.argv:
        logging.disable(logging.CRITICAL)
    name, port = sys.argv[1], int(sys.argv[2])
    scenario = globals()[name]
    seen = await scenario(port, *(int(word) for word in sys.argv[3:] if word != "--log"))
    sys.stdout.write(json.dumps(seen) + "\n")


if __name__ == "__main__":
    asyncio.run(main())
