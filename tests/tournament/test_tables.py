"""The matches of a tournament: what each player is given follows from the tournament alone."""

from __future__ import annotations

from parlour.tournament.blocks import derived
from parlour.tournament.course import Fixture
from parlour.tournament.tables import player_seed


def test_a_tournament_that_an_earlier_version_began_goes_on_with_the_same_seeds() -> None:
    fixture = Fixture("cup.1.2", 1, 1, ("Ann", "Bob"), 20210114)
    assert [player_seed(fixture, name) for name in fixture.players] == [46135117624677218, 47521324552278406]
    assert all(0 <= player_seed(fixture, f"player {n}") < 2**56 for n in range(20))
    assert derived(1, "a", 3) == 4316680685705128704
    assert all(0 <= derived(1, n) < 2**63 for n in range(20))
