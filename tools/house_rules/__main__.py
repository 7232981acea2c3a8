"""Checks the house rules that no linter has: `python tools/house_rules` prints breaches as file:line; exit code 1."""

from __future__ import annotations

import gc
import sys
from pathlib import Path

import game_names
import modules
import one_derivation
import one_seam
from sources import Source, sources

ROOT = Path(__file__).parents[2]
OF_SOURCES = (*modules.OF_SOURCES, one_derivation.offences)


def declared_games(package: list[Source]) -> list[str]:
    """Return the names of the games, which are the folders with a declaration."""
    parts = [source.name.split("/") for source in package]
    return [part[1] for part in parts if part[:1] + part[2:] == ["games", "declaration.py"]]


def breaches(root: Path) -> list[str]:
    """Return one line for each place where a rule is broken."""
    package, tests = sources(root / "src" / "parlour"), sources(root / "tests")
    found = [("src/parlour/", *breach) for breach in modules.repeated(package)]
    found += [("src/parlour/", *breach) for breach in game_names.offences(package, declared_games(package))]
    found += [("src/parlour/", *breach) for breach in one_seam.offences(package)]
    for folder, rules, several in (("src/parlour/", OF_SOURCES, package), ("tests/", modules.OF_TESTS, tests)):
        found += [(folder, one.name, *breach) for one in several for rule in rules for breach in rule(one)]
    return sorted(f"{folder}{name}:{line}: {text}" for folder, name, line, text in found)


def main() -> None:
    """Check the tree of this file, or the one that is named."""
    gc.disable()  # a million nodes live until the end
    found = breaches(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT)
    print("\n".join(found) or "house rules: kept")
    sys.exit(bool(found))


main()
