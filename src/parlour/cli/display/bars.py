"""Shows progress: a bar in a terminal, a line now and then elsewhere."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator

import click

EVERY = 10.0
"""Seconds between lines where there is no terminal."""

Update = Callable[[int, int | None, str], None]
"""Called with the amount done, the total if it is known, and a short text."""


@contextlib.contextmanager
def progress(title: str) -> Iterator[Update]:
    """Yield a function that shows progress."""
    if not sys.stderr.isatty():
        yield _Lines(title).update
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TextColumn("{task.fields[words]}"),
        TimeRemainingColumn(),
    )  # fmt: skip
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(title, total=None, words="")
        yield lambda done, total, words: bar.update(task, completed=done, total=total, words=words)


def waiting(words: str) -> None:
    """Show in a terminal what the program waits for; print nothing elsewhere."""
    if sys.stderr.isatty():
        click.echo(f"{words} (Ctrl-C: leave)", err=True)


class _Lines:
    """Prints a line every EVERY seconds, and one at the end."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._last = time.monotonic()

    def update(self, done: int, total: int | None, words: str) -> None:
        """Print a line if EVERY seconds have passed since the last, or if all is done."""
        now = time.monotonic()
        if now - self._last >= EVERY or done == total:
            self._last = now
            share = f" {done / total:.0%}" if total else ""
            click.echo(f"{self._title}{share} {words}".rstrip(), err=True)
