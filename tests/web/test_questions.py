"""Questions that the pages of the sandbox send: whatever comes, the answer is JSON and says what was wrong."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from parlour.net.accounts.limits import RequestLimits
from parlour.net.fair_pool import THREADS, WAITING, Requester
from parlour.web.questions import LARGEST
from support.web.server import WebServer

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


def test_an_order_that_is_written_often_is_judged_once(server: WebServer) -> None:
    orders = {"FRANCE": ["A PAR - BUR"] * 2000}
    status, found = asked(server, "/sandbox", json.dumps({"orders": orders, "judge": True}))
    assert status == 200
    assert [result["text"] for result in found["plan"]] == ["A PAR - BUR"]
    assert [result["text"] for result in found["turn"]["results"] if not result.get("default")] == ["A PAR - BUR"]


def test_more_orders_than_a_power_can_give_are_refused(server: WebServer) -> None:
    orders = {"FRANCE": [f"A {number}" for number in range(2000)]}
    status, found = asked(server, "/sandbox", json.dumps({"orders": orders, "judge": True}))
    assert (status, found["reason"].partition(" different")[0]) == (400, "orders.FRANCE: expected at most 75")


def test_requests_of_all_kinds_count_together_for_an_address(tmp_path: Path) -> None:
    with WebServer(tmp_path, RequestLimits(1e-6, 6)) as server:
        assert server.request("GET", "/").status == 200
        assert asked(server, "/sandbox", "{}")[0] == 200
        assert server.request("GET", "/match/none/events").status == 404
        for path in ("/", "/new", "/match/none/events", "/tournament/none"):
            refused = server.request("GET", path)
            assert (refused.status, int(refused.headers["Retry-After"]) > 0) == (429, True)
        status, found = asked(server, "/sandbox", "{}")
        assert (status, found["reason"].partition(":")[0]) == (429, "too many requests")
        with pytest.raises(InvalidStatus):
            connect(server.url.replace("http", "ws") + "/match/none/line").close()


def test_a_visitor_who_has_signed_in_is_not_refused_because_of_others_at_the_address(tmp_path: Path) -> None:
    with WebServer(tmp_path, RequestLimits(1e-6, 3)) as server:
        token = server.sign_in("vera")
        assert server.request("GET", "/account", token=token).status == 200
        statuses = [server.request("GET", "/learn").status for _ in range(4)]
        assert statuses == [200, 200, 429, 429]
        statuses = [server.request("GET", "/learn", token=token).status for _ in range(4)]
        assert statuses == [200, 200, 200, 429]


def test_a_question_is_answered_off_the_loop_and_refused_while_too_many_wait(tmp_path: Path) -> None:
    begin = threading.Event()
    with WebServer(tmp_path) as server:
        hall = server.hall
        try:
            waiting = [
                asyncio.run_coroutine_threadsafe(
                    hall.pool.run(Requester(f"10.0.{i // 250}.{i % 250}"), begin.wait), server.loop
                )
                for i in range(WAITING + THREADS)
            ]
            assert server.request("GET", "/").status == 200  # the loop is free
            refused = server.send("POST", "/sandbox", "{}", {"content-type": "application/json"})
            assert (refused.status, refused.headers["Retry-After"]) == (503, "2")
        finally:
            begin.set()
        for task in waiting:
            assert task.result(20)
        assert asked(server, "/sandbox", "{}")[0] == 200
