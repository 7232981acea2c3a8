"""The --help of every benchmark: its docstring, without measuring anything."""

from __future__ import annotations

import argparse


def parser(said: str | None) -> argparse.ArgumentParser:
    """Return the parser of a benchmark's options; its docstring is the help, line by line."""
    return argparse.ArgumentParser(description=said, formatter_class=argparse.RawDescriptionHelpFormatter)


def number(said: str | None, name: str, default: int) -> int:
    """Return the one number that a benchmark may be given."""
    reading = parser(said)
    reading.add_argument(name, nargs="?", type=int, default=default)
    found: int = getattr(reading.parse_args(), name)
    return found
