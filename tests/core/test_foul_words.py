"""The words of fouls: people read that a player is gone, records and programs keep the kind."""

from __future__ import annotations

import pytest

from parlour.cli.display.event_lines import line_of
from parlour.core import events as ev
from parlour.core.fouls import Consequence
from parlour.core.game import FoulKind, Seat
from parlour.core.viewers import SPECTATOR
from parlour.net.mcp.event_text import news_of
from parlour.testing.toys import NIM

NORTH, EAST = Seat("north"), Seat("east")


def test_the_word_of_a_closed_socket_is_gone_and_its_kind_stays() -> None:
    assert [kind.word for kind in FoulKind] == ["late", "illegal", "garbled", "crashed", "gone"]
    assert FoulKind("disconnected") is FoulKind.DISCONNECTED


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("disconnected: the connection was closed", "gone: the connection was closed"),
        ("disconnected", "gone"),
        ("late: no answer in time", "late: no answer in time"),
        ("by the moderator: disconnected twice", "by the moderator: disconnected twice"),
    ],
)
def test_the_reason_of_a_removal_is_shown_with_the_word(reason: str, words: str) -> None:
    removed = ev.Removed(0.0, NORTH, reason)
    assert removed.reason == reason
    assert line_of(removed) == f"north is removed: {words}"
    assert news_of(removed, EAST) == f"north is removed: {words}"


def test_a_foul_is_shown_with_its_word_and_a_detail_that_says_more() -> None:
    fouled = ev.Fouled(0.0, NORTH, FoulKind.DISCONNECTED, "move", 1, "left the match", Consequence.DEFAULT)
    assert line_of(fouled) == "foul of north: gone (left the match); default"
    assert line_of(fouled.seen(SPECTATOR, NIM)) == "foul of north: gone; default"
