"""The prompts: six short texts, with $names for what changes."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from string import Template

NAMES = ("diplomacy", "press", "talk", "orders", "fish", "repair")


@cache
def template(name: str) -> Template:
    """Return the prompt of that name."""
    return Template(files(__package__).joinpath(f"{name}.txt").read_text(encoding="utf-8"))
