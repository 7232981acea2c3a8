"""An episode gives prompts, takes answers, and leaves a record that the answers alone decide."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import gc
import pickle
import threading

import pytest

from parlour.core import events as ev
from parlour.errors import ConfigError, RuleError
from parlour.harness import Episode, EpisodeSetup, ModelPrompt, policy
from parlour.referee.match import Match
from support.harness.episodes import by_rule, diplomacy_setup, fish_setup, played, with_slips
from support.waiting import PATIENCE


@pytest.mark.parametrize("setup", [diplomacy_setup(), fish_setup()], ids=lambda one: one.game)
def test_the_same_answers_give_the_same_bytes(setup: EpisodeSetup) -> None:
    first, second = played(setup), played(setup)
    assert first.record_bytes() == second.record_bytes()
    assert first.digest() == second.digest()
    assert first.standing().finished
    Match.resume(first.record)  # every event passes the audit


def test_another_answer_gives_another_record() -> None:
    assert played(fish_setup(), by_rule).digest() != played(fish_setup(), with_slips).digest()


def test_a_prompt_stays_until_it_is_answered() -> None:
    with Episode(fish_setup()) as episode:
        prompt = episode.ask()
        assert prompt is not None
        assert prompt is episode.ask()
        assert prompt.number == 0
        assert [role for role, _ in prompt.messages] == ["system", "user"]
        assert prompt.chat()[1]["content"] == prompt.messages[1][1]
        following = episode.answer(by_rule(prompt))
        assert following is not None
        assert following.number == 1


def test_an_unusable_answer_is_asked_for_once_more() -> None:
    with Episode(fish_setup()) as episode:
        first = episode.ask()
        assert first is not None
        again = episode.answer("west, I think")
        assert again is not None
        assert (first.repair, again.repair) == (False, True)
        assert again.seat == first.seat
        assert [role for role, _ in again.messages] == ["system", "user", "assistant", "user"]


BAD = {
    "prose": "I would place my penguin in the corner.",
    "other JSON": '{"move": 3}',
    "empty": "",
    "one megabyte": "x" * (1 << 20),
    "another language": "我把企鹅放在左上角。",
    "not UTF-8": '{"action": "\ud800"}',
}


@pytest.mark.parametrize("text", BAD.values(), ids=BAD)
def test_bad_answers_only_end_the_match_with_fouls(text: str) -> None:
    episode = played(fish_setup(), lambda prompt: text)
    rows = episode.standing().seats.values()
    assert episode.standing().finished
    assert all(row.legality == 0.0 for row in rows if row.answers)
    assert {kind for row in rows for kind in row.fouls} == {"garbled"}
    assert all(len(event.consultation.answer) <= 200_000 for event in episode.record if isinstance(event, ev.Consulted))


def test_bad_answers_in_diplomacy_cost_default_orders_and_no_seat() -> None:
    episode = played(diplomacy_setup(), lambda prompt: "no")
    standing = episode.standing()
    assert standing.finished
    assert all(row.fouls.get("garbled", 0) > 0 and not row.removed for row in standing.seats.values())


def test_illegal_orders_are_counted_though_they_are_no_foul() -> None:
    episode = played(diplomacy_setup(rounds=0), lambda prompt: '{"orders": ["A PAR - MOS"]}')
    rows = episode.standing().seats.values()
    assert all(row.illegal > 0 and row.fouls == {} and row.legality == 0.0 for row in rows)


def test_a_fault_is_transport_and_makes_the_match_void() -> None:
    with Episode(fish_setup()) as episode:
        episode.finish("HTTP 500")
        standing = episode.standing()
    assert standing.finished
    assert "HTTP 500" in standing.void
    assert sum(row.transport for row in standing.seats.values()) > 0
    assert sum(row.answers for row in standing.seats.values()) == 0


def test_a_seat_stops_when_its_tokens_are_spent() -> None:
    setup = EpisodeSetup.of("fish", config={"players": 2, "rows": 4, "cols": 4}, tokens=6_500, others=policy())
    episode = played(setup, by_rule)
    assert all(row.tokens <= 6_500 for row in episode.standing().seats.values())
    assert any("budget" in event.detail for event in episode.record if isinstance(event, ev.Fouled))


def test_house_agents_play_the_other_seats() -> None:
    setup = EpisodeSetup.of("diplomacy", config={"last_year": 1902}, players={"FRANCE": policy()}, others="greedy")
    asked: set[str] = set()

    def script(prompt: ModelPrompt) -> str:
        asked.add(prompt.seat)
        return by_rule(prompt)

    episode = played(setup, script)
    assert asked == {"FRANCE"}
    assert setup.asked() == ("FRANCE",)
    names = {str(event.seat): event.name for event in episode.record if isinstance(event, ev.Joined)}
    assert names["FRANCE"] == "llm:policy@harness"
    assert names["ITALY"] == "greedy"


def test_an_answer_after_the_end_is_refused() -> None:
    episode = played(fish_setup())
    assert episode.over
    assert episode.ask() is None
    with pytest.raises(RuleError, match="the match is over"):
        episode.answer("{}")


@pytest.mark.parametrize("value", [-1, 10**9, 1.5, True])
def test_a_number_of_tokens_is_bounded(value: int) -> None:
    with Episode(fish_setup()) as episode:
        episode.ask()
        with pytest.raises(ConfigError, match="tokens_in: expected 0 to"):
            episode.answer("{}", value, 1)


def _referee_of(episode: Episode) -> threading.Thread:
    """Return the thread that an episode starts with its first prompt."""
    before = set(threading.enumerate())
    assert episode.ask() is not None
    (thread,) = set(threading.enumerate()) - before
    return thread


def test_close_stops_where_the_match_stands_and_leaves_no_thread() -> None:
    episode = Episode(diplomacy_setup())
    referee = _referee_of(episode)
    prompt = episode.ask()
    assert prompt is not None
    episode.answer(by_rule(prompt))
    length = len(episode.record)
    episode.close()
    referee.join(PATIENCE)
    assert not referee.is_alive()
    assert len(episode.record) == length
    assert not episode.standing().finished
    assert episode.ask() is None


def test_an_episode_that_is_dropped_leaves_no_thread() -> None:
    episode = Episode(fish_setup())
    referee = _referee_of(episode)
    del episode
    gc.collect()
    referee.join(PATIENCE)
    assert not referee.is_alive()


@pytest.mark.parametrize(
    "copied", [Episode.clone, copy.deepcopy, copy.copy, lambda one: pickle.loads(pickle.dumps(one))]
)
def test_a_copy_in_the_middle_continues_on_its_own(copied: object) -> None:
    assert callable(copied)
    with Episode(fish_setup()) as episode:
        prompt = episode.ask()
        for _ in range(7):
            assert prompt is not None
            prompt = episode.answer(with_slips(prompt))
        twin = copied(episode)
        assert isinstance(twin, Episode)
        assert twin.record_bytes() == episode.record_bytes()
        for one in (twin, episode):
            prompt = one.ask()
            while prompt is not None:
                prompt = one.answer(by_rule(prompt))
        assert twin.record_bytes() == episode.record_bytes()


def test_an_error_of_the_referee_reaches_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    episode = Episode(fish_setup())
    monkeypatch.setattr(Match, "start", lambda self, now: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        episode.ask()
    assert episode.over


async def test_an_event_loop_waits_for_prompts_without_a_pool_and_plays_the_same_match() -> None:
    wanted = played(fish_setup())
    episode = Episode(fish_setup())
    prompt = await episode.ask_async()
    assert prompt is await episode.ask_async() is episode.ask()
    while prompt is not None:
        text = with_slips(prompt)
        tokens = sum(len(part) for _, part in prompt.messages) // 4
        prompt = await episode.answer_async(text, tokens, len(text) // 4)
    assert episode.digest() == wanted.digest()
    with pytest.raises(RuleError, match="there is no prompt to answer"):
        await episode.answer_async("too late")


async def test_a_wait_that_is_cancelled_loses_no_prompt() -> None:
    with Episode(fish_setup()) as episode:
        waiting = asyncio.create_task(episode.ask_async())
        await asyncio.sleep(0)
        waiting.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await waiting
        prompt = await episode.ask_async()
        assert prompt is not None
        assert prompt.number == 0


async def test_an_episode_closed_at_a_prompt_leaves_its_thread_in_peace() -> None:
    episode = Episode(fish_setup())
    await episode.ask_async()
    before = [thread for thread in threading.enumerate() if thread.name == "parlour episode"]
    episode.close()
    for thread in before:
        thread.join(PATIENCE)
    assert not any(thread.is_alive() for thread in before), "and pytest would complain of an exception in it"
    assert await episode.ask_async() is None
