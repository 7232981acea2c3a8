"""Logs of a tournament: a file per agent with its fouls, errors and printed lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, TextIO

import click

from parlour.core.text import printable

if TYPE_CHECKING:
    from parlour.tournament.plan import Plan
    from parlour.tournament.results import Remark
    from parlour.tournament.results_state import ResultsState

MAX_LINE = 2000
MAX_SHOWN = 20
"""Maximum number of remarks on one agent that are shown without a folder for logs."""


class AgentLogs:
    """Writes remarks to one file per agent; without a folder, the first remarks go to standard error."""

    def __init__(self, folder: Path | None, plan: Plan) -> None:
        self._folder, self._plan = folder, plan
        self._files: dict[str, TextIO] = {}
        self._shown: dict[str, int] = {}

    def changed(self, series: ResultsState) -> None:
        """Do nothing: results are not for logs."""

    def remarked(self, remarks: Sequence[Remark]) -> None:
        """Write each remark to its agent's file; without a folder, show the first ones."""
        for remark in remarks:
            line = printable(remark.text, MAX_LINE)
            if (file := self._files.get(remark.player)) is not None:
                file.write(f"{line}\n")
            elif self._folder is None:
                self._show(remark.player, line)
        for file in self._files.values():
            file.flush()

    def _show(self, player: str, line: str) -> None:
        count = self._shown[player] = self._shown.get(player, 0) + 1
        if count <= MAX_SHOWN:
            click.echo(printable(f"{player}: {line}", MAX_LINE), err=True)
        elif count == MAX_SHOWN + 1:
            click.echo(printable(f"{player}: there is more of this, see it with --logs FOLDER", MAX_LINE), err=True)

    def __enter__(self) -> Self:
        if self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True)
            for number, name in enumerate(self._plan.names, 1):
                stem = re.sub(r"[^A-Za-z0-9.#=-]+", "_", name)[-60:]
                self._files[name] = (self._folder / f"{number}-{stem}.log").open("a", encoding="utf-8")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for file in self._files.values():
            file.close()
