"""The examples for frameworks run in the environments of these frameworks."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.harness.frameworks import framework, ran

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
PAGE = (ROOT / "docs" / "how-to" / "use-gymnasium.md").read_text(encoding="utf-8")


@pytest.mark.long
@pytest.mark.timeout(900)  # real time: it starts programs of others
@pytest.mark.parametrize(
    ("name", "example", "printed"),
    [
        ("open_spiel", "openspiel_fish.py", PAGE.partition("```text\n")[2].partition("```")[0]),
        ("kaggle", "kaggle_match.py", "brown"),
    ],
)
def test_an_example_plays(name: str, example: str, printed: str, tmp_path: Path) -> None:
    assert printed in ran(framework(name), "python", str(EXAMPLES / example), cwd=tmp_path)
