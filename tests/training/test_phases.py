"""Phases to learn from: the same from records, saved games and trajectories, and the same inputs as phase by phase."""

from __future__ import annotations

import json
import pickle
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from parlour.core.events import Event, Started, TurnEnded
from parlour.deepmind import save_trajectory
from parlour.deepmind.conversions import saved_of_trajectory, trajectory_of_record
from parlour.deepmind.network.plan import shrunk_actions
from parlour.deepmind.transformer import ObservationTransformer
from parlour.errors import ConfigError, NotationError
from parlour.games.diplomacy.engine import codes as k
from parlour.games.diplomacy.game import GAME
from parlour.games.diplomacy.position import Position
from parlour.referee.record import read_record
from parlour.training.phases import PlayedPhases, in_step_order, joined, no_phases
from parlour.training.sources import (
    ReturnsRule,
    find_sources,
    gather,
    phases_of_file,
    phases_of_record,
    returns_of,
    split_matches,
)
from support.matches.training import write_matches


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("matches")
    write_matches(folder, 3, last_year=1903)
    return folder


def test_a_batch_of_phases_reads_as_they_were_seen(folder: Path) -> None:
    record = read_record(folder / "match-0.jsonl")
    phases, game = phases_of_record(record, "centres"), trajectory_of_record(GAME, record)
    assert len(phases) == len(game) > 8
    found, carried = phases.inputs(np.arange(len(phases))), None
    shrunk = phases.shrunk(np.arange(len(phases)))
    for number in range(len(game)):
        lists = [row[row != 0].tolist() for row in game.legal_actions[number]]
        given, carried = ObservationTransformer().transform(
            game.observations[number], lists, carried=carried, temperature=1.0, forced_actions=game.action_lists(number)
        )
        for name in ("board", "last_moves_board", "acts", "season", "build_numbers", "areas", "places", "lengths"):
            assert np.array_equal(getattr(found, name)[number], getattr(given, name)[0]), (number, name)
        steps = given.last_action[0, :, 1:]
        real = given.places[0, :, 1:] != -1
        assert np.array_equal(shrunk[number, :, :-1][real], steps[real])
    assert np.array_equal(found.temperature, np.ones(len(phases)))


def same(one: PlayedPhases, other: PlayedPhases, but: tuple[str, ...] = ()) -> bool:
    return all(
        np.array_equal(getattr(one, field.name), getattr(other, field.name))
        for field in fields(PlayedPhases)
        if field.name not in but
    )


def test_records_saved_games_and_trajectories_of_a_match_are_the_same_phases(folder: Path, tmp_path: Path) -> None:
    record = read_record(folder / "match-1.jsonl")
    expected, game = phases_of_record(record, "squares"), trajectory_of_record(GAME, record)
    save_trajectory(game, tmp_path / "trajectory")
    found = phases_of_file(tmp_path / "trajectory", "squares")
    assert np.array_equal(found.actions, expected.actions)
    assert np.array_equal(found.acts, expected.acts)
    saved = tmp_path / "game.json"
    saved.write_text(json.dumps(saved_of_trajectory(game, id="one").value), encoding="utf-8")
    again = phases_of_file(saved, "squares")
    assert np.array_equal(again.actions, expected.actions)
    assert np.abs(again.returns - expected.returns).max() < 1e-6
    assert same(phases_of_file(folder / "match-1.jsonl", "squares"), expected)


def test_builds_that_were_not_made_are_waived(folder: Path) -> None:
    phases = phases_of_file(folder / "match-0.jsonl", "centres")
    given = phases.inputs(np.arange(len(phases)))
    builds = np.argwhere((given.season[:, None] == 4) & (given.build_numbers > 0))
    phase, power = builds[0].tolist()
    one = phases.inputs(np.array([phase]))
    empty = in_step_order(one, [[] for _ in range(7)])
    count = int(one.lengths[0, power])
    assert empty[power, :count].tolist() == [3] * count
    assert shrunk_actions()[3] == 3 << 16 | 13


