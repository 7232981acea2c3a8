"""The agent that plays by a network: at a table, beside itself, from a seed, and from files that are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from parlour.agents import is_agent, make_agent, options_of
from parlour.core.events import Fouled, TurnEnded
from parlour.core.terms import Terms
from parlour.deepmind import write_parameters
from parlour.deepmind.network.worker import worker_of
from parlour.errors import ConfigError
from parlour.games.diplomacy.game import GAME
from parlour.referee.conduct import DIPLOMACY
from parlour.referee.local import play
from parlour.referee.match import Match
from parlour.testing import check_player
from support.deepmind import golden as golden


@pytest.fixture(scope="module")
def parameters(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("network") / "small.safetensors"
    write_parameters(golden.parameters(), path)
    return path


def match_of(*specs: str, years: int = 1903, seed: int = 0) -> Match:
    match = Match(GAME, {"last_year": years}, Terms(DIPLOMACY), seed=seed)
    seats = GAME.seats({})
    play(match, {seat: make_agent("diplomacy", specs[at % len(specs)], seed + at) for at, seat in enumerate(seats)})
    return match


def turns(match: Match) -> list[TurnEnded]:
    return [event for event in match.record if isinstance(event, TurnEnded)]


def test_it_plays_a_match_without_a_foul_and_again_from_the_same_seeds(parameters: Path) -> None:
    worker = worker_of(parameters)
    before = worker.batches
    match = match_of(f"deepmind:{parameters},temperature=0.5", "random")
    assert not [event for event in match.record if isinstance(event, Fouled)]
    # Four seats ask in each phase, mostly at the same time.
    asked = sum(seat in turn.actions for turn in turns(match) for seat in ("AUSTRIA", "FRANCE", "ITALY", "TURKEY"))
    assert 0 < worker.batches - before <= asked
    again = match_of(f"deepmind:{parameters},temperature=0.5", "random")
    assert [turn.actions for turn in turns(again)] == [turn.actions for turn in turns(match)]
    other = match_of(f"deepmind:{parameters},temperature=0.5", "random", seed=50)
    assert [turn.actions for turn in turns(other)] != [turn.actions for turn in turns(match)]


def test_it_behaves_on_every_seat(parameters: Path) -> None:
    check_player(GAME, lambda: make_agent("diplomacy", f"deepmind:{parameters}"), {"last_year": 1902}, matches=1)


def test_how_it_is_asked_for(parameters: Path) -> None:
    assert is_agent("diplomacy", f"deepmind:{parameters}")
    assert set(options_of("diplomacy", "deepmind")) == {"path", "temperature", "library"}
    for spec in (
        f"deepmind:{parameters}",
        f"deepmind:path={parameters},temperature=0",
        f"deepmind:temperature=1,path={parameters}",
    ):
        assert make_agent("diplomacy", spec) is not None


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("deepmind", "deepmind needs a file of parameters, as in"),
        ("deepmind:temperature=1", "deepmind needs a file of parameters"),
        ("deepmind:/gone/params.npz", r"agent: deepmind: params\.npz: cannot be read"),
        ("deepmind:x.npz,temperature=-1", "temperature: expected a number from 0 to 100"),
        ("deepmind:x.npz,heat=1", "deepmind has no option 'heat'"),
        ("deepmind:x.npz,y.npz", "deepmind has no option 'y.npz'"),
        ("random:x.npz", "random has no option 'x.npz'"),
    ],
)
def test_what_cannot_be_had_is_refused_in_words(spec: str, why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        make_agent("diplomacy", spec)


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "letter.npz"
    path.write_bytes(b"dear")
    with pytest.raises(ConfigError, match=r"agent: deepmind: letter\.npz: "):
        make_agent("diplomacy", f"deepmind:{path}")
