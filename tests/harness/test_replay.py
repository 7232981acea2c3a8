"""A record is reproduced from the answers in it, and a record that was changed is noticed."""

from __future__ import annotations

import msgspec
import pytest

from parlour.core import events as ev
from parlour.errors import ConfigError, RecordError
from parlour.harness import Episode, EpisodeSetup, play_again
from support.harness.episodes import diplomacy_setup, fish_setup, played, with_slips
from support.llm.matches import record_of


@pytest.mark.parametrize("setup", [diplomacy_setup(), fish_setup()], ids=lambda one: one.game)
def test_a_record_is_reproduced_bit_for_bit(setup: EpisodeSetup) -> None:
    episode = played(setup)
    report = play_again(episode.record)
    assert report.same
    assert report.events == len(episode.record)
    assert str(report).startswith("bit for bit: ")


def test_the_record_of_an_episode_that_was_closed_is_reproduced() -> None:
    with Episode(diplomacy_setup()) as episode:
        prompt = episode.ask()
        for _ in range(9):
            assert prompt is not None
            prompt = episode.answer(with_slips(prompt), 5, 5)
    assert play_again(episode.record).same


def test_an_answer_that_was_changed_is_found() -> None:
    record = list(played(fish_setup()).record)
    number = next(i for i, event in enumerate(record) if isinstance(event, ev.Consulted) and i > 20)
    event = record[number]
    assert isinstance(event, ev.Consulted)
    forged = msgspec.structs.replace(event.consultation, answer="nothing", verdict="exact")
    record[number] = msgspec.structs.replace(event, consultation=forged)
    report = play_again(record)
    assert report.number == number
    assert str(report).startswith(f"differs at event {number}: ")


def test_an_event_that_breaks_the_rules_is_refused() -> None:
    record = list(played(fish_setup()).record)
    del record[-10]
    with pytest.raises(RecordError):
        play_again(record)


def test_players_that_a_record_does_not_describe_cannot_play_again() -> None:
    with pytest.raises(ConfigError, match="agent: fish has no 'FishModelPlayer'"):
        play_again(record_of("fish"))
