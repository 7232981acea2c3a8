"""Results as they are stored: which of them are draws."""

from __future__ import annotations

import msgspec
import pytest

from parlour.tournament.results import is_drawn


@pytest.mark.parametrize(
    ("first", "reason", "drawn"),
    [
        (["FRANCE"], "solo of FRANCE", False),
        (["FRANCE", "TURKEY"], "last player standing", True),
        (["FRANCE"], "stopped after 1907", True),
        (["FRANCE"], "draw agreed by FRANCE, TURKEY", True),
    ],
)
def test_a_match_is_drawn_if_places_are_shared_or_it_ended_early(first: list[str], reason: str, drawn: bool) -> None:
    assert is_drawn(msgspec.json.encode({"places": [first, ["ITALY"]], "reason": reason})) is drawn


def test_an_unfinished_match_is_not_drawn() -> None:
    assert not is_drawn(None)
