"""Whatever models answer, an episode ends, its record passes the audit, and it is reproduced bit for bit."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.harness import Episode, EpisodeSetup, ModelPrompt, play_again
from support.harness.episodes import by_rule, diplomacy_setup, fish_setup

TEXTS = st.one_of(
    st.sampled_from(["", "no", "{", '{"orders": []}', '{"orders": ["A PAR - MOS"]}', '{"action": [0, 0]}', "{}" * 50]),
    st.text(max_size=60),
    st.binary(max_size=20).map(lambda raw: raw.decode("utf-8", "surrogateescape")),
)
ANSWERS = st.lists(
    st.one_of(
        st.just(("rule", "")),
        st.tuples(st.just("text"), TEXTS),
        st.tuples(st.just("cut"), TEXTS),
        st.tuples(st.just("fault"), st.sampled_from(["HTTP 500", "no answer in time"])),
    ),
    min_size=1,
    max_size=12,
)
SETUPS = st.one_of(
    st.builds(fish_setup, st.integers(0, 5), st.sampled_from([None, "lenient"])),
    st.builds(diplomacy_setup, st.just(1901), st.integers(0, 2)),
)


def answered(episode: Episode, prompt: ModelPrompt, kind: str, text: str) -> ModelPrompt | None:
    match kind:
        case "rule":
            return episode.answer(by_rule(prompt), 10, 5)
        case "text":
            return episode.answer(text, 10, 5)
        case "cut":
            return episode.answer(text, finish="length")
        case _:
            return episode.answer("", fault=text)


@settings(max_examples=settings().max_examples // 4)  # each plays a whole match several times
@given(SETUPS, ANSWERS, st.integers(0, 30))
def test_an_episode_ends_and_is_reproduced(setup: EpisodeSetup, answers: list[tuple[str, str]], middle: int) -> None:
    with Episode(setup) as episode:
        prompt, count, twin = episode.ask(), 0, None
        while prompt is not None:
            if count == middle:
                twin = episode.clone()
                assert twin.record_bytes() == episode.record_bytes()
                twin.close()
            prompt = answered(episode, prompt, *answers[count % len(answers)])
            count += 1
        assert episode.standing().finished
        assert play_again(episode.record).same
        for row in episode.standing().seats.values():
            assert 0 <= row.score <= 1
            assert 0 <= row.legality <= 1
