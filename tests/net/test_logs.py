"""The log of a server: one JSON object a line, or a line for people."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator

import pytest

from parlour.net.logs import announce, set_up_log


@pytest.fixture(autouse=True)
def root() -> Iterator[None]:
    log, server = logging.getLogger(), logging.getLogger("uvicorn.error")
    handlers, level, servers = log.handlers[:], log.level, server.level
    yield
    log.handlers[:] = handlers
    log.setLevel(level)
    server.setLevel(servers)


def test_json_has_the_message_and_whatever_was_noted() -> None:
    out = io.StringIO()
    set_up_log("json", "info", out)
    logging.getLogger("parlour.test").info("%d matches\nawake", 3, extra={"ms": 1.5, "address": "192.0.2.1"})
    logging.getLogger("parlour.test").debug("not this")
    try:
        raise ValueError("odd")
    except ValueError:
        logging.getLogger("parlour.test").exception("broken")
    first, second = [json.loads(line) for line in out.getvalue().splitlines()]
    assert first.pop("time")[10] == "T"
    assert first == {
        "level": "info",
        "logger": "parlour.test",
        "message": "3 matches\nawake",
        "ms": 1.5,
        "address": "192.0.2.1",
    }
    assert second["level"] == "error"
    assert "ValueError: odd" in second["error"]


def test_text_is_for_people() -> None:
    out = io.StringIO()
    set_up_log("text", "warning", out)
    logging.getLogger("parlour.test").info("not this")
    logging.getLogger("parlour.test").warning("take care")
    assert out.getvalue().endswith("WARNING parlour.test: take care\n")
    assert out.getvalue().count("\n") == 1


@pytest.mark.parametrize(("level", "lines"), [("debug", 2), ("info", 1), ("critical", 0)])
def test_strangers_do_not_decide_how_long_the_log_gets(level: str, lines: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging.getLogger("uvicorn"), "propagate", True)  # which a server of another test may have set
    out = io.StringIO()
    set_up_log("text", level, out)
    logging.getLogger("uvicorn.error").info("connection open")
    logging.getLogger("uvicorn.error").error("something is wrong")
    assert out.getvalue().count("\n") == lines


def test_what_the_operator_must_know_is_json_too_and_a_secret_is_marked() -> None:
    text, lines = io.StringIO(), io.StringIO()
    announce("text", "the account admin has the one-time password x", text, secret=True)
    assert text.getvalue() == "the account admin has the one-time password x\n"
    announce("json", "the account admin has the one-time password x", lines, secret=True)
    announce("json", "stopping", lines)
    first, last = map(json.loads, lines.getvalue().splitlines())
    assert (first["message"], first["secret"]) == ("the account admin has the one-time password x", True)
    assert (last["message"], last["level"], "secret" in last) == ("stopping", "info", False)
