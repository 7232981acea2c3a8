"""The sample of words to be read cold: as many of each kind as asked for, and every option text."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_a_seed_draws_docstrings_half_as_many_comments_and_sentences() -> None:
    words = [sys.executable, str(ROOT / "tools" / "word_sample.py"), "1", "400"]
    lines = subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()
    starts = [number for number, line in enumerate(lines) if line.startswith("== ")]
    docstrings, comments, options, sentences = (
        lines[first + 1 : end] for first, end in zip(starts, [*starts[1:], len(lines)], strict=True)
    )
    assert (len(docstrings), len(comments), len(sentences)) == (400, 200, 400)
    assert "parlour play diplomacy --seed: Seed of all random numbers in the match." in options
    assert all(line.startswith(("README.md: ", "docs/")) for line in sentences)
    assert not [line for line in sentences if " - **" in line], "each item of a list is a sentence of its own"
