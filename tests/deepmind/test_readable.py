"""Actions in words, with and without a board."""

from __future__ import annotations

import numpy as np
import pytest

from parlour.deepmind.actions import POSSIBLE_ACTIONS
from parlour.deepmind.readable import human_readable_action
from parlour.errors import NotationError

MAO, GAS, SPA_NORTH, SPA_SOUTH = 26, 38, 0x0A3C000000923404, 0x0A6C000000933404
GAS_TO_SPA = 0x0A44000000924C04


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (0x002E000000001403, "PAR H"),
        (0x23410000665C2802, "ECH C BRE - WAL"),
        (0x08640000007C7401, "LON - NWY VC"),
        (0x011E000000021404, "PAR - BUR"),
        (0x0A45000000924C05, "GAS SH SPA"),
        (0x0BB6000014027806, "MAR S PAR - BUR"),
        (0x01DB000000160E09, "BUD - SER"),
        (0x0020000000000E08, "BUD D"),
        (0x011400000000940A, "B A STP"),
        (0x011500000000940B, "B F STPNC"),
        (0x011700000000950B, "B F STPSC"),
        (0x0022000000000E0C, "R BUD"),
        (0x000300000000000D, "W"),
        (SPA_NORTH, "MAO - SPAmaybe_NC"),
        (SPA_SOUTH, "MAO - SPASC"),
    ],
)
def test_worked_examples(action: int, words: str) -> None:
    assert human_readable_action(action) == words


def test_a_board_tells_fleets_from_armies() -> None:
    board = np.zeros((81, 35), dtype=np.uint8)
    board[MAO, 1] = board[GAS, 0] = 1
    assert human_readable_action(SPA_NORTH, board) == "MAO - SPANC"
    assert human_readable_action(GAS_TO_SPA, board) == "GAS - SPA"


def test_of_a_retreat_the_unit_that_holds_the_province_counts() -> None:
    board = np.zeros((81, 35), dtype=np.uint8)
    retreat = GAS_TO_SPA & 0xFFFFFFFF ^ 4 ^ 9
    board[GAS, 14] = 1
    board[GAS, 0] = 1
    assert human_readable_action(retreat, board) == "GAS - SPA"
    board[GAS, :2] = 0, 1
    assert human_readable_action(retreat, board) == "GAS - SPANC"


def test_where_the_board_shows_no_unit_it_may_be_either() -> None:
    board = np.zeros((81, 35), dtype=np.uint8)
    assert human_readable_action(SPA_NORTH, board) == "MAO - SPAmaybe_NC"
    assert human_readable_action(SPA_SOUTH, board) == "MAO - SPASC"


def test_the_first_coast_is_called_north_in_bulgaria_too() -> None:
    board = np.zeros((81, 35), dtype=np.uint8)
    board[18, 1] = 1
    to_bulgaria = [
        action for action in POSSIBLE_ACTIONS.tolist() if action >> 16 & 0xFF == 72 << 1 and action & 255 in (4, 9)
    ]
    words = [human_readable_action(action) for action in to_bulgaria]
    assert len(words) == 10
    assert all(word.endswith(" - BULmaybe_NC") for word in words)
    assert "BLA - BULNC" in [human_readable_action(action, board) for action in to_bulgaria]


def test_each_action_has_words_that_few_share() -> None:
    words = [human_readable_action(action) for action in POSSIBLE_ACTIONS.tolist()]
    # Moves and retreats read alike; nothing else does.
    assert len(set(words)) == 18584 - 419


def test_what_is_no_action_is_refused() -> None:
    with pytest.raises(NotationError, match="no possible action"):
        human_readable_action(12345)
