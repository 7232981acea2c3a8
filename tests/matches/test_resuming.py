"""A match that is cut at any event and resumed gives the record of one that was not; who cannot be had is named."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import msgspec
import pytest

from parlour.agents.process_supervisor import CONFINED, UNLIMITED
from parlour.core import events as ev
from parlour.core.events import Event
from parlour.core.game import Seat, View
from parlour.core.terms import Clock, PressMode, PressTerms, Terms
from parlour.core.viewers import MODERATOR
from parlour.errors import ConfigError, RecordError
from parlour.games import load_game
from parlour.matches.playing import MatchListeners, play_match, resume_match
from parlour.matches.spec import MatchSpec, PlayerSpec, decoded, encoded, hiding, seated, spec_of_record
from parlour.referee.conduct import DIPLOMACY, STRICT, with_stand_ins

TALK = Terms(DIPLOMACY, press=PressTerms(PressMode.WINDOW))
FALLS = "class Bot:\n    def act(self, view):\n        raise EOFError\n"
"""A class that is removed as soon as it is asked, or replaced by a stand-in."""


CALLS_ITSELF = """
import random


class Bot:
    def __init__(self, seed):
        self._chance = random.Random(seed)

    def identify(self):
        return {"Name": "another name"}

    def act(self, view):
        return self._chance.choice(list(view.position.legal(view.seat)))
"""


def seats_of(game: str, config: dict[str, Any], *agents: str) -> dict[Seat, str]:
    seats = load_game(game).seats(config)
    return {seat: agents[number % len(agents)] for number, seat in enumerate(seats)}


def specs(folder: Path) -> dict[str, MatchSpec]:
    """Return matches with chance, search, press, a seat that is removed, and one that is taken over."""
    (folder / "falls.py").write_text(FALLS)
    (folder / "named.py").write_text(CALLS_ITSELF)
    falls, named = f"{folder / 'falls.py'}:Bot", f"{folder / 'named.py'}:Bot"
    fish, three = {"rows": 4, "cols": 4, "players": 3, "holes": 0}, {"last_year": 1902}
    removed = seated(seats_of("fish", fish, falls, "random", "lookahead1"), 7)
    return {
        "fish": MatchSpec("fish", Terms(STRICT), seated(seats_of("fish", fish, "random", "greedy"), 5), fish, 5),
        "named": MatchSpec("fish", Terms(STRICT), seated(seats_of("fish", fish, named, "random"), 6), fish, 6),
        "removed": MatchSpec("fish", Terms(STRICT), removed, fish, 7),
        "taken over": MatchSpec(
            "fish", Terms(with_stand_ins(STRICT)), removed, fish, 7, stand_in=PlayerSpec("random", 3)
        ),
        "diplomacy": MatchSpec(
            "diplomacy", Terms(DIPLOMACY), seated(seats_of("diplomacy", three, "random", "dumbbot"), 2), three, 2
        ),
        "press": MatchSpec(
            "diplomacy", TALK, seated(seats_of("diplomacy", {"last_year": 1901}, "peace:budget=20", "random"), 4),
            {"last_year": 1901}, 4,
        ),
    }  # fmt: skip


def resumed(spec: MatchSpec, past: list[Event]) -> tuple[list[Event], list[int], list[str]]:
    """Return the record after resuming, the numbers of events that were shown, and what was said of players."""
    kept = list(past)
    shown: list[int] = []
    said: list[str] = []
    listeners = MatchListeners(kept.extend, {MODERATOR: lambda told: shown.append(told.number)})
    resume_match(spec, past, listeners, said.append)
    return kept, shown, said


@pytest.mark.parametrize("name", ["fish", "named", "removed", "taken over", "diplomacy", "press"])
def test_a_match_cut_at_any_event_and_resumed_has_the_record_of_one_that_was_not(name: str, tmp_path: Path) -> None:
    spec = specs(tmp_path)[name]
    assert decoded(encoded(spec)) == spec
    whole = play_match(spec)[0].record
    if name == "taken over":
        assert any(isinstance(event, ev.Joined) and event.name == "random (stand-in)" for event in whole)
    if name == "named":
        names = [event.name for event in whole if isinstance(event, ev.Joined)]
        assert names == ["another name", "random", "another name"]
    cuts = range(1, len(whole)) if len(whole) < 60 else sorted(random.Random(1).sample(range(1, len(whole)), 6))
    for length in cuts:
        kept, shown, said = resumed(decoded(encoded(spec)), whole[:length])
        assert kept == whole, length
        assert shown == list(range(length, len(whole)))
        assert said == []


def test_players_who_answer_differently_continue_from_the_record(tmp_path: Path) -> None:
    spec = specs(tmp_path)["diplomacy"]
    whole = play_match(spec)[0].record
    players = {seat: msgspec.structs.replace(player, seed=99) for seat, player in spec.players.items()}
    kept, shown, said = resumed(msgspec.structs.replace(spec, players=players), whole[: len(whole) // 2])
    assert kept[: len(whole) // 2] == whole[: len(whole) // 2]
    assert isinstance(kept[-1], ev.Ended)
    assert shown[0] == len(whole) // 2
    assert len(said) == 1
    assert "differs this time" in said[0]


@pytest.mark.parametrize("cut", range(3))
def test_where_somebody_cannot_be_asked_again_it_is_said_and_each_seat_has_its_own_player(
    cut: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Removed seats stay empty, those that were lost get the stand-in, and no seed is another seat's."""
    made: list[tuple[str, int]] = []

    class Counted:
        def __init__(self, seed: int) -> None:
            self._chance = random.Random(seed)

        def act(self, view: View) -> Any:
            return self._chance.choice(list(view.position.legal(view.seat)))

    def make(game: str, wanted: str, seed: int = 0, note: object = None, *, limits: object = None) -> Counted:
        made.append((wanted, seed))
        return Counted(seed)

    name = "taken over" if cut else "removed"
    spec = specs(tmp_path)[name]
    whole = play_match(spec)[0].record
    lost = next(number for number, event in enumerate(whole) if isinstance(event, ev.Left | ev.Removed))
    human = {seat: msgspec.structs.replace(player, agent="human") for seat, player in list(spec.players.items())[2:]}
    mixed = msgspec.structs.replace(spec, players={**spec.players, **human})
    monkeypatch.setattr("parlour.matches.spec.make_player", make)
    kept, _, said = resumed(mixed, whole[: lost + (cut or 1)])  # cut 1: between the loss and the stand-in
    assert isinstance(kept[-1], ev.Ended)
    (sentence,) = said
    assert "(human) cannot be asked again: all players are new" in sentence
    expected = [("random", 7001), ("human", 7002)]
    if cut:
        expected.append(("random", 3))
    assert sorted(made) == sorted(expected)


