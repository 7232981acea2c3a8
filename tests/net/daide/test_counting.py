"""Bots of two Java libraries count the ORD of a turn before they look at NOW: one short, and they wait for ever."""

from __future__ import annotations

import random
import re
from collections import Counter

import pytest

from parlour.games.diplomacy.formats.forms import read_state
from parlour.games.diplomacy.maps.map import named
from parlour.games.diplomacy.position import Position
from parlour.net.daide import server_messages as sm
from parlour.net.daide.tokens import written
from parlour.press.language.message_types import Unit


class CountingBot:
    """Knows only what it is told: from NOW and SCO how many orders of all powers it must hear before the next NOW."""

    def __init__(self) -> None:
        self._now = self._supply = ""
        self._heard = 0
        self.turns = Counter[str]()

    def hear(self, text: str) -> None:
        match text.split()[0]:
            case "SCO":
                self._supply = text
            case "ORD":
                assert text.split()[2] == self._now.split()[2], "an order of the turn that runs"
                self._heard += 1
            case "NOW":
                if self._now:
                    self.turns[self._now.split()[2]] += 1
                    assert self._heard == self._wanted()
                self._now, self._heard = text, 0

    def _wanted(self) -> int:
        dislodged = self._now.count("MRT")
        match self._now.split()[2]:
            case "SPR" | "FAL":
                return len(self._units())
            case "SUM" | "AUT":
                return dislodged
        centres = {power: len(rest.split()) for power, rest in re.findall(r"\( (\w{3}) ([A-Z0-9 ]+) \)", self._supply)}
        powers = {*centres, *self._units()} - {"UNO"}
        return sum(abs(centres.get(power, 0) - self._units().count(power)) for power in powers)

    def _units(self) -> list[str]:
        """Return the power of each unit."""
        return re.findall(r"\( (\w{3}) (?:AMY|FLT) ", self._now)


@pytest.mark.parametrize("board", ["standard", "lagoon"])
def test_there_is_an_order_for_everything_that_is_due(board: str) -> None:
    rng, played = random.Random(7), Counter[str]()
    for _ in range(4):
        bot, start = CountingBot(), Position.start(named(board))
        position = start.on_terms(start.year + 40, start.scoring)
        bot.hear(written(sm.supply(position)))
        bot.hear(written(sm.now(position)))
        doomed: tuple[Unit, ...] = ()
        while position.outcome() is None:
            # Some give no orders, as who is in civil disorder.
            acting = [seat for seat in position.to_act() if rng.random() > 0.1]
            position = position.resolve({str(seat): position.sample(seat, rng) for seat in acting})
            assert position.turn is not None
            for saying in sm.turn_over(position.turn, doomed):
                bot.hear(written(saying))
            doomed = sm.doomed_by(position.turn)
        played += bot.turns
    assert len(played) == 5, played


@pytest.mark.parametrize("german", [["A MUN - BUR", "A RUH S A MUN - BUR"], []])
def test_units_that_can_go_nowhere_are_counted_whether_others_retreat_or_not(german: list[str]) -> None:
    start, bot = Position.start(), CountingBot()
    doomed: tuple[Unit, ...] = ()
    units = {"ENGLAND": ["F ION", "F TYS", "A NAF"], "FRANCE": ["A TUN", "A BUR"], "GERMANY": ["A MUN", "A RUH"]}
    state = {"phase": "S1902M", "units": {**{name: [] for name in start.units}, **units}, "centers": start.centers}
    position = Position(*read_state(state, start.board))
    landing = {"ENGLAND": ["F TYS - TUN", "F ION S F TYS - TUN"], "GERMANY": german}
    bot.hear(written(sm.supply(position)))
    bot.hear(written(sm.now(position)))
    for orders in (landing, {}, {}):
        position = position.resolve(orders)
        assert position.turn is not None
        for saying in sm.turn_over(position.turn, doomed):
            bot.hear(written(saying))
        doomed = sm.doomed_by(position.turn)
    assert bot.turns["SUM"] == bool(german)
    assert bot.turns["FAL"] == 1
