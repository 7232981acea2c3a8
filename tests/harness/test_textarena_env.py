"""TextArena plays whole matches turn by turn, and leaves the records that the core leaves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from parlour.harness import Episode, EpisodeSetup
from parlour.testing import by_rule
from support.harness.frameworks import assert_same_record, diplomacy, fish, framework, ran

PROGRAM = """
import json, random, sys
import textarena as ta
import parlour.harness.textarena_env
from parlour.testing import by_rule

name, players, settings = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
random.seed(5)
before = random.getstate()
env = ta.make(name, **settings)
env.reset(num_players=players, seed=0)
done, steps = False, 0
while not done:
    player, text = env.get_observation()
    done, info = env.step("no" if steps % 11 == 10 else by_rule([("user", text)]))
    steps += 1
digest = env.episode.digest()
rewards, told = env.close()
assert random.getstate() == before, "the global generator was used"
print(json.dumps({"steps": steps, "digest": digest, "rewards": rewards, "told": told}))
"""


def played(folder: Path, name: str, players: int, **settings: Any) -> Any:
    arguments = ("-c", PROGRAM, name, str(players), json.dumps(settings))
    return json.loads(ran(framework("textarena"), "python", *arguments, cwd=folder).splitlines()[-1])


def by_core(setup: EpisodeSetup) -> tuple[Episode, int]:
    """Play the match on the core alone, with prompts as one text and without counts of tokens."""
    steps = 0
    with Episode(setup) as episode:
        prompt = episode.ask()
        while prompt is not None:
            joined = "\n\n".join(text for _, text in prompt.messages)
            prompt = episode.answer("no" if steps % 11 == 10 else by_rule([("user", joined)]))
            steps += 1
    return episode, steps


def test_fish_gives_the_record_of_the_core(tmp_path: Path) -> None:
    told = played(tmp_path, "Parlour-Fish-v0", 3, config={"rows": 4, "cols": 4}, record="records")
    episode, steps = by_core(fish())
    assert (told["digest"], told["steps"]) == (episode.digest(), steps)
    assert_same_record(tmp_path / "records", episode)
    rows = episode.standing().seats
    assert [told["told"][str(number)]["role"] for number in range(3)] == list(rows)
    assert told["rewards"] == {str(number): row.score for number, row in enumerate(rows.values())}


@pytest.mark.long
@pytest.mark.timeout(900)  # real time: it starts programs of others
def test_seven_powers_negotiate_to_the_end(tmp_path: Path) -> None:
    told = played(tmp_path, "Parlour-Diplomacy-Press-v0", 7, config={"last_year": 1902}, rounds=2)
    episode, steps = by_core(diplomacy())
    assert (told["digest"], told["steps"]) == (episode.digest(), steps)


@pytest.mark.long
@pytest.mark.timeout(900)  # real time: it starts programs of others
def test_one_player_meets_house_agents(tmp_path: Path) -> None:
    told = played(tmp_path, "Parlour-Diplomacy-v0", 1, config={"last_year": 1902}, learners="ITALY", opponents="greedy")
    assert told["told"]["0"]["role"] == "ITALY"
    assert 0 <= told["rewards"]["0"] <= 1


@pytest.mark.long
@pytest.mark.timeout(900)  # real time: it starts programs of others
def test_rewards_have_weights(tmp_path: Path) -> None:
    told = played(tmp_path, "Parlour-Fish-v0", 3, config={"rows": 4, "cols": 4}, reward="score=2,legality=0.5")
    rows = told["told"].values()
    assert list(told["rewards"].values()) == [pytest.approx(2 * row["score"] + row["legality"] / 2) for row in rows]


@pytest.mark.long
@pytest.mark.timeout(900)  # real time: it starts programs of others
def test_the_program_on_its_page_prints_what_the_page_shows(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "use-textarena.md").read_text(encoding="utf-8")
    program, shown = (block.split("```")[0] for block in page.split("```text\n")[1:3])
    printed = ran(framework("textarena"), "python", "-c", program, cwd=tmp_path).splitlines()
    assert [line.split()[0] for line in printed[-7:]] == [
        "AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY",
    ]  # fmt: skip
    assert printed[-7:-4] == shown.splitlines()[:3]