def test_a_confined_program_stays_confined() -> None:
    config: dict[str, Any] = {"rows": 4, "cols": 4, "players": 2, "holes": 0}
    own, other = load_game("fish").seats(config)
    players = {own: PlayerSpec("./bot --fast", 1, limits=CONFINED), other: PlayerSpec("greedy", 2, limits=CONFINED)}
    spec = hiding(MatchSpec("fish", Terms(STRICT), players, config), [Path("fish.jsonl")])
    kept = decoded(encoded(spec)).players
    assert kept[own].limits == CONFINED, "and no file of this machine is in the record"
    assert spec.players[own].limits.hidden == (str(Path("fish.jsonl").absolute()),)
    assert kept[other].limits == UNLIMITED, "agents of the house are not programs"


@pytest.mark.parametrize(
    ("agent", "repeats"),
    [("greedy", True), ("human", False), ("./bot", False), ("llm:m@localhost/v1", False),
     ("llm:m@localhost/v1,tape=replay", True)],
)  # fmt: skip
def test_people_programs_and_models_without_a_cassette_cannot_be_asked_again(agent: str, repeats: bool) -> None:
    assert PlayerSpec(agent).repeats("fish") is repeats


def test_a_match_cut_before_it_began_is_not_continued_with_other_players(tmp_path: Path) -> None:
    spec = specs(tmp_path)["fish"]
    whole = play_match(spec)[0].record
    begun = next(number for number, event in enumerate(whole) if isinstance(event, ev.Started))
    players = {seat: msgspec.structs.replace(player, name="other") for seat, player in spec.players.items()}
    with pytest.raises(RecordError, match="had not begun: play it again"):
        resumed(msgspec.structs.replace(spec, players=players), whole[:begun])


def test_a_record_alone_says_who_joined_but_programs_are_confined(tmp_path: Path) -> None:
    spec = specs(tmp_path)["taken over"]
    found = spec_of_record(play_match(spec)[0].record)
    assert [player.agent for player in found.players.values()][1:] == ["random", "lookahead1"]
    assert [player.seed for player in found.players.values()] == [7000, 7001, 7002]
    assert {player.limits for player in found.players.values()} == {CONFINED}


def test_what_does_not_belong_together_or_cannot_be_had_is_refused(tmp_path: Path) -> None:
    spec = specs(tmp_path)["fish"]
    whole = play_match(spec)[0].record
    for other in (
        msgspec.structs.replace(spec, seed=6),
        msgspec.structs.replace(spec, terms=Terms(STRICT, Clock(per_turn=1.0))),
    ):
        with pytest.raises(RecordError, match="of different matches"):
            resumed(other, whole[:9])
    gone = {seat: PlayerSpec("nobody.py:Bot") for seat in spec.players}
    with pytest.raises(ConfigError, match=r"there is no file 'nobody\.py'"):
        resumed(msgspec.structs.replace(spec, players=gone), whole[:9])
    with pytest.raises(RecordError, match="not the specification of a match"):
        decoded(b'{"game":3}')
