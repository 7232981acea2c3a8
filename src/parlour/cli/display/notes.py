"""Reports the errors of a bot to its author, on stderr."""

from __future__ import annotations

import click

from parlour.agents.watched import Crash, Mishap, Note, Undelivered
from parlour.cli.options.kinds import flag
from parlour.core.text import printable

MAX_LINE = 10_000
"""Maximum characters of a line of news, which players partly choose."""
traceback_option = flag("--traceback whole", "Show the full traceback when your own class crashes.")
MAX_NOTES = 20
"""Maximum number of a bot's crashes and refusals that are reported to its author."""


def notes_of(bot: str, *, private: bool = False, whole: bool = False) -> Note:
    """Return a function that reports a bot's errors to its author on stderr: each once, and a limited number of them.

    With private, messages that could not be delivered are not shown, since people play in front of the same screen.
    With whole, a crash is reported with every line of its traceback.
    """
    told: set[Mishap] = set()

    def note(mishap: Mishap) -> None:
        if mishap in told or len(told) > MAX_NOTES or (private and isinstance(mishap, Undelivered)):
            return
        told.add(mishap)
        seat = "" if mishap.seat is None else f" as {mishap.seat}"
        line = str(mishap) if len(told) <= MAX_NOTES else "there is more of this, which is not shown"
        click.echo(printable(f"{bot}{seat}: {line}", MAX_LINE), err=True)
        for trace in mishap.trace.splitlines() if whole and isinstance(mishap, Crash) else ():
            click.echo(printable(f"  {trace}", MAX_LINE), err=True)

    return note
