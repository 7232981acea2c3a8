"""The unmodified client of the `diplomacy` package in games by one of its rules: RULE PORT [SEED].

It runs where only that package is installed, beside the package's own engine, and prints what it saw as a line of JSON.
"""

from __future__ import annotations

import asyncio
import json
import logging
import random
import sys
from typing import Any

from diplomacy import Game  # type: ignore[import-untyped]
from diplomacy.utils.export import from_saved_game_format, to_saved_game_format  # type: ignore[import-untyped]

from peers.original_client import POWERS, Seen, board, random_orders, seven, until

PHASES = 25
JUNK = ("A MUN - ROM", "A PAR S A MAR - MUN", "F BRE C A PAR - LON", "A LON - BEL", "A PAR - BUR VIA", "A XXX - BUR")

CENTRES = (
    *("PAR", "BRE", "MAR", "SPA", "POR", "BEL", "HOL", "KIE", "BER", "MUN", "DEN", "SWE", "NWY", "LON", "EDI", "LVP"),
    "VIE",
)


def is_idle(game: Any) -> bool:
    """Return True if no power has anything to order."""
    return not any(game.get_orderable_locations(power) for power in POWERS)


def names(game: Any) -> list[str]:
    """The phases that are over."""
    return [str(phase) for phase in list(game.state_history.keys())]


def orders_for(engine: Any, rule: str, rng: random.Random) -> dict[str, list[str]]:
    """Random orders; where nothing is checked, some that are void among them."""
    orders = random_orders(engine, rng)
    if rule == "NO_CHECK":
        for own in orders.values():
            if own and rng.random() < 0.7:
                own[rng.randrange(len(own))] = rng.choice(
                    [*JUNK, f"{own[0][:5]} - ROM", f"{own[-1][:5]} S A PAR - BUR"]
                )
    return orders


async def by_rule(rule: str, port: int, seed: int) -> Seen:
    """Some phases of random orders, beside the package's engine by the same rule."""
    rng, rules = random.Random(seed), ["POWER_CHOICE", rule]
    games = await seven(port, f"{rule} {seed}", rules=rules)
    processed: list[str] = []
    games[3].add_on_game_processed(lambda _, found: processed.append(found.previous_phase_data.name))
    engine, differences, kept = Game(rules=rules), [], ""
    while len(engine.state_history) < PHASES and not engine.is_game_done:
        orders = orders_for(engine, rule, rng)
        for power in POWERS:
            engine.set_orders(power, orders[power])
        waits = [game for game in games if orders[game.role]]
        for game in waits[:-1]:
            await game.set_orders(orders=orders[game.role], wait=False)
        if not kept and waits[-1] is not waits[0]:
            kept = await ordered(waits[0], engine)
        await waits[-1].set_orders(orders=orders[waits[-1].role], wait=False)
        engine.process()
        while is_idle(engine) and not engine.is_game_done:  # it lasts until somebody orders, there and here
            await until(lambda: all(game.get_current_phase() == engine.get_current_phase() for game in games))
            await rng.choice(games).set_orders(orders=[], wait=None)
            engine.process()
        await until(lambda: all(game.get_current_phase() == engine.get_current_phase() for game in games))
        if board(games[0]) != board(engine):
            differences.append({"ours": board(games[0]), "theirs": board(engine)})
    saved = await games[2].save()
    read = from_saved_game_format(saved)
    return {
        "rules": games[0].rules,
        "differences": differences + past(games[2], engine),
        "phases": names(games[2]),
        "processed": processed,
        "kept": kept,
        "saved": saved,
        "saved there": to_saved_game_format(engine),
        "read": {"phase": read.get_current_phase(), "rules": read.rules},
        "engine": {
            "phase": engine.get_current_phase(),
            "phases": names(engine),
        },
    }


async def ordered(one: Any, engine: Any) -> str:
    """The orders of a power as its player is given them who signs in again, if they are those of the engine."""
    channel = await one.channel.connection.authenticate(f"{one.game_id} {one.role}", "password")
    again = await channel.join_game(game_id=one.game_id, power_name=one.role)
    ours, theirs = dict(again.get_power(one.role).orders), dict(engine.get_power(one.role).orders)
    return "same" if ours == theirs else json.dumps([ours, theirs])


def past(game: Any, engine: Any) -> list[Any]:
    """Where the past of a client and that of the engine differ in what was ordered and what became of it."""
    found = []
    for phase in list(engine.order_history.keys()):
        name = str(phase)
        given = {power: sorted(own) for power, own in game.order_history[phase].items()}
        wanted = {power: sorted(own) for power, own in engine.order_history[phase].items()}
        results = {unit: [str(one) for one in became] for unit, became in game.result_history[phase].items()}
        became = {unit: [str(one) for one in result] for unit, result in engine.result_history[phase].items()}
        # In winter the package tells of orders beyond what was due as well.
        if name.endswith("M") and given != wanted:
            found.append({"phase": name, "orders": given, "theirs": wanted})
        if name.endswith("M") and results != became:
            changed = {unit: (results.get(unit), became.get(unit)) for unit in {*results, *became}}
            found.append({"phase": name, "results": {u: both for u, both in changed.items() if both[0] != both[1]}})
    return found


async def eighteen(rule: str, port: int) -> Seen:
    """France is about to own an eighteenth centre, and nobody moves any more, beside the package's engine."""
    rules = ["POWER_CHOICE", rule]
    games = await seven(port, f"eighteen {rule}", rules=rules)
    moderator = await games[0].channel.connection.authenticate(f"eighteen {rule} AUSTRIA", "password")
    engine = Game(rules=rules)
    engine.clear_units()
    engine.clear_centers()
    engine.set_centers("FRANCE", list(CENTRES))
    engine.set_units("FRANCE", ["A RUM"])
    engine.set_centers("TURKEY", ["CON"])
    engine.set_units("TURKEY", ["A CON"])
    whole = await moderator.join_game(game_id=games[0].game_id)
    await whole.set_state(state=engine.get_state(), orders={}, results={}, messages={})
    # Clients forget what they ordered when they are told of another state, and which phases they had.
    await until(lambda: all(board(game) == board(engine) for game in games))
    while not engine.is_game_done and len(engine.state_history) < PHASES:
        for game in games:
            if engine.get_orderable_locations(game.role):
                await game.set_orders(orders=[], wait=False)
        engine.process()
        await until(lambda: all(game.get_current_phase() == engine.get_current_phase() for game in games))
    saved = await games[2].save()
    return {
        "note": [game.note for game in games],
        "engine": {"note": engine.note, "phases": names(engine)},
        "phases": [phase["name"] for phase in saved["phases"]],
        "outcome": saved["outcome"],
        "theirs": engine.outcome,
    }


async def main() -> None:
    """Play by one rule: random orders of a seed, or, without one, from a position that is nearly won."""
    logging.disable(logging.CRITICAL)
    rule, port, *seed = sys.argv[1:]
    seen = await (by_rule(rule, int(port), int(seed[0])) if seed else eighteen(rule, int(port)))
    sys.stdout.write(json.dumps(seen) + "\n")


if __name__ == "__main__":
    asyncio.run(main())
