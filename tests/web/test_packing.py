"""A replay is one page with nothing outside it, small, and safe whatever the match says."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import re
from typing import Any

import msgspec
import pytest

from parlour.core import events as ev
from parlour.core.viewers import SPECTATOR
from parlour.errors import ConfigError
from parlour.games import load_game
from parlour.testing.toys import TOYS
from parlour.web.packing import STATIC, bundled, replay_page
from parlour.web.stories import story_of
from support.web.records import diplomacy_record, fish_record, press_record


def page(game: str) -> str:
    events = {"diplomacy": press_record, "fish": fish_record}[game]()
    return replay_page(story_of(load_game(game), events, title=game))


def match_in(page: str) -> Any:
    found = re.search(r'<div id="match" hidden>\n(.*)\n</div>', page)
    assert found is not None
    return msgspec.json.decode(gzip.decompress(base64.b64decode(found[1])))


@pytest.mark.parametrize("game", ["diplomacy", "fish"])
def test_a_page_refers_to_nothing_outside_it(game: str) -> None:
    text = page(game)
    assert not re.search(r'(src|href)="(?!#)', text.split("<script")[0])
    assert not re.search(r"https?://(?!www\.w3\.org)", text)
    assert "import " not in text.split('<script type="module">')[1].split("\n//")[0]


@pytest.mark.parametrize("game", ["diplomacy", "fish"])
def test_the_policy_allows_only_the_scripts_and_styles_that_are_there(game: str) -> None:
    text = page(game)
    script = re.search(r'<script type="module">(.*)</script>', text, re.DOTALL)
    style = re.search(r"<style>(.*)</style>", text, re.DOTALL)
    assert script is not None
    assert style is not None
    for found in (script[1], style[1]):
        digest = base64.b64encode(hashlib.sha256(found.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in html.unescape(text)
    assert "default-src 'none'" in html.unescape(text)
    assert "</script" not in script[1]


def test_twenty_years_with_press_are_less_than_a_megabyte() -> None:
    events, game = press_record(), load_game("diplomacy")
    ended = [
        i for i, event in enumerate(events) if isinstance(event, ev.TurnEnded) and event.happened["next"] == "S1902M"
    ]
    first, third = (len(replay_page(story_of(game, part))) for part in (events[: ended[0] + 1], events))
    assert first + 19 * (third - first) / 2 < 1_000_000


def test_the_match_is_in_it_as_told() -> None:
    story = match_in(page("fish"))
    assert story["game"] == "fish"
    assert [one["e"]["event"] for one in story["past"]][-1] == "ended"
    assert story["sheet"]["key"] == "4x4"


def test_hostile_titles_and_names_stay_text() -> None:
    events = diplomacy_record()
    evil = "</script><script>alert(1)</script>"
    joined = next(i for i, event in enumerate(events) if isinstance(event, ev.Joined))
    event = events[joined]
    assert isinstance(event, ev.Joined)
    events[joined] = msgspec.structs.replace(event, name=evil)
    text = replay_page(story_of(load_game("diplomacy"), events, title=evil))
    assert "<script>alert" not in text
    assert text.count("<script") == 1


def test_a_viewer_gets_no_more_than_it_may_see() -> None:
    whole = match_in(page("diplomacy"))
    story = story_of(load_game("diplomacy"), press_record(), SPECTATOR)
    private = {one["e"]["text"] for one in whole["past"] if one["e"]["event"] == "said" and one["e"]["to"]}
    heard = {one.e.text for one in story.past if isinstance(one.e, ev.Said)}
    assert private
    assert not private & heard


def test_all_modules_are_bundled_once_and_in_order() -> None:
    script = bundled("replay.js")
    assert (
        script.count("class MatchPage") == script.count("class MatchState ") == script.count("export function") + 1 == 1
    )
    assert script.index("const $dom =") < script.index("const $board =") < script.index("const $page =")


def test_every_module_can_be_bundled() -> None:
    for path in STATIC.glob("*.js"):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("import"):
                assert re.fullmatch(r'import \{[^}]*\} from "\./[\w.-]+\.js";', line), (path.name, line)


def test_a_match_that_has_not_started_and_a_game_without_pictures_are_refused() -> None:
    with pytest.raises(ConfigError, match="not started"):
        story_of(load_game("fish"), fish_record()[:2])
    with pytest.raises(ConfigError, match="no pictures"):
        story_of(TOYS["nim"], [])
