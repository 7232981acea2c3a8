"""A page whose server is killed again and again sends all that was entered, in order and once."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from parlour.core import events as ev
from parlour.store import open_store, read_events
from support.processes.ports import free_port
from support.web.browser import Tab, needs_chromium, tab
from support.web.program import Program

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [needs_chromium, pytest.mark.timeout(900), pytest.mark.long]
KILLS = 20
ORDERS = ("A PAR - BUR", "A PAR - PIC", "A PAR - GAS", "A PAR H")


def opened(browser: Browser, server: Program) -> Tab:
    """Open a match with free text as a guest who plays France against agents that hold."""
    here = tab(browser, server)
    here.page.goto(f"{server.url}/new")
    here.page.select_option("[name=seat]", "FRANCE")
    here.page.select_option("[name=agent]", "hold")
    here.page.select_option("[name=press]", "any time")
    here.page.select_option("[name=level]", "8000")
    here.page.click("text=Open the match")
    here.page.wait_for_selector("[data-unit=PAR] select")
    here.page.click(".thread:has-text('Germany')")
    return here


def enter(here: Tab, chance: random.Random, said: list[str]) -> str:
    """Say something and order something, in either order; return the order."""
    order = chance.choice(ORDERS)
    said.append(f"message {len(said)}")
    for step in chance.sample(("say", "order"), 2):
        if step == "say":
            here.page.fill(".free textarea", said[-1])
            here.page.click(".free button")
        else:
            here.page.select_option("[data-unit=PAR] select", order)
    return order


def test_twenty_kills_lose_nothing_and_double_nothing(browser: Browser, tmp_path: Path) -> None:
    chance, port = random.Random(20), free_port()
    said: list[str] = []
    order = ""
    with Program(tmp_path, port) as server:
        here = opened(browser, server)
        match = here.page.url.rpartition("/")[2].partition("#")[0]
    for _ in range(KILLS):
        here.page.wait_for_selector(".banner:not([hidden])")
        order = enter(here, chance, said)  # while nobody is there
        with Program(tmp_path, port):
            here.until(lambda: here.page.locator(".banner").is_hidden())
            if chance.random() < 0.5:
                here.until(lambda: here.page.locator(".press-message.unsent").count() == 0)
            order = enter(here, chance, said)  # and killed while it is on its way
            here.page.wait_for_timeout(chance.choice((0, 5, 20, 80)))
    with Program(tmp_path, port):
        here.until(lambda: here.page.locator(".banner").is_hidden())
        here.until(lambda: here.page.locator(".press-message.unsent").count() == 0)
        here.until(lambda: here.page.locator(".waiting").is_hidden())
        assert here.page.locator("[data-unit=PAR] select").input_value() == order
        assert here.page.locator(".press-message.mine").count() == len(said)
    with open_store(str(tmp_path / "parlour.db"), read_only=True) as store:
        record = list(read_events(store, match))
    assert [event.text for event in record if isinstance(event, ev.Said) and event.seat == "FRANCE"] == said
    acted = [event.action for event in record if isinstance(event, ev.Acted) and event.seat == "FRANCE"]
    assert acted[-1] == [order]
