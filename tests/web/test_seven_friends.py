"""Seven friends in seven browsers, and nobody else, play a press game to its end on `parlour serve`.

One comes as a guest by the link, one plays on a phone, one leaves in 1902 and is replaced, one is cut off for a while.
"""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from parlour.core import events as ev
from parlour.store import open_store, read_events
from support.web.browser import Tab, needs_chromium
from support.web.program import Program

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [needs_chromium, pytest.mark.timeout(600), pytest.mark.long]
SEATS = {"ann": "France", "ben": "Germany", "cat": "Italy", "dan": "Russia", "eve": "Turkey", "fay": "England"}
GUEST = "Austria"
PASSWORD = "a good password"
READY = "button:text-is('Ready')"
SECRET = "only between us, {}"


def arrived(browser: Browser, url: str, *, phone: bool = False) -> Tab:
    size = {"width": 390, "height": 844} if phone else {"width": 1440, "height": 900}
    context = browser.new_context(viewport=size, has_touch=phone, is_mobile=phone)  # type: ignore[arg-type]
    here = Tab(context.new_page())
    here.page.goto(url)
    return here


def registered(here: Tab, name: str) -> None:
    here.page.fill("[name=name]", name)
    here.page.fill("[name=password]", PASSWORD)
    here.page.click("button:has-text('Open an account')")


def opened(browser: Browser, url: str) -> tuple[Tab, str]:
    """Ann opens a match of two years with free text, and sits down; everybody else is to come."""
    ann = arrived(browser, f"{url}/signin?next=/new")
    registered(ann, "ann")
    ann.page.click("text=By mail")  # then the terms of this evening
    ann.page.fill("[name=title]", "Seven friends")
    ann.page.select_option("[name=agent]", "a person")
    ann.page.select_option("[name=clock]", "none")
    ann.page.fill("[name=years]", "2")
    ann.page.click("text=Open the match")
    ann.page.wait_for_selector(".lobby-seats")
    return ann, ann.page.locator("code.address").inner_text()


def seated(browser: Browser, link: str, name: str) -> Tab:
    """Return a friend follows the link, opens an account there, comes back and sits down."""
    here = arrived(browser, link, phone=name == "cat")
    here.page.click("text=Sign in or open an account")
    registered(here, name)
    here.page.wait_for_selector(".lobby-seats, .order-form")
    here.page.click(f"button:has-text('Sit down as {SEATS[name]}')")
    return here


def panel(here: Tab, name: str) -> None:
    """Show a tab where each is one."""
    if here.page.locator(f"#tab-{name}").is_visible():
        here.page.click(f"#tab-{name}")


def says(here: Tab, to: str, text: str) -> None:
    panel(here, "press")
    here.page.click(f".thread:has-text('{to}')")
    here.page.fill(".free textarea", text)
    here.page.click(".free button")
    here.page.wait_for_selector(f".press-message.mine:has-text('{text}'):not(.unsent)")


def orders(here: Tab, chance: random.Random) -> None:
    """Choose an order for each unit from its list."""
    panel(here, "orders")
    for at in range(here.page.locator(".order-form select").count()):
        select = here.page.locator(".order-form select").nth(at)
        choices = select.locator("option").evaluate_all("all => all.map((one) => one.value).filter(Boolean)")
        moves = [value for value in choices if " - " in value and "VIA" not in value]
        if choices and here.page.locator(".order-form select").nth(at).is_enabled():
            select.select_option(chance.choice(moves or choices))


def acts(here: Tab, chance: random.Random) -> None:
    """Order and be ready, if it is one's turn."""
    if here.page.locator(READY).count() and here.page.locator(READY).is_visible():
        if here.page.locator(".order-form").count():
            orders(here, chance)
        here.page.click(READY)


def is_over(here: Tab) -> bool:
    return here.page.locator(".result").count() == 1


def shows(here: Tab, turn: str, other: Tab) -> bool:
    """Return True once a page shows a turn, or another page shows that the turn has passed."""
    return here.heading() == turn or is_past(other, turn)


def is_past(here: Tab, turn: str) -> bool:
    return here.heading() != turn or is_over(here)


def test_seven_friends_play_a_press_game_to_its_end(browser: Browser, tmp_path: Path) -> None:
    chance = random.Random(7)
    with Program(tmp_path) as server:
        ann, link = opened(browser, server.url)
        people = {"ann": ann, **{name: seated(browser, link, name) for name in list(SEATS)[1:]}}
        guest = people["guest"] = arrived(browser, link)
        guest.page.click(f"text={GUEST} as a guest")
        for here in people.values():
            here.page.wait_for_selector("body[data-ready] .order-form", state="attached")
        # They talk: each to one other alone, and one proposal that is agreed to.
        says(ann, "Germany", SECRET.format("ben"))
        says(people["ben"], "France", SECRET.format("ann"))
        says(people["cat"], "Everyone", "A good evening to all")
        says(people["eve"], "Russia", SECRET.format("dan"))
        heard = {name: here.page.content() for name, here in people.items()}
        assert all(SECRET.format("ben") not in text for name, text in heard.items() if name not in ("ann", "ben"))
        assert all(SECRET.format("dan") not in text for name, text in heard.items() if name not in ("eve", "dan"))
        cut, replaced, fay = False, False, people["fay"]
        for _ in range(30):
            if is_over(ann):
                break
            before = ann.heading()
            if before.startswith("Fall 1901, movement") and not cut:
                cut = True
                fay.until(lambda: fay.heading() == "Fall 1901, movement")
                fay.page.context.set_offline(True)
                says_while_cut_off(fay)
            if "1902, movement" in before and not replaced:
                replaced = True
                replace(people["dan"], link)
            for here in people.values():
                # In winter only some are to act: the turn may pass before everybody's page was looked at.
                here.until(partial(shows, here, before, ann))
                acts(here, chance)
            fay.page.context.set_offline(False)
            ann.until(partial(is_past, ann, before))
        cards = {name: card(here) for name, here in people.items()}
        assert cut
        assert replaced
        assert len(set(cards.values())) == 1, cards
        assert "Place" in cards["ann"]
        assert "hal" in cards["ann"]
    match = link.rpartition("/")[2]
    with open_store(str(tmp_path / "parlour.db"), read_only=True) as store:
        record = list(read_events(store, match))
    assert isinstance(record[-1], ev.Ended)
    assert [event.text for event in record if isinstance(event, ev.Said) and event.seat == "ENGLAND"] == ["Still here"]


def says_while_cut_off(here: Tab) -> None:
    """A message that is written while the connection is cut waits, and is sent once."""
    panel(here, "press")
    here.page.click(".thread[data-key=all]")
    here.page.fill(".free textarea", "Still here")
    here.page.click(".free button")


def replace(here: Tab, link: str) -> None:
    """Dan asks for a replacement and goes; hal takes over, in the same browser."""
    here.page.click("text=Leave …")
    here.page.click("dialog button:has-text('Ask for a replacement')")
    here.page.goto(link.rpartition("/match/")[0] + "/signout")
    here.page.click("button:has-text('Sign out')")
    here.page.goto(f"{link.rpartition('/match/')[0]}/signin?next=/match/{link.rpartition('/')[2]}")
    registered(here, "hal")
    here.page.click("text=Take a seat")
    here.page.click("dialog button:has-text('Russia')")
    here.page.wait_for_selector("body[data-ready] .order-form", state="attached")


def card(here: Tab) -> str:
    """Return the result as this page shows it, once it is complete."""
    panel(here, "orders")
    here.until(lambda: here.page.locator(".result .chart").count() == 1)
    return here.page.locator(".result table").inner_text()
