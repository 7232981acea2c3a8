"""Fouls and their cost: the value types of a conduct table.

A table maps (stage, kind of foul) to a Rule. Rows for the stage "*" serve all stages without a row of their own.
The presets live in referee/conduct.py.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from parlour.core.game import FoulKind


class Consequence(StrEnum):
    """The consequence of a foul."""

    ASK_AGAIN = "ask again"  # the seat is asked for another action, within the same time limit
    REPAIR = "mend"  # the legal part of the action stands, the rest becomes the default
    DEFAULT = "default"  # the seat does the default of an absent seat
    SKIP = "skip"  # the seat passes its turn
    VACATE = "vacate"  # the seat stays and loses its player
    REMOVE = "remove"  # the seat leaves the match
    NOTE = "note"  # the foul is recorded, nothing else


class Standing(StrEnum):
    """The reason for which a removed seat is reported."""

    CHEATER = "cheater"  # broke the rules, knowingly or not
    FAILURE = "failure"  # could not play: late, garbled, crashed, gone


class Rule(msgspec.Struct, frozen=True):
    """A cell of a conduct table."""

    does: Consequence
    standing: Standing | None = None
    limit: int | None = None
    """Where a seat is asked again: number of times per turn before `beyond` applies. Where it is skipped: the number of
    skips in a row of which the last becomes `beyond`."""
    beyond: Consequence | None = None


class Conduct(msgspec.Struct, frozen=True):
    """A table of the consequence of each foul in each stage."""

    name: str
    table: dict[str, dict[FoulKind, Rule]]

    def rule(self, stage: str, kind: FoulKind) -> Rule:
        """Return the table's cell for a foul in a stage; a foul that the table does not name is only noted."""
        row = self.table.get(stage, {})
        found = row.get(kind) or self.table.get("*", {}).get(kind)
        return found or Rule(Consequence.NOTE)
