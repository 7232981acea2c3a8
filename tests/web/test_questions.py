"""Questions that the pages of the sandbox send: whatever comes, the answer is JSON and says what was wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest

from parlour.web.questions import LARGEST
from web_server import WebServer

SANDBOXES = ("/sandbox", "/sandbox/fish")


def asked(server: WebServer, path: str, body: str | bytes, **headers: str) -> tuple[int, Any]:
    reply = server.send("POST", path, body, {"content-type": "application/json", **headers})
    return reply.status, json.loads(reply.body)


@pytest.mark.parametrize("path", SANDBOXES)
def test_a_question_without_wishes_is_answered(server: WebServer, path: str) -> None:
    status, found = asked(server, path, "{}")
    assert status == 200
    assert found["choices"]


@pytest.mark.parametrize("path", SANDBOXES)
def test_a_page_of_another_site_is_not_answered(server: WebServer, path: str) -> None:
    assert asked(server, path, "{}", **{"sec-fetch-site": "cross-site"}) == (
        403,
        {"reason": "this came from another site"},
    )


@pytest.mark.parametrize("path", SANDBOXES)
def test_more_than_there_may_be_is_not_read(server: WebServer, path: str) -> None:
    assert asked(server, path, '"' + "x" * LARGEST + '"')[0] == 413


@pytest.mark.parametrize("path", SANDBOXES)
@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b'{"position": "\xff"}', "not JSON"),
        (b"[]", "Expected `object`, got `array`"),
        (b'{"position": ' + b"[" * 10_000 + b"]" * 10_000 + b"}", "nested too deeply"),
    ],
)
def test_what_is_no_question_is_refused_with_a_reason(server: WebServer, path: str, body: bytes, reason: str) -> None:
    status, found = asked(server, path, body)
    assert status == 400
    assert reason in found["reason"]
