"""Agents that play only some matches: whoever seats one is refused with a sentence, before anything is played."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner

from parlour.agents import agents_of, check_match
from parlour.cli import parlour
from parlour.core.game import Plain, Seat
from parlour.core.terms import Terms
from parlour.envs.opponents import checked_opponents
from parlour.errors import ConfigError, Denied
from parlour.harness.episode import Episode
from parlour.harness.evaluation import EvaluationRequest, plans_of
from parlour.harness.setup import EpisodeSetup
from parlour.matches.spec import MatchSpec, PlayerSpec
from parlour.net.hall import Hall
from parlour.net.setup import MatchSetup
from parlour.referee.conduct import DIPLOMACY
from parlour.tournament.storage.fingerprints import check_agent
from support.hall.halls import in_a_hall
from support.waiting import inside

HUNDRED: dict[str, Plain] = {"map": "hundred"}
SENTENCE = "agent: net plays only on the map standard"
ENGLAND = Seat("ENGLAND")


@pytest.mark.parametrize(
    ("agent", "config", "plays"),
    [
        ("net", {}, True),
        ("net", {"map": "standard", "sight": "fog"}, True),
        ("net", HUNDRED, False),
        ("net:temperature=1", {"map": "france-austria"}, False),
        ("net", {"rules": ["build-anywhere"]}, False),
        ("deepmind:params.npz", {}, True),
        ("deepmind:params.npz", {"sight": "fog"}, False),
        ("deepmind:params.npz", HUNDRED, False),
        ("search:net=on", HUNDRED, True),
        ("./program", HUNDRED, True),
    ],
)
def test_an_agent_says_which_matches_it_plays(agent: str, config: dict[str, Plain], plays: bool) -> None:
    if plays:
        check_match("diplomacy", agent, config)
    else:
        with pytest.raises(ConfigError, match=f"agent: {agent.partition(':')[0]} plays only on the map standard"):
            check_match("diplomacy", agent, config)


def test_all_others_play_every_map() -> None:
    refusing = set()
    for agent in agents_of("diplomacy"):
        try:
            check_match("diplomacy", agent, HUNDRED)
        except ConfigError:
            refusing.add(agent)
    assert refusing == {"net", "deepmind"}


def seat_in_a_match() -> None:
    MatchSpec("diplomacy", Terms(DIPLOMACY), {ENGLAND: PlayerSpec("net")}, HUNDRED).make_players()


def seat_as_stand_in() -> None:
    MatchSpec("diplomacy", Terms(DIPLOMACY), {}, HUNDRED, stand_in=PlayerSpec("net")).make_players()


def seat_in_an_episode() -> None:
    Episode(EpisodeSetup.of("diplomacy", players={"ENGLAND": "net"}, config=HUNDRED))


def seat_in_a_panel() -> None:
    plans_of(
        EvaluationRequest(
            name="x", models=("random",), panel=("net",), games="diplomacy", config={"diplomacy": HUNDRED}
        )
    )


@pytest.mark.parametrize(
    "seats",
    [
        seat_in_a_match,
        seat_as_stand_in,
        seat_in_an_episode,
        seat_in_a_panel,
        lambda: check_agent("diplomacy", "net", HUNDRED),
        lambda: checked_opponents("diplomacy", "net", 2, HUNDRED),
    ],
)
def test_every_place_that_seats_agents_refuses_it(seats: Callable[[], None]) -> None:
    with pytest.raises(ConfigError, match=SENTENCE):
        seats()


@pytest.mark.parametrize("command", ["play", "tournament"])
def test_commands_end_with_the_sentence(command: str) -> None:
    done = CliRunner().invoke(parlour, [command, "diplomacy", "net", "random", "--map", "france-austria"])
    assert isinstance(done.exception, ConfigError)
    assert str(done.exception).startswith(SENTENCE)


@pytest.mark.parametrize("seating", [{"agents": {ENGLAND: "net"}}, {"stand_in": "net"}])
@inside(in_a_hall)
async def test_a_server_opens_no_match_with_it(hall: Hall, *, seating: dict[str, Any]) -> None:
    with pytest.raises(Denied, match=SENTENCE):
        await hall.open(MatchSetup(game="diplomacy", terms=Terms(DIPLOMACY), config=HUNDRED, **seating))


@inside(in_a_hall)
async def test_a_server_seats_it_in_no_match_that_has_begun(hall: Hall) -> None:
    match = await hall.open(MatchSetup(game="diplomacy", terms=Terms(DIPLOMACY), config=HUNDRED))
    with pytest.raises(Denied, match=SENTENCE):
        await hall.seat_agent(match, ENGLAND, "net")
