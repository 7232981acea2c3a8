"""Checks that only the listed modules name a game; all others read it from the game's declaration."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from sources import Source

OWN = {
    # Modules about one game: its rules, its language, its agents, its learners, its protocols.
    "games/": "the rules themselves",
    "press/": "the language of Diplomacy",
    "deepmind/": "published agents of Diplomacy",
    "training/": "networks for these",
    "agents/diplomacy/": "agents of one game",
    "agents/fish/": "agents of one game",
    "agents/press/": "agents of one game",
    "agents/llm/fish_player.py": "how a model plays Fish, as Fish declares",
    "agents/llm/diplomacy_player.py": "how a model plays Diplomacy, as Diplomacy declares",
    "agents/llm/briefing.py": "what that model is told",
    "agents/llm/drafts.py": "what that model answers",
    "agents/llm/naming.py": "what that model calls provinces",
    "envs/": "environments of one game each; the list of them is declared",
    "net/fish/": "protocols of the Fish documents",
    "net/mila/": "the protocol of the `diplomacy` package",
    "net/daide/": "the protocol of DAIDE",
    "net/mcp/": "words for assistants, who have to be told how each game is played",
    "net/client/": "clients for these protocols",
    "harness/inspect_tasks.py": "a task of inspect is a function, one for each game",
    "testing/model_scripts.py": "answers to the prompts of both",
    # Names that a user types.
    "__init__.py": "parlour.fish, parlour.diplomacy",
    "fish.py": "the short name",
    "diplomacy.py": "the short name",
    # Verbs about one game, or about a door to one.
    "cli/__init__.py": "one line of help for each verb",
    "cli/adjudicate.py": "a phase of Diplomacy from JSON",
    "cli/options/boards.py": "maps of Diplomacy for these verbs",
    "cli/demos/tournament.py": "the tournament over TCP, whose protocol is that of the Fish documents",
    "cli/draw.py": "a position of Diplomacy from JSON",
    "cli/map.py": "maps of Diplomacy",
    "cli/orders.py": "a position of Diplomacy from JSON",
    "cli/perft.py": "counts that are published for Diplomacy",
    "cli/press.py": "the language of Diplomacy",
    "cli/matches/daide.py": "the protocol of DAIDE bots",
    "cli/match.py": "the protocol of the `diplomacy` package",
    "cli/join.py": "says which protocol is spoken where",
    "cli/joining/fish.py": "the protocols of Fish tournaments",
    "cli/joining/match.py": "the protocol of the `diplomacy` package",
    "cli/joining/daide.py": "the protocol of DAIDE",
    "cli/watch.py": "the protocol of the Fish documents",
    "cli/fish.py": "the harnesses of the Fish course",
    "cli/train": "networks of Diplomacy",
    "cli/serve.py": "the doors, among them that of Fish tournaments",
    "cli/servers/serving.py": "the doors, among them that of Fish tournaments",
    "web/negotiations.py": "the language of Diplomacy on pages",
    "web/sandbox.py": "positions of Diplomacy, as its verbs take them",
    "web/declaration.py": "what to try at the door of the pages",
    "net/game_doors.py": "the doors, among them that of Fish tournaments",
    "net/settings.py": "the ports of the doors",
    "referee/conduct.py": "a table of conduct has the name of the game it was written for",
}
"""Modules that may name a game, with the reason; nothing may be added without one."""


def names_a_game(source: Source, word: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines on which code, not a docstring, has the name of a game in it."""
    prose = {id(node.value) for node in source.nodes if isinstance(node, ast.Expr)}
    for node in source.nodes:
        texts: list[str] = []
        match node:
            case ast.Constant(value=str(text)) if id(node) not in prose:
                texts = [text]
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                texts = [name]
            case ast.Import(names=aliases):
                texts = [alias.name for alias in aliases]
            case ast.ImportFrom(module=module, names=aliases):
                texts = [module or "", *(alias.name for alias in aliases)]
        for text in texts:
            if word.search(text):
                yield getattr(node, "lineno", 0), text[:60]


def offences(sources: list[Source], games: list[str]) -> Iterator[tuple[str, int, str]]:
    """Yield each game named in a generic module, and each exception that is not needed."""
    needed, word = set(), re.compile("|".join(games), re.IGNORECASE)
    for source in sources:
        named = list(names_a_game(source, word)) if word.search(source.text) else []
        places = [place for place in OWN if source.name.startswith(place)]
        needed |= set(places) if named else set()
        for line, text in named if not places else ():
            yield source.name, line, f"names a game, which its declaration should: {text}"
    for place in OWN.keys() - needed:
        yield "tools/house_rules/game_names.py", 0, f"{place} names no game and needs no exception"
