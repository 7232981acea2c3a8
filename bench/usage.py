"""How every benchmark answers --help: with what it says of itself, and without measuring anything."""

from __future__ import annotations

import argparse


def parser(said: str | None) -> argparse.ArgumentParser:
    """Reads the options of a benchmark, whose docstring is its help, line by line as it stands."""
    return argparse.ArgumentParser(description=said, formatter_class=argparse.RawDescriptionHelpFormatter)


def number(said: str | None, name: str, default: int) -> int:
    """The one number that a benchmark may be given."""
    reading = parser(said)
    reading.add_argument(name, nargs="?", type=int, default=default)
    found: int = getattr(reading.parse_args(), name)
    return found
