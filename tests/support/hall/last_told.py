"""The law of the one way out: what a viewer was told last is the view of the replayed record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from parlour.core.events import Event, seen_by
from parlour.core.game import Game
from parlour.core.player import ObservedEvent
from parlour.core.table_view import TableView
from parlour.core.viewers import Viewer
from parlour.net.hall import Hall
from parlour.referee.history import Past
from parlour.referee.spectators import QuietWatcher
from parlour.web.event_stream import table_changes


class PageTable:
    """The table as a page in a browser has it: put together from changes, as match_state.js does it."""

    def __init__(self) -> None:
        self.fields: dict[str, Any] = {}
        self.seats: dict[str, Any] = {}
        self.number = -1
        """The place in the record of the last event that the page was told."""

    def take(self, changes: dict[str, Any], number: int) -> None:
        """Take in the changes of the table by an event."""
        fields = dict(changes)
        whole, rows = fields.pop("seats", None), fields.pop("rows", ())
        self.fields |= fields
        if whole is not None:
            self.seats.clear()
        self.seats |= {row["seat"]: row for row in whole or rows}
        self.number = number

    def shows(self, view: TableView) -> bool:
        """Return True if that is what the page shows."""
        whole = msgspec.json.decode(msgspec.json.encode(table_changes(None, view)))
        return bool({**self.fields, "seats": list(self.seats.values())} == whole)


def summed_up(view: TableView) -> dict[str, Any]:
    """Return what an answer of the API says of a table, without its position."""
    return {
        "status": view.status.value,
        "turn": view.turn,
        "stage": view.stage,
        "in_favour": view.in_favour,
        "seats": {
            row.seat: {
                "name": row.name if row.present else None,
                "player_type": row.player_type,
                "present": row.present,
                "removed": row.removed,
                "to_act": row.seat in view.to_act,
                "acted": row.acted,
                "wait": row.wait,
                "comm_status": row.comm_status,
                "deadline": row.deadline,
            }
            for row in view.seats
        },
    }


class LastTold:
    """The last table that each watcher of a hall's match received, at every door."""

    def __init__(self) -> None:
        self._told: list[tuple[Viewer, list[ObservedEvent]]] = []
        self._pages: list[tuple[Viewer, PageTable]] = []
        self._answers: dict[tuple[Viewer, int], list[dict[str, Any]]] = {}
        """Answers to requests by viewer and the number of the next event in its view."""

    def overhear(self, hall: Hall) -> None:
        """Take note of all that is told from now on."""
        watch = hall.watch

        async def overheard(match: str, viewer: Viewer, watcher: Any, *more: Any, **named: Any) -> Callable[[], None]:
            last: list[ObservedEvent] = []
            self._told.append((viewer, last))

            def told(observed: ObservedEvent) -> None:
                last[:] = [observed]
                watcher(observed)

            heeds = QuietWatcher(told) if isinstance(watcher, QuietWatcher) else told
            return await watch(match, viewer, heeds, *more, **named)

        hall.watch = overheard  # type: ignore[method-assign]

    def page(self, viewer: Viewer) -> PageTable:
        """Return the table of one more page with that view."""
        table = PageTable()
        self._pages.append((viewer, table))
        return table

    def note(self, viewer: Viewer, number: int, view: TableView) -> None:
        """Take note of the view that a door has of the table after an event."""
        self._told.append((viewer, [ObservedEvent(0, number, None, lambda: view)]))  # type: ignore[arg-type]

    def answered(self, viewer: Viewer, k: int, answer: dict[str, Any]) -> None:
        """Take note of what an answer said of the table; k is the number of the next event that came with it."""
        known = self._answers.setdefault((viewer, k), [])
        if answer not in known:
            known.append(answer)

    def check(self, game: Game, record: Sequence[Event]) -> int:
        """Hold all of it against the record; return how many were held."""
        past, held = Past(game, record), 0
        for viewer, last in sorted(self._told, key=lambda one: one[1][0].number if one[1] else -1):
            for observed in last:
                assert observed.view == past.view(observed.number, viewer), (viewer, observed.number)
                held += 1
        for viewer, page in sorted(self._pages, key=lambda one: one[1].number):
            if page.number >= 0:
                assert page.shows(past.view(page.number, viewer)), (viewer, page.number, page.fields)
                held += 1
        return held + self._check_answers(game, record, past)

    def _check_answers(self, game: Game, record: Sequence[Event], past: Past) -> int:
        """Hold each answer against the tables after the events of its view."""
        held = 0
        for viewer in dict.fromkeys(viewer for viewer, _ in self._answers):
            k, tables = 0, dict[int, list[dict[str, Any]]]()
            for number, event in enumerate(record):
                k += seen_by(event, viewer, game) is not None
                if (viewer, k) in self._answers:
                    tables.setdefault(k, []).append(summed_up(past.view(number, viewer)))
            for (asker, next_k), answers in self._answers.items():
                for answer in answers if asker == viewer else ():
                    there = tables.get(next_k, [])
                    assert any(answer.items() <= table.items() for table in there), (viewer, next_k, answer, there)
                    held += 1
        return held
