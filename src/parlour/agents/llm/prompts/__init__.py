"""The prompts: nine short texts, with $names for the parts that change."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from string import Template


@cache
def template(name: str) -> Template:
    """Return the prompt with a name."""
    return Template(files(__package__).joinpath(f"{name}.txt").read_text(encoding="utf-8"))