def test_joined_phases_keep_their_matches_and_pasts(folder: Path, tmp_path: Path) -> None:
    parts = [phases_of_file(path, "centres") for path in sorted(folder.glob("*.jsonl"))]
    whole = joined(parts)
    assert np.unique(whole.match).tolist() == [0, 1, 2]
    rows = np.arange(len(parts[0]), len(parts[0]) + len(parts[1]))
    expected, found = parts[1].inputs(np.arange(len(parts[1]))), whole.inputs(rows)
    assert np.array_equal(found.last_moves_board, expected.last_moves_board)
    whole.save(tmp_path / "phases")
    assert same(PlayedPhases.load(tmp_path / "phases"), whole)
    assert len(joined([])) == len(no_phases()) == 0


def test_a_match_that_began_elsewhere_shows_no_past() -> None:
    seats = tuple(GAME.seats({}))
    winter = Position.start().resolve({"FRANCE": ["A MAR - SPA"]}).resolve({})
    assert winter.stage == "adjustments"
    begun: list[Event] = [Started(0.0, seats, winter.encode()), TurnEnded(0.0, 1, {}, {}), TurnEnded(0.0, 2, {}, {})]
    phases = phases_of_record(begun, "draw")
    assert phases.shown.tolist() == [0, -1]
    assert not phases.inputs(np.array([1])).last_moves_board.any()


@pytest.mark.parametrize(("rule", "russia"), [("centres", 4 / 22), ("squares", 16 / 70), ("draw", 1 / 7)])
def test_an_end_without_a_solo_pays_by_its_rule(rule: ReturnsRule, russia: float) -> None:
    found = returns_of(Position.start(), rule)
    assert abs(found.sum() - 1) < 1e-6
    assert abs(found[5] - russia) < 1e-6


def test_solos_take_all() -> None:
    state = bytearray(Position.start().state)
    state[k.STATUS], state[k.WINNER] = int(k.Status.SOLO), 3
    found = returns_of(Position(Position.start().board, bytes(state)), "centres")
    assert found.tolist() == [0, 0, 1, 0, 0, 0, 0]


def test_sources_are_found_in_folders_and_read_side_by_side(folder: Path, tmp_path: Path) -> None:
    save_trajectory(trajectory_of_record(GAME, read_record(folder / "match-2.jsonl")), tmp_path / "deep" / "one")
    (tmp_path / "notes.txt").write_text("no match", encoding="utf-8")
    (tmp_path / "broken.jsonl").write_text("{}", encoding="utf-8")
    (tmp_path / "empty.json").write_text("[]", encoding="utf-8")
    sources = find_sources([folder, tmp_path, folder / "match-0.jsonl"])
    assert len(sources) == 3 + 3 + 1
    told: dict[str, str | None] = {}
    phases = gather(sources, "centres", lambda path, why: told.__setitem__(path.name, why), 2)
    assert {name for name, why in told.items() if why is None} == {
        "match-0.jsonl", "match-1.jsonl", "match-2.jsonl", "one",
    }  # fmt: skip
    assert told["broken.jsonl"]
    assert len(np.unique(phases.match)) == 5


def test_what_is_nothing_to_learn_from_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no"):
        find_sources([tmp_path / "gone"])
    with pytest.raises(ConfigError, match="no record, saved game or trajectory in"):
        find_sources([tmp_path])
    with pytest.raises(NotationError, match="nothing was played"):
        phases_of_record([], "centres")
    (tmp_path / "actions_outputs.npz").write_bytes(pickle.dumps([([[]] * 6, {})]))
    with pytest.raises(NotationError, match="step 0: expected seven action lists"):
        phases_of_file(tmp_path, "centres")
    (tmp_path / "actions_outputs.npz").write_bytes(pickle.dumps([]))
    with pytest.raises(NotationError, match="nothing was played"):
        phases_of_file(tmp_path, "centres")


def test_whole_matches_are_held_out(folder: Path) -> None:
    whole = joined([phases_of_file(path, "centres") for path in sorted(folder.glob("*.jsonl"))])
    learning, held = split_matches(whole, 0.1, seed=1)
    assert len(learning) + len(held) == len(whole)
    assert len(np.unique(whole.match[held])) == 1
    assert not set(whole.match[held]) & set(whole.match[learning])
    with pytest.raises(ConfigError, match="at least two are needed"):
        split_matches(phases_of_file(folder / "match-0.jsonl", "centres"), 0.1, 0)
