"""The door's maps, compared with the package's own map file, and its phases in words."""

from __future__ import annotations

import pytest

from parlour.games.diplomacy.maps.map import standard
from parlour.net.mila.protocol_values import long_phase
from parlour.net.mila.sheets import map_sheet

ABUTS = {
    "MAR": "BUR gas LYO PIE SPA/SC SWI",
    "GAS": "BUR BRE MAO mar PAR SPA/NC",
    "GRE": "AEG ALB BUL/SC ION SER",
    "FIN": "BOT nwy STP/SC SWE",
    "BUR": "BEL GAS RUH MAR MUN PAR PIC SWI",
    "LYO": "MAR PIE SPA/SC TUS TYS WES",
    "STP/NC": "BAR NWY",
    "spa": "GAS LYO MAO MAR POR WES",
}
"""As the file has them."""


@pytest.mark.parametrize("place", ABUTS)
def test_coasts_that_only_armies_reach_from_a_coast_are_in_small_letters(place: str) -> None:
    assert map_sheet(standard()).loc_abut[place] == sorted(ABUTS[place].split())


def test_a_phase_is_told_in_words_and_the_end_as_it_is() -> None:
    assert [long_phase(phase) for phase in ("S1901M", "F1910R", "W1901A", "COMPLETED")] == [
        "SPRING 1901 MOVEMENT",
        "FALL 1910 RETREATS",
        "WINTER 1901 ADJUSTMENTS",
        "COMPLETED",
    ]
