"""The text of an error for a missing library."""

from __future__ import annotations

import sys

from parlour.errors import MissingExtra


def test_a_missing_extra_is_installed_by_the_python_that_misses_it() -> None:
    said = str(MissingExtra("mcp", "a seat for an assistant"))
    assert said.startswith("a seat for an assistant needs an optional part")
    assert said.endswith(f"{sys.executable} -m pip install -e '.[mcp]'")
