"""The prompts as a model gets them, compared with those that were read and found good.

`python tests/agents/llm/test_prompts.py` writes them anew, to be read before they are committed.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib.resources import files
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from parlour.agents.llm import prompts as prompt_folder
from parlour.agents.llm.diplomacy_player import DiplomacyModelPlayer
from parlour.agents.llm.fish_player import FishModelPlayer
from parlour.agents.llm.spec import read_spec
from support.llm.matches import diplomacy_match, fish_match, years_of
from support.llm.models import Model, plain_angler, plain_player

GOOD = Path(__file__).with_name("prompts")


@cache
def prompts() -> dict[str, str]:
    """Return each kind of prompt once: a talk, orders, those of a power with 17 units, a repair, a placement."""
    envoy, angler = Model(plain_player), Model(plain_angler)
    faulty = Model(lambda system, prompt: '{"orders": ["A PAR - LON"]}')
    spec = read_spec("m@localhost:1/v1?rounds=2")
    seats = {
        "FRANCE": DiplomacyModelPlayer(spec, 1, envoy),
        "GERMANY": DiplomacyModelPlayer(spec, 1, Model(plain_player)),
    }
    diplomacy_match({**seats, "TURKEY": DiplomacyModelPlayer(spec, 1, faulty)}, others="hold")
    fish_match(lambda number: FishModelPlayer(spec, number, angler))
    asked = [[text for _, text in question.messages] for question in envoy.asked]
    talk = next(texts for texts in asked if "It is talk 2" in texts[-1])
    orders = next(texts for texts in asked if "Give one order" in texts[-1])
    repair = next(question.messages[-1][1] for question in faulty.asked if len(question.messages) == 4)
    return {
        "diplomacy": orders[0],
        "talk": talk[1],
        "orders": orders[1],
        "great power": years_of(17)[1920].partition("\n\n# ")[2],
        "repair": repair,
        "fish": "\n".join(text for _, text in angler.asked[0].messages),
    }


@pytest.mark.parametrize("name", ["diplomacy", "talk", "orders", "great power", "repair", "fish"])
def test_a_prompt_is_as_it_was_found_good(name: str) -> None:
    assert prompts()[name] == (GOOD / f"{name}.txt").read_text(encoding="utf-8")


def test_there_are_nine_short_templates() -> None:
    texts = [path for path in files(prompt_folder).iterdir() if path.name.endswith(".txt")]
    assert len(texts) == 9
    assert all(len(path.read_text(encoding="utf-8")) < 3000 for path in texts)


if __name__ == "__main__":
    GOOD.mkdir(exist_ok=True)
    for name, text in prompts().items():
        (GOOD / f"{name}.txt").write_text(text, encoding="utf-8")
