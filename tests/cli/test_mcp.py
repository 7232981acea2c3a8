"""parlour mcp: what can be said of it without a server. tests/net/mcp plays whole matches through it."""

from __future__ import annotations

import pytest

from parlour.cli import main
from parlour.cli.mcp import MOST_OF_ONE, config_of
from parlour.net.framing.http import BoundedHttp


def test_connections_over_http_are_bounded() -> None:
    protocol = config_of(None).http
    assert isinstance(protocol, type)
    assert issubclass(protocol, BoundedHttp)
    assert protocol.porch._most_of_one == MOST_OF_ONE


@pytest.mark.parametrize("words", [["--allow", "here:1"], ["--host", "0.0.0.0"]])
def test_what_is_for_http_needs_it(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["mcp", *words])
    assert stop.value.code == 2
    assert "give --http, too" in capsys.readouterr().err
