"""Scripts that answer Parlour's own prompts without a model: by rule, with a house agent behind, or from a list."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from parlour.agents import make_agent
from parlour.core.game import Position, Seat, View
from parlour.errors import ConfigError, NotationError
from parlour.games import load_game
from parlour.games.diplomacy.position import Position as DiplomacyPosition
from parlour.games.fish.draw.plain import LETTERS

Messages: TypeAlias = Sequence[tuple[str, str]]
"""Pairs of a role and its text: first the system text, then the user text."""
ModelScript: TypeAlias = Callable[[Messages], str]
"""Called with the messages of a prompt; returns the text of the model."""
_WAITING = re.compile(r"n=(\d+) of \w+ waits for your answer")
_COUNT = re.compile(r"(?:build|disband) (\d+)")
_FISH = "game of Fish"
_SEASONS = {"Spring": "S", "Fall": "F", "Winter": "W", "Autumn": "F"}
_STAGES = {"movement": "M", "retreats": "R", "adjustments": "A"}


def by_rule(messages: Messages) -> str:
    """Return the answer of a plain player that proposes and accepts peace, and orders from the listed legal orders.

    In Fish the player takes the last action of the list.

    Args:
        messages: Messages of the prompt.
    """
    system, prompt = _texts(messages)
    if _FISH in system:
        return _written(action=_listed_moves(prompt)[-1])
    if "It is talk" in prompt:
        return _talk(system, prompt)
    if "You may build" in prompt or "You must disband" in prompt:
        return _winter(prompt)
    orders = [one[(3 * number + 1) % len(one)] for number, one in enumerate(legal_orders(prompt))]
    return _written(orders=orders, note="as planned")


def by_agent(name: str, seed: int = 0) -> ModelScript:
    """Return a script that answers with the choice of a house agent, for example `greedy` or `strong`.

    Positions are read from the prompt. For a prompt without a whole position (a talk, a retreat) the answer is that of
    by_rule.

    Args:
        name: Name of a house agent.
        seed: Seed of the agent.
    """
    for game in ("fish", "diplomacy"):
        try:
            make_agent(game, name, seed)
            break
        except ConfigError as error:
            failed = error
    else:
        raise failed

    def script(messages: Messages) -> str:
        system, prompt = _texts(messages)
        game = "fish" if _FISH in system else "diplomacy"
        found = None if "It is talk" in prompt else (_fish_view if _FISH in system else _diplomacy_view)(prompt)
        if found is None:
            return by_rule(messages)
        try:
            action: Any = make_agent(game, name, seed).act(found)
        except ConfigError:  # the agent plays only the other game
            return by_rule(messages)
        return _written(action=action) if _FISH in system else _written(orders=list(action), note=name)

    return script


def from_list(answers: Sequence[str]) -> ModelScript:
    """Return a script that returns these answers in turn, and starts again after the last one."""
    if not answers:
        raise ConfigError("answers: expected at least one", field="answers")
    given = iter(range(10**12))
    return lambda messages: answers[next(given) % len(answers)]


def legal_orders(prompt: str) -> list[list[str]]:
    """Return the orders that a prompt lists: a list for each unit or build, in the order of the prompt."""
    part = prompt.partition("# Legal orders, by unit\n")[2].partition("\n\n")[0]
    found: list[list[str]] = []
    for line in part.splitlines():
        if line.startswith("("):
            continue  # a remark that more orders are legal, not an order
        unit, _, rest = line.partition(": ")
        orders = []
        for group in rest.split("; "):
            verb, *places = group.split(" ")
            if verb in ("S", "C"):
                other, ends = " ".join(places[:2]).rstrip(":"), places[2:]
                orders += [f"{unit} {verb} {other}" + ("" if end == "H" else f" - {_place(end)}") for end in ends]
            elif verb in ("-", "R"):
                orders += [f"{unit} {verb} {_place(place)}" for place in places]
            else:
                orders.append(f"{unit} {verb}")
        found.append(orders if rest else [line])
    return found


def _texts(messages: Messages) -> tuple[str, str]:
    """Return the system text and the first user text; a repair repeats neither."""
    system, prompt = messages[0][1], messages[min(1, len(messages) - 1)][1]
    # Some frameworks join both into one text, after a system text of their own.
    return (system if "You play" in system else prompt), prompt


def _written(**fields: Any) -> str:
    return json.dumps(fields)


def _place(text: str) -> str:
    return text.replace("_", " ")


def _listed_moves(prompt: str) -> list[Any]:
    listed = prompt.partition("Legal: ")[2].partition("\n")[0].split(" ")
    try:
        return [json.loads(one) for one in listed]
    except ValueError:
        return [None]


def _talk(system: str, prompt: str) -> str:
    say = []
    if "It is talk 1 of" in prompt:
        me = re.findall(r"Units: \( (\w+) AMY", system)[0]
        pairs = [pair.split() for pair in re.findall(r"Powers: ([^.]*)\.", system)[0].split(", ")]
        say = [{"to": [name], "press": f"PRP ( PCE ( {me} {word} ) )"} for word, name in pairs if word != me]
    answers = [{"n": int(n), "yes": True} for n in _WAITING.findall(prompt)]
    return _written(answer=answers, say=say, done=not say)


def _winter(prompt: str) -> str:
    count = int(_COUNT.findall(prompt)[-1])
    choices = {one[0].split()[1]: one[0] for one in legal_orders(prompt) if one != ["WAIVE"]}
    orders = list(choices.values())[:count]
    return _written(orders=orders + ["WAIVE"] * (count - len(orders)), note="winter")


def _fish_view(prompt: str) -> View | None:
    """Return the view in a prompt of Fish; None if it cannot be read."""
    lines = prompt.splitlines()
    scores = re.findall(r"(\w+) \((\w)\) (\d+)", prompt)
    acting = re.search(r"; (\w+) to (?:place a penguin|move)", prompt)
    width = len(lines[1].split()) if len(lines) > 1 else 0
    if not scores or acting is None or not width:
        return None
    board: list[list[int]] = []
    places: dict[str, list[list[int]]] = {name: [] for name, _, _ in scores}
    names = {letter: str(seat) for seat, letter in LETTERS.items()}
    for line in lines:
        if not (found := re.match(r" ?(\d+)  ?[ /\\]", line)) or int(found[1]) != len(board):
            continue
        row = len(board)
        cells = [line[6 + 10 * column + 5 * (row % 2) :][:2].ljust(2) for column in range(width)]
        board.append([int(cell[0]) if cell[0].isdigit() else 0 for cell in cells])
        for column, cell in enumerate(cells):
            if (name := names.get(cell[1])) in places and name is not None and cell[0].isdigit():
                places[name].append([row, column])
    order = [name for name, _, _ in scores]
    first = order.index(acting[1])
    points = {name: int(score) for name, _, score in scores}
    players = [
        {"color": name, "score": points[name], "places": places[name], "tiles": 0}
        for name in order[first:] + order[:first]
    ]
    value = {"board": board, "players": players, "penguins": 6 - len(order), "rules": []}
    return _view(load_game("fish").decode(value), acting[1])


def _diplomacy_view(prompt: str) -> View | None:
    """Return the view in a prompt of Diplomacy; None for a retreat, or if it cannot be read."""
    part = prompt.partition("# The position\n")[2].partition("\n\n")[0].splitlines()
    head = re.fullmatch(r"(\w+) (\d+), (\w+)\. You are (\w+)\.", part[0]) if part else None
    if head is None or head[3] == "retreats":
        return None
    board = DiplomacyPosition.start().board
    tags = {power.name.upper(): power.tag for power in board.powers}
    if head[4] not in tags:
        return None  # the prompt is of another map, or uses other names
    units, centres = [], []
    for line in part[1:]:
        if (found := re.fullmatch(r"(\w+): (.*); \d+ centres ?(.*)", line)) and found[1] in tags:
            units.append(f"{tags[found[1]]}={found[2].replace(' ', '')}" if found[2] != "no units" else "")
            centres.append(f"{tags[found[1]]}={','.join(found[3].split())}" if found[3] else "")
    stage = _STAGES.get(head[3], "M")
    fields = [f"{_SEASONS.get(head[1], 'S')}{head[2]}{stage}", ";".join(filter(None, units)) or "-"]
    try:
        return _view(DiplomacyPosition.read(" ".join(["standard", *fields, ";".join(filter(None, centres))])), head[4])
    except NotationError:  # the prompt is of another map
        return None


def _view(position: Position, seat: str) -> View:
    return View(Seat(seat), position, 1)
