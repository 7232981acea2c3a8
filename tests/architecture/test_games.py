"""Nobody asks which game it is: what is said of a game outside its folder is read from its declaration."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from parlour.games import games

SOURCE = Path(__file__).parents[2] / "src" / "parlour"

OWN = {
    # Whose matter is one game: its rules, its language, its agents, its learners, protocols that know no other.
    "games/": "the rules themselves",
    "press/": "the language of Diplomacy",
    "deepmind/": "published agents of Diplomacy",
    "training/": "networks for these",
    "agents/diplomacy/": "agents of one game",
    "agents/fish/": "agents of one game",
    "agents/press/": "agents of one game",
    "agents/llm/angler.py": "how a model plays Fish, as Fish declares",
    "agents/llm/diplomat.py": "how a model plays Diplomacy, as Diplomacy declares",
    "agents/llm/briefing.py": "what that model is told",
    "agents/llm/drafts.py": "what that model answers",
    "agents/llm/naming.py": "what that model calls provinces",
    "agents/llm/prompts/": "the words of both",
    "envs/": "environments of one game each; the list of them is declared",
    "net/fish/": "protocols of the Fish documents",
    "net/mila/": "the protocol of the `diplomacy` package",
    "net/daide/": "the protocol of DAIDE",
    "net/mcp/": "words for assistants, who have to be told how each game is played",
    "net/client/": "clients for these protocols",
    # Names that a user types.
    "__init__.py": "parlour.fish, parlour.diplomacy",
    "fish.py": "the short name",
    "diplomacy.py": "the short name",
    # Verbs whose matter is one game, or a door to one.
    "cli/__init__.py": "one line of help for each verb",
    "cli/adjudicate.py": "a phase of Diplomacy from JSON",
    "cli/boards.py": "maps of Diplomacy for these verbs",
    "cli/demo_tournament.py": "the tournament over TCP, whose protocol is that of the Fish documents",
    "cli/draw.py": "a position of Diplomacy from JSON",
    "cli/orders.py": "a position of Diplomacy from JSON",
    "cli/perft.py": "counts that are published for Diplomacy",
    "cli/press.py": "the language of Diplomacy",
    "cli/play_daide.py": "the protocol of DAIDE bots",
    "cli/match.py": "the protocol of the `diplomacy` package",
    "cli/join.py": "says which protocol is spoken where",
    "cli/join_match.py": "the protocol of the `diplomacy` package",
    "cli/join_daide.py": "the protocol of DAIDE",
    "cli/watch.py": "the protocol of the Fish documents",
    "cli/fish.py": "the harnesses of the Fish course",
    "cli/fish_net.py": "the harnesses of the Fish course",
    "cli/train": "networks of Diplomacy",
    "cli/serve.py": "the doors, among them that of Fish tournaments",
    "cli/serving.py": "the doors, among them that of Fish tournaments",
    "web/negotiations.py": "the language of Diplomacy on pages",
    "web/sandbox.py": "positions of Diplomacy, as its verbs take them",
    "net/settings.py": "the ports of the doors",
    "referee/conduct.py": "a table of conduct has the name of the game it was written for",
}
"""Where a game may be named, and why; nothing may be added without a reason."""


def generic() -> list[Path]:
    paths = sorted(SOURCE.rglob("*.py"))
    return [path for path in paths if not path.relative_to(SOURCE).as_posix().startswith(tuple(OWN))]


def names_a_game(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Where code, not a docstring, has a word of a game in it."""
    word = re.compile("|".join(games()), re.IGNORECASE)
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
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


@pytest.mark.parametrize("path", generic(), ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_a_generic_module_names_no_game(path: Path) -> None:
    found = list(names_a_game(ast.parse(path.read_text(encoding="utf-8"))))
    assert not found, f"read it from the game's declaration: {found}"


@pytest.mark.parametrize("place", OWN)
def test_the_list_of_exceptions_holds_no_place_that_needs_none(place: str) -> None:
    paths = [path for path in SOURCE.rglob("*.py") if path.relative_to(SOURCE).as_posix().startswith(place)]
    assert any(any(names_a_game(ast.parse(path.read_text(encoding="utf-8")))) for path in paths)
