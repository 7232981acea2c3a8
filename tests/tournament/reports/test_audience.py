"""Those who watch a tournament: told of what they want to know, and dropped at the first failure."""

from __future__ import annotations

from parlour.core.events import Event, Left
from parlour.core.game import Seat
from parlour.tournament.knock_out.events import FieldSet, TournamentEvent
from parlour.tournament.reports.audience import Audience

NEWS = FieldSet(1.0, ())
MOVE = Left(2.0, Seat("red"))


class Quiet:
    """Watches the tournament alone."""

    def __init__(self) -> None:
        self.heard: list[object] = []

    def told(self, event: TournamentEvent) -> None:
        self.heard.append(event)


class Keen(Quiet):
    """Watches its matches, too."""

    def told_of_match(self, match: str, event: Event) -> None:
        self.heard.append((match, event))


class Failing(Keen):
    def told(self, event: TournamentEvent) -> None:
        super().told(event)
        raise ValueError("no")


def test_everybody_hears_of_the_tournament_and_who_wants_to_of_its_matches() -> None:
    quiet, keen = Quiet(), Keen()
    audience = Audience([quiet, keen])
    audience.told(NEWS)
    audience.told_of_match("m", MOVE)
    assert quiet.heard == [NEWS]
    assert keen.heard == [NEWS, ("m", MOVE)]


def test_one_who_fails_is_told_nothing_more_and_hurts_nobody() -> None:
    failing, keen = Failing(), Keen()
    audience = Audience([failing, keen])
    for _ in range(2):
        audience.told(NEWS)
    audience.told_of_match("m", MOVE)
    assert failing.heard == [NEWS]
    assert keen.heard == [NEWS, NEWS, ("m", MOVE)]


def test_whether_anybody_watches_and_what() -> None:
    quiet, keen = Quiet(), Keen()
    assert not Audience()
    audience = Audience([quiet, keen])
    assert audience
    assert audience.of_matches
    audience.dismiss(keen)
    audience.dismiss(keen)  # which changes nothing
    assert audience
    assert not audience.of_matches
    audience.dismiss(quiet)
    assert not audience
